// PNG files, of protected pictures and of restored ones.

import { concat, Refused, require, uint32s, utf8 } from "./bytes.js";
import { crc32 } from "./checksums.js";
import { metadataChunks } from "./metadata.js";
import { HEADER_KEYWORD, PNG_SIGNATURE, readChunks } from "./png_reader.js";
import { deflated, stored, streamBytes } from "./zlib.js";

const COLOR_TYPES = new Map([["gray", 0], ["rgb", 2], ["palette", 3], ["gray-alpha", 4], ["rgba", 6]]);

/** The parts of a chunk. @returns {Uint8Array[]} */
function chunk(kind, body) {
  const content = concat([utf8(kind), body]);
  return [uint32s(body.length), content, uint32s(crc32(content))];
}

/** Lines of samples, lowest byte first, as PNG stores them, each after the filter "none". */
function linesOf({ shape, dtype, data }, depth) {
  const [rows, columns, channels = 1] = shape;
  const line = Math.ceil((columns * channels * depth) / 8);
  const lines = new Uint8Array(rows * (line + 1));
  for (let row = 0; row < rows; row++) {
    const start = row * (line + 1) + 1;
    if (depth < 8) {
      for (let c = 0; c < columns; c++) {
        const bit = c * depth;
        lines[start + (bit >> 3)] |= data[row * columns + c] << (8 - depth - (bit & 7));
      }
    } else {
      lines.set(data.subarray(row * line, (row + 1) * line), start);
    }
    if (dtype === "uint16") {
      for (let i = start; i < start + line; i += 2) [lines[i], lines[i + 1]] = [lines[i + 1], lines[i]];
    }
  }
  return lines;
}

/** Filter lines of whole bytes with Up, which shortens photographs by about a third. */
function filterUp(lines, rows) {
  const stride = lines.length / rows;
  for (let row = rows - 1; row > 0; row--) {
    const start = row * stride;
    lines[start] = 2;
    for (let i = start + 1; i < start + stride; i++) lines[i] -= lines[i - stride];
  }
  return lines;
}

function layoutChunk({ shape: [rows, columns] }, depth, mode) {
  const end = Uint8Array.of(depth, COLOR_TYPES.get(mode), 0, 0, 0);
  return chunk("IHDR", concat([uint32s(columns, rows), end]));
}

/** A protected picture as PNG: its noise, and the header in a chunk. @returns {Uint8Array} */
export function protectedPng(frame, header) {
  const channels = frame.shape[2] ?? 1;
  const depth = frame.dtype === "uint16" ? 16 : 8;
  const text = concat([HEADER_KEYWORD, new Uint8Array(4), header]);
  return concat([
    PNG_SIGNATURE,
    ...layoutChunk(frame, depth, ["gray", "gray-alpha", "rgb", "rgba"][channels - 1]),
    ...chunk("iTXt", text),
    ...chunk("IDAT", stored(linesOf(frame, depth))),
    ...chunk("IEND", new Uint8Array(0)),
  ]);
}

/** Bits of a sample in a PNG of a frame. */
function depthOf({ dtype }, { bits }) {
  const depth = { bool: 1, uint8: bits ?? 8, uint16: 16 }[dtype];
  require(depth, `the page saves no samples of type ${dtype}; use the command line`);
  return depth;
}

/** The chunks PLTE and tRNS that a described frame needs. */
function meaningChunks({ palette, transparent }, palettes) {
  if (palette !== undefined) {
    const { colors, alphas } = palettes[palette];
    return [...chunk("PLTE", colors), ...(alphas ? chunk("tRNS", alphas) : [])];
  }
  if (!transparent) return [];
  return chunk("tRNS", Uint8Array.from(transparent.flatMap((value) => [(value >> 8) & 255, value & 255])));
}

/** The chunk fcTL of a frame of an animation. */
function controlChunk(sequence, { shape: [rows, columns] }, { place = [0, 0], showing }) {
  const [numerator, denominator = "1"] = showing[0].split("/");
  const times = [Number(numerator), Number(denominator)];
  require(Math.max(...times) < 65536, "the page saves no frames that are shown so long");
  const delay = uint32s(times[0] * 65536 + times[1]);
  const end = Uint8Array.of(...delay, showing[1], showing[2]);
  return chunk("fcTL", concat([uint32s(sequence, columns, rows, place[1], place[0]), end]));
}

/** A still PNG whose samples are only stored, deflated. @returns {Promise<Uint8Array>} */
export async function compact(bytes) {
  const chunks = readChunks(bytes);
  const pieces = chunks.filter(({ kind }) => kind === "IDAT").map(({ body }) => body);
  const plain = new Blob(pieces).stream().pipeThrough(new DecompressionStream("deflate"));
  const samples = await streamBytes(plain.pipeThrough(new CompressionStream("deflate")));
  const parts = [PNG_SIGNATURE];
  for (const { kind, body } of chunks) {
    if (kind !== "IDAT") parts.push(...chunk(kind, body));
    else if (body === pieces[0]) parts.push(...chunk("IDAT", samples));
  }
  return concat([...parts, ...chunk("IEND", new Uint8Array(0))]);
}

/**
 * A restored picture as PNG, with the meaning and the metadata that its description gives. The
 * samples of a still one are only stored: to be shown, it need not be short.
 * @param {object|null} description
 * @returns {Promise<Uint8Array>}
 */
export async function plainPng(frames, description) {
  const modes = ["gray", "gray-alpha", "rgb", "rgba"];
  const of = description?.frames ?? [{ mode: modes[(frames[0].shape[2] ?? 1) - 1] }];
  const { animation, format = "PNG", palettes = [] } = description ?? {};
  const possible = COLOR_TYPES.has(of[0].mode) && (frames.length === 1 || (animation && format === "PNG"));
  if (!possible) throw new Refused(`the page saves no such ${format} picture; use the command line`);
  const depth = depthOf(frames[0], of[0]);
  const { first, before, behind } = metadataChunks(of[0].metadata ?? {});
  const made = (list) => list.flatMap(({ kind, body }) => chunk(kind, body));
  const parts = [PNG_SIGNATURE, ...layoutChunk(frames[0], depth, of[0].mode), ...made(first)];
  parts.push(...meaningChunks(of[0], palettes), ...made(before));
  const shown = of.filter(({ showing }) => showing).length;
  if (animation) parts.push(...chunk("acTL", uint32s(shown, animation.loops ?? 0)));
  let sequence = 0;
  for (const [i, frame] of frames.entries()) {
    const lines = linesOf(frame, depth);
    const useful = depth >= 8 && of[i].palette === undefined;
    const filtered = useful ? filterUp(lines, frame.shape[0]) : lines;
    const samples = animation ? await deflated(filtered) : stored(filtered);
    if (of[i].showing) parts.push(...controlChunk(sequence++, frame, of[i]));
    if (i === 0) parts.push(...chunk("IDAT", samples));
    else parts.push(...chunk("fdAT", concat([uint32s(sequence++), samples])));
  }
  return concat([...parts, ...made(behind), ...chunk("IEND", new Uint8Array(0))]);
}
