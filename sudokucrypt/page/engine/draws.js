// Numbers and permutations drawn from a stream, and Sudoku grids (scrambling, sections 2 and 3).

import { require } from "./bytes.js";

/** Unpredictable words. */
export const randomWords = { next: () => crypto.getRandomValues(new Uint32Array(1))[0] };

/** draw(b): an integer in 0..b - 1, for b in 1..2^32, more than any picture here needs. */
export function draw(bound, words) {
  require(bound >= 1 && bound <= 2 ** 32, "a bound of a draw is 1..2^32");
  const limit = 2 ** 32 - (2 ** 32 % bound);
  for (;;) {
    const word = words.next();
    if (word < limit) return word % bound;
  }
}

/** shuffle(m): a permutation of 0..m - 1. @returns {Uint32Array} */
export function shuffle(size, words) {
  const f = Uint32Array.from({ length: size }, (_, i) => i);
  for (let i = size - 1; i > 0; i--) {
    const j = draw(i + 1, words);
    [f[i], f[j]] = [f[j], f[i]];
  }
  return f;
}

/** Permutation of 0..outer inner - 1 that keeps groups of `inner` together: bands or stacks. */
function drawLines(outer, inner, words) {
  const groups = shuffle(outer, words);
  const lines = new Uint32Array(outer * inner);
  for (let i = 0; i < outer; i++) {
    const within = shuffle(inner, words);
    for (let k = 0; k < inner; k++) lines[i * inner + k] = groups[i] * inner + within[k];
  }
  return lines;
}

/**
 * grid(p, q): the digit in row r, column c is sigma[(alpha[r] + beta[c]) mod p q].
 * @returns {{alpha: Uint32Array, beta: Uint32Array, sigma: Uint32Array}}
 */
export function drawGrid(p, q, words) {
  const rows = drawLines(q, p, words);
  const columns = drawLines(p, q, words);
  const sigma = shuffle(p * q, words);
  const turned = p === q && draw(2, words) === 1;
  const alpha = rows.map((row) => q * (row % p) + Math.floor(row / p));
  return turned ? { alpha: columns, beta: alpha, sigma } : { alpha, beta: columns, sigma };
}
