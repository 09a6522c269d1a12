// The page: the chosen task and files, progress, and error messages.

import { addUp } from "../engine/bytes.js";
import { findOwnAlbum, expandAlbums, removeFiles } from "./album.js";
import { revokeAddresses } from "./blobs.js";
import { CallError, Calls, prepareCalls } from "./calls.js";
import { beginCover, prepareCover } from "./cover.js";
import { prepareSee } from "../see/see.js";
import { byId, element, makeButton } from "./elements.js";
import { formatSize } from "./names.js";
import { clearResults, listEntries, listResults, saveBlob } from "./results.js";
import { clearSecret, drawPassphrase } from "./secrets.js";
import { coverAreas, decrypt, encrypt, give, giveSecret, keygen } from "./tasks.js";
import { prepareViewer } from "./viewer.js";

const TASKS = {
  decrypt: { run: decrypt, label: "Open", title: "Opened" },
  encrypt: { run: encrypt, label: "Protect", title: "Protected" },
  cover: { run: coverAreas, label: "Cover", title: "Covered" },
  give: { run: give, label: "Make an album", title: "Album" },
  keygen: { run: keygen, label: "Make", title: "Made" },
  see: { label: "See" },
};

const state = { calls: null, files: [], album: null, busy: false, see: null, since: 0 };

const feedback = {
  progress(text, done, total) {
    // A live region that changed with every step would be read out all the time.
    if (byId("status").textContent !== text) {
      byId("status").textContent = text;
      state.since = performance.now();
    }
    Object.assign(byId("bar"), { value: done, max: total });
    const left = Math.ceil(((performance.now() - state.since) * (total / done - 1)) / 1000);
    const rest = left > 1 && left < Infinity ? `, ${left} s left` : "";
    if (state.busy) byId("run").textContent = `${TASKS[getTask()].label} ... ${Math.floor((100 * done) / total)} %${rest}`;
  },
  /** Each failure stays until it is dismissed, or what failed is tried again. @param {string[]} names of files */
  error(text, names = []) {
    const dismiss = () => {
      failure.remove();
      (byId("errors").querySelector("button") ?? byId("run")).focus();
    };
    const which = names.length > 1 ? [element("small", {}, names.slice(0, 50).join(", "))] : [];
    const button = makeButton("Dismiss", dismiss, { "aria-label": `Dismiss: ${text}` });
    const failure = element("div", { names }, element("p", {}, text), ...which, button);
    byId("errors").append(failure);
  },
};

/** The interface between the page and the code for a folder, which sets `shelf`. */
const page = {
  shelf: null,
  source: () => "", // the page as it came, without files
  error: feedback.error,
};

function getTask() {
  return byId("form").elements.task.value;
}

function getKind() {
  return byId("form").elements.kind.value;
}

function showTask() {
  for (const part of document.querySelectorAll("[data-for]")) {
    part.hidden = !part.dataset.for.split(" ").includes(getTask());
  }
  const isNew = ["encrypt", "cover", "give"].includes(getTask());
  byId("again-part").hidden = !isNew || byId("show-passphrase").checked;
  byId("locking").hidden = getKind() !== "lock";
  byId("passphrase").type = byId("show-passphrase").checked ? "text" : "password";
  beginCover(getTask() === "cover" ? (state.files[0] ?? null) : null);
  if (getTask() === "see" && crypto.subtle) state.see ??= prepareSee().catch((error) => feedback.error(error.message));
  showButtons();
}

function showButtons() {
  byId("run").disabled = byId("save-all").disabled = state.busy;
  byId("run").textContent = TASKS[getTask()].label;
  byId("going-on").hidden = !state.busy;
  byId("close").textContent = state.busy ? "Stop" : "Close everything";
  byId("close").hidden = !state.busy && byId("results").hidden && byId("shelf").hidden;
}

function choose(files) {
  state.files = [...files];
  const size = (file) => element("span", {}, formatSize(file.size));
  const items = state.files.map((file) => element("li", {}, `${file.name} `, size(file)));
  byId("chosen").replaceChildren(...items);
  showTask();
}

/** Run something with the worker, and show its error if it fails. */
async function attempt(work) {
  state.busy = true;
  showButtons();
  const again = state.album?.files ?? state.files;
  for (const failure of [...byId("errors").children]) {
    const isOther = (name) => !again.some((file) => name.startsWith(file.name));
    if (!failure.names.some(isOther)) failure.remove();
  }
  if (!state.calls || state.calls.ended || state.calls === page.shelf?.calls) {
    await prepareCalls();
    if (!state.busy) return; // everything was closed
    state.calls = new Calls();
  }
  const { calls } = state;
  try {
    await work(calls);
  } catch (error) {
    if (state.calls !== calls) return; // everything was closed
    feedback.progress(calls.stopped ? "Stopped" : "", 0, 1);
    if (calls.stopped) return;
    feedback.error(error instanceof CallError ? error.message : `unexpected ${error.name}`);
  } finally {
    if (state.calls === calls) {
      state.busy = false;
      showButtons();
    }
  }
}

/** The files to work on; albums are opened, but not encrypted again. */
async function listFiles() {
  if (state.album) return state.album.files;
  return getTask() === "decrypt" ? expandAlbums(state.files, feedback.error) : state.files;
}

/** Show the album in this page. If it is only for recipients, the page takes no secret: they open it in
 * a page of their own. */
async function showAlbum() {
  state.album = findOwnAlbum();
  if (state.album === null) return;
  const { files, count, title, fault } = state.album;
  document.documentElement.classList.add("album");
  document.title = byId("title").textContent = title || "Album";
  const size = addUp(files.map((file) => file.size));
  byId("album-lead").prepend(`${count} file${count === 1 ? "" : "s"}, ${formatSize(size)}. `);
  if (fault) feedback.error(fault);
  if (files.length === 0) return;
  await prepareCalls();
  state.calls ??= new Calls();
  const asks = await state.calls.call("asksPassphrase", files[0]).catch(() => true);
  document.documentElement.classList.toggle("for-recipients", !asks);
}

async function openFolder(calls) {
  await giveSecret(calls, feedback, false);
  feedback.progress("Reading the folder", 0, 1);
  await page.shelf.unlock(calls);
  feedback.progress("Done", 1, 1);
}

async function run() {
  clearResults();
  const { run: work, title } = TASKS[getTask()];
  await attempt(async (calls) => {
    if (page.shelf && getTask() === "decrypt" && state.files.length === 0) return openFolder(calls);
    const files = await listFiles();
    const options = {
      pad: byId("pad").checked, scrambles: byId("scramble").checked, smooth: byId("smooth").checked,
      title: byId("album-title").value.trim(), source: page.source,
      kind: getKind(), keyFile: byId("lock-file").files[0], words: byId("lock-words").value,
    };
    const results = await work({ calls, files, feedback, ...options });
    if (state.calls !== calls) return; // everything was closed
    if (state.album?.fault) feedback.error(state.album.fault);
    await listResults(results, title);
    feedback.progress(results.length > 0 ? "Done" : "", 1, 1);
  });
}

/** Stop what is going on; what was chosen and entered stays. */
function stop() {
  if (state.calls) Object.assign(state.calls, { stopped: true }).end();
}

/** Forget results, secrets and files. */
function closeAll() {
  stop();
  Object.assign(state, { calls: null, busy: false });
  page.shelf?.clear();
  clearResults();
  clearSecret();
  beginCover(null);
  state.see?.then((forget) => forget?.());
  revokeAddresses();
  byId("form").reset();
  byId("errors").replaceChildren();
  byId("status").textContent = "";
  choose([]);
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

function beginPage(connect) {
  // As it came: the document, before anything in it changes.
  const root = document.documentElement;
  const text = root.getHTML?.();
  page.source = () => {
    if (text) return `<!doctype html><html lang="${root.lang}">${text}</html>`;
    throw new CallError("this browser cannot make albums: use a newer one, or 'sudokucrypt share'");
  };
  byId("files").onchange = () => choose(byId("files").files);
  byId("form").onchange = showTask;
  byId("form").onsubmit = (event) => {
    event.preventDefault();
    run();
  };
  byId("close").onclick = () => (state.busy ? stop() : closeAll());
  byId("offer").onclick = offerWords;
  byId("save-page").onclick = () => attempt(async () => saveBlob(new Blob([removeFiles(page.source())]), "page.html"));
  byId("save-all").onclick = () =>
    attempt(async (calls) => {
      feedback.progress("Making an archive", 0, 1);
      saveBlob(await calls.call("zip", { entries: listEntries() }), "sudokucrypt.zip");
    });
  addEventListener("pagehide", closeAll);
  prepareDrop();
  prepareViewer();
  prepareCover();
  showTask();
  byId("main").hidden = false;
  if (!crypto.subtle) {
    feedback.error("this browser gives pages at an address without https no cryptography: open the page as a file, or at an https address");
    return;
  }
  showAlbum();
  if (connect === null) return;
  attempt(async (calls) => {
    await connect(page);
    if (page.shelf && !byId("handed").hidden) await openFolder(calls);
  });
}

/** Start the page once it is read. @param {?(page: object) => Promise<void>} connect a folder */
export function main(connect = null) {
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", () => beginPage(connect));
  else beginPage(connect);
}
