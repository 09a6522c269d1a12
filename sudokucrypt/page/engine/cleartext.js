// The cleartext metadata of a redacted picture: its orientation, one of the usual color profiles, and a
// resolution. They are generated from these values, so that nothing can hide in them.

import { concat, toLetters, uint32s, utf8, makeView, zeros } from "./bytes.js";
import { readOrientation, writeOrientation } from "./orientation.js";

const MOST_SHOWN = 10 ** 6; // pixels a meter, or parts of a ratio
const LEAST_PROFILE_BYTES = 132;
const MOST_PROFILE_BYTES = 4 * 2 ** 20;
const MOST_PROFILE_TAGS = 100;
const ONE = 0x10000; // the number 1 with 16 fractional bits
const D50 = [0xf6d6, ONE, 0xd32d];
const ADAPTATION = [1.0479, 0.0229, -0.0502, 0.0296, 0.9904, -0.0171, -0.0093, 0.0151, 0.7519]; // from D65
const COLORANTS = ["rXYZ", "gXYZ", "bXYZ"];
const CURVES = { "RGB ": ["rTRC", "gTRC", "bTRC"], GRAY: ["kTRC"] };
const COLORANT_TOLERANCE = 0.003;
const CURVE_TOLERANCE = 0.0025;
const CURVE_INPUTS = Array.from({ length: 33 }, (_, i) => i / 32);
const SRGB_CURVE = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045];
/** Usual color spaces: name, colorants, parameters of the curve, and whether the white point is D65. */
const SPACES = [
  ["sRGB", [0.4361, 0.2225, 0.0139, 0.3851, 0.7169, 0.0971, 0.1431, 0.0606, 0.7141], SRGB_CURVE, true],
  ["Display P3", [0.5151, 0.2412, -0.0011, 0.292, 0.6922, 0.0419, 0.1571, 0.0666, 0.7841], SRGB_CURVE, true],
  ["Adobe RGB (1998)", [0.6097, 0.3111, 0.0195, 0.2053, 0.6257, 0.0609, 0.1492, 0.0632, 0.7446], [2 + 51 / 256], true],
  ["ProPhoto RGB", [0.7977, 0.288, 0, 0.1352, 0.7119, 0, 0.0313, 0.0001, 0.8249], [1.8], false],
  ["Gray, gamma 2.2", [], [2.2], false],
  ["Gray, gamma 1.8", [], [1.8], false],
  ["Gray, curve of sRGB", [], SRGB_CURVE, false],
];

/** The tags of a profile, or null if it is damaged or has tables of colors. */
function readTags(profile) {
  const sized = profile.length >= LEAST_PROFILE_BYTES && profile.length <= MOST_PROFILE_BYTES;
  if (!sized || toLetters(profile.subarray(36, 40)) !== "acsp") return null;
  const view = makeView(profile);
  const count = view.getUint32(128);
  if (count > MOST_PROFILE_TAGS || 132 + 12 * count > profile.length) return null;
  const tags = new Map();
  for (let at = 132; at < 132 + 12 * count; at += 12) {
    const start = view.getUint32(at + 4);
    tags.set(toLetters(profile.subarray(at, at + 4)), profile.subarray(start, start + view.getUint32(at + 8)));
  }
  return tags.has("A2B0") ? null : tags;
}

function readIntegers(data) {
  const view = makeView(data);
  return Array.from({ length: data.length >> 2 }, (_, i) => view.getInt32(4 * i) / ONE);
}

function readColorant(value) {
  return value?.length === 20 && toLetters(value.subarray(0, 4)) === "XYZ " ? readIntegers(value.subarray(8)) : null;
}

/** The values of a curve with these parameters at all inputs: (a x + b)^g, or c x below d. */
function transfer([gamma, scale = 1, offset = 0, slope = 0, threshold = 0]) {
  return CURVE_INPUTS.map((x) => (slope * x < slope * threshold ? slope * x : Math.max(scale * x + offset, 0) ** gamma));
}

function sampleCurve(value) {
  const kind = value ? toLetters(value.subarray(0, 4)) : "";
  if (kind === "para" && value.length >= 12) {
    const count = { 0: 1, 3: 5 }[value[9]];
    return value.length === 12 + 4 * count ? transfer(readIntegers(value.subarray(12))) : null;
  }
  if (kind !== "curv" || value.length < 12) return null;
  const view = makeView(value);
  const count = view.getUint32(8);
  if (value.length !== 12 + 2 * count) return null;
  if (count <= 1) return transfer([count ? view.getUint16(12) / 256 : 1]);
  return CURVE_INPUTS.map((x) => {
    const left = Math.min(Math.floor(x * (count - 1)), count - 2);
    const [one, other] = [left, left + 1].map((i) => view.getUint16(12 + 2 * i) / 0xffff);
    return one + (other - one) * (x * (count - 1) - left);
  });
}

const areNear = (numbers, others, tolerance) => numbers.every((number, i) => Math.abs(number - others[i]) <= tolerance);

/** A new profile of the same color space, or null if that is not a usual one. */
function rewriteProfile(profile) {
  const tags = profile ? readTags(profile) : null;
  const kind = tags && toLetters(profile.subarray(16, 20));
  const names = CURVES[kind] ?? [];
  const curves = names.map((name) => sampleCurve(tags.get(name)));
  const colorants = kind === "RGB " ? COLORANTS.map((name) => readColorant(tags.get(name))) : [];
  if (names.length === 0 || [...curves, ...colorants].includes(null)) return null;
  const numbers = colorants.flat();
  const space = SPACES.find(([, expected, parameters]) => {
    const wanted = transfer(parameters);
    const same = expected.length === numbers.length && curves.every((curve) => areNear(curve, wanted, CURVE_TOLERANCE));
    return same && areNear(numbers, expected, COLORANT_TOLERANCE);
  });
  return space ? writeProfile(space) : null;
}

/** Round to the nearest integer, and halves to the even one, as Python does. */
export function roundToEven(number) {
  const below = Math.floor(number);
  const rest = number - below;
  return rest < 0.5 || (rest === 0.5 && below % 2 === 0) ? below : below + 1;
}

const toFixed = (numbers) => uint32s(...numbers.map((number) => roundToEven(number * ONE)));
const packXyz = (words) => concat([utf8("XYZ \0\0\0\0"), words]);

function packText(text) {
  const letters = Uint8Array.from([...text].flatMap((letter) => [0, letter.charCodeAt(0)]));
  return concat([utf8("mluc\0\0\0\0"), uint32s(1, 12), utf8("enUS"), uint32s(letters.length, 28), letters]);
}

function writeProfile([name, colorants, parameters, daylight]) {
  const kind = colorants.length ? "RGB " : "GRAY";
  const curve = concat([utf8("para\0\0\0\0"), Uint8Array.of(0, parameters.length > 1 ? 3 : 0, 0, 0), toFixed(parameters)]);
  const tags = [["desc", packText(name)], ["cprt", packText("CC0")], ["wtpt", packXyz(uint32s(...D50))]];
  for (let i = 0; i < colorants.length; i += 3) tags.push([COLORANTS[i / 3], packXyz(toFixed(colorants.slice(i, i + 3)))]);
  tags.push(...CURVES[kind].map((tag) => [tag, curve]));
  if (daylight) tags.push(["chad", concat([utf8("sf32\0\0\0\0"), toFixed(ADAPTATION)])]);
  const start = 132 + 12 * tags.length;
  const [entries, values, places] = [[], [], new Map()];
  let length = 0;
  for (const [tag, value] of tags) {
    const same = toLetters(value); // equal values are written once
    if (!places.has(same)) {
      const padded = zeros(4 * Math.ceil(value.length / 4));
      padded.set(value);
      values.push(padded);
      places.set(same, length);
      length += padded.length;
    }
    entries.push(utf8(tag), uint32s(start + places.get(same), value.length));
  }
  const head = zeros(132);
  const view = makeView(head);
  view.setUint32(0, start + length);
  view.setUint32(8, 0x04300000);
  head.set(utf8(`mntr${kind}XYZ `), 12);
  [2000, 1, 1].forEach((number, i) => view.setUint16(24 + 2 * i, number)); // a fixed date
  head.set(utf8("acsp"), 36);
  D50.forEach((number, i) => view.setUint32(68 + 4 * i, number));
  view.setUint32(128, tags.length);
  return concat([head, ...entries, ...values]);
}

/** The metadata that can be read without a key: exif, icc, and for a PNG a resolution. */
export function pickCleartext({ exif, icc, resolution }) {
  const usual = resolution?.slice(0, 2).every((side) => Number(side) > 0 && Number(side) <= MOST_SHOWN);
  return {
    exif: writeOrientation(readOrientation(exif)),
    icc: rewriteProfile(icc),
    resolution: usual ? resolution : null,
  };
}
