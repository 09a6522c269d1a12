// Maps of positions, as in the package's `bijections`: between names of cells, and after passes.
// A map says to what place that at each place goes; it is an Int32Array, in which what is not whole is cut.

import { viewBytes } from "./bytes.js";
import { drawPasses, movePasses } from "./permutation.js";

/** The identity map. */
export const listPlaces = (count) => new Int32Array(count).map((_, i) => i);

/** Move each item to its position in a map. */
export function moveItems(items, map) {
  const result = items.slice();
  map.forEach((place, i) => (result[place] = items[i]));
  return result;
}

/** Pairs of numbers that each name every cell of a 9 x 9 grid once. */
export const NAMES = [
  "row, column", "box, place", "row, digit", "digit, row",
  "column, digit", "digit, column", "box, digit", "digit, box",
];

/** Numbers of all cells, from 1 as people count; boxes, and places in a box, row by row, as passes do. */
export function numberCells(digit) {
  const row = digit.map((_, i) => i / 9 + 1);
  const column = digit.map((_, i) => (i % 9) + 1);
  const band = row.map((number) => (number + 2) / 3);
  const stack = column.map((number) => (number + 2) / 3);
  const box = band.map((number, i) => 3 * number - 3 + stack[i]);
  const place = row.map((number, i) => 3 * ((number - 1) % 3) + ((column[i] - 1) % 3) + 1);
  return { row, column, band, stack, box, place, digit };
}

/** The two numbers of a cell for a name. */
export const getPair = (numbers, name, cell) => name.split(", ").map((word) => numbers[word][cell]);

/** F[from -> to]: cell i goes to the cell F[i] whose name `to` has the numbers of its name `from`. */
export function makeCellMap(numbers, from, to) {
  const cells = listPlaces(81);
  const [first, second] = [from, to].map((name) => cells.map((i) => {
    const [one, two] = getPair(numbers, name, i);
    return 9 * one + two - 10;
  }));
  const named = moveItems(cells, second);
  return first.map((pair) => named[pair]);
}

/** The positions of the units of a full square before all passes, and after each. */
export function computePlaces(count, rounds, words) {
  const plan = drawPasses(count, rounds, words);
  const home = listPlaces(count);
  const units = [home];
  for (const pass of plan.passes) {
    units.push(units.at(-1).slice());
    movePasses(viewBytes(units.at(-1)), 4, { ...plan, passes: [pass] }, false);
  }
  return units.map((order) => moveItems(home, order));
}
