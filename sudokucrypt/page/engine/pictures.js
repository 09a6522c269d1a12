// The schemes, for stills and files (scrambling 7, encryption 2 and 3, pictures 1 to 4).
// A frame is {shape, dtype, data}: samples in C order, each lowest byte first.

import { readAge, writeAge } from "./age.js";
import { toBech32 } from "./bech32.js";
import { ascii, base64, hex, Refused, refuseEarlier, require, sameBytes, unbase64, unhex, utf8 } from "./bytes.js";
import { mask, Words } from "./chacha20.js";
import { readDescription } from "./description.js";
import { fileOfFrame } from "./files.js";
import { keyId, pictureKey, subkey } from "./hashing.js";
import { derivedKey, secretOfLine } from "./keys.js";
import { CONTEXT, extrasOf, readHeader, SAMPLE_BYTES, writeHeader } from "./header.js";
import { checkSuits, describes } from "./meaning.js";
import { chunkDigests, isSealed, sealOf, syntheticSalt, tagOf, withMaskedExtras } from "./tags.js";
import { defaultRounds, groupSizes, moveSegments, moveUnits, segmentMaps, segmentRounds } from "./units.js";

/** The message for all refusals that depend on the key, which does not reveal the step. */
export const WRONG = "the key or passphrase is wrong, or the file was altered";
/** The start of messages that name a removed feature, even if it is in encrypted extras. */
export const MADE_EARLIER = /^made by an earlier version/;

/** Refuse a frame whose bytes do not fit its shape and type. */
function checkSamples({ shape, dtype, data }) {
  const samples = shape.reduce((a, b) => a * b, 1);
  require(data.length === samples * SAMPLE_BYTES.get(dtype), "the samples do not fit the shape");
  require(dtype !== "bool" || data.every((byte) => byte < 2), "a boolean is one byte, 0 or 1");
}

const formOf = ({ shape, dtype }) => `${shape} ${dtype}`;

/** The description in decrypted extras, if it suits the header and the frame; null without extras. */
export function describedBy(fields, frame) {
  const extras = extrasOf(fields);
  const description = extras === null ? null : readDescription(extras);
  const fits = formOf(frame) === formOf(fields);
  require(fits, "the picture has another shape or type than the header says");
  if (description === null) return null;
  checkSuits(description, fields);
  describes(formOf(description.frames[0]) === formOf(frame));
  return description;
}

/** Default rounds of a picture. */
export function roundsOf(shape, unit, blockSize) {
  return defaultRounds([...groupSizes(shape, unit, blockSize).values()]);
}

/** Protect or restore a frame in place, by a picture key and the tag. */
async function change(frame, fields, key, tag, undo, report) {
  const { unit, block_size: blockSize, rounds } = fields;
  const masked = async () => {
    if (fields.scheme !== "encrypt-v1") return;
    mask(frame.data, await subkey(key, "picture/keystream", tag), frame.dtype === "bool" ? 1 : 8);
  };
  if (undo) await masked();
  const wordsOf = async (group) => {
    const use = group === "main" ? "picture/permutation" : `picture/permutation/${group}`;
    return new Words(await subkey(key, use, tag));
  };
  const sampleBytes = SAMPLE_BYTES.get(frame.dtype);
  if (fields.segment) moveSegments(frame.data, segmentMaps(frame.data.length, rounds, await wordsOf("main")), undo);
  else await moveUnits(frame.data, frame.shape, sampleBytes, { unit, blockSize, rounds }, wordsOf, undo, report);
  if (!undo) await masked();
}

/** The master key of a secret, if its id is in the header. */
async function masterKey(fields, secret, report) {
  const phrase = secret.kind === "passphrase";
  if (phrase) secret.budget.admit(fields.kdf);
  for (const reading of phrase ? secret.readings : [null]) {
    const master = phrase ? await derivedKey(fields.kdf, reading, report) : secret.bytes;
    if ((await keyId(master)) === fields.key_id) return master;
  }
  throw new Refused(WRONG);
}

/** The picture key of a secret, after the header was authenticated with it. */
export async function openHeader(fields, secret, report = () => {}) {
  if (fields.scheme === CONTEXT) refuseEarlier("a context");
  require(secret.kind !== "passphrase" || "kdf" in fields, WRONG);
  const key = await keyOfSecret(fields, secret, report);
  require(await isSealed(fields, key), WRONG);
  if (secret.kind === "passphrase") secret.budget.confirm(fields.kdf);
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

/** Decrypt the description in an authenticated header; null without one. */
export async function sealedIn(fields, key) {
  const extras = extrasOf(await withMaskedExtras(fields, key, unhex(fields.tag)));
  if (extras === null) return null;
  const description = readDescription(extras);
  checkSuits(description, fields);
  return description;
}

/**
 * Restore a frame by a header that was opened with a picture key. Its samples are used up.
 * @returns {Promise<object|null>} the description
 */
export async function restoreFrame(frame, fields, key, report = () => {}) {
  checkSamples(frame);
  const tag = unhex(fields.tag);
  const plain = await withMaskedExtras(fields, key, tag);
  const description = describedBy(plain, frame);
  await change(frame, fields, key, tag, true, (...done) => report("restore", ...done));
  const digests = await chunkDigests(frame.data, (...done) => report("verify", ...done));
  const authentic = sameBytes(await tagOf(plain, digests, key), tag);
  // Samples that are not authentic are erased.
  if (!authentic) frame.data.fill(0);
  require(authentic, WRONG);
  if (description?.file) fileOfFrame(frame, description.file.size);
  return description;
}

/**
 * Protect a frame, whose samples are used up. The fields have plain extras, perhaps no rounds, and
 * perhaps no salt for a deterministic one; `recipients` are those that the picture is for.
 * @returns {Promise<Uint8Array>} the header
 */
export async function protectFrame(frame, draft, master, recipients = [], report = () => {}) {
  checkSamples(frame);
  describedBy(draft, frame);
  const usual = draft.segment ? segmentRounds() : roundsOf(frame.shape, draft.unit, draft.block_size);
  const fields = { ...draft, rounds: draft.rounds ?? usual };
  // The tag is of the plain picture, so it comes first: every stream depends on it.
  const digests = await chunkDigests(frame.data, (...done) => report("digest", ...done));
  return protectDigests(fields, digests, master, recipients, (key, tag) => {
    return change(frame, fields, key, tag, false, (...done) => report("protect", ...done));
  });
}

/**
 * The header of what has these digests, once it was changed with the picture key and the tag.
 * @param {(key: Uint8Array, tag: Uint8Array) => Promise<void>} changeAll
 */
export async function protectDigests(draft, digests, master, recipients, changeAll) {
  const fields = { ...draft, key_id: await keyId(master) };
  fields.salt ??= await syntheticSalt(fields, digests, master);
  const key = await pictureKey(master, unhex(fields.salt));
  if (recipients.length) {
    const text = `${toBech32("sudokucrypt-picture-key-", key).toUpperCase()}\n`;
    fields.recipients = base64(await writeAge(utf8(text), recipients));
  }
  const tag = await tagOf(fields, digests, key);
  await changeAll(key, tag);
  const tagged = { ...(await withMaskedExtras(fields, key, tag)), tag: hex(tag) };
  const header = writeHeader({ ...tagged, seal: hex(await sealOf(tagged, key)) });
  readHeader(header); // it has the one form that readers accept
  return header;
}
