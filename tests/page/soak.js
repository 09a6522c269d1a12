// Changed files, albums and folders through the engine, in Node. Each is refused in words, or gives
// the result of the original file. Its argument: bases {kind, file, sidecar, more}, keys, seed
// and count; it returns faults, the most CPU time of a call and the largest memory.

import { hex, Refused, unhex } from "./engine/bytes.js";
import { crc32 } from "./engine/checksums.js";
import { restore, SampleBudget } from "./engine/engine.js";
import { sha256 } from "./engine/hashing.js";
import { isJpeg } from "./engine/jpeg_file.js";
import { makePassphrase, readSecrets } from "./engine/keys.js";
import { readChunks, readPng } from "./engine/png_reader.js";
import { expandAlbums } from "./shell/album.js";
import { makeZip } from "./shell/zip.js";

const LONGEST = 60_000; // milliseconds: what takes longer never ends
const faults = [];
process.on("unhandledRejection", (error) => faults.push(`unhandled: ${error?.stack ?? error}`));

let state = argument.seed;
/** A number below a bound, the same in each run of a seed. */
const drawBelow = (bound) => {
  state = (state + 0x6d2b79f5) | 0;
  let x = Math.imul(state ^ (state >>> 15), state | 1);
  x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
  return ((x ^ (x >>> 14)) >>> 0) % bound;
};

const joinBytes = (...parts) => new Uint8Array(Buffer.concat(parts));

/** Correct the checksums of all chunks of a PNG, so that their content is read. */
const repairChecksums = (data) => {
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  for (let at = 8; at + 12 <= data.length; ) {
    const length = view.getUint32(at);
    const end = at + 8 + length;
    if (end + 4 > data.length) return;
    view.setUint32(end, crc32(data.subarray(at + 4, end)));
    at = end + 4;
  }
};

const changeDigit = (data) => {
  const places = [];
  const start = drawBelow(data.length);
  for (let i = start; i < Math.min(start + 4000, data.length); i++) if (data[i] > 47 && data[i] < 58) places.push(i);
  if (places.length) data[places[drawBelow(places.length)]] = 48 + drawBelow(10);
  return data;
};

const CHANGES = [
  (data) => { data[drawBelow(data.length)] ^= 1 << drawBelow(8); return data; },
  (data) => { data[drawBelow(Math.min(data.length, 300))] = drawBelow(256); return data; },
  (data) => data.slice(0, drawBelow(data.length)),
  (data) => { const at = drawBelow(data.length); return joinBytes(data.subarray(0, at), data.subarray(at + 1 + drawBelow(40))); },
  (data) => { const at = drawBelow(data.length); return joinBytes(data.subarray(0, at), Uint8Array.from({ length: 1 + drawBelow(40) }, () => drawBelow(256)), data.subarray(at)); },
  (data) => { const [a, b] = [drawBelow(data.length), drawBelow(data.length)].sort((x, y) => x - y); return joinBytes(data.subarray(0, b), data.subarray(a)); },
  (data) => { const at = drawBelow(data.length); data.fill([0, 255][drawBelow(2)], at, at + 1 + drawBelow(64)); return data; },
  (data) => { const at = drawBelow(Math.max(1, data.length - 4)); new DataView(data.buffer, data.byteOffset).setUint32(Math.min(at, data.length - 4), [0, 2 ** 31 - 1, 2 ** 32 - 1, drawBelow(70000)][drawBelow(4)]); return data; },
  changeDigit,
  changeDigit,
];

const changeBytes = (bytes) => {
  let data = bytes.slice();
  for (let i = 1 + drawBelow(3); i > 0 && data.length > 8; i--) data = CHANGES[drawBelow(CHANGES.length)](data);
  if (drawBelow(3) > 0) repairChecksums(data);
  return data;
};

const readFreshSecrets = async () => [...(await readSecrets(argument.keys)), makePassphrase(argument.passphrase)];

/** Describe a result: by its bytes, or by the samples of a picture that stays covered in parts. */
const describeResult = async ({ bytes, notes, name }) => {
  const covered = notes.some((note) => note.includes("stay"));
  if (!covered) return [hex(await sha256(bytes)), name];
  if (isJpeg(bytes)) return ["a JPEG that stays covered in parts", null];
  return [hex(await sha256((await readPng(readChunks(bytes), 2 ** 28)).frame.data)), null];
};

/** Return the description of a result, or null if the file was refused; anything else is a fault. */
const findOutcome = async (what, bytes, sidecar, secrets, budget) => {
  const start = process.cpuUsage();
  let timer;
  const never = new Promise((done) => (timer = setTimeout(() => done("never ends"), LONGEST)));
  const call = restore(bytes, sidecar, secrets, () => {}, budget).then(describeResult).catch((error) => {
    if (!(error instanceof Refused)) faults.push(`${what}: ${error.stack}`);
    return null;
  });
  const result = await Promise.race([call, never]);
  clearTimeout(timer);
  if (result === "never ends") faults.push(`${what}: ${result}`);
  const { user, system } = process.cpuUsage(start);
  longest = Math.max(longest, user + system);
  return result;
};

let longest = 0;
let most = 0;
const counts = { restored: 0, refused: 0 };
const bases = [];
for (const { kind, file, sidecar, members } of argument.bases) {
  const base = { kind, bytes: unhex(file), sidecar: sidecar === null ? null : unhex(sidecar), allowed: new Set() };
  for (const each of members ?? [file]) {
    // Of several layers, each may be damaged by itself.
    for (const keys of [argument.keys, ...argument.keys.map((key) => [key])]) {
      const secrets = [...(await readSecrets(keys)), makePassphrase(argument.passphrase)];
      const result = await restore(unhex(each), base.sidecar, secrets).then(describeResult, () => null);
      if (result) base.allowed.add(String(result));
    }
  }
  if (base.allowed.size === 0) faults.push(`${kind}: is not restored at all`);
  bases.push(base);
}

const judgeResult = (what, base, result) => {
  counts[result ? "restored" : "refused"]++;
  const known = result && (base.allowed.has(String(result)) || result[1] === null);
  if (result && !known) faults.push(`${what}: gives something else: ${result}`);
};

let budget = new SampleBudget();
let secrets = await readFreshSecrets();
for (let turn = 0; turn < argument.count; turn++) {
  const base = bases[turn % bases.length];
  const what = `${base.kind} ${argument.seed} ${turn}`;
  if (turn % 50 === 0) [budget, secrets] = [new SampleBudget(), await readFreshSecrets()]; // a run has some files
  if (base.kind === "album") {
    const files = await expandAlbums([new File([changeBytes(base.bytes)], "album.html")], () => {});
    for (const file of files) {
      const bytes = new Uint8Array(await file.arrayBuffer());
      judgeResult(what, base, await findOutcome(what, bytes, null, secrets, budget));
    }
    if (turn % 7 === 0) await makeZip(files.map((file) => ({ name: file.name, time: null, blob: file })));
  } else {
    const other = base.sidecar !== null && drawBelow(2) === 0;
    const sidecar = other ? changeBytes(base.sidecar) : base.sidecar;
    const bytes = other ? base.bytes : changeBytes(base.bytes);
    judgeResult(what, base, await findOutcome(what, bytes, sidecar, secrets, budget));
  }
  if (turn % 20 === 0) most = Math.max(most, process.memoryUsage().rss);
}
await new Promise((done) => setTimeout(done, 50)); // rejections that nobody handles are told now
return { faults: faults.slice(0, 20), counts, seconds: longest / 1e6, megabytes: most / 2 ** 20 };
