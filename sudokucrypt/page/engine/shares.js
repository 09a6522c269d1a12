// Shares of a key, joined (key shares, sections 1 to 3).

import { fromBech32 } from "./bech32.js";
import { hex, require, sameBytes, zeros } from "./bytes.js";

const SHARE_PREFIX = "sudokucrypt-key-share-";
const SPLIT_AT = 3;
const VALUE_AT = 19;
const SHARE_BYTES = 51;

/** The product of two elements of GF(256), of which the second is public. */
function multiply(element, factor) {
  let product = 0;
  for (; factor > 0; factor >>= 1) {
    product ^= element * (factor & 1);
    element = ((element << 1) ^ ((element >> 7) * 0x11b)) & 255;
  }
  return product;
}

const multiplyAll = (numbers) => numbers.reduce((product, number) => multiply(product, number), 1);
const invert = (number) => multiplyAll(Array(254).fill(number));

/** The value at a number of the polynomials through shares with other numbers. */
function interpolate(shares, number) {
  const value = zeros(32);
  for (const own of shares) {
    const others = shares.filter((share) => share !== own).map((share) => share.number);
    const below = multiplyAll(others.map((other) => own.number ^ other));
    const weight = multiply(multiplyAll(others.map((other) => number ^ other)), invert(below));
    own.value.forEach((byte, i) => (value[i] ^= multiply(byte, weight)));
  }
  return value;
}

/** Whether a line is the text of a share. */
export const isShare = (line) => line.toLowerCase().startsWith(SHARE_PREFIX);

function parseShare(line) {
  const { prefix, data } = fromBech32(line);
  const [version, needed, number] = data;
  require(prefix === SHARE_PREFIX && data.length === SHARE_BYTES, "this is no share of a key");
  require(version === 1 && needed > 1 && number > 0, "the share of a key is damaged, or of a newer version");
  return { needed, number, split: hex(data.subarray(SPLIT_AT, VALUE_AT)), value: data.subarray(VALUE_AT) };
}

/** The key of which these texts are shares. @param {string[]} lines @returns {Uint8Array} */
export function joinShares(lines) {
  const given = lines.map(parseShare);
  const splits = new Set(given.map(({ needed, split }) => `${needed} ${split}`));
  require(splits.size < 2, "the shares are of several splits: every split of a key has shares of its own");
  const found = new Map();
  for (const share of given) {
    const same = sameBytes((found.get(share.number) ?? share).value, share.value);
    require(same, `two shares have the number ${share.number}, and differ`);
    found.set(share.number, share);
  }
  const shares = [...found.values()];
  const [{ needed } = { needed: 2 }] = shares;
  require(shares.length >= needed, `${needed} shares of the key are needed, and there are only ${shares.length}`);
  const points = shares.slice(0, needed);
  const agree = shares.slice(needed).every(({ number, value }) => sameBytes(interpolate(points, number), value));
  require(agree, "the shares contradict each other: at least one of them was changed");
  return interpolate(points, 0);
}
