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

/**
 * A pass: the unit at (r, c) and that at `rows[r] + columns[c] + steps[alpha[r] + beta[c]]` of the
 * other array are the same. In a row pass that is (r, S[r, c]), in a column pass (S[r, c], c), and
 * in a block pass ((r div p) p + c div q, S[r, c]).
 */
function passOf(kind, { n, p, q }, { alpha, beta, sigma }) {
  const numbers = Uint32Array.from({ length: n }, (_, i) => i);
  const none = new Uint32Array(n);
  const steps = new Uint32Array(2 * n); // alpha + beta is below 2 n: a second copy saves the modulus
  const along = kind === 1 ? sigma.map((digit) => digit * n) : sigma;
  steps.set(along);
  steps.set(along, n);
  const rows = [(r) => r * n, null, (r) => (r - (r % p)) * n][kind];
  const columns = [null, (c) => c, (c) => Math.floor(c / q) * n][kind];
  const bases = [rows, columns].map((of) => (of ? numbers.map(of) : none));
  return { alpha, beta, steps, rows: bases[0], columns: bases[1], strip: kind === 1 ? STRIP : n };
}

/** Everything that is drawn for N units: exchanges of spares, and three passes a round. */
export function drawPasses(count, rounds, words) {
  const plan = layout(count);
  const window = plan.n * plan.n;
  const exchanges = new Uint32Array(count - window); // of the last spare first
  for (let i = count - 1; i >= window; i--) exchanges[count - 1 - i] = draw(i + 1, words);
  const passes = Array.from({ length: 3 * rounds }, (_, step) =>
    passOf(step % 3, plan, drawGrid(plan.p, plan.q, words)),
  );
  return { n: plan.n, exchanges, passes };
}

/** Move all units by a pass. Strips of columns keep what is read in the cache. */
export function move(from, to, n, { alpha, beta, steps, rows, columns, strip }, undo) {
  for (let left = 0; left < n; left += strip) {
    const right = Math.min(left + strip, n);
    for (let r = 0; r < n; r++) {
      const [shift, base] = [alpha[r], rows[r]];
      for (let c = left, at = r * n + left; c < right; c++, at++) {
        const other = base + columns[c] + steps[shift + beta[c]];
        if (undo) to[at] = from[other];
        else to[other] = from[at];
      }
    }
  }
}

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
  (undo ? plan.passes.reverse() : plan.passes).forEach((pass, step) => {
    move(from, to, plan.n, pass, undo);
    [from, to] = [to, from];
    report(step + 1, plan.passes.length);
  });
  from.set(spares, plan.n * plan.n);
  if (undo) {
    for (let step = plan.exchanges.length - 1; step >= 0; step--) {
      exchange(from, last - step, plan.exchanges[step]);
    }
  }
  return from;
}
