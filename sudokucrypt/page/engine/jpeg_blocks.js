// The blocks of a JPEG, decoded and coded by the core (JPEG, sections 2 and 7).

import { concat, Refused, require } from "./bytes.js";
import { newCore } from "./core.js";

const BLOCK_BYTES = 128; // 64 coefficients
const MARGIN = 512; // bytes behind the coded data that the core may look at
const MOST_BLOCK_BYTES = 2 ** 28;

const jpegBroken = (condition) => require(condition, "the JPEG is damaged: its data cannot be decoded");

/** Blocks in the memory of a core: components have their number of blocks one behind the other. */
export class Blocks {
  constructor(jpeg) {
    this.core = newCore();
    const sizes = jpeg.components.map(({ whole: [rows, columns] }) => rows * columns * BLOCK_BYTES);
    const total = sizes.reduce((a, b) => a + b, 0);
    require(total <= MOST_BLOCK_BYTES, "the picture is larger than this page opens; use the command line");
    this.starts = sizes.map((size) => this.#room(size));
    for (const scan of jpeg.scans) this.#decode(jpeg, scan);
  }

  /** The coefficients of a component. The next call of the core may end them. */
  of({ whole: [rows, columns] }, number) {
    return new Int16Array(this.core.memory.buffer, this.starts[number], rows * columns * 64);
  }

  #room(bytes) {
    const start = this.core.room(bytes);
    if (start === 0) throw new Refused("there is not enough memory");
    return start;
  }

  #put(array) {
    const start = this.#room(array.byteLength);
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    new Uint8Array(this.core.memory.buffer, start, bytes.length).set(bytes);
    return start;
  }

  /** Begin a scan, and return how many restart intervals it has. */
  #begin(jpeg, { numbers, coders, kind, first, last, low, interval }, looked) {
    const parts = numbers.map((number) => jpeg.components[number]);
    const [rows, columns] = parts.length === 1 ? parts[0].covering : jpeg.units;
    const codes = coders[0].tables[1]?.codes;
    // The largest run of ends of block that the table can say; 1 if none.
    const sizes = codes ? Array.from({ length: 15 }, (_, i) => i).filter((i) => codes[16 * i]) : [];
    const longest = sizes.length ? 2 ** (sizes.at(-1) + 1) - 1 : 1;
    const units = rows * columns;
    this.core.scan(kind, first, last, low, rows, columns, interval || units, longest);
    parts.forEach(({ whole, inUnit }, i) => {
      const { ids, tables } = coders[i];
      const lookups = tables.map((table) => (table && looked ? this.#put(table.lookup) : 0));
      const [down, across] = parts.length === 1 ? [1, 1] : inUnit;
      this.core.part(this.starts[numbers[i]], whole[1], down, across, ...lookups, ...ids);
    });
    return Math.ceil(units / (interval || units));
  }

  #decode(jpeg, scan) {
    const [from, to] = scan.data;
    const bits = new Uint8Array(to - from + MARGIN);
    const ends = [];
    let length = 0;
    for (let i = from; i < to; ) {
      const byte = jpeg.file[i++];
      const next = byte === 0xff ? jpeg.file[i++] : 0;
      if (next === 0) bits[length++] = byte;
      else if (next === 0xff) i--; // a fill byte
      else ends.push(length);
    }
    ends.push(length);
    const intervals = this.#begin(jpeg, scan, true);
    jpegBroken(ends.length === intervals);
    const places = [this.#put(bits), this.#put(BigInt64Array.from(ends, BigInt))];
    jpegBroken(this.core.decode(...places, intervals));
  }

  /** Code a scan of another file with the same components; null if a symbol has no code. */
  code(jpeg, scan, { padding, breaks, strays }) {
    const intervals = this.#begin(jpeg, scan, false);
    const codes = new Uint32Array(10 * 256);
    for (const { ids, tables } of scan.coders) {
      ids.forEach((id, kind) => tables[kind] && codes.set(tables[kind].codes, 256 * (4 * kind + id)));
    }
    require(padding.length === 0 || padding.length === intervals, "the structure has another padding");
    const filling = padding.length ? padding : new Uint8Array(intervals).fill(0xff);
    const listed = this.#put(BigInt64Array.from([...breaks, -1], BigInt));
    const ends = this.#room(8 * intervals);
    const start = this.core.encode(listed, this.#put(codes), this.#put(filling), ends);
    if (start === 0) return null;
    const { buffer } = this.core.memory;
    const parts = [];
    let from = 0;
    new BigInt64Array(buffer, ends, intervals).forEach((end, i) => {
      if (i > 0) parts.push(Uint8Array.of(0xff, 0xd0 + ((i - 1) % 8)));
      parts.push(stuffed(new Uint8Array(buffer, start + from, Number(end) - from)));
      if (strays.has(i)) parts.push(strays.get(i));
      from = Number(end);
    });
    return concat(parts);
  }
}

/** Bytes with a zero behind each FF. */
function stuffed(data) {
  const result = new Uint8Array(data.reduce((sum, byte) => sum + (byte === 0xff), data.length));
  let at = 0;
  for (const byte of data) {
    result[at++] = byte;
    if (byte === 0xff) at++;
  }
  return result;
}
