// zlib streams, by the browser's own inflater.

import { concat, Refused, require, sameBytes, uint32s } from "./bytes.js";
import { adler32 } from "./checksums.js";

const MOST_PIECES = 1000;
const STORED_BYTES = 65535; // most bytes of a stored block

/** Inflate a stream in pieces, and hand on what comes, at most so many bytes. */
async function inflate(pieces, most, take) {
  // Millions of pieces, which a file may have, would be read one by one.
  const stream = new Blob(pieces.length < MOST_PIECES ? pieces : [concat(pieces)]).stream().pipeThrough(new DecompressionStream("deflate"));
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

/** Fill an array with what a stream in pieces only stores. @returns {boolean} whether that is all */
function fillFromStored(pieces, target) {
  const rest = pieces[Symbol.iterator]();
  let piece = new Uint8Array(0);
  /** Fill an array with the next bytes; false at the end of the stream. */
  const read = (to) => {
    for (let at = 0; at < to.length; ) {
      if (piece.length === 0) {
        const { done, value } = rest.next();
        if (done) return false;
        piece = value;
      }
      const part = piece.subarray(0, to.length - at);
      to.set(part, at);
      at += part.length;
      piece = piece.subarray(part.length);
    }
    return true;
  };
  const head = new Uint8Array(5);
  const start = head.subarray(0, 2);
  const known = read(start) && (start[0] & 15) === 8 && start[0] < 128 && !(start[1] & 32);
  if (!known || ((start[0] << 8) | start[1]) % 31 !== 0) return false;
  let at = 0;
  do {
    if (!read(head) || head[0] > 1) return false;
    const length = head[1] | (head[2] << 8);
    const block = target.subarray(at, at + length);
    if ((length ^ 65535) !== (head[3] | (head[4] << 8)) || block.length < length || !read(block)) return false;
    at += length;
  } while (head[0] === 0);
  const sum = head.subarray(0, 4);
  const whole = at === target.length && read(sum) && !read(head.subarray(4));
  return whole && sameBytes(uint32s(adler32(target)), sum);
}

/** Inflate a stream in pieces to exactly so many bytes. @returns {Promise<Uint8Array>} */
export async function inflated(pieces, size) {
  const target = new Uint8Array(size);
  if (fillFromStored(pieces, target)) return target; // all of our own, and browsers take long for them
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

/** How many bytes a stream has that only stores so many. */
export function storedSize(length) {
  return length + 5 * Math.max(1, Math.ceil(length / STORED_BYTES)) + 6;
}

/**
 * Write a stream that only stores: noise has no shorter form.
 * @param {Uint8Array} target of `storedSize` @param {Iterable<Uint8Array>} parts each used up at once
 * @param {number} length of all parts
 */
export function writeStored(target, parts, length) {
  target.set([0x78, 0x01]);
  let [at, left, sum] = [2, 0, 1];
  const begin = () => {
    left = Math.min(STORED_BYTES, length);
    length -= left;
    target.set([length === 0 ? 1 : 0, left & 255, left >> 8, ~left & 255, (~left >> 8) & 255], at);
    at += 5;
  };
  begin();
  for (const part of parts) {
    sum = adler32(part, sum);
    for (let done = 0; done < part.length; ) {
      if (left === 0) begin();
      const piece = part.subarray(done, done + left);
      target.set(piece, at);
      at += piece.length;
      left -= piece.length;
      done += piece.length;
    }
  }
  target.set(uint32s(sum), at);
}

/** Such a stream of some bytes. @returns {Uint8Array} */
export function stored(data) {
  const result = new Uint8Array(storedSize(data.length));
  writeStored(result, [data], data.length);
  return result;
}

/** All bytes of a stream. @returns {Promise<Uint8Array>} */
export async function streamBytes(stream) {
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
