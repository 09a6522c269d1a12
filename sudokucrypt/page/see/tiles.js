// The first part: a grid, the names of a cell, two of them, and tiles that fly.

import { drawGrid, randomWords } from "../engine/draws.js";
import { makeCellMap, NAMES, numberCells, getPair, listPlaces } from "../engine/maps.js";
import { element } from "../shell/elements.js";
import { Stage } from "./stage.js";

const ARROWS = { ArrowUp: -9, ArrowDown: 9, ArrowLeft: -1, ArrowRight: 1 };
const SWAPS = { digit: 0, band: 27, stack: 3 }; // cells from one to the next; digits move none

const say = (name, pair) => name.split(", ").map((word, i) => `${word} ${pair[i]}`).join(", ");

/** Prepare the part. @returns {(picture: Int32Array) => void} a function that shows another picture */
export function prepareTiles(see) {
  const { grid, names, from, to, says, play, tiles, way } = see;
  const stage = new Stage(tiles, 504, 9);
  const home = listPlaces(81);
  const cells = [...home].map(() => element("div", { role: "gridcell" }));
  let numbers = {}, places = home, chosen = 42;
  let map, moved, picture;

  for (let i = 0; i < 81; i += 9) grid.append(element("div", { role: "row" }, ...cells.slice(i, i + 9)));
  for (const name of NAMES) {
    names.append(element("tr", {}, element("td", {}, name), element("td")));
    for (const choice of [from, to]) choice.append(new Option(name));
  }
  from.value = NAMES[2];

  function show(cell) {
    const { row, column, box, digit } = numbers;
    const goal = map[cell];
    const sayCell = (i) => `row ${row[i]}, column ${column[i]}`;
    const goes = (i) => (map[i] === i ? "stays" : `flies to ${sayCell(map[i])}`);
    cells.forEach((one, i) => {
      const near = [row, column, box].some((house) => house[i] === house[cell]);
      one.className = i === cell ? "see-from" : i === goal ? "see-to" : near && "see-near";
      one.tabIndex = i === chosen ? 0 : -1;
      one.textContent = digit[i];
      one.setAttribute("aria-label", `${sayCell(i)}, digit ${digit[i]}, ${goes(i)}`);
    });
    NAMES.forEach((name, i) => {
      names.rows[i].className = name === from.value ? "see-from" : name === to.value && "see-to";
      names.rows[i].cells[1].textContent = getPair(numbers, name, cell).join(", ");
    });
    const pair = getPair(numbers, from.value, cell);
    says.textContent = `Read ${say(from.value, pair)} as ${say(to.value, pair)}: the tile ${goes(cell)}.`;
    const [start, end] = [cell, goal].map((i) => `${column[i] - 0.5} ${row[i] - 0.5}m-.5-.5h1v1h-1zm.5.5`);
    way.setAttribute("d", `M${start}L${end}`);
  }

  /** Take other digits or names; tiles fly from where they are to where they belong. */
  function arrange(digits = numbers.digit) {
    numbers = numberCells(digits);
    map = makeCellMap(numbers, from.value, to.value);
    show(chosen);
    play.textContent = moved ? "Fly back" : "Play";
    const before = places;
    places = moved ? map : home;
    stage.plan(picture, before, places);
    stage.run(1800);
  }

  cells.forEach((cell, i) => {
    cell.onpointerover = () => show(i);
    cell.onfocus = () => show((chosen = i));
  });
  grid.onpointerleave = () => show(chosen);
  grid.onkeydown = (event) => {
    const step = ARROWS[event.key];
    if (!step) return;
    event.preventDefault();
    cells[(chosen + step + 81) % 81].focus();
  };
  for (const kind in SWAPS) {
    // Exchange the digit, band or stack of the chosen cell with the next one.
    see[kind].onclick = () => {
      const shift = SWAPS[kind];
      const { digit, [kind]: all } = numbers;
      const first = all[chosen];
      const next = (first % (shift ? 3 : 9)) + 1;
      const ways = all.map((one) => (one === first ? next - one : one === next ? first - one : 0));
      arrange(digit.map((one, i) => (shift ? digit[i + shift * ways[i]] : one + ways[i])));
    };
  }
  see.draw.onclick = () => {
    // As the engine draws the grids of pictures.
    const { alpha, beta, sigma } = drawGrid(3, 3, randomWords);
    arrange(home.map((i) => sigma[(alpha[Math.floor(i / 9)] + beta[i % 9]) % 9] + 1));
  };
  from.onchange = to.onchange = () => arrange();
  play.onclick = () => {
    moved = !moved;
    arrange();
  };
  return (pixels) => {
    picture = pixels;
    if (numbers.digit) arrange();
    else see.draw.onclick();
  };
}
