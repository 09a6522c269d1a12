// The PNG chunks with the metadata of a restored picture.

import { concat, uint32s, utf8 } from "./bytes.js";
import { findDivisor, splitFraction } from "./fractions.js";
import { storeBytes } from "./zlib.js";

/** How a chunk with XMP begins in the one form that is written: not compressed, no language, no translated keyword. */
export const XMP_START = utf8("XML:com.adobe.xmp\0\0\0\0\0");
/** Most pixels a meter, or parts of a ratio. */
export const LARGEST_DENSITY = 2147483647;

/** The quotient of two integers, rounded as Python does. */
function divide(above, below) {
  const [whole, rest] = [above / below, 2n * (above % below)];
  return rest > below || (rest === below && whole % 2n) ? whole + 1n : whole;
}

/** The body of a chunk: whole pixels per meter, or a ratio of whole numbers; null if they are too large or 0. */
function packDensity([columns, rows, unit]) {
  const sides = [columns, rows].map(splitFraction);
  const [one, other] = sides.map(([, below]) => below);
  const whole = unit === null ? (one * other) / findDivisor(one, other) : 1n;
  const [times, over] = unit === "inch" ? [10000n, 254n] : [whole, 1n]; // an inch has 25.4 mm
  const numbers = sides.map(([above, below]) => divide(above * times, below * over));
  if (!numbers.every((number) => number > 0 && number <= LARGEST_DENSITY)) return null;
  return Uint8Array.of(...uint32s(...numbers.map(Number)), unit === null ? 0 : 1);
}

/** The chunks before the samples. @param {object} metadata of a description */
export function makeChunks({ exif, icc, xmp, resolution }) {
  const chunks = [];
  if (icc) chunks.push({ kind: "iCCP", body: concat([utf8("ICC profile\0\0"), storeBytes(icc)]) });
  if (exif) chunks.push({ kind: "eXIf", body: exif });
  const density = resolution ? packDensity(resolution) : null;
  if (density) chunks.push({ kind: "pHYs", body: density });
  if (xmp) chunks.push({ kind: "iTXt", body: concat([XMP_START, xmp]) });
  return chunks;
}
