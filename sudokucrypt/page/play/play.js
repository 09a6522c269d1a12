// The page of puzzles: which one is played, keys, buttons and messages.

import { byId, element } from "../shell/elements.js";
import { cellsOn, showCell } from "./board.js";
import { Game } from "./game.js";
import { hintFor, takeHint } from "./hints.js";

const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

// What is on the page: the puzzles, one of them with its cells, and what the player does there.
const table = { puzzles: [], rules: [], games: [], groups: [], number: 0, at: 0, pencil: false };

const playing = () => table.games[table.number];

/** Show the game; `message` stays until the next move. */
function showGame(message = "", { hint = null, wrong = [] } = {}) {
  const { state: { digits }, puzzle, rules: { peers }, past } = playing();
  table.groups[table.number].forEach((group, cell) => showCell(group, playing(), cell, {
    at: cell === table.at,
    seen: peers[table.at].includes(cell),
    same: digits[cell] >= 0 && digits[cell] === digits[table.at],
    clash: digits[cell] >= 0 && peers[cell].some((peer) => digits[peer] === digits[cell]),
    wrong: wrong.includes(cell),
    because: hint?.cells.includes(cell),
    gone: hint?.struck?.some(([other]) => other === cell),
  }));
  playing().store();
  Object.assign(table, { message, marked: { hint, wrong } });
  byId("undo").disabled = past.length === 0;
  byId("pencil").setAttribute("aria-pressed", table.pencil);
  byId("take").hidden = hint === null;
  const solved = puzzle.givens.includes(-1) && String(digits) === String(puzzle.solution);
  byId("status").textContent = solved ? "Solved." : message;
}

function select(cell) {
  table.at = cell;
  showGame(table.message, table.marked);
  table.groups[table.number][cell].focus();
}

/** Select the next cell in a direction, past gaps of the sheet. */
function step([down, right]) {
  const { cells } = playing().rules;
  const [row, column] = cells[table.at];
  const next = cells.map((_, steps) => cells.findIndex(
    ([y, x]) => y === row + (steps + 1) * down && x === column + (steps + 1) * right));
  if (next.some((cell) => cell >= 0)) select(next.find((cell) => cell >= 0));
}

function act(work) {
  work(playing());
  showGame();
}

function enter(digit, pencil = table.pencil) {
  act((game) => (pencil ? game.mark(table.at, digit) : game.enter(table.at, digit)));
}

const ACTIONS = {
  erase: () => act((game) => game.erase([table.at])),
  undo: () => act((game) => game.undo()),
  restart: () => act((game) => game.change((state) => Object.assign(state, game.fresh()))),
  marks: () => act((game) => game.markAll()),
  pencil() {
    table.pencil = !table.pencil;
    showGame(table.message, table.marked);
  },
  check() {
    const wrong = playing().wrong();
    showGame(wrong.length > 0 ? `Wrong digits: ${wrong.length}` : "No digit is wrong.", { wrong });
  },
  hint() {
    const hint = hintFor(playing());
    if (hint) showGame(`${hint.technique}: ${hint.sentence}`, { hint });
  },
  take: () => act((game) => table.marked.hint && takeHint(game, table.marked.hint)),
  next: () => turnTo((table.number + 1) % table.puzzles.length),
};

/** Show a puzzle, with buttons for its digits. */
function turnTo(number) {
  const puzzle = table.puzzles[number];
  const boards = [...document.querySelectorAll(".board")];
  table.games[number] ??= new Game(puzzle, table.rules[puzzle.rules]);
  const { rules, state } = table.games[number];
  table.groups[number] ??= cellsOn(boards[number].firstElementChild, rules, select);
  Object.assign(table, { number, at: Math.max(0, state.digits.indexOf(-1)) });
  boards.forEach((board, index) => { board.hidden = index !== number; });
  byId("caption").textContent = puzzle.caption;
  byId("rule").textContent = puzzle.words || rules.rule;
  byId("chosen").value = number;
  const across = Math.ceil(Math.sqrt(rules.symbols.length));
  byId("digits").style.setProperty("--across", across);
  byId("digits").replaceChildren(...rules.symbols.map((symbol, digit) =>
    element("button", { type: "button", textContent: symbol, onclick: () => enter(digit) })));
  showGame();
}

/** What a key does, if anything; Shift with a digit sets a pencil mark. */
function actionOf({ key, code, shiftKey, altKey, ctrlKey, metaKey, target }) {
  if (target.closest("select") || altKey) return null;
  if (ctrlKey || metaKey) return key === "z" ? ACTIONS.undo : null;
  const symbol = playing().rules.symbols.indexOf(key.toUpperCase());
  const shifted = shiftKey && /^Digit([1-9])$/.exec(code);
  if (MOVES[key]) return () => step(MOVES[key]);
  if (shifted?.[1] <= playing().count) return () => enter(shifted[1] - 1, true);
  if (symbol >= 0) return () => enter(symbol);
  if (["0", ".", "Delete", "Backspace"].includes(key)) return ACTIONS.erase;
  if (key === "?") return ACTIONS.hint;
  if (!target.closest("svg")) return null;
  return { " ": ACTIONS.pencil, Enter: table.marked.hint && ACTIONS.take }[key];
}

export function play() {
  Object.assign(table, JSON.parse(byId("data").textContent));
  byId("chosen").append(...table.puzzles.map(
    ({ caption }, value) => element("option", { value, textContent: caption })));
  byId("chosen").onchange = () => turnTo(Number(byId("chosen").value));
  for (const [name, action] of Object.entries(ACTIONS)) byId(name).onclick = action;
  document.addEventListener("keydown", (event) => {
    const action = actionOf(event);
    if (action) event.preventDefault();
    action?.();
  });
  byId("choice").hidden = table.puzzles.length === 1;
  byId("main").hidden = false;
  turnTo(0);
}
