// Candidates that cages and thermometers leave, and a search for solutions.

const toBits = (digits) => digits.reduce((bits, digit) => bits | (1 << digit), 0);
const sumMask = (bits) => [...Array(31).keys()].reduce((sum, d) => sum + ((bits >> d) & 1) * (d + 1), 0);

/** The candidates of each cell that cages and thermometers leave, given those that houses leave. */
export function applyRules({ cages = [], lines = [] }, possible) {
  const left = possible.map((digits) => [...digits]);
  for (const { cells, sum } of cages) narrowCage(cells, sum, left);
  for (const line of lines) narrowLine(line, left);
  return left;
}

/** Leave the digits of a cage with which some choice for its other cells has the sum. */
function narrowCage(cells, sum, left) {
  const layers = [new Set([0])];
  for (const cell of cells) {
    const next = new Set();
    for (const used of layers.at(-1)) {
      for (const digit of left[cell]) if (!((used >> digit) & 1)) next.add(used | (1 << digit));
    }
    layers.push(next);
  }
  let alive = new Set([...layers.at(-1)].filter((bits) => sumMask(bits) === sum));
  for (let index = cells.length - 1; index >= 0; index -= 1) {
    const [before, digits] = [new Set(), new Set()];
    for (const used of layers[index]) {
      for (const digit of left[cells[index]]) {
        if ((used >> digit) & 1 || !alive.has(used | (1 << digit))) continue;
        before.add(used);
        digits.add(digit);
      }
    }
    left[cells[index]] = left[cells[index]].filter((digit) => digits.has(digit));
    alive = before;
  }
}

/** Leave the digits of a line that are above the lowest before them and below the highest after. */
function narrowLine(line, left) {
  let bound = -1;
  for (const cell of line) {
    left[cell] = left[cell].filter((digit) => digit > bound);
    bound = Math.min(...left[cell]);
  }
  bound = Infinity;
  for (const cell of [...line].reverse()) {
    left[cell] = left[cell].filter((digit) => digit < bound);
    bound = Math.max(...left[cell]);
  }
}

/** Up to `most` solutions of the givens of a sheet without other rules than houses. */
export function findSolutions({ peers, symbols }, givens, most = 2) {
  const found = [];
  const every = toBits([...symbols.keys()]);
  const digits = givens.map(() => -1);
  const free = givens.map(() => every);
  const place = (cell, digit) => {
    if (!((free[cell] >> digit) & 1)) return false;
    digits[cell] = digit;
    for (const peer of peers[cell]) free[peer] &= ~(1 << digit);
    return peers[cell].every((peer) => digits[peer] >= 0 || free[peer] !== 0);
  };
  const count = (bits) => { let n = 0; for (let b = bits; b; b &= b - 1) n += 1; return n; };
  const search = () => {
    let [best, least] = [-1, 99];
    digits.forEach((digit, cell) => {
      if (digit < 0 && count(free[cell]) < least) [best, least] = [cell, count(free[cell])];
    });
    if (best < 0) found.push([...digits]);
    for (let bits = best < 0 ? 0 : free[best]; bits && found.length < most; bits &= bits - 1) {
      const before = [[...digits], [...free]];
      if (place(best, 31 - Math.clz32(bits & -bits))) search();
      before[0].forEach((digit, cell) => { digits[cell] = digit; });
      before[1].forEach((left, cell) => { free[cell] = left; });
    }
  };
  const fits = givens.every((digit, cell) => digit < 0 || place(cell, digit));
  if (fits) search();
  return found;
}
