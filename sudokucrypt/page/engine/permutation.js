// The permutation of N units (scrambling, section 5), on an array that holds one number a unit.

import { draw, drawGrid, shuffle } from "./draws.js";

const SHUFFLED_BELOW = 36;
const STRIP = 16; // columns of a strip: 64 bytes of 4, a line of the cache, so n lines of it stay there

/** Rows and columns of a box for the order n, the largest p first, or null. */
function boxOf(n) {
  for (let p = Math.floor(Math.sqrt(n)); p > 1; p--) {
    const q = n / p;
    if (Number.isInteger(q) && q <= 2 * p) return { p, q };
  }
  return null;
}

/** Layout of N >= 36 units. @returns {{n: number, p: number, q: number}} */
export function layout(count) {
  for (let n = Math.floor(Math.sqrt(count)); ; n--) {
    const box = boxOf(n);
    if (box !== null) return { n, ...box };
  }
}

/** Everything that is drawn for N units: exchanges of spares, and three grids a round. */
function drawPasses(count, rounds, words) {
  const plan = layout(count);
  const window = plan.n * plan.n;
  const exchanges = new Uint32Array(count - window); // of the last spare first
  for (let i = count - 1; i >= window; i--) exchanges[count - 1 - i] = draw(i + 1, words);
  const grids = Array.from({ length: 3 * rounds }, () => {
    const grid = drawGrid(plan.p, plan.q, words);
    // alpha + beta is below 2 n, so a second copy of the digits saves the modulus.
    const digits = new Uint32Array(2 * plan.n);
    digits.set(grid.sigma);
    digits.set(grid.sigma, plan.n);
    return { alpha: grid.alpha, beta: grid.beta, digits };
  });
  return { ...plan, exchanges, grids };
}

/** Row pass: the unit at (r, c) and that at (r, S[r, c]) of the other array are the same. */
function rowPass(from, to, { n }, { alpha, beta, digits }, undo) {
  for (let r = 0; r < n; r++) {
    const start = r * n;
    const shift = alpha[r];
    for (let c = 0; c < n; c++) {
      const moved = start + digits[shift + beta[c]];
      if (undo) to[start + c] = from[moved];
      else to[moved] = from[start + c];
    }
  }
}

/** Column pass: (r, c) and (S[r, c], c). Strips of columns keep what is read in the cache. */
function columnPass(from, to, { n }, { alpha, beta, digits }, undo) {
  for (let left = 0; left < n; left += STRIP) {
    const right = Math.min(left + STRIP, n);
    for (let r = 0; r < n; r++) {
      const shift = alpha[r];
      for (let c = left; c < right; c++) {
        const moved = digits[shift + beta[c]] * n + c;
        if (undo) to[r * n + c] = from[moved];
        else to[moved] = from[r * n + c];
      }
    }
  }
}

/** Block pass: (r, c) and ((r div p) p + c div q, S[r, c]). */
function blockPass(from, to, { n, p, q }, { alpha, beta, digits }, undo) {
  for (let r = 0; r < n; r++) {
    const band = r - (r % p);
    const shift = alpha[r];
    for (let c = 0, stack = 0; c < n; stack++) {
      const start = (band + stack) * n;
      for (const end = c + q; c < end; c++) {
        const moved = start + digits[shift + beta[c]];
        if (undo) to[r * n + c] = from[moved];
        else to[moved] = from[r * n + c];
      }
    }
  }
}

const PASSES = [rowPass, columnPass, blockPass];

function exchange(units, i, j) {
  const unit = units[i];
  units[i] = units[j];
  units[j] = unit;
}

/**
 * permutation(N, R) on units, or with `undo` what takes it back.
 * @param {Uint8Array|Uint16Array|Uint32Array} units their memory may be used
 * @returns {Uint8Array|Uint16Array|Uint32Array} of the same type, perhaps the same one
 */
export function permute(units, rounds, words, undo, report = () => {}) {
  const count = units.length;
  if (count < SHUFFLED_BELOW) {
    const result = units.slice();
    shuffle(count, words).forEach((f, i) => {
      if (undo) result[f] = units[i];
      else result[i] = units[f];
    });
    return result;
  }
  const plan = drawPasses(count, rounds, words);
  const last = count - 1;
  if (!undo) plan.exchanges.forEach((j, step) => exchange(units, last - step, j));
  const spares = units.slice(plan.n * plan.n);
  let from = units;
  let to = new units.constructor(count);
  plan.grids.forEach((_, step) => {
    const number = undo ? plan.grids.length - 1 - step : step;
    PASSES[number % 3](from, to, plan, plan.grids[number], undo);
    [from, to] = [to, from];
    report(step + 1, plan.grids.length);
  });
  from.set(spares, plan.n * plan.n);
  if (undo) {
    for (let step = plan.exchanges.length - 1; step >= 0; step--) {
      exchange(from, last - step, plan.exchanges[step]);
    }
  }
  return from;
}
