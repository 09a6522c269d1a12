// Units and their groups (scrambling, section 4), and how the units of an image move.

import { permute, permuteUnits } from "./permutation.js";

/** The shape as rows, columns and samples of a pixel. @returns {[number, number, number]} */
export function rowsColumnsChannels(shape) {
  if (shape.length === 1) return [1, shape[0], 1];
  return [shape[0], shape[1], shape[2] ?? 1];
}

/** How many units every group has that exists, by its name. @returns {Map<string, number>} */
export function groupSizes(shape, unit, blockSize) {
  const [m, n, channels] = rowsColumnsChannels(shape);
  const sizes = new Map();
  if (unit === "block") {
    const rows = Math.floor(m / blockSize);
    const columns = Math.floor(n / blockSize);
    sizes.set("main", rows * columns);
    sizes.set("right", n % blockSize ? rows : 0);
    sizes.set("bottom", m % blockSize ? columns : 0);
  } else {
    sizes.set("main", m * n * (unit === "sample" ? channels : 1));
  }
  for (const [name, size] of sizes) if (size === 0) sizes.delete(name);
  return sizes;
}

/** Default rounds for groups of these numbers of units, none of them 0. */
export function defaultRounds(counts) {
  const smallest = counts.length ? counts.reduce((a, b) => Math.min(a, b)) : 0;
  return smallest >= 1048576 ? 2 : smallest >= 4096 ? 3 : 4;
}

/** Offsets of the first byte of each block of a group, and rows and bytes of a row of a block. */
function blocksOf(name, [m, n, channels], b, sampleBytes) {
  const pixel = channels * sampleBytes;
  const line = n * pixel;
  const rows = Math.floor(m / b);
  const columns = Math.floor(n / b);
  const offsets = [];
  const add = (row, column) => offsets.push(row * b * line + column * b * pixel);
  if (name === "main") for (let i = 0; i < rows * columns; i++) add(Math.floor(i / columns), i % columns);
  if (name === "right") for (let i = 0; i < rows; i++) add(i, columns);
  if (name === "bottom") for (let i = 0; i < columns; i++) add(rows, i);
  const height = name === "bottom" ? m % b : b;
  return { offsets, height, width: (name === "right" ? n % b : b) * pixel, line };
}

function moveBlocks(data, { offsets, height, width, line }, rounds, words, undo, report) {
  const order = permute(Uint32Array.from(offsets, (_, i) => i), rounds, words, undo, report);
  const source = data.slice();
  order.forEach((from, to) => {
    for (let row = 0; row < height; row++) {
      const [start, target] = [from, to].map((i) => offsets[i] + row * line);
      // Units of a few bytes: a loop is faster than a view for each.
      for (let k = 0; k < width; k++) data[target + k] = source[start + k];
    }
  });
}

/**
 * Move the units of an image in place, or undo it.
 * @param {Uint8Array} data its samples
 * @param {{unit: string, blockSize: number|null, rounds: number}} header
 * @param {(group: string) => Promise<{next(): number}>} wordsOf the stream of a group
 */
export async function moveUnits(data, shape, sampleBytes, header, wordsOf, undo, report) {
  const [m, n, channels] = rowsColumnsChannels(shape);
  const { unit, blockSize, rounds } = header;
  for (const name of groupSizes(shape, unit, blockSize).keys()) {
    const words = await wordsOf(name);
    if (unit === "block") {
      const blocks = blocksOf(name, [m, n, channels], blockSize, sampleBytes);
      moveBlocks(data, blocks, rounds, words, undo, report);
    } else {
      const size = sampleBytes * (unit === "pixel" ? channels : 1);
      permuteUnits(data, size, rounds, words, undo, report);
    }
  }
}
