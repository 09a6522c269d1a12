// Redacted pictures: lifting the covers of their layers (redaction, sections 2 to 6).

import { pixelsOfArea } from "./areas.js";
import { ascii, concat, Refused, require, sameBytes, startsWith, utf8 } from "./bytes.js";
import { sha256 } from "./hashing.js";
import { parseJson } from "./header.js";
import { Blocks } from "./jpeg_blocks.js";
import { isJpeg, readJpeg, readSegments } from "./jpeg_file.js";
import { fileOfBlocks, fileOfStructure } from "./jpeg_structure.js";
import { isAnimated, PNG_SIGNATURE, readChunks, readPng } from "./png_reader.js";
import { plainPng } from "./png_writer.js";
import { paletteColors, scaled } from "./rows.js";
import { inflated, inflatedUpTo } from "./zlib.js";

const MARK = utf8("sudokucrypt redaction\0");
const SEGMENT = 0xeb;
const CHUNK = 0x73755264; // suRd
const HEAD = 104; // bytes before name and pixels of a layer: three of 32, and a length
const REST_HEAD = 73;
const MOST_LAYERS = 64;
const OTHER = "a layer is of another picture, or the picture was edited outside the covered areas";

const isPackage = ({ marker, body }) => marker === SEGMENT && startsWith(body, MARK);

/** The package in a PNG or JPEG; null in any other file. @returns {Uint8Array|null} */
export function packageIn(file) {
  if (isJpeg(file)) {
    const pieces = readSegments(file).filter(isPackage).map(({ body }) => body.subarray(MARK.length));
    const complete = pieces.every((piece, i) => {
      return ((piece[0] << 8) | piece[1]) === i && ((piece[2] << 8) | piece[3]) === pieces.length;
    });
    require(complete, "the layers of the redaction are incomplete");
    return pieces.length ? concat(pieces.map((piece) => piece.subarray(4))) : null;
  }
  if (!startsWith(file, PNG_SIGNATURE)) return null;
  const view = new DataView(file.buffer, file.byteOffset, file.length);
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
  const line = data.subarray(0, feeds[0]);
  const index = parseJson(line, "layers") ?? {};
  const lengths = parseJson(data.subarray(feeds[0] + 1, feeds[1]), "layers");
  const { redaction, id, medium, canvas, cover, layers, permanent } = index;
  require(redaction === 1, "the layers were written by a newer version");
  const form = JSON.stringify({ redaction, id, medium, canvas, cover, layers, permanent });
  const lists = [layers, lengths].every(Array.isArray) && form === ascii(line, message);
  const counts = lists && lengths.every((length) => Number.isInteger(length) && length >= 0);
  const known = counts && layers.length > 0 && layers.length <= MOST_LAYERS;
  require(known && lengths.length === layers.length + 1, message);
  require(layers.length * canvas?.[0] * canvas?.[1] <= 2 ** 31, message);
  let at = feeds[1] + 1;
  const parts = lengths.map((length) => data.subarray(at, (at += length)));
  require(at === data.length, message);
  return { line, index, layers: parts.slice(0, -1), rest: parts.at(-1) };
}

/** Which layer each pixel belongs to, counted from 1; those of several belong to the first. */
function ownersOf(canvas, { layers }) {
  const owners = new Uint8Array(canvas[0] * canvas[1]);
  layers.forEach((area, number) => {
    pixelsOfArea(area, canvas).forEach((is, pixel) => (owners[pixel] ||= is ? number + 1 : 0));
  });
  return owners;
}

/** The bytes of some pixels, one behind the other. */
function picked(data, pixels, size) {
  const part = new Uint8Array(pixels.length * size);
  pixels.forEach((pixel, i) => {
    for (let k = 0; k < size; k++) part[i * size + k] = data[pixel * size + k];
  });
  return part;
}

/** Pixels of a PNG: how they are hashed, given back and shown. */
class Samples {
  static async of(file, limit) {
    const chunks = readChunks(file);
    require(!isAnimated(chunks), "the picture has several frames");
    const picture = await readPng(chunks, limit);
    const frame = picture.colors ? paletteColors(picture, 4) : picture.frame;
    return Object.assign(new Samples(), { frame, depth: picture.depth, canvas: frame.shape.slice(0, 2) });
  }

  owned(owners) {
    const { shape, dtype, data } = this.frame;
    const size = data.length / owners.length;
    Object.assign(this, { owners, size, channels: shape[2] ?? 1, sampleBytes: dtype === "uint16" ? 2 : 1 });
  }

  #gather(wanted) {
    const count = this.owners.reduce((sum, owner) => sum + wanted(owner), 0);
    const pixels = new Uint32Array(count);
    let at = 0;
    this.owners.forEach((owner, pixel) => wanted(owner) && (pixels[at++] = pixel));
    return pixels;
  }

  digest() {
    const { shape, dtype, data } = this.frame;
    const mode = ["gray", "gray-alpha", "rgb", "rgba"][this.channels - 1];
    const pixels = this.#gather((owner) => owner === 0);
    const head = utf8(`samples ${mode} ${dtype} (${shape.join(", ")})\n`);
    return sha256(concat([head, picked(data, pixels, this.size)]));
  }

  /** Give pixels back; their bytes are in planes: all lowest ones, then the next. */
  async give(number, packed) {
    const pixels = this.#gather((owner) => owner === number + 1);
    const plane = pixels.length * this.channels;
    const planes = await inflated([packed], plane * this.sampleBytes);
    pixels.forEach((pixel, i) => {
      for (let k = 0; k < this.size; k++) {
        const [sample, byte] = [Math.floor(k / this.sampleBytes), k % this.sampleBytes];
        this.frame.data[pixel * this.size + k] = planes[byte * plane + i * this.channels + sample];
      }
    });
  }

  whole() {
    throw new Refused("the rest of the picture has no form that this page knows");
  }

  /** A PNG in which other areas are black. */
  async shown(hidden) {
    const opaque = this.channels % 2 === 0 ? this.size - this.sampleBytes : this.size;
    for (const pixel of this.#gather((owner) => owner > 0 && hidden(owner - 1))) {
      for (let k = 0; k < this.size; k++) this.frame.data[pixel * this.size + k] = k < opaque ? 0 : 255;
    }
    // Gray samples of 2 and 4 bits, which version 1.1 redacted, are shown with 8.
    const gray = this.channels === 1 && (this.depth === 2 || this.depth === 4);
    return plainPng(gray ? scaled({ frame: this.frame, depth: this.depth, colors: null }) : this.frame);
  }
}

/** Blocks of a JPEG: the same. Areas are whole units, each of which belongs to one layer. */
class Coefficients {
  static async of(file) {
    const jpeg = readJpeg(file);
    return Object.assign(new Coefficients(), { jpeg, blocks: new Blocks(jpeg), canvas: [jpeg.rows, jpeg.columns] });
  }

  owned(owners) {
    const { unit, units, columns } = this.jpeg;
    this.unitOwners = Uint8Array.from({ length: units[0] * units[1] }, (_, i) => {
      return owners[Math.floor(i / units[1]) * unit[0] * columns + (i % units[1]) * unit[1]];
    });
  }

  /** Offsets of the blocks of a component in units of some owners, but for fillers. */
  #offsets({ covering, whole, inUnit }, wanted) {
    const offsets = [];
    for (let y = 0; y < covering[0]; y++) {
      const row = Math.floor(y / inUnit[0]) * this.jpeg.units[1];
      for (let x = 0; x < covering[1]; x++) {
        if (wanted(this.unitOwners[row + Math.floor(x / inUnit[1])])) offsets.push(64 * (y * whole[1] + x));
      }
    }
    return offsets;
  }

  digest() {
    const pair = (numbers) => `(${numbers.join(", ")})`;
    const parts = this.jpeg.components.map(({ covering, sampling }) => ` ${pair(covering)} ${pair(sampling)}`);
    const bytes = [utf8(`jpeg${parts.join("")}\n`)];
    this.jpeg.components.forEach((component, number) => {
      const data = this.blocks.of(component, number);
      const offsets = this.#offsets(component, (owner) => owner === 0);
      const visible = new Int16Array(64 * offsets.length);
      offsets.forEach((offset, i) => visible.set(data.subarray(offset, offset + 64), 64 * i));
      bytes.push(new Uint8Array(component.steps.buffer), new Uint8Array(visible.buffer));
    });
    return sha256(concat(bytes));
  }

  async give(number, packed) {
    const { components } = this.jpeg;
    const offsets = components.map((component) => this.#offsets(component, (owner) => owner === number + 1));
    const total = offsets.reduce((sum, list) => sum + 128 * list.length, 0);
    const planes = await inflated([packed], total);
    let start = 0;
    components.forEach((component, k) => {
      const data = this.blocks.of(component, k);
      const count = offsets[k].length;
      offsets[k].forEach((offset, i) => {
        for (let place = 0; place < 64; place++) {
          const at = start + place * count + i;
          data[offset + place] = planes[at] | (planes[at + 64 * count] << 8);
        }
      });
      start += 128 * count;
    });
  }

  whole(structure) {
    return fileOfStructure(structure, this.jpeg, this.blocks);
  }

  /** A JPEG in which other areas are gray. */
  async shown(hidden) {
    this.jpeg.components.forEach((component, number) => {
      const data = this.blocks.of(component, number);
      const offsets = this.#offsets(component, (owner) => owner > 0 && hidden(owner - 1));
      for (const offset of offsets) data.fill(0, offset, offset + 64);
    });
    return fileOfBlocks(this.jpeg, this.blocks, isPackage);
  }
}

/** Bytes behind a head whose last eight say how many there are. */
function body(content, head) {
  require(content.length >= head, OTHER);
  const view = new DataView(content.buffer, content.byteOffset + head - 8, 8);
  const length = Number(view.getBigUint64(0));
  require(length <= content.length - head, OTHER);
  return content.subarray(head, head + length);
}

/**
 * Lift the layers that open; all of them give the very file.
 * @param {(layer: Uint8Array, secrets: object[]|null) => Promise<Uint8Array|null>} open restores a
 *   layer with the secrets at hand or others, or returns null where none opens it
 * @returns {Promise<{bytes: Uint8Array, lifted: string[], layers: number, whole: boolean}>}
 */
export async function lift(file, data, limit, open) {
  const { line, index, layers, rest } = readPackage(data);
  const medium = await (isJpeg(file) ? Coefficients : Samples).of(file, limit);
  const kind = medium instanceof Coefficients ? "jpeg" : "samples";
  const suits = index.medium === kind && String(index.canvas) === String(medium.canvas);
  require(suits, "the picture is another than its layers are of: resized?");
  medium.owned(ownersOf(medium.canvas, index));
  const [digest, ofLine] = [await medium.digest(), await sha256(line)];
  const opened = new Map();
  for (const [number, layer] of layers.entries()) {
    const content = await open(layer, null);
    if (content === null) continue;
    const right = sameBytes(content.subarray(0, 32), ofLine) && sameBytes(content.subarray(32, 64), digest);
    require(right, OTHER);
    const plain = body(content, HEAD);
    const feed = plain.indexOf(10);
    require(feed >= 0, OTHER);
    const name = new TextDecoder().decode(plain.subarray(0, feed));
    opened.set(number, { share: content.subarray(64, 96), name, pixels: plain.subarray(feed + 1) });
  }
  for (const [number, { pixels }] of opened) await medium.give(number, pixels);
  const lifted = [...opened].map(([number, { name }]) => name || `${number + 1}`);
  const whole = opened.size === layers.length;
  const result = { lifted, layers: layers.length, whole };
  if (opened.size === 0) return { ...result, bytes: null };
  if (!whole) return { ...result, bytes: await medium.shown((number) => !opened.has(number)) };
  const key = new Uint8Array(32);
  for (const { share } of opened.values()) share.forEach((byte, i) => (key[i] ^= byte));
  const sealed = await open(rest, [{ kind: "key", bytes: key }]);
  require(sealed !== null, "the rest of the picture was changed");
  const content = await inflatedUpTo(body(sealed, REST_HEAD), limit);
  const bytes = sealed[64] === 70 ? content : medium.whole(content); // F, or else S
  const same = sameBytes(sealed.subarray(0, 32), ofLine) && sameBytes(sealed.subarray(32, 64), await sha256(bytes));
  require(same, "the rest of the picture was changed");
  return { ...result, bytes };
}
