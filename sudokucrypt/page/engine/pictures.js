// The schemes, for pictures of any frames (scrambling 7, encryption 2 and 3, pictures 1 to 4).
// A frame is {shape, dtype, data}: samples in C order, each lowest byte first.

import { readAge, writeAge } from "./age.js";
import { toBech32 } from "./bech32.js";
import { ascii, base64, concat, hex, le64, Refused, require, sameBytes, unbase64, unhex, utf8 } from "./bytes.js";
import { mask, Words } from "./chacha20.js";
import { readDescription } from "./description.js";
import { fileOfFrame } from "./files.js";
import { keyId, pictureKey, subkey } from "./hashing.js";
import { derivedKey, secretOfLine } from "./keys.js";
import { extrasOf, readHeader, SAMPLE_BYTES, writeHeader } from "./header.js";
import { checkSuits } from "./meaning.js";
import { changingPixels, selectionOf } from "./selection.js";
import { chunkDigests, isSealed, sealOf, syntheticSalt, tagOf, withMaskedExtras } from "./tags.js";
import { defaultRounds, groupSizes, moveUnits, rowsColumnsChannels } from "./units.js";

/** One message for all refusals that depend on the key: which step refused is nobody's business. */
export const WRONG = "the key or passphrase is wrong, or the file was altered";

const inFrame = (use, number) => (number === 0 ? use : `${use}/frame/${number}`);

/** Refuse frames whose bytes do not fit their shape and type. */
function checkSamples(frames) {
  for (const { shape, dtype, data } of frames) {
    const samples = shape.reduce((a, b) => a * b, 1);
    require(data.length === samples * SAMPLE_BYTES.get(dtype), "the samples do not fit the shape");
    require(dtype !== "bool" || data.every((byte) => byte < 2), "a boolean is one byte, 0 or 1");
  }
}

const sameList = (a, b) => a.length === b.length && a.every((x, i) => x === b[i]);

/** The description in plain extras, if it suits the header and the frames; null without extras. */
function describedBy(fields, frames) {
  const [first] = frames;
  const fits = sameList(first.shape, fields.shape) && first.dtype === fields.dtype;
  require(fits, "the picture has another shape or type than the header says");
  const extras = extrasOf(fields);
  require(extras !== null || frames.length === 1, "several frames have no description");
  if (extras === null) return null;
  const description = readDescription(extras);
  checkSuits(description, fields);
  const described = description.frames;
  const same = described.length === frames.length && described.every(
    ({ shape, dtype }, i) => sameList(shape, frames[i].shape) && dtype === frames[i].dtype,
  );
  require(same, "the frames are others than described");
  return description;
}

/** Which pixels of each frame change; null where all do. */
function changing(fields, frames, description) {
  const sizes = frames.map(({ shape }) => rowsColumnsChannels(shape));
  const { rows, columns } = description?.animation ?? { rows: sizes[0][0], columns: sizes[0][1] };
  const selected = selectionOf(fields, rows, columns);
  return sizes.map((size, i) => {
    if (selected === null) return null;
    return changingPixels(selected, [rows, columns], size, description?.frames[i].place ?? [0, 0]);
  });
}

/** Default rounds of frames of which some pixels change. */
export function roundsOf(frames, pixels, unit, blockSize) {
  const counts = frames.flatMap(({ shape }, i) => {
    if (pixels[i] === null) return [...groupSizes(shape, unit, blockSize).values()];
    const [, , channels] = rowsColumnsChannels(shape);
    const row = [1, pixels[i].length, channels];
    return pixels[i].length ? [...groupSizes(row, unit, blockSize).values()] : [];
  });
  return defaultRounds(counts);
}

/** What the streams of a picture come from: a picture key and tag, or a master key and a text. */
class Streams {
  constructor(fields, key, nonce) {
    Object.assign(this, { fields, key, nonce });
  }

  async words(group, shape, number) {
    const context = this.fields.scheme === "scramble-context-v1";
    const use = `${context ? "master/context" : "picture/permutation"}${group === "main" ? "" : `/${group}`}`;
    const nonce = context ? this.#bound(shape) : this.nonce;
    return new Words(await subkey(this.key, inFrame(use, number), nonce));
  }

  keyStream(number) {
    return subkey(this.key, inFrame("picture/keystream", number), this.nonce);
  }

  #bound(shape) {
    const { block_size: size = 0, rounds, unit } = this.fields;
    const numbers = [...rowsColumnsChannels(shape), size, rounds].map(le64);
    return concat([...numbers, utf8(unit), new Uint8Array(1), this.nonce]);
  }
}

/** Protect or restore one frame; its samples may be used up. @returns {Promise<Uint8Array>} */
async function changed(frame, number, pixels, bits, streams, undo, report) {
  const { fields } = streams;
  const sampleBytes = SAMPLE_BYTES.get(frame.dtype);
  const [, , channels] = rowsColumnsChannels(frame.shape);
  const size = sampleBytes * channels;
  const shape = pixels === null ? frame.shape : [1, pixels.length, channels];
  if (pixels?.length === 0) return frame.data;
  // Selected pixels are an image of one row.
  const part = pixels === null ? frame.data : gathered(frame.data, pixels, size);
  const masked = async () => {
    if (fields.scheme !== "encrypt-v1") return;
    mask(part, await streams.keyStream(number), frame.dtype === "bool" ? 1 : (bits ?? 8));
  };
  if (undo) await masked();
  const header = { unit: fields.unit, blockSize: fields.block_size, rounds: fields.rounds };
  const wordsOf = (group) => streams.words(group, shape, number);
  await moveUnits(part, shape, sampleBytes, header, wordsOf, undo, report);
  if (!undo) await masked();
  if (pixels !== null) pixels.forEach((pixel, i) => {
    frame.data.set(part.subarray(i * size, i * size + size), pixel * size);
  });
  return frame.data;
}

function gathered(data, pixels, size) {
  const part = new Uint8Array(pixels.length * size);
  pixels.forEach((pixel, i) => part.set(data.subarray(pixel * size, pixel * size + size), i * size));
  return part;
}

async function allChanged(frames, pixels, description, streams, undo, report) {
  for (const [i, frame] of frames.entries()) {
    const bits = description?.frames[i].bits;
    frame.data = await changed(frame, i, pixels[i], bits, streams, undo, report);
  }
}

/** The bytes of a text in form C. */
export function textBytes(text, name) {
  require(text !== "" && !/\p{Surrogate}/u.test(text), `the ${name} is empty or no Unicode text`);
  return utf8(text.normalize("NFC"));
}

/** The master key that a secret gives, if it is that of the header. */
async function masterKey(fields, secret, report) {
  const phrase = secret.kind === "passphrase";
  const master = phrase ? await derivedKey(fields.kdf, secret.text, report) : secret.bytes;
  require((await keyId(master)) === fields.key_id, WRONG);
  return master;
}

/** The picture key that a secret gives, after the seal of the header was found to be its own. */
export async function openHeader(fields, secret, report = () => {}) {
  require(fields.scheme !== "scramble-context-v1", "the header asks for a context");
  require(secret.kind !== "passphrase" || "kdf" in fields, WRONG);
  const key = await keyOfSecret(fields, secret, report);
  require(await isSealed(fields, key), WRONG);
  return key;
}

async function keyOfSecret(fields, secret, report) {
  if (secret.kind === "picture") return secret.bytes;
  if (secret.kind === "identity") return keyForIdentity(fields, secret);
  return pictureKey(await masterKey(fields, secret, report), unhex(fields.salt));
}

/** The picture key in the list of recipients, whose payload is its text and a line feed. */
async function keyForIdentity({ recipients }, { identities }) {
  require(recipients !== undefined, WRONG);
  for (const identity of identities) {
    const payload = await readAge(unbase64(recipients), identity);
    if (payload === null) continue;
    const secret = secretOfLine(ascii(payload.subarray(0, -1)));
    require(payload.at(-1) === 10 && secret.kind === "picture", WRONG);
    return secret.bytes;
  }
  throw new Refused(WRONG);
}

/**
 * Restore frames by a header that was opened with a picture key. Their samples are used up.
 * @returns {Promise<object|null>} the description
 */
export async function restoreFrames(frames, fields, key, report = () => {}) {
  checkSamples(frames);
  const tag = unhex(fields.tag);
  const plain = await withMaskedExtras(fields, key, tag);
  const description = describedBy(plain, frames);
  const pixels = changing(fields, frames, description);
  const streams = new Streams(fields, key, tag);
  await allChanged(frames, pixels, description, streams, true, (...done) => report("restore", ...done));
  const digests = await chunkDigests(frames, (...done) => report("verify", ...done));
  const authentic = sameBytes(await tagOf(plain, digests, key), tag);
  // Nobody sees samples that are not authentic.
  if (!authentic) for (const frame of frames) frame.data.fill(0);
  require(authentic, WRONG);
  if (description?.file) fileOfFrame(frames[0], description.file.size);
  return description;
}

/** Restore frames that a context scrambled, by a header or, with null, by the usual options. */
export async function restoreByContext(frames, fields, master, context) {
  const nonce = textBytes(context, "context");
  const id = await keyId(master);
  const usual = () => ({
    scheme: "scramble-context-v1",
    unit: "pixel",
    rounds: roundsOf(frames, frames.map(() => null), "pixel"),
    shape: frames[0].shape,
    dtype: frames[0].dtype,
    key_id: id,
  });
  const known = fields ?? usual();
  require(known.scheme === "scramble-context-v1" && known.key_id === id, WRONG);
  require(fields !== null || frames.length === 1, "several frames have no header");
  checkSamples(frames);
  const description = describedBy(known, frames);
  const pixels = changing(known, frames, description);
  await allChanged(frames, pixels, description, new Streams(known, master, nonce), true, () => {});
  return description;
}

/**
 * Protect frames, whose samples are used up. The fields have plain extras, perhaps no rounds, and
 * perhaps no salt for a deterministic one; the options are the context of `scramble-context-v1` and
 * the recipients that the picture is for.
 * @returns {Promise<Uint8Array>} the header
 */
export async function protectFrames(frames, draft, master, options = {}, report = () => {}) {
  const { context = null, recipients = [] } = options;
  checkSamples(frames);
  const description = describedBy(draft, frames);
  const pixels = changing(draft, frames, description);
  const rounds = draft.rounds ?? roundsOf(frames, pixels, draft.unit, draft.block_size);
  let fields = { ...draft, rounds, key_id: await keyId(master) };
  if (context !== null) {
    const streams = new Streams(fields, master, textBytes(context, "context"));
    await allChanged(frames, pixels, description, streams, false, () => {});
    return writeHeader(fields);
  }
  // The tag is of the plain picture, so it comes first: every stream depends on it.
  const digests = await chunkDigests(frames, (...done) => report("digest", ...done));
  fields.salt ??= await syntheticSalt(fields, digests, master);
  const key = await pictureKey(master, unhex(fields.salt));
  if (recipients.length) {
    const text = `${toBech32("sudokucrypt-picture-key-", key).toUpperCase()}\n`;
    fields.recipients = base64(await writeAge(utf8(text), recipients));
  }
  const tag = await tagOf(fields, digests, key);
  const streams = new Streams(fields, key, tag);
  await allChanged(frames, pixels, description, streams, false, (...done) => report("protect", ...done));
  fields = { ...(await withMaskedExtras(fields, key, tag)), tag: hex(tag) };
  const header = writeHeader({ ...fields, seal: hex(await sealOf(fields, key)) });
  readHeader(header); // it has the one form that readers accept
  return header;
}
