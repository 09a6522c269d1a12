// The orientation in EXIF, and the turns that make a picture upright, as in the package.

import { hex, startsWith, unhex, utf8, makeView } from "./bytes.js";

const SIZES_OF_KINDS = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 129: 1 }; // bytes of a value
const SHORT = 3;
const ORIENTATION = 274;
const MOST_READ = 4;
const INTEGER_KINDS = [1, 3, 4, 13];
// Tags that lead to other directories: those of the shot, of how programs work together, of the place.
const EXIF_BRANCHES = new Map([[34665, new Map([[40965, new Map()]])], [34853, new Map()]]);
const ONE_ORIENTATION = unhex("49492a0008000000010012010300010000000000000000000000");

/** Swapped sides, then reversed rows and columns, for each of EXIF's numbers. */
const TURNS = [
  [false, false, false], [false, false, true], [false, true, true], [false, true, false],
  [true, false, false], [true, false, true], [true, true, true], [true, true, false],
];

/** Reads directories; a block with values outside of it, or with much overlap, is refused. */
class Directories {
  constructor(block) {
    this.view = makeView(block);
    this.little = block[0] === 0x49;
    this.readable = MOST_READ * block.length - 4; // of which 4 bytes are the first position
  }

  number(at, size) {
    if (size === 1) return this.view.getUint8(at);
    return size === 2 ? this.view.getUint16(at, this.little) : this.view.getUint32(at, this.little);
  }

  /** Type, count and position of the values of each occurrence of each tag. */
  tags(position) {
    const found = new Map();
    const count = this.number(position, 2);
    for (let i = 0, at = position + 2; i < count; i++, at += 12) {
      const [tag, kind, length] = [this.number(at, 2), this.number(at + 2, 2), this.number(at + 4, 4)];
      const size = SIZES_OF_KINDS[kind] * length;
      const start = size > 4 ? this.number(at + 8, 4) : at + 8;
      if (!(SIZES_OF_KINDS[kind] > 0) || start + size > this.view.byteLength) throw new RangeError("a tag beyond the block");
      found.set(tag, [...(found.get(tag) ?? []), { kind, start, size }]);
    }
    this.number(position + 2 + 12 * count, 4);
    this.readable -= 6 + 12 * count + [...found.values()].flat().reduce((sum, { size }) => sum + size, 0);
    if (this.readable < 0) throw new RangeError("values that overlap");
    return found;
  }

  checkBranches(tags, branches) {
    for (const [tag, deeper] of branches) {
      if (!tags.has(tag)) continue;
      const [{ kind, start, size }, ...more] = tags.get(tag);
      const single = more.length === 0 && INTEGER_KINDS.includes(kind) && size === SIZES_OF_KINDS[kind];
      if (!single) throw new RangeError("a directory that is nowhere");
      this.checkBranches(this.tags(this.number(start, size)), deeper);
    }
  }
}

/** Whether bytes begin like a TIFF, as an EXIF block does. */
export function isTiff(data) {
  return ["II*\0", "MM\0*"].some((start) => startsWith(data, utf8(start)));
}

/** The orientation in an EXIF block, 1 to 8; 1 if there is none. */
export function readOrientation(exif) {
  if (!exif || !isTiff(exif)) return 1;
  try {
    const directories = new Directories(exif);
    const first = directories.number(4, 4);
    if (first === 0) return 1;
    const tags = directories.tags(first);
    directories.checkBranches(tags, EXIF_BRANCHES);
    const [{ kind, start, size } = {}] = tags.get(ORIENTATION) ?? [];
    if (kind !== SHORT) return 1;
    const bytes = exif.slice(start, start + size); // one number, as in the package, however long
    const value = parseInt(hex(directories.little ? bytes.reverse() : bytes), 16);
    return value > 0 && value < 9 ? value : 1;
  } catch (error) {
    if (error instanceof RangeError) return 1;
    throw error;
  }
}

/** An EXIF block with only an orientation; null for an upright picture. */
export function writeOrientation(orientation) {
  if (orientation === 1) return null;
  const block = ONE_ORIENTATION.slice();
  block[18] = orientation;
  return block;
}

/** The stored rectangle for a rectangle of the upright picture, given its rows and columns. */
export function unturnRectangle([row, column, rows, columns], orientation, [height, width]) {
  const [swapped, reversesRows, reversesColumns] = TURNS[orientation - 1];
  const [shownHeight, shownWidth] = swapped ? [width, height] : [height, width];
  const top = reversesRows ? shownHeight - row - rows : row;
  const left = reversesColumns ? shownWidth - column - columns : column;
  return swapped ? [left, top, columns, rows] : [top, left, rows, columns];
}

/** Rows and columns of a picture as it is shown. */
export function turnSides([rows, columns], orientation) {
  return TURNS[orientation - 1][0] ? [columns, rows] : [rows, columns];
}
