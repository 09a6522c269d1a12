// Units and their groups (scrambling, section 4), and how the units of an image move.

import { zeros } from "./bytes.js";
import { SEGMENT_BYTES } from "./header.js";
import { permute, permuteUnits } from "./permutation.js";

/** The shape as rows, columns and samples of a pixel. @returns {[number, number, number]} */
function splitShape(shape) {
  if (shape.length === 1) return [1, shape[0], 1];
  return [shape[0], shape[1], shape[2] ?? 1];
}

/** The number of units of each group that is not empty, by its name. @returns {Map<string, number>} */
export function countUnits(shape, unit, blockSize) {
  const [m, n, channels] = splitShape(shape);
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

/** Default rounds of a file that is moved in segments: those of a whole one. */
export const segmentRounds = () => defaultRounds([SEGMENT_BYTES / SEGMENT_UNIT]);

/** Default rounds for groups of these numbers of units, none of them 0. */
export function defaultRounds(counts) {
  const smallest = counts.length ? counts.reduce((a, b) => Math.min(a, b)) : 0;
  return smallest >= 1048576 ? 2 : smallest >= 4096 ? 3 : 4;
}

/** Offsets of the first byte of each block of a group, and rows and bytes of a row of a block. */
function locateBlocks(name, [m, n, channels], b, sampleBytes) {
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
  const order = permute(offsets.length, rounds, words, undo, report);
  const source = data.slice();
  order.forEach((from, to) => {
    for (let row = 0; row < height; row++) {
      const [start, target] = [from, to].map((i) => offsets[i] + row * line);
      // Units of a few bytes: a loop is faster than a view for each.
      for (let k = 0; k < width; k++) data[target + k] = source[start + k];
    }
  });
}

const SEGMENT_UNIT = 64; // bytes that move together inside a segment

/** The maps of the segments of a picture of `length` bytes: one of whole segments, one of the last. */
export function drawMaps(length, rounds, words) {
  const maps = new Map();
  for (const size of [SEGMENT_BYTES, length % SEGMENT_BYTES]) {
    const count = Math.floor(size / SEGMENT_UNIT);
    maps.set(count, permute(count, rounds, words, false));
  }
  return maps;
}

/** Move the bytes of some segments in place, or undo it (encryption, section 6). */
export function moveSegments(data, maps, undo) {
  const source = zeros(SEGMENT_BYTES);
  for (let start = 0; start < data.length; start += SEGMENT_BYTES) {
    const segment = data.subarray(start, start + SEGMENT_BYTES);
    source.set(segment);
    maps.get(Math.floor(segment.length / SEGMENT_UNIT)).forEach((f, i) => {
      const [from, to] = undo ? [i, f] : [f, i];
      const at = from * SEGMENT_UNIT;
      segment.set(source.subarray(at, at + SEGMENT_UNIT), to * SEGMENT_UNIT);
    });
  }
}

/**
 * Move the units of an image in place, or undo it.
 * @param {Uint8Array} data its samples
 * @param {{unit: string, blockSize: number|null, rounds: number}} header
 * @param {(group: string) => Promise<{next(): number}>} wordsOf the stream of a group
 */
export async function moveUnits(data, shape, sampleBytes, header, wordsOf, undo, report) {
  const [m, n, channels] = splitShape(shape);
  const { unit, blockSize, rounds } = header;
  for (const name of countUnits(shape, unit, blockSize).keys()) {
    const words = await wordsOf(name);
    if (unit === "block") {
      const blocks = locateBlocks(name, [m, n, channels], blockSize, sampleBytes);
      moveBlocks(data, blocks, rounds, words, undo, report);
    } else {
      const size = sampleBytes * (unit === "pixel" ? channels : 1);
      permuteUnits(data, size, rounds, words, undo, report);
    }
  }
}
