// A file of any kind as a picture of its bytes (pictures, section 6).

import { require, utf8, zeros } from "./bytes.js";
import { isMediaType } from "./grammar.js";

/** Rows and columns of the picture that contains a file of `size` bytes. @returns {[number, number]} */
export function chooseShape(size) {
  const rows = (w) => Math.ceil((3 * w) / 4);
  let w = Math.max(1, Math.floor(Math.sqrt(size)));
  while (w * rows(w) < size) w++;
  return [rows(w), w];
}

/** A size rounded up by Padmé: by at most 12 %, so that few different sizes remain. */
function padSize(size) {
  if (size < 2) return size;
  const e = Math.floor(Math.log2(size));
  const s = Math.floor(Math.log2(e)) + 1;
  const step = e > s ? 2 ** (e - s) : 1;
  return Math.ceil(size / step) * step;
}

/** A valid name for a description, in which forbidden characters become `_`. */
export function cleanName(name) {
  const cleaned = utf8(name.replace(/[/\\:\u0000-\u001f\u007f-\u009f]|\p{Surrogate}/gu, "_"));
  // A letter that is cut in two by the limit is left out.
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(cleaned.subarray(0, 255), { stream: true });
  return ["", ".", ".."].includes(text) ? "_" : text;
}

/** The description of a file of a size, and the shape of its picture. */
export function describeFile({ name, size, type, time }, { pad, preview }) {
  const file = { name: cleanName(name), size };
  if (pad) file.padded = padSize(size);
  if (isMediaType(type)) file.type = type;
  if (time !== null && BigInt.asIntN(64, time) === time) file.time = String(time);
  const shape = chooseShape(file.padded ?? file.size);
  const description = { format: "PNG", file };
  if (preview) description.preview = preview;
  description.frames = [{ shape, dtype: "uint8", mode: "gray" }];
  return { shape, description };
}

/** The frame and the description of a file. @returns {{frame: object, description: object}} */
export function wrapFile(source, options) {
  const { shape, description } = describeFile({ ...source, size: source.bytes.length }, options);
  const data = zeros(shape[0] * shape[1]);
  data.set(source.bytes);
  return { frame: { shape, dtype: "uint8", data }, description };
}

/** The bytes of the file in a plain frame. @returns {Uint8Array} */
export function extractFile(frame, size) {
  const rest = frame.data.subarray(size);
  require(rest.every((byte) => byte === 0), "samples behind the file are not zero");
  return frame.data.subarray(0, size);
}
