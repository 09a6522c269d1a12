// Write a JPEG with only the segments that viewers need (JPEG, section 9).

import { concat, startsWith, utf8 } from "./bytes.js";
import { fitScan, makeSegment } from "./jpeg_codes.js";

const PLAIN_ADOBE = concat([utf8("Adobe"), Uint8Array.of(0, 100, 0, 0, 0, 0)]);
const PLAIN_JFIF_BODY = concat([utf8("JFIF\0"), Uint8Array.of(1, 1, 0, 0, 1, 0, 1, 0, 0)]);
const KEPT = [0xc0, 0xc1, 0xc2, 0xdd]; // frames and restart intervals
/** How a segment with an EXIF block begins. */
export const EXIF_MARK = utf8("Exif\0\0");
/** How a segment with a piece of a profile begins. */
export const PROFILE_MARK = utf8("ICC_PROFILE\0");

/** Whether a file has a JFIF segment, and the transform in its Adobe segment, or null. */
export function readSigns({ segments }) {
  const first = (wanted, start, least) =>
    segments.find(({ marker, body }) => marker === wanted && body.length >= least && startsWith(body, utf8(start)));
  return { jfif: first(0xe0, "JFIF\0", 14) !== undefined, adobe: first(0xee, "Adobe", 12)?.body[11] ?? null };
}

/** The quantization tables that components use, in one segment. */
function writeSteps({ components }) {
  const tables = new Map();
  for (const { table, steps } of components) {
    if (tables.has(table)) continue;
    const wide = steps.some((step) => step > 255);
    const bytes = wide ? [...steps].flatMap((step) => [step >> 8, step & 255]) : [...steps];
    tables.set(table, Uint8Array.of(16 * wide + table, ...bytes));
  }
  return makeSegment(0xdb, concat([...tables.values()]));
}

/**
 * Write a file of blocks with suitable codes, cleartext metadata, and segments of our header.
 * @param {{exif?: Uint8Array, icc?: Uint8Array}} metadata
 */
export function writeJpeg(jpeg, blocks, metadata = {}, ours = []) {
  const { jfif, adobe } = readSigns(jpeg);
  const parts = [jpeg.file.subarray(0, 2)];
  if (jfif) parts.push(makeSegment(0xe0, PLAIN_JFIF_BODY));
  if (adobe !== null) parts.push(makeSegment(0xee, concat([PLAIN_ADOBE, Uint8Array.of(adobe)])));
  if (metadata.exif) parts.push(makeSegment(0xe1, concat([EXIF_MARK, metadata.exif])));
  if (metadata.icc) parts.push(makeSegment(0xe2, concat([PROFILE_MARK, Uint8Array.of(1, 1), metadata.icc])));
  parts.push(...ours, writeSteps(jpeg));
  let number = 0;
  for (const { marker, start, end } of jpeg.segments) {
    const segment = jpeg.file.subarray(start, end);
    if (marker === 0xda) {
      const { tables, data } = fitScan(jpeg, blocks, jpeg.scans[number++]);
      parts.push(tables, segment, data);
    } else if (KEPT.includes(marker)) {
      parts.push(segment);
    }
  }
  return concat([...parts, Uint8Array.of(0xff, 0xd9)]);
}
