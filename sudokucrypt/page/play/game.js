// One puzzle as it is played: digits, pencil marks, colors, what hints struck, what can be undone.
// Cells and digits are numbers from 0; -1 is an open cell.

import { leftByRules } from "./rules.js";

const STORED = "sudokucrypt play ";

/** How many colors cells can have. */
export const COLORS = 6;

/** What work on the store returns; private windows and some files have none. */
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
    this.state = withStore((store) => this.stored(store)) ?? this.fresh();
  }

  fresh() {
    const { givens } = this.puzzle;
    return { digits: [...givens], marks: givens.map(() => []), struck: [], colors: givens.map(() => 0) };
  }

  /** What an earlier visit left, if it makes sense. */
  stored(store) {
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

  /** Keep a state that changed for the next visit; to look at a page writes over nothing. */
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

  /** Put a digit in cells, or take it away where all have it; peers lose its pencil mark. */
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

  /** Set a pencil mark in cells, or take it away where all of them have it. */
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

  /** Give cells a color from 1, or none where all of them have it. */
  paint(cells, color) {
    this.change(({ colors }) => {
      const there = cells.every((cell) => colors[cell] === color);
      for (const cell of cells) colors[cell] = there ? 0 : color;
    });
  }

  /** Erase digits and pencil marks; where there is nothing of both, colors. */
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

  /** Take candidates away that a hint refutes. */
  strike(pairs) {
    this.change(({ marks, struck }) => pairs.forEach(([cell, digit]) => {
      marks[cell] = marks[cell].filter((other) => other !== digit);
      struck.push(cell * this.count + digit);
    }));
  }

  markAll() {
    this.change(({ digits, marks }) => {
      const possible = digits.map((digit, cell) => (digit < 0 ? this.possible(cell) : [digit]));
      const left = leftByRules(this.rules, possible);
      for (const cell of digits.keys()) marks[cell] = digits[cell] < 0 ? left[cell] : [];
    });
  }

  /** The digits that houses and hints leave to a cell. */
  possible(cell) {
    const { digits, struck } = this.state;
    const gone = new Set(this.rules.peers[cell].map((peer) => digits[peer]));
    return [...Array(this.count).keys()].filter(
      (digit) => !gone.has(digit) && !struck.includes(cell * this.count + digit));
  }

  /** Whether a digit is still open in a cell, as far as the player shows it. */
  isOpen(cell, digit) {
    const { digits, marks } = this.state;
    return digits[cell] < 0 && this.possible(cell).includes(digit) &&
      (marks[cell].length === 0 || marks[cell].includes(digit));
  }

  cellsWhere(test) {
    return [...this.state.digits.keys()].filter((cell) => test(cell, this.state.digits[cell]));
  }

  wrong() {
    const { solution } = this.puzzle;  // null while the givens of a puzzle are typed
    return this.cellsWhere((cell, digit) => solution && digit >= 0 && digit !== solution[cell]);
  }
}
