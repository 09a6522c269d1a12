// zlib streams, by the browser's own inflater.

import { concat, Refused, require, uint32s } from "./bytes.js";
import { adler32 } from "./checksums.js";

const STORED_BYTES = 65535; // most bytes of a stored block

/** Inflate a stream in pieces, and hand on what comes, at most so many bytes. */
async function inflate(pieces, most, take) {
  const stream = new Blob(pieces).stream().pipeThrough(new DecompressionStream("deflate"));
  const reader = stream.getReader();
  let offset = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return offset;
      // A small file may hold a long stream: what does not fit ends the reading.
      require(offset + value.length <= most, "the picture is damaged: it has too many samples");
      take(value, offset);
      offset += value.length;
    }
  } catch (error) {
    reader.cancel().catch(() => {});
    if (error instanceof Refused) throw error;
    throw new Refused("the picture is damaged: its samples cannot be inflated");
  }
}

/** Inflate a stream in pieces to exactly so many bytes. @returns {Promise<Uint8Array>} */
export async function inflated(pieces, size) {
  const target = new Uint8Array(size);
  const length = await inflate(pieces, size, (value, offset) => target.set(value, offset));
  require(length === size, "the picture is damaged: it has too few samples");
  return target;
}

/** Inflate a stream of at most so many bytes. @returns {Promise<Uint8Array>} */
export async function inflatedUpTo(data, most) {
  const parts = [];
  await inflate([data], most, (value) => parts.push(value));
  return concat(parts);
}

/** A stream that only stores: noise has no shorter form. @returns {Uint8Array} */
export function stored(data) {
  const count = Math.max(1, Math.ceil(data.length / STORED_BYTES));
  const result = new Uint8Array(data.length + 5 * count + 6);
  result.set([0x78, 0x01]);
  let at = 2;
  for (let i = 0; i < count; i++) {
    const block = data.subarray(i * STORED_BYTES, (i + 1) * STORED_BYTES);
    const [low, high] = [block.length & 255, block.length >> 8];
    result.set([i === count - 1 ? 1 : 0, low, high, low ^ 255, high ^ 255], at);
    result.set(block, at + 5);
    at += 5 + block.length;
  }
  result.set(uint32s(adler32(data)), at);
  return result;
}

/** All bytes of a stream. @returns {Promise<Uint8Array>} */
export async function streamBytes(stream) {
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
