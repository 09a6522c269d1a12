// scrypt (RFC 7914) with blocks of r = 8: PBKDF2 by WebCrypto, and the mixing of memory in the core.

import { memoryTo, newCore } from "./core.js";

const BLOCK = 1024; // bytes, 128 r
const STEPS = 64; // of each lane, half of them fill the memory

async function pbkdf2(password, salt, length) {
  const key = await crypto.subtle.importKey("raw", password, "PBKDF2", false, ["deriveBits"]);
  const algorithm = { name: "PBKDF2", hash: "SHA-256", salt, iterations: 1 };
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, key, 8 * length));
}

/**
 * scrypt with r = 8.
 * @param {number} n cost, a power of two @param {number} lanes the factor p
 * @param {(done: number, total: number) => void} step called 64 times for each lane
 * @returns {Promise<Uint8Array>}
 */
export async function scrypt(password, salt, n, lanes, length, step) {
  const all = await pbkdf2(password, salt, lanes * BLOCK);
  const core = newCore();
  const start = core.scrypt_block();
  const block = memoryTo(core, start + (n + 1) * BLOCK).subarray(start, start + BLOCK);
  for (let lane = 0; lane < lanes; lane++) {
    block.set(all.subarray(lane * BLOCK, (lane + 1) * BLOCK));
    for (let i = 0; i < STEPS; i++) {
      const [from, to] = [i, i + 1].map((k) => Math.floor((2 * n * k) / STEPS));
      core.scrypt(from % n, from % n + to - from, n, from < n);
      step(lane * STEPS + i + 1, lanes * STEPS);
    }
    all.set(block, lane * BLOCK);
  }
  return pbkdf2(password, all, length);
}
