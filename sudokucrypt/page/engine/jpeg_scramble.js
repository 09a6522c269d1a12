// JPEG files that stay JPEG files: scheme scramble-jpeg-v1 (JPEG, sections 3 to 5 and 8).

import { ascii, base64, concat, Refused, require, sameBytes, startsWith, unbase64, unhex, utf8, zeros } from "./bytes.js";
import { mask, Words } from "./chacha20.js";
import { readDescription, writeDescription } from "./description.js";
import { draw } from "./draws.js";
import { subkey } from "./hashing.js";
import { decodeExtras, HEADER_KEYWORD, looksLikeHeader } from "./header.js";
import { Blocks } from "./jpeg_blocks.js";
import { makeSegment } from "./jpeg_codes.js";
import { isJpeg, readJpeg, readSegments } from "./jpeg_file.js";
import { writeJpeg } from "./jpeg_output.js";
import { checkLength, rebuildFile, fill, isFiller, readStructure, makeStructure, writeStructure } from "./jpeg_structure.js";
import { permute } from "./permutation.js";
import { MADE_EARLIER, protectDigests, WRONG } from "./pictures.js";
import { hashChunks, hashTag, maskExtras } from "./tags.js";
import { defaultRounds } from "./units.js";

const MODES_OF_JPEG = new Map([[1, "gray"], [3, "rgb"], [4, "cmyk"]]);
const OURS = 0xeb;
const ROOM = 65533 - HEADER_KEYWORD.length;
const GAP = '"extras":""';
const AT_ONCE_BLOCKS = 512; // blocks whose stream is generated at a time

/** The smallest mean of a component, and the number of possible means. */
function findMeans({ steps: [step] }) {
  const half = step >> 1;
  const least = -Math.floor((1024 + half) / step);
  return [least, Math.floor((1016 + half) / step) - least + 1];
}

/** The header in segments before the first scan of a JPEG, or null. */
export function findJpegHeader(file) {
  const ours = ({ marker, body }) => marker === OURS && startsWith(body, HEADER_KEYWORD);
  const pieces = readSegments(file, false).filter(ours).map(({ body }) => body.subarray(HEADER_KEYWORD.length));
  const data = concat(pieces);
  if (data.length === 0) return null;
  const feed = data.indexOf(10);
  const damage = "the header in the JPEG has another form";
  require(feed >= 0, damage);
  const [text, extras] = [ascii(data.subarray(0, feed), damage), data.subarray(feed + 1)];
  require(text.includes(GAP) === extras.length > 0, damage);
  const header = utf8(text.replace(GAP, () => `"extras":"${base64(extras)}"`));
  require(looksLikeHeader(header), damage);
  return header;
}

/** The segments that contain a header. */
function makeSegments(header) {
  const text = ascii(header);
  const [, before, extras, after] = /^(.*"extras":")([^"]*)(".*)$/.exec(text);
  const data = concat([utf8(`${before}${after}\n`), unbase64(extras)]);
  const count = Math.ceil(data.length / ROOM);
  return Array.from({ length: count }, (_, i) => makeSegment(OURS, concat([HEADER_KEYWORD, data.subarray(i * ROOM, (i + 1) * ROOM)])));
}

/** Numbers of the blocks that cover a component, in their order. */
function listBlocks(component) {
  const { covering: [rows, columns], whole } = component;
  return Uint32Array.from({ length: rows * columns }, (_, i) => Math.floor(i / columns) * whole[1] + (i % columns));
}

/** Wrap all means into their ranges, and return the number of wraps of each that was outside. */
function wrapMeans(jpeg, blocks) {
  const turns = [];
  jpeg.components.forEach((component, number) => {
    const [least, count] = findMeans(component);
    const data = blocks.get(component, number);
    for (const block of listBlocks(component)) {
      const times = Math.floor((data[64 * block] - least) / count);
      if (times !== 0) turns.push([number, block, times]);
      data[64 * block] -= times * count;
    }
  });
  return turns;
}

/** Another coefficient of the same number of bits; a second call undoes it. */
function maskValue(value, number) {
  const ones = 2 ** (32 - Math.clz32(Math.abs(value))) - 1;
  const bits = (value > 0 ? value : value + ones) ^ (number & ones);
  return 2 * bits > ones ? bits : bits - ones;
}

/** Mask the consecutive blocks of a part, or undo it. */
async function maskPart(part, component, subkeyOf, sign) {
  const [least, count] = findMeans(component);
  const words = new Words(await subkeyOf("dc"));
  for (let at = 0; at < part.length; at += 64) {
    const move = sign * draw(count, words);
    part[at] = ((part[at] - least + move + count) % count) + least;
  }
  const key = await subkeyOf("ac");
  for (let start = 0; start < part.length; start += 64 * AT_ONCE_BLOCKS) {
    const end = Math.min(start + 64 * AT_ONCE_BLOCKS, part.length);
    const stream = mask(zeros(2 * (end - start)), key, 8, start / 32);
    for (let at = start; at < end; at++) {
      const value = part[at];
      if (value === 0 || at % 64 === 0) continue;
      const k = 2 * (at - start);
      part[at] = maskValue(value, stream[k] | (stream[k + 1] << 8));
    }
  }
}

/** Scramble all parts in place, or restore them. */
async function moveParts(jpeg, blocks, { rounds }, key, tag, undo, report) {
  for (const [number, component] of jpeg.components.entries()) {
    const subkeyOf = (use) => subkey(key, number === 0 ? `picture/${use}` : `picture/${use}/frame/${number}`, tag);
    const covering = listBlocks(component);
    const words = new Words(await subkeyOf("permutation"));
    const order = permute(covering.length, rounds, words, undo);
    const part = new Int16Array(64 * covering.length);
    const data = blocks.get(component, number);
    const place = (i) => 64 * covering[i];
    for (let i = 0; i < covering.length; i++) {
      const from = place(undo ? i : order[i]);
      part.set(data.subarray(from, from + 64), 64 * i);
    }
    await maskPart(part, component, subkeyOf, undo ? -1 : 1);
    for (let i = 0; i < covering.length; i++) {
      const from = 64 * (undo ? order[i] : i);
      data.set(part.subarray(from, from + 64), place(i));
    }
    report(number + 1, jpeg.components.length);
  }
}

const findShape = ({ rows, columns, components: { length } }) => (length === 1 ? [rows, columns] : [rows, columns, length]);

function describeJpeg(structure, jpeg) {
  const frame = { shape: findShape(jpeg), dtype: "uint8", mode: MODES_OF_JPEG.get(jpeg.components.length) };
  return { format: "JPEG", structure, frames: [frame] };
}

/**
 * Scramble a JPEG, which stays one.
 * @param {object} draft fields of the header: salt, perhaps kdf and rounds
 * @returns {Promise<{bytes: Uint8Array, header: Uint8Array}>}
 */
export async function protectJpeg(file, draft, master, recipients = [], report = () => {}) {
  require(findJpegHeader(file) === null, "the picture is protected already");
  const jpeg = readJpeg(file);
  const blocks = new Blocks(jpeg);
  const structure = makeStructure(jpeg, blocks);
  require(structure !== null, "the coefficients of the JPEG do not give it exactly; encrypt it as a file");
  structure.turns = wrapMeans(jpeg, blocks);
  const data = writeStructure(structure);
  checkLength(data);
  const parts = jpeg.components.map(({ covering: [rows, columns] }) => rows * columns);
  const fields = {
    ...{ sudokucrypt: 1, scheme: "scramble-jpeg-v1", unit: "block", block_size: 8, dtype: "uint8" },
    ...{ shape: findShape(jpeg), rounds: defaultRounds(parts), ...draft },
    extras: base64(writeDescription(describeJpeg(data, jpeg))),
  };
  const digests = await hashChunks(file, (...done) => report("digest", ...done));
  const header = await protectDigests(fields, digests, master, recipients, (key, tag) => {
    return moveParts(jpeg, blocks, fields, key, tag, false, (...done) => report("protect", ...done));
  });
  fill(jpeg, blocks); // so that dummy blocks reveal nothing about the picture
  return { bytes: writeJpeg(jpeg, blocks, {}, makeSegments(header)), header };
}

/** The structure in the decrypted extras of a header, if it suits this file. */
function openStructure({ unit, block_size: blockSize, dtype, shape, ...fields }, jpeg) {
  const suits = (valid) => require(valid, WRONG);
  suits(unit === "block" && blockSize === 8 && dtype === "uint8" && String(shape) === String(findShape(jpeg)));
  const extras = decodeExtras(fields);
  suits(extras !== null);
  const description = readDescription(extras);
  suits(description.structure);
  const structure = readStructure(description.structure, jpeg);
  // The extras contain nothing else, and describe this picture.
  suits(startsWith(extras, writeDescription(describeJpeg(description.structure, jpeg))));
  return structure;
}

/** Restore the scrambled file, given a header that was opened with a picture key. */
export async function restoreJpeg(file, fields, key, report = () => {}) {
  require(isJpeg(file), "this is not the JPEG that was scrambled: a program stored it as another format");
  const jpeg = readJpeg(file);
  const blocks = new Blocks(jpeg);
  const tag = unhex(fields.tag);
  const plain = await maskExtras(fields, key, tag);
  try {
    const structure = openStructure(plain, jpeg);
    require(wrapMeans(jpeg, blocks).length === 0, WRONG); // no scrambled file has a mean out of range
    await moveParts(jpeg, blocks, fields, key, tag, true, (...done) => report("restore", ...done));
    undoTurns(structure, jpeg, blocks);
    const result = rebuildFile(structure, blocks);
    const digests = await hashChunks(result, (...done) => report("verify", ...done));
    require(sameBytes(await hashTag(plain, digests, key), tag), WRONG);
    return result;
  } catch (error) {
    // The reason would tell an attacker who forges headers how far a forgery came.
    if (!(error instanceof Refused) || MADE_EARLIER.test(error.message)) throw error;
    throw new Refused(WRONG);
  }
}

function undoTurns({ turns }, jpeg, blocks) {
  for (const [number, block, times] of turns) {
    const component = jpeg.components[number];
    require(component && block < component.whole[0] * component.whole[1] && !isFiller(component, block), WRONG);
    const data = blocks.get(component, number);
    const mean = data[64 * block] + times * findMeans(component)[1];
    require(Math.abs(mean) <= 16384, WRONG);
    data[64 * block] = mean;
  }
}
