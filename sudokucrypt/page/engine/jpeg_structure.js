// The structure of a JPEG: everything except its coefficients (JPEG, sections 6 and 7).

import { addUp, concat, refuseOld, require, sameBytes, zeros } from "./bytes.js";
import { readJpeg } from "./jpeg_file.js";

const LARGEST_PATCH = 65536;
const LARGEST_STRUCTURE = 22 * 2 ** 20;
const MOST_DIGITS = 7; // of a number in groups of 7 bits: below 2^49, more than any file needs

const jpegSuits = (valid) => require(valid, "the structure of the JPEG does not fit its blocks");
const foldSign = (integer) => (integer > 0 ? 2 * integer - 1 : -2 * integer);
const unfoldSign = (number) => (number % 2 ? (number + 1) / 2 : -number / 2);

/** Reads numbers, strings and lists in sequence. */
class Fields {
  #data;
  #at = 0;

  constructor(data) {
    this.#data = data;
  }

  number() {
    let number = 0;
    for (let count = 0; count < MOST_DIGITS; count++) {
      const byte = this.#data[this.#at++];
      number += (byte % 128) * 128 ** count;
      if (byte < 128) return number;
    }
    return jpegSuits(false);
  }

  string() {
    const length = this.number();
    jpegSuits(length <= this.#data.length - this.#at);
    return this.#data.subarray(this.#at, (this.#at += length));
  }

  list(read, most) {
    const count = this.number();
    jpegSuits(count <= most && count <= this.#data.length); // each item takes at least a byte
    return Array.from({ length: count }, read);
  }

  places(most) {
    let place = 0;
    return this.list((_, i) => {
      const step = this.number();
      jpegSuits(i === 0 || step > 0);
      return (place += step);
    }, most);
  }
}

function encodeNumber(number) {
  const digits = [];
  for (; number >= 128; number = Math.floor(number / 128)) digits.push((number % 128) + 128);
  return [...digits, number];
}

const encodeString = (data) => [Uint8Array.from(encodeNumber(data.length)), data];
const encodeSteps = (places) => [places.length, ...places.map((place, i) => (i ? place - places[i - 1] : place))];
const toDigits = (numbers) => Uint8Array.from(numbers.flatMap(encodeNumber));

/** Encode a structure in its only valid form. @returns {Uint8Array} */
export function writeStructure({ size, skeleton, scans, turns, fillers, patch }) {
  const parts = [toDigits([size, 0]), ...encodeString(skeleton), toDigits([scans.length])];
  for (const { padding, breaks, strays } of scans) {
    parts.push(...encodeString(Uint8Array.from(padding)), toDigits([...encodeSteps(breaks), ...encodeSteps([...strays.keys()])]));
    for (const stray of strays.values()) parts.push(...encodeString(stray));
  }
  parts.push(toDigits([turns.length, ...turns.flatMap(([component, block, times]) => [component, block, foldSign(times)])]));
  parts.push(toDigits([fillers.length]));
  for (const list of fillers) {
    parts.push(toDigits([...encodeSteps(list.map(([place]) => place)), ...list.map(([, difference]) => foldSign(difference))]));
  }
  parts.push(toDigits([patch ? 1 : 0]));
  if (patch) parts.push(toDigits(patch.slice(0, 2)), ...encodeString(patch[2]));
  return concat(parts);
}

/**
 * Decode a structure and its skeleton; any other form is refused, and a structure that is
 * not of the file at hand before its lists take memory.
 */
export function readStructure(data, current, namesCount = true) {
  const fields = new Fields(data);
  const size = fields.number();
  if (fields.number() > 0) refuseOld("readable metadata");
  const skeleton = fields.string();
  const jpeg = readJpeg(skeleton);
  jpegSuits(nameJpeg(jpeg, namesCount) === nameJpeg(current, namesCount));
  const blocks = addUp(jpeg.components.map(({ whole: [rows, columns] }) => rows * columns));
  const scans = fields.list(() => {
    const [padding, breaks] = [fields.string(), fields.places(blocks)];
    return { padding, breaks, strays: new Map(fields.places(blocks).map((i) => [i, fields.string()])) };
  }, jpeg.scans.length);
  const turns = fields.list(() => [fields.number(), fields.number(), unfoldSign(fields.number())], blocks);
  const fillers = fields.list(() => {
    const places = fields.places(64 * blocks);
    return places.map((place) => [place, unfoldSign(fields.number())]);
  }, jpeg.components.length);
  const [patch = null] = fields.list(() => [fields.number(), fields.number(), fields.string()], 1);
  const structure = { size, skeleton, scans, turns, fillers, patch };
  jpegSuits(sameBytes(writeStructure(structure), data)); // in its only valid form, up to its end
  checkStructure(structure, jpeg);
  return { ...structure, jpeg };
}

/** The properties that two files must share: size, components and quantization tables. */
function nameJpeg({ rows, columns, components }, namesCount) {
  const each = ({ identifier, table, sampling, steps }) => [...(namesCount ? [identifier, table] : []), ...sampling, ...steps];
  return JSON.stringify([rows, columns, components.map(each)]);
}

function checkStructure({ scans, turns, fillers }, jpeg) {
  jpegSuits(scans.length === jpeg.scans.length && fillers.length === jpeg.components.length);
  jpegSuits(jpeg.scans.every(({ data: [from, to] }) => from === to));
  jpegSuits(scans.every(({ strays }) => [...strays.values()].every((stray) => stray.length > 0)));
  const rising = turns.every(([component, block, times], i) => {
    const [before, last] = turns[i - 1] ?? [-1, -1];
    return times !== 0 && (component > before || (component === before && block > last));
  });
  jpegSuits(rising && fillers.flat().every(([, difference]) => difference !== 0));
}

/** Whether the block of this number in a component is a filler, which only completes a unit. */
export function isFiller({ covering, whole }, block) {
  return Math.floor(block / whole[1]) >= covering[0] || block % whole[1] >= covering[1];
}

/** The number of coefficients of fillers that are sent, by scans of several components. */
function findSent(jpeg, number) {
  const joint = jpeg.scans.filter(({ numbers }) => numbers.length > 1 && numbers.includes(number));
  return joint.reduce((most, { last }) => Math.max(most, last + 1), 0);
}

/** Call back with the offset of each filler, and of the block whose mean a usual one has. */
function eachFiller(jpeg, { covering, whole, inUnit }, take) {
  if (String(covering) === String(whole)) return;
  const [rows, columns] = jpeg.units;
  for (let unit = 0; unit < rows * columns; unit++) {
    const [top, left] = [Math.floor(unit / columns) * inUnit[0], (unit % columns) * inUnit[1]];
    let before = -1;
    for (let y = top; y < top + inUnit[0]; y++) {
      for (let x = left; x < left + inUnit[1]; x++) {
        const at = 64 * (y * whole[1] + x);
        if (y >= covering[0] || x >= covering[1]) take(at, before);
        else before = at;
      }
    }
  }
}

/** Replace all fillers by usual ones, as far as scans send them, and add differences. */
export function fill(jpeg, blocks, fillers = []) {
  jpeg.components.forEach((component, number) => {
    const data = blocks.get(component, number);
    const sent = findSent(jpeg, number);
    eachFiller(jpeg, component, (at, before) => {
      data.fill(0, at, at + 64);
      data[at] = sent ? data[before] : 0;
    });
    for (const [place, difference] of fillers[number] ?? []) {
      const value = data[place] + difference;
      const fits = place < data.length && place % 64 < sent && isFiller(component, Math.floor(place / 64));
      jpegSuits(fits && Math.abs(value) < 32768);
      data[place] = value;
    }
  });
}

/** For each component, the differences of its fillers from usual ones. */
function listChanges(jpeg, blocks) {
  return jpeg.components.map((component, number) => {
    const data = blocks.get(component, number);
    const differences = [];
    if (findSent(jpeg, number) === 0) return differences;
    eachFiller(jpeg, component, (at, before) => {
      for (let place = 0; place < 64; place++) {
        const difference = data[at + place] - (place === 0 ? data[before] : 0);
        if (difference !== 0) differences.push([at + place, difference]);
      }
    });
    return differences.sort(([a], [b]) => a - b);
  });
}

/** The data of all scans between the pieces of a file or skeleton; null if a symbol has no code. */
function codeScans(jpeg, blocks, scans) {
  const pieces = [];
  let start = 0;
  for (const [i, scan] of jpeg.scans.entries()) {
    const data = blocks.code(jpeg, scan, scans[i]);
    if (data === null) return null;
    pieces.push(jpeg.file.subarray(start, scan.data[0]), data);
    [, start] = scan.data;
  }
  return concat([...pieces, jpeg.file.subarray(start)]);
}

/** The length of the common prefix of two files. */
function countCommon(first, second) {
  const most = Math.min(first.length, second.length);
  let length = 0;
  while (length < most && first[length] === second[length]) length++;
  return length;
}

/** The structure of a file with these blocks, without turns; null if it cannot be rebuilt. */
export function makeStructure(jpeg, blocks) {
  const { file } = jpeg;
  const scans = jpeg.scans.map(({ special }) => special);
  const cuts = [0, ...jpeg.scans.flatMap(({ data }) => data), file.length];
  const kept = cuts.flatMap((cut, i) => (i % 2 ? [] : [file.subarray(cut, cuts[i + 1])]));
  const made = codeScans(jpeg, blocks, scans) ?? zeros(0);
  const structure = { size: file.length, skeleton: concat(kept), scans, turns: [], fillers: listChanges(jpeg, blocks), patch: null };
  const start = countCommon(made, file);
  if (start < Math.max(made.length, file.length)) {
    const end = countCommon(made.slice(start).reverse(), file.slice(start).reverse());
    structure.patch = [start, end, file.subarray(start, file.length - end)];
  }
  return (structure.patch?.[2].length ?? 0) <= LARGEST_PATCH ? structure : null;
}

/** Refuse a structure that is too long for a header. */
export function checkLength(data) {
  require(data.length <= LARGEST_STRUCTURE, "the JPEG holds more beside its picture than fits into a header");
}

/** Whether all coefficients are in the range that codes can represent. */
function isCodable(data) {
  for (let at = 0; at < data.length; at++) {
    const value = data[at];
    if (value === -32768 || ((value < -16384 || value >= 16384) && at % 64 === 0)) return false;
  }
  return true;
}

/** Rebuild the file of a structure and blocks; the caller must compare its hash or tag. */
export function rebuildFile({ jpeg, size, scans, fillers, patch }, blocks) {
  fill(jpeg, blocks, fillers);
  jpegSuits(jpeg.components.every((component, number) => isCodable(blocks.get(component, number))));
  const made = codeScans(jpeg, blocks, scans) ?? zeros(0);
  // Without a patch, every symbol needs a code.
  const [start, end, text] = patch ?? [made.length, 0, zeros(0)];
  jpegSuits((patch !== null || made.length > 0) && start + end <= made.length && start + text.length + end === size);
  return concat([made.subarray(0, start), text, made.subarray(made.length - end)]);
}
