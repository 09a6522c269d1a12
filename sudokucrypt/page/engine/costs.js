// What the lines of a PNG cost: how many of its compressed bytes belong to each of them. It is needed
// for the length of the rest of a redaction, which must not tell how well covered pixels compress.

import { concat, Refused } from "./bytes.js";
import { readChunks, readLayout } from "./png_reader.js";

const [PIECES, LEAST_PIECE] = [2 ** 14, 256]; // pieces that a file is read in, and bytes of one
const CHUNK_BYTES_AROUND = 12;
const LENGTH_BASES = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
const CODE_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const moreBitsOfLength = (i) => (i < 8 || i === 28 ? 0 : (i - 4) >> 2);
const moreBitsOfDistance = (i) => (i < 4 ? 0 : (i >> 1) - 1);

const brokenDeflate = () => new Refused("the picture is damaged: its samples cannot be inflated");

/** Counts of codes by their length, and symbols in the order of codes (RFC 1951, 3.2.2). */
function canonical(lengths) {
  const counts = new Uint16Array(16);
  for (const length of lengths) counts[length]++;
  counts[0] = 0;
  const symbols = [...lengths.keys()].filter((i) => lengths[i] > 0).sort((a, b) => lengths[a] - lengths[b] || a - b);
  return { counts, symbols };
}

const repeated = (value, count) => new Array(count).fill(value);
const FIXED = [
  canonical([...repeated(8, 144), ...repeated(9, 112), ...repeated(7, 24), ...repeated(8, 8)]),
  canonical(repeated(5, 30)),
];

/** Reads a deflated stream for how much it inflates to; nothing is inflated. */
class Progress {
  constructor(data) {
    Object.assign(this, { data, at: 16, total: 0, marks: [[0, 0]] }); // behind the head of zlib
    this.size = Math.max(LEAST_PIECE, Math.floor(data.length / PIECES));
    this.next = this.size;
  }

  bit() {
    if (this.at >= 8 * this.data.length) throw brokenDeflate();
    const bit = (this.data[this.at >> 3] >> (this.at & 7)) & 1;
    this.at++;
    return bit;
  }

  bits(count) {
    let value = 0;
    for (let i = 0; i < count; i++) value |= this.bit() << i;
    return value;
  }

  symbol({ counts, symbols }) {
    let [code, first, index] = [0, 0, 0];
    for (let length = 1; length < 16; length++) {
      code |= this.bit();
      const count = counts[length];
      if (code - count < first) return symbols[index + code - first];
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    throw brokenDeflate();
  }

  /** Note what was inflated where a piece ends before what comes next does. */
  add(length) {
    while (this.at > 8 * this.next) {
      this.marks.push([this.total, this.next]);
      this.next += this.size;
    }
    this.total += length;
  }

  tables() {
    const [literals, distances, codes] = [this.bits(5) + 257, this.bits(5) + 1, this.bits(4) + 4];
    const lengths = new Array(19).fill(0);
    for (let i = 0; i < codes; i++) lengths[CODE_ORDER[i]] = this.bits(3);
    const ofLengths = canonical(lengths);
    const list = [];
    while (list.length < literals + distances) {
      const symbol = this.symbol(ofLengths);
      if (symbol < 16) list.push(symbol);
      else if (symbol === 16) list.push(...repeated(list.at(-1) ?? 0, 3 + this.bits(2)));
      else list.push(...repeated(0, symbol === 17 ? 3 + this.bits(3) : 11 + this.bits(7)));
    }
    return [canonical(list.slice(0, literals)), canonical(list.slice(literals, literals + distances))];
  }

  coded([literals, distances]) {
    for (;;) {
      const symbol = this.symbol(literals);
      if (symbol === 256) return;
      if (symbol < 256) {
        this.add(1);
        continue;
      }
      const index = symbol - 257;
      const length = LENGTH_BASES[index] + this.bits(moreBitsOfLength(index));
      this.bits(moreBitsOfDistance(this.symbol(distances)));
      this.add(length);
    }
  }

  stored() {
    this.at = 8 * Math.ceil(this.at / 8);
    const length = this.bits(16);
    this.at += 16;
    for (let i = 0; i < length; i++) {
      this.at += 8;
      this.add(1);
    }
    if (this.at > 8 * this.data.length) throw brokenDeflate();
  }

  /** Pairs of bytes that were inflated and read, behind each piece. */
  run() {
    for (let last = 0; last === 0; ) {
      last = this.bit();
      const kind = this.bits(2);
      if (kind === 0) this.stored();
      else if (kind < 3) this.coded(kind === 1 ? FIXED : this.tables());
      else throw brokenDeflate();
    }
    this.marks.push([this.total, Math.min(this.next, this.data.length)], [this.total, this.data.length]);
    return this.marks;
  }
}

/**
 * Bytes of a PNG: those that are no samples, those of each line, null if it is interlaced, and those
 * of all lines before they were compressed.
 */
export function costsOfPng(file) {
  const chunks = readChunks(file);
  const { rows, columns, depth, channels, interlaced } = readLayout(chunks);
  const parts = chunks.filter(({ kind }) => kind === "IDAT").map(({ body }) => body);
  const others = file.length - parts.reduce((sum, body) => sum + CHUNK_BYTES_AROUND + body.length, 0);
  const metadata = chunks.some(({ kind }) => kind === "eXIf" || kind === "zTXt");
  const line = Math.ceil((columns * channels * depth) / 8) + 1;
  const lines = interlaced ? null : linesOfMarks(new Progress(concat(parts)).run(), rows, line);
  return { others, lines, inflated: rows * line, metadata };
}

/** How many bytes were read for each line, between the marks. */
function linesOfMarks(marks, rows, line) {
  let mark = 0;
  const readAt = (total) => {
    while (mark + 1 < marks.length && marks[mark + 1][0] <= total) mark++;
    const [[done, read], [next, then] = marks[mark]] = [marks[mark], marks[mark + 1]];
    return next > done ? read + ((then - read) * (total - done)) / (next - done) : read;
  };
  const ends = Float64Array.from({ length: rows + 1 }, (_, i) => readAt(i * line));
  return Float64Array.from({ length: rows }, (_, i) => ends[i + 1] - ends[i]);
}
