// The permutation of N units (scrambling, section 5), on an array of units of some bytes each.

import { viewBytes } from "./bytes.js";
import { useMemory } from "./core.js";
import { draw, drawGrid, shuffle } from "./draws.js";

const SHUFFLED_BELOW = 36;
const STRIP = 128; // bytes of a row of a strip of columns, as core/moves.c says

/** Rows and columns of a box for the order n, the largest p first, or null. */
function findBox(n) {
  for (let p = Math.floor(Math.sqrt(n)); p > 1; p--) {
    const q = n / p;
    if (Number.isInteger(q) && q <= 2 * p) return { p, q };
  }
  return null;
}

/** Layout of N >= 36 units. @returns {{n: number, p: number, q: number}} */
export function layout(count) {
  for (let n = Math.floor(Math.sqrt(count)); ; n--) {
    const box = findBox(n);
    if (box !== null) return { n, ...box };
  }
}

/** Draw the exchanges of spares, and the grids of three passes a round, for N units. */
export function drawPasses(count, rounds, words) {
  const plan = layout(count);
  const window = plan.n * plan.n;
  const exchanges = new Uint32Array(count - window); // the exchange of the last spare is first
  for (let i = count - 1; i >= window; i--) exchanges[count - 1 - i] = draw(i + 1, words);
  const passes = Array.from({ length: 3 * rounds }, (_, step) => {
    return { kind: step % 3, ...drawGrid(plan.p, plan.q, words) };
  });
  return { ...plan, exchanges, passes };
}

/**
 * Move n x n units of `size` bytes in place by passes: the unit at (r, c) goes to (r, S[r, c]) in a
 * row pass, to (S[r, c], c) in a column pass, and to ((r div p) p + c div q, S[r, c]) in a block pass.
 */
export function movePasses(data, size, { n, p, passes }, undo, report = () => {}) {
  const tables = 4 * n; // numbers of 16 bits: alpha, beta, and sigma twice, as alpha + beta is below 2 n
  const length = n * n * size;
  const region = n * Math.max(p * size, STRIP, size);
  useMemory(2 * tables + length + region, (core, memory) => {
    const start = memory.byteOffset;
    const numbers = new Uint16Array(memory.buffer, start, tables);
    const units = memory.subarray(2 * tables, 2 * tables + length);
    units.set(data.subarray(0, length));
    const order = undo ? [...passes].reverse() : passes;
    order.forEach(({ kind, alpha, beta, sigma }, step) => {
      [alpha, beta, sigma, sigma].forEach((part, i) => numbers.set(part, i * n));
      core.move(units.byteOffset, units.byteOffset + length, start, n, p, kind, undo, size);
      report(step + 1, passes.length);
    });
    data.set(units);
  });
}

/** Exchange units with the last ones in sequence, from the last one. */
function swapSpares(data, size, exchanges, undo) {
  const last = data.length / size - 1;
  for (let i = 0; i < exchanges.length; i++) {
    const step = undo ? exchanges.length - 1 - i : i;
    let [a, b] = [(last - step) * size, exchanges[step] * size];
    for (let k = 0; k < size; k++, a++, b++) {
      const byte = data[a];
      data[a] = data[b];
      data[b] = byte;
    }
  }
}

/** permutation(N, R) on units of `size` bytes in place, or with `undo` its inverse. */
export function permuteUnits(data, size, rounds, words, undo, report = () => {}) {
  const count = data.length / size;
  if (count < SHUFFLED_BELOW) {
    const source = data.slice();
    shuffle(count, words).forEach((f, i) => {
      const [from, to] = undo ? [i, f] : [f, i];
      data.set(source.subarray(from * size, (from + 1) * size), to * size);
    });
    return;
  }
  const plan = drawPasses(count, rounds, words);
  if (!undo) swapSpares(data, size, plan.exchanges, undo);
  movePasses(data, size, plan, undo, report);
  if (undo) swapSpares(data, size, plan.exchanges, undo);
}

/** The numbers from 0 on, of which as many are permuted. @returns {Uint32Array} */
export function permute(count, rounds, words, undo, report = () => {}) {
  const units = Uint32Array.from({ length: count }, (_, i) => i);
  permuteUnits(viewBytes(units), 4, rounds, words, undo, report);
  return units;
}
