// One file at a time, over the page; the arrow keys show its neighbors.

import { makeSaveLink, empty } from "./blobs.js";
import { byId, element } from "./elements.js";
import { showFile } from "./showing.js";

// The state of the viewer: the number of files, the shown one, and the function that loads a file.
const viewed = { count: 0, index: 0, load: null, actions: () => [] };

/** Show the file at an index; after the last comes the first. */
async function show(index) {
  const turn = (viewed.index = (index + viewed.count) % viewed.count);
  const isGone = () => viewed.index !== turn || !byId("viewer").open;
  byId("viewed-name").textContent = "...";
  empty(byId("viewed"));
  byId("viewed-actions").replaceChildren();
  try {
    const file = await viewed.load(turn);
    if (isGone()) return;
    byId("viewed-name").textContent = file.name;
    const shown = await showFile(file);
    if (isGone()) return;
    empty(byId("viewed")).append(shown);
    empty(byId("viewed-actions")).append(makeSaveLink(file), ...viewed.actions(file));
  } catch (error) {
    if (isGone()) return;
    byId("viewed-name").textContent = "Cannot be shown";
    byId("viewed").replaceChildren(element("p", { role: "alert" }, error.message));
  }
}

/**
 * Open the viewer.
 * @param {(index: number) => Promise<{name: string, type: string, blob: Blob}>} load gives a file
 * @param {(file: object) => Element[]} actions what else can be done with a file
 */
export function openViewer(count, index, load, actions = () => []) {
  Object.assign(viewed, { count, load, actions });
  byId("previous").hidden = byId("next").hidden = count < 2;
  if (!byId("viewer").open) byId("viewer").showModal();
  return show(index);
}

/** Close the viewer, and forget what it shows. */
export function closeViewer() {
  byId("viewer").close();
  empty(byId("viewed"));
  empty(byId("viewed-actions"));
}

/** Make the buttons of the viewer work. */
export function prepareViewer() {
  byId("previous").onclick = () => show(viewed.index - 1);
  byId("next").onclick = () => show(viewed.index + 1);
  byId("close-viewer").onclick = closeViewer;
  byId("viewer").onclose = () => byId("viewer").open || closeViewer(); // sound ends
  byId("viewer").onkeydown = (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step && viewed.count > 1 && !event.target.matches("audio, video, pre")) show(viewed.index + step);
  };
}
