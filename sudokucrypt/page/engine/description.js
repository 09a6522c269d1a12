// The extras: a line of JSON, the blobs that it counts, and padding (pictures, section 4).

import { concat, require, startsWith, utf8 } from "./bytes.js";
import { checkDescription } from "./meaning.js";
import { asciiJson, parseJson } from "./header.js";
import { BLOB, LINE } from "./grammar.js";

const MAX_LINE_BYTES = 4194304;
const PADDED_TO = 256; // so that the length shows little
const MAX_NUMBER = 4294967295;

/**
 * Check a value against its kind, and replace blobs by what a function makes of them, in the order
 * of the line. A kind is BLOB, a test, a list of one kind, a pair, or an object of kinds, of which
 * those whose names end with `?` may be absent.
 */
function converted(kind, value, blob) {
  if (kind === BLOB) return blob(value);
  if (typeof kind === "function") {
    require(kind(value), "the description has a wrong value");
    return value;
  }
  require(value !== null && typeof value === "object", "the description has a wrong value");
  if (Array.isArray(kind)) return convertedList(kind, value, blob);
  const fields = {};
  for (const [label, of] of Object.entries(kind)) {
    const name = label.replace("?", "");
    if (Object.hasOwn(value, name)) fields[name] = converted(of, value[name], blob);
    else require(name !== label, `the description lacks ${name}`);
  }
  const known = Object.keys(fields).length === Object.keys(value).length;
  require(known && !Array.isArray(value), "the description has an unknown field");
  return fields;
}

function convertedList(kind, value, blob) {
  require(Array.isArray(value) && value.length > 0, "the description has an empty list");
  if (kind.length === 1) return value.map((member) => converted(kind[0], member, blob));
  require(value.length === kind.length, "the description has a list of another length");
  return value.map((member, i) => converted(kind[i], member, blob));
}

function written(description) {
  const blobs = [];
  const fields = converted(LINE, description, (blob) => {
    blobs.push(blob);
    return blob.length;
  });
  const line = utf8(asciiJson(fields));
  require(line.length <= MAX_LINE_BYTES, "the line of the description is too long");
  checkDescription(description);
  return concat([line, utf8("\n"), ...blobs]);
}

/** The extras of a description, in which blobs are their bytes. @returns {Uint8Array} */
export function writeDescription(description) {
  const bare = written(description);
  return concat([bare, new Uint8Array((PADDED_TO - (bare.length % PADDED_TO)) % PADDED_TO)]);
}

/** The description in extras, which are refused unless they have the one form. */
export function readDescription(extras) {
  const feed = extras.indexOf(10);
  require(feed >= 0 && feed <= MAX_LINE_BYTES, "the description has no line");
  require(extras.length % PADDED_TO === 0, "the description is padded to another length");
  const fields = parseJson(extras.subarray(0, feed), "description");
  let offset = feed + 1;
  const description = converted(LINE, fields, (length) => {
    const fits = Number.isInteger(length) && length >= 0 && length <= MAX_NUMBER;
    require(fits && length <= extras.length - offset, "the description has a wrong length");
    offset += length;
    return extras.subarray(offset - length, offset);
  });
  const padding = extras.subarray(offset);
  require(padding.every((byte) => byte === 0), "the padding of the description is not zero");
  const bare = written(description);
  const same = bare.length === offset && startsWith(extras, bare);
  require(same, "the description is not in the one form that is written");
  return description;
}
