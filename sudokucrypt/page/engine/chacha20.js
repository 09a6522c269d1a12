// The ChaCha20 block function (RFC 8439), the stream of words, and masks.

import { Refused } from "./bytes.js";

const BLOCKS = 512; // words are made for 32 KiB at once: calls are few, and they stay in the cache

/** State of ChaCha20 with a key of 32 bytes, a block counter, and a nonce of three words. */
export function chachaState(key, counter = 0, nonce = [0, 0, 0]) {
  const words = new DataView(key.buffer, key.byteOffset, 32);
  const state = new Uint32Array(16);
  state.set([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]); // "expand 32-byte k"
  for (let i = 0; i < 8; i++) state[4 + i] = words.getUint32(4 * i, true);
  state.set([counter, ...nonce], 12);
  return state;
}

/** Write so many blocks of the key stream, from the counter of the state on, and move it on. */
export function chachaBlocks(state, output, count) {
  const [s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11] = state;
  const [s13, s14, s15] = state.subarray(13);
  for (let block = 0, at = 0; block < count; block++, at += 16) {
    const s12 = state[12];
    let a0 = s0, a1 = s1, a2 = s2, a3 = s3, b0 = s4, b1 = s5, b2 = s6, b3 = s7;
    let c0 = s8, c1 = s9, c2 = s10, c3 = s11, d0 = s12, d1 = s13, d2 = s14, d3 = s15;
    // Local variables stay in registers, which an array of 16 words would not.
    for (let round = 0; round < 10; round++) {
      a0 = (a0 + b0) | 0; d0 ^= a0; d0 = (d0 << 16) | (d0 >>> 16);
      c0 = (c0 + d0) | 0; b0 ^= c0; b0 = (b0 << 12) | (b0 >>> 20);
      a0 = (a0 + b0) | 0; d0 ^= a0; d0 = (d0 << 8) | (d0 >>> 24);
      c0 = (c0 + d0) | 0; b0 ^= c0; b0 = (b0 << 7) | (b0 >>> 25);
      a1 = (a1 + b1) | 0; d1 ^= a1; d1 = (d1 << 16) | (d1 >>> 16);
      c1 = (c1 + d1) | 0; b1 ^= c1; b1 = (b1 << 12) | (b1 >>> 20);
      a1 = (a1 + b1) | 0; d1 ^= a1; d1 = (d1 << 8) | (d1 >>> 24);
      c1 = (c1 + d1) | 0; b1 ^= c1; b1 = (b1 << 7) | (b1 >>> 25);
      a2 = (a2 + b2) | 0; d2 ^= a2; d2 = (d2 << 16) | (d2 >>> 16);
      c2 = (c2 + d2) | 0; b2 ^= c2; b2 = (b2 << 12) | (b2 >>> 20);
      a2 = (a2 + b2) | 0; d2 ^= a2; d2 = (d2 << 8) | (d2 >>> 24);
      c2 = (c2 + d2) | 0; b2 ^= c2; b2 = (b2 << 7) | (b2 >>> 25);
      a3 = (a3 + b3) | 0; d3 ^= a3; d3 = (d3 << 16) | (d3 >>> 16);
      c3 = (c3 + d3) | 0; b3 ^= c3; b3 = (b3 << 12) | (b3 >>> 20);
      a3 = (a3 + b3) | 0; d3 ^= a3; d3 = (d3 << 8) | (d3 >>> 24);
      c3 = (c3 + d3) | 0; b3 ^= c3; b3 = (b3 << 7) | (b3 >>> 25);
      a0 = (a0 + b1) | 0; d3 ^= a0; d3 = (d3 << 16) | (d3 >>> 16);
      c2 = (c2 + d3) | 0; b1 ^= c2; b1 = (b1 << 12) | (b1 >>> 20);
      a0 = (a0 + b1) | 0; d3 ^= a0; d3 = (d3 << 8) | (d3 >>> 24);
      c2 = (c2 + d3) | 0; b1 ^= c2; b1 = (b1 << 7) | (b1 >>> 25);
      a1 = (a1 + b2) | 0; d0 ^= a1; d0 = (d0 << 16) | (d0 >>> 16);
      c3 = (c3 + d0) | 0; b2 ^= c3; b2 = (b2 << 12) | (b2 >>> 20);
      a1 = (a1 + b2) | 0; d0 ^= a1; d0 = (d0 << 8) | (d0 >>> 24);
      c3 = (c3 + d0) | 0; b2 ^= c3; b2 = (b2 << 7) | (b2 >>> 25);
      a2 = (a2 + b3) | 0; d1 ^= a2; d1 = (d1 << 16) | (d1 >>> 16);
      c0 = (c0 + d1) | 0; b3 ^= c0; b3 = (b3 << 12) | (b3 >>> 20);
      a2 = (a2 + b3) | 0; d1 ^= a2; d1 = (d1 << 8) | (d1 >>> 24);
      c0 = (c0 + d1) | 0; b3 ^= c0; b3 = (b3 << 7) | (b3 >>> 25);
      a3 = (a3 + b0) | 0; d2 ^= a3; d2 = (d2 << 16) | (d2 >>> 16);
      c1 = (c1 + d2) | 0; b0 ^= c1; b0 = (b0 << 12) | (b0 >>> 20);
      a3 = (a3 + b0) | 0; d2 ^= a3; d2 = (d2 << 8) | (d2 >>> 24);
      c1 = (c1 + d2) | 0; b0 ^= c1; b0 = (b0 << 7) | (b0 >>> 25);
    }
    output[at] = a0 + s0; output[at + 1] = a1 + s1; output[at + 2] = a2 + s2;
    output[at + 3] = a3 + s3; output[at + 4] = b0 + s4; output[at + 5] = b1 + s5;
    output[at + 6] = b2 + s6; output[at + 7] = b3 + s7; output[at + 8] = c0 + s8;
    output[at + 9] = c1 + s9; output[at + 10] = c2 + s10; output[at + 11] = c3 + s11;
    output[at + 12] = d0 + s12; output[at + 13] = d1 + s13; output[at + 14] = d2 + s14;
    output[at + 15] = d3 + s15;
    state[12]++;
  }
}

/** The stream of a subkey (scrambling, section 2), read as 32-bit words. */
export class Words {
  constructor(key, counter = 0) {
    this.state = chachaState(key, counter);
    this.left = 2 ** 32 - counter;
    this.buffer = new Uint32Array(16 * BLOCKS);
    this.position = this.end = 0;
  }

  /** The next word, 0..2^32 - 1. */
  next() {
    if (this.position === this.end) {
      if (this.left === 0) throw new Refused("the stream has 2^38 bytes");
      const count = Math.min(BLOCKS, this.left);
      chachaBlocks(this.state, this.buffer, count);
      this.left -= count;
      this.position = 0;
      this.end = 16 * count;
    }
    return this.buffer[this.position++];
  }
}

/** Combine bytes in place with the stream of a key, of each byte of which `bits` low bits count. */
export function mask(data, key, bits = 8, counter = 0, nonce = [0, 0, 0]) {
  if (data.length > 2 ** 38) throw new Refused("the stream has 2^38 bytes");
  const state = chachaState(key, counter, nonce);
  const words = new Uint32Array(16 * BLOCKS);
  const bytes = new Uint8Array(words.buffer); // a stream is little-endian, as are all browsers
  const counted = 2 ** bits - 1;
  // Words are combined four bytes at a time where the data lies on their boundary.
  const aligned = bits === 8 && data.byteOffset % 4 === 0;
  for (let start = 0; start < data.length; start += bytes.length) {
    const length = Math.min(bytes.length, data.length - start);
    chachaBlocks(state, words, Math.ceil(length / 64));
    const whole = aligned ? length >> 2 : 0;
    if (whole > 0) {
      const target = new Uint32Array(data.buffer, data.byteOffset + start, whole);
      for (let i = 0; i < whole; i++) target[i] ^= words[i];
    }
    for (let i = 4 * whole; i < length; i++) data[start + i] ^= bytes[i] & counted;
  }
  return data;
}
