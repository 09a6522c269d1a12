// zlib streams, by the browser's own inflater.

import { concat, Refused, require, sameBytes, uint32s, zeros } from "./bytes.js";
import { adler32 } from "./checksums.js";
import { checkDeflated } from "./inflating.js";

const MOST_PIECES = 1000;
const STORED_BYTES = 65535; // most bytes of a stored block

/** A stream of what these pieces of a stream inflate to. */
export function inflateStream(pieces) {
  return new Blob(pieces).stream().pipeThrough(new DecompressionStream("deflate"));
}

/** Inflate a stream in pieces of at most `most` bytes, and pass each inflated piece to `take`. */
async function inflate(pieces, most, take) {
  // Millions of pieces, which a file may have, would be read one by one.
  const reader = inflateStream(pieces.length < MOST_PIECES ? pieces : [concat(pieces)]).getReader();
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
    checkDeflated(error instanceof Refused); // other errors are of the browser's inflater
    throw error;
  }
}

const HEADS = [2, 5, 4, 1]; // bytes of the start, of the head of a block, of the checksum, and too many
const [AT_START, AT_BLOCK, AT_SUM, AT_END] = HEADS.keys();

/** Reads a stream without compression, as this page writes them, from pieces of any length. */
export class StoredReader {
  #stage = AT_START;
  #head = [];
  #left = 0; // bytes of the block
  #sum = 1;
  #fits = true;

  /** Whether all of a stream was read, and no byte more. */
  get whole() {
    return this.#fits && this.#stage === AT_END && this.#left === 0 && this.#head.length === 0;
  }

  /** Yield the stored bytes of the next piece; after a block with compression, yield nothing. */
  *read(piece) {
    while (piece.length > 0 && this.#fits) {
      if (this.#left > 0) {
        const part = piece.subarray(0, this.#left);
        this.#left -= part.length;
        piece = piece.subarray(part.length);
        this.#sum = adler32(part, this.#sum);
        yield part;
      } else {
        this.#head.push(piece[0]);
        piece = piece.subarray(1);
        if (this.#head.length === HEADS[this.#stage]) this.#fits = this.#begin(this.#head.splice(0));
      }
    }
  }

  #begin(head) {
    const [first, second, third] = head;
    if (this.#stage === AT_START) {
      this.#stage = AT_BLOCK;
      return (first & 15) === 8 && first < 128 && !(second & 32) && ((first << 8) | second) % 31 === 0;
    }
    if (this.#stage === AT_BLOCK) {
      this.#left = second | (third << 8);
      this.#stage = first ? AT_SUM : AT_BLOCK;
      return first < 2 && (this.#left ^ 65535) === (head[3] | (head[4] << 8));
    }
    const right = this.#stage === AT_SUM && sameBytes(uint32s(this.#sum), head);
    this.#stage = AT_END;
    return right;
  }
}

/** Fill an array from a stream without compression. @returns {boolean} whether that succeeded */
function fillFromStored(pieces, target) {
  const reader = new StoredReader();
  let at = 0;
  for (const piece of pieces) {
    for (const part of reader.read(piece)) {
      if (at + part.length > target.length) return false;
      target.set(part, at);
      at += part.length;
    }
  }
  return reader.whole && at === target.length;
}

/** Inflate a stream in pieces, which must give exactly `size` bytes. @returns {Promise<Uint8Array>} */
export async function inflateAll(pieces, size) {
  const target = zeros(size);
  if (fillFromStored(pieces, target)) return target; // all of our own, and browsers take long for them
  const length = await inflate(pieces, size, (value, offset) => target.set(value, offset));
  require(length === size, "the picture is damaged: it has too few samples");
  return target;
}

/** Inflate a stream, which must give at most `most` bytes. @returns {Promise<Uint8Array>} */
export async function inflateUpTo(data, most) {
  const parts = [];
  await inflate([data], most, (value) => parts.push(value));
  return concat(parts);
}

/** The length of a stream that stores `length` bytes without compression. */
export function storedSize(length) {
  return length + 5 * Math.max(1, Math.ceil(length / STORED_BYTES)) + 6;
}

/** Writes a stream without compression, since noise cannot be compressed. */
export class StoredWriter {
  #target;
  #at = 0;
  #left = 0; // bytes of the block that was begun
  #sum = 1;
  #rest; // bytes of later blocks

  /** @param {number} length of all bytes @param {Uint8Array} target its length is `storedSize`,
   *   or less if `take` is called before it is full */
  constructor(length, target) {
    [this.#target, this.#rest] = [target, length];
    this.#put([0x78, 0x01]);
    this.#begin();
  }

  /** The bytes that were written, which the next call overwrites. @returns {Uint8Array} */
  take() {
    const written = this.#target.subarray(0, this.#at);
    this.#at = 0;
    return written;
  }

  /** Store some bytes. */
  add(part) {
    this.#sum = adler32(part, this.#sum);
    while (part.length > 0) {
      if (this.#left === 0) this.#begin();
      const piece = part.subarray(0, this.#left);
      this.#put(piece);
      this.#left -= piece.length;
      part = part.subarray(piece.length);
    }
    if (this.#rest === 0 && this.#left === 0) this.#put(uint32s(this.#sum));
  }

  #begin() {
    const left = (this.#left = Math.min(STORED_BYTES, this.#rest));
    this.#rest -= left;
    this.#put([this.#rest === 0 ? 1 : 0, left & 255, left >> 8, ~left & 255, (~left >> 8) & 255]);
  }

  #put(bytes) {
    this.#target.set(bytes, this.#at);
    this.#at += bytes.length;
  }
}

/** A stream with these bytes, without compression. @returns {Uint8Array} */
export function storeBytes(data) {
  const writer = new StoredWriter(data.length, zeros(storedSize(data.length)));
  writer.add(data);
  return writer.take();
}
