// Redacting a picture: covers, layers that lift them, and the rest (redaction 2).

import { findOwners, encodeArea } from "./areas.js";
import { addUp, concat, fromLetters, hex, randomBytes, Refused, require, startsWith, utf8, makeView, zeros } from "./bytes.js";
import { measurePng } from "./costs.js";
import { normalizeCover } from "./covers.js";
import { sha256 } from "./hashing.js";
import { isJpeg } from "./jpeg_file.js";
import { makeSegment } from "./jpeg_codes.js";
import { Coefficients, Samples } from "./media.js";
import { unturnRectangle, turnSides } from "./orientation.js";
import { isPng } from "./png_reader.js";
import { chunk } from "./png_writer.js";
import { findPackage, HEAD_2, LONGEST_INDEX, MARK, measureLayer, MOST_LAYERS, MOST_MASKED, MOST_RECTANGLES, REST_HEAD } from "./redaction.js";

const LONGEST_NAME = 100; // characters
const LEAST_REST = 2 ** 14;
const UNIT_BYTES = 256;
const ROOM_OF_PIECE = 65533 - MARK.length - 4;
const PNG_TAIL = 12; // bytes of IEND
const ENOUGH_LINES = 1 / 16;
const COST_MARGIN = 1.5;
const DEFLATE_WINDOW = 2 ** 15;
// First bytes and offsets of files with lossy samples: WebP, HEIF and JPEG.
const LOSSY = [["RIFF", 0], ["ftyp", 4], ["\xff\xd8", 0]];

/** The picture in a file in the medium in which it is redacted. */
async function openMedium(bytes, limit, decode) {
  if (isJpeg(bytes)) {
    try {
      return new Coefficients(bytes);
    } catch (error) {
      if (!(error instanceof Refused) || decode === null) throw error; // its samples can be covered all the same
    }
  } else if (isPng(bytes)) {
    return Samples.open(bytes, limit);
  }
  require(decode !== null, "the page covers areas of JPEG and PNG pictures; use the command line");
  return new Samples(await decode(bytes));
}

/** Convert rectangles of the upright picture to rectangles of the stored picture, in whole units. */
function convertAreas(rectangles, medium) {
  const sides = turnSides(medium.canvas, medium.orientation);
  const list = rectangles.map((rectangle) => {
    const [row, column, rows, columns] = rectangle;
    const whole = rectangle.length === 4 && rectangle.every(Number.isInteger) && row >= 0 && column >= 0 && rows > 0 && columns > 0;
    require(whole && row + rows <= sides[0] && column + columns <= sides[1], "an area does not lie in the picture");
    return medium.rounded(unturnRectangle(rectangle, medium.orientation, medium.canvas));
  });
  if (medium.kind !== "jpeg") return list;
  return [...new Map(list.map((each) => [String(each), each])).values()]; // some lie in the same units
}

/** One byte for each pixel: whether any of the areas contains it. */
function uniteAreas(areas, canvas) {
  return findOwners(areas, canvas).map((owner) => (owner > 0 ? 1 : 0));
}

/** Write a picture with covers and open it again, as the recipient will read it. */
async function reopen(medium, limit) {
  const bytes = await medium.toBytes();
  const written = await openMedium(bytes, limit, null);
  require(written.kind === medium.kind && written.shows(medium), "the picture would not come back exactly");
  return { bytes, written };
}

function makeLayer(number, digests, share, name, pixels) {
  const text = utf8(name);
  const content = zeros(measureLayer(pixels.length));
  content.set(concat([...digests, share, Uint8Array.of(number, text.length >> 8, text.length & 255), text]));
  content.set(pixels, HEAD_2);
  return content;
}

/** An upper bound for the length of a PNG, from its visible parts only (section 5). */
function boundPng(file, shown, owners, [rows, columns], size) {
  const [costs, ours] = [measurePng(file), measurePng(shown)];
  let free = Uint8Array.from({ length: rows }, (_, row) => !owners.subarray(row * columns, (row + 1) * columns).some((owner) => owner > 0));
  const reach = Math.floor((DEFLATE_WINDOW * rows) / costs.inflated);
  let before = -reach - 1;
  const far = free.map((is, row) => {
    if (!is) before = Math.max(before, row);
    return row - before > reach ? 1 : 0;
  });
  const share = (lines) => addUp(lines) / rows;
  if (share(far) >= ENOUGH_LINES) free = far;
  let factor = 4;
  if (costs.lines && ours.lines && share(free) >= ENOUGH_LINES) {
    const [theirs, own] = [costs, ours].map(({ lines }) => addUp(lines.map((cost, row) => (free[row] ? cost : 0))));
    while (own > 0 && factor * own < COST_MARGIN * theirs) factor *= 4;
  }
  const samples = Math.min(factor * shown.length + size, ours.inflated);
  const others = Math.max(costs.metadata ? 2 ** 16 : 2 ** 10, 2 ** Math.ceil(Math.log2(Math.max(1, costs.others))));
  return UNIT_BYTES * Math.ceil((samples + Math.floor(samples / 128) + others) / UNIT_BYTES);
}

/** The first power of two above a number. */
const nextPower = (number) => 2 ** (Math.floor(Math.log2(Math.max(1, number))) + 1);

async function makeRest(file, structure, index, shown, owners, canvas, size) {
  const { body, least: given = null } = structure ?? { body: file };
  let least = given ?? LEAST_REST;
  if (given === null && isPng(file)) {
    least = Math.max(least, boundPng(file, shown, owners, canvas, size));
  } else if (given === null) {
    const lossy = LOSSY.some(([start, at]) => startsWith(file.subarray(at), fromLetters(start)));
    const half = Math.floor(size / 2);
    const likely = lossy ? Math.floor(shown.length / 4) + half : 4 * shown.length + Math.floor((3 * size) / 2);
    least = Math.max(least, nextPower(likely));
  }
  const head = zeros(REST_HEAD);
  head.set(concat([index, await sha256(file), utf8(structure ? "S" : "F")]));
  makeView(head).setBigUint64(REST_HEAD - 8, BigInt(body.length));
  while (least < head.length + body.length) least *= 2;
  const content = zeros(least);
  content.set(concat([head, body]));
  return content;
}

/** A PNG or JPEG, written here without layers, with a package of them. */
export function attachPackage(file, data) {
  if (!isJpeg(file)) {
    return concat([file.subarray(0, -PNG_TAIL), ...chunk("suRd", data), file.subarray(-PNG_TAIL)]);
  }
  const count = Math.ceil(data.length / ROOM_OF_PIECE);
  require(count < 65536, "the layers do not fit into a JPEG; use the command line, which writes them beside it");
  const start = file[3] === 0xe0 ? 4 + (file[4] << 8) + file[5] : 2; // JFIF comes first
  const pieces = Array.from({ length: count }, (_, i) => {
    const number = Uint8Array.of(i >> 8, i & 255, count >> 8, count & 255);
    return makeSegment(0xeb, concat([MARK, number, data.subarray(i * ROOM_OF_PIECE, (i + 1) * ROOM_OF_PIECE)]));
  });
  return concat([file.subarray(0, start), ...pieces, file.subarray(start)]);
}

function checkLayers(layers) {
  require(layers.length > 0, "no area was chosen");
  const keyed = layers.filter(({ permanent }) => !permanent);
  require(keyed.length <= MOST_LAYERS, `a picture has at most ${MOST_LAYERS} layers`);
  for (const { name = "", areas, metadata = false } of layers) {
    require([...name].length <= LONGEST_NAME && !name.includes("\n"), `the name of a layer is one line of at most ${LONGEST_NAME} characters`);
    require(areas.length > 0 || metadata, "a layer has no areas");
  }
}

/**
 * Cover areas of a picture; layers lift the covers of theirs. `seal` protects the content of a layer
 * as `encrypt-v1` does a file.
 * @param {{areas: number[][], name?: string, permanent?: boolean, metadata?: boolean}[]} layers areas
 *   are rectangles [row, column, rows, columns] of the picture as it is shown, upright; what is
 *   permanent has no layer; `metadata` allows a layer without areas, which is one of those that open
 *   the rest
 * @param {(content: Uint8Array, layer: ?object) => Promise<Uint8Array>} seal for a layer, or with null
 *   and a key for the rest
 * @returns {Promise<{bytes: Uint8Array, lifted: Uint8Array}>} the redacted file, and that which all
 *   layers together give
 */
export async function redact(file, layers, { cover = "black", limit, decode = null }, seal) {
  checkLayers(layers);
  require(findPackage(file) === null, "the picture is redacted already: lift its covers first, and cover everything at once");
  let medium = await openMedium(file, limit, decode);
  const { canvas } = medium;
  const color = normalizeCover(cover);
  const areas = layers.map((layer) => convertAreas(layer.areas, medium));
  const permanent = areas.filter((_, i) => layers[i].permanent).flat();
  let lifted = file;
  const gone = uniteAreas(permanent.length ? [permanent] : [], canvas);
  const removes = layers.some((layer) => layer.permanent);
  if (removes) {
    // What is lifted later is a file that never held these areas.
    medium.cover(gone, color, uniteAreas(areas.filter((area) => area.length), canvas));
    ({ bytes: lifted, written: medium } = await reopen(medium, limit));
  }
  const keyed = layers.map((layer, i) => ({ ...layer, area: encodeArea(areas[i], canvas) })).filter((layer) => !layer.permanent);
  if (keyed.length === 0) return { bytes: lifted, lifted };
  require(keyed.length * canvas[0] * canvas[1] <= MOST_MASKED, "a picture of this size cannot have so many layers");
  const index = { redaction: 2, id: hex(randomBytes(16)), medium: medium.kind, canvas, cover: color, layers: keyed.map(({ area }) => area) };
  if (removes) index.permanent = encodeArea(permanent, canvas);
  const line = utf8(JSON.stringify(index));
  const all = [...index.layers, index.permanent ?? []].filter(Array.isArray);
  const few = addUp(all.map((each) => each.length)) <= MOST_RECTANGLES && line.length <= LONGEST_INDEX;
  require(few, "there are too many areas");

  const owners = findOwners(index.layers, canvas);
  const structure = medium.structure();
  const pixels = keyed.map((_, i) => medium.take(owners, i + 1));
  medium.cover(owners.map((owner) => (owner > 0 ? 1 : 0)), color, owners.map((owner, pixel) => (owner > 0 ? 1 : gone[pixel])));
  const { bytes: shown, written } = await reopen(medium, limit);
  const ofIndex = await sha256(line);
  const digests = [ofIndex, await written.digest(owners), await sha256(utf8(await written.manner()))];
  const key = zeros(32);
  const parts = [];
  for (const [i, layer] of keyed.entries()) {
    const share = randomBytes(32);
    share.forEach((byte, k) => (key[k] ^= byte));
    parts.push(await seal(makeLayer(i + 1, digests, share, layer.name ?? "", pixels[i]), layer));
  }
  const size = addUp(pixels.map((each) => each.length));
  const rest = await makeRest(lifted, structure, ofIndex, shown, owners, canvas, size);
  parts.push(await seal(rest, { key }));
  const lengths = utf8(`\n${JSON.stringify(parts.map((part) => part.length))}\n`);
  return { bytes: attachPackage(shown, concat([line, lengths, ...parts])), lifted };
}
