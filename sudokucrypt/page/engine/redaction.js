// Redacted pictures: lifting the covers of their layers (redaction 1 and 2).

import { pixelsOfArea } from "./areas.js";
import { ascii, concat, Refused, require, sameBytes, startsWith, utf8 } from "./bytes.js";
import { sha256 } from "./hashing.js";
import { parseJson } from "./header.js";
import { Blocks } from "./jpeg_blocks.js";
import { isJpeg, readJpeg, readSegments } from "./jpeg_file.js";
import { fileOfBlocks, fileOfStructure } from "./jpeg_structure.js";
import { keptOf, mannerOfJpeg, mannerOfPng, metadataOfPng } from "./manner.js";
import { isAnimated, PNG_SIGNATURE, readChunks, readPng } from "./png_reader.js";
import { plainPng } from "./png_writer.js";
import { paletteColors, scaled } from "./rows.js";
import { inflated, inflatedUpTo } from "./zlib.js";

const MARK = utf8("sudokucrypt redaction\0");
const SEGMENT = 0xeb;
const CHUNK = 0x73755264; // suRd
const HEAD = 104; // bytes before name and pixels of a layer of version 1: three of 32, and a length
const NAME = 400;
const HEAD_2 = 131 + NAME; // of version 2: four of 32, a number, a length and a name
const REST_HEAD = 73;
const MOST_LAYERS = 64;
const SHOWN =
  "how the picture is shown was changed: its orientation, its colors or its scans; all keys together give the original file";
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
  require(redaction === 1 || redaction === 2, "the layers were written by a newer version");
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
  for (const [number, area] of layers.entries()) {
    const chosen = pixelsOfArea(area, canvas);
    for (let i = 0; i < owners.length; i++) if (chosen[i] && owners[i] === 0) owners[i] = number + 1;
  }
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
  static async of(file, limit, version) {
    const chunks = readChunks(file);
    require(!isAnimated(chunks), "the picture has several frames");
    const picture = await readPng(chunks, limit);
    const { depth, colors } = picture;
    let frame = colors ? paletteColors(picture, 4) : picture.frame;
    if (version === 2) {
      require(colors || !chunks.some(({ kind }) => kind === "tRNS"), OTHER); // no redaction has a transparent color
      frame = depth === 1 && !colors ? picture.frame : scaled(picture);
    }
    const metadata = version === 2 ? await metadataOfPng(chunks) : {};
    return Object.assign(new Samples(), { frame, depth, metadata, version, canvas: frame.shape.slice(0, 2) });
  }

  manner() {
    return mannerOfPng(this.metadata);
  }

  /** How many bytes the pixels of a layer have. */
  size(number) {
    return this.pixelBytes * this.#pixelsOf(number + 1).length;
  }

  owned(owners) {
    const { shape, dtype, data } = this.frame;
    const size = data.length / owners.length;
    Object.assign(this, { pixelBytes: size, channels: shape[2] ?? 1, sampleBytes: dtype === "uint16" ? 2 : 1 });
    this.starts = new Uint32Array(MOST_LAYERS + 2);
    for (let i = 0; i < owners.length; i++) this.starts[owners[i] + 1]++;
    for (let i = 0; i <= MOST_LAYERS; i++) this.starts[i + 1] += this.starts[i];
    const next = this.starts.slice();
    this.pixels = new Uint32Array(owners.length);
    for (let i = 0; i < owners.length; i++) this.pixels[next[owners[i]]++] = i;
  }

  /** The pixels of an owner in C order; those of all owners are listed at once. */
  #pixelsOf(owner) {
    return this.pixels.subarray(this.starts[owner], this.starts[owner + 1]);
  }

  digest() {
    const { shape, dtype, data } = this.frame;
    const mode = ["gray", "gray-alpha", "rgb", "rgba"][this.channels - 1];
    const pixels = this.#pixelsOf(0);
    const head = utf8(`samples ${mode} ${dtype} (${shape.join(", ")})\n`);
    return sha256(concat([head, picked(data, pixels, this.pixelBytes)]));
  }

  /** Give pixels back; their bytes are in planes: all lowest ones, then the next. */
  give(number, planes) {
    const pixels = this.#pixelsOf(number + 1);
    const plane = pixels.length * this.channels;
    pixels.forEach((pixel, i) => {
      for (let k = 0; k < this.pixelBytes; k++) {
        const [sample, byte] = [Math.floor(k / this.sampleBytes), k % this.sampleBytes];
        this.frame.data[pixel * this.pixelBytes + k] = planes[byte * plane + i * this.channels + sample];
      }
    });
  }

  whole() {
    throw new Refused("the rest of the picture has no form that this page knows");
  }

  /** A PNG in which other areas are black. */
  async shown(hidden) {
    const opaque = this.channels % 2 === 0 ? this.pixelBytes - this.sampleBytes : this.pixelBytes;
    for (let number = 0; number < MOST_LAYERS; number++) {
      for (const pixel of hidden(number) ? this.#pixelsOf(number + 1) : []) {
        for (let k = 0; k < this.pixelBytes; k++) this.frame.data[pixel * this.pixelBytes + k] = k < opaque ? 0 : 255;
      }
    }
    if (this.version === 2) return plainPng(this.frame, { metadata: this.metadata });
    // Gray samples of 2 and 4 bits, which version 1.1 redacted, are shown with 8.
    const gray = this.channels === 1 && (this.depth === 2 || this.depth === 4);
    return plainPng(gray ? scaled({ frame: this.frame, depth: this.depth, colors: null }) : this.frame);
  }
}

/** Blocks of a JPEG: the same. Areas are whole units, each of which belongs to one layer. */
class Coefficients {
  static async of(file, _limit, version) {
    const jpeg = readJpeg(file);
    return Object.assign(new Coefficients(), { version, jpeg, blocks: new Blocks(jpeg), canvas: [jpeg.rows, jpeg.columns] });
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

  manner() {
    return mannerOfJpeg(this.jpeg.segments);
  }

  #offsetsOf(number) {
    return this.jpeg.components.map((component) => this.#offsets(component, (owner) => owner === number + 1));
  }

  /** How many bytes the blocks of a layer have. */
  size(number) {
    return this.#offsetsOf(number).reduce((sum, list) => sum + 128 * list.length, 0);
  }

  give(number, planes) {
    const { components } = this.jpeg;
    const offsets = this.#offsetsOf(number);
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
    const whole = (segment, file) => (isPackage(segment) ? null : file.subarray(segment.start, segment.end));
    return fileOfBlocks(this.jpeg, this.blocks, this.version === 2 ? keptOf(this.jpeg.segments) : whole);
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

/** Share, name and packed pixels of a layer of version 1. */
async function readFirst(content, size) {
  const plain = body(content, HEAD);
  const feed = plain.indexOf(10);
  require(feed >= 0, OTHER);
  const pixels = await inflated([plain.subarray(feed + 1)], size);
  return { share: content.subarray(64, 96), name: plain.subarray(0, feed), pixels };
}

/** The same of version 2, in which a layer also has its number, and how the picture is shown. */
function readSecond(content, size, number) {
  const whole = Math.max(4096, Math.ceil((HEAD_2 + size) / 256) * 256);
  const length = (content[129] << 8) | content[130];
  require(content.length === whole && content[128] === number + 1 && length <= NAME, OTHER);
  return {
    shown: content.subarray(64, 96),
    share: content.subarray(96, 128),
    name: content.subarray(131, 131 + length),
    pixels: content.subarray(HEAD_2, HEAD_2 + size),
  };
}

/**
 * Lift the layers that open; all of them give the very file.
 * @param {(layer: Uint8Array, secrets: object[]|null) => Promise<Uint8Array|null>} open restores a
 *   layer with the secrets at hand or others, or returns null where none opens it
 * @returns {Promise<{bytes: Uint8Array, lifted: string[], layers: number, whole: boolean, version: number}>}
 */
export async function lift(file, data, limit, open) {
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
  const medium = await (isJpeg(file) ? Coefficients : Samples).of(file, limit, version);
  const kind = medium instanceof Coefficients ? "jpeg" : "samples";
  const suits = index.medium === kind && String(index.canvas) === String(medium.canvas);
  require(suits, "the picture is another than its layers are of: resized?");
  medium.owned(ownersOf(medium.canvas, index));
  const digest = await medium.digest();
  const opened = new Map();
  for (const [number, content] of contents) {
    require(sameBytes(content.subarray(32, 64), digest), OTHER);
    opened.set(number, await (version === 1 ? readFirst : readSecond)(content, medium.size(number), number));
  }
  const lifted = [...opened].map(([number, { name }]) => new TextDecoder().decode(name) || `${number + 1}`);
  const whole = opened.size === layers.length;
  const result = { lifted, layers: layers.length, whole, version };
  if (version === 2 && !whole) {
    // With all keys the rest gives the original file, however the one at hand is shown.
    const shown = await sha256(utf8(await medium.manner()));
    for (const layer of opened.values()) require(sameBytes(layer.shown, shown), SHOWN);
  }
  for (const [number, { pixels }] of opened) medium.give(number, pixels);
  if (!whole) return { ...result, bytes: await medium.shown((number) => !opened.has(number)) };
  const key = new Uint8Array(32);
  for (const { share } of opened.values()) share.forEach((byte, i) => (key[i] ^= byte));
  const sealed = await open(rest, [{ kind: "key", bytes: key }]);
  require(sealed !== null, "the rest of the picture was changed");
  const stored = body(sealed, REST_HEAD);
  const content = version === 1 ? await inflatedUpTo(stored, limit) : stored;
  const bytes = sealed[64] === 70 ? content : medium.whole(content); // F, or else S
  const same = sameBytes(sealed.subarray(0, 32), ofLine) && sameBytes(sealed.subarray(32, 64), await sha256(bytes));
  require(same, "the rest of the picture was changed");
  return { ...result, bytes };
}
