// The header in rows below a picture (pictures, section 7).

import { concat, startsWith, utf8, makeView, zeros } from "./bytes.js";
import { sha256 } from "./hashing.js";
import { shake256 } from "./keccak.js";
import { lookUpPalette } from "./png_reader.js";

const MOST_CARRIED = 1048576; // of a header that rows carry
const MOST_PIXELS = 2 ** 27; // of a picture that gets rows
const MAGIC = [0x93, 0x53, 0x55, 0x44, 0x4f, 0x4b, 0x55, 0x52];
const DIGEST_BYTES = 8;
const TAIL_BYTES = 16; // magic, length, channels and bits

const countColors = (channels) => (channels < 3 ? 1 : 3);
const hasOpacity = (channels) => channels % 2 === 0;

/** The bytes xored with the stream, whose start is for the tail; doing it twice undoes it. */
function xorRows(data) {
  const stream = shake256(utf8("sudokucrypt/v1/header rows"), data.length);
  return data.map((byte, i) => byte ^ stream[(i + TAIL_BYTES) % data.length]);
}

/** The bytes that the rows of a picture carry. */
async function packRows(header, columns, channels, bits) {
  const row = columns * countColors(channels);
  const total = Math.ceil((header.length + DIGEST_BYTES + TAIL_BYTES) / row) * row;
  const data = zeros(total);
  data.set(header);
  data.set((await sha256(header)).subarray(0, DIGEST_BYTES), header.length);
  const tail = makeView(data.subarray(-TAIL_BYTES));
  data.set(MAGIC, total - TAIL_BYTES);
  tail.setUint32(10, header.length); // of its six bytes, the first two stay 0
  tail.setUint8(14, channels);
  tail.setUint8(15, bits);
  return xorRows(data);
}

/** The bytes of the rows below a frame, or none if it gets no rows. */
export async function makeRows(header, { shape: [rows, columns, channels = 1], dtype }) {
  const none = zeros(0);
  if (dtype === "bool" || header.length > MOST_CARRIED) return none;
  const bytes = await packRows(header, columns, channels, dtype === "uint16" ? 16 : 8);
  return rows * columns + bytes.length / countColors(channels) > MOST_PIXELS ? none : bytes;
}

/** The frame with header rows below it, or without them if it gets none. @returns {Promise<object>} a frame */
export async function addRows(frame, header) {
  const [rows, columns, channels = 1] = frame.shape;
  const size = frame.dtype === "uint16" ? 2 : 1;
  const bytes = await makeRows(header, frame);
  const colors = countColors(channels);
  const below = zeros((bytes.length / colors) * channels * size).fill(255);
  // A byte b is the sample b, or 257 b: both of its bytes are b. Opacity stays the highest.
  bytes.forEach((byte, i) => {
    const at = (Math.floor(i / colors) * channels + (i % colors)) * size;
    below.fill(byte, at, at + size);
  });
  const shape = [rows + bytes.length / (columns * colors), ...frame.shape.slice(1)];
  return { shape, dtype: frame.dtype, data: concat([frame.data, below]) };
}

/** Pixels as the package stores them, if another program changed mode or depth. */
export function scale(picture) {
  const { frame, depth, colors, alphas } = picture;
  if (colors !== null) return lookUpPalette(picture, alphas.length ? 4 : 3);
  if (depth >= 8) return frame;
  const factor = 255 / (2 ** depth - 1);
  return { ...frame, dtype: "uint8", data: frame.data.map((sample) => sample * factor) };
}

/** Bytes of the colors of the last rows: of 16 bits the higher one, lowest first in a frame. */
function readLastBytes(frame, count, colors) {
  const [rows, columns, channels = 1] = frame.shape;
  const size = frame.dtype === "uint16" ? 2 : 1;
  const bytes = zeros(count * columns * colors);
  let at = (rows - count) * columns * channels * size;
  for (let i = 0; i < bytes.length; i += colors, at += channels * size) {
    for (let color = 0; color < colors; color++) {
      bytes[i + color] = frame.data[at + (channels < 3 ? 0 : color) * size + size - 1];
    }
  }
  return bytes;
}

/** The header and the frame above the rows, or null if a frame of 8 or 16 bits has no rows. */
export async function readRows(frame) {
  const [rows, columns] = frame.shape;
  for (const colors of [3, 1]) {
    const least = Math.ceil(TAIL_BYTES / (columns * colors));
    if (least > rows) continue;
    const tail = xorRows(readLastBytes(frame, least, colors).slice(-TAIL_BYTES));
    const view = makeView(tail);
    const [length, channels, bits] = [view.getUint32(10), tail[14], tail[15]];
    const begins = startsWith(tail, MAGIC) && view.getUint16(8) === 0;
    const sane = length <= MOST_CARRIED && [1, 2, 3, 4].includes(channels);
    if (!begins || !sane || ![8, 16].includes(bits) || countColors(channels) !== colors) continue;
    const count = Math.ceil((length + DIGEST_BYTES + TAIL_BYTES) / (columns * colors));
    if (count >= rows) continue;
    const content = readLastBytes(frame, count, colors);
    const header = xorRows(content).slice(0, length);
    const whole = await packRows(header, columns, channels, bits);
    if (!content.every((byte, i) => byte === whole[i])) continue;
    return { header, frame: cropRows(frame, rows - count, channels, bits) };
  }
  return null;
}

/** The frame below a caption in black and white, if it has more rows than `shape` (section 8). */
export function removeCaption(frame, shape) {
  const [rows, columns] = frame.shape;
  const above = rows - shape[0];
  const length = (above * frame.data.length) / rows;
  const highest = 255; // of both bytes of 16 bits, too
  if (!["uint8", "uint16"].includes(frame.dtype) || above <= 0 || above >= columns) return frame;
  const size = frame.dtype === "uint16" ? 2 : 1;
  for (let i = 0; i < length; i++) {
    const sample = frame.data[i];
    if ((sample !== 0 && sample !== highest) || sample !== frame.data[i - (i % size)]) return frame;
  }
  return { ...frame, shape: [shape[0], ...frame.shape.slice(1)], data: frame.data.subarray(length) };
}

/** The first rows of a frame, with other channels and bits if the rows say so. */
function cropRows(frame, rows, channels, bits) {
  const [, columns, stored = 1] = frame.shape;
  const from = frame.dtype === "uint16" ? 2 : 1;
  const to = bits / 8;
  const shape = channels === 1 ? [rows, columns] : [rows, columns, channels];
  const dtype = bits === 16 ? "uint16" : "uint8";
  if (stored === channels && from === to) {
    return { shape, dtype, data: frame.data.subarray(0, rows * columns * channels * to) };
  }
  const data = zeros(rows * columns * channels * to).fill(255);
  for (let pixel = 0; pixel < rows * columns; pixel++) {
    for (let channel = 0; channel < channels; channel++) {
      const opacity = hasOpacity(channels) && channel === channels - 1;
      if (opacity && !hasOpacity(stored)) continue; // it stays the highest
      const source = opacity ? stored - 1 : stored < 3 ? 0 : channel;
      const at = (pixel * stored + source) * from;
      const target = (pixel * channels + channel) * to;
      // From 8 bits to 16 both bytes are the sample; from 16 to 8 the higher one counts.
      for (let k = 0; k < to; k++) data[target + k] = frame.data[at + (from === to ? k : from - 1)];
    }
  }
  return { shape, dtype, data };
}
