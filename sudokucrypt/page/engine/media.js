// What can be redacted: the samples of a PNG, or the coefficients of a JPEG (redaction 1 and 2, section 4).
// Masks have a byte for each pixel of the canvas; `owners` have the number of its layer, 0 for none.

import { pickCleartext, roundToEven } from "./cleartext.js";
import { addUp, concat, Refused, require, sameBytes, utf8, viewBytes, zeros } from "./bytes.js";
import { parseCover, convertToComponents, convertToSamples, fillSmoothly, SURROUNDINGS } from "./covers.js";
import { sha256 } from "./hashing.js";
import { Blocks } from "./jpeg_blocks.js";
import { readJpeg } from "./jpeg_file.js";
import { readSigns, writeJpeg } from "./jpeg_output.js";
import { rebuildFile, fill, readStructure, makeStructure, writeStructure } from "./jpeg_structure.js";
import { describeJpegManner, describePngManner, readJpegMetadata, readPngMetadata } from "./manner.js";
import { readOrientation } from "./orientation.js";
import { nameForm } from "./pictures.js";
import { isAnimated, lookUpPalette, readChunks, readPng, showFrame } from "./png_reader.js";
import { compressPng, MODES, writePlain } from "./png_writer.js";

/** Refused by name: version 1 counted other samples than a PNG written here would give back. */
const ALL_TOGETHER = "only all covers of this picture can be lifted together: give the keys of all layers, or use the command line";
export const OTHER = "a layer is of another picture, or the picture was edited outside the covered areas";
const MOST_FILLED = 2 ** 26; // samples, of which each takes 8 bytes then
// Bytes; the larger where there is Exif.
const USUAL_STRUCTURE = 2 ** 14;
const LARGE_STRUCTURE = 2 ** 17;

/** The bytes of the given pixels, in sequence. */
function pickPixels(data, pixels, size) {
  const part = zeros(pixels.length * size);
  pixels.forEach((pixel, i) => {
    for (let k = 0; k < size; k++) part[i * size + k] = data[pixel * size + k];
  });
  return part;
}

/** Pixels of a PNG: this class hashes, takes out, gives back, covers and writes them. */
export class Samples {
  kind = "samples";
  #listed = null;

  static async open(file, limit, version = 2) {
    const chunks = readChunks(file);
    require(!isAnimated(chunks), "the picture has several frames");
    const picture = await readPng(chunks, limit);
    const { depth, colors, clear } = picture;
    if (version === 2) return new Samples(showFrame(picture), await readPngMetadata(chunks));
    const earlier = !colors && (depth === 2 || depth === 4 || clear !== null);
    return new Samples(colors ? lookUpPalette(picture, 4) : picture.frame, await readPngMetadata(chunks), earlier);
  }

  constructor(frame, metadata = {}, earlier = false) {
    const [rows, columns, channels = 1] = frame.shape;
    Object.assign(this, { frame, metadata, earlier, canvas: [rows, columns], channels });
    this.sampleBytes = frame.dtype === "uint16" ? 2 : 1;
    this.pixelBytes = channels * this.sampleBytes;
  }

  get orientation() {
    return readOrientation(this.metadata.exif);
  }

  /** The rectangle that changes if this one is to be covered. */
  rounded(rectangle) {
    return rectangle;
  }

  manner() {
    return describePngManner(this.metadata);
  }

  /** The number of bytes of the pixels of a layer. */
  size(owners, number) {
    return this.pixelBytes * this.#gather(owners, number).length;
  }

  /** The pixels of an owner in C order; those of all are listed at once, as 64 searches take long. */
  #gather(owners, number) {
    if (this.#listed?.owners !== owners) {
      const starts = new Uint32Array(257);
      for (let i = 0; i < owners.length; i++) starts[owners[i] + 1]++;
      for (let i = 0; i < 256; i++) starts[i + 1] += starts[i];
      const [next, pixels] = [starts.slice(), new Uint32Array(owners.length)];
      for (let i = 0; i < owners.length; i++) pixels[next[owners[i]]++] = i;
      this.#listed = { owners, starts, pixels };
    }
    const { starts, pixels } = this.#listed;
    return pixels.subarray(starts[number], starts[number + 1]);
  }

  digest(owners) {
    const { shape, dtype, data } = this.frame;
    const pixels = this.#gather(owners, 0);
    const head = utf8(`samples ${MODES[this.channels - 1]} ${dtype} (${shape.join(", ")})\n`);
    return sha256(concat([head, pickPixels(data, pixels, this.pixelBytes)]));
  }

  /** The pixels of a layer in planes: all lowest bytes, then the next. */
  take(owners, number) {
    const pixels = this.#gather(owners, number);
    const planes = zeros(pixels.length * this.pixelBytes);
    this.#eachByte(pixels, (at, place) => (planes[place] = this.frame.data[at]));
    return planes;
  }

  /** Give pixels back that `take` returned. */
  give(owners, number, planes) {
    const pixels = this.#gather(owners, number);
    this.#eachByte(pixels, (at, place) => (this.frame.data[at] = planes[place]));
  }

  #eachByte(pixels, use) {
    const plane = pixels.length * this.channels;
    pixels.forEach((pixel, i) => {
      for (let k = 0; k < this.pixelBytes; k++) {
        const [sample, byte] = [Math.floor(k / this.sampleBytes), k % this.sampleBytes];
        use(pixel * this.pixelBytes + k, byte * plane + i * this.channels + sample);
      }
    });
  }

  /** Cover the pixels of a mask; the cover does not depend on hidden pixels. */
  cover(where, cover, hidden) {
    const { canvas: [rows, columns], channels, sampleBytes } = this;
    const data = sampleBytes === 2 ? new Uint16Array(this.frame.data.slice().buffer) : this.frame.data;
    if (cover === SURROUNDINGS) {
      require(data.length <= MOST_FILLED, "the picture is too large for a cover of its surroundings; choose a color");
      const filled = fillSmoothly(Float64Array.from(data), hidden, [rows, columns, channels]);
      where.forEach((is, pixel) => {
        for (let k = pixel * channels; is && k < (pixel + 1) * channels; k++) data[k] = roundToEven(filled[k]);
      });
    } else {
      const largest = this.frame.dtype === "bool" ? 1 : 256 ** sampleBytes - 1;
      const samples = convertToSamples(parseCover(cover), channels, largest);
      where.forEach((is, pixel) => is && data.set(samples, pixel * channels));
    }
    this.frame.data = viewBytes(data);
  }

  /** Whether this picture has the same samples as another. */
  shows({ frame }) {
    return nameForm(this.frame) === nameForm(frame) && sameBytes(this.frame.data, frame.data);
  }

  structure() {
    return null;
  }

  whole() {
    throw new Refused("the rest of the picture has no form that this page knows");
  }

  /** A PNG that shows this picture and contains nothing else. */
  async toBytes() {
    require(!this.earlier, ALL_TOGETHER);
    return compressPng(writePlain(this.frame, { metadata: pickCleartext(this.metadata) }));
  }
}

/** Blocks of a JPEG, with the methods of `Samples`. Areas are whole units, each of one layer. */
export class Coefficients {
  kind = "jpeg";
  #listed = null;

  constructor(file) {
    const jpeg = readJpeg(file);
    Object.assign(this, { jpeg, blocks: new Blocks(jpeg), canvas: [jpeg.rows, jpeg.columns] });
  }

  get orientation() {
    return readOrientation(readJpegMetadata(this.jpeg.segments).exif);
  }

  /** The rectangle of all units that a rectangle touches, cut to the canvas. */
  rounded([row, column, rows, columns]) {
    const { canvas, jpeg: { unit } } = this;
    const [top, left] = [row - (row % unit[0]), column - (column % unit[1])];
    const ends = [row + rows, column + columns].map((end, i) => Math.min(Math.ceil(end / unit[i]) * unit[i], canvas[i]));
    return [top, left, ends[0] - top, ends[1] - left];
  }

  /** The number of each unit in a mask of pixels, of which a unit has one. */
  #inUnits(mask) {
    const { unit, units, columns } = this.jpeg;
    return Uint8Array.from({ length: units[0] * units[1] }, (_, i) => {
      return mask[Math.floor(i / units[1]) * unit[0] * columns + (i % units[1]) * unit[1]];
    });
  }

  /** Offsets of the blocks of a component in units of some owners, but for fillers. */
  #offsets({ covering, whole, inUnit }, owners, wanted) {
    if (this.#listed?.owners !== owners) this.#listed = { owners, units: this.#inUnits(owners) };
    const [unitOwners, offsets] = [this.#listed.units, []];
    for (let y = 0; y < covering[0]; y++) {
      const row = Math.floor(y / inUnit[0]) * this.jpeg.units[1];
      for (let x = 0; x < covering[1]; x++) {
        if (wanted(unitOwners[row + Math.floor(x / inUnit[1])])) offsets.push(64 * (y * whole[1] + x));
      }
    }
    return offsets;
  }

  digest(owners) {
    const pair = (numbers) => `(${numbers.join(", ")})`;
    const parts = this.jpeg.components.map(({ covering, sampling }) => ` ${pair(covering)} ${pair(sampling)}`);
    const bytes = [utf8(`jpeg${parts.join("")}\n`)];
    this.jpeg.components.forEach((component, number) => {
      const data = this.blocks.get(component, number);
      const offsets = this.#offsets(component, owners, (owner) => owner === 0);
      const visible = new Int16Array(64 * offsets.length);
      offsets.forEach((offset, i) => visible.set(data.subarray(offset, offset + 64), 64 * i));
      bytes.push(viewBytes(component.steps), viewBytes(visible));
    });
    return sha256(concat(bytes));
  }

  manner() {
    return describeJpegManner(this.jpeg.segments);
  }

  /** The number of bytes of the blocks of a layer. */
  size(owners, number) {
    return 128 * addUp(this.jpeg.components.map((component) => this.#offsets(component, owners, (owner) => owner === number).length));
  }

  take(owners, number) {
    const planes = zeros(this.size(owners, number));
    this.#eachCoefficient(owners, number, (data, place, at, high) => {
      planes[at] = data[place];
      planes[high] = data[place] >> 8;
    });
    return planes;
  }

  give(owners, number, planes) {
    this.#eachCoefficient(owners, number, (data, place, at, high) => {
      data[place] = planes[at] | (planes[high] << 8);
    });
  }

  #eachCoefficient(owners, number, use) {
    let start = 0;
    this.jpeg.components.forEach((component, k) => {
      const data = this.blocks.get(component, k);
      const offsets = this.#offsets(component, owners, (owner) => owner === number);
      const count = offsets.length;
      offsets.forEach((offset, i) => {
        for (let place = 0; place < 64; place++) {
          const at = start + place * count + i;
          use(data, offset + place, at, at + 64 * count);
        }
      });
      start += 128 * count;
    });
  }

  cover(where, cover, hidden) {
    const { components, segments } = this.jpeg;
    const names = components.map(({ identifier }) => identifier);
    const samples = cover === SURROUNDINGS ? [] : convertToComponents(parseCover(cover), names, readSigns({ segments }));
    components.forEach((component, number) => {
      const { whole: [rows, columns], steps: [step] } = component;
      const data = this.blocks.get(component, number);
      const flat = roundToEven((((samples[number] ?? 128) - 128) * 8) / step);
      let means = null;
      if (cover === SURROUNDINGS) {
        const unknown = zeros(rows * columns).fill(1); // fillers, too
        for (const offset of this.#offsets(component, hidden, (is) => is === 0)) unknown[offset / 64] = 0;
        means = fillSmoothly(Float64Array.from(unknown, (_, block) => data[64 * block]), unknown, [rows, columns, 1]);
      }
      for (const offset of this.#offsets(component, where, (is) => is > 0)) {
        data.fill(0, offset, offset + 64);
        data[offset] = means ? roundToEven(means[offset / 64]) : flat;
      }
    });
    fill(this.jpeg, this.blocks);
  }

  shows({ jpeg, blocks }) {
    return this.jpeg.components.every((component, number) => {
      const [one, other] = [this.blocks.get(component, number), blocks.get(jpeg.components[number], number)];
      const offsets = this.#offsets(component, zeros(this.canvas[0] * this.canvas[1]), () => true);
      return offsets.every((offset) => {
        for (let place = offset; place < offset + 64; place++) if (one[place] !== other[place]) return false;
        return true;
      });
    });
  }

  /** The structure that restores the file from its blocks, and its least padded length; null if there is none. */
  structure() {
    const structure = makeStructure(this.jpeg, this.blocks);
    if (structure === null) return null;
    const large = this.jpeg.segments.some(({ marker }) => marker === 0xe1);
    return { body: writeStructure(structure), least: large ? LARGE_STRUCTURE : USUAL_STRUCTURE };
  }

  whole(structure) {
    const form = readStructure(structure, this.jpeg, false);
    require(form.turns.length === 0, OTHER);
    return rebuildFile(form, this.blocks);
  }

  /** A JPEG that shows this picture and contains nothing else. */
  toBytes() {
    fill(this.jpeg, this.blocks);
    return writeJpeg(this.jpeg, this.blocks, pickCleartext(readJpegMetadata(this.jpeg.segments)));
  }
}
