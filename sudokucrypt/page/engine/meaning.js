// Check that the values of a description are consistent with each other and with a header.

import { require, startsWith, utf8 } from "./bytes.js";
import { chooseShape } from "./files.js";
import { MODE_CHANNELS } from "./grammar.js";

const MAX_PREVIEW_BYTES = 1048576;

/** Refuse a description unless a condition is true. */
export function checkValue(valid) {
  require(valid, "the sealed description is malformed, or of a newer version");
}

/** Refuse values of a description that do not fit each other. */
export function checkDescription(description) {
  const { frames, file, preview, structure, readable = [] } = description;
  checkValue(frames.length === 1);
  const [frame] = frames;
  checkValue((frame.shape[2] ?? 1) === MODE_CHANNELS.get(frame.mode));
  checkValue(!("metadata" in frame) || Object.keys(frame.metadata).length > 0);
  checkValue(readable.every((name) => name in (frame.metadata ?? {})));
  if (preview) {
    const webp = startsWith(preview, utf8("RIFF")) && startsWith(preview.subarray(8), utf8("WEBP"));
    checkValue(webp && preview.length <= MAX_PREVIEW_BYTES);
  }
  if (file) checkFile(description);
  else checkValue(structure || preview || "metadata" in frame || frame.mode === "cmyk");
}

/** Refuse a picture of a file that has another form than the one of section 6. */
function checkFile({ format, file, readable, structure, frames }) {
  const room = file.padded ?? file.size;
  const [frame] = frames;
  const plain = frame.dtype === "uint8" && frame.mode === "gray" && Object.keys(frame).length === 3;
  checkValue(room >= file.size && format === "PNG" && plain && !(readable || structure));
  checkValue(String(frame.shape) === String(chooseShape(room)));
}

/** Refuse a description that does not suit the scheme of its header. */
export function checkSuits({ file, structure }, { scheme, segment }) {
  checkValue(Boolean(structure) === (scheme === "scramble-jpeg-v1"));
  checkValue(file || segment === undefined);
  if (file) checkValue(scheme === "encrypt-v1");
}
