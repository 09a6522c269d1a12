// The page: which task, which files, what is going on, and what went wrong.

import { albumFiles, withAlbums } from "./album.js";
import { CallError, Calls } from "./calls.js";
import { byId, element } from "./elements.js";
import { sizeText } from "./names.js";
import { clearResults, listedEntries, listResults, prepareViewer, saveBlob } from "./results.js";
import { clearSecret, drawPassphrase } from "./secrets.js";
import { decrypt, encrypt, keygen } from "./tasks.js";

const TASKS = {
  decrypt: { run: decrypt, label: "Decrypt", title: "Decrypted" },
  encrypt: { run: encrypt, label: "Encrypt", title: "Encrypted" },
  keygen: { run: keygen, label: "Make a new key", title: "New key" },
};

const state = { calls: null, files: [], embedded: [] };

const feedback = {
  progress(text, done, total) {
    // A live region that changed with every step would be read out all the time.
    if (byId("status").textContent !== text) byId("status").textContent = text;
    Object.assign(byId("bar"), { value: done, max: total });
  },
  error(text) {
    byId("errors").append(element("p", {}, text));
  },
};

function task() {
  return document.querySelector("input[name=task]:checked").value;
}

function showTask() {
  for (const part of document.querySelectorAll("[data-for]")) {
    part.hidden = !part.dataset.for.split(" ").includes(task());
  }
  byId("again-part").hidden = task() !== "encrypt" || byId("show-passphrase").checked;
  byId("run").textContent = TASKS[task()].label;
  byId("passphrase").type = byId("show-passphrase").checked ? "text" : "password";
}

function choose(files) {
  state.files = [...files];
  const size = (file) => element("span", {}, sizeText(file.size));
  const items = state.files.map((file) => element("li", {}, `${file.name} `, size(file)));
  byId("chosen").replaceChildren(...items);
}

function setBusy(busy) {
  byId("run").disabled = byId("save-all").disabled = busy;
  byId("going-on").hidden = !busy;
}

/** Run something with the worker; what goes wrong is shown, and nothing else. */
async function attempt(work) {
  setBusy(true);
  byId("errors").replaceChildren();
  if (!state.calls || state.calls.ended) state.calls = new Calls();
  const { calls } = state;
  try {
    await work();
  } catch (error) {
    if (state.calls !== calls) return; // everything was closed
    feedback.progress("", 0, 1);
    feedback.error(error instanceof CallError ? error.message : `unexpected ${error.name}`);
  } finally {
    setBusy(false);
  }
}

/** What is worked on; albums are opened, but not encrypted again. */
async function chosenFiles() {
  if (state.embedded.length > 0) return state.embedded;
  return task() === "decrypt" ? withAlbums(state.files) : state.files;
}

/** An album for recipients alone takes nothing: they open it in a page of their own. */
async function showAlbum() {
  state.embedded = albumFiles();
  document.documentElement.classList.toggle("album", state.embedded.length > 0);
  if (state.embedded.length === 0) return;
  state.calls = new Calls();
  const asks = await state.calls.call("asksPassphrase", state.embedded[0]).catch(() => true);
  document.documentElement.classList.toggle("for-recipients", !asks);
}

async function run() {
  clearResults();
  const { run: work, title } = TASKS[task()];
  await attempt(async () => {
    const files = await chosenFiles();
    const pad = byId("pad").checked;
    const identity = byId("identity").checked;
    const results = await work({ calls: state.calls, files, feedback, pad, identity });
    await listResults(results, title);
    feedback.progress(results.length > 0 ? "Done" : "", 1, 1);
  });
}

/** Stop what is going on, and forget results, secrets and files. */
function closeAll() {
  state.calls?.end();
  state.calls = null;
  clearResults();
  clearSecret();
  byId("form").reset();
  byId("errors").replaceChildren();
  choose([]);
  showTask();
}

function offerWords() {
  byId("show-passphrase").checked = true;
  byId("passphrase").value = drawPassphrase();
  showTask();
  byId("passphrase").focus();
}

function prepareDrop() {
  const over = (on) => (event) => {
    event.preventDefault();
    byId("drop").classList.toggle("over", on);
  };
  addEventListener("dragover", over(true));
  addEventListener("dragleave", over(false));
  addEventListener("drop", (event) => {
    over(false)(event);
    if (event.dataTransfer.files.length > 0) choose(event.dataTransfer.files);
  });
}

/** Start the page. */
export function main() {
  byId("files").addEventListener("change", () => choose(byId("files").files));
  byId("form").addEventListener("change", showTask);
  byId("form").addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
  byId("close").addEventListener("click", closeAll);
  byId("offer").addEventListener("click", offerWords);
  byId("save-all").addEventListener("click", () =>
    attempt(async () => {
      feedback.progress("Making an archive", 0, 1);
      saveBlob(await state.calls.call("zip", { entries: listedEntries() }), "sudokucrypt.zip");
    }),
  );
  addEventListener("pagehide", closeAll);
  prepareDrop();
  prepareViewer();
  showTask();
  showAlbum();
  byId("main").hidden = false;
}
