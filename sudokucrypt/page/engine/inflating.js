// Read deflated data synchronously (RFC 1951): for the core of the page, and costs of PNG lines.

import { require } from "./bytes.js";

const LENGTH_BASES = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
const CODE_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const LONGEST_CODE = 15; // bits
const HEAD_BITS = 16; // of zlib

/** Refuse a stream that ends early, or has another form. */
export const checkDeflated = (valid) => require(valid, "the picture is damaged: its samples cannot be inflated");

/** For each value of 15 bits, 16 times the symbol of its first code, plus the length; 0 for no code. */
function makeLookup(lengths) {
  const lookup = new Uint16Array(2 ** LONGEST_CODE);
  for (let length = 1, code = 0; length <= LONGEST_CODE; length++, code <<= 1) {
    for (let symbol = 0; symbol < lengths.length; symbol++) {
      if (lengths[symbol] !== length) continue;
      let reversed = 0;
      for (let bit = 0; bit < length; bit++) reversed |= ((code >> bit) & 1) << (length - 1 - bit);
      for (; reversed < lookup.length; reversed += 2 ** length) lookup[reversed] = (symbol << 4) | length;
      code++;
    }
  }
  return lookup;
}

const repeat = (value, count) => new Array(count).fill(value);

/** Reads a zlib stream, and calls `take` and `repeat` for its symbols. Its checksum is ignored. */
export class DeflateReader {
  constructor(data) {
    Object.assign(this, { data, at: HEAD_BITS });
  }

  /** Return at least the next 15 bits, the first one lowest. */
  #peek() {
    const { data, at } = this;
    const byte = at >> 3;
    return (data[byte] | (data[byte + 1] << 8) | (data[byte + 2] << 16)) >> (at & 7);
  }

  #bits(count) {
    const value = this.#peek() & (2 ** count - 1);
    this.at += count;
    return value;
  }

  #symbol(lookup) {
    const entry = lookup[this.#peek() & (2 ** LONGEST_CODE - 1)];
    this.at += entry & 15;
    checkDeflated(entry !== 0 && this.at <= 8 * this.data.length);
    return entry >> 4;
  }

  #tables() {
    const [literals, distances, codes] = [this.#bits(5) + 257, this.#bits(5) + 1, this.#bits(4) + 4];
    const lengths = repeat(0, 19);
    for (let i = 0; i < codes; i++) lengths[CODE_ORDER[i]] = this.#bits(3);
    const [lookup, list] = [makeLookup(lengths), []];
    while (list.length < literals + distances) {
      const symbol = this.#symbol(lookup);
      if (symbol < 16) list.push(symbol);
      else if (symbol === 16) list.push(...repeat(list.at(-1), 3 + this.#bits(2)));
      else list.push(...repeat(0, symbol === 17 ? 3 + this.#bits(3) : 11 + this.#bits(7)));
    }
    return [makeLookup(list.slice(0, literals)), makeLookup(list.slice(literals))];
  }

  #coded([literals, distances]) {
    for (;;) {
      const symbol = this.#symbol(literals);
      if (symbol === 256) return;
      if (symbol < 256) {
        this.take(symbol);
        continue;
      }
      const i = symbol - 257;
      const length = LENGTH_BASES[i] + this.#bits(i < 8 || i === 28 ? 0 : (i - 4) >> 2);
      const k = this.#symbol(distances);
      const more = k < 4 ? 0 : (k >> 1) - 1;
      const base = k < 4 ? k : (2 + (k & 1)) << more;
      this.repeat(length, base + 1 + this.#bits(more));
    }
  }

  #stored() {
    this.at = 8 * Math.ceil(this.at / 8);
    let left = this.#bits(8) | (this.#bits(8) << 8);
    this.at += 16;
    for (; left > 0 && this.at < 8 * this.data.length; left--) this.take(this.#bits(8));
  }

  /** Read all blocks. */
  run() {
    for (let last = 0; last === 0; ) {
      checkDeflated(this.at < 8 * this.data.length); // zeros after the end would be blocks without end
      last = this.#bits(1);
      const kind = this.#bits(2);
      if (kind === 0) this.#stored();
      else if (kind === 1) this.#coded([[...repeat(8, 144), ...repeat(9, 112), ...repeat(7, 24), ...repeat(8, 8)], repeat(5, 30)].map(makeLookup));
      else this.#coded(this.#tables());
    }
  }
}

class Inflater extends DeflateReader {
  bytes = [];

  take(byte) {
    this.bytes.push(byte);
  }

  repeat(length, distance) {
    for (; length > 0; length--) this.bytes.push(this.bytes.at(-distance));
  }
}

/** The inflated bytes of a short stream. */
export function inflateNow(data) {
  const inflater = new Inflater(data);
  inflater.run();
  return Uint8Array.from(inflater.bytes);
}
