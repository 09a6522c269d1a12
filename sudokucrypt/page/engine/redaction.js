// Redacted pictures: lifting the covers of their layers (redaction 1 and 2).

import { findOwners, maskArea } from "./areas.js";
import { ascii, concat, isWithin, matches, require, sameBytes, startsWith, utf8, makeView, zeros } from "./bytes.js";
import { COVER } from "./covers.js";
import { sha256 } from "./hashing.js";
import { parseJson } from "./header.js";
import { isJpeg, readSegments } from "./jpeg_file.js";
import { Coefficients, OTHER, Samples } from "./media.js";
import { isPng } from "./png_reader.js";
import { inflateAll, inflateUpTo } from "./zlib.js";

/** How the segments of a package begin. */
export const MARK = utf8("sudokucrypt redaction\0");
const SEGMENT = 0xeb;
const CHUNK = 0x73755264; // suRd
const HEAD = 104; // bytes before name and pixels of a layer of version 1: three of 32, and a length
const NAME = 400;
/** Bytes before the pixels of a layer of version 2: four of 32, a number, a length and a name. */
export const HEAD_2 = 131 + NAME;
/** Bytes before the content of the rest: two of 32, a letter and a length. */
export const REST_HEAD = 73;
/** The length of a layer of version 2 with a number of bytes of pixels. */
export const measureLayer = (size) => Math.max(4096, Math.ceil((HEAD_2 + size) / 256) * 256);
/** Most layers. */
export const MOST_LAYERS = 64;
/** Most rectangles of all layers. */
export const MOST_RECTANGLES = 2 ** 16;
/** Most bytes of an index. */
export const LONGEST_INDEX = 16 * 2 ** 20;
/** Most of their number times the pixels of the canvas. */
export const MOST_MASKED = 2 ** 31;
const SHOWN =
  "the display settings were changed: the orientation, the colors or the scans; all keys together give the original file";

const isPackage = ({ marker, body }) => marker === SEGMENT && startsWith(body, MARK);

/** The package in a PNG or JPEG; null in any other file. @returns {Uint8Array|null} */
export function findPackage(file) {
  if (isJpeg(file)) {
    const pieces = readSegments(file, false).filter(isPackage).map(({ body }) => body.subarray(MARK.length));
    const complete = pieces.every((piece, i) => {
      return ((piece[0] << 8) | piece[1]) === i && ((piece[2] << 8) | piece[3]) === pieces.length;
    });
    require(complete, "the layers of the redaction are incomplete");
    return pieces.length ? concat(pieces.map((piece) => piece.subarray(4))) : null;
  }
  if (!isPng(file)) return null;
  const view = makeView(file);
  for (let at = 8; at + 12 <= file.length; at += 12 + view.getUint32(at)) {
    if (view.getUint32(at + 4) === CHUNK) return file.subarray(at + 8, at + 8 + view.getUint32(at));
  }
  return null;
}

/** Index, layers and rest of a package, which is refused in another form than the written one. */
function readPackage(data) {
  const message = "the layers of the redaction are damaged";
  const feeds = [data.indexOf(10), data.indexOf(10, data.indexOf(10) + 1)];
  require(feeds[0] > 0 && feeds[1] > feeds[0], message);
  require(feeds[0] <= LONGEST_INDEX, message);
  const line = data.subarray(0, feeds[0]);
  const index = parseJson(line, "layers") ?? {};
  const lengths = parseJson(data.subarray(feeds[0] + 1, feeds[1]), "layers");
  const { redaction, id, medium, canvas, cover, layers, permanent } = index;
  require(redaction === 1 || redaction === 2, "the layers were written by a newer version");
  const written = [{ redaction, id, medium, canvas, cover, layers, permanent }, lengths].map((each) => JSON.stringify(each));
  const lists = [layers, lengths].every(Array.isArray) && written.join("\n") === ascii(data.subarray(0, feeds[1]), message);
  const known = matches(id, /^[0-9a-f]{32}$/) && ["jpeg", "samples"].includes(medium) && matches(cover, COVER) && permanent !== null;
  require(lists && known && isWithin(layers.length, 1, MOST_LAYERS) && lengths.length === layers.length + 1, message);
  require(lengths.every((length) => isWithin(length, 0, data.length)), message);
  require(layers.length * canvas?.[0] * canvas?.[1] <= MOST_MASKED, message);
  require([...layers, permanent ?? []].flat().length <= MOST_RECTANGLES, message);
  let at = feeds[1] + 1;
  const parts = lengths.map((length) => data.subarray(at, (at += length)));
  require(at === data.length, message);
  return { line, index, layers: parts.slice(0, -1), rest: parts.at(-1) };
}

/** The bytes after a head, whose last eight bytes are the number of these bytes. */
function readBody(content, head) {
  require(content.length >= head, OTHER);
  const length = Number(makeView(content).getBigUint64(head - 8));
  require(length <= content.length - head, OTHER);
  return content.subarray(head, head + length);
}

/** Share, name and packed pixels of a layer of version 1. */
async function readLayer1(content, size) {
  const plain = readBody(content, HEAD);
  const feed = plain.indexOf(10);
  require(feed >= 0, OTHER);
  const pixels = await inflateAll([plain.subarray(feed + 1)], size);
  return { share: content.subarray(64, 96), name: plain.subarray(0, feed), pixels };
}

/** The same of version 2, in which a layer also has its number, and how the picture is shown. */
function readLayer2(content, size, number) {
  const length = (content[129] << 8) | content[130];
  require(content.length === measureLayer(size) && content[128] === number + 1 && length <= NAME, OTHER);
  return {
    shown: content.subarray(64, 96),
    share: content.subarray(96, 128),
    name: content.subarray(131, 131 + length),
    pixels: content.subarray(HEAD_2, HEAD_2 + size),
  };
}

/**
 * Lift the layers that open; all of them give the very file, and some a redacted picture in which only
 * the other areas are covered.
 * @param {(layer: Uint8Array, secrets: object[]|null) => Promise<Uint8Array|null>} open restores a
 *   layer with the secrets at hand or others, or returns null where none opens it
 * @param {(shown: Uint8Array, data: Uint8Array) => Uint8Array} attach puts the package into a picture
 * @returns {Promise<{bytes: Uint8Array, lifted: string[], layers: number, whole: boolean, version: number}>}
 */
export async function lift(file, data, limit, open, attach) {
  const { line, index, layers, rest } = readPackage(data);
  const version = index.redaction;
  const ofLine = await sha256(line);
  // Whoever made the file chose what reading its picture costs: keys come first.
  const contents = new Map();
  for (const [number, layer] of layers.entries()) {
    const content = await open(layer, null);
    if (content === null) continue;
    require(sameBytes(content.subarray(0, 32), ofLine), OTHER);
    contents.set(number, content);
  }
  if (contents.size === 0) return { lifted: [], layers: layers.length, whole: false, version, bytes: null };
  const medium = isJpeg(file) ? new Coefficients(file) : await Samples.open(file, limit, version);
  const suits = index.medium === medium.kind && String(index.canvas) === String(medium.canvas);
  require(suits, "the picture is another than its layers are of: resized?");
  const owners = findOwners(index.layers, medium.canvas);
  const digest = await medium.digest(owners);
  const opened = new Map();
  for (const [number, content] of contents) {
    require(sameBytes(content.subarray(32, 64), digest), OTHER);
    const size = medium.size(owners, number + 1);
    opened.set(number, await (version === 1 ? readLayer1 : readLayer2)(content, size, number));
  }
  const lifted = [...opened].map(([number, { name }]) => new TextDecoder().decode(name) || `${number + 1}`);
  const whole = opened.size === layers.length;
  const result = { lifted, layers: layers.length, whole, version };
  if (version === 2 && !whole) {
    // With all keys the rest gives the original file, however the one at hand is shown.
    const shown = await sha256(utf8(await medium.manner()));
    for (const layer of opened.values()) require(sameBytes(layer.shown, shown), SHOWN);
  }
  for (const [number, { pixels }] of opened) medium.give(owners, number + 1, pixels);
  if (!whole) {
    // Anyone may have drawn on the covers of the picture at hand.
    const left = owners.map((owner) => (owner > 0 && !opened.has(owner - 1) ? 1 : 0));
    const gone = index.permanent === undefined ? null : maskArea(index.permanent, medium.canvas);
    medium.cover(left, index.cover, owners.map((owner, pixel) => (owner > 0 || gone?.[pixel] ? 1 : 0)));
    return { ...result, bytes: attach(await medium.toBytes(), data) };
  }
  const key = zeros(32);
  for (const { share } of opened.values()) share.forEach((byte, i) => (key[i] ^= byte));
  const sealed = await open(rest, [{ kind: "key", bytes: key }]);
  require(sealed !== null, "the rest of the picture was changed");
  const stored = readBody(sealed, REST_HEAD);
  const content = version === 1 ? await inflateUpTo(stored, limit) : stored;
  const bytes = sealed[64] === 70 ? content : medium.whole(content); // F, or else S
  const same = sameBytes(sealed.subarray(0, 32), ofLine) && sameBytes(sealed.subarray(32, 64), await sha256(bytes));
  require(same, "the rest of the picture was changed");
  return { ...result, bytes };
}
