// The chunks of a PNG that hold the metadata of a restored picture.

import { concat, utf8 } from "./bytes.js";
import { stored } from "./zlib.js";

const PLAIN = "\0\0\0\0"; // not compressed, no language, no translated keyword
// These stand before the palette; the others that come before the samples, behind it.
const FIRST = ["cHRM", "cICP", "cLLI", "gAMA", "mDCV", "sBIT", "sRGB"];
const INCHES_IN_A_METER = 10000 / 254;

const latin1 = (text) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const isLatin1 = (text) => /^[\u0001-\u00ff]*$/.test(text);

function number(fraction) {
  const [above, below = "1"] = fraction.split("/");
  return Number(above) / Number(below);
}

function resolutionChunk([columns, rows, unit]) {
  const scale = unit === "inch" ? INCHES_IN_A_METER : 1;
  const body = new DataView(new ArrayBuffer(9));
  [columns, rows].forEach((value, i) => body.setUint32(4 * i, Math.round(number(value) * scale)));
  body.setUint8(8, unit === null ? 0 : 1);
  return { kind: "pHYs", body: new Uint8Array(body.buffer) };
}

function textChunk([keyword, text]) {
  if (isLatin1(text)) return { kind: "tEXt", body: latin1(`${keyword}\0${text}`) };
  return { kind: "iTXt", body: concat([latin1(`${keyword}\0${PLAIN}`), utf8(text)]) };
}

/**
 * Chunks by where they stand: before the palette, before the samples, behind them.
 * @param {object} metadata of a description
 */
export function metadataChunks({ exif, icc, xmp, resolution, texts = [], native = [] }) {
  const chunks = { first: [], before: [], behind: [] };
  if (icc) chunks.first.push({ kind: "iCCP", body: concat([latin1("ICC profile\0\0"), stored(icc)]) });
  if (exif) chunks.before.push({ kind: "eXIf", body: exif });
  if (resolution) chunks.before.push(resolutionChunk(resolution));
  const start = `XML:com.adobe.xmp\0${PLAIN}`;
  if (xmp) chunks.before.push({ kind: "iTXt", body: concat([latin1(start), xmp]) });
  chunks.before.push(...texts.filter(([keyword]) => isLatin1(keyword)).map(textChunk));
  for (const [name, body] of native) {
    const match = /^PNG ([a-zA-Z]{4})( behind)?$/.exec(name);
    if (!match || match[1] === "PLTE") continue;
    const section = match[2] ? "behind" : FIRST.includes(match[1]) ? "first" : "before";
    chunks[section].push({ kind: match[1], body });
  }
  return chunks;
}
