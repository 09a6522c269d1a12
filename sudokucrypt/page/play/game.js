// One puzzle as it is played: digits, pencil marks, colors, struck candidates, and steps to undo.
// Cells and digits are numbers from 0; -1 is an open cell.

import { applyRules } from "./rules.js";

const STORED = "sudokucrypt play ";

/** How many colors cells can have. */
export const COLORS = 6;

/** Return the result of `work` on the store, or null if the browser has none, as in private windows. */
function withStore(work) {
  try {
    return work(localStorage);
  } catch {
    return null;
  }
}

export class Game {
  constructor(puzzle, rules) {
    this.puzzle = puzzle;
    this.rules = rules;
    this.count = rules.symbols.length;
    this.past = [];
    this.future = [];
    this.state = withStore((store) => this.loadState(store)) ?? this.makeState();
  }

  makeState() {
    const { givens } = this.puzzle;
    return { digits: [...givens], marks: givens.map(() => []), struck: [], colors: givens.map(() => 0) };
  }

  /** The state that an earlier visit stored, or null if it is invalid. */
  loadState(store) {
    const below = (limit) => (value) => Number.isInteger(value) && value >= 0 && value < limit;
    const { givens } = this.puzzle;
    const state = JSON.parse(store.getItem(STORED + this.puzzle.id));
    const { digits, marks, struck } = state;
    state.colors ??= givens.map(() => 0);  // games of earlier versions have none
    const fits = (given, cell) => marks[cell].every(below(this.count)) &&
      (given < 0 ? below(this.count + 1)(digits[cell] + 1) : digits[cell] === given);
    return digits.length === givens.length && givens.every(fits) &&
      state.colors.length === givens.length && state.colors.every(below(COLORS + 1)) &&
      struck.every(below(givens.length * this.count)) ? state : null;
  }

  /** Store a changed state for the next visit; just opening the page does not overwrite it. */
  store() {
    withStore((store) => store.setItem(STORED + this.puzzle.id, JSON.stringify(this.state)));
  }

  /** Do something that can be undone. */
  change(work) {
    const before = JSON.stringify(this.state);
    work(this.state);
    if (JSON.stringify(this.state) === before) return;
    this.past.push(before);
    this.future = [];
    this.store();
  }

  undo() {
    this.move(this.past, this.future);
  }

  redo() {
    this.move(this.future, this.past);
  }

  /** Take the last state of one list, and keep the present one in the other. */
  move(from, to) {
    if (from.length === 0) return;
    to.push(JSON.stringify(this.state));
    this.state = JSON.parse(from.pop());
    this.store();
  }

  /** Put a digit in cells, or remove it if all have it; peers lose its pencil mark. */
  enter(cells, digit) {
    const open = cells.filter((cell) => this.puzzle.givens[cell] < 0);
    this.change(({ digits, marks }) => {
      const there = open.every((cell) => digits[cell] === digit);
      for (const cell of open) {
        digits[cell] = there ? -1 : digit;
        if (there) continue;
        marks[cell] = [];
        for (const peer of this.rules.peers[cell]) marks[peer] = marks[peer].filter((d) => d !== digit);
      }
    });
  }

  /** Set a pencil mark in cells, or remove it if all of them have it. */
  mark(cells, digit) {
    this.change(({ digits, marks }) => {
      const open = cells.filter((cell) => digits[cell] < 0);
      const there = open.every((cell) => marks[cell].includes(digit));
      for (const cell of open) {
        const others = marks[cell].filter((other) => other !== digit);
        marks[cell] = there ? others : [...others, digit];
      }
    });
  }

  /** Give cells a color from 1, or none if all of them have it. */
  paint(cells, color) {
    this.change(({ colors }) => {
      const there = cells.every((cell) => colors[cell] === color);
      for (const cell of cells) colors[cell] = there ? 0 : color;
    });
  }

  /** Erase digits and pencil marks, or colors if the cells have neither. */
  erase(cells) {
    this.change(({ digits, marks, colors }) => {
      const { givens } = this.puzzle;
      const empty = cells.every((cell) => digits[cell] === givens[cell] && marks[cell].length === 0);
      for (const cell of cells) {
        if (empty) colors[cell] = 0;
        [digits[cell], marks[cell]] = [givens[cell], []];
      }
    });
  }

  /** Remove candidates that a hint excludes. */
  strike(pairs) {
    this.change(({ marks, struck }) => pairs.forEach(([cell, digit]) => {
      marks[cell] = marks[cell].filter((other) => other !== digit);
      struck.push(cell * this.count + digit);
    }));
  }

  markAll() {
    this.change(({ digits, marks }) => {
      const possible = digits.map((digit, cell) => (digit < 0 ? this.listPossible(cell) : [digit]));
      const left = applyRules(this.rules, possible);
      for (const cell of digits.keys()) marks[cell] = digits[cell] < 0 ? left[cell] : [];
    });
  }

  /** The digits that houses and hints leave to a cell. */
  listPossible(cell) {
    const { digits, struck } = this.state;
    const gone = new Set(this.rules.peers[cell].map((peer) => digits[peer]));
    return [...Array(this.count).keys()].filter(
      (digit) => !gone.has(digit) && !struck.includes(cell * this.count + digit));
  }

  /** Whether a digit is still a candidate of a cell, by the pencil marks of the player. */
  isOpen(cell, digit) {
    const { digits, marks } = this.state;
    return digits[cell] < 0 && this.listPossible(cell).includes(digit) &&
      (marks[cell].length === 0 || marks[cell].includes(digit));
  }

  findCells(test) {
    return [...this.state.digits.keys()].filter((cell) => test(cell, this.state.digits[cell]));
  }

  findWrong() {
    const { solution } = this.puzzle;  // null while the givens of a puzzle are typed
    return this.findCells((cell, digit) => solution && digit >= 0 && digit !== solution[cell]);
  }
}
