// scrypt (RFC 7914) with blocks of r = 8: PBKDF2 by WebCrypto, and the mixing of memory here.

const WORDS = 256; // 32-bit words of a block, 128 r bytes
const CHUNK = 16; // words of Salsa20

async function pbkdf2(password, salt, length) {
  const key = await crypto.subtle.importKey("raw", password, "PBKDF2", false, ["deriveBits"]);
  const algorithm = { name: "PBKDF2", hash: "SHA-256", salt, iterations: 1 };
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, key, 8 * length));
}

/** The quarter-round of Salsa20 on four words. */
function turn(x, a, b, c, d) {
  let sum = (x[a] + x[d]) | 0;
  x[b] ^= (sum << 7) | (sum >>> 25);
  sum = (x[b] + x[a]) | 0;
  x[c] ^= (sum << 9) | (sum >>> 23);
  sum = (x[c] + x[b]) | 0;
  x[d] ^= (sum << 13) | (sum >>> 19);
  sum = (x[d] + x[c]) | 0;
  x[a] ^= (sum << 18) | (sum >>> 14);
}

/** scryptBlockMix: chunks are chained by Salsa20/8; even ones go first, odd ones last. */
function mixBlock(block, mixed, sum, x) {
  sum.set(block.subarray(WORDS - CHUNK));
  for (let chunk = 0; chunk < WORDS / CHUNK; chunk++) {
    for (let i = 0; i < CHUNK; i++) x[i] = sum[i] ^= block[chunk * CHUNK + i];
    for (let double = 0; double < 4; double++) {
      turn(x, 0, 4, 8, 12);
      turn(x, 5, 9, 13, 1);
      turn(x, 10, 14, 2, 6);
      turn(x, 15, 3, 7, 11);
      turn(x, 0, 1, 2, 3);
      turn(x, 5, 6, 7, 4);
      turn(x, 10, 11, 8, 9);
      turn(x, 15, 12, 13, 14);
    }
    for (let i = 0; i < CHUNK; i++) sum[i] += x[i];
    mixed.set(sum, ((chunk >> 1) + (chunk % 2) * (WORDS / CHUNK / 2)) * CHUNK);
  }
  block.set(mixed);
}

/**
 * scrypt with r = 8.
 * @param {number} n cost, a power of two @param {number} lanes the factor p
 * @param {(done: number, total: number) => void} step called 64 times for each lane
 * @returns {Promise<Uint8Array>}
 */
export async function scrypt(password, salt, n, lanes, length, step) {
  const start = await pbkdf2(password, salt, lanes * WORDS * 4);
  const all = new Int32Array(start.buffer); // every browser runs on little-endian machines
  const memory = new Int32Array(n * WORDS);
  const mixed = new Int32Array(WORDS);
  const sum = new Int32Array(CHUNK);
  const x = new Int32Array(CHUNK);
  const report = Math.max(1, n >> 5);
  for (let lane = 0; lane < lanes; lane++) {
    const block = all.subarray(lane * WORDS, (lane + 1) * WORDS);
    for (let i = 0; i < n; i++) {
      memory.set(block, i * WORDS);
      mixBlock(block, mixed, sum, x);
      if ((i + 1) % report === 0) step(2 * n * lane + i + 1, 2 * n * lanes);
    }
    for (let i = 0; i < n; i++) {
      const j = (block[WORDS - CHUNK] & (n - 1)) * WORDS;
      for (let k = 0; k < WORDS; k++) block[k] ^= memory[j + k];
      mixBlock(block, mixed, sum, x);
      if ((i + 1) % report === 0) step(2 * n * lane + n + i + 1, 2 * n * lanes);
    }
  }
  return pbkdf2(password, start, length);
}
