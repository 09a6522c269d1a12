// Bytes in the forms that the specification names: text, hexadecimal, base64 and LE64.

/** The error for input that the specification tells a reader or a writer to refuse. */
export class Refused extends Error {}

/** Refuse input unless a condition is true. */
export function require(valid, message) {
  if (!valid) throw new Refused(message);
}

/** Whether a value is an integer from `least` to `most`. */
export const isWithin = (value, least, most) => Number.isInteger(value) && value >= least && value <= most;

/** Whether a value is a text of a form. @param {RegExp} form */
export const matches = (value, form) => typeof value === "string" && form.test(value);

/** The sum of numbers. */
export const addUp = (numbers) => numbers.reduce((sum, number) => sum + number, 0);

/** Refuse a feature that release 1.2 removed from the format (pictures, section 2). */
export function refuseOld(what) {
  throw new Refused(`made by an earlier version with ${what}: restore it with version 1.1.0`);
}

/** The bytes of ASCII or UTF-8 text. @returns {Uint8Array} */
export function utf8(text) {
  return new TextEncoder().encode(text);
}

/** Text of bytes that are ASCII. @returns {string} */
export function ascii(data, message = "not ASCII text") {
  for (const byte of data) require(byte < 128, message);
  return new TextDecoder("latin1").decode(data);
}

/** A string of letters whose codes are the bytes. @param {Uint8Array} data at most 65536 @returns {string} */
export function toLetters(data) {
  return String.fromCharCode(...data);
}

/** Bytes that are the codes of letters, each below 256. @returns {Uint8Array} */
export function fromLetters(letters) {
  const data = zeros(letters.length);
  for (let i = 0; i < data.length; i++) data[i] = letters.charCodeAt(i);
  return data;
}

/** The given number of zero bytes. @returns {Uint8Array} */
export function zeros(length) {
  return new Uint8Array(length);
}

/** The given number of unpredictable bytes. @returns {Uint8Array} at most 65536 */
export function randomBytes(length) {
  return crypto.getRandomValues(zeros(length));
}

/** Bytes as numbers of other sizes. @returns {DataView} */
export function makeView(data) {
  return new DataView(data.buffer, data.byteOffset, data.length);
}

/** The bytes of numbers of other sizes. @returns {Uint8Array} */
export function viewBytes({ buffer, byteOffset, byteLength }) {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** All bytes of a Blob, or of a Response. @returns {Promise<Uint8Array>} */
export async function readBlob(blob) {
  return new Uint8Array(await blob.arrayBuffer());
}

/** One array of all bytes in order. @param {Uint8Array[]} parts @returns {Uint8Array} */
export function concat(parts) {
  const result = zeros(addUp(parts.map((part) => part.length)));
  let offset = 0;
  for (const part of parts) {
    result.set(part, offset);
    offset += part.length;
  }
  return result;
}

/** Lower-case hexadecimal digits of bytes. @returns {string} */
export function hex(data) {
  return Array.from(data, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Bytes of an even number of hexadecimal digits. @returns {Uint8Array} */
export function unhex(text) {
  return Uint8Array.from({ length: text.length / 2 }, (_, i) => parseInt(text.substr(2 * i, 2), 16));
}

/** Base64 with padding, of bytes. @returns {string} */
export function base64(data) {
  const parts = [];
  // Arguments of a call are on the stack, so a long array is passed in pieces; each is a
  // multiple of 3 bytes, and has no padding inside.
  for (let i = 0; i < data.length; i += 24576) {
    parts.push(btoa(toLetters(data.subarray(i, i + 24576))));
  }
  return parts.join("");
}

/** Decode base64; invalid text is refused, but other forms of the same bytes are not. */
export function unbase64(text) {
  require(matches(text, /^[A-Za-z0-9+/]*={0,2}$/), "no base64");
  try {
    return fromLetters(atob(text));
  } catch {
    throw new Refused("no base64");
  }
}

/** Numbers of 32 bits, each highest byte first. @returns {Uint8Array} */
export function uint32s(...numbers) {
  const data = zeros(4 * numbers.length);
  numbers.forEach((number, i) => makeView(data).setUint32(4 * i, number));
  return data;
}

/** LE64(x): eight bytes, lowest first. @param {number} x below 2^53 @returns {Uint8Array} */
export function le64(x) {
  const data = zeros(8);
  makeView(data).setBigUint64(0, BigInt(x), true);
  return data;
}

/** Compare two arrays in a time that does not depend on the position of a difference. */
export function sameBytes(a, b) {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a[i] ^ b[i];
  return difference === 0;
}

/** Whether bytes begin with other bytes. */
export function startsWith(data, start) {
  return data.length >= start.length && start.every((byte, i) => data[i] === byte);
}

/** Whether bytes occur anywhere in other bytes. */
export function occursIn(data, part) {
  for (let at = data.indexOf(part[0]); at >= 0; at = data.indexOf(part[0], at + 1)) {
    if (startsWith(data.subarray(at), part)) return true;
  }
  return false;
}
