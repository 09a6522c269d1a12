// Pictures that the browser decodes: their pixels, and the small previews that are encrypted with files.

import { readBlob, require } from "./bytes.js";

const PREVIEW_FROM = 1_000_000; // pixels; larger pictures, which take long to decode, get a preview
/** Longest sides and qualities, from the best preview to the smallest. */
const PREVIEWS = [[320, 75], [256, 65], [192, 55], [128, 45], [96, 40]];
const MOST_DECODED = 2 ** 27; // pixels

export const CANNOT_DECODE = "this browser cannot show the picture; use the command line";

/** The bitmap of a picture, upright; null if the browser cannot decode it. */
async function decodeBitmap(bytes) {
  if (typeof createImageBitmap !== "function" || typeof OffscreenCanvas !== "function") return null;
  try {
    const bitmap = await createImageBitmap(new Blob([bytes]));
    return bitmap.width * bitmap.height <= MOST_DECODED ? bitmap : null;
  } catch {
    return null;
  }
}

function drawBitmap(bitmap, columns, rows, background = null) {
  const context = new OffscreenCanvas(columns, rows).getContext("2d");
  if (background) {
    context.fillStyle = background;
    context.fillRect(0, 0, columns, rows);
  }
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, 0, 0, columns, rows);
  return context;
}

/** Whether pixels are read exactly; some browsers add noise against fingerprinting. */
function canReadExactly() {
  const context = new OffscreenCanvas(16, 16).getContext("2d");
  const data = Uint8ClampedArray.from({ length: 1024 }, (_, i) => (i % 4 === 3 ? 255 : i * 7));
  context.putImageData(new ImageData(data, 16, 16), 0, 0);
  return context.getImageData(0, 0, 16, 16).data.every((sample, i) => sample === data[i]);
}

/** The visible frame of a picture of any kind, for `cover`; refused if the browser cannot decode it. */
export async function decodeFrame(bytes) {
  const bitmap = await decodeBitmap(bytes);
  require(bitmap !== null, CANNOT_DECODE);
  require(canReadExactly(), "this browser hides what pictures show from pages; use another one, or the command line");
  const { width, height } = bitmap;
  const { data } = drawBitmap(bitmap, width, height).getImageData(0, 0, width, height);
  bitmap.close();
  return { shape: [height, width, 4], dtype: "uint8", data: new Uint8Array(data.buffer) };
}

/** An encoder of small WebP files of a picture, for `makePreview`; null if the browser cannot decode it. */
export async function makeEncoder(bytes) {
  const bitmap = await decodeBitmap(bytes);
  if (bitmap === null) return null;
  const { width, height } = bitmap;
  const code = async (side, quality) => {
    const scale = Math.min(1, side / Math.max(width, height));
    const [columns, rows] = [width, height].map((length) => Math.max(1, Math.round(length * scale)));
    const canvas = drawBitmap(bitmap, columns, rows, "#fff").canvas;
    const blob = await canvas.convertToBlob({ type: "image/webp", quality: quality / 100 });
    return blob.type === "image/webp" ? readBlob(blob) : null;
  };
  return { pixels: width * height, code };
}

/**
 * The preview that is sealed with a file: for large pictures, such that the result is at most a
 * hundredth larger, or as near to that as the smallest one comes; as on the command line.
 * @param {?{pixels: number, code: (side: number, quality: number) => Promise<?Uint8Array>}} picture
 *   upright and on white
 * @returns {Promise<?Uint8Array>}
 */
export async function makePreview(size, picture) {
  if (picture === null || picture.pixels < PREVIEW_FROM) return null;
  // The file also has two copies of the header, and zeros that fill a rectangle; base64 adds a third.
  const room = ((Math.floor(size / 100) - 2800 - Math.floor(Math.sqrt(8 * size))) * 3) / 8;
  let made = null;
  for (const [side, quality] of PREVIEWS) {
    made = await picture.code(side, quality);
    if (made === null || made.length <= room) return made;
  }
  return made;
}
