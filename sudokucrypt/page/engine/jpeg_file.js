// JPEG files: segments, and the components, tables and scans in them (JPEG, section 2).
// The same files are refused as in the package, so that each restores files of the other.

import { addUp, require, startsWith, makeView } from "./bytes.js";

const END = 0xd9;
const SCAN = 0xda;
const TABLES = 0xc4;
const QUANTIZERS = 0xdb;
const RESTARTS = 0xdd;
const OPEN_ROWS = 0xdc;
const FRAMES = [0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf];
const JPEG_START = [0xff, 0xd8];
const MOST_SEGMENTS = 2 ** 14;
const MOST_SCANS = 32; // for large pictures; small ones may have more
const MOST_SCANNED = 2 ** 31;
// Bytes of tables in a segment.
const MOST_CODES = 8 * (17 + 256);
const MOST_STEPS = 4 * 129;

const checkJpeg = (valid) => require(valid, "the JPEG is damaged, or of a kind that the page does not read");

export function isJpeg(file) {
  return startsWith(file, JPEG_START) && file[2] === 0xff;
}

/**
 * Segments: marker, body, bounds, and the end of the coded data after a scan; bytes after the end
 * marker belong to the last segment. Without `whole`, only the segments before the first scan.
 */
export function readSegments(file, whole = true) {
  const segments = [];
  checkJpeg(startsWith(file, JPEG_START));
  for (let at = 2; ; ) {
    const start = at;
    checkJpeg(file[at] === 0xff && segments.length < MOST_SEGMENTS);
    while (file[at] === 0xff) at++;
    const head = at - 1; // the byte before the marker code
    const marker = file[at++];
    checkJpeg(marker > 1 && (marker < 0xd0 || marker > 0xd8) && head - start <= MOST_SEGMENTS);
    if (!whole && (marker === SCAN || marker === END)) return segments;
    if (marker === END) {
      segments.push({ marker, body: file.subarray(at), start, head, end: file.length, dataEnd: file.length });
      return segments;
    }
    const length = (file[at] << 8) | file[at + 1];
    checkJpeg(length >= 2 && at + length <= file.length);
    const body = file.subarray(at + 2, at + length);
    const end = (at += length);
    if (marker === SCAN) at = findDataEnd(file, at);
    segments.push({ marker, body, start, head, end, dataEnd: at });
  }
}

/** The end of coded data: a marker that is no stuffed byte, restart marker or fill byte. */
function findDataEnd(file, start) {
  for (let at = start; ; at++) {
    at = file.indexOf(0xff, at);
    checkJpeg(at >= 0 && at + 1 < file.length);
    const next = file[at + 1];
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
  }
}

/** A Huffman table: symbols by the first 16 bits, and codes by symbols, with lengths. */
class HuffmanTable {
  #lookup = null;

  constructor(counts, symbols) {
    Object.assign(this, { counts, symbols, codes: new Uint32Array(256) });
    this.#each((symbol, code, length) => (this.codes[symbol] = (code << 5) | length));
  }

  #each(take) {
    let [code, next] = [0, 0];
    this.counts.forEach((count, i) => {
      for (const symbol of this.symbols.subarray(next, next + count)) take(symbol, code++, i + 1);
      next += count;
      code <<= 1;
    });
  }

  /** Length and symbol, a byte each; computed only for tables that are used. */
  get lookup() {
    if (this.#lookup === null) {
      const lookup = (this.#lookup = new Uint16Array(65536));
      this.#each((symbol, code, length) => {
        lookup.fill((length << 8) | symbol, code << (16 - length), (code + 1) << (16 - length));
      });
    }
    return this.#lookup;
  }
}

export function makeTable(counts, symbols) {
  return new HuffmanTable(counts, symbols);
}

function readTables(body, tables) {
  checkJpeg(body.length <= MOST_CODES);
  for (let at = 0; at < body.length; ) {
    const counts = body.subarray(at + 1, at + 17);
    const total = addUp(counts);
    const symbols = body.subarray(at + 17, at + 17 + total);
    // The code of only ones must stay unused.
    const taken = counts.reduce((sum, count, i) => sum + count * 2 ** (15 - i), 0);
    const valid = (body[at] & 0xef) < 4 && counts.length === 16 && total <= 256 && taken < 65536;
    checkJpeg(valid && symbols.length === total);
    tables.set(body[at], makeTable(counts, symbols));
    at += 17 + total;
  }
}

function readSteps(body, steps) {
  checkJpeg(body.length <= MOST_STEPS);
  for (let at = 0; at < body.length; ) {
    const [bytes, id] = [body[at] > 15 ? 2 : 1, body[at] & 15];
    const part = body.subarray(at + 1, at + 1 + 64 * bytes);
    checkJpeg(body[at] < 32 && id < 4 && part.length === 64 * bytes);
    steps.set(id, Uint16Array.from({ length: 64 }, (_, i) => (bytes === 1 ? part[i] : (part[2 * i] << 8) | part[2 * i + 1])));
    checkJpeg(steps.get(id).every((step) => step > 0));
    at += 1 + 64 * bytes;
  }
}

/** Read the frame, tables and scans of a file or a skeleton. */
export function readJpeg(file) {
  const jpeg = { file, segments: readSegments(file), components: [], scans: [] };
  const [tables, steps] = [new Map(), new Map()];
  const scans = jpeg.segments.filter(({ marker }) => marker === SCAN).length;
  let interval = 0;
  for (const segment of jpeg.segments) {
    const { marker, body } = segment;
    checkJpeg(marker !== OPEN_ROWS);
    if (marker === TABLES) {
      readTables(body, tables);
    } else if (marker === QUANTIZERS) {
      readSteps(body, steps);
    } else if (marker === RESTARTS) {
      checkJpeg(body.length === 2);
      interval = (body[0] << 8) | body[1];
    } else if (FRAMES.includes(marker)) {
      readFrameSegment(jpeg, marker, body);
      checkJpeg(scans <= Math.max(MOST_SCANS, Math.floor(MOST_SCANNED / (jpeg.rows * jpeg.columns))));
    } else if (marker === SCAN) {
      jpeg.scans.push(readScan(jpeg, segment, interval, tables));
      for (const number of jpeg.scans.at(-1).numbers) {
        const component = jpeg.components[number];
        checkJpeg(steps.has(component.table));
        component.steps ??= steps.get(component.table);
      }
    }
  }
  checkWhole(jpeg.components);
  return jpeg;
}

/** Refuse a file whose scans do not send all bits, or with two quantization tables of one number. */
function checkWhole(components) {
  const whole = components.every(({ missing, steps }) => steps && missing.every((bits) => bits === 0));
  checkJpeg(components.length > 0 && whole);
  const first = ({ table }) => components.find((other) => other.table === table);
  checkJpeg(components.every((each) => String(each.steps) === String(first(each).steps)));
}

function readFrameSegment(jpeg, marker, body) {
  require([0xc0, 0xc1, 0xc2].includes(marker), "the JPEG is lossless, hierarchical or arithmetically coded");
  const view = makeView(body);
  const count = body[5];
  checkJpeg(body.length === 6 + 3 * count && [1, 3, 4].includes(count) && body[0] === 8);
  checkJpeg(jpeg.components.length === 0);
  const [rows, columns] = [view.getUint16(1), view.getUint16(3)];
  const entries = Array.from({ length: count }, (_, i) => body.subarray(6 + 3 * i, 9 + 3 * i));
  const factors = entries.map(([, byte]) => [byte & 15, byte >> 4]);
  checkJpeg(rows > 0 && columns > 0 && factors.flat().every((factor) => factor > 0 && factor < 5));
  checkJpeg(new Set(entries.map(([id]) => id)).size === count && entries.every(([, , table]) => table < 4));
  const largest = [0, 1].map((i) => Math.max(...factors.map((pair) => pair[i])));
  const single = count === 1;
  const unit = largest.map((factor) => (single ? 8 : 8 * factor));
  const units = [rows, columns].map((side, i) => Math.ceil(side / unit[i]));
  Object.assign(jpeg, { progressive: marker === 0xc2, rows, columns, unit, units });
  jpeg.components = entries.map(([identifier, , table], k) => {
    const sampling = factors[k];
    const covering = [rows, columns].map((side, i) => Math.ceil(Math.ceil((side * sampling[i]) / largest[i]) / 8));
    const inUnit = single ? [1, 1] : sampling;
    const whole = single ? covering : units.map((side, i) => side * sampling[i]);
    const missing = new Array(64).fill(-1); // lowest bits that no scan has sent; -1 for all
    return { identifier, table, sampling, inUnit, covering, whole, missing };
  });
}

function readScan(jpeg, { body, end, dataEnd }, interval, tables) {
  const count = body[0];
  checkJpeg(count > 0 && count <= jpeg.components.length && body.length === 4 + 2 * count);
  const parts = Array.from({ length: count }, (_, i) => [body[1 + 2 * i], body[2 + 2 * i]]);
  const numbers = parts.map(([id]) => jpeg.components.findIndex(({ identifier }) => identifier === id));
  checkJpeg(!numbers.includes(-1) && new Set(numbers).size === count);
  const blocks = addUp(numbers.map((number) => jpeg.components[number].sampling.reduce((a, b) => a * b)));
  checkJpeg(count === 1 || blocks <= 10);
  // Some programs write other numbers into sequential scans, which all readers ignore.
  const [first, last, bits] = jpeg.progressive ? body.subarray(-3) : [0, 63, 0];
  const [high, low] = [bits >> 4, bits & 15];
  const refined = high > 0 ? 1 : 0;
  const kind = !jpeg.progressive ? 0 : first === 0 ? 1 + refined : 3 + refined;
  const coders = parts.map(([, pair]) => ({
    ids: [pair >> 4, pair & 15],
    tables: [kind < 2 ? tables.get(pair >> 4) : undefined, kind === 0 || kind > 2 ? tables.get(16 | (pair & 15)) : undefined],
  }));
  const needed = [kind < 2, kind === 0 || kind > 2];
  const known = coders.every(({ ids, tables: both }) => needed.every((need, i) => ids[i] < 4 && (!need || both[i])));
  const band = first <= last && last < 64 && low < 14 && (kind < 3 || count === 1) && (kind === 0 || first > 0 || last === 0);
  checkJpeg(known && band && (high === 0 || high === low + 1));
  for (const number of numbers) {
    const { missing } = jpeg.components[number];
    for (let place = first; place <= last; place++) {
      checkJpeg(missing[place] === (high || -1));
      missing[place] = low;
    }
  }
  return { numbers, coders, kind, first, last, low, interval, data: [end, dataEnd] };
}
