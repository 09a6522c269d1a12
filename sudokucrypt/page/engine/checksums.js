// CRC-32 of PNG chunks and zip files, and Adler-32 of zlib streams.

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1;
  return crc;
});

/** CRC-32. @returns {number} */
export function crc32(data) {
  let crc = -1;
  for (let i = 0; i < data.length; i++) crc = CRC_TABLE[(crc ^ data[i]) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** Adler-32. @returns {number} */
export function adler32(data) {
  let [a, b] = [1, 0];
  for (let start = 0; start < data.length; start += 5552) {
    // 5552 steps are the most for which b stays below 2^32.
    const end = Math.min(start + 5552, data.length);
    for (let i = start; i < end; i++) b += a += data[i];
    a %= 65521;
    b %= 65521;
  }
  return ((b << 16) | a) >>> 0;
}
