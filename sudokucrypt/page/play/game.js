// One puzzle as it is played: digits, pencil marks, what hints struck, and what can be undone.
// Cells and digits are numbers from 0; -1 is an open cell.

const STORED = "sudokucrypt play ";

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
    this.state = withStore((store) => this.stored(store)) ?? this.fresh();
  }

  fresh() {
    const { givens } = this.puzzle;
    return { digits: [...givens], marks: givens.map(() => []), struck: [] };
  }

  /** What an earlier visit left, if it makes sense. */
  stored(store) {
    const below = (limit) => (value) => Number.isInteger(value) && value >= 0 && value < limit;
    const { givens } = this.puzzle;
    const state = JSON.parse(store.getItem(STORED + this.puzzle.id));
    const { digits, marks, struck } = state;
    const fits = (given, cell) => marks[cell].every(below(this.count)) &&
      (given < 0 ? below(this.count + 1)(digits[cell] + 1) : digits[cell] === given);
    return digits.length === givens.length && givens.every(fits) &&
      struck.every(below(givens.length * this.count)) ? state : null;
  }

  /** Keep the state for the next visit. */
  store() {
    withStore((store) => store.setItem(STORED + this.puzzle.id, JSON.stringify(this.state)));
  }

  /** Do something that can be undone. */
  change(work) {
    const before = JSON.stringify(this.state);
    work(this.state);
    if (JSON.stringify(this.state) !== before) this.past.push(before);
  }

  undo() {
    if (this.past.length > 0) this.state = JSON.parse(this.past.pop());
  }

  /** Put a digit in a cell, or take it away if it is there; peers lose its pencil mark. */
  enter(cell, digit) {
    if (this.puzzle.givens[cell] >= 0) return;
    this.change(({ digits, marks }) => {
      digits[cell] = digits[cell] === digit ? -1 : digit;
      if (digits[cell] < 0) return;
      marks[cell] = [];
      for (const peer of this.rules.peers[cell]) marks[peer] = marks[peer].filter((d) => d !== digit);
    });
  }

  mark(cell, digit) {
    if (this.state.digits[cell] >= 0) return;
    this.change(({ marks }) => {
      const others = marks[cell].filter((other) => other !== digit);
      marks[cell] = others.length < marks[cell].length ? others : [...others, digit];
    });
  }

  erase(cells) {
    this.change(({ digits, marks }) => {
      for (const cell of cells) [digits[cell], marks[cell]] = [this.puzzle.givens[cell], []];
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
      for (const cell of digits.keys()) marks[cell] = digits[cell] < 0 ? this.possible(cell) : [];
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
    return this.cellsWhere((cell, digit) => digit >= 0 && digit !== this.puzzle.solution[cell]);
  }
}
