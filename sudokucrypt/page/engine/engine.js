// All operations of the page on whole files. They take bytes and secrets, return bytes, and
// throw `Refused` for unsupported or invalid input:
//
//   asksPassphrase  whether a passphrase opens a file
//   restore         decrypt, unscramble (PNG, and JPEG that stays JPEG), and lift layers
//   protect         encrypt a file of any kind
//   scramble        scramble a JPEG, which stays one, or a PNG
//   cover           cover areas of a picture, in layers that keys lift
//
// Secrets come from `readSecrets` (texts of keys, identities and shares), `makePassphrase` and
// `makeKeyFile` in keys.js, and from `makeIdentity` in age.js; `makePreview`, `makeEncoder` and
// `decodeFrame` in drawing.js need a browser: they make previews, and decode pictures of other kinds.

import { parseRecipient } from "./age.js";
import { hex, occursIn, randomBytes, Refused, refuseOld, require, startsWith, unhex, utf8 } from "./bytes.js";
import { writeDescription } from "./description.js";
import { wrapFile } from "./files.js";
import { pictureKey } from "./hashing.js";
import { isJpeg } from "./jpeg_file.js";
import { findJpegHeader, protectJpeg, restoreJpeg } from "./jpeg_scramble.js";
import { CONTEXT, HEADER_START, readHeader, SEGMENT_BYTES, addExtras } from "./header.js";
import { deriveNewKey } from "./keys.js";
import { readPngMetadata } from "./manner.js";
import { isTiff } from "./orientation.js";
import { openHeader, protectFrame, restoreFrame, decryptExtras, WRONG } from "./pictures.js";
import { countSampleBytes, findPngHeader, isAnimated, isPng, readChunks, readPng, showFrame } from "./png_reader.js";
import { MODES, writePlain, protectPng } from "./png_writer.js";
import { redact, attachPackage } from "./redact.js";
import { lift, findPackage } from "./redaction.js";
import { readRows, scale, removeCaption, addRows } from "./rows.js";

/** Most bytes of a file, and of its samples, that the page takes. */
export const LIMIT = 256 * 2 ** 20;
const MOST_ROUNDS = 16; // unless the command line allows more
const NO_HEADER = "this picture is not protected, or it was converted or resized; robust pictures are restored on the command line";
const NOT_SCRAMBLED = "the page scrambles JPEG and PNG pictures; encrypt the file, or use the command line";
const COMMAND_LINE = "the page does not restore this kind; use the command line";

const REDACTION_START = utf8('{"redaction":');
/** Media types and suffixes of restored files of a redaction, by their first bytes. */
const TYPES = [
  ["image/png", ".png", 0x89, 0x50],
  ["image/jpeg", ".jpg", 0xff, 0xd8],
  ["image/webp", ".webp", 0x52, 0x49, 0x46, 0x46],
  ["image/gif", ".gif", 0x47, 0x49, 0x46],
  ["image/tiff", ".tif", 0x49, 0x49],
  ["image/tiff", ".tif", 0x4d, 0x4d],
  ["application/octet-stream", ""],
];

/** Refuse a file with more bytes than the page can process at once. */
export function checkSize(size) {
  require(size <= LIMIT, "the file is larger than 256 MiB; use the command line");
}

const findType = (bytes) => TYPES.find(([, , ...start]) => startsWith(bytes, start));

function readSidecarHeader(sidecar) {
  require(sidecar.at(-1) === 10, "a sidecar ends with a line feed");
  return sidecar.subarray(0, -1);
}

/** Refuse a result that earlier versions wrote into another kind of file. */
function refuseOldFile(bytes) {
  const kinds = [["a GIF result", "GIF8", 0], ["a WebP result", "WEBP", 8]];
  const headed = kinds.find(([, start, at]) => startsWith(bytes.subarray(at), utf8(start)))?.[0];
  if (headed && occursIn(bytes, HEADER_START)) refuseOld(headed); // a TIFF of one page may contain a header
  const redacted = headed ?? (isTiff(bytes) && "a TIFF result");
  if (redacted && occursIn(bytes, REDACTION_START)) refuseOld(redacted);
}

/**
 * The bytes of samples that may be read in one run before a key fits: a header in rows is found
 * after them, in each file and layer, which an attacker may have made. What a key opens does not count.
 */
export class SampleBudget {
  #left = 2 * LIMIT;

  take(bytes) {
    require(bytes <= this.#left, "this file and others before it, which no key opened, take long to read: open it alone");
    this.#left -= bytes;
  }

  giveBack(bytes) {
    this.#left += bytes;
  }
}

/** The chunks of a protected PNG or null for a JPEG, and the header, or null if it may be in header rows. */
export function findHeader(bytes, sidecar) {
  checkSize(bytes.length);
  refuseOldFile(bytes);
  const jpeg = isJpeg(bytes);
  require(!startsWith(bytes, utf8("PK")), "unpack the zip first");
  const [type, ending] = findType(bytes);
  const kind = ending && `, but ${type}`;
  require(jpeg || isPng(bytes), `${COMMAND_LINE}: it is no PNG or JPEG${kind}`);
  const chunks = jpeg ? null : readChunks(bytes);
  const within = jpeg ? findJpegHeader(bytes) : findPngHeader(chunks);
  return { chunks, header: sidecar === null ? within : readSidecarHeader(sidecar) };
}

/** Refuse a picture with two headers that differ. */
export function checkSameHeader(same) {
  require(same, "the header in the picture is another than the one below it");
}

/** The picture without header rows, and the header in them or null. */
async function removeRows(chunks, header, limit = LIMIT) {
  require(chunks !== null, header === null ? NO_HEADER : "this is not the picture that was protected: a program stored it as a JPEG");
  if (header !== null && isAnimated(chunks)) refuseOld("an animation");
  const picture = await readPng(chunks, limit);
  const read = await readRows(scale(picture));
  if (read === null) return { frame: picture.frame, header };
  const same = header === null || hex(read.header) === hex(header);
  checkSameHeader(same);
  return { frame: read.frame, header: read.header };
}

/** Whether a passphrase opens a protected file. */
export async function asksPassphrase(bytes) {
  const { chunks, header } = findHeader(bytes, null);
  const read = header ?? (await removeRows(chunks, null)).header;
  require(read !== null, NO_HEADER);
  return "kdf" in readHeader(read);
}

/** Return null for the error that no key fits; throw other errors again. */
function nullIfWrong(error) {
  if (error instanceof Refused && error.message === WRONG) return null;
  throw error;
}

/** The picture key that the first fitting secret gives. */
async function findKey(fields, secrets, report) {
  const costs = ({ kind }) => kind === "passphrase";
  // Cheap secrets first, as one that fits makes further derivations needless.
  for (const secret of secrets.toSorted((a, b) => costs(a) - costs(b))) {
    const key = await openHeader(fields, secret, report).catch(nullIfWrong);
    if (key !== null) return key;
  }
  throw new Refused(WRONG);
}

/**
 * Restore a protected file with the first secret that fits.
 * @param {(stage: string, done: number, total: number) => void} report
 * @param {SampleBudget} budget one for all files of a run
 */
export async function restore(bytes, sidecar, secrets, report = () => {}, budget = new SampleBudget()) {
  const beside = sidecar !== null && startsWith(sidecar, REDACTION_START) ? sidecar : null;
  const layers = beside ?? findPackage(bytes);
  if (layers !== null) return liftLayers(bytes, layers, secrets, report, budget);
  return restoreOne(bytes, sidecar, secrets, report, budget, LIMIT);
}

/** The default facts about a restored file. */
const RESTORED = { name: null, time: null, picture: false, preview: null, notes: [] };

/** The facts about a restored file whose description has these. */
export function describeRestored({ name, type = "application/octet-stream", time = null }) {
  return { ...RESTORED, name, type, time: time && BigInt(time) };
}

/** Restore a file that is not redacted, with at most `limit` bytes of samples. */
async function restoreOne(bytes, sidecar, secrets, report, budget, limit) {
  const { chunks, header } = findHeader(bytes, sidecar);
  // The header is authenticated before samples are decoded, unless it is in header rows.
  const early = header === null ? null : await opened(header, secrets, report);
  if (early?.fields.scheme === "scramble-jpeg-v1") {
    const plain = await restoreJpeg(bytes, early.fields, early.key, report);
    return { ...RESTORED, type: "image/jpeg", ending: "restored.jpg", bytes: plain };
  }
  const size = early === null && chunks !== null ? countSampleBytes(chunks) : 0;
  budget.take(size);
  const picture = await removeRows(chunks, header, limit);
  require(picture.header !== null, NO_HEADER);
  const { fields, key } = early ?? (await opened(picture.header, secrets, report));
  budget.giveBack(size);
  const encrypted = fields.scheme === "encrypt-v1";
  const frame = encrypted ? removeCaption(picture.frame, fields.shape) : picture.frame;
  const description = await restoreFrame(frame, fields, key, report);
  const { file, preview = null } = description ?? {};
  if (file) {
    return { ...describeRestored(file), bytes: frame.data.subarray(0, file.size), preview };
  }
  const plain = writePlain(frame, description?.frames[0]);
  return { ...RESTORED, type: "image/png", bytes: plain, picture: true, preview };
}

/** Lift all layers of a redacted picture that the secrets open. */
async function liftLayers(bytes, layers, secrets, report, budget) {
  const open = async (layer, others) => {
    // A layer is a file of noise, which is stored without compression.
    const content = await restoreOne(layer, null, others ?? secrets, report, budget, layer.length).catch(nullIfWrong);
    return content?.name ? content.bytes : null;
  };
  const result = await lift(bytes, layers, LIMIT, open, attachPackage);
  require(result.bytes !== null, "the key or passphrase lifts no layer of this picture");
  const [type, ending] = findType(result.bytes);
  const covered = result.layers - result.lifted.length;
  const notes = [`lifted: ${result.lifted.join(", ")}`];
  if (covered > 0) notes.push(`${covered} of ${result.layers} layers stay covered; keep the redacted file`);
  if (covered > 0 && result.version === 1) {
    notes.push("a file of version 1: anyone may have changed its orientation and colors");
  }
  return { ...RESTORED, ending: `unredacted${ending}`, type, bytes: result.bytes, notes };
}

/** The fields of a header, and the picture key that the first fitting secret gives. */
export async function opened(header, secrets, report) {
  const fields = readHeader(header);
  if (fields.scheme === CONTEXT) refuseOld("a context");
  require(fields.rounds <= MOST_ROUNDS, `the header asks for ${fields.rounds} rounds, more than the ${MOST_ROUNDS} that are allowed`);
  return { fields, key: await findKey(fields, secrets, report) };
}

/**
 * The encrypted extras of a header, without its picture; null if no secret opens it.
 * @returns {Promise<{shape: number[], file: ?object, preview: ?Uint8Array}|null>}
 */
export async function peek(header, secrets, report = () => {}) {
  const fields = readHeader(header);
  const key = await findKey(fields, secrets, report).catch(nullIfWrong);
  if (key === null) return null;
  const { file = null, preview = null } = (await decryptExtras(fields, key)) ?? {};
  return { shape: fields.shape, file, preview };
}

/** The name that the command line gives the encrypted file. */
export function protectName(name) {
  return `${name}.encrypted.png`;
}

/**
 * A draft of a header with a fresh salt, the master key of a secret, or a random one, and the keys of
 * recipients.
 */
export async function makeDraft(secret, recipients, report) {
  const possible = secret === null ? recipients.length > 0 : ["key", "passphrase"].includes(secret.kind);
  require(possible, "a picture is protected with a key or a passphrase, or for recipients");
  const [draft, keys] = [{ salt: hex(randomBytes(16)) }, recipients.map(parseRecipient)];
  // Without a secret, the picture gets a random key that is not stored.
  if (secret?.kind !== "passphrase") return { draft, keys, master: secret?.bytes ?? randomBytes(32) };
  const { kdf, master } = await deriveNewKey(secret, report);
  return { draft: { ...draft, kdf }, keys, master };
}

/** The secret that opens one picture only. */
export async function makeOwnSecret({ draft, master }) {
  return { kind: "picture", bytes: await pictureKey(master, unhex(draft.salt)) };
}

/** Encrypt a file as a frame. @returns {Promise<{frame: object, header: Uint8Array}>} */
async function wrapAndProtect(source, options, start, report) {
  const { frame, description } = wrapFile(source, options);
  const fields = makeFields(start, frame.shape, description);
  return { frame, header: await protectFrame(frame, fields, start.master, start.keys, report) };
}

/**
 * Encrypt a file of any kind with a key or a passphrase, for recipients (texts), or both.
 * @returns {Promise<{name: string, bytes: Uint8Array, secret: object}>} `secret` opens only this file
 */
export async function protect(source, secret, options = {}, report = () => {}) {
  const { pad = false, preview = null, recipients = [] } = options;
  checkSize(source.bytes.length);
  const start = await makeDraft(secret, recipients, report);
  const { frame, header } = await wrapAndProtect(source, { pad, preview }, start, report);
  const bytes = protectPng(await addRows(frame, header), header);
  return { name: protectName(source.name), bytes, secret: await makeOwnSecret(start) };
}

/**
 * Scramble the picture in a JPEG, which stays one and comes back to the byte, or in a PNG.
 * @param {{name: string, bytes: Uint8Array}} source
 * @param {{unit?: "pixel"|"sample"|"block", blockSize?: number, recipients?: string[]}} options the
 *   unit is only for PNG
 * @returns {Promise<{name: string, bytes: Uint8Array, secret: object}>} as `protect` does
 */
export async function scramble(source, secret, options = {}, report = () => {}) {
  const { recipients = [] } = options;
  const { bytes } = source;
  checkSize(bytes.length);
  require(isJpeg(bytes) || isPng(bytes), NOT_SCRAMBLED);
  const start = await makeDraft(secret, recipients, report);
  const made = isJpeg(bytes)
    ? (await protectJpeg(bytes, start.draft, start.master, start.keys, report)).bytes
    : await scramblePng(bytes, start, options, report);
  return { name: `${source.name}.scrambled${isJpeg(bytes) ? ".jpg" : ".png"}`, bytes: made, secret: await makeOwnSecret(start) };
}

/** Scramble the samples of a PNG, and encrypt its metadata. */
async function scramblePng(bytes, { draft, keys, master }, { unit = "pixel", blockSize = 8 }, report) {
  const chunks = readChunks(bytes);
  require(!isAnimated(chunks), "this is an animation, and only one still picture is scrambled; encrypt it as a file");
  const picture = await readPng(chunks, LIMIT);
  const marked = findPngHeader(chunks) ?? (await readRows(scale(picture)))?.header;
  require(!marked, "the picture is protected already");
  const frame = showFrame(picture);
  const metadata = dropNone(await readPngMetadata(chunks));
  const fields = dropNone({
    ...{ sudokucrypt: 1, scheme: "scramble-v1", unit, block_size: unit === "block" ? blockSize : undefined },
    ...{ ...draft, shape: frame.shape, dtype: frame.dtype },
  });
  const described = { shape: frame.shape, dtype: frame.dtype, mode: MODES[(frame.shape[2] ?? 1) - 1], metadata };
  const extras = Object.keys(metadata).length ? writeDescription({ format: "PNG", frames: [described] }) : null;
  const header = await protectFrame(frame, addExtras(fields, extras), master, keys, report);
  return protectPng(await addRows(frame, header), header);
}

/**
 * Cover areas of a JPEG, which stays one, or of another picture, which becomes a PNG.
 * @param {{areas: number[][], name?: string, permanent?: boolean, metadata?: boolean,
 *   secret?: object, recipients?: string[]}[]} layers who lifts them, and what `redact` takes
 * @param {{cover?: string, decode?: (bytes: Uint8Array) => Promise<object>}} options a function that
 *   gives the frame that a picture of another kind shows
 * @returns {Promise<{name: string, bytes: Uint8Array, secrets: object[], lifted: Uint8Array}>} what
 *   secret that opens only this layer, for each layer, and the file that all layers together give
 */
export async function cover(source, layers, options = {}, report = () => {}) {
  checkSize(source.bytes.length);
  const secrets = [];
  const seal = async (content, { key, secret = null, recipients = [] }) => {
    const file = { name: "layer", bytes: content, type: "", time: null };
    const start = await makeDraft(key ? { kind: "key", bytes: key } : secret, recipients, report);
    if (!key) secrets.push(await makeOwnSecret(start));
    const { frame, header } = await wrapAndProtect(file, {}, start, report);
    return protectPng(frame, header);
  };
  const made = await redact(source.bytes, layers, { ...options, limit: LIMIT }, seal);
  return { name: `${source.name}.redacted${isJpeg(made.bytes) ? ".jpg" : ".png"}`, ...made, secrets };
}

/** The fields of the header of a described file that do not depend on a secret. */
export function makeFields({ draft }, shape, description) {
  const segment = shape[0] * shape[1] > SEGMENT_BYTES ? SEGMENT_BYTES : undefined;
  const fields = dropNone({ sudokucrypt: 1, scheme: "encrypt-v1", unit: "pixel", ...draft, segment, shape, dtype: "uint8" });
  return addExtras(fields, writeDescription(description));
}

const dropNone = (fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
