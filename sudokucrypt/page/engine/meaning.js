// Which values of a description fit each other, a header, and the frames at hand.

import { require, startsWith, utf8 } from "./bytes.js";
import { fileShape } from "./files.js";
import { CHANNELS_OF_MODE } from "./grammar.js";

const MAX_PREVIEW_BYTES = 1048576;

/** Refuse values of a description that do not fit each other. */
export function checkDescription(description) {
  const { frames, file, preview, structure, readable = [] } = description;
  checkPalettes(description);
  for (const frame of frames) {
    const fits = (frame.shape[2] ?? 1) === CHANNELS_OF_MODE.get(frame.mode);
    require(fits, "a frame has another number of channels than its mode");
    require(!("bits" in frame) || frame.dtype === "uint8", "a frame has bits of another type");
    const empty = "metadata" in frame && Object.keys(frame.metadata).length === 0;
    require(!empty, "a frame has no metadata");
  }
  for (const name of readable) {
    const has = frames.some((frame) => name in (frame.metadata ?? {}));
    require(has, "a readable copy is of what no frame has");
  }
  if (preview) {
    const webp = startsWith(preview, utf8("RIFF")) && startsWith(preview.subarray(8), utf8("WEBP"));
    require(webp && preview.length <= MAX_PREVIEW_BYTES, "the preview is no small WebP file");
  }
  if (file) checkFile(description);
  else if (!structure) require(isNeeded(description), "the picture needs no description");
}

function isNeeded({ frames, animation, preview }) {
  const [frame] = frames;
  const more = Object.keys(frame).length > 3 || ["palette", "cmyk"].includes(frame.mode);
  return frames.length > 1 || Boolean(animation) || Boolean(preview) || more;
}

/** Refuse a picture of a file that has another form than the one of section 6. */
function checkFile({ format, file, readable, palettes, animation, structure, frames }) {
  const room = file.padded ?? file.size;
  require(room >= file.size, "the file is padded to less than its size");
  const [frame] = frames;
  const [rows, columns] = fileShape(room);
  const plain = frame.dtype === "uint8" && frame.mode === "gray" && Object.keys(frame).length === 3;
  const shape = frame.shape.length === 2 && frame.shape[0] === rows && frame.shape[1] === columns;
  const alone = frames.length === 1 && !(readable || palettes || animation || structure);
  require(format === "PNG" && plain && shape && alone, "a file has another form of picture");
}

function checkPalettes({ palettes = [], animation, frames }) {
  const forms = palettes.map((palette) => {
    const { colors, alphas, wide } = palette;
    const count = colors.length / (wide ? 6 : 3);
    require(Number.isInteger(count), "a palette has a part of a color");
    const fits = alphas === undefined || (alphas.length > 0 && alphas.length <= count);
    require(fits, "a palette has a wrong number of alphas");
    return [colors, alphas ?? [], wide ?? false].map(String).join(";");
  });
  require(new Set(forms).size === forms.length, "a description has equal palettes");
  const named = [animation ?? {}, ...frames].filter((part) => "palette" in part);
  const used = [...new Set(named.map((part) => part.palette))];
  const ordered = used.length === palettes.length && used.every((number, i) => number === i);
  require(ordered, "the palettes are in another order than they are used");
}

/** Refuse a description that the scheme of a header does not seal, or does not protect. */
export function checkSuits(description, fields) {
  const { file, frames, readable, preview } = description;
  if (fields.scheme === "scramble-context-v1") {
    const plain = !readable && !preview && !frames.some((frame) => "metadata" in frame);
    require(plain, "a context seals no metadata and no preview");
  }
  const jpeg = fields.scheme === "scramble-jpeg-v1";
  require("structure" in description === jpeg, "only a JPEG has a structure");
  if (file) {
    const whole = !("regions" in fields) && !("mask" in fields);
    require(fields.scheme === "encrypt-v1" && whole, "a file is encrypted as a whole");
  }
}
