// How a Sudoku moves a picture: a part of a page, from `see.html`.

import { Words } from "../engine/chacha20.js";
import { subkey } from "../engine/hashing.js";
import { placesAfter } from "../engine/maps.js";
import { byId } from "../shell/elements.js";
import { prepareAttack, prepareRounds } from "./passes.js";
import { landscape, pixelsOf } from "./scenes.js";
import { prepareTiles } from "./tiles.js";

/** Start the part. */
export async function see() {
  const parts = Object.fromEntries([...document.querySelectorAll("[id^=see-]")].map((part) => [part.id.slice(4), part]));
  const random = (length) => crypto.getRandomValues(new Uint8Array(length));
  const key = random(32);
  // With a fresh salt, as `sudokucrypt.permutation` makes a map.
  const places = async () => placesAfter(512 * 512, 3, new Words(await subkey(key, "master/map", random(16))));
  const [first, fresh] = [await places(), await places()];
  const tiles = prepareTiles(parts);
  const others = [prepareRounds(parts, first), prepareAttack(parts, [first[9], fresh[9]])];

  function take(picture) {
    tiles(pixelsOf(picture, 504));
    for (const show of others) show(pixelsOf(picture, 512));
  }

  parts.file.onchange = async () => {
    const picture = await createImageBitmap(parts.file.files[0]).catch(() => null);
    if (picture) take(picture);
    parts.problem.textContent = picture ? "" : "This browser cannot show it.";
  };
  take(landscape());
  byId("see").hidden = false;
}
