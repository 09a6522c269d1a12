// What a browser can show of a restored file by itself.

import { base64 } from "../engine/bytes.js";
import { addressOf } from "./blobs.js";
import { element } from "./elements.js";

const MOST_TEXT = 2 ** 20;
const MOST_SVG = 2 ** 21;
const DRAWN = 1600; // pixels of the longer side of a drawing
const CANNOT = "This browser cannot show the file. Save it to open it with another program.";

/** The sealed preview, if there is one, and what to do. */
function cannot({ preview, name }) {
  const small = preview ? [element("img", { src: addressOf(preview, preview.type), alt: `Preview of ${name}` })] : [];
  return element("div", {}, ...small, element("p", { className: "note" }, CANNOT));
}

/** An element that replaces itself where the browser cannot decode the file. */
function media(tag, file) {
  const { blob, name, type } = file;
  const shown = element(tag, { src: addressOf(blob, type) });
  if (tag === "img") shown.alt = name;
  else Object.assign(shown, { controls: true, ariaLabel: name });
  shown.onerror = () => shown.replaceWith(cannot(file));
  return shown;
}

/** What is valid UTF-8 without control characters is text, whatever type was sealed. */
async function text(file) {
  const { blob, name } = file;
  let start;
  try {
    // A stream, so that a letter which the end of the first MiB cuts in two is no error.
    const data = await blob.slice(0, MOST_TEXT).arrayBuffer();
    start = new TextDecoder("utf-8", { fatal: true }).decode(data, { stream: true });
  } catch {
    return cannot(file);
  }
  if (/[^\P{Cc}\t\r\n\f\x1b]/u.test(start)) return cannot(file);
  const cut = blob.size > MOST_TEXT ? ["\n... (the first MiB is shown)"] : [];
  return element("pre", { tabIndex: 0, "aria-label": name, role: "region" }, start, ...cut);
}

/**
 * A drawing, as a bitmap: no address of it exists that a tab could open. As a picture, an SVG runs
 * no script and loads nothing. What the browser cannot draw is shown as text.
 */
async function drawing(file) {
  const { blob, name } = file;
  if (blob.size > MOST_SVG) return text(file);
  const letters = base64(new Uint8Array(await blob.arrayBuffer()));
  const image = element("img", { src: `data:image/svg+xml;base64,${letters}` });
  try {
    await image.decode();
  } catch {
    return text(file);
  }
  const { naturalWidth: width, naturalHeight: height } = image;
  if (!width || !height) return text(file);
  const scale = DRAWN / Math.max(width, height);
  const canvas = element("canvas", { width: width * scale, height: height * scale, role: "img", "aria-label": name });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/**
 * An element that shows a file; what it holds is never run, nor read as HTML of this page.
 * @param {{name: string, type: string, blob: Blob, preview: ?Blob}} file @returns {Promise<Element>}
 */
export async function shownFile(file) {
  const [kind] = file.type.split("/");
  if (file.type === "image/svg+xml") return drawing(file);
  if (kind === "image") return media("img", file);
  if (kind === "audio" || kind === "video") return media(kind, file);
  // An address of a PDF could be opened as a document, and a PDF can hold scripts.
  if (file.type === "application/pdf") return cannot(file);
  return text(file);
}
