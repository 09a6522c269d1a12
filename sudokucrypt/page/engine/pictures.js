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
import { checkSuits, describes } from "./meaning.js";
import { changingPixels, selectionOf } from "./selection.js";
import { chunkDigests, isSealed, sealOf, syntheticSalt, tagOf, withMaskedExtras } from "./tags.js";
import { defaultRounds, groupSizes, moveUnits, rowsColumnsChannels } from "./units.js";

/** One message for all refusals that depend on the key: which step refused is nobody's business. */
export const WRONG = "the key or passphrase is wrong, or the file was altered";

/** Refuse frames whose bytes do not fit their shape and type. */
function checkSamples(frames) {
  for (const { shape, dtype, data } of frames) {
    const samples = shape.reduce((a, b) => a * b, 1);
    require(data.length === samples * SAMPLE_BYTES.get(dtype), "the samples do not fit the shape");
    require(dtype !== "bool" || data.every((byte) => byte < 2), "a boolean is one byte, 0 or 1");
  }
}

const formOf = ({ shape, dtype }) => `${shape} ${dtype}`;

/** The description in plain extras, if it suits the header and the frames; null without extras. */
function describedBy(fields, frames) {
  const fits = formOf(frames[0]) === formOf(fields);
  require(fits, "the picture has another shape or type than the header says");
  const extras = extrasOf(fields);
  describes(extras !== null || frames.length === 1);
  if (extras === null) return null;
  const description = readDescription(extras);
  checkSuits(description, fields);
  describes(description.frames.map(formOf).join() === frames.map(formOf).join());
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
    const [, , channels] = rowsColumnsChannels(shape);
    if (pixels[i]?.length === 0) return [];
    const part = pixels[i] === null ? shape : [1, pixels[i].length, channels];
    return [...groupSizes(part, unit, blockSize).values()];
  });
  return defaultRounds(counts);
}

/**
 * The streams of a picture: from a picture key, and the tag as nonce, or from a master key and the
 * text of a context.
 */
function streamsOf({ scheme, block_size: size = 0, rounds, unit }, key, nonce) {
  const contextual = scheme === "scramble-context-v1";
  const inFrame = (use, number) => (number === 0 ? use : `${use}/frame/${number}`);
  const bound = (shape) => {
    const numbers = [...rowsColumnsChannels(shape), size, rounds].map(le64);
    return concat([...numbers, utf8(unit), new Uint8Array(1), nonce]);
  };
  const words = async (group, shape, number) => {
    const of = group === "main" ? "" : `/${group}`;
    const use = `${contextual ? "master/context" : "picture/permutation"}${of}`;
    return new Words(await subkey(key, inFrame(use, number), contextual ? bound(shape) : nonce));
  };
  return { words, keyStream: (number) => subkey(key, inFrame("picture/keystream", number), nonce) };
}

/** Protect or restore the frames, whose samples may be used up. */
async function change(frames, fields, description, streams, undo, report = () => {}) {
  const { unit, block_size: blockSize, rounds } = fields;
  const pixels = changing(fields, frames, description);
  for (const [number, frame] of frames.entries()) {
    if (pixels[number]?.length === 0) continue;
    const sampleBytes = SAMPLE_BYTES.get(frame.dtype);
    const [, , channels] = rowsColumnsChannels(frame.shape);
    const size = sampleBytes * channels;
    // Selected pixels are an image of one row.
    const shape = pixels[number] === null ? frame.shape : [1, pixels[number].length, channels];
    const part = pixels[number] === null ? frame.data : picked(frame.data, pixels[number], size);
    const masked = async () => {
      if (fields.scheme !== "encrypt-v1") return;
      const bits = frame.dtype === "bool" ? 1 : (description?.frames[number].bits ?? 8);
      mask(part, await streams.keyStream(number), bits);
    };
    if (undo) await masked();
    const wordsOf = (group) => streams.words(group, shape, number);
    await moveUnits(part, shape, sampleBytes, { unit, blockSize, rounds }, wordsOf, undo, report);
    if (!undo) await masked();
    if (part !== frame.data) put(frame.data, pixels[number], size, part);
  }
}

/** The bytes of some pixels, one behind the other. */
export function picked(data, pixels, size) {
  const part = new Uint8Array(pixels.length * size);
  pixels.forEach((pixel, i) => {
    for (let k = 0; k < size; k++) part[i * size + k] = data[pixel * size + k];
  });
  return part;
}

function put(data, pixels, size, part) {
  pixels.forEach((pixel, i) => data.set(part.subarray(i * size, i * size + size), pixel * size));
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
  const streams = streamsOf(fields, key, tag);
  await change(frames, fields, description, streams, true, (...done) => report("restore", ...done));
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
  const key_id = await keyId(master);
  const rounds = roundsOf(frames, frames.map(() => null), "pixel");
  const known = fields ?? { ...frames[0], scheme: "scramble-context-v1", unit: "pixel", rounds, key_id };
  require(known.scheme === "scramble-context-v1" && known.key_id === key_id, WRONG);
  require(fields !== null || frames.length === 1, "several frames have no header");
  checkSamples(frames);
  const description = describedBy(known, frames);
  await change(frames, known, description, streamsOf(known, master, nonce), true);
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
  const fields = { ...draft, rounds, key_id: await keyId(master) };
  if (context !== null) {
    const nonce = textBytes(context, "context");
    await change(frames, fields, description, streamsOf(fields, master, nonce), false);
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
  const streams = streamsOf(fields, key, tag);
  await change(frames, fields, description, streams, false, (...done) => report("protect", ...done));
  const tagged = { ...(await withMaskedExtras(fields, key, tag)), tag: hex(tag) };
  const header = writeHeader({ ...tagged, seal: hex(await sealOf(tagged, key)) });
  readHeader(header); // it has the one form that readers accept
  return header;
}
