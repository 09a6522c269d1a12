// Compare the page's engine with the test vectors: `replay` returns the cases that disagree.
// It runs in Node, and joined with the engine in a browser. Streams, labels and forms of the cases
// are those of tests/kit/README.md.

import { toBech32 } from "../../sudokucrypt/page/engine/bech32.js";
import { concat, hex, le64, Refused, unhex, utf8 } from "../../sudokucrypt/page/engine/bytes.js";
import { mask, Words } from "../../sudokucrypt/page/engine/chacha20.js";
import { readDescription, writeDescription } from "../../sudokucrypt/page/engine/description.js";
import { draw, drawGrid, shuffle } from "../../sudokucrypt/page/engine/draws.js";
import { findHeader, restore } from "../../sudokucrypt/page/engine/engine.js";
import { chooseShape, wrapFile } from "../../sudokucrypt/page/engine/files.js";
import { keyId, pictureKey, sha256, subkey } from "../../sudokucrypt/page/engine/hashing.js";
import { readHeader, SAMPLE_BYTES, SEGMENT_BYTES, addExtras } from "../../sudokucrypt/page/engine/header.js";
import { listKeyLines, makePassphrase, readKeyFile, parseKey } from "../../sudokucrypt/page/engine/keys.js";
import { Blocks } from "../../sudokucrypt/page/engine/jpeg_blocks.js";
import { isJpeg, readJpeg } from "../../sudokucrypt/page/engine/jpeg_file.js";
import { protectJpeg } from "../../sudokucrypt/page/engine/jpeg_scramble.js";
import { describeJpegManner, describePngManner, readPngMetadata } from "../../sudokucrypt/page/engine/manner.js";
import { joinShares } from "../../sudokucrypt/page/engine/shares.js";
import { derive, readKdf } from "../../sudokucrypt/page/engine/passphrases.js";
import { layout, permute } from "../../sudokucrypt/page/engine/permutation.js";
import { openHeader, protectFrame, restoreFrame, chooseRounds } from "../../sudokucrypt/page/engine/pictures.js";
import { readChunks, readPng } from "../../sudokucrypt/page/engine/png_reader.js";
import { writePlain } from "../../sudokucrypt/page/engine/png_writer.js";
import { readRows, addRows } from "../../sudokucrypt/page/engine/rows.js";
import { defaultRounds } from "../../sudokucrypt/page/engine/units.js";

const SECRET = Uint8Array.from({ length: 32 }, (_, i) => i);
const PERIOD = 65521;
const EARLIER = /^made by an earlier version with .*: restore it with version 1\.1\.0$/;

/** A case of a feature that the page does not have. */
class Skipped extends Error {}

function requireEqual(what, made, wanted) {
  const [a, b] = [made, wanted].map((value) => JSON.stringify(value));
  if (a !== b) throw new Error(`${what}: ${String(a).slice(0, 90)} is not ${String(b).slice(0, 90)}`);
}

async function formatData(data) {
  return data.length <= 512 ? hex(data) : `sha256:${hex(await sha256(data))}`;
}

async function makeStream(use, context, length) {
  return mask(new Uint8Array(length), await subkey(SECRET, use, context));
}

/** The plain samples of a case: the stream for its label, over and over if it is long. */
async function makePlainSamples({ label, shape, dtype, plain }) {
  const length = shape.reduce((a, b) => a * b, 1) * SAMPLE_BYTES.get(dtype);
  const start = await makeStream("vectors", utf8(label), Math.min(length, PERIOD));
  const data = new Uint8Array(length);
  for (let i = 0; i < length; i += PERIOD) data.set(start.subarray(0, length - i), i);
  if (dtype === "bool") data.forEach((byte, i) => (data[i] = byte & 1));
  if (plain != null) requireEqual("plain", await formatData(data), plain);
  return data;
}

const copyFrame = (frame) => ({ ...frame, data: frame.data.slice() });
const dropNull = (fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));

/** Protect the frame of a case, compare the header, and restore it with every key. */
async function protectAndRestore(frame, test, master, extras) {
  const { scheme, unit, block_size, rounds, kdf, salt } = test;
  const draft = dropNull({ sudokucrypt: 1, scheme, unit, block_size, rounds, shape: frame.shape, dtype: frame.dtype, kdf, salt });
  const plain = hex(frame.data);
  const changed = copyFrame(frame);
  const header = await protectFrame(changed, addExtras(draft, extras), master);
  requireEqual("header", new TextDecoder().decode(header), test.header);
  const fields = readHeader(header);
  const key = await pictureKey(master, unhex(fields.salt));
  if (test.picture_key) requireEqual("picture key", hex(key), test.picture_key);
  for (const secret of [{ kind: "key", bytes: master }, { kind: "picture", bytes: key }]) {
    const back = copyFrame(changed);
    const description = await restoreFrame(back, fields, await openHeader(fields, secret));
    requireEqual("restored", hex(back.data), plain);
    requireEqual("described", description === null, extras === null);
    if (description !== null) requireEqual("description", hex(writeDescription(description)), hex(extras));
  }
  return changed;
}

async function checkImage(test) {
  if (test.context !== null) throw new Skipped();
  const frame = { shape: test.shape, dtype: test.dtype, data: await makePlainSamples(test) };
  const { data } = await protectAndRestore(frame, { scheme: "scramble-v1", ...test }, SECRET, null);
  requireEqual("scrambled", await formatData(data), test.scrambled);
}

async function checkEncryption(test) {
  const master = test.passphrase === null ? SECRET : await derive(test.kdf, test.passphrase, () => {});
  const frame = { shape: test.shape, dtype: test.dtype, data: await makePlainSamples(test) };
  const { data } = await protectAndRestore(frame, { scheme: "encrypt-v1", unit: "pixel", ...test }, master, null);
  requireEqual("encrypted", await formatData(data), test.encrypted);
}

/** A file that is moved in segments, or the largest that is not; the plain bytes are not shown. */
async function checkSegments(test) {
  const { label, name, size, padded, line, header } = test;
  const { frame, description } = wrapFile({ name, bytes: await makePlainSamples({ label, shape: [size], dtype: "uint8" }), time: null }, {});
  if (padded !== null) description.file.padded = padded;
  const shape = chooseShape(padded ?? size);
  const data = new Uint8Array(shape[0] * shape[1]);
  data.set(frame.data.subarray(0, size));
  requireEqual("plain", await formatData(data.subarray(0, size)), test.plain);
  const extras = writeDescription({ ...description, frames: [{ ...description.frames[0], shape }] });
  requireEqual("line", new TextDecoder().decode(extras.subarray(0, line.length)), line);
  const segment = shape[0] * shape[1] > SEGMENT_BYTES ? SEGMENT_BYTES : null;
  const draft = dropNull({ sudokucrypt: 1, scheme: "encrypt-v1", unit: "pixel", rounds: test.rounds, segment, shape, dtype: "uint8", salt: test.salt });
  const changed = { shape, dtype: "uint8", data };
  requireEqual("header", new TextDecoder().decode(await protectFrame(changed, addExtras(draft, extras), SECRET)), header);
  requireEqual("encrypted", await formatData(data), test.encrypted);
  const fields = readHeader(utf8(header));
  const key = await pictureKey(SECRET, unhex(fields.salt));
  requireEqual("picture key", hex(key), test.picture_key);
  await restoreFrame(changed, fields, await openHeader(fields, { kind: "picture", bytes: key }));
  requireEqual("restored", await formatData(data.subarray(0, size)), test.plain);
}

async function checkPicture(test) {
  let extras = null;
  if (test.line !== null) {
    const bare = concat([utf8(`${test.line}\n`), unhex(test.blobs)]);
    extras = concat([bare, new Uint8Array((256 - (bare.length % 256)) % 256)]);
    requireEqual("extras", hex(writeDescription(readDescription(extras))), hex(extras));
  }
  const [{ shape, dtype, plain, protected: wanted }] = test.frames;
  const { data } = await protectAndRestore({ shape, dtype, data: unhex(plain) }, test, SECRET, extras);
  requireEqual("protected", await formatData(data), wanted);
}

/** A header in which base64 of `count` zero bytes replaces the letter `*`. */
function fillHeader(header, fill) {
  let result = header;
  for (const [name, count] of Object.entries(fill ?? {})) {
    const text = "AAAA".repeat(Math.floor(count / 3)) + ["", "AA==", "AAA="][count % 3];
    result = result.replace(`"${name}":"*"`, () => `"${name}":"${text}"`);
  }
  return result;
}

function buildExtras({ line, fill, padding, blobs }) {
  const text = line.replaceAll("*", "a".repeat(fill ?? 0));
  const zeros = typeof padding === "string" ? unhex(padding) : new Uint8Array(padding);
  return concat([utf8(`${text}\n`), unhex(blobs), zeros]);
}

function parseSecret({ key, passphrase, picture_key: ofPicture }) {
  if (ofPicture) return parseKey(ofPicture);
  return passphrase != null ? makePassphrase(passphrase) : parseKey(key ?? "");
}

async function readKeyCase({ content, bytes, passphrase, level }) {
  const file = bytes == null ? utf8(content) : unhex(bytes);
  // The page unlocks what is locked, and needs no passphrase for what is not.
  if (passphrase != null && listKeyLines(file).length !== 2) throw new Refused("not locked");
  const secret = await readKeyFile(file, passphrase);
  const wanted = level === "picture" ? "picture" : "key";
  if (secret.kind !== wanted) throw new Refused("a key of another level");
  return secret.bytes;
}

async function readPicture(test) {
  const [{ shape, dtype, samples }] = test.frames ?? [{ ...test, samples: test.pixels }];
  // The page restores files, which have no context.
  if (test.context !== null || test.header === null) throw new Skipped();
  const fields = readHeader(utf8(test.header));
  if (fields.scheme === "scramble-context-v1") throw new Skipped();
  const frame = { shape, dtype, data: unhex(samples) };
  const description = await restoreFrame(frame, fields, await openHeader(fields, parseSecret(test)));
  return { frame, description };
}

async function readCase(test) {
  switch (test.what) {
    case "key":
      return readKeyCase(test);
    case "header":
      return readHeader(utf8(fillHeader(test.header, test.fill)));
    case "extras":
      return readDescription(buildExtras(test));
    case "kdf":
      return readKdf(test.text);
    default:
      return readPicture(test);
  }
}

async function checkAccepted(test) {
  const result = await readCase(test);
  if (test.what === "key") requireEqual("key", hex(result), test.secret);
  if (result.frame) requireEqual("plain", [hex(result.frame.data)], [test.plain].flat());
  if (!test.extras) return;
  const wanted = writeDescription(readDescription(unhex(test.extras))); // perhaps with less padding
  requireEqual("description", hex(writeDescription(result.description)), hex(wanted));
}

const checkRejected = (test) => requireRefused(() => readCase(test), test.layer);

async function requireRefused(work, layer = null) {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    requireEqual("names version 1.1.0", EARLIER.test(error.message), layer === "earlier version");
    return;
  }
  throw new Error("accepted");
}

async function checkContainer(test) {
  const bytes = unhex(test.picture);
  let header = null;
  try {
    header = findHeader(bytes, null).header;
    for (const name of ["beside", "named"]) {
      if (test[name] === null) continue;
      header = unhex(test[name]);
      if (header.at(-1) !== 10) throw new Refused("a sidecar ends with a line feed");
      header = header.subarray(0, -1);
    }
    if (header !== null) readHeader(header);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.message.includes("it is no PNG or JPEG")) throw new Skipped();
    requireEqual("refused", true, test.refused);
    return;
  }
  requireEqual("refused", false, test.refused);
  requireEqual("header", header && new TextDecoder().decode(header), test.header);
}

async function checkHeaderRows(test) {
  const frameOf = ({ rows, columns, channels, bits, samples }) => {
    const data = unhex(samples);
    // Vectors have the highest byte first, frames the lowest.
    if (bits === 16) for (let i = 0; i < data.length; i += 2) [data[i], data[i + 1]] = [data[i + 1], data[i]];
    const shape = channels === 1 ? [rows, columns] : [rows, columns, channels];
    return { shape, dtype: bits === 16 ? "uint16" : "uint8", data };
  };
  const stored = frameOf(test.stored);
  const result = await readRows(stored);
  requireEqual("header", result && new TextDecoder().decode(result.header), test.header);
  if (result === null) return;
  const plain = frameOf(test.plain);
  requireEqual("plain", { ...result.frame, data: hex(result.frame.data) }, { ...plain, data: hex(plain.data) });
  if (!test.name.startsWith("written")) return;
  const rows = await addRows(plain, result.header);
  requireEqual("stored", hex(rows.data), hex(stored.data));
}

async function checkKey(test) {
  const [secret, salt] = [unhex(test.secret), unhex(test.salt)];
  requireEqual("text", toBech32("sudokucrypt-key-", secret).toUpperCase(), test.text);
  requireEqual("picture text", toBech32("sudokucrypt-picture-key-", secret).toUpperCase(), test.picture_text);
  requireEqual("id", await keyId(secret), test.id);
  const ofPicture = await pictureKey(secret, salt);
  requireEqual("picture key", hex(ofPicture), test.picture_key);
  for (const { level, use, context, subkey: wanted } of test.subkeys) {
    const from = level === "picture" ? ofPicture : secret;
    const result = hex(await subkey(from, use, context === null ? null : unhex(context)));
    requireEqual(use, result.slice(0, wanted.length), wanted);
  }
}

async function checkDraws(test) {
  const label = test.words ? null : await subkey(SECRET, "draws", utf8(test.label));
  if (test.block !== undefined) {
    const last = new Words(label, test.block);
    const data = Array.from({ length: 16 }, () => last.next());
    requireEqual("stream", hex(new Uint8Array(Uint32Array.from(data).buffer)), test.stream);
    try {
      last.next();
    } catch (error) {
      if (error instanceof Refused) return;
    }
    throw new Error("a word after the end of the stream");
  }
  if (test.bounds.some((bound) => bound > 2 ** 32)) throw new Skipped();
  if (test.words) {
    let used = 0;
    const source = { next: () => test.words[used++] };
    requireEqual("below", test.bounds.map((bound) => draw(bound, source)), test.below);
    requireEqual("used", used, test.used);
    return;
  }
  const source = new Words(label);
  requireEqual("below", test.bounds.map((bound) => draw(bound, source)), test.below);
  requireEqual("shuffles", test.shuffles.map((f) => [...shuffle(f.length, source)]), test.shuffles);
}

async function checkGrid(test) {
  const [p, q] = test.box;
  const context = test.context ? unhex(test.context) : Uint8Array.of(p, q);
  const result = drawGrid(p, q, new Words(await subkey(SECRET, "grids", context)));
  for (const name of ["alpha", "beta", "sigma"]) requireEqual(name, [...result[name]], test[name]);
}

async function checkLayout({ count, box, spares }) {
  const { n, p, q } = layout(count);
  requireEqual("box", [p, q], box);
  requireEqual("spares", count - n * n, spares);
}

async function checkRounds({ shapes: [shape], unit, block_size: size, rounds: wanted }) {
  requireEqual("rounds", chooseRounds(shape, unit, size), wanted);
}

const parseKeys = ({ keys }) => keys.map((each) => ({ kind: "key", bytes: unhex(each) }));

async function checkRedaction(test) {
  const { bytes } = await restore(unhex(test.redacted), null, parseKeys(test));
  requireEqual("file", hex(bytes), test.plain);
}

async function checkRedactionOfVersion2(test) {
  const file = unhex(test.redacted);
  await checkRedaction(test);
  const manner = async (bytes) =>
    isJpeg(bytes) ? describeJpegManner(readJpeg(bytes).segments) : describePngManner(await readPngMetadata(readChunks(bytes)));
  requireEqual("manner", await manner(file), test.manner);
  if (test.keys.length < 2) return;
  const { bytes } = await restore(file, null, parseKeys(test).slice(0, 1));
  requireEqual("manner of a part", await manner(bytes), test.manner);
  if (test.partial) requireEqual("part", hex((await readPng(readChunks(bytes), 2 ** 20)).frame.data), test.partial);
}

async function checkRejectedRedactionOfVersion2(test) {
  await requireRefused(() => restore(unhex(test.redacted), null, parseKeys(test)));
}

async function checkRejectedRedaction(test) {
  const [, dtype, shape] = /^samples \S+ (\S+) \((.*)\)$/.exec(test.head);
  const file = writePlain({ shape: JSON.parse(`[${shape}]`), dtype, data: unhex(test.pixels) });
  await requireRefused(() => restore(file, unhex(test.package), parseKeys(test)));
}

/** The blocks of each component of a file. */
function readBlocks(file) {
  const jpeg = readJpeg(file);
  const blocks = new Blocks(jpeg);
  return jpeg.components.map((component, i) => new Uint8Array(blocks.get(component, i).slice().buffer));
}

/** Compare blocks with those of a case, where pairs are a block and its number of repetitions. */
async function requireEqualBlocks(what, file, shown) {
  for (const [i, plane] of readBlocks(file).entries()) {
    const wanted = shown[i];
    if (Array.isArray(wanted)) requireEqual(what, hex(plane), wanted.map(([block, times]) => block.repeat(times)).join(""));
    else requireEqual(what, wanted.startsWith("sha256:") ? await formatData(plane) : hex(plane), wanted);
  }
}

async function checkJpegCase(test) {
  const plain = unhex(test.plain);
  await requireEqualBlocks("blocks", plain, test.coefficients);
  const draft = dropNull({ salt: test.salt, rounds: test.rounds });
  const made = await protectJpeg(plain, draft, SECRET);
  requireEqual("header", new TextDecoder().decode(made.header), test.header);
  await requireEqualBlocks("scrambled blocks", made.bytes, test.scrambled_coefficients);
  requireEqual("scrambled", hex(made.bytes), test.scrambled);
  const key = await pictureKey(SECRET, unhex(readHeader(made.header).salt));
  requireEqual("picture key", hex(key), test.picture_key);
  for (const secret of [{ kind: "key", bytes: SECRET }, { kind: "picture", bytes: key }]) {
    const { bytes } = await restore(unhex(test.scrambled), null, [secret]);
    requireEqual("restored", hex(bytes), test.plain);
  }
}

async function checkAcceptedJpeg(test) {
  requireEqual("restored", hex(await restoreCase(test)), test.plain);
}

const checkRejectedJpeg = (test) => requireRefused(() => restoreCase(test), test.layer);

async function restoreCase(test) {
  const sidecar = test.header ? utf8(`${test.header}\n`) : null;
  return (await restore(unhex(test.scrambled), sidecar, [parseKey(test.key)])).bytes;
}

async function checkPermutation(test) {
  const words = new Words(await subkey(SECRET, "master/map", unhex(test.nonce)));
  const map = permute(test.count, test.rounds ?? defaultRounds([test.count]), words, false);
  if (Array.isArray(test.permutation)) requireEqual("permutation", [...map], test.permutation);
  else requireEqual("permutation", `sha256:${hex(await sha256(concat(Array.from(map, le64))))}`, test.permutation);
}

async function checkShare(test) {
  if (test.key === null) return requireRefused(() => joinShares(test.given));
  return requireEqual("key", hex(joinShares(test.given)), test.key);
}

async function checkCaption(test) {
  let content = null;
  try {
    const secret = { kind: "key", bytes: SECRET };
    content = hex((await restore(unhex(test.picture), null, [secret])).bytes);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
  requireEqual("content", content, test.content);
}

const CHECKS = {
  keys: checkKey, draws: checkDraws, grids: checkGrid, layouts: checkLayout, rounds: checkRounds,
  permutations: checkPermutation, images: checkImage, encryptions: checkEncryption,
  frames: checkPicture, segments: checkSegments, accept: checkAccepted,
  accept_pictures: checkAccepted, reject: checkRejected, reject_pictures: checkRejected,
  containers: checkContainer, captions: checkCaption, header_rows: checkHeaderRows,
  jpegs: checkJpegCase, accept_jpegs: checkAcceptedJpeg, reject_jpegs: checkRejectedJpeg,
  shares: checkShare, redactions: checkRedaction, reject_redactions: checkRejectedRedaction,
  redactions_v2: checkRedactionOfVersion2, reject_redactions_v2: checkRejectedRedactionOfVersion2,
};

/** The kinds of vectors that the page is compared with. */
export const KINDS = Object.keys(CHECKS);

/** The cases of a kind that disagree, and the number of cases of features that the page lacks. */
export async function replay(kind, cases) {
  const failures = [];
  let skipped = 0;
  for (const test of cases) {
    try {
      await CHECKS[kind](test);
    } catch (error) {
      if (error instanceof Skipped) skipped++;
      else failures.push(`${kind}: ${test.name ?? test.label}: ${error.message}`);
    }
  }
  return { failures, skipped };
}
