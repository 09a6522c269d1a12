// The next step of the solution by hand that the player has not taken.

const MOST_CELLS = 500;  // beyond, to look for singles takes long

/** A hint: its sentence, its cells, and the digits and marks that it places, strikes or erases. */
export function findHint(game) {
  const { marks } = game.state;
  if (!game.puzzle.solution) return null;
  const lacking = game.findCells((cell) =>
    marks[cell].length > 0 && !marks[cell].includes(game.puzzle.solution[cell]));
  if (game.findWrong().length > 0) return makeMistakeHint(game, game.findWrong(), "Wrong digit");
  if (lacking.length > 0) return makeMistakeHint(game, lacking, "Pencil marks without the right digit");
  const left = game.puzzle.steps.filter(({ placed, struck }) => (placed
    ? game.state.digits[placed[0]] < 0 : struck.some(([cell, digit]) => game.isOpen(cell, digit))));
  if (left.length === 0) return findSingle(game) ?? revealDigit(game);
  // All steps before the first one left are taken, so that it follows. Somebody who is ahead of
  // the steps may have an easier one.
  const easier = (step) => !left[0].single && step.rating < left[0].rating;
  return left.find((step) => easier(step) && follows(game, step)) ?? left[0];
}

/** Apply a hint. */
export function takeHint(game, { placed, struck = [], erased = [] }) {
  if (placed) game.enter([placed[0]], placed[1]);
  game.strike(struck);
  game.erase(erased);
}

/** Whether a single is right without the steps before it. */
function follows(game, { single, placed, house }) {
  if (!single || !game.isOpen(...placed)) return false;
  const [cell, digit] = placed;
  if (house === null) return game.listPossible(cell).length === 1;
  return game.rules.houses[house].every((other) => other === cell ||
    game.state.digits[other] >= 0 || !game.listPossible(other).includes(digit));
}

function makeMistakeHint(game, cells, fault) {
  const names = cells.map((cell) => game.rules.names[cell]).join(", ");
  return { technique: fault, sentence: `${names}.`, cells, erased: cells };
}

/** If no step is known, find a digit with one cell in a house, or a cell with one digit. */
function findSingle(game) {
  const { rules: { names, symbols, houses, titles, peers }, count, state: { digits } } = game;
  if (!titles || peers.length > MOST_CELLS) return null;
  for (const [index, house] of houses.entries()) {
    for (let digit = 0; digit < count && house.length === count; digit += 1) {
      if (house.some((cell) => digits[cell] === digit)) continue;
      const cells = house.filter((cell) => digits[cell] < 0 && game.listPossible(cell).includes(digit));
      if (cells.length !== 1) continue;
      const sentence = `In ${titles[index]}, ${symbols[digit]} can only go into ${names[cells[0]]}.`;
      return { technique: "Hidden single", sentence, cells, placed: [cells[0], digit] };
    }
  }
  const cell = digits.findIndex((digit, at) => digit < 0 && game.listPossible(at).length === 1);
  if (cell < 0) return null;
  const [digit] = game.listPossible(cell);
  const sentence = `${symbols[digit]} is the only candidate left in ${names[cell]}.`;
  return { technique: "Naked single", sentence, cells: [cell], placed: [cell, digit] };
}

/** If no single is found either, reveal the digit of an open cell. */
function revealDigit(game) {
  const cell = game.state.digits.indexOf(-1);
  const digit = game.puzzle.solution[cell];
  if (cell < 0) return null;
  const sentence = `${game.rules.names[cell]} holds ${game.rules.symbols[digit]}.`;
  return { technique: "Solution", sentence, cells: [cell], placed: [cell, digit] };
}
