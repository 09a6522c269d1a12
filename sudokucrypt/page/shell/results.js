// The list of results: what each is, showing it, and saving one or all.

import { addressOf, revokeAddresses } from "./blobs.js";
import { byId, element } from "./elements.js";
import { distinctNames, safeName, sizeText } from "./names.js";
import { shownFile } from "./showing.js";

const SMALL = 2 ** 20; // bytes of a picture that is its own preview

const listed = [];

function saveLink(result) {
  const href = addressOf(result.blob);
  const label = { "aria-label": `Save ${result.name}` };
  return element("a", { href, download: result.name, className: "button", ...label }, "Save");
}

/** Show a file over the page; the arrow keys show its neighbours. */
async function openViewer(index) {
  const viewer = byId("viewer");
  const result = listed[index];
  byId("viewed-name").textContent = result.name;
  byId("viewed").replaceChildren(await shownFile(result));
  viewer.dataset.index = index;
  byId("previous").disabled = index === 0;
  byId("next").disabled = index === listed.length - 1;
  if (!viewer.open) viewer.showModal();
}

function card(result, index) {
  const { name, blob, notes, shown } = result;
  const details = [sizeText(blob.size), ...notes].join("; ");
  const title = element("h3", {}, name);
  const actions = element("div", { className: "actions" });
  const made = element("li", {}, title, element("p", { className: "note" }, details), actions);
  if (listed.length > 1) made.prepend(well(result));
  if (shown && listed.length > 1) {
    const show = element("button", { type: "button", "aria-label": `Show ${name}` }, "Show");
    show.addEventListener("click", () => openViewer(index));
    actions.append(show);
  }
  actions.append(saveLink(result));
  return made;
}

/** A small picture of a file, or the end of its name. */
function well({ name, blob, type = "", preview, shown }) {
  const small = preview ?? (shown && type.startsWith("image/") && blob.size < SMALL ? blob : null);
  const ending = /\.([^.]{1,5})$/.exec(name)?.[1].toUpperCase() ?? "";
  const picture = () => element("img", { src: addressOf(small, small.type || type), alt: "" });
  return element("div", { className: "well", ariaHidden: true }, small ? picture() : ending);
}

/**
 * List files, and show the first where it is alone.
 * @param {{name: ?string, type: string, time: ?bigint, blob: Blob, preview: ?Blob,
 *   notes: string[], shown: boolean}[]} results
 */
export async function listResults(results, title) {
  clearResults();
  const names = distinctNames(results.map(({ name }, i) => safeName(name, `file ${i + 1}`)));
  listed.push(...results.map((result, i) => ({ ...result, name: names[i] })));
  byId("results-title").textContent = title;
  byId("cards").replaceChildren(...listed.map(card));
  byId("save-all").hidden = listed.length < 2;
  byId("results").hidden = listed.length === 0;
  if (listed.length === 1 && listed[0].shown) {
    byId("cards").firstChild.prepend(await shownFile(listed[0]));
  }
  if (listed.length > 0) byId("results-title").focus();
}

/** Take the results away, and revoke their addresses. */
export function clearResults() {
  byId("viewer").close();
  byId("viewed").replaceChildren();
  byId("cards").replaceChildren();
  byId("results").hidden = true;
  listed.length = 0;
  revokeAddresses();
}

/** What goes into an archive of all results. */
export function listedEntries() {
  return listed.map(({ name, time, blob }) => ({ name, time, blob }));
}

/** Save a blob that was made for it. */
export function saveBlob(blob, download) {
  element("a", { href: addressOf(blob), download }).click();
}

/** Make the buttons of the viewer work. */
export function prepareViewer() {
  const viewer = byId("viewer");
  const turn = (step) => {
    const index = Number(viewer.dataset.index) + step;
    if (index in listed) openViewer(index);
  };
  byId("previous").addEventListener("click", () => turn(-1));
  byId("next").addEventListener("click", () => turn(1));
  byId("close-viewer").addEventListener("click", () => viewer.close());
  viewer.addEventListener("close", () => byId("viewed").replaceChildren()); // sound ends
  viewer.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step && !event.target.matches("audio, video, pre")) turn(step);
  });
}
