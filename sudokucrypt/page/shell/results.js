// The list of results: describe each, show it, and save one or all.

import { makeAddress, makeSaveLink, empty, revoke } from "./blobs.js";
import { byId, element, makeButton } from "./elements.js";
import { distinctNames, getEnding, safeName, formatSize } from "./names.js";
import { showFile } from "./showing.js";
import { closeViewer, openViewer } from "./viewer.js";

const SMALL = 2 ** 20; // bytes of a picture that is its own preview

const listed = [];
let saved = "";
let more = () => []; // returns the elements for further actions on a file

/** Offer something else to do with each file. */
export function offerMore(actions) {
  more = actions;
}

function makeCard(result, index) {
  const { name, blob, notes, shown } = result;
  const details = [formatSize(blob.size), ...notes].join("; ");
  const title = element("h3", {}, name);
  const actions = element("div", { className: "actions" });
  const made = element("li", {}, title, element("p", { className: "note" }, details), actions);
  if (listed.length > 1) made.prepend(makeWell(result));
  if (shown && listed.length > 1) {
    const show = () => openViewer(listed.length, index, (i) => listed[i], more);
    actions.append(makeButton("Show", show, { "aria-label": `Show ${name}` }));
  }
  actions.append(makeSaveLink(result), ...more(result));
  return made;
}

/** A small picture of a file, or the end of its name. */
function makeWell({ name, blob, type = "", preview, shown }) {
  const small = preview ?? (shown && type.startsWith("image/") && blob.size < SMALL ? blob : null);
  const picture = () => element("img", { src: makeAddress(small, small.type || type), alt: "" });
  return element("div", { className: "well", ariaHidden: true }, small ? picture() : getEnding(name));
}

/**
 * List files, and show the file if there is only one.
 * @param {{name: ?string, type: string, time: ?bigint, blob: Blob, preview: ?Blob,
 *   notes: string[], shown: boolean}[]} results
 */
export async function listResults(results, title) {
  clearResults();
  const names = distinctNames(results.map(({ name }, i) => safeName(name, `file ${i + 1}`)));
  listed.push(...results.map((result, i) => ({ ...result, name: names[i] })));
  byId("results-title").textContent = title;
  byId("cards").replaceChildren(...listed.map(makeCard));
  byId("save-all").hidden = listed.length < 2;
  byId("results").hidden = listed.length === 0;
  if (listed.length === 1 && listed[0].shown) {
    byId("cards").firstChild.prepend(await showFile(listed[0]));
  }
  if (listed.length > 0) byId("results-title").focus();
}

/** Remove the results, and revoke their addresses. */
export function clearResults() {
  closeViewer();
  empty(byId("cards"));
  byId("results").hidden = true;
  listed.length = 0;
  revoke(saved);
}

/** The entries for an archive of all results. */
export function listEntries() {
  return listed.map(({ name, time, blob }) => ({ name, time, blob }));
}

/** Save a blob that was made for it; its address lasts until the next one. */
export function saveBlob(blob, download) {
  revoke(saved);
  saved = makeAddress(blob);
  element("a", { href: saved, download }).click();
}
