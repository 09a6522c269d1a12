// Show a restored file with the means of the browser.

import { base64, readBlob } from "../engine/bytes.js";
import { makeAddress } from "./blobs.js";
import { element } from "./elements.js";

const MOST_TEXT = 2 ** 20;
const MOST_SVG = 2 ** 21;
const DRAWN = 1600; // pixels of the longer side of a drawing
const CANNOT = "This browser cannot show the file. Save it to open it with another program.";

/** The sealed preview, if there is one, and what to do. */
function sayCannot({ preview, name }) {
  const small = preview ? [element("img", { src: makeAddress(preview, preview.type), alt: `Preview of ${name}` })] : [];
  return element("div", {}, ...small, element("p", { className: "note" }, CANNOT));
}

/** An element that replaces itself where the browser cannot decode the file. */
function showMedia(tag, file) {
  const { blob, name, type } = file;
  const shown = element(tag, { src: makeAddress(blob, type) });
  if (tag === "img") shown.alt = name;
  else Object.assign(shown, { controls: true, ariaLabel: name });
  shown.onerror = () => shown.replaceWith(sayCannot(file));
  return shown;
}

/** Show a file as text if it is valid UTF-8 without control characters, for any sealed type. */
async function showText(file) {
  const { blob, name } = file;
  let start;
  try {
    // A stream, so that a letter which the end of the first MiB cuts in two is no error.
    const data = await blob.slice(0, MOST_TEXT).arrayBuffer();
    start = new TextDecoder("utf-8", { fatal: true }).decode(data, { stream: true });
  } catch {
    return sayCannot(file);
  }
  if (/[^\P{Cc}\t\r\n\f\x1b]/u.test(start)) return sayCannot(file);
  const cut = blob.size > MOST_TEXT ? ["\n... (the first MiB is shown)"] : [];
  return element("pre", { tabIndex: 0, "aria-label": name, role: "region" }, start, ...cut);
}

/**
 * A drawing, as a bitmap: no address of it exists that a tab could open. As a picture, an SVG runs
 * no script and loads nothing. What the browser cannot draw is shown as text.
 */
async function showDrawing(file) {
  const { blob, name } = file;
  if (blob.size > MOST_SVG) return showText(file);
  const letters = base64(await readBlob(blob));
  const image = element("img", { src: `data:image/svg+xml;base64,${letters}` });
  try {
    await image.decode();
  } catch {
    return showText(file);
  }
  const { naturalWidth: width, naturalHeight: height } = image;
  if (!width || !height) return showText(file);
  const scale = DRAWN / Math.max(width, height);
  const canvas = element("canvas", { width: width * scale, height: height * scale, role: "img", "aria-label": name });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/**
 * An element that shows a file; its content is never run, nor read as HTML of this page.
 * @param {{name: string, type: string, blob: Blob, preview: ?Blob}} file @returns {Promise<Element>}
 */
export async function showFile(file) {
  const [kind] = file.type.split("/");
  if (file.type === "image/svg+xml") return showDrawing(file);
  if (kind === "image") return showMedia("img", file);
  if (kind === "audio" || kind === "video") return showMedia(kind, file);
  // An address of a PDF could be opened as a document, and a PDF can hold scripts.
  if (file.type === "application/pdf") return sayCannot(file);
  return showText(file);
}
