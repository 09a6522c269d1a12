// scrypt (RFC 7914) with blocks of r = 8: HMAC by WebCrypto, and the mixing of memory in the core.

import { concat, uint32s } from "./bytes.js";
import { growMemory, makeCore } from "./core.js";
import { hmac } from "./hashing.js";

const BLOCK = 1024; // bytes, 128 r
const STEPS = 64; // of each lane, half of them fill the memory

/** PBKDF2 with one iteration, which is HMAC of each counter: Firefox gives at most 256 bytes. */
async function pbkdf2(password, salt, length) {
  const counters = Array.from({ length: Math.ceil(length / 32) }, (_, i) => uint32s(i + 1));
  const blocks = counters.map((counter) => hmac(password, concat([salt, counter])));
  return concat(await Promise.all(blocks)).slice(0, length);
}

/**
 * scrypt with r = 8.
 * @param {number} n cost, a power of two @param {number} lanes the factor p
 * @param {(done: number, total: number) => void} step called 64 times for each lane
 * @returns {Promise<Uint8Array>}
 */
export async function scrypt(password, salt, n, lanes, length, step) {
  const all = await pbkdf2(password, salt, lanes * BLOCK);
  const core = makeCore();
  const start = core.scrypt_block();
  const block = growMemory(core, start + (n + 1) * BLOCK).subarray(start, start + BLOCK);
  for (let lane = 0; lane < lanes; lane++) {
    block.set(all.subarray(lane * BLOCK, (lane + 1) * BLOCK));
    for (let i = 0; i < STEPS; i++) {
      const [from, to] = [i, i + 1].map((k) => Math.floor((2 * n * k) / STEPS));
      core.scrypt(from % n, from % n + to - from, n, from < n);
      await step(lane * STEPS + i + 1, lanes * STEPS);
    }
    all.set(block, lane * BLOCK);
  }
  return pbkdf2(password, all, length);
}
