// The header, one line of ASCII JSON that has only one valid form (scrambling, section 6).

import { addUp, ascii, base64, isWithin, matches, Refused, refuseOld, require, startsWith, unbase64, utf8 } from "./bytes.js";

export const MAX_HEADER_BYTES = 33554432;
/** What stands before a header in a chunk or in segments. */
export const HEADER_KEYWORD = utf8("sudokucrypt\0");
export const HEADER_START = utf8('{"sudokucrypt":');
const MAX_OTHER_BYTES = 65536; // without the texts of recipients and extras
const MAX_AGE_BYTES = 65536;
const MOST_LISTS = 2 ** 20; // most lists and objects in any JSON that is read
const MAX_LENGTH = 2147483647;
/** Bytes of a segment, in which the bytes of a large file are moved separately. */
export const SEGMENT_BYTES = 1048576;
/** A scheme for arrays, which version 1.1.0 also used for files. */
export const CONTEXT = "scramble-context-v1";
const SCHEMES = ["scramble-v1", CONTEXT, "encrypt-v1", "scramble-jpeg-v1"];
const STUDIED = "insecure-logistic-substitution-v1";
export const SAMPLE_BYTES = new Map([
  ["bool", 1], ["uint8", 1], ["uint16", 2], ["uint32", 4], ["uint64", 8],
  ["int8", 1], ["int16", 2], ["int32", 4], ["int64", 8],
  ["float16", 2], ["float32", 4], ["float64", 8],
]);

const checkHead = (valid) => require(valid, "the header is malformed, or of a newer version");
const isListOf = (value, least, most) =>
  Array.isArray(value) && value.length >= least && value.length <= most;

/** Whether a value is the one base64 text of at least one byte. */
function isBase64(value) {
  const data = unbase64(value);
  return data.length > 0 && base64(data) === value;
}

/** A test of the value of each field, in the order of the line. */
const FIELDS = {
  sudokucrypt: (value) => value === 1,
  scheme: (value) => SCHEMES.includes(value),
  unit: (value) => ["pixel", "sample", "block"].includes(value),
  block_size: (value) => isWithin(value, 1, 65535),
  rounds: (value) => isWithin(value, 1, 255),
  segment: (value) => value === SEGMENT_BYTES,
  shape: (value) => isListOf(value, 1, 3) && value.every((side) => isWithin(side, 1, MAX_LENGTH)),
  dtype: (value) => SAMPLE_BYTES.has(value),
  key_id: (value) => matches(value, /^[0-9a-f]{8}$/),
  kdf: (value) => matches(value, /^[a-z0-9]{1,32}:[a-z0-9=,]{1,64}:[0-9a-f]{32}$/),
  recipients: (value) => isBase64(value) && unbase64(value).length <= MAX_AGE_BYTES,
  salt: (value) => matches(value, /^[0-9a-f]{32}$/),
  extras: isBase64,
  tag: (value) => matches(value, /^[0-9a-f]{64}$/),
  seal: (value) => matches(value, /^[0-9a-f]{64}$/),
};
const NEEDED = ["sudokucrypt", "scheme", "unit", "rounds", "shape", "dtype", "key_id"];

/** JSON in ASCII without spaces, as the specification writes it. */
export function toAsciiJson(value, escaped = /[\u007f-\uffff]/g) {
  const escape = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value).replace(escaped, escape);
}

/** Parse JSON in ASCII bytes; any fault is refused. */
export function parseJson(data, name) {
  let lists = 0;
  for (let i = 0; i < data.length; i++) lists += data[i] === 0x5b || data[i] === 0x7b;
  // Parsing millions of lists would take gigabytes.
  require(lists < MOST_LISTS, `${name}: not ASCII JSON`);
  try {
    return JSON.parse(ascii(data));
  } catch {
    throw new Refused(`${name}: not ASCII JSON`);
  }
}

/** The header as bytes, without some fields. @param {object} fields as in the line */
export function writeHeader(fields, ...without) {
  const names = Object.keys(FIELDS).filter((name) => name in fields && !without.includes(name));
  const data = utf8(toAsciiJson(Object.fromEntries(names.map((name) => [name, fields[name]]))));
  const texts = names.filter((name) => ["recipients", "extras"].includes(name));
  const long = addUp(texts.map((name) => fields[name].length));
  checkHead(data.length <= MAX_HEADER_BYTES);
  checkHead(data.length - long <= MAX_OTHER_BYTES);
  return data;
}

/** Read the fields of a header; any other than the valid form is refused. @param {Uint8Array} data */
export function readHeader(data) {
  checkHead(data.length <= MAX_HEADER_BYTES);
  const fields = parseJson(data, "header");
  checkHead(fields !== null && typeof fields === "object");
  if (fields.sudokucrypt === 1) refuseOldHeader(fields);
  for (const [name, value] of Object.entries(fields)) {
    checkHead(Object.hasOwn(FIELDS, name));
    checkHead(FIELDS[name](value));
  }
  for (const name of NEEDED) checkHead(Object.hasOwn(fields, name));
  checkPairs(fields);
  const written = writeHeader(fields);
  checkHead(written.length === data.length && startsWith(data, written));
  return fields;
}

/** Refuse a header with a removed feature by its name. */
function refuseOldHeader(fields) {
  if (Object.hasOwn(fields, "regions")) refuseOld("regions");
  if (Object.hasOwn(fields, "mask")) refuseOld("a mask");
  if (fields.scheme === CONTEXT && Object.hasOwn(fields, "extras")) refuseOld("a context");
  if (fields.scheme === STUDIED) refuseOld(`the scheme ${STUDIED}`);
}

/** Refuse fields that do not fit each other. */
function checkPairs(fields) {
  const has = (name) => Object.hasOwn(fields, name);
  const blocks = fields.unit === "block";
  checkHead(has("block_size") === blocks);
  checkHead(fields.scheme !== "encrypt-v1" || fields.unit === "pixel");
  const secret = ["salt", "tag", "seal"].filter(has).length;
  if (fields.scheme === CONTEXT) {
    checkHead(secret === 0 && !has("kdf") && !has("recipients"));
  } else {
    checkHead(secret === 3);
  }
  checkHead(fields.scheme !== "scramble-jpeg-v1" || blocks);
  if (!has("segment")) return;
  const { scheme, dtype, shape } = fields;
  checkHead(scheme === "encrypt-v1" && has("extras") && dtype === "uint8" && shape.length === 2);
  checkHead(shape[0] * shape[1] > SEGMENT_BYTES);
}

/** Whether bytes have the form of a header at first sight. */
export function looksLikeHeader(data) {
  return startsWith(data, HEADER_START) && data.every((byte) => byte > 31 && byte < 127);
}

/** The fields with the given extras, or unchanged without extras. */
export function addExtras(fields, extras) {
  return extras === null ? fields : { ...fields, extras: base64(extras) };
}

/** The bytes of the extras, or null. */
export function decodeExtras(fields) {
  return "extras" in fields ? unbase64(fields.extras) : null;
}
