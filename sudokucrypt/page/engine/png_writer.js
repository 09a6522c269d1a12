// PNG files, of protected pictures and of restored ones.

import { concat, readBlob, require, uint32s, utf8, zeros } from "./bytes.js";
import { crc32 } from "./checksums.js";
import { HEADER_KEYWORD } from "./header.js";
import { makeChunks } from "./metadata.js";
import { listBodies, PNG_SIGNATURE, readChunks } from "./png_reader.js";
import { inflateStream, storedSize, StoredWriter } from "./zlib.js";

/** Modes by the number of channels. */
export const MODES = ["gray", "gray-alpha", "rgb", "rgba"];
const COLOR_TYPES = [0, 4, 2, 6]; // by the number of channels
const DEPTHS = new Map([["bool", 1], ["uint8", 8], ["uint16", 16]]);

/** The parts of a chunk. @returns {Uint8Array[]} */
export function chunk(kind, body) {
  const content = concat([utf8(kind), body]);
  return [uint32s(body.length), content, uint32s(crc32(content))];
}

/**
 * Lines of samples, lowest byte first, as PNG stores them after the byte of a filter: "none", or Up, which
 * shortens photographs by about a third. All are in the same array.
 */
function* filterLines({ shape: [rows], dtype, data }, depth, line, up) {
  const size = data.length / rows;
  const result = zeros(line + 1);
  const before = zeros(line);
  for (let row = 0; row < rows; row++) {
    const samples = data.subarray(row * size, (row + 1) * size);
    if (depth < 8) {
      result.fill(0);
      samples.forEach((sample, c) => (result[1 + ((c * depth) >> 3)] |= sample << (8 - depth - ((c * depth) & 7))));
    } else if (dtype === "uint16") {
      for (let i = 0; i < line; i++) result[1 + i] = samples[i ^ 1];
    } else {
      result.set(samples, 1);
    }
    result[0] = up && row > 0 ? 2 : 0;
    for (let i = 0; up && i < line; i++) {
      const byte = result[1 + i];
      result[1 + i] = byte - before[i]; // nothing is above the first one
      before[i] = byte;
    }
    yield result;
  }
}

/** A file of some parts, the samples of a frame, and the end. @returns {Uint8Array} */
function writePng(parts, frame, depth, up) {
  const [rows, columns, channels = 1] = frame.shape;
  const line = Math.ceil((columns * channels * depth) / 8);
  const size = storedSize(rows * (line + 1));
  const head = concat([PNG_SIGNATURE, ...parts, uint32s(size), utf8("IDAT")]);
  const end = concat(chunk("IEND", zeros(0)));
  const file = zeros(head.length + size + 4 + end.length);
  file.set(head);
  const writer = new StoredWriter(rows * (line + 1), file.subarray(head.length, head.length + size));
  for (const stored of filterLines(frame, depth, line, up)) writer.add(stored);
  file.set(uint32s(crc32(file.subarray(head.length - 4, head.length + size))), head.length + size);
  file.set(end, head.length + size + 4);
  return file;
}

/** The IHDR chunk of a frame. */
export function makeLayoutChunk({ shape: [rows, columns, channels = 1] }, depth) {
  const end = Uint8Array.of(depth, COLOR_TYPES[channels - 1], 0, 0, 0);
  return chunk("IHDR", concat([uint32s(columns, rows), end]));
}

/** A protected picture as PNG: its samples as they are, and the header in a chunk. @returns {Uint8Array} */
export function protectPng(frame, header) {
  const depth = DEPTHS.get(frame.dtype);
  return writePng([...makeLayoutChunk(frame, depth), ...makeHeaderChunk(header)], frame, depth, false);
}

/** The chunk with a header. */
export function makeHeaderChunk(header) {
  return chunk("iTXt", concat([HEADER_KEYWORD, zeros(4), header]));
}

/** A still PNG whose samples are only stored, deflated. @returns {Promise<Uint8Array>} */
export async function compressPng(bytes) {
  const chunks = readChunks(bytes);
  const pieces = listBodies(chunks);
  const samples = await readBlob(new Response(inflateStream(pieces).pipeThrough(new CompressionStream("deflate"))));
  const parts = [PNG_SIGNATURE];
  for (const { kind, body } of chunks) {
    if (kind !== "IDAT") parts.push(...chunk(kind, body));
    else if (body === pieces[0]) parts.push(...chunk("IDAT", samples));
  }
  return concat([...parts, ...chunk("IEND", zeros(0))]);
}

/**
 * A restored picture as PNG, with the metadata that its description gives. Its samples are only
 * stored: to be shown, it need not be short.
 * @param {object|null} about the described frame
 * @returns {Uint8Array}
 */
export function writePlain(frame, about = null) {
  const { mode = MODES[(frame.shape[2] ?? 1) - 1], metadata = {} } = about ?? {};
  const depth = DEPTHS.get(frame.dtype);
  require(depth && MODES.includes(mode), "the page saves no pictures of this kind; use the command line");
  const more = makeChunks(metadata).flatMap(({ kind, body }) => chunk(kind, body));
  return writePng([...makeLayoutChunk(frame, depth), ...more], frame, depth, depth >= 8);
}
