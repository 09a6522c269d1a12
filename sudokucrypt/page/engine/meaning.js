// Which values of a description fit each other, a header, and the frames at hand.

import { require, startsWith, utf8 } from "./bytes.js";
import { fileShape } from "./files.js";
import { CHANNELS_OF_MODE } from "./grammar.js";

const MAX_PREVIEW_BYTES = 1048576;

/** Refuse a description unless a condition holds; which one helps nobody who has the key. */
export function describes(condition) {
  require(condition, "the sealed description is malformed, or of a newer version");
}

/** Refuse values of a description that do not fit each other. */
export function checkDescription(description) {
  const { frames, file, preview, structure, readable = [] } = description;
  checkPalettes(description);
  for (const frame of frames) {
    describes((frame.shape[2] ?? 1) === CHANNELS_OF_MODE.get(frame.mode));
    describes(!("bits" in frame) || frame.dtype === "uint8");
    describes(!("metadata" in frame) || Object.keys(frame.metadata).length > 0);
  }
  describes(readable.every((name) => frames.some((frame) => name in (frame.metadata ?? {}))));
  if (preview) {
    const webp = startsWith(preview, utf8("RIFF")) && startsWith(preview.subarray(8), utf8("WEBP"));
    describes(webp && preview.length <= MAX_PREVIEW_BYTES);
  }
  if (file) checkFile(description);
  else describes(structure || isNeeded(description));
}

function isNeeded({ frames, animation, preview }) {
  const [frame] = frames;
  const more = Object.keys(frame).length > 3 || ["palette", "cmyk"].includes(frame.mode);
  return frames.length > 1 || Boolean(animation) || Boolean(preview) || more;
}

/** Refuse a picture of a file that has another form than the one of section 6. */
function checkFile({ format, file, readable, palettes, animation, structure, frames }) {
  const room = file.padded ?? file.size;
  const [frame] = frames;
  const plain = frame.dtype === "uint8" && frame.mode === "gray" && Object.keys(frame).length === 3;
  const alone = frames.length === 1 && !(readable || palettes || animation || structure);
  describes(room >= file.size && format === "PNG" && plain && alone);
  describes(String(frame.shape) === String(fileShape(room)));
}

function checkPalettes({ palettes = [], animation, frames }) {
  const forms = palettes.map(({ colors, alphas, wide = false }) => {
    const count = colors.length / (wide ? 6 : 3);
    describes(Number.isInteger(count));
    describes(alphas === undefined || (alphas.length > 0 && alphas.length <= count));
    return [colors, alphas ?? [], wide].map(String).join(";");
  });
  describes(new Set(forms).size === forms.length);
  const named = [animation ?? {}, ...frames].filter((part) => "palette" in part);
  const used = [...new Set(named.map((part) => part.palette))];
  describes(used.length === palettes.length && used.every((number, i) => number === i));
}

/** Refuse a description that the scheme of a header does not seal, or does not protect. */
export function checkSuits({ file, frames, readable, preview, structure }, fields) {
  if (fields.scheme === "scramble-context-v1") {
    describes(!readable && !preview && !frames.some((frame) => "metadata" in frame));
  }
  describes(Boolean(structure) === (fields.scheme === "scramble-jpeg-v1"));
  if (file) describes(fields.scheme === "encrypt-v1" && !("regions" in fields) && !("mask" in fields));
}
