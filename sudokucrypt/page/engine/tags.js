// The message of a header and an image, and the salt, tag and seal that it gives (scrambling, 6).

import { concat, hex, le64, sameBytes, unhex } from "./bytes.js";
import { mask } from "./chacha20.js";
import { hmac, sha256, subkey } from "./hashing.js";
import { decodeExtras, addExtras, writeHeader } from "./header.js";

const CHUNK_BYTES = 1048576;
const AT_ONCE = 16; // chunks that are hashed together: the browser uses as many threads as it likes

/** Digests of the chunks of plain samples. */
export async function hashChunks(data, report = () => {}) {
  const chunks = Array.from({ length: Math.ceil(data.length / CHUNK_BYTES) }, (_, i) =>
    data.subarray(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES),
  );
  const digests = [];
  for (let i = 0; i < chunks.length; i += AT_ONCE) {
    digests.push(...(await Promise.all(chunks.slice(i, i + AT_ONCE).map(sha256))));
    report(digests.length, chunks.length);
  }
  return digests;
}

function makeMessage(header, digests) {
  return concat([le64(header.length), header, le64(digests.length), ...digests]);
}

/** Deterministic salt of a header whose extras are plain. @returns {Promise<string>} hexadecimal */
export async function deriveSalt(fields, digests, master) {
  const form = writeHeader(fields, "salt", "tag", "seal");
  const made = await hmac(await subkey(master, "master/salt"), makeMessage(form, digests));
  return hex(made.subarray(0, 16));
}

/** Tag of a header whose extras are plain. @returns {Promise<Uint8Array>} */
export async function hashTag(fields, digests, key) {
  const form = writeHeader(fields, "tag", "seal");
  return hmac(await subkey(key, "picture/tag"), makeMessage(form, digests));
}

/** Seal of a header with its tag, whose extras are masked. @returns {Promise<Uint8Array>} */
export async function makeSeal(fields, key) {
  return hmac(await subkey(key, "picture/seal"), writeHeader(fields, "seal"));
}

/** Whether the seal of a header is the one under a picture key. */
export async function isSealed(fields, key) {
  return sameBytes(await makeSeal(fields, key), unhex(fields.seal));
}

/** The fields with extras under their stream; the same again undoes it. */
export async function maskExtras(fields, key, tag) {
  const extras = decodeExtras(fields);
  if (extras === null) return fields;
  return addExtras(fields, mask(extras, await subkey(key, "picture/extras", tag)));
}
