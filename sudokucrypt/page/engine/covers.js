// Covers of areas: one color, or a smooth fill of the surroundings of all areas, as in the package.

import { require, zeros } from "./bytes.js";
import { roundToEven } from "./cleartext.js";

const NAMED_COVERS = { black: "#000000", white: "#ffffff", gray: "#808080" };
export const SURROUNDINGS = "surroundings";
/** The form of a normalized cover. */
export const COVER = /^(#[0-9a-f]{6}|surroundings)$/;

/** The normalized form of a cover: `#rrggbb` or `surroundings`. */
export function normalizeCover(text) {
  const cover = NAMED_COVERS[text] ?? text.toLowerCase();
  require(COVER.test(cover), "a cover is black, white, gray, a color such as #ff8800, or surroundings");
  return cover;
}

/** Red, green and blue of a cover, 0 to 255. */
export const parseCover = (cover) => [1, 3, 5].map((at) => parseInt(cover.slice(at, at + 2), 16));

/** Luma and both differences of a color, as JFIF defines them. */
function toLuma(red, green, blue) {
  const luma = 0.299 * red + 0.587 * green + 0.114 * blue;
  return [luma, 128 + 0.564 * (blue - luma), 128 + 0.713 * (red - luma)];
}

/** The samples of the components of a JPEG that show a color. */
export function convertToComponents([red, green, blue], identifiers, { jfif, adobe }) {
  if (identifiers.length === 1) return toLuma(red, green, blue).slice(0, 1);
  if (identifiers.length === 3) {
    const plain = !jfif && (adobe === null ? String(identifiers) === "82,71,66" : adobe === 0); // R, G and B
    return plain ? [red, green, blue] : toLuma(red, green, blue);
  }
  // CMYK is stored inverted, as usual.
  return adobe === 2 ? [...toLuma(255 - red, 255 - green, 255 - blue), 255] : [red, green, blue, 255];
}

/** The samples of a pixel that shows a color, for a number of channels and a largest value. */
export function convertToSamples(color, channels, largest) {
  const [red, green, blue] = color.map((value) => value / 255);
  const gray = red * 0.299 + green * 0.587 + blue * 0.114;
  const shares = channels < 3 ? [gray, 1] : [red, green, blue, 1];
  return shares.slice(0, channels).map((share) => roundToEven(share * largest));
}

/**
 * Values in which the hidden ones are computed only from the others; zeros if all are hidden. A pyramid of
 * means of what is visible: each hidden value is that of the finest level which knows one.
 * @param {Float64Array} values rows, columns and channels @param {Uint8Array} hidden rows and columns
 */
export function fillSmoothly(values, hidden, [rows, columns, channels]) {
  if (!hidden.includes(1)) return values;
  if (!hidden.includes(0)) return new Float64Array(values.length);
  const [halfRows, halfColumns] = [Math.ceil(rows / 2), Math.ceil(columns / 2)];
  const means = new Float64Array(halfRows * halfColumns * channels);
  const none = zeros(halfRows * halfColumns);
  const places = [0, 0, 0, 0];
  for (let at = 0; at < none.length; at++) {
    const [row, column] = [2 * Math.floor(at / halfColumns), 2 * (at % halfColumns)];
    let count = 0;
    for (let i = 0; i < 4; i++) {
      const [y, x] = [row + (i >> 1), column + (i & 1)];
      const seen = y < rows && x < columns && hidden[y * columns + x] === 0;
      places[i] = seen ? y * columns + x : -1;
      count += seen;
    }
    none[at] = count === 0 ? 1 : 0;
    for (let channel = 0; channel < channels && count > 0; channel++) {
      const value = (i) => (places[i] < 0 ? 0 : values[places[i] * channels + channel]);
      // Numbers are added in the order of NumPy, so that both give the same samples.
      const sum = value(0) + value(1) + (channels === 1 ? value(2) + value(3) : 0);
      means[at * channels + channel] = (channels === 1 ? sum : sum + value(2) + value(3)) / count;
    }
  }
  const coarse = fillSmoothly(means, none, [halfRows, halfColumns, channels]);
  const filled = values.slice();
  for (let place = 0; place < rows * columns; place++) {
    if (hidden[place] === 0) continue;
    const at = (Math.floor(place / columns) >> 1) * halfColumns + ((place % columns) >> 1);
    for (let channel = 0; channel < channels; channel++) filled[place * channels + channel] = coarse[at * channels + channel];
  }
  return filled;
}
