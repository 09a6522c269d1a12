// Argon2id (RFC 9106) by the core.

import { concat, utf8, viewBytes } from "./bytes.js";
import { growMemory, makeCore } from "./core.js";

const SLICES = 4;

const toUint32 = (number) => viewBytes(Uint32Array.of(number));

/** A field of the message of H0: its length, then its bytes. */
function encodeField(data) {
  return concat([toUint32(data.length), data]);
}

/**
 * Argon2id, version 0x13.
 * @param {{memory: number, iterations: number, lanes: number, length: number,
 *   secret?: Uint8Array, associated?: Uint8Array}} cost memory in KiB, at least 8 for each lane
 * @param {(done: number, total: number) => void} step called 4 times for each pass and lane
 * @returns {Promise<Uint8Array>}
 */
export async function argon2id(password, salt, cost, step) {
  const { memory, iterations, lanes, length } = cost;
  const empty = utf8("");
  const numbers = [lanes, length, memory, iterations, 0x13, 2].map(toUint32);
  const fields = [password, salt, cost.secret ?? empty, cost.associated ?? empty].map(encodeField);
  const message = concat([...numbers, ...fields]);
  const core = makeCore();
  const start = core.blocks();
  const bytes = growMemory(core, start + Math.max(memory * 1024, message.length));
  bytes.set(message, start);
  core.begin(message.length, memory, iterations, lanes);
  let done = 0;
  for (let pass = 0; pass < iterations; pass++) {
    for (let slice = 0; slice < SLICES; slice++) {
      for (let lane = 0; lane < lanes; lane++) {
        core.segment(pass, slice, lane);
        await step(++done, iterations * SLICES * lanes);
      }
    }
  }
  core.finish(length);
  return bytes.slice(start, start + length);
}
