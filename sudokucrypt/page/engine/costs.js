// Measure how many compressed bytes of a PNG belong to each of its lines. This is needed for
// the length of the rest of a redaction, which must not reveal how well covered pixels compress.

import { addUp, concat } from "./bytes.js";
import { DeflateReader } from "./inflating.js";
import { listBodies, readChunks, readLayout } from "./png_reader.js";

// The number of pieces in which a file is read, and the least bytes of a piece.
const PIECES = 2 ** 14;
const LEAST_PIECE = 256;
const CHUNK_BYTES_AROUND = 12;

/** Measures how much a deflate stream inflates to, without inflating it. */
class Progress extends DeflateReader {
  constructor(data) {
    super(data);
    this.size = Math.max(LEAST_PIECE, Math.floor(data.length / PIECES));
    Object.assign(this, { total: 0, next: this.size, marks: [[0, 0]] });
  }

  take() {
    this.repeat(1);
  }

  /** Record the inflated bytes at each end of a piece that was passed. */
  repeat(length) {
    for (; this.at > 8 * this.next; this.next += this.size) this.marks.push([this.total, this.next]);
    this.total += length;
  }

  /** Pairs of the numbers of inflated and read bytes after each piece. */
  allMarks() {
    this.run();
    return [...this.marks, [this.total, Math.min(this.next, this.data.length)], [this.total, this.data.length]];
  }
}

/**
 * Bytes of a PNG: those that are no samples, those of each line, null if it is interlaced, and those
 * of all lines before they were compressed.
 */
export function measurePng(file) {
  const chunks = readChunks(file);
  const { rows, columns, depth, channels, interlaced } = readLayout(chunks);
  const parts = listBodies(chunks);
  const others = file.length - addUp(parts.map((body) => CHUNK_BYTES_AROUND + body.length));
  const metadata = chunks.some(({ kind }) => kind === "eXIf" || kind === "zTXt");
  const line = Math.ceil((columns * channels * depth) / 8) + 1;
  const lines = interlaced ? null : countLines(new Progress(concat(parts)).allMarks(), rows, line);
  return { others, lines, inflated: rows * line, metadata };
}

/** The number of bytes that were read for each line, interpolated between the marks. */
function countLines(marks, rows, line) {
  let mark = 0;
  const readAt = (total) => {
    while (mark + 1 < marks.length && marks[mark + 1][0] <= total) mark++;
    const [[done, read], [next, then] = marks[mark]] = [marks[mark], marks[mark + 1]];
    return next > done ? read + ((then - read) * (total - done)) / (next - done) : read;
  };
  const ends = Float64Array.from({ length: rows + 1 }, (_, i) => readAt(i * line));
  return Float64Array.from({ length: rows }, (_, i) => ends[i + 1] - ends[i]);
}
