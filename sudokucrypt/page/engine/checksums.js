// CRC-32 of PNG chunks and zip files, and Adler-32 of zlib streams, by the core.

import { getStreams } from "./core.js";

/** Pass all bytes through the buffer of the core, in pieces. */
function updateSum(name, sum, data) {
  const { core, bytes } = getStreams();
  for (let i = 0; i < data.length; i += bytes.length) {
    const piece = data.subarray(i, i + bytes.length);
    bytes.set(piece);
    sum = core[name](sum, bytes.byteOffset, piece.length);
  }
  return sum >>> 0;
}

/** CRC-32 of bytes that follow those with the CRC `before`. @returns {number} */
export function crc32(data, before = 0) {
  return updateSum("crc", before, data);
}

/** Adler-32 of bytes that follow those with the checksum `before`. @returns {number} */
export function adler32(data, before = 1) {
  return updateSum("adler", before, data);
}
