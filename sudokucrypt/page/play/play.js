// The page of puzzles: the current puzzle, keys, buttons and messages.

import { byId, element } from "../shell/elements.js";
import { placeCells, showCell } from "./board.js";
import { COLORS, Game } from "./game.js";
import { findHint, takeHint } from "./hints.js";
import { findSolutions } from "./rules.js";

const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

// The state of the page: all puzzles, the current one with its cells, and the modes of the player.
const table = {
  puzzles: [], rules: [], games: [], groups: [], number: 0, at: 0, chosen: new Set(),
  pencil: false, coloring: false, several: false,
};
const PAINTS = ["#ffd6d6", "#ffe7b3", "#d5f0c8", "#c8ecf0", "#dcd6fb", "#d9d9d9"];
const OWN = "sudokucrypt own";  // where the browser keeps the givens of a puzzle that was typed

const getGame = () => table.games[table.number];

/** The cells that digits, marks and colors go into. */
const listChosen = () => [...new Set([table.at, ...table.chosen])];

/** Show the game; `message` stays until the next move. */
function showGame(message = "", { hint = null, wrong = [] } = {}) {
  const { state: { digits }, puzzle, rules: { peers }, past, future } = getGame();
  table.groups[table.number].forEach((group, cell) => showCell(group, getGame(), cell, {
    at: cell === table.at,
    chosen: table.chosen.has(cell),
    seen: peers[table.at].includes(cell),
    same: digits[cell] >= 0 && digits[cell] === digits[table.at],
    clash: digits[cell] >= 0 && peers[cell].some((peer) => digits[peer] === digits[cell]),
    wrong: wrong.includes(cell),
    because: hint?.cells.includes(cell),
    gone: hint?.struck?.some(([other]) => other === cell),
  }));
  Object.assign(table, { message, marked: { hint, wrong } });
  byId("undo").disabled = past.length === 0;
  byId("redo").disabled = future.length === 0;
  byId("pencil").setAttribute("aria-pressed", table.pencil);
  byId("color").setAttribute("aria-pressed", table.coloring);
  byId("several").setAttribute("aria-pressed", table.several);
  byId("begin").hidden = puzzle.solution !== null;
  byId("change").hidden = !puzzle.own || puzzle.solution === null;
  for (const name of ["check", "hint", "marks"]) byId(name).disabled = puzzle.solution === null;
  byId("take").hidden = hint === null;
  const solved = puzzle.givens.includes(-1) && String(digits) === String(puzzle.solution);
  byId("status").textContent = solved ? "Solved." : message;
}

/** Select a cell, or choose it with others: all on the way of a mouse, or one more of several. */
function select(cell, { adding = false, dragging = false } = {}) {
  if (dragging && cell === table.at) return;
  if (adding || table.several) {
    if (table.chosen.size === 0) table.chosen.add(table.at);
    if (!table.chosen.delete(cell)) table.chosen.add(cell);
  } else if (dragging) {
    table.chosen.add(table.at).add(cell);
  } else if (!table.kept) {
    table.chosen.clear();
  }
  table.kept = dragging;  // the click at the end of a drag changes nothing
  table.at = cell;
  showGame(table.message, table.marked);
  table.groups[table.number][cell].focus();
}

/** Select the next cell in a direction, past gaps of the sheet; `extend` chooses both. */
function step([down, right], extend) {
  const { cells } = getGame().rules;
  const [row, column] = cells[table.at];
  const next = cells.map((_, steps) => cells.findIndex(
    ([y, x]) => y === row + (steps + 1) * down && x === column + (steps + 1) * right));
  const found = next.find((cell) => cell >= 0);
  if (found === undefined) return;
  table.kept = false;
  if (extend) table.chosen.add(table.at).add(found);
  else if (!table.several) table.chosen.clear();
  table.at = found;
  showGame(table.message, table.marked);
  table.groups[table.number][found].focus();
}

function changeGame(work) {
  work(getGame());
  showGame();
}

function enter(digit, pencil = table.pencil) {
  if (table.coloring) {
    if (digit < COLORS) changeGame((game) => game.paint(listChosen(), digit + 1));
    return;
  }
  changeGame((game) => (pencil ? game.mark(listChosen(), digit) : game.enter(listChosen(), digit)));
}

/** The buttons for digits, or for colors. */
function showDigits() {
  const { symbols } = getGame().rules;
  const texts = table.coloring ? PAINTS.map((_, color) => color + 1) : symbols;
  byId("digits").className = table.coloring ? "colors" : "";
  byId("digits").setAttribute("aria-label", table.coloring ? "Colors" : "Digits");
  byId("digits").style.setProperty("--across", Math.ceil(Math.sqrt(texts.length)));
  byId("digits").replaceChildren(...texts.map((textContent, digit) => {
    const button = element("button", { type: "button", textContent, onclick: () => enter(digit) });
    if (table.coloring) button.style.setProperty("--paint", PAINTS[digit]);
    return button;
  }));
}

/** Switch between digits, pencil marks and colors. */
function switchTo(name) {
  Object.assign(table, { pencil: false, coloring: false, [name]: !table[name] });
  showDigits();
  showGame(table.message, table.marked);
}

/** Make a puzzle of the digits that were typed, if it has one solution. */
function begin() {
  const { state, rules } = getGame();
  const found = findSolutions(rules, state.digits);
  const faults = ["These digits have no solution.", "", "These digits have several solutions."];
  if (state.digits.every((digit) => digit < 0)) {
    showGame("Type the digits of a puzzle first.");
  } else if (found.length === 1) {
    setOwnPuzzle({ givens: [...state.digits], solution: found[0] });
  } else {
    showGame(faults[found.length]);
  }
}

/** Let the givens of an own puzzle be typed again. */
function changeGivens() {
  const { puzzle: { givens } } = getGame();
  setOwnPuzzle({ givens: givens.map(() => -1), solution: null });
  changeGame((game) => game.change((state) => Object.assign(state, { digits: [...givens] })));
}

/** Put an own puzzle in place of the last one. */
function setOwnPuzzle(puzzle) {
  const id = puzzle.solution ? `own ${puzzle.givens}` : "own";
  Object.assign(table.puzzles[table.number], puzzle, { id });
  delete table.games[table.number];
  try {
    localStorage.setItem(OWN, JSON.stringify(puzzle.solution ? puzzle.givens : null));
  } catch { /* private windows keep nothing */ }
  turnTo(table.number);
}

/** The own puzzle of an earlier visit, if it is one. */
function restoreOwnPuzzle(puzzle, rules) {
  try {
    const givens = JSON.parse(localStorage.getItem(OWN));
    const fits = givens.length === puzzle.givens.length &&
      givens.every((digit) => Number.isInteger(digit) && digit >= -1 && digit < rules.symbols.length);
    const found = fits ? findSolutions(rules, givens) : [];
    if (found.length === 1) Object.assign(puzzle, { givens, solution: found[0], id: `own ${givens}` });
  } catch { /* nothing was kept, or nothing that makes sense */ }
}

const ACTIONS = {
  erase: () => changeGame((game) => game.erase(listChosen())),
  undo: () => changeGame((game) => game.undo()),
  redo: () => changeGame((game) => game.redo()),
  begin,
  change: changeGivens,
  restart: () => changeGame((game) => game.change((state) => Object.assign(state, game.makeState()))),
  marks: () => changeGame((game) => game.markAll()),
  pencil: () => switchTo("pencil"),
  color: () => switchTo("coloring"),
  several() {
    table.several = !table.several;
    table.chosen.clear();
    showGame(table.message, table.marked);
  },
  check() {
    const wrong = getGame().findWrong();
    showGame(wrong.length > 0 ? `Wrong digits: ${wrong.length}` : "No digit is wrong.", { wrong });
  },
  hint() {
    const hint = findHint(getGame());
    if (hint) showGame(`${hint.technique}: ${hint.sentence}`, { hint });
  },
  take: () => changeGame((game) => table.marked.hint && takeHint(game, table.marked.hint)),
  next: () => turnTo((table.number + 1) % table.puzzles.length),
};

/** Show a puzzle, with buttons for its digits. */
function turnTo(number) {
  const puzzle = table.puzzles[number];
  const boards = [...document.querySelectorAll(".board")];
  table.games[number] ??= new Game(puzzle, table.rules[puzzle.rules]);
  const { rules, state } = table.games[number];
  table.groups[number] ??= placeCells(boards[number].firstElementChild, rules, select);
  table.chosen.clear();
  Object.assign(table, { number, at: Math.max(0, state.digits.indexOf(-1)) });
  boards.forEach((board, index) => { board.hidden = index !== number; });
  byId("caption").textContent = puzzle.caption;
  byId("rule").textContent = puzzle.words || rules.rule;
  byId("chosen").value = number;
  showDigits();
  showGame(puzzle.solution ? "" : "Type the digits of a puzzle, then press Play it.");
}

/** The action of a key, or null; Shift with a digit sets a pencil mark. */
function findAction({ key, code, shiftKey, altKey, ctrlKey, metaKey, target }) {
  if (target.closest("select") || altKey) return null;
  if (ctrlKey || metaKey) {
    const again = key === "y" || (key.toLowerCase() === "z" && shiftKey);
    return again ? ACTIONS.redo : { z: ACTIONS.undo }[key];
  }
  if (key === "/") return ACTIONS.color;
  if (key === "?") return getGame().puzzle.solution ? ACTIONS.hint : null;
  const symbol = getGame().rules.symbols.indexOf(key.toUpperCase());
  const shifted = shiftKey && /^Digit([1-9])$/.exec(code);
  if (MOVES[key]) return () => step(MOVES[key], shiftKey);
  if (shifted?.[1] <= getGame().count) return () => enter(shifted[1] - 1, true);
  if (symbol >= 0) return () => enter(symbol);
  if (["0", ".", "Delete", "Backspace"].includes(key)) return ACTIONS.erase;
  if (key === "Escape") return table.chosen.size > 0 ? () => select(table.at) : null;
  if (!target.closest("svg")) return null;
  return { " ": ACTIONS.pencil, Enter: table.marked.hint && ACTIONS.take }[key];
}

export function play() {
  Object.assign(table, JSON.parse(byId("data").textContent));
  for (const puzzle of table.puzzles) {
    if (puzzle.own) restoreOwnPuzzle(puzzle, table.rules[puzzle.rules]);
  }
  byId("chosen").append(...table.puzzles.map(
    ({ caption }, value) => element("option", { value, textContent: caption })));
  byId("chosen").onchange = () => turnTo(Number(byId("chosen").value));
  for (const [name, action] of Object.entries(ACTIONS)) byId(name).onclick = action;
  document.addEventListener("keydown", (event) => {
    const action = findAction(event);
    if (action) event.preventDefault();
    action?.();
  });
  byId("main").hidden = false;
  turnTo(0);
}
