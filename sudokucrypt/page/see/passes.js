// The second and third part: rounds of passes, and a map that is read from one known picture.

import { listPlaces } from "../engine/maps.js";
import { Stage } from "./stage.js";

const SIDE = 512;
const MEANINGS = ["pixels stay in their rows", "pixels stay in their columns", "each box becomes a row"];

/** Prepare the rounds. @returns {(picture: Int32Array) => void} a function that shows another picture */
export function prepareRounds({ passes, through, rounds, pass }, places) {
  const stage = new Stage(rounds, SIDE);
  let flights, at = 0;

  /** Show the picture after `time` passes, which may be a fraction. */
  function show(time) {
    at = time;
    const start = Math.min(Math.floor(time), 8);
    Object.assign(stage, flights[start]);
    stage.draw(time - start);
  }

  passes.oninput = () => {
    const [goal, from] = [Number(passes.value), at];
    pass.textContent = goal ? `Round ${Math.ceil(goal / 3)}: ${MEANINGS[(goal + 2) % 3]}.` : "The picture as it is.";
    stage.run(1200 * Math.abs(goal - from) ** 0.8, (time) => show(from + (goal - from) * time));
  };
  through.onclick = () => {
    passes.value = at > 8 ? 0 : 9;
    passes.oninput();
  };
  return (pixels) => {
    // All flights are planned first, so that no frame is late.
    flights = places.slice(1).map((to, i) => stage.plan(pixels, places[i], to));
    passes.oninput();
  };
}

/** Prepare the attack, for the maps of two salts. @returns as above */
export function prepareAttack({ known, result, other, salt, attack, found }, maps) {
  const [plain, moved, stage] = [known, result, other].map((canvas) => new Stage(canvas, SIDE));
  const home = listPlaces(SIDE * SIDE);
  // Each color occurs once in the known picture, and tells its place.
  const field = home.map((i) => -(1 << 23) | (i & 1) << 16 | (i & 512) << 8 | (i & ~1023) >> 2 | (i & 510) >> 1);
  const placeOf = (color) => color >> 16 & 1 | color >> 8 & 512 | (color & 65280) << 2 | (color & 255) << 1;
  let picture;

  salt.onchange = () => {
    found.textContent = "";
    stage.show(picture, maps[salt.selectedIndex]);
  };
  attack.onclick = async () => {
    const map = maps[salt.selectedIndex];
    const read = moved.pixels.map(placeOf);
    const ends = map.map((place) => read[place]);
    stage.plan(picture, map, ends);
    if (await stage.run(2600)) found.textContent = `${ends.filter((end, i) => end === i).length} of 262144 pixels came home.`;
  };
  plain.show(field, home);
  moved.show(field, maps[0]);
  return (pixels) => {
    picture = pixels;
    salt.onchange();
  };
}
