// PNG files, of protected pictures and of restored ones.

import { concat, require, uint32s, utf8 } from "./bytes.js";
import { crc32 } from "./checksums.js";
import { metadataChunks } from "./metadata.js";
import { HEADER_KEYWORD, PNG_SIGNATURE, readChunks } from "./png_reader.js";
import { stored, streamBytes } from "./zlib.js";

/** Modes by the number of channels. */
export const MODES = ["gray", "gray-alpha", "rgb", "rgba"];
const COLOR_TYPES = [0, 4, 2, 6]; // by the number of channels
const DEPTHS = new Map([["bool", 1], ["uint8", 8], ["uint16", 16]]);

/** The parts of a chunk. @returns {Uint8Array[]} */
export function chunk(kind, body) {
  const content = concat([utf8(kind), body]);
  return [uint32s(body.length), content, uint32s(crc32(content))];
}

/** Lines of samples, lowest byte first, as PNG stores them, each after the filter "none". */
function linesOf({ shape, dtype, data }, depth) {
  const [rows, columns, channels = 1] = shape;
  const line = Math.ceil((columns * channels * depth) / 8);
  const lines = new Uint8Array(rows * (line + 1));
  for (let row = 0; row < rows; row++) {
    const start = row * (line + 1) + 1;
    if (depth < 8) {
      for (let c = 0; c < columns; c++) {
        const bit = c * depth;
        lines[start + (bit >> 3)] |= data[row * columns + c] << (8 - depth - (bit & 7));
      }
    } else {
      lines.set(data.subarray(row * line, (row + 1) * line), start);
    }
    if (dtype === "uint16") {
      for (let i = start; i < start + line; i += 2) [lines[i], lines[i + 1]] = [lines[i + 1], lines[i]];
    }
  }
  return lines;
}

/** Filter lines of whole bytes with Up, which shortens photographs by about a third. */
function filterUp(lines, rows) {
  const stride = lines.length / rows;
  for (let row = rows - 1; row > 0; row--) {
    const start = row * stride;
    lines[start] = 2;
    for (let i = start + 1; i < start + stride; i++) lines[i] -= lines[i - stride];
  }
  return lines;
}

function layoutChunk({ shape: [rows, columns, channels = 1] }, depth) {
  const end = Uint8Array.of(depth, COLOR_TYPES[channels - 1], 0, 0, 0);
  return chunk("IHDR", concat([uint32s(columns, rows), end]));
}

/** A protected picture as PNG: its samples as they are, and the header in a chunk. @returns {Uint8Array} */
export function protectedPng(frame, header) {
  const depth = DEPTHS.get(frame.dtype);
  const text = concat([HEADER_KEYWORD, new Uint8Array(4), header]);
  return concat([
    PNG_SIGNATURE,
    ...layoutChunk(frame, depth),
    ...chunk("iTXt", text),
    ...chunk("IDAT", stored(linesOf(frame, depth))),
    ...chunk("IEND", new Uint8Array(0)),
  ]);
}

/** A still PNG whose samples are only stored, deflated. @returns {Promise<Uint8Array>} */
export async function compact(bytes) {
  const chunks = readChunks(bytes);
  const pieces = chunks.filter(({ kind }) => kind === "IDAT").map(({ body }) => body);
  const plain = new Blob(pieces).stream().pipeThrough(new DecompressionStream("deflate"));
  const samples = await streamBytes(plain.pipeThrough(new CompressionStream("deflate")));
  const parts = [PNG_SIGNATURE];
  for (const { kind, body } of chunks) {
    if (kind !== "IDAT") parts.push(...chunk(kind, body));
    else if (body === pieces[0]) parts.push(...chunk("IDAT", samples));
  }
  return concat([...parts, ...chunk("IEND", new Uint8Array(0))]);
}

/**
 * A restored picture as PNG, with the metadata that its description gives. Its samples are only
 * stored: to be shown, it need not be short.
 * @param {object|null} about the described frame
 * @returns {Uint8Array}
 */
export function plainPng(frame, about = null) {
  const { mode = MODES[(frame.shape[2] ?? 1) - 1], metadata = {} } = about ?? {};
  const depth = DEPTHS.get(frame.dtype);
  require(depth && MODES.includes(mode), "the page saves no pictures of this kind; use the command line");
  const lines = linesOf(frame, depth);
  return concat([
    PNG_SIGNATURE,
    ...layoutChunk(frame, depth),
    ...metadataChunks(metadata).flatMap(({ kind, body }) => chunk(kind, body)),
    ...chunk("IDAT", stored(depth >= 8 ? filterUp(lines, frame.shape[0]) : lines)),
    ...chunk("IEND", new Uint8Array(0)),
  ]);
}
