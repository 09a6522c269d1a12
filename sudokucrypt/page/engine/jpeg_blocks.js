// The blocks of a JPEG, decoded and coded by the core (JPEG, sections 2 and 7).

import { addUp, concat, require, viewBytes, zeros } from "./bytes.js";
import { makeCore } from "./core.js";
import { checkRoom } from "./png_reader.js";

const BLOCK_BYTES = 128; // 64 coefficients
const MARGIN = 512; // bytes after the coded data that the core may read
const MOST_BLOCK_BYTES = 2 ** 28;
const MOST_STRAYS = 64; // bytes after the last block; some cameras write a few
const LONGEST_RUN = 0x7fff;
const SYMBOLS = 16 * 256; // of all tables
const NO_BREAKS = BigInt64Array.of(-1n);

const checkMemory = (start) => require(start !== 0, "there is not enough memory");
const checkData = (valid) => require(valid, "the JPEG is damaged: its data cannot be decoded");

/** The data of a scan, split at its restart markers into the given number of intervals. */
function splitPieces(data, intervals) {
  const pieces = [];
  let start = 0;
  for (let at = 0; pieces.length < intervals - 1; at++) {
    at = data.indexOf(0xff, at);
    checkData(at >= 0);
    const number = data[at + 1] - 0xd0;
    if (!(number >= 0 && number < 8)) continue;
    checkData(number === pieces.length % 8);
    pieces.push(data.subarray(start, at++));
    start = at + 1;
  }
  return [...pieces, data.subarray(start)];
}

function removeFill(piece) {
  let end = piece.length;
  while (piece[end - 1] === 0xff) end--;
  return piece.subarray(0, end);
}

/** All data without stuffed zeros and fill bytes, and the ends of intervals; null at a marker. */
function unstuff(pieces, room) {
  const bits = zeros(room + MARGIN);
  const ends = new BigInt64Array(pieces.length);
  let length = 0;
  for (const [i, piece] of pieces.entries()) {
    for (let at = 0; at < piece.length; ) {
      const byte = piece[at++];
      bits[length++] = byte;
      if (byte === 0xff && piece[at++] !== 0) return null;
    }
    ends[i] = BigInt(length);
  }
  return { bits, ends };
}

/** The same, but the last piece may contain surplus restart markers. */
function unstuffAll(raw, room) {
  const pieces = raw.map(removeFill);
  const found = unstuff(pieces, room);
  if (found !== null) return found;
  const last = pieces.at(-1);
  const mark = last.findIndex((byte, i) => byte === 0xff && last[i + 1] >= 0xd0 && last[i + 1] <= 0xd7);
  checkData(mark >= 0);
  pieces[pieces.length - 1] = removeFill(last.subarray(0, mark));
  const again = unstuff(pieces, room);
  checkData(again !== null);
  return again;
}

/** The padding of intervals, empty if it is all ones, and the stray bytes after their data. */
function findSpecial(raw, { bits, ends }, positions) {
  const padding = zeros(positions.length);
  const strays = new Map();
  let others = 0;
  positions.forEach((position, i) => {
    const start = i > 0 ? Number(ends[i - 1]) : 0;
    const reached = Math.ceil(Number(position) / 8);
    padding[i] = bits[reached - 1] | (0xff << (8 * reached - Number(position)));
    let taken = reached - start;
    for (let at = start; at < reached; at++) taken += bits[at] === 0xff;
    if (taken >= raw[i].length) return;
    strays.set(i, raw[i].slice(taken));
    let from = 0;
    while (strays.get(i)[from] === 0xff) from++;
    others += Math.max(0, removeFill(strays.get(i)).length - from);
  });
  checkData(others <= MOST_STRAYS);
  return { padding: padding.every((byte) => byte === 0xff) ? [] : padding, strays };
}

/** Blocks in the memory of a core, one component after the other. */
export class Blocks {
  constructor(jpeg) {
    this.core = makeCore();
    this.lookups = new Map();
    const sizes = jpeg.components.map(({ whole: [rows, columns] }) => rows * columns * BLOCK_BYTES);
    const total = addUp(sizes);
    checkRoom(total <= MOST_BLOCK_BYTES);
    this.starts = sizes.map((size) => this.#room(size));
    for (const scan of jpeg.scans) this.#decode(jpeg, scan);
  }

  /** The coefficients of a component, valid until the next call of the core. */
  get({ whole: [rows, columns] }, number) {
    return new Int16Array(this.core.memory.buffer, this.starts[number], rows * columns * 64);
  }

  #room(bytes) {
    const start = this.core.room(bytes);
    checkMemory(start);
    return start;
  }

  #put(array) {
    const start = this.#room(array.byteLength);
    new Uint8Array(this.core.memory.buffer, start, array.byteLength).set(viewBytes(array));
    return start;
  }

  /** Begin a scan, and return its numbers of restart intervals and blocks. */
  #begin(jpeg, { numbers, coders, kind, first, last, low, interval }, looked, run = null) {
    const parts = numbers.map((number) => jpeg.components[number]);
    const [rows, columns] = parts.length === 1 ? parts[0].covering : jpeg.units;
    const codes = coders[0].tables[1]?.codes;
    // The largest run of ends of block that the table can signal, at least 1.
    const sizes = codes ? Array.from({ length: 15 }, (_, i) => i).filter((i) => codes[16 * i]) : [];
    const longest = run ?? (sizes.length ? 2 ** (sizes.at(-1) + 1) - 1 : 1);
    const units = rows * columns;
    this.core.scan(kind, first, last, low, rows, columns, interval || units, longest);
    let each = 0;
    parts.forEach(({ whole, inUnit }, i) => {
      const { ids, tables } = coders[i];
      const lookups = tables.map((table) => (table && looked ? this.#lookup(table) : 0));
      const [down, across] = parts.length === 1 ? [1, 1] : inUnit;
      this.core.part(this.starts[numbers[i]], whole[1], down, across, ...lookups, ...ids);
      each += down * across;
    });
    return { intervals: Math.ceil(units / (interval || units)), blocks: units * each };
  }

  /** The address of the lookup of a table, which scans may share. */
  #lookup(table) {
    if (!this.lookups.has(table)) this.lookups.set(table, this.#put(table.lookup));
    return this.lookups.get(table);
  }

  /** Decode a scan, and store the padding, breaks and strays of its data. */
  #decode(jpeg, scan) {
    const data = jpeg.file.subarray(...scan.data);
    const units = this.#begin(jpeg, scan, true);
    const raw = splitPieces(data, units.intervals);
    const found = unstuffAll(raw, data.length);
    // Outside of runs, each block takes at least a bit, or two if all of it is sent.
    const least = scan.first > 0 ? 0 : units.blocks * (scan.kind === 0 ? 2 : 1);
    checkData(8 * Number(found.ends.at(-1)) >= least);
    const start = this.core.decode(this.#put(found.bits), this.#put(found.ends), units.intervals);
    checkData(start !== 0);
    const numbers = (from, count) => new BigInt64Array(this.core.memory.buffer, start + 8 * from, count);
    const listed = Number(numbers(units.intervals, 1)[0]);
    const breaks = Array.from(numbers(units.intervals + 1, listed), Number);
    scan.special = { ...findSpecial(raw, found, numbers(0, units.intervals)), breaks };
  }

  /** The number of each symbol in a scan: 256 for each of 4 tables for DC, then 4 for AC. */
  count(jpeg, scan) {
    this.#begin(jpeg, scan, false, LONGEST_RUN);
    const start = this.core.count(this.#put(NO_BREAKS));
    checkMemory(start);
    return Float64Array.from(new BigInt64Array(this.core.memory.buffer, start, SYMBOLS), Number);
  }

  /** Whether each block at which a run breaks can be in a run: its band has no new bits. */
  #joinRuns(jpeg, { kind, numbers, first, last, low }, breaks) {
    const component = jpeg.components[numbers[0]];
    const [[rows, columns], data] = [component.covering, this.get(component, numbers[0])];
    const isNew = (value) => (kind === 4 ? Math.abs(value) >> low === 1 : Math.abs(value) >> low > 0);
    return breaks.every((block) => {
      const at = 64 * (Math.floor(block / columns) * component.whole[1] + (block % columns));
      return kind > 2 && block < rows * columns && !data.subarray(at + first, at + last + 1).some(isNew);
    });
  }

  /** Code a scan of another file with the same components; null if a symbol has no code. */
  code(jpeg, scan, { padding, breaks, strays }) {
    checkData(breaks.length === 0 || this.#joinRuns(jpeg, scan, breaks));
    const { intervals } = this.#begin(jpeg, scan, false);
    const codes = new Uint32Array(10 * 256);
    for (const { ids, tables } of scan.coders) {
      ids.forEach((id, kind) => tables[kind] && codes.set(tables[kind].codes, 256 * (4 * kind + id)));
    }
    require(padding.length === 0 || padding.length === intervals, "the structure has another padding");
    const filling = padding.length ? padding : zeros(intervals).fill(0xff);
    const listed = this.#put(BigInt64Array.from([...breaks, -1], BigInt));
    const ends = this.#room(8 * intervals);
    const start = this.core.encode(listed, this.#put(codes), this.#put(filling), ends);
    if (start === 0) return null;
    const { buffer } = this.core.memory;
    const parts = [];
    let from = 0;
    new BigInt64Array(buffer, ends, intervals).forEach((end, i) => {
      if (i > 0) parts.push(Uint8Array.of(0xff, 0xd0 + ((i - 1) % 8)));
      parts.push(stuff(new Uint8Array(buffer, start + from, Number(end) - from)));
      if (strays.has(i)) parts.push(strays.get(i));
      from = Number(end);
    });
    return concat(parts);
  }
}

/** Bytes with a zero after each FF. */
function stuff(data) {
  let length = data.length;
  for (let i = 0; i < data.length; i++) if (data[i] === 0xff) length++;
  const result = zeros(length);
  for (let i = 0, at = 0; i < data.length; i++, at++) {
    result[at] = data[i];
    if (data[i] === 0xff) at++;
  }
  return result;
}
