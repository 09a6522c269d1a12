// Bech32 (BIP 173), the form of keys as text (scrambling, section 1).

import { fromLetters, require } from "./bytes.js";

const CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

function polymod(values) {
  let remainder = 1;
  for (const value of values) {
    const top = remainder >>> 25;
    remainder = ((remainder & 0x1ffffff) << 5) ^ value;
    GENERATORS.forEach((generator, bit) => {
      if ((top >> bit) & 1) remainder ^= generator;
    });
  }
  return remainder >>> 0;
}

function expandPrefix(prefix) {
  const codes = fromLetters(prefix);
  return [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)];
}

/** Convert numbers of `from` bits to numbers of `to` bits, and the remaining bits. */
function regroupBits(numbers, from, to) {
  const result = [];
  let bits = 0;
  let count = 0;
  for (const number of numbers) {
    bits = (bits << from) | number;
    count += from;
    for (; count >= to; count -= to) result.push((bits >>> (count - to)) & ((1 << to) - 1));
    bits &= (1 << count) - 1;
  }
  return { result, bits, count };
}

/** Encode bytes as Bech32 in lower case. */
export function toBech32(prefix, data) {
  const { result, bits, count } = regroupBits(data, 8, 5);
  if (count > 0) result.push(bits << (5 - count));
  const remainder = polymod([...expandPrefix(prefix), ...result, 0, 0, 0, 0, 0, 0]) ^ 1;
  const checksum = Array.from({ length: 6 }, (_, i) => (remainder >>> (5 * (5 - i))) & 31);
  return `${prefix}1${[...result, ...checksum].map((group) => CHARSET[group]).join("")}`;
}

/** Decode Bech32 text of any length. @returns {{prefix: string, data: Uint8Array}} */
export function fromBech32(text) {
  const lower = text.toLowerCase();
  require(/^[!-~]+$/.test(text), "a character that no key has");
  require(text === lower || text === text.toUpperCase(), "a key is in upper or in lower case");
  const separator = lower.lastIndexOf("1");
  const prefix = lower.slice(0, separator);
  const groups = Array.from(lower.slice(separator + 1), (letter) => CHARSET.indexOf(letter));
  const whole = separator > 0 && groups.length >= 6 && !groups.includes(-1);
  require(whole && polymod([...expandPrefix(prefix), ...groups]) === 1, "the key has a typing error");
  const { result, bits, count } = regroupBits(groups.slice(0, -6), 5, 8);
  require(count <= 4 && bits === 0, "the key has a typing error");
  return { prefix, data: Uint8Array.from(result) };
}
