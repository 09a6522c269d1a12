// The schemes, for stills and files (scrambling 7, encryption 2 and 3, pictures 1 to 4).
// A frame is {shape, dtype, data}: samples in C order, each lowest byte first.

import { readAge, writeAge } from "./age.js";
import { toBech32 } from "./bech32.js";
import { ascii, base64, hex, Refused, refuseOld, require, sameBytes, unbase64, unhex, utf8 } from "./bytes.js";
import { mask, Words } from "./chacha20.js";
import { readDescription } from "./description.js";
import { extractFile } from "./files.js";
import { keyId, pictureKey, subkey } from "./hashing.js";
import { deriveOnce, parseKey } from "./keys.js";
import { CONTEXT, decodeExtras, readHeader, SAMPLE_BYTES, writeHeader } from "./header.js";
import { checkSuits, checkValue } from "./meaning.js";
import { hashChunks, isSealed, makeSeal, deriveSalt, hashTag, maskExtras } from "./tags.js";
import { defaultRounds, countUnits, moveSegments, moveUnits, drawMaps, segmentRounds } from "./units.js";

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

/** A text that names shape and type of a frame. */
export const nameForm = ({ shape, dtype }) => `${shape} ${dtype}`;

/** The description in decrypted extras, if it suits the header and the frame; null without extras. */
export function readExtras(fields, frame) {
  const extras = decodeExtras(fields);
  const description = extras === null ? null : readDescription(extras);
  const fits = nameForm(frame) === nameForm(fields);
  require(fits, "the picture has another shape or type than the header says");
  if (description === null) return null;
  checkSuits(description, fields);
  checkValue(nameForm(description.frames[0]) === nameForm(frame));
  return description;
}

/** Default rounds of a picture. */
export function chooseRounds(shape, unit, blockSize) {
  return defaultRounds([...countUnits(shape, unit, blockSize).values()]);
}

/** Protect or restore a frame in place, by a picture key and the tag. */
async function applyKey(frame, fields, key, tag, undo, report) {
  const { unit, block_size: blockSize, rounds } = fields;
  const maskFrame = async () => {
    if (fields.scheme !== "encrypt-v1") return;
    mask(frame.data, await subkey(key, "picture/keystream", tag), frame.dtype === "bool" ? 1 : 8);
  };
  if (undo) await maskFrame();
  const makeWords = async (group) => {
    const use = group === "main" ? "picture/permutation" : `picture/permutation/${group}`;
    return new Words(await subkey(key, use, tag));
  };
  const sampleBytes = SAMPLE_BYTES.get(frame.dtype);
  if (fields.segment) moveSegments(frame.data, drawMaps(frame.data.length, rounds, await makeWords("main")), undo);
  else await moveUnits(frame.data, frame.shape, sampleBytes, { unit, blockSize, rounds }, makeWords, undo, report);
  if (!undo) await maskFrame();
}

/** The master key of a secret, if its id is in the header. */
async function findMasterKey(fields, secret, report) {
  const phrase = secret.kind === "passphrase";
  if (phrase) secret.budget.admit(fields.kdf);
  for (const reading of phrase ? secret.readings : [null]) {
    const master = phrase ? await deriveOnce(fields.kdf, reading, report) : secret.bytes;
    if ((await keyId(master)) === fields.key_id) return master;
  }
  throw new Refused(WRONG);
}

/** The picture key of a secret, after the header was authenticated with it. */
export async function openHeader(fields, secret, report = () => {}) {
  if (fields.scheme === CONTEXT) refuseOld("a context");
  require(secret.kind !== "passphrase" || "kdf" in fields, WRONG);
  const key = await findPictureKey(fields, secret, report);
  require(await isSealed(fields, key), WRONG);
  if (secret.kind === "passphrase") secret.budget.confirm(fields.kdf);
  return key;
}

async function findPictureKey(fields, secret, report) {
  if (secret.kind === "picture") return secret.bytes;
  if (secret.kind === "identity") return openIdentity(fields, secret);
  return pictureKey(await findMasterKey(fields, secret, report), unhex(fields.salt));
}

/** The picture key in the list of recipients, whose payload is its text and a line feed. */
async function openIdentity({ recipients }, { identities }) {
  require(recipients !== undefined, WRONG);
  for (const identity of identities) {
    const payload = await readAge(unbase64(recipients), identity);
    if (payload === null) continue;
    const secret = parseKey(ascii(payload.subarray(0, -1)));
    require(payload.at(-1) === 10 && secret.kind === "picture", WRONG);
    return secret.bytes;
  }
  throw new Refused(WRONG);
}

/** Decrypt the description in an authenticated header; null without one. */
export async function decryptExtras(fields, key) {
  const extras = decodeExtras(await maskExtras(fields, key, unhex(fields.tag)));
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
  const plain = await maskExtras(fields, key, tag);
  const description = readExtras(plain, frame);
  await applyKey(frame, fields, key, tag, true, (...done) => report("restore", ...done));
  const digests = await hashChunks(frame.data, (...done) => report("verify", ...done));
  const authentic = sameBytes(await hashTag(plain, digests, key), tag);
  // Samples that are not authentic are erased.
  if (!authentic) frame.data.fill(0);
  require(authentic, WRONG);
  if (description?.file) extractFile(frame, description.file.size);
  return description;
}

/**
 * Protect a frame, whose samples are used up. The fields have plain extras, perhaps no rounds, and
 * perhaps no salt for a deterministic one; `recipients` are those that the picture is for.
 * @returns {Promise<Uint8Array>} the header
 */
export async function protectFrame(frame, draft, master, recipients = [], report = () => {}) {
  checkSamples(frame);
  readExtras(draft, frame);
  const usual = draft.segment ? segmentRounds() : chooseRounds(frame.shape, draft.unit, draft.block_size);
  const fields = { ...draft, rounds: draft.rounds ?? usual };
  // The tag is of the plain picture, so it comes first: every stream depends on it.
  const digests = await hashChunks(frame.data, (...done) => report("digest", ...done));
  return protectDigests(fields, digests, master, recipients, (key, tag) => {
    return applyKey(frame, fields, key, tag, false, (...done) => report("protect", ...done));
  });
}

/**
 * The header of what has these digests, once it was changed with the picture key and the tag.
 * @param {(key: Uint8Array, tag: Uint8Array) => Promise<void>} changeAll
 */
export async function protectDigests(draft, digests, master, recipients, changeAll) {
  const fields = { ...draft, key_id: await keyId(master) };
  fields.salt ??= await deriveSalt(fields, digests, master);
  const key = await pictureKey(master, unhex(fields.salt));
  if (recipients.length) {
    const text = `${toBech32("sudokucrypt-picture-key-", key).toUpperCase()}\n`;
    fields.recipients = base64(await writeAge(utf8(text), recipients));
  }
  const tag = await hashTag(fields, digests, key);
  await changeAll(key, tag);
  const tagged = { ...(await maskExtras(fields, key, tag)), tag: hex(tag) };
  const header = writeHeader({ ...tagged, seal: hex(await makeSeal(tagged, key)) });
  readHeader(header); // it has the one form that readers accept
  return header;
}
