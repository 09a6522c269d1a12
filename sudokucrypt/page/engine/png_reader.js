// PNG files: chunks, and the samples of still pictures, as the package reads them.

import { require, startsWith, unhex, utf8 } from "./bytes.js";
import { crc32 } from "./checksums.js";
import { MAX_HEADER_BYTES } from "./header.js";
import { inflated } from "./zlib.js";

export const PNG_SIGNATURE = unhex("89504e470d0a1a0a");
export const HEADER_KEYWORD = utf8("sudokucrypt\0");
export const HEADER_START = utf8('{"sudokucrypt":');
const PLAIN_TEXT = new Uint8Array(4); // not compressed, no language, no translated keyword
const PNG_CHANNELS = new Map([[0, 1], [2, 3], [3, 1], [4, 2], [6, 4]]);
const PNG_DEPTHS = new Map([
  [0, [1, 2, 4, 8, 16]], [2, [8, 16]], [3, [1, 2, 4, 8]], [4, [8, 16]], [6, [8, 16]],
]);

const damaged = (condition, what) => require(condition, `the PNG is damaged: ${what}`);

/** The chunks of a file up to IEND. @returns {{kind: string, body: Uint8Array}[]} */
export function readChunks(data) {
  require(startsWith(data, PNG_SIGNATURE), "this is no PNG");
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  const chunks = [];
  for (let offset = 8; ; ) {
    damaged(offset + 12 <= data.length, "it is cut off");
    const length = view.getUint32(offset);
    const end = offset + 8 + length;
    damaged(end + 4 <= data.length, "it is cut off");
    damaged(crc32(data.subarray(offset + 4, end)) === view.getUint32(end), "a checksum is wrong");
    const kind = String.fromCharCode(...data.subarray(offset + 4, offset + 8));
    if (kind === "IEND") return chunks;
    chunks.push({ kind, body: data.subarray(offset + 8, end) });
    offset = end + 4;
  }
}

/** The one header in the chunks of a PNG, or null. @returns {Uint8Array|null} */
export function headerInChunks(chunks) {
  const found = chunks.filter(({ kind, body }) => kind === "iTXt" && startsWith(body, HEADER_KEYWORD));
  require(found.length < 2, "the picture holds two headers");
  if (found.length === 0) return null;
  const rest = found[0].body.subarray(HEADER_KEYWORD.length);
  require(startsWith(rest, PLAIN_TEXT), "the header in the picture has another form");
  const header = rest.subarray(PLAIN_TEXT.length);
  // Also where a sidecar counts: what stands in its place must be able to be a header.
  const printable = header.length <= MAX_HEADER_BYTES && header.every((byte) => byte > 31 && byte < 127);
  require(printable && startsWith(header, HEADER_START), "the header in the picture is none");
  return header;
}

/** What the IHDR chunk says. */
function readLayout(chunks) {
  const { kind, body } = chunks[0] ?? {};
  damaged(kind === "IHDR" && body.length === 13, "it does not begin with an IHDR chunk");
  const view = new DataView(body.buffer, body.byteOffset, 13);
  const [columns, rows] = [view.getUint32(0), view.getUint32(4)];
  const [depth, color, compression, filter, interlace] = body.subarray(8);
  damaged(PNG_DEPTHS.get(color)?.includes(depth), "its IHDR chunk names an unknown mode");
  damaged(compression === 0 && filter === 0 && interlace < 2, "it names an unknown method");
  damaged(rows > 0 && columns > 0, "it has no pixels");
  require(interlace === 0, "interlaced PNG files are restored on the command line only");
  return { rows, columns, depth, color, channels: PNG_CHANNELS.get(color) };
}

/** How many bytes the samples of a picture have, with the colors of a palette. */
export function bytesOfSamples(chunks) {
  const { rows, columns, depth, color, channels } = readLayout(chunks);
  return rows * columns * (color === 3 ? 4 : channels) * (depth === 16 ? 2 : 1);
}

/** Undo the filters of lines that lie one behind the other, each after its filter byte, in place. */
function unfilter(data, rows, line, pixel) {
  const stride = line + 1;
  for (let row = 0; row < rows; row++) {
    const start = row * stride + 1;
    const filter = data[start - 1];
    damaged(filter < 5, "it has an unknown filter");
    if (filter === 0) continue; // all lines of noise, so this may be slow for others
    for (let i = start; i < start + line; i++) {
      const left = i < start + pixel ? 0 : data[i - pixel];
      const above = row === 0 ? 0 : data[i - stride];
      const corner = row === 0 || i < start + pixel ? 0 : data[i - pixel - stride];
      if (filter === 4) data[i] += paeth(left, above, corner);
      else data[i] += filter === 1 ? left : filter === 2 ? above : (left + above) >> 1;
    }
  }
}

/** What is nearest to left + above - corner, the left one first. */
function paeth(left, above, corner) {
  const a = Math.abs(above - corner);
  const b = Math.abs(left - corner);
  const c = Math.abs(left + above - 2 * corner);
  return a <= b && a <= c ? left : b <= c ? above : corner;
}

/** The samples as {shape, dtype, data}. */
async function readFrame(layout, pieces) {
  const { rows, columns, depth, channels } = layout;
  const line = Math.ceil((columns * channels * depth) / 8);
  const lines = await inflated(pieces, rows * (line + 1));
  unfilter(lines, rows, line, Math.max(1, (channels * depth) >> 3));
  const shape = channels === 1 ? [rows, columns] : [rows, columns, channels];
  const dtype = depth === 1 ? "bool" : depth === 16 ? "uint16" : "uint8";
  if (depth < 8) return { shape, dtype, data: unpackedBits(lines, rows, columns, line, depth) };
  for (let row = 0; row < rows; row++) {
    const start = row * (line + 1) + 1;
    lines.copyWithin(row * line, start, start + line);
  }
  const data = lines.subarray(0, rows * line);
  if (depth === 16) {
    for (let i = 0; i < data.length; i += 2) [data[i], data[i + 1]] = [data[i + 1], data[i]];
  }
  return { shape, dtype, data };
}

function unpackedBits(lines, rows, columns, line, depth) {
  const data = new Uint8Array(rows * columns);
  const each = 8 / depth;
  for (let row = 0; row < rows; row++) {
    const start = row * (line + 1) + 1;
    for (let column = 0; column < columns; column++) {
      const shift = 8 - depth * ((column % each) + 1);
      data[row * columns + column] = (lines[start + Math.floor(column / each)] >> shift) & (2 ** depth - 1);
    }
  }
  return data;
}

/** Whether the chunks are of an animation. */
export function isAnimated(chunks) {
  return chunks.some(({ kind }) => kind === "acTL");
}

/**
 * The still picture in the chunks of a PNG.
 * @returns {Promise<{frame: object, depth: number, colors: Uint8Array|null, alphas: Uint8Array}>}
 */
export async function readPng(chunks, limit) {
  const layout = readLayout(chunks);
  require(bytesOfSamples(chunks) <= limit, "the picture is larger than this page opens; use the command line");
  const pieces = chunks.filter(({ kind }) => kind === "IDAT").map(({ body }) => body);
  damaged(pieces.length > 0, "it has no samples");
  const frame = await readFrame(layout, pieces);
  const body = (name) => chunks.find(({ kind }) => kind === name)?.body ?? null;
  const palette = layout.color === 3;
  return {
    frame,
    depth: layout.depth,
    colors: palette ? body("PLTE") : null,
    alphas: (palette && body("tRNS")) || new Uint8Array(0),
  };
}
