// How a Sudoku moves a picture.

import { randomBytes } from "../engine/bytes.js";
import { Words } from "../engine/chacha20.js";
import { subkey } from "../engine/hashing.js";
import { computePlaces } from "../engine/maps.js";
import { prepareAttack, prepareRounds } from "./passes.js";
import { drawLandscape, readPixels } from "./scenes.js";
import { prepareTiles } from "./tiles.js";

/** Prepare the tab. @returns {Promise<() => void>} a function that removes a chosen picture */
export async function prepareSee() {
  const parts = Object.fromEntries([...document.querySelectorAll("[id^=see-]")].map((part) => [part.id.slice(4), part]));
  const key = randomBytes(32);
  // With a fresh salt, as `sudokucrypt.permutation` makes a map.
  const places = async () => computePlaces(512 * 512, 3, new Words(await subkey(key, "master/map", randomBytes(16))));
  const [first, fresh] = [await places(), await places()];
  const shows = [prepareTiles(parts), prepareRounds(parts, first), prepareAttack(parts, [first[9], fresh[9]])];
  const take = (picture) => shows.forEach((show, i) => show(readPixels(picture, i ? 512 : 504)));
  const { file, problem } = parts;
  file.onchange = async () => {
    const picture = await createImageBitmap(file.files[0]).catch(() => null);
    if (picture) take(picture);
    problem.textContent = picture ? "" : "This browser cannot show it.";
  };
  const forget = () => {
    file.value = "";
    take(drawLandscape());
  };
  forget();
  return forget;
}
