// The page of a server of a folder: the same page, and calls to its own server.

import { byId, makeButton } from "./elements.js";
import { FolderCalls } from "./folder_calls.js";
import { main } from "./main.js";
import { numberedName } from "./names.js";
import { offerMore } from "./results.js";
import { handSecret } from "./secrets.js";
import { Shelf } from "./shelf.js";
import { worker } from "./worker.js";

/** A button that writes a file into the folder, under another name if that is taken. */
function makeSaveButton(folder, { name, blob }) {
  const save = async () => {
    button.disabled = true;
    try {
      let written = await folder.write(name, blob);
      for (let i = 2; written === null && i < 100; i++) written = await folder.write(numberedName(name, i), blob);
      button.textContent = written === null ? "Not saved: the name is taken" : `Saved as ${written}`;
    } catch (error) {
      button.textContent = `Not saved: ${error.message}`;
      button.disabled = false;
    }
  };
  const button = makeButton(`Save in ${folder.folder}`, save, { "aria-label": `Save ${name} in ${folder.folder}` });
  return button;
}

/** Start the worker; or the page, and redeem the token of its address, of which nothing stays there. */
export function served() {
  if (!globalThis.document) return worker();
  const token = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  main(async (page) => {
    const folder = await FolderCalls.begin(token);
    handSecret(folder.keys ?? [], folder.passphrase ?? null);
    page.source = () => folder.source;
    if (folder.folder === null) return;
    folder.ended.then((text) => page.error(text));
    byId("shelf-title").textContent = folder.folder;
    offerMore((file) => [makeSaveButton(folder, file)]);
    page.shelf = new Shelf(folder, (file) => [makeSaveButton(folder, file)]);
  });
}
