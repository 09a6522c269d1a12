// A square picture on a canvas, whose tiles fly; a tile may be a pixel.

import { listPlaces } from "../engine/maps.js";

const LAGS = 64; // moments at which tiles start

export class Stage {
  /** A square of n * n tiles. */
  constructor(canvas, side, n = side) {
    canvas.width = canvas.height = side;
    const context = canvas.getContext("2d");
    const image = context.createImageData(side, side);
    Object.assign(this, { context, image, side, n, pixels: new Int32Array(image.data.buffer) });
  }

  /** Prepare a flight of a picture, each tile from a place to another, as the next. @returns the flight */
  plan(picture, from, to) {
    const { n, side } = this;
    const [x, right] = [from, to].map((map) => map.map((place) => ((place % n) * side) / n));
    const [y, down] = [from, to].map((map) => map.map((place) => (Math.floor(place / n) * side) / n));
    x.forEach((at, i) => {
      right[i] -= at;
      down[i] -= y[i];
    });
    const flight = { picture, x, y, right, down };
    Object.assign(this, flight);
    return flight;
  }

  /** Draw the flight at a time from 0 to 1, where every tile is in its place. */
  draw(time) {
    const { side, n, pixels, picture, x, y, right, down } = this;
    const along = new Float64Array(LAGS).map((_, lag) => {
      const t = Math.min(1, Math.max(0, 1.64 * time - lag / 100));
      return t * t * (3 - 2 * t);
    });
    const size = side / n;
    const tiles = listPlaces(side).map((at) => at / size);
    const lags = tiles.map((at) => (at * LAGS) / n / 2);
    pixels.fill(0);
    for (let row = 0, i = 0; row < side; row++) {
      for (let column = 0; column < side; column++, i++) {
        const tile = tiles[row] * n + tiles[column];
        const t = along[lags[row] + lags[column]];
        const line = y[tile] + (row % size) + Math.round(down[tile] * t);
        pixels[line * side + x[tile] + (column % size) + Math.round(right[tile] * t)] = picture[i];
      }
    }
    this.context.putImageData(this.image, 0, 0);
  }

  /** Call `step` with times up to 1, at once for who wants no motion. @returns whether no other run began */
  async run(duration, step = (time) => this.draw(time)) {
    const turn = (this.turn = {});
    const begun = await new Promise(requestAnimationFrame);
    for (let time = matchMedia("(prefers-reduced-motion: reduce)").matches; turn === this.turn; ) {
      step(+time);
      if (time >= 1) return true;
      time = Math.min(1, ((await new Promise(requestAnimationFrame)) - begun) / duration);
    }
  }

  /** Show a picture whose tiles are in places. */
  show(picture, places) {
    this.turn = null;
    this.plan(picture, places, places);
    this.draw(1);
  }
}
