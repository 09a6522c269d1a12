// The PNG chunks with the metadata of a restored picture.

import { concat, uint32s, utf8 } from "./bytes.js";
import { storeBytes } from "./zlib.js";

/** How a chunk with XMP begins in the one form that is written: not compressed, no language, no translated keyword. */
export const XMP_START = utf8("XML:com.adobe.xmp\0\0\0\0\0");
/** Most pixels a meter, or parts of a ratio. */
export const LARGEST_DENSITY = 2147483647;
const INCHES_IN_A_METER = 10000 / 254;

function toNumber(fraction) {
  const [above, below = "1"] = fraction.split("/");
  return Number(above) / Number(below);
}

function packDensity([columns, rows, unit]) {
  const scale = unit === "inch" ? INCHES_IN_A_METER : 1;
  const sides = uint32s(...[columns, rows].map((value) => Math.round(toNumber(value) * scale)));
  return { kind: "pHYs", body: Uint8Array.of(...sides, unit === null ? 0 : 1) };
}

/** The chunks before the samples. @param {object} metadata of a description */
export function makeChunks({ exif, icc, xmp, resolution }) {
  const chunks = [];
  if (icc) chunks.push({ kind: "iCCP", body: concat([utf8("ICC profile\0\0"), storeBytes(icc)]) });
  if (exif) chunks.push({ kind: "eXIf", body: exif });
  if (resolution) chunks.push(packDensity(resolution));
  if (xmp) chunks.push({ kind: "iTXt", body: concat([XMP_START, xmp]) });
  return chunks;
}
