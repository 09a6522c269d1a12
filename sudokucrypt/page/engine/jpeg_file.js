// JPEG files: segments, and what they say of components, tables and scans (JPEG, section 2).

import { require, startsWith } from "./bytes.js";

const [END, SCAN, TABLES, QUANTISERS, RESTARTS] = [0xd9, 0xda, 0xc4, 0xdb, 0xdd];
const FRAMES = [0xc0, 0xc1, 0xc2];
const JPEG_START = [0xff, 0xd8];

const jpegDamaged = (condition) => require(condition, "the JPEG is damaged, or of a kind that the page does not read");

export function isJpeg(file) {
  return startsWith(file, JPEG_START) && file[2] === 0xff;
}

/** Segments: marker, body, bounds, and where the coded data behind a scan end. */
export function readSegments(file) {
  const segments = [];
  jpegDamaged(startsWith(file, JPEG_START));
  for (let at = 2; ; ) {
    const start = at;
    jpegDamaged(file[at] === 0xff);
    while (file[at] === 0xff) at++;
    const marker = file[at++];
    const length = marker === END ? 0 : (file[at] << 8) | file[at + 1];
    jpegDamaged(marker === END || (length >= 2 && at + length <= file.length));
    const body = file.subarray(at + 2, at + length);
    const end = (at += length);
    while (marker === SCAN && at < file.length && !isMarker(file, at)) at++;
    segments.push({ marker, body, start, end, dataEnd: at });
    if (marker === END) return segments;
  }
}

/** Whether coded data end here: neither a stuffed byte nor a restart nor a fill byte follows. */
function isMarker(file, at) {
  const next = file[at + 1];
  return file[at] === 0xff && next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7);
}

/** A Huffman table: symbols by the first 16 bits, and codes by symbols, with lengths. */
function huffmanTable(counts, symbols) {
  const lookup = new Uint16Array(65536); // length and symbol, a byte each
  const codes = new Uint32Array(256); // code, and length in the lowest 5 bits
  let [code, next] = [0, 0];
  counts.forEach((count, i) => {
    for (const symbol of symbols.subarray(next, next + count)) {
      codes[symbol] = (code << 5) | (i + 1);
      lookup.fill(((i + 1) << 8) | symbol, code << (15 - i), (code + 1) << (15 - i));
      code++;
    }
    next += count;
    code <<= 1;
  });
  return { lookup, codes };
}

/** What the segments of a file, or of a skeleton, say. */
export function readJpeg(file) {
  const jpeg = { file, segments: readSegments(file), components: [], scans: [] };
  const [tables, steps] = [new Map(), new Map()];
  let interval = 0;
  for (const segment of jpeg.segments) {
    const { marker, body } = segment;
    if (marker === TABLES) {
      for (let at = 0; at < body.length; ) {
        const counts = body.subarray(at + 1, at + 17);
        const total = counts.reduce((a, b) => a + b, 0);
        tables.set(body[at], huffmanTable(counts, body.subarray(at + 17, at + 17 + total)));
        at += 17 + total;
      }
    } else if (marker === QUANTISERS) {
      for (let at = 0; at < body.length; ) {
        const [bytes, id] = [body[at] > 15 ? 2 : 1, body[at] & 15];
        const part = body.subarray(at + 1, (at += 1 + 64 * bytes));
        steps.set(id, Uint16Array.from({ length: 64 }, (_, i) => (bytes === 1 ? part[i] : (part[2 * i] << 8) | part[2 * i + 1])));
      }
    } else if (marker === RESTARTS) {
      interval = (body[0] << 8) | body[1];
    } else if (FRAMES.includes(marker)) {
      readFrameSegment(jpeg, marker, body);
    } else if (marker === SCAN) {
      jpeg.scans.push(readScan(jpeg, segment, interval, tables));
      for (const number of jpeg.scans.at(-1).numbers) {
        const component = jpeg.components[number];
        component.steps ??= steps.get(component.table);
      }
    }
  }
  jpegDamaged(jpeg.scans.length > 0 && jpeg.components.every(({ steps: each }) => each));
  return jpeg;
}

function readFrameSegment(jpeg, marker, body) {
  const view = new DataView(body.buffer, body.byteOffset, body.length);
  const count = body[5];
  jpegDamaged(body.length === 6 + 3 * count && [1, 3, 4].includes(count) && body[0] === 8);
  jpegDamaged(jpeg.components.length === 0);
  const [rows, columns] = [view.getUint16(1), view.getUint16(3)];
  const entries = Array.from({ length: count }, (_, i) => body.subarray(6 + 3 * i, 9 + 3 * i));
  const factors = entries.map(([, byte]) => [byte & 15, byte >> 4]);
  jpegDamaged(rows > 0 && columns > 0 && factors.flat().every((factor) => factor > 0 && factor < 5));
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
    return { identifier, table, sampling, inUnit, covering, whole };
  });
}

function readScan(jpeg, { body, end, dataEnd }, interval, tables) {
  const count = body[0];
  jpegDamaged(count > 0 && count < 5 && body.length === 4 + 2 * count && jpeg.components.length > 0);
  const parts = Array.from({ length: count }, (_, i) => [body[1 + 2 * i], body[2 + 2 * i]]);
  const numbers = parts.map(([id]) => jpeg.components.findIndex(({ identifier }) => identifier === id));
  const [first, last, bits] = jpeg.progressive ? body.subarray(-3) : [0, 63, 0];
  const [high, low] = [bits >> 4, bits & 15];
  const refined = high > 0 ? 1 : 0;
  const kind = !jpeg.progressive ? 0 : first === 0 ? 1 + refined : 3 + refined;
  const coders = parts.map(([, pair]) => ({
    ids: [pair >> 4, pair & 15],
    tables: [tables.get(pair >> 4), tables.get(16 | (pair & 15))],
  }));
  const needed = [kind < 2, kind === 0 || kind > 2];
  const known = coders.every(({ ids, tables: both }) => needed.every((need, i) => ids[i] < 4 && (!need || both[i])));
  const band = first <= last && last < 64 && low < 14 && (kind < 3 || count === 1) && (kind === 0 || first > 0 || last === 0);
  jpegDamaged(known && band && !numbers.includes(-1) && new Set(numbers).size === count);
  return { numbers, coders, kind, first, last, low, interval, data: [end, dataEnd] };
}
