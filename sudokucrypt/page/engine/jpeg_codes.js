// Huffman tables that fit a scan (JPEG standard, K.2), and files with them.

import { concat } from "./bytes.js";
import { makeTable } from "./jpeg_file.js";

const LONGEST = 16; // bits of a code
const FREE = 256; // the symbol of the code of only ones, which stays unused

/** The depth of each occurring number in the code tree; of equal ones the later are deeper. */
function computeDepths(frequencies) {
  let nodes = [...frequencies.entries()].filter(([, often]) => often > 0).map(([i, often]) => ({ often, first: i, members: [i] }));
  const depths = new Map(nodes.map(({ first }) => [first, 0]));
  const comesFirst = (a, b) => a.often - b.often || b.first - a.first;
  nodes.sort(comesFirst);
  while (nodes.length > 1) {
    const [one, other, ...rest] = nodes;
    const members = [...one.members, ...other.members];
    for (const member of members) depths.set(member, depths.get(member) + 1);
    const joined = { often: one.often + other.often, first: one.first, members };
    const at = rest.findIndex((node) => comesFirst(joined, node) < 0);
    rest.splice(at < 0 ? rest.length : at, 0, joined);
    nodes = rest;
  }
  for (const [symbol, depth] of depths) depths.set(symbol, Math.max(depth, 1));
  return depths;
}

/** The table that codes symbols of these frequencies in the fewest bits. */
function fitTable(frequencies) {
  const depths = computeDepths([...frequencies, 1]);
  const counts = new Array(Math.max(LONGEST, ...depths.values()) + 1).fill(0);
  for (const depth of depths.values()) counts[depth]++;
  for (let depth = counts.length - 1; depth > LONGEST; depth--) {
    while (counts[depth] > 0) {
      let shorter = depth - 2;
      while (counts[shorter] === 0) shorter--;
      counts[depth] -= 2;
      counts[depth - 1]++;
      counts[shorter + 1] += 2;
      counts[shorter]--;
    }
  }
  const used = counts.slice(1, LONGEST + 1);
  used[used.findLastIndex((count) => count > 0)]--; // the unused code
  depths.delete(FREE);
  const symbols = [...depths].sort(([a, m], [b, n]) => m - n || a - b).map(([symbol]) => symbol);
  return makeTable(Uint8Array.from(used), Uint8Array.from(symbols));
}

/** A segment with its length. */
export function makeSegment(marker, body) {
  const length = body.length + 2;
  return concat([Uint8Array.of(0xff, marker, length >> 8, length & 255), body]);
}

/** The tables and the coded data of a scan of blocks; its segment goes between them. */
export function fitScan(jpeg, blocks, scan) {
  const counts = blocks.count(jpeg, scan);
  const made = new Map();
  const tableOf = (id, kind) => {
    const number = 16 * kind + id;
    if (!made.has(number)) made.set(number, fitTable(counts.subarray(256 * (4 * kind + id)).subarray(0, 256)));
    return made.get(number);
  };
  // Tables for means come first, as in the package.
  const fitted = [0, 1].map((kind) => scan.coders.map(({ ids, tables }) => tables[kind] && tableOf(ids[kind], kind)));
  const coders = scan.coders.map((coder, i) => ({ ...coder, tables: [fitted[0][i], fitted[1][i]] }));
  const body = concat([...made].flatMap(([number, { counts: lengths, symbols }]) => [Uint8Array.of(number), lengths, symbols]));
  const data = blocks.code(jpeg, { ...scan, coders }, { padding: [], breaks: [], strays: new Map() });
  return { tables: body.length > 0 ? makeSegment(0xc4, body) : body, data };
}
