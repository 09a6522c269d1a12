// The canvas, and which of its pixels change (pictures, sections 2 and 3).

import { require, unbase64 } from "./bytes.js";

const MAX_COVERS = 4; // regions may be this many times the canvas together

const selects = (condition) => require(condition, "the regions or the mask do not fit the picture");

/** Lengths of the runs in the field `mask`, not selected and selected in turn. */
export function readMask(data) {
  const runs = [];
  let number = 0;
  let size = 0;
  for (const byte of data) {
    number += (byte % 128) * 128 ** size;
    size++;
    if (byte >= 128) continue;
    selects(size <= 5 && (size === 1 || byte > 0));
    selects(number > 0 || runs.length === 0);
    runs.push(number);
    number = size = 0;
  }
  selects(size === 0 && runs.length > 0);
  return runs;
}

/**
 * Which pixels of a canvas are selected, one byte each in C order; null if all change.
 * @param {object} fields of a header
 * @returns {Uint8Array|null}
 */
export function selectionOf(fields, rows, columns) {
  if (!("regions" in fields) && !("mask" in fields)) return null;
  const area = rows * columns;
  selects(area > 0);
  if ("mask" in fields) return selectedByRuns(readMask(unbase64(fields.mask)), area);
  const covered = fields.regions.reduce((sum, region) => sum + region[2] * region[3], 0);
  selects(covered <= MAX_COVERS * area);
  for (const [row, column, height, width] of fields.regions) {
    selects(row + height <= rows && column + width <= columns);
  }
  const selected = new Uint8Array(area);
  for (const [row, column, height, width] of fields.regions) {
    for (let r = row; r < row + height; r++) {
      selected.fill(1, r * columns + column, r * columns + column + width);
    }
  }
  return selected;
}

function selectedByRuns(runs, area) {
  // The sum comes first: runs that lie about the canvas must not take memory for it.
  selects(runs.reduce((a, b) => a + b, 0) === area);
  const selected = new Uint8Array(area);
  let start = 0;
  runs.forEach((length, turn) => {
    if (turn % 2) selected.fill(1, start, start + length);
    start += length;
  });
  return selected;
}

/** Numbers of the pixels of a frame that change, in C order. @returns {Uint32Array} */
export function changingPixels(selected, [canvasRows, canvasColumns], [rows, columns], [top, left]) {
  const inside = Math.max(0, Math.min(columns, canvasColumns - left));
  const pixels = [];
  for (let r = 0; r < Math.min(rows, canvasRows - top); r++) {
    const start = (top + r) * canvasColumns + left;
    for (let c = 0; c < inside; c++) if (selected[start + c]) pixels.push(r * columns + c);
  }
  return Uint32Array.from(pixels);
}
