// The kinds of values in the line of a description (pictures, section 4).

import { isWithin, matches, utf8 } from "./bytes.js";
import { findDivisor, splitFraction } from "./fractions.js";
import { SAMPLE_BYTES } from "./header.js";

/** The kind of a field that is a blob: the line contains its length. */
export const BLOB = Symbol("blob");
/** Channels of each mode. */
export const MODE_CHANNELS = new Map([
  ["gray", 1], ["gray-alpha", 2], ["rgb", 3], ["rgba", 4], ["cmyk", 4],
]);
const READABLE = ["exif", "icc", "resolution", "xmp"];
const MAX_SIZE = 274877906944;

const isWhole = (least, most) => (value) => isWithin(value, least, most) && !Object.is(value, -0);
const isLength = isWhole(1, 2147483647);
const isSize = isWhole(0, MAX_SIZE);
const isText = (value) => typeof value === "string";
const isOneOf = (names) => (value) => isText(value) && names.has(value);
const isList = (...members) => (value) =>
  Array.isArray(value) &&
  value.length === members.length &&
  members.every((fits, i) => fits(value[i]));

function isShape(value) {
  return Array.isArray(value) && isList(...Array(value.length === 2 ? 2 : 3).fill(isLength))(value);
}

/** Whether a value is the text of a fraction in lowest terms. */
function isFraction(value) {
  const known = matches(value, /^(0|[1-9][0-9]{0,19})(\/[1-9][0-9]{0,19})?$/) && !value.endsWith("/1");
  return known && findDivisor(...splitFraction(value)) === 1n;
}

function isReadable(value) {
  if (!Array.isArray(value) || value.length === 0) return false;
  const known = READABLE.filter((name) => value.includes(name));
  return known.length === value.length && known.every((name, i) => name === value[i]);
}

/** Whether a value is one component of a path, of 1 to 255 bytes. */
function isFileName(value) {
  if (!isText(value) || ["", ".", ".."].includes(value)) return false;
  // A text with an unpaired surrogate has no UTF-8 form.
  if (/[/\\:\u0000-\u001f\u007f-\u009f]/.test(value) || /\p{Surrogate}/u.test(value)) return false;
  return utf8(value).length <= 255;
}

/** Whether a value is a media type in lower case, without parameters. */
export function isMediaType(value) {
  return matches(value, /^[a-z0-9][a-z0-9.+-]{0,63}\/[a-z0-9][a-z0-9.+-]{0,63}$/);
}

/** Whether a value is a time in nanoseconds, as text. */
function isTime(value) {
  return matches(value, /^(0|-?[1-9][0-9]{0,18})$/) && BigInt.asIntN(64, BigInt(value)) === BigInt(value);
}

const FILE = { name: isFileName, size: isSize, "padded?": isSize, "type?": isMediaType, "time?": isTime };
// `texts` and `native`, which only earlier releases encrypted, are checked and not used (section 3).
const METADATA = {
  "exif?": BLOB,
  "icc?": BLOB,
  "xmp?": BLOB,
  "resolution?": isList(isFraction, isFraction, (unit) => ["inch", "meter", null].includes(unit)),
  "texts?": [[isText, isText]],
  "native?": [[isText, BLOB]],
};
const FRAME = {
  shape: isShape,
  dtype: isOneOf(SAMPLE_BYTES),
  mode: isOneOf(MODE_CHANNELS),
  "metadata?": METADATA,
};

/** The line of a description. */
export const LINE = {
  format: isText,
  "file?": FILE,
  "preview?": BLOB,
  "structure?": BLOB,
  "readable?": isReadable,
  frames: [FRAME],
};
