// ChaCha20 (RFC 8439), the stream of words, and masks.

import { Refused, makeView, zeros } from "./bytes.js";
import { getStreams } from "./core.js";

/** XOR blocks in the buffer of the core with a stream from a block on, masked by `counted`. */
function combine(key, nonce, counter, count, counted = 255) {
  const { core, state } = getStreams();
  const words = makeView(key);
  state.set([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]); // "expand 32-byte k"
  for (let i = 0; i < 8; i++) state[4 + i] = words.getUint32(4 * i, true);
  state.set([counter, ...nonce], 12);
  core.chacha(count, counted * 0x01010101);
}

/** The first bytes of a stream. @param {number[]} nonce three words @returns {Uint8Array} */
export function readStart(key, nonce, length) {
  return mask(zeros(length), key, 8, 0, nonce);
}

/** The stream of a subkey (scrambling, section 2), read as 32-bit words. */
export class Words {
  constructor(key, counter = 0) {
    Object.assign(this, { key, counter, buffer: new Uint32Array(0), position: 0 });
  }

  /** The next word, 0..2^32 - 1. */
  next() {
    if (this.position === this.buffer.length) {
      const { words } = getStreams();
      const count = Math.min(words.length / 16, 2 ** 32 - this.counter);
      if (count === 0) throw new Refused("the stream has 2^38 bytes");
      words.fill(0);
      combine(this.key, [0, 0, 0], this.counter, count);
      this.buffer = words.slice(0, 16 * count);
      this.counter += count;
      this.position = 0;
    }
    return this.buffer[this.position++];
  }
}

/** XOR bytes in place with the stream of a key, of which only the `bits` lowest bits of a byte are used. */
export function mask(data, key, bits = 8, counter = 0, nonce = [0, 0, 0]) {
  if (data.length > 2 ** 38) throw new Refused("the stream has 2^38 bytes");
  const { bytes } = getStreams();
  for (let start = 0; start < data.length; start += bytes.length) {
    const piece = data.subarray(start, start + bytes.length);
    bytes.set(piece);
    combine(key, nonce, counter + start / 64, Math.ceil(piece.length / 64), 2 ** bits - 1);
    piece.set(bytes.subarray(0, piece.length));
  }
  return data;
}
