// Addresses of results in the memory of the browser, which are all revoked when they are closed.

import { element } from "./elements.js";

const PLAIN = "application/octet-stream";
// What browsers show or play. None of these types is a document that could hold a script: an
// address of another type, opened in a tab, would run in the origin of the page.
const SHOWABLE =
  /^(image\/(avif|bmp|gif|heic|heif|jpeg|jxl|png|tiff|webp)|(audio|video)\/(3gpp|aac|flac|mp4|mpeg|ogg|quicktime|wav|webm|x-flac|x-m4v|x-matroska|x-wav))$/;

const alive = new Set();

/** An address of a blob, which browsers never open as a document, even if its stated type is one. */
export function makeAddress(blob, type = PLAIN) {
  const url = URL.createObjectURL(blob.slice(0, blob.size, SHOWABLE.test(type) ? type : PLAIN));
  alive.add(url);
  return url;
}

/** A link that saves a file. */
export function makeSaveLink({ name, blob }) {
  const properties = { href: makeAddress(blob), download: name, className: "button", "aria-label": `Save ${name}` };
  return element("a", properties, "Save");
}

/** Revoke an address of ours. */
export function revoke(url) {
  if (alive.delete(url)) URL.revokeObjectURL(url);
}

/** Remove the children of an element, and revoke their addresses. */
export function empty(parent) {
  for (const { src, href } of parent.querySelectorAll("[src], [href]")) revoke(src ?? href);
  parent.replaceChildren();
  return parent;
}

/** Revoke all addresses: nothing of the results can be read any more. */
export function revokeAddresses() {
  alive.forEach(revoke);
}
