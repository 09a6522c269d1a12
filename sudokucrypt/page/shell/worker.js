// The other thread of the page: it alone holds secrets, and calls the engine. Where it could read no
// file, the page itself does what it does.

import { makeIdentity } from "../engine/age.js";
import { Refused, require, sameBytes } from "../engine/bytes.js";
import { decodeFrame, makeEncoder, makePreview } from "../engine/drawing.js";
import { asksPassphrase, checkSize, cover, LIMIT, peek, protect, restore, SampleBudget, scramble } from "../engine/engine.js";
import { cleanName } from "../engine/files.js";
import { lockKeyFile, makeKeyFile, makePassphrase, readSecrets } from "../engine/keys.js";
import { toBlob, openLarge, protectLarge, readFrom, makeSource } from "../engine/large.js";
import { WRONG } from "../engine/pictures.js";
import { compressPng } from "../engine/png_writer.js";
import { makeZip } from "./zip.js";

// Deflating takes longer than all else: large pictures are shown soon, and saved as they are.
const SHORTENED_BELOW = 4 * 2 ** 20;

const held = { secrets: [], recipients: [], budget: new SampleBudget() };

async function readBytes(file) {
  checkSize(file.size);
  return readFrom(makeSource(file), 0, file.size);
}

/** The keys that were given; a passphrase that unlocks one of them is no other. */
async function loadSecrets({ keyTexts, passphrase, folded = null, others = [], isNew }, report) {
  const secrets = await readSecrets(keyTexts, passphrase, report, folded);
  const unlocking = secrets.some(({ locked }) => locked);
  if (passphrase !== null && !unlocking) secrets.push(makePassphrase(passphrase, folded));
  secrets.push(...others.map((texts) => makePassphrase(...texts)));
  require(!isNew || secrets.length < 2, "encrypt with one key or passphrase, not with several");
  return secrets;
}

async function useSecret(entered, report) {
  Object.assign(held, { secrets: [], recipients: entered.recipients, budget: new SampleBudget() });
  held.secrets = await loadSecrets(entered, report);
}

const previewBlob = ({ preview }) => preview && new Blob([preview], { type: "image/webp" });

async function decryptFile({ file, sidecar }, report) {
  const header = sidecar === null ? null : await readBytes(sidecar);
  const large = file.size > LIMIT ? await openLarge(makeSource(file), header, held.secrets, report) : null;
  if (large) {
    const { name, type, time, notes } = large;
    const blob = await toBlob((write) => large.writeTo(write, report));
    return { name, type, time, notes, preview: previewBlob(large), blob };
  }
  const result = await restore(await readBytes(file), header, held.secrets, report, held.budget);
  const short = result.picture && result.bytes.length < SHORTENED_BELOW;
  const bytes = short ? await compressPng(result.bytes) : result.bytes;
  // A Blob, so that the page shows and saves it without another copy.
  return { ...result, bytes: null, preview: previewBlob(result), blob: new Blob([bytes]) };
}

const savedAs = ({ name, bytes }) => ({ name, blob: new Blob([bytes]) });

/** Refuse what does not decrypt again. */
const checkSame = (same) => require(same, "the result does not decrypt to the same file, so it was dropped");

/** Encrypt, and open the result again before anybody relies on it. */
async function encryptFile({ file, pad }, report) {
  const about = { name: file.name, type: file.type, time: BigInt(file.lastModified) * 1000000n };
  const [secret = null] = held.secrets;
  if (file.size > LIMIT) return encryptLarge({ ...about, ...makeSource(file) }, secret, pad, report);
  const bytes = await readBytes(file);
  const preview = await makePreview(bytes.length, await makeEncoder(bytes));
  const options = { pad, preview, recipients: held.recipients };
  const made = await protect({ ...about, bytes }, secret, options, report);
  const again = await restore(made.bytes, null, [secret ?? made.secret], report);
  checkSame(again.name === cleanName(file.name) && sameBytes(again.bytes, bytes));
  return savedAs(made);
}

async function encryptLarge(source, secret, pad, report) {
  let made;
  const blob = await toBlob(async (write) => {
    made = await protectLarge(source, secret, { pad, recipients: held.recipients }, write, report);
  });
  const { name, size, digests } = await openLarge(makeSource(blob), null, [secret ?? made.secret], report);
  const whole = name === cleanName(source.name) && size === source.size;
  checkSame(whole && digests.every((digest, i) => sameBytes(digest, made.digests[i])));
  return { name: made.name, blob };
}

/** Scramble a picture, and restore the result before anybody relies on it. */
async function scrambleFile({ file }, report) {
  const [secret = null] = held.secrets;
  const source = { name: file.name, bytes: await readBytes(file) };
  const made = await scramble(source, secret, { recipients: held.recipients }, report);
  await restore(made.bytes, null, [secret ?? made.secret], report);
  return savedAs(made);
}

/** Cover areas, and lift all covers of the result before anybody relies on it. */
async function coverFile({ file, layers, style }, report) {
  const source = { name: file.name, bytes: await readBytes(file) };
  const keyed = [];
  for (const layer of layers) {
    const [secret = null] = layer.permanent ? [] : await loadSecrets({ ...layer, isNew: true }, report);
    keyed.push({ ...layer, secret, recipients: layer.recipients ?? [] });
  }
  const made = await cover(source, keyed, { cover: style, decode: decodeFrame }, report);
  if (made.secrets.length > 0) {
    const again = await restore(made.bytes, null, made.secrets, report);
    require(sameBytes(again.bytes, made.lifted), "the covers of the result do not lift, so it was dropped");
  }
  return savedAs(made);
}

/** What is sealed in a header, or null where no key opens it. */
async function peekHeader({ header }, report) {
  const sealed = await peek(header, held.secrets, report);
  return sealed && { ...sealed, preview: previewBlob(sealed) };
}

/** What to look at where a passphrase is wrong that begins or ends with a space. */
function spaceAtEnd() {
  const text = held.secrets.find(({ kind }) => kind === "passphrase")?.text ?? "";
  if (text.trim() === text) return "";
  return `; a space stands at the ${text.trimStart() === text ? "end" : "start"} of the passphrase`;
}

const calls = {
  /** Whether blobs can be read here: WebKit reads none in a worker of a page that is a file. */
  reads: (blob) => blob.arrayBuffer().then(() => true, () => false),
  peek: peekHeader,
  scrambleFile,
  coverFile,
  lockKey: ({ text, passphrase }, report) => lockKeyFile(text, passphrase, report),
  useSecret,
  decryptFile,
  encryptFile,
  asksPassphrase: async (file) => asksPassphrase(await readBytes(file)),
  newKey: () => makeKeyFile(),
  makeIdentity,
  zip: ({ entries }) => makeZip(entries),
};

function toMessage(error) {
  if (error.message === WRONG) return error.message + spaceAtEnd();
  if (error instanceof Refused) return error.message;
  if (error instanceof RangeError) return "there is not enough memory";
  return `unexpected ${error.name}`;
}

async function answer({ id, call, argument }, post) {
  const report = (...step) => post({ id, report: step });
  try {
    post({ id, result: await calls[call](argument, report) });
  } catch (error) {
    post({ id, error: toMessage(error) });
  }
}

let last = Promise.resolve(); // the last call, from any caller

/** What does the work of a worker in the page, which then waits for it. */
export class PageWorker {
  #ended = false;

  /** Take a call; it is answered after those before it. */
  postMessage(data) {
    const post = (message) => {
      if (this.#ended) throw new Error(); // it ends what is going on
      this.onmessage({ data: message });
      return new Promise((done) => setTimeout(done)); // the page shows it
    };
    last = last.then(() => this.#ended || answer(data, post)).catch(() => {});
  }

  /** Answer nothing more, and forget the secrets once what is going on has ended. */
  terminate() {
    this.#ended = true;
    last = last.then(() => Object.assign(held, { secrets: [], recipients: [] }));
  }
}

/** Answer calls, one after the other as they come. */
export function worker() {
  const inner = new PageWorker();
  inner.onmessage = ({ data }) => self.postMessage(data);
  self.onmessage = ({ data }) => inner.postMessage(data);
}
