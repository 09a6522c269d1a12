// PNG files: chunks, and the samples of still pictures, as the package reads them.

import { addUp, toLetters, require, startsWith, unhex, makeView, zeros } from "./bytes.js";
import { crc32 } from "./checksums.js";
import { HEADER_KEYWORD, looksLikeHeader, MAX_HEADER_BYTES } from "./header.js";
import { inflateAll } from "./zlib.js";

export const PNG_SIGNATURE = unhex("89504e470d0a1a0a");
const PLAIN_TEXT = zeros(4); // not compressed, no language, no translated keyword
const PNG_CHANNELS = new Map([[0, 1], [2, 3], [3, 1], [4, 2], [6, 4]]);
const PNG_DEPTHS = new Map([
  [0, [1, 2, 4, 8, 16]], [2, [8, 16]], [3, [1, 2, 4, 8]], [4, [8, 16]], [6, [8, 16]],
]);

/** Whether a file begins like a PNG. */
export function isPng(file) {
  return startsWith(file, PNG_SIGNATURE);
}

/** Refuse a picture whose samples or coefficients do not fit. */
export const checkRoom = (fits) => require(fits, "the picture is larger than this page opens; use the command line");
export const checkPng = (valid, what) => require(valid, `the PNG is damaged: ${what}`);

/** The chunks of a file up to IEND. @returns {{kind: string, body: Uint8Array}[]} */
export function readChunks(data) {
  require(isPng(data), "this is no PNG");
  const view = makeView(data);
  const chunks = [];
  for (let offset = 8; ; ) {
    checkPng(offset + 12 <= data.length, "it is cut off");
    const length = view.getUint32(offset);
    const end = offset + 8 + length;
    checkPng(end + 4 <= data.length, "it is cut off");
    checkPng(crc32(data.subarray(offset + 4, end)) === view.getUint32(end), "a checksum is wrong");
    const kind = toLetters(data.subarray(offset + 4, offset + 8));
    if (kind === "IEND") return chunks;
    chunks.push({ kind, body: data.subarray(offset + 8, end) });
    offset = end + 4;
  }
}

/** The one header in the chunks of a PNG, or null. @returns {Uint8Array|null} */
export function findPngHeader(chunks) {
  const found = chunks.filter(({ kind, body }) => kind === "iTXt" && startsWith(body, HEADER_KEYWORD));
  require(found.length < 2, "the picture holds two headers");
  if (found.length === 0) return null;
  const rest = found[0].body.subarray(HEADER_KEYWORD.length);
  require(startsWith(rest, PLAIN_TEXT), "the header in the picture has another form");
  const header = rest.subarray(PLAIN_TEXT.length);
  // This chunk must have the form of a header even if the header of a sidecar is used.
  require(header.length <= MAX_HEADER_BYTES && looksLikeHeader(header), "the header in the picture is none");
  return header;
}

/** Read the IHDR chunk: size, depth, color type and interlacing. */
export function readLayout(chunks) {
  const { kind, body } = chunks[0] ?? {};
  checkPng(kind === "IHDR" && body.length === 13, "it does not begin with an IHDR chunk");
  const view = makeView(body);
  const [columns, rows] = [view.getUint32(0), view.getUint32(4)];
  const [depth, color, compression, filter, interlace] = body.subarray(8);
  checkPng(PNG_DEPTHS.get(color)?.includes(depth), "its IHDR chunk names an unknown mode");
  checkPng(compression === 0 && filter === 0 && interlace < 2, "it names an unknown method");
  checkPng(rows > 0 && columns > 0, "it has no pixels");
  return { rows, columns, depth, color, channels: PNG_CHANNELS.get(color), interlaced: interlace === 1 };
}

/** The number of bytes of the samples of a picture, in which colors replace numbers in a palette. */
export function countSampleBytes(chunks) {
  const { rows, columns, depth, color, channels } = readLayout(chunks);
  return rows * columns * (color === 3 ? 4 : channels) * (depth === 16 ? 2 : 1);
}

/** Undo the filters of consecutive lines, each after its filter byte, in place. */
function unfilter(data, rows, line, pixel) {
  const stride = line + 1;
  for (let row = 0; row < rows; row++) {
    const start = row * stride + 1;
    const filter = data[start - 1];
    checkPng(filter < 5, "it has an unknown filter");
    if (filter === 0) continue; // all lines of noise, so this may be slow for others
    for (let i = start; i < start + line; i++) {
      const left = i < start + pixel ? 0 : data[i - pixel];
      const above = row === 0 ? 0 : data[i - stride];
      const corner = row === 0 || i < start + pixel ? 0 : data[i - pixel - stride];
      if (filter === 4) data[i] += predict(left, above, corner);
      else data[i] += filter === 1 ? left : filter === 2 ? above : (left + above) >> 1;
    }
  }
}

/** The neighbor that is nearest to left + above - corner; of equal ones the left one. */
function predict(left, above, corner) {
  const a = Math.abs(above - corner);
  const b = Math.abs(left - corner);
  const c = Math.abs(left + above - 2 * corner);
  return a <= b && a <= c ? left : b <= c ? above : corner;
}

/** First row and column, and steps down and across, of the pictures that are stored in sequence. */
const WHOLE = [[0, 0, 1, 1]];
const ADAM7 = [[0, 0, 8, 8], [0, 4, 8, 8], [4, 0, 8, 4], [0, 2, 4, 4], [2, 0, 4, 2], [0, 1, 2, 2], [1, 0, 2, 1]];

/** The samples as {shape, dtype, data}. */
async function readFrame(layout, pieces) {
  const { depth, channels, interlaced } = layout;
  const passes = (interlaced ? ADAM7 : WHOLE).flatMap(([top, left, down, across]) => {
    const [rows, columns] = [Math.ceil((layout.rows - top) / down), Math.ceil((layout.columns - left) / across)];
    const line = Math.ceil((columns * channels * depth) / 8);
    return rows > 0 && columns > 0 ? [{ top, left, down, across, rows, columns, line }] : [];
  });
  const lines = await inflateAll(pieces, addUp(passes.map(({ rows, line }) => rows * (line + 1))));
  let start = 0;
  const parts = passes.map(({ rows, line, columns }) => {
    const part = lines.subarray(start, (start += rows * (line + 1)));
    return unpack(part, { ...layout, rows, columns }, line);
  });
  const shape = channels === 1 ? [layout.rows, layout.columns] : [layout.rows, layout.columns, channels];
  const dtype = depth === 1 ? "bool" : depth === 16 ? "uint16" : "uint8";
  return { shape, dtype, data: interlaced ? joinPasses(layout, passes, parts) : parts[0] };
}

function joinPasses({ rows, columns, depth, channels }, passes, parts) {
  const pixel = channels * (depth === 16 ? 2 : 1);
  const data = zeros(rows * columns * pixel);
  passes.forEach(({ top, left, down, across, ...pass }, number) => {
    for (let i = 0; i < pass.rows * pass.columns; i++) {
      const [row, column] = [top + down * Math.floor(i / pass.columns), left + across * (i % pass.columns)];
      data.set(parts[number].subarray(i * pixel, (i + 1) * pixel), (row * columns + column) * pixel);
    }
  });
  return data;
}

/** The samples of lines, lowest byte first. */
function unpack(lines, { rows, columns, depth, channels }, line) {
  unfilter(lines, rows, line, Math.max(1, (channels * depth) >> 3));
  if (depth < 8) return unpackBits(lines, rows, columns, line, depth);
  for (let row = 0; row < rows; row++) {
    const start = row * (line + 1) + 1;
    lines.copyWithin(row * line, start, start + line);
  }
  const data = lines.subarray(0, rows * line);
  if (depth === 16) {
    for (let i = 0; i < data.length; i += 2) [data[i], data[i + 1]] = [data[i + 1], data[i]];
  }
  return data;
}

function unpackBits(lines, rows, columns, line, depth) {
  const data = zeros(rows * columns);
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

const KNOWN = ["IHDR", "PLTE", "IDAT", "IEND"]; // other chunks in upper case would matter

/** The palette and the transparent color that count, as other programs overlook chunks out of place. */
function readColorChunks({ color, depth, channels }, chunks) {
  const before = chunks.slice(0, chunks.findIndex(({ kind }) => kind === "IDAT"));
  const palettes = color === 3 ? before.filter(({ kind }) => kind === "PLTE").map(({ body }) => body) : [];
  const isPalette = (body) => body.length > 0 && body.length <= 768 && body.length % 3 === 0;
  checkPng(color !== 3 || (palettes.length === 1 && isPalette(palettes[0])), "its palette is missing, or none");
  const most = color === 3 ? palettes[0].length / 3 : 0;
  const fits = ({ kind, body }, i) => {
    if (kind !== "tRNS") return false;
    if (color !== 3) return [0, 2].includes(color) && body.length === 2 * channels;
    return body.length <= most && before.slice(0, i).some((chunk) => chunk.kind === "PLTE");
  };
  const body = before.find(fits)?.body ?? null;
  if (color === 3) return { colors: palettes[0], alphas: body ?? zeros(0), clear: null };
  const value = (i) => ((body[2 * i] << 8) | body[2 * i + 1]) % 2 ** depth; // only as many bits count
  return { colors: null, alphas: zeros(0), clear: body && Array.from({ length: channels }, (_, i) => value(i)) };
}

/**
 * The still picture in the chunks of a PNG.
 * @returns {Promise<{frame: object, depth: number, colors: Uint8Array|null, alphas: Uint8Array, clear: number[]|null}>}
 */
export async function readPng(chunks, limit) {
  const layout = readLayout(chunks);
  checkRoom(countSampleBytes(chunks) <= limit);
  return { frame: await readFrame(layout, listBodies(chunks)), depth: layout.depth, ...readColorChunks(layout, chunks) };
}

/** The bodies of the chunks with samples, which must be adjacent. @returns {Uint8Array[]} */
export function listBodies(chunks) {
  const isSamples = ({ kind }) => kind === "IDAT";
  const pieces = chunks.filter(isSamples).map(({ body }) => body);
  checkPng(pieces.length > 0, "it has no samples");
  checkPng(chunks.findLastIndex(isSamples) - chunks.findIndex(isSamples) === pieces.length - 1, "its samples are apart");
  checkPng(chunks.every(({ kind }) => /^[a-z]/.test(kind) || KNOWN.includes(kind)), "it has an unknown chunk");
  return pieces;
}

/** The samples that a PNG shows: colors of a palette, grays of 8 bits, and opacity for a transparent color. */
export function showFrame({ frame, depth, colors, alphas, clear }) {
  if (colors !== null) return lookUpPalette({ frame, colors, alphas }, alphas.length ? 4 : 3);
  const factor = depth < 8 && (depth > 1 || clear) ? 255 / (2 ** depth - 1) : 1;
  const bright = { ...frame, dtype: factor > 1 ? "uint8" : frame.dtype, data: factor > 1 ? frame.data.map((sample) => sample * factor) : frame.data };
  if (!clear) return bright;
  const size = frame.dtype === "uint16" ? 2 : 1;
  const pixel = clear.length * size;
  const own = Uint8Array.from(clear.flatMap((value) => (size === 2 ? [value & 255, value >> 8] : [value])));
  const data = zeros((bright.data.length / pixel) * (pixel + size)).fill(255);
  for (let at = 0, to = 0; at < frame.data.length; at += pixel, to += pixel + size) {
    data.set(bright.data.subarray(at, at + pixel), to);
    if (own.every((byte, i) => byte === frame.data[at + i])) data.fill(0, to + pixel, to + pixel + size);
  }
  return { shape: [...frame.shape.slice(0, 2), clear.length + 1], dtype: bright.dtype, data };
}

/** Colors of a palette as samples, with their opacity as fourth of four channels. */
export function lookUpPalette({ frame, colors, alphas }, channels) {
  const data = zeros(frame.data.length * channels);
  for (let i = 0, at = 0; i < frame.data.length; i++, at += channels) {
    const index = frame.data[i];
    for (let k = 0; k < 3; k++) data[at + k] = colors[3 * index + k];
    if (channels === 4) data[at + 3] = index < alphas.length ? alphas[index] : 255;
  }
  return { shape: [...frame.shape.slice(0, 2), channels], dtype: "uint8", data };
}
