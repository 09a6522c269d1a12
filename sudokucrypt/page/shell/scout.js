// The header in a protected file of which as little as possible is read.

import { toLetters, makeView } from "../engine/bytes.js";

const FIRST_BYTES = 65536; // bytes that are read first: enough for most headers with a preview
const MOST_HOPS = 24; // chunks after the first bytes that are looked at: photographs have thousands
export const MOST_HEADER = 2 ** 25;
const HEADER_WORD = "sudokucrypt\0\0\0\0\0";
const LAYERS_MARK = "sudokucrypt redaction\0";

const readText = (bytes, at, length) => toLetters(bytes.subarray(at, at + length));

/**
 * Recognize a protected file by its first bytes, and by the heads of its parts.
 * @param {(first: number, end: number) => Promise<Uint8Array>} read
 * @returns {Promise<{header: Uint8Array|null, covered: boolean}|null>} null if it is not protected;
 *   a JPEG has no header that could be opened without the rest
 */
export async function scoutFile(size, read) {
  const start = await read(0, Math.min(size, FIRST_BYTES));
  const piece = async (first, end) => (end <= start.length ? start.subarray(first, end) : read(first, end));
  if (readText(start, 0, 8) === "\x89PNG\r\n\x1a\n") return scoutPng(size, start.length, piece);
  if (start[0] === 0xff && start[1] === 0xd8) return scoutJpeg(start);
  return null;
}

async function scoutPng(size, known, piece) {
  let hops = 0;
  for (let at = 8; at + 12 <= size && hops < MOST_HOPS; ) {
    if (at + 8 > known) hops++;
    const head = await piece(at, at + 8);
    const [length, kind] = [makeView(head).getUint32(0), readText(head, 4, 4)];
    const end = at + 8 + length;
    if (kind === "suRd") return { header: null, covered: true };
    if (kind === "iTXt" && length > HEADER_WORD.length && length < MOST_HEADER) {
      const word = await piece(at + 8, at + 8 + HEADER_WORD.length);
      if (readText(word, 0, HEADER_WORD.length) === HEADER_WORD) {
        return { header: await piece(at + 8 + HEADER_WORD.length, end), covered: false };
      }
    }
    at = end + 4;
  }
  return null;
}

/** Look for our segment before the first scan, in the first bytes only: covered, or scrambled. */
function scoutJpeg(start) {
  for (let at = 2; at + 4 <= start.length && start[at] === 0xff && start[at + 1] !== 0xda; ) {
    const text = readText(start, at + 4, LAYERS_MARK.length);
    if (start[at + 1] === 0xeb && text.startsWith("sudokucrypt")) return { header: null, covered: text === LAYERS_MARK };
    at += 2 + ((start[at + 2] << 8) | start[at + 3]);
  }
  return null;
}
