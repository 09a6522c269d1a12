// What a browser can show of a restored file by itself.

import { addressOf } from "./blobs.js";
import { element } from "./elements.js";

const MOST_TEXT = 2 ** 20;
const CANNOT = "This browser cannot show the file. Save it to open it with another program.";

function cannot() {
  return element("p", { className: "note" }, CANNOT);
}

/** An element that replaces itself where the browser cannot decode the file. */
function media(tag, { blob, name, type }) {
  const shown = element(tag, { src: addressOf(blob, type) });
  if (tag === "img") shown.alt = name;
  else Object.assign(shown, { controls: true, ariaLabel: name });
  shown.addEventListener("error", () => shown.replaceWith(cannot()), { once: true });
  return shown;
}

/** What is valid UTF-8 without control characters is text, whatever type was sealed. */
async function text({ blob, name }) {
  let start;
  try {
    // A stream, so that a letter which the end of the first MiB cuts in two is no error.
    const data = await blob.slice(0, MOST_TEXT).arrayBuffer();
    start = new TextDecoder("utf-8", { fatal: true }).decode(data, { stream: true });
  } catch {
    return cannot();
  }
  if (/[^\P{Cc}\t\r\n\f\x1b]/u.test(start)) return cannot();
  const cut = blob.size > MOST_TEXT ? ["\n... (the first MiB is shown)"] : [];
  return element("pre", { tabIndex: 0, "aria-label": name, role: "region" }, start, ...cut);
}

/**
 * An element that shows a file; what it holds is never run, nor read as HTML of this page.
 * @param {{name: string, type: string, blob: Blob}} file @returns {Promise<Element>}
 */
export async function shownFile(file) {
  const [kind] = file.type.split("/");
  if (kind === "image") return media("img", file);
  if (kind === "audio" || kind === "video") return media(kind, file);
  if (file.type !== "application/pdf") return text(file);
  // The policy of this page lets nothing be embedded, so the browser's own viewer takes a tab.
  const href = addressOf(file.blob, "application/pdf");
  return element("p", {}, element("a", { href, target: "_blank" }, "Open the PDF in a new tab"));
}
