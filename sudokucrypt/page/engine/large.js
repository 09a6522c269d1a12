// Files of any size: their bytes are read in pieces of whole segments, twice (encryption, section 6).
//
// The digests of the first reading are compared with the second, segment by segment, before any use
// of a piece. So if a file changes in between, no stream masks two contents, and nothing is
// written that the tag does not authenticate. A source is {size, read(start, end)}, which promises the bytes
// from `start` to `end`; a sink is a function that takes bytes for good, and may promise to be ready.

import { concat, toLetters, readBlob, Refused, require, sameBytes, uint32s, unhex, utf8, makeView, zeros } from "./bytes.js";
import { crc32 } from "./checksums.js";
import { mask, Words } from "./chacha20.js";
import { checkSameHeader, describeRestored, findHeader, makeDraft, makeFields, makeOwnSecret, opened, protectName } from "./engine.js";
import { describeFile } from "./files.js";
import { subkey } from "./hashing.js";
import { SEGMENT_BYTES } from "./header.js";
import { readExtras, protectDigests, WRONG } from "./pictures.js";
import { checkPng, PNG_SIGNATURE, readLayout, listBodies } from "./png_reader.js";
import { chunk, makeHeaderChunk, makeLayoutChunk } from "./png_writer.js";
import { makeRows } from "./rows.js";
import { hashChunks, hashTag, maskExtras } from "./tags.js";
import { moveSegments, drawMaps, segmentRounds } from "./units.js";
import { storedSize, StoredReader, StoredWriter } from "./zlib.js";

const PIECE_BYTES = 8 * SEGMENT_BYTES;
const WINDOW = 65536; // bytes that are read to find the heads of chunks
const MOST_ASIDE = 2 ** 26; // most bytes of chunks that contain no samples
const MOST_CHUNKS = 2 ** 20;
const CHANGED = "the file was changed while it was read; choose it again";

/** A Blob or File as a source. */
export function makeSource(blob) {
  const read = async (start, end) => {
    try {
      return await readBlob(blob.slice(start, end));
    } catch (error) {
      // The file was moved, removed, changed or is no longer allowed since it was chosen.
      if (!["NotReadableError", "NotFoundError", "SecurityError"].includes(error.name)) throw error;
      throw new Refused("the file cannot be read any more; choose it again");
    }
  };
  return { size: blob.size, read };
}

/** The bytes from `start` to `end` of a source that has them. */
export async function readFrom({ read }, start, end) {
  const bytes = await read(start, end);
  require(bytes.length === end - start, CHANGED);
  return bytes;
}

/** Collect the output of a function in a Blob, as browsers keep large ones out of memory. */
export async function toBlob(produce) {
  const { readable, writable } = new TransformStream();
  const [blob, writer] = [new Response(readable).blob(), writable.getWriter()];
  blob.catch(() => {}); // writing fails too, then
  const stored = (promise) => promise.catch(() => {
    throw new Refused("the browser has no room for the result; make room on the disk, or use the command line");
  });
  try {
    await produce((bytes) => stored(writer.write(bytes)));
    await stored(writer.close());
    return await stored(blob);
  } catch (error) {
    writer.abort(error).catch(() => {});
    throw error;
  }
}

/** A function that protects or restores some segments in place, of which the first begins at `start`. */
async function makeChange({ shape, rounds }, key, tag) {
  const words = new Words(await subkey(key, "picture/permutation", tag));
  const stream = await subkey(key, "picture/keystream", tag);
  const maps = drawMaps(shape[0] * shape[1], rounds, words);
  return (piece, start, undo) => {
    if (undo) mask(piece, stream, 8, start / 64);
    moveSegments(piece, maps, undo);
    if (!undo) mask(piece, stream, 8, start / 64);
  };
}

/** The digests of a piece, which must be those of the first reading. */
async function checkDigests(piece, start, digests) {
  const found = await hashChunks(piece);
  require(found.every((digest, i) => sameBytes(digest, digests[start / SEGMENT_BYTES + i])), CHANGED);
}

/**
 * Encrypt a file of more than 1 MiB, as `protect` does.
 * @param {{name: string, type: string, time: ?bigint, size: number, read: Function}} source
 * @param {Function} write a sink, which has nothing of use if this fails
 * @returns {Promise<{name: string, secret: object, digests: Uint8Array[]}>} `secret` opens only this file;
 *   the digests are those of its picture
 */
export async function protectLarge(source, secret, options, write, report = () => {}) {
  const { pad = false, preview = null, recipients = [] } = options;
  const { shape, description } = describeFile(source, { pad, preview });
  const size = shape[0] * shape[1];
  require(size > SEGMENT_BYTES, "a file of at most 1 MiB is encrypted as a whole");
  const pieces = async (stage, use) => {
    for (let start = 0; start < size; start += PIECE_BYTES) {
      const piece = zeros(Math.min(PIECE_BYTES, size - start));
      const end = Math.min(start + PIECE_BYTES, source.size);
      if (start < end) piece.set(await readFrom(source, start, end));
      await use(piece, start);
      report(stage, start + piece.length, size);
    }
  };
  const begin = await makeDraft(secret, recipients, report);
  const fields = { ...makeFields(begin, shape, description), rounds: segmentRounds() };
  const digests = [];
  await pieces("digest", async (piece) => digests.push(...(await hashChunks(piece))));
  let change;
  const header = await protectDigests(fields, digests, begin.master, begin.keys, async (key, tag) => {
    change = await makeChange(fields, key, tag);
  });
  const below = await makeRows(header, { shape, dtype: "uint8" });
  const columns = shape[1];
  const rows = shape[0] + below.length / columns;
  await write(concat([PNG_SIGNATURE, ...makeLayoutChunk({ shape: [rows, columns] }, 8), ...makeHeaderChunk(header)]));
  const writer = new StoredWriter(rows * (columns + 1), zeros(2 * storedSize(PIECE_BYTES)));
  const store = async (samples, start) => {
    for (let at = 0; at < samples.length; ) {
      const column = (start + at) % columns;
      if (column === 0) writer.add(Uint8Array.of(0)); // no filter
      const part = samples.subarray(at, at + columns - column);
      writer.add(part);
      at += part.length;
    }
    for (const part of chunk("IDAT", writer.take())) await write(part);
  };
  await pieces("protect", async (piece, start) => {
    await checkDigests(piece, start, digests);
    change(piece, start, false);
    await store(piece, start);
  });
  if (below.length > 0) await store(below, size);
  await write(concat(chunk("IEND", zeros(0))));
  return { name: protectName(source.name), secret: await makeOwnSecret(begin), digests };
}

/**
 * A PNG in which an empty chunk replaces the samples, and the positions of the samples; null for
 * another kind of file, or a PNG with too many other bytes.
 * @returns {Promise<{png: Uint8Array, bodies: number[][]}|null>}
 */
async function scanPng(source) {
  const [parts, bodies] = [[], []];
  let [at, from, aside, before] = [0, 0, 0, ""];
  let window = await readFrom(source, 0, Math.min(PNG_SIGNATURE.length, source.size));
  if (!sameBytes(window, PNG_SIGNATURE)) return null;
  parts.push(window);
  for (at = window.length; before !== "IEND"; ) {
    if (at + 8 > from + window.length) {
      window = await readFrom(source, at, Math.min(at + WINDOW, source.size));
      from = at;
    }
    checkPng(window.length >= 8, "it is cut off");
    const head = window.subarray(at - from, at - from + 8);
    const length = makeView(head).getUint32(0);
    const kind = toLetters(head.subarray(4));
    const end = at + 12 + length;
    checkPng(end <= source.size, "it is cut off");
    if (kind === "IDAT") {
      if (before !== "IDAT") parts.push(...chunk("IDAT", zeros(0)));
      bodies.push([at + 8, length]);
    } else {
      aside += length;
      if (aside > MOST_ASIDE) return null;
      parts.push(await readFrom(source, at, end));
    }
    if (parts.length + bodies.length > MOST_CHUNKS) return null;
    [at, before] = [end, kind];
  }
  return { png: concat(parts), bodies };
}

/** Yield the content of IDAT chunks, and compare their checksums. */
async function* readBodies(source, bodies) {
  for (const [start, length] of bodies) {
    let sum = crc32(utf8("IDAT"));
    for (let at = start; at < start + length; at += SEGMENT_BYTES) {
      const piece = await readFrom(source, at, Math.min(at + SEGMENT_BYTES, start + length));
      sum = crc32(piece, sum);
      yield piece;
    }
    const stated = await readFrom(source, start + length, start + length + 4);
    checkPng(sameBytes(stated, uint32s(sum)), "a checksum is wrong");
  }
}

/**
 * Call `use` with the samples of a gray picture of 8 bits: the first `count` in pieces, the rest at once.
 * @returns {Promise<boolean>} whether they are only stored, in lines without filters, and all of them
 */
async function readSamples(source, bodies, { rows, columns }, count, use) {
  const total = rows * columns;
  const begin = (start) => zeros(start < count ? Math.min(PIECE_BYTES, count - start) : total - start);
  const reader = new StoredReader();
  let [start, filled, place, piece] = [0, 0, 0, begin(0)]; // a place in a line, whose first byte names the filter
  for await (const body of readBodies(source, bodies)) {
    for (const part of reader.read(body)) {
      for (let at = 0; at < part.length; ) {
        if (place === 0) {
          if (part[at++] !== 0 || start === total) return false;
          place = 1;
          continue;
        }
        const some = part.subarray(at, at + Math.min(columns + 1 - place, piece.length - filled));
        piece.set(some, filled);
        filled += some.length;
        at += some.length;
        place = (place + some.length) % (columns + 1);
        if (filled < piece.length) continue;
        await use(piece, start);
        [start, filled] = [start + filled, 0];
        piece = begin(start);
      }
    }
  }
  return reader.whole && start === total;
}

/**
 * Open an encrypted file in segments: read all of it once, and find out whether it is authentic.
 * @param {object} source @param {?Uint8Array} sidecar
 * @returns {Promise<{name: string, type: string, time: ?bigint, size: number, preview: ?Uint8Array,
 *   picture: false, notes: string[], digests: Uint8Array[], writeTo: Function}|null>} `writeTo` reads
 *   it again for a sink; null where only `restore` may restore it, in memory
 */
export async function openLarge(source, sidecar, secrets, report = () => {}) {
  const scanned = await scanPng(source);
  if (scanned === null) return null;
  const { chunks, header } = findHeader(scanned.png, sidecar);
  if (header === null || chunks.some(({ kind }) => ["suRd", "tRNS", "acTL"].includes(kind))) return null;
  const { fields, key } = await opened(header, secrets, report);
  const layout = readLayout(chunks);
  listBodies(chunks);
  const { shape } = fields;
  if (!fields.segment || layout.depth !== 8 || layout.color !== 0 || layout.interlaced || layout.columns !== shape[1]) return null;
  const below = await makeRows(header, fields);
  const hasRows = layout.rows > shape[0];
  if (layout.rows !== shape[0] + (hasRows ? below.length / shape[1] : 0)) return null;
  const tag = unhex(fields.tag);
  const plain = await maskExtras(fields, key, tag);
  const { file, preview = null } = readExtras(plain, fields);
  const change = await makeChange(fields, key, tag);
  const [{ size }, total] = [file, shape[0] * shape[1]];
  const digests = [];
  let ends = true; // in zeros
  const pieces = (stage, told, use) => {
    return readSamples(source, scanned.bodies, layout, total, async (piece, start) => {
      if (start >= total) return checkSameHeader(sameBytes(piece, below));
      change(piece, start, true);
      await use(piece, start);
      told(stage, start + piece.length, total);
    });
  };
  const plainly = await pieces("verify", report, async (piece, start) => {
    digests.push(...(await hashChunks(piece)));
    ends &&= piece.subarray(Math.max(0, size - start)).every((byte) => byte === 0);
  });
  if (!plainly) return null;
  require(sameBytes(await hashTag(plain, digests, key), tag), WRONG);
  require(ends, "samples behind the file are not zero");
  const writeTo = async (write, told = () => {}) => {
    const whole = await pieces("restore", told, async (piece, start) => {
      await checkDigests(piece, start, digests);
      if (start < size) await write(piece.subarray(0, size - start));
    });
    require(whole, CHANGED);
  };
  return { ...describeRestored(file), size, preview, digests, writeTo };
}
