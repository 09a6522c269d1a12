// The files of a served folder: names and previews of those that the keys open.

import { readBlob } from "../engine/bytes.js";
import { makeAddress, empty } from "./blobs.js";
import { CallError } from "./calls.js";
import { byId, element, makeButton } from "./elements.js";
import { getEnding, originalName, safeName, SIDECARS, formatSize } from "./names.js";
import { MOST_HEADER, scoutFile } from "./scout.js";
import { openViewer } from "./viewer.js";

const FILES_AT_ONCE = 4; // files whose headers are read together
const MOST_OPENED = 2 ** 28;
const PICTURE = /\.(png|jpe?g)$/i;
const searchable = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const byName = new Intl.Collator(undefined, { numeric: true });
const ORDERS = {
  newest: (a, b) => b.time - a.time,
  oldest: (a, b) => a.time - b.time,
  name: (a, b) => byName.compare(a.name, b.name),
};

/** A time in ms since 1970, as the clocks here show it. */
function formatTime(time) {
  const date = new Date(time);
  const two = (number) => String(number).padStart(2, "0");
  if (Number.isNaN(date.valueOf())) return "";
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** The view of a folder. */
export class Shelf {
  /** The calls of the worker that has the keys of this folder: those of other tasks are not tried on it. */
  calls = null;
  #folder; // its calls
  #actions; // returns the buttons for an opened file
  #entries = [];
  #files = new Map(); // number and size, by path
  #waiting = []; // entries to read; cards in view are last and are read first
  #observer;
  #run = 0; // the number of the current unlocking; work of earlier ones ends

  constructor(folder, actions) {
    [this.#folder, this.#actions] = [folder, actions];
    this.#observer = new IntersectionObserver((seen) => this.#scrolled(seen), { rootMargin: "400px" });
    byId("find").oninput = () => this.#filter();
    byId("order").onchange = () => this.#sort();
  }

  /** List the folder, and show the files that the keys of a worker open; the worker is only for this. */
  async unlock(calls) {
    this.clear();
    this.calls = calls;
    const run = this.#run;
    const { files, left } = await this.#folder.list();
    if (run !== this.#run) return;
    this.#files = new Map(files.map(([number, path, size]) => [path, { number, size }]));
    for (const [number, path, size, time] of files) {
      if (PICTURE.test(path)) this.#entries.push({ number, path, name: path.split("/").at(-1), size, time, state: "new" });
    }
    for (const entry of this.#entries) this.#addCard(entry);
    byId("shelf-left").replaceChildren(...left.map((text) => element("li", {}, `Left out: ${text}`)));
    byId("shelf").hidden = false;
    byId("shelf-title").focus();
    this.#sort();
    this.#waiting = this.#sorted().reverse();
    await Promise.all(Array.from({ length: FILES_AT_ONCE }, () => this.#work(run)));
    if (calls.ended) return calls.call(); // which says why
    if (run === this.#run) this.#sort();
  }

  /** Forget all files, and what is shown of them. */
  clear() {
    this.#run++;
    this.calls?.end();
    this.#observer.disconnect();
    this.#entries = [];
    this.#waiting = [];
    byId("shelf").hidden = true;
    empty(byId("shelf-cards"));
  }

  #addCard(entry) {
    const well = element("span", { className: "well", ariaHidden: true }, getEnding(entry.name));
    const title = element("span", { className: "title" }, entry.name);
    const note = element("span", { className: "note" }, "...");
    const button = makeButton("", () => this.#open(entry));
    button.append(well, title, note);
    entry.card = element("li", {}, button);
    entry.card.entry = entry;
    Object.assign(entry, { well, title, note });
    this.#observer.observe(entry.card);
  }

  /** Make previews only for cards in view. */
  #scrolled(seen) {
    for (const { target, isIntersecting } of seen) {
      const { entry } = target;
      entry.inView = isIntersecting;
      if (isIntersecting && !entry.pictured) this.#soon(entry);
      if (!isIntersecting && entry.pictured) {
        empty(entry.well).append(getEnding(entry.name));
        entry.pictured = false;
      }
    }
  }

  /** Look at a card next. */
  #soon(entry) {
    const idle = this.#waiting.length === 0;
    this.#waiting.push(entry);
    if (idle) this.#work(this.#run);
  }

  async #work(run) {
    const goesOn = () => run === this.#run && !this.calls.ended && !this.#folder.isOver;
    for (let entry; goesOn() && (entry = this.#waiting.pop()); ) {
      if (entry.busy || (entry.state !== "new" && !entry.inView)) continue;
      entry.busy = true;
      try {
        await this.#look(entry, run);
      } catch {
        if (goesOn()) this.#settle(entry, "damaged");
      }
      entry.busy = false;
      if (this.#waiting.length % 64 === 0) this.#say();
    }
    if (run === this.#run) this.#say();
  }

  async #look(entry, run) {
    const [beside, layers] = this.#sidecars(entry);
    let header = beside ? (await readBlob(await this.#folder.read(beside.number, 0, MOST_HEADER))).subarray(0, -1) : null;
    let covered = Boolean(layers);
    if (header === null && !covered) {
      const found = await scoutFile(entry.size, async (first, end) => readBlob(await this.#folder.read(entry.number, first, end)));
      if (run !== this.#run) return;
      if (found === null) return this.#settle(entry, "plain");
      ({ header, covered } = found);
    }
    if (header === null) {
      const details = covered ? "covered areas" : "scrambled";
      return this.#settle(entry, "open", { details, preview: await this.#asItIs(entry) });
    }
    const sealed = await this.calls.call("peek", { header });
    if (run !== this.#run) return;
    if (sealed === null) return this.#settle(entry, "closed");
    const { file, shape, preview } = sealed;
    if (file) {
      entry.name = safeName(file.name, entry.name);
      if (file.time) entry.time = Number(BigInt(file.time) / 1000000n);
      entry.type = file.type;
    }
    const details = file ? formatSize(file.size) : `${shape[1]} \u00d7 ${shape[0]} pixels`;
    this.#settle(entry, "open", { details, preview });
  }

  /** The sidecars of a file, each of which may be missing. */
  #sidecars({ path }) {
    return SIDECARS.map((end) => this.#files.get(path + end));
  }

  /** A covered picture is its own preview, unless it is large and would take long to show. */
  #asItIs(entry) {
    return entry.inView && entry.size < 2 ** 23 ? this.#folder.read(entry.number) : null;
  }

  /** Show the card of a file with its details; a file that does not open has no card. */
  #settle(entry, state, { details = "", preview = null } = {}) {
    entry.state = state;
    entry.card.hidden = state !== "open";
    if (state !== "open") return;
    const folder = entry.path.slice(0, -entry.path.split("/").at(-1).length - 1);
    const lines = [formatTime(entry.time), details, folder && `in ${folder}`].filter(Boolean);
    entry.title.textContent = entry.name;
    if (!entry.pictured) entry.well.textContent = getEnding(entry.name);
    entry.note.textContent = lines.join(" \u00b7 ");
    entry.text = searchable(`${entry.name} ${entry.type ?? ""} ${lines.join(" ")}`);
    if (preview && entry.inView && !entry.pictured) {
      const picture = element("img", { src: makeAddress(preview, preview.type || "image/webp"), alt: "" });
      empty(entry.well).append(picture);
      entry.pictured = true;
    }
    this.#hide(entry, this.#words());
  }

  #words() {
    return searchable(byId("find").value).split(/\s+/);
  }

  #hide(entry, words) {
    entry.card.hidden = entry.state !== "open" || !words.every((word) => entry.text.includes(word));
  }

  #filter() {
    const words = this.#words();
    for (const entry of this.#entries) this.#hide(entry, words);
    this.#say();
  }

  #sorted() {
    return [...this.#entries].sort((a, b) => ORDERS[byId("order").value](a, b) || byName.compare(a.path, b.path));
  }

  #sort() {
    const [list, sorted] = [byId("shelf-cards"), this.#sorted()];
    this.#entries = sorted;
    if (sorted.some(({ card }, i) => card !== list.children[i])) list.append(...sorted.map(({ card }) => card));
    this.#say();
  }

  /** Show the numbers of visible, closed, damaged and unread files. */
  #say() {
    const count = (state) => this.#entries.filter((entry) => entry.state === state).length;
    const [open, closed, damaged, fresh] = ["open", "closed", "damaged", "new"].map(count);
    const visible = this.#entries.filter(({ card, state }) => state === "open" && !card.hidden).length;
    const parts = [visible === open ? `${open} files` : `${visible} of ${open} files`];
    if (closed) parts.push(`${closed} of another key`);
    if (damaged) parts.push(`${damaged} damaged or of another version`);
    if (fresh) parts.push(`${fresh} not read yet`);
    byId("shelf-count").textContent = parts.join("; ");
  }

  /** Open a file in the viewer, between the others that are shown. */
  #open(entry) {
    const shown = this.#entries.filter(({ state, card }) => state === "open" && !card.hidden);
    return openViewer(shown.length, shown.indexOf(entry), (index) => this.#decrypted(shown[index]), this.#actions);
  }

  async #decrypted(entry) {
    const name = entry.path.split("/").at(-1);
    const [beside = null] = this.#sidecars(entry).filter(Boolean);
    if (Math.max(entry.size, beside?.size ?? 0) > MOST_OPENED) throw new CallError("the file is larger than 256 MiB; use the command line");
    const file = new File([await this.#folder.read(entry.number)], name);
    const sidecar = beside && new File([await this.#folder.read(beside.number)], "sidecar");
    const result = await this.calls.call("decryptFile", { file, sidecar });
    const made = result.name ?? `${originalName(name)}.${result.ending ?? "restored.png"}`;
    return { ...result, name: safeName(made, name) };
  }
}
