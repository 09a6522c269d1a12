// The board: cells on the drawing of a puzzle, with digits and pencil marks.

function makeSvg(tag, attributes, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  return made;
}

/** Put cells on a drawing, and return them; `choose` is called with a cell and how it is chosen. */
export function placeCells(svg, { cells, side, margin, font }, choose) {
  for (const part of svg.children) part.setAttribute("aria-hidden", "true");
  svg.setAttribute("role", "grid");
  svg.setAttribute("aria-label", "Puzzle");
  svg.style.minWidth = `${22 * svg.viewBox.baseVal.width / side}px`;  // to hit a cell; more scrolls
  const rows = new Map();
  return cells.map(([row, column], cell) => {
    if (!rows.has(row)) rows.set(row, makeSvg("g", { role: "row" }));
    const shift = `translate(${margin + column * side} ${margin + row * side})`;
    const group = makeSvg("g", { role: "gridcell", transform: shift });
    const middle = { x: side / 2, y: side / 2 + 0.355 * font, "font-size": font };
    const square = makeSvg("rect", { width: side, height: side });
    const paint = makeSvg("path", { d: `M0 0h${side}v${side}h-${side}z` });
    group.append(paint, square, makeSvg("text", middle), makeSvg("g", {}));
    group.onclick = (event) => choose(cell, { adding: event.ctrlKey || event.metaKey });
    group.onpointermove = ({ pointerType, buttons }) => {
      if (pointerType === "mouse" && buttons === 1) choose(cell, { dragging: true });
    };
    rows.get(row).append(group);
    svg.append(rows.get(row));
    return group;
  });
}

/** Show a cell: its digit or pencil marks; the states that are true are its classes. */
export function showCell(group, game, cell, states) {
  const { symbols, side, top } = game.rules;
  const digit = game.state.digits[cell];
  const marks = [...game.state.marks[cell]].sort((a, b) => a - b);
  const given = game.puzzle.givens[cell] >= 0;
  group.setAttribute("class", Object.keys(states).filter((name) => states[name]).join(" "));
  group.setAttribute("tabindex", states.at ? 0 : -1);
  const color = game.state.colors[cell];
  group.children[0].setAttribute("class", color > 0 ? `paint color${color}` : "paint");
  group.setAttribute("aria-selected", states.chosen || states.at);
  group.children[2].textContent = given || digit < 0 ? "" : symbols[digit];
  const across = Math.ceil(Math.sqrt(symbols.length));
  const step = (side - 4) / across;
  const fall = (side - 2 - top) / across;
  group.children[3].replaceChildren(...marks.map((mark) => makeSvg("text", {
    x: 2 + (mark % across + 0.5) * step,
    y: top + (Math.floor(mark / across) + 0.8) * fall,
    "font-size": 0.85 * Math.min(step, 1.1 * fall) / symbols[mark].length ** 0.5,
  }, symbols[mark])));
  const [row, column] = game.rules.cells[cell];
  const small = `marks ${marks.map((mark) => symbols[mark]).join(" ")}`;
  const words = [
    `row ${row + 1}, column ${column + 1}`, symbols[digit] ?? (marks.length > 0 ? small : "empty"),
    given && "given", color > 0 && `color ${color}`, states.wrong && "wrong",
    states.clash && "clashes",
  ];
  group.setAttribute("aria-label", words.filter(Boolean).join(", "));
}
