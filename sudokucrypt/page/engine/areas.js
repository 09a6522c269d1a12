// Areas of a picture: rectangles, or the runs of a mask in base64 (redaction, section 2).

import { addUp, base64, isWithin, require, unbase64, zeros } from "./bytes.js";

const MAX_COVERS = 4; // all rectangles together may have this many times the pixels of the canvas
const MAX_SIDE = 2147483647;

const checkFit = (valid) => require(valid, "the covered areas do not fit the picture");

/** Lengths of the runs of a mask, alternately outside and inside of the area. */
function readMask(text) {
  const data = unbase64(text);
  checkFit(base64(data) === text);
  const runs = [];
  let number = 0;
  let size = 0;
  for (const byte of data) {
    number += (byte % 128) * 128 ** size;
    size++;
    if (byte >= 128) continue;
    checkFit(size <= 5 && (size === 1 || byte > 0));
    checkFit(number > 0 || runs.length === 0);
    runs.push(number);
    number = size = 0;
  }
  checkFit(size === 0 && runs.length > 0);
  return runs;
}

/** A mask of the pixels of a canvas in an area, one byte each in C order. @returns {Uint8Array} */
export function maskArea(area, canvas) {
  return findOwners([area], canvas);
}

/** For each pixel, the number of the first area that contains it, from 1, or 0. @returns {Uint8Array} */
export function findOwners(areas, canvas) {
  const owners = zeros(canvas[0] * canvas[1]);
  // From the last to the first, so that the first area wins where several overlap.
  for (let number = areas.length; number > 0; number--) {
    const area = areas[number - 1];
    if (typeof area === "string") fillRuns(owners, readMask(area), number);
    else fillRectangles(owners, area, canvas, number);
  }
  return owners;
}

function fillRectangles(owners, rectangles, [rows, columns], number) {
  checkFit(Array.isArray(rectangles) && rectangles.length > 0);
  let covered = 0;
  for (const rectangle of rectangles) {
    checkFit(Array.isArray(rectangle) && rectangle.length === 4);
    checkFit(rectangle.every((x, i) => isWithin(x, i < 2 ? 0 : 1, MAX_SIDE)));
    const [row, column, height, width] = rectangle;
    checkFit(row + height <= rows && column + width <= columns);
    covered += height * width;
  }
  checkFit(covered <= MAX_COVERS * rows * columns);
  for (const [row, column, height, width] of rectangles) {
    for (let r = row; r < row + height; r++) {
      owners.fill(number, r * columns + column, r * columns + column + width);
    }
  }
}

function fillRuns(owners, runs, number) {
  checkFit(addUp(runs) === owners.length);
  let start = 0;
  runs.forEach((length, turn) => {
    if (turn % 2) owners.fill(number, start, start + length);
    start += length;
  });
}

const MOST_WRITTEN = 1024; // rectangles, so that the index stays short

/** The area of rectangles in the form of an index: the rectangles, or runs of a mask if there are many. */
export function encodeArea(rectangles, canvas) {
  const [rows, columns] = canvas;
  const covered = addUp(rectangles.map(([, , height, width]) => height * width));
  const usual = rectangles.length <= MOST_WRITTEN && covered <= MAX_COVERS * rows * columns;
  if (usual && rectangles.length > 0) return rectangles;
  const chosen = zeros(rows * columns);
  for (const [row, column, height, width] of rectangles) {
    for (let r = row; r < row + height; r++) chosen.fill(1, r * columns + column, r * columns + column + width);
  }
  const bytes = [];
  for (let at = 0, turn = 0; at < chosen.length; turn = 1 - turn) {
    const end = chosen.indexOf(1 - turn, at);
    let length = (end < 0 ? chosen.length : end) - at;
    at += length;
    for (; length >= 128; length >>>= 7) bytes.push((length & 127) | 128);
    bytes.push(length);
  }
  return base64(Uint8Array.from(bytes));
}
