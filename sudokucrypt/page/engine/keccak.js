// SHAKE-256 (FIPS 202), the public stream of header rows.

import { zeros } from "./bytes.js";
import { getStreams } from "./core.js";

const STATE = 200; // bytes
const RATE = 136; // of them are a block of SHAKE-256

/** SHAKE-256 of at most 135 bytes. @returns {Uint8Array} */
export function shake256(message, length) {
  const { core, bytes } = getStreams();
  const state = bytes.subarray(0, STATE).fill(0);
  const block = state.subarray(0, RATE);
  block.set(message);
  block[message.length] = 0x1f;
  block[RATE - 1] |= 0x80;
  const output = zeros(Math.ceil(length / RATE) * RATE);
  for (let offset = 0; offset < length; offset += RATE) {
    core.keccak();
    output.set(block, offset);
  }
  return output.subarray(0, length);
}
