// ChaCha20 (RFC 8439), the stream of words, and masks.

import { Refused } from "./bytes.js";
import { newCore } from "./core.js";

const BLOCKS = 512; // as many as core/streams.c writes at once

/**
 * The core of all streams. Browsers set aside gigabytes of addresses for the memory of each core, so
 * one for each stream would soon be too many. It never grows, so that these stay where they are.
 */
export const streamCore = newCore();
const chachaState = new Uint32Array(streamCore.memory.buffer, streamCore.chacha_state(), 16);
const chachaWords = new Uint32Array(streamCore.memory.buffer, streamCore.chacha_stream(), 16 * BLOCKS);
const chachaBytes = new Uint8Array(streamCore.memory.buffer, streamCore.chacha_stream(), 64 * BLOCKS);

/** Write so many blocks of a stream to its place in the core, from a block on. */
function write(key, nonce, counter, count) {
  const words = new DataView(key.buffer, key.byteOffset, 32);
  chachaState.set([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]); // "expand 32-byte k"
  for (let i = 0; i < 8; i++) chachaState[4 + i] = words.getUint32(4 * i, true);
  chachaState.set([counter, ...nonce], 12);
  streamCore.chacha(count);
}

/** The start of a stream. @param {number[]} nonce three words @returns {Uint8Array} */
export function streamStart(key, nonce, length) {
  write(key, nonce, 0, Math.ceil(length / 64));
  return chachaBytes.slice(0, length);
}

/** The stream of a subkey (scrambling, section 2), read as 32-bit words. */
export class Words {
  constructor(key, counter = 0) {
    Object.assign(this, { key, counter, buffer: new Uint32Array(16 * BLOCKS), position: 0, end: 0 });
  }

  /** The next word, 0..2^32 - 1. */
  next() {
    if (this.position === this.end) {
      const count = Math.min(BLOCKS, 2 ** 32 - this.counter);
      if (count === 0) throw new Refused("the stream has 2^38 bytes");
      write(this.key, [0, 0, 0], this.counter, count);
      this.buffer.set(chachaWords);
      this.counter += count;
      this.position = 0;
      this.end = 16 * count;
    }
    return this.buffer[this.position++];
  }
}

/** Combine bytes in place with the stream of a key, of each byte of which `bits` low bits count. */
export function mask(data, key, bits = 8, counter = 0, nonce = [0, 0, 0]) {
  if (data.length > 2 ** 38) throw new Refused("the stream has 2^38 bytes");
  const counted = 2 ** bits - 1;
  // Words are combined four bytes at a time where the data lies on their boundary.
  const aligned = bits === 8 && data.byteOffset % 4 === 0;
  for (let start = 0; start < data.length; start += chachaBytes.length) {
    const length = Math.min(chachaBytes.length, data.length - start);
    write(key, nonce, counter + start / 64, Math.ceil(length / 64));
    const whole = aligned ? length >> 2 : 0;
    const target = new Uint32Array(data.buffer, aligned ? data.byteOffset + start : 0, whole);
    for (let i = 0; i < whole; i++) target[i] ^= chachaWords[i];
    for (let i = 4 * whole; i < length; i++) data[start + i] ^= chachaBytes[i] & counted;
  }
  return data;
}
