// SHAKE-256 (FIPS 202), the public stream of header rows.

import { newCore } from "./core.js";

const RATE = 136; // bytes of a block of SHAKE-256

/** SHAKE-256 of at most 135 bytes. @returns {Uint8Array} */
export function shake256(message, length) {
  const core = newCore();
  const block = new Uint8Array(core.memory.buffer, core.chacha_stream(), RATE);
  block.set(message);
  block[message.length] = 0x1f;
  block[RATE - 1] |= 0x80;
  const output = new Uint8Array(Math.ceil(length / RATE) * RATE);
  for (let offset = 0; offset < length; offset += RATE) {
    core.keccak();
    output.set(block, offset);
  }
  return output.subarray(0, length);
}
