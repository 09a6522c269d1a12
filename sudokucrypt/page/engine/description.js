// The extras: a line of JSON, the blobs that it counts, and padding (pictures, section 4).

import { concat, isWithin, refuseOld, startsWith, utf8, zeros } from "./bytes.js";
import { checkDescription, checkValue } from "./meaning.js";
import { toAsciiJson, parseJson } from "./header.js";
import { BLOB, LINE } from "./grammar.js";

const MAX_LINE_BYTES = 4194304;
const PADDED_TO = 256; // bytes, so that the length reveals little
const MAX_NUMBER = 4294967295;

/**
 * Check a value against its kind, and replace blobs by what a function makes of them, in the order
 * of the line. A kind is BLOB, a test, a list of one kind, a pair, or an object of kinds, of which
 * those whose names end with `?` may be absent.
 */
function convert(kind, value, blob) {
  if (kind === BLOB) return blob(value);
  if (typeof kind === "function") {
    checkValue(kind(value));
    return value;
  }
  checkValue(value !== null && typeof value === "object");
  if (Array.isArray(kind)) return convertList(kind, value, blob);
  const fields = {};
  for (const [label, of] of Object.entries(kind)) {
    const name = label.replace("?", "");
    if (Object.hasOwn(value, name)) fields[name] = convert(of, value[name], blob);
    else checkValue(name !== label);
  }
  const known = Object.keys(fields).length === Object.keys(value).length;
  checkValue(known && !Array.isArray(value));
  return fields;
}

function convertList(kind, value, blob) {
  checkValue(Array.isArray(value) && value.length > 0);
  if (kind.length === 1) return value.map((member) => convert(kind[0], member, blob));
  checkValue(value.length === kind.length);
  return value.map((member, i) => convert(kind[i], member, blob));
}

function writeLine(description) {
  const blobs = [];
  const fields = convert(LINE, description, (blob) => {
    blobs.push(blob);
    return blob.length;
  });
  const line = utf8(toAsciiJson(fields));
  checkValue(line.length <= MAX_LINE_BYTES);
  checkDescription(description);
  return concat([line, utf8("\n"), ...blobs]);
}

/** Write the extras of a description whose blobs are given as bytes. @returns {Uint8Array} */
export function writeDescription(description) {
  const bare = writeLine(description);
  return concat([bare, zeros((PADDED_TO - (bare.length % PADDED_TO)) % PADDED_TO)]);
}

/** Read the description in extras, which are refused unless they have the only valid form. */
export function readDescription(extras) {
  const feed = extras.indexOf(10);
  checkValue(feed >= 0 && feed <= MAX_LINE_BYTES);
  checkValue(extras.length % PADDED_TO === 0);
  const fields = parseJson(extras.subarray(0, feed), "description");
  refuseOldDescription(fields);
  let offset = feed + 1;
  const description = convert(LINE, fields, (length) => {
    checkValue(isWithin(length, 0, MAX_NUMBER) && length <= extras.length - offset);
    offset += length;
    return extras.subarray(offset - length, offset);
  });
  const padding = extras.subarray(offset);
  checkValue(padding.every((byte) => byte === 0));
  const bare = writeLine(description);
  checkValue(bare.length === offset && startsWith(extras, bare));
  return description;
}

/** Refuse a description with a removed feature by its name; other fields are not checked. */
function refuseOldDescription(fields) {
  const frames = Array.isArray(fields?.frames) ? fields.frames : [];
  const has = (name) => frames.some((frame) => frame !== null && typeof frame === "object" && Object.hasOwn(frame, name));
  if (fields?.animation !== undefined || has("showing") || has("place")) refuseOld("an animation");
  if (frames.length > 1) refuseOld("several pages");
  const palette = fields?.palettes !== undefined || has("palette") || frames[0]?.mode === "palette";
  if (palette) refuseOld("a palette");
  if (has("bits")) refuseOld("samples of fewer than 8 bits");
  if (has("transparent")) refuseOld("a transparent color");
}
