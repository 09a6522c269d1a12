// How a redacted picture is shown: what its layers bind besides pixels (redaction 2, section 4).

import { concat, hex, Refused, startsWith, makeView } from "./bytes.js";
import { sha256 } from "./hashing.js";
import { makeSegment } from "./jpeg_codes.js";
import { EXIF_MARK, PROFILE_MARK, readSigns } from "./jpeg_output.js";
import { LARGEST_DENSITY, XMP_START } from "./metadata.js";
import { isTiff } from "./orientation.js";
import { inflateUpTo } from "./zlib.js";

const LARGEST_PROFILE = 16 * 2 ** 20;
const SHOWN_SEGMENTS = [0xc0, 0xc1, 0xc2, 0xdd, 0xda]; // frames, restart intervals and scans

const hashToHex = async (bytes) => (bytes?.length ? hex(await sha256(bytes)) : "-");

/** Exif block, profile, resolution and XMP of a PNG; the first of each that is one counts. */
export async function readPngMetadata(chunks) {
  const metadata = {};
  let samples = false;
  for (const { kind, body } of chunks) {
    samples ||= kind === "IDAT";
    if (kind === "eXIf" && !metadata.exif && body.length >= 8 && isTiff(body)) metadata.exif = body;
    if (kind === "iTXt" && startsWith(body, XMP_START)) metadata.xmp ??= body.subarray(XMP_START.length);
    if (kind === "iCCP" && !samples) metadata.icc ??= await readProfile(body);
    if (kind === "pHYs" && !samples) metadata.resolution ??= readResolution(body);
  }
  return metadata;
}

async function readProfile(body) {
  const end = body.indexOf(0);
  if (end < 1 || end > 79 || body[end + 1] !== 0) return undefined;
  try {
    return await inflateUpTo(body.subarray(end + 2), LARGEST_PROFILE);
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

function readResolution(body) {
  if (body.length !== 9 || body[8] > 1) return undefined;
  const view = makeView(body);
  const sides = [view.getUint32(0), view.getUint32(4)];
  if (!sides.every((side) => side > 0 && side <= LARGEST_DENSITY)) return undefined;
  return [...sides.map(String), body[8] ? "meter" : null];
}

/** The line of text for a PNG. */
export async function describePngManner({ exif, icc, resolution }) {
  const [columns, rows, unit] = resolution ?? [];
  const shown = resolution ? `${columns},${rows},${unit ?? "-"}` : "-";
  return `samples ${await hashToHex(exif)} ${await hashToHex(icc)} ${shown}`;
}

const pickSegments = (segments, marker, start, least) =>
  segments.filter((segment) => segment.marker === marker && startsWith(segment.body, start) && segment.body.length >= least);

/** Exif block and profile of a JPEG. @returns {{exif: Uint8Array, icc: ?Uint8Array}} */
export function readJpegMetadata(segments) {
  const exif = pickSegments(segments, 0xe1, EXIF_MARK, 0).map(({ body }) => body.subarray(EXIF_MARK.length));
  const pieces = pickSegments(segments, 0xe2, PROFILE_MARK, PROFILE_MARK.length + 2).map(({ body }) => body.subarray(PROFILE_MARK.length));
  pieces.sort((one, other) => one[0] - other[0]);
  const complete = pieces.every((piece, i) => piece[0] === i + 1 && piece[1] === pieces.length);
  return { exif: concat(exif), icc: complete ? concat(pieces.map((piece) => piece.subarray(2))) : null };
}

/** The line of text for the segments of a JPEG. */
export async function describeJpegManner(segments) {
  const { exif, icc } = readJpegMetadata(segments);
  const { jfif, adobe } = readSigns({ segments });
  const heads = segments.filter(({ marker }) => SHOWN_SEGMENTS.includes(marker)).map(({ marker, body }) => makeSegment(marker, body));
  return `jpeg ${await hashToHex(exif)} ${await hashToHex(icc)} ${jfif ? "JFIF" : "-"} ${adobe ?? "-"} ${await hashToHex(concat(heads))}`;
}
