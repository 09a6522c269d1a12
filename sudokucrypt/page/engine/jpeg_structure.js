// What a JPEG holds besides its coefficients, and the file again (JPEG, sections 6 and 7).

import { concat, require } from "./bytes.js";
import { readJpeg } from "./jpeg_file.js";

const jpegSuits = (condition) => require(condition, "the structure of the JPEG does not fit its blocks");

/** Reads numbers, strings and lists in their order. */
class Fields {
  #data;
  #at = 0;

  constructor(data) {
    this.#data = data;
  }

  number() {
    let number = 0;
    for (let count = 0; count < 7; count++) {
      const byte = this.#data[this.#at++];
      number += (byte % 128) * 128 ** count;
      if (byte < 128) return number;
    }
    throw new RangeError("a number that is cut off or too large");
  }

  string() {
    const length = this.number();
    jpegSuits(length <= this.#data.length - this.#at);
    return this.#data.subarray(this.#at, (this.#at += length));
  }

  list(read) {
    const count = this.number();
    jpegSuits(count <= this.#data.length); // each takes a byte
    return Array.from({ length: count }, read);
  }

  places() {
    let place = 0;
    return this.list(() => (place += this.number()));
  }
}

function readStructure(data) {
  const fields = new Fields(data);
  const size = fields.number();
  fields.places(); // readable copies: none in a redaction
  const skeleton = fields.string();
  const scans = fields.list(() => {
    const [padding, breaks] = [fields.string(), fields.places()];
    return { padding, breaks, strays: new Map(fields.places().map((i) => [i, fields.string()])) };
  });
  jpegSuits(fields.number() === 0); // turns: none either
  const fillers = fields.list(() =>
    fields.places().map((place) => {
      const folded = fields.number();
      return [place, folded % 2 ? (folded + 1) / 2 : -folded / 2];
    }),
  );
  const [patch = null] = fields.list(() => [fields.number(), fields.number(), fields.string()]);
  return { size, skeleton, scans, fillers, patch };
}

/** Give fillers the mean of the block before them where scans send them, and other values. */
function fill(jpeg, blocks, fillers) {
  jpeg.components.forEach((component, number) => {
    const { covering, whole, inUnit } = component;
    const data = blocks.of(component, number);
    const sent = jpeg.scans.some(({ numbers }) => numbers.length > 1 && numbers.includes(number));
    const isFiller = (y, x) => y >= covering[0] || x >= covering[1];
    for (let unit = 0; unit < jpeg.units[0] * jpeg.units[1]; unit++) {
      let before = 0;
      const [top, left] = [Math.floor(unit / jpeg.units[1]) * inUnit[0], (unit % jpeg.units[1]) * inUnit[1]];
      for (let y = top; y < Math.min(top + inUnit[0], whole[0]); y++) {
        for (let x = left; x < left + inUnit[1]; x++) {
          const at = 64 * (y * whole[1] + x);
          if (isFiller(y, x)) {
            data.fill(0, at, at + 64);
            data[at] = sent ? before : 0;
          }
          before = data[at];
        }
      }
    }
    for (const [place, difference] of fillers[number] ?? []) data[place] += difference;
  });
}

/** The data of all scans between the pieces of a skeleton; null if a symbol has no code. */
function coded(jpeg, blocks, scans) {
  const pieces = [];
  let start = 0;
  for (const [i, scan] of jpeg.scans.entries()) {
    const data = blocks.code(jpeg, scan, scans[i]);
    if (data === null) return null;
    pieces.push(jpeg.file.subarray(start, scan.data[0]), data);
    [start] = scan.data;
  }
  return concat([...pieces, jpeg.file.subarray(start)]);
}

/** The file that has this structure and these blocks; the caller compares its hash. */
export function fileOfStructure(data, current, blocks) {
  const { size, skeleton, scans, fillers, patch } = readStructure(data);
  const jpeg = readJpeg(skeleton);
  const form = ({ rows, columns, components }) =>
    JSON.stringify([rows, columns, components.map(({ sampling, steps }) => [sampling, ...steps])]);
  jpegSuits(scans.length === jpeg.scans.length && form(jpeg) === form(current));
  fill(jpeg, blocks, fillers);
  const made = coded(jpeg, blocks, scans) ?? new Uint8Array(0);
  const [start, end, text] = patch ?? [made.length, 0, new Uint8Array(0)];
  jpegSuits(start + end <= made.length && start + text.length + end === size);
  return concat([made.subarray(0, start), text, made.subarray(made.length - end)]);
}

/**
 * A file that shows the blocks, with codes for all symbols; `kept` gives what is kept of each
 * other segment, or null.
 */
export function fileOfBlocks(current, blocks, kept) {
  const tables = [];
  for (let id = 0; id < 4; id++) {
    const counts = (length, count) => Uint8Array.from({ length: 16 }, (_, i) => (i === length - 1 ? count : 0));
    const symbols = (count) => Uint8Array.from({ length: count }, (_, i) => i);
    tables.push(Uint8Array.of(id), counts(5, 16), symbols(16));
    // 256 codes of 9 bits: a count is a byte, so one of them has 10.
    const two = counts(9, 255);
    two[9] = 1;
    tables.push(Uint8Array.of(16 + id), two, symbols(256));
  }
  const body = concat(tables);
  const codes = concat([Uint8Array.of(0xff, 0xc4, (body.length + 2) >> 8, (body.length + 2) & 255), body]);
  const parts = [current.file.subarray(0, 2), codes];
  for (const segment of current.segments) {
    const part = segment.marker === 0xc4 ? null : kept(segment, current.file);
    if (part !== null) parts.push(part);
  }
  const jpeg = readJpeg(concat(parts));
  fill(jpeg, blocks, []);
  const plain = { padding: [], breaks: [], strays: new Map() };
  return coded(jpeg, blocks, jpeg.scans.map(() => plain));
}
