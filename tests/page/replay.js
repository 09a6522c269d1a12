// What the vectors say, asked of the page's engine: `replay` returns the cases that disagree.
// It runs in Node, and joined with the engine in a browser. Streams, labels and forms of the cases
// are those of tests/kit/README.md.

import { toBech32 } from "../../sudokucrypt/page/engine/bech32.js";
import { concat, hex, le64, Refused, unhex, utf8 } from "../../sudokucrypt/page/engine/bytes.js";
import { mask, Words } from "../../sudokucrypt/page/engine/chacha20.js";
import { readDescription, writeDescription } from "../../sudokucrypt/page/engine/description.js";
import { draw, drawGrid, shuffle } from "../../sudokucrypt/page/engine/draws.js";
import { located, restore } from "../../sudokucrypt/page/engine/engine.js";
import { keyId, pictureKey, sha256, subkey } from "../../sudokucrypt/page/engine/hashing.js";
import { readHeader, SAMPLE_BYTES, withExtras } from "../../sudokucrypt/page/engine/header.js";
import { linesThatCount, passphraseSecret, secretOfFile, secretOfLine } from "../../sudokucrypt/page/engine/keys.js";
import { Blocks } from "../../sudokucrypt/page/engine/jpeg_blocks.js";
import { isJpeg, readJpeg } from "../../sudokucrypt/page/engine/jpeg_file.js";
import { protectJpeg } from "../../sudokucrypt/page/engine/jpeg_scramble.js";
import { mannerOfJpeg, mannerOfPng, metadataOfPng } from "../../sudokucrypt/page/engine/manner.js";
import { joinShares } from "../../sudokucrypt/page/engine/shares.js";
import { derive, readKdf } from "../../sudokucrypt/page/engine/passphrases.js";
import { layout, permute } from "../../sudokucrypt/page/engine/permutation.js";
import { openHeader, protectFrame, restoreFrame, roundsOf } from "../../sudokucrypt/page/engine/pictures.js";
import { readChunks, readPng } from "../../sudokucrypt/page/engine/png_reader.js";
import { plainPng } from "../../sudokucrypt/page/engine/png_writer.js";
import { readRows, withRows } from "../../sudokucrypt/page/engine/rows.js";
import { defaultRounds } from "../../sudokucrypt/page/engine/units.js";

const SECRET = Uint8Array.from({ length: 32 }, (_, i) => i);
const PERIOD = 65521;
const EARLIER = /^made by an earlier version with .*: restore it with version 1\.1\.0$/;

/** A case that asks for what the page does not do. */
class Skipped extends Error {}

function agree(what, made, wanted) {
  const [a, b] = [made, wanted].map((value) => JSON.stringify(value));
  if (a !== b) throw new Error(`${what}: ${String(a).slice(0, 90)} is not ${String(b).slice(0, 90)}`);
}

async function hexOrDigest(data) {
  return data.length <= 512 ? hex(data) : `sha256:${hex(await sha256(data))}`;
}

async function streamOf(use, context, length) {
  return mask(new Uint8Array(length), await subkey(SECRET, use, context));
}

/** The plain samples of a case: the stream for its label, over and over if it is long. */
async function plainOf({ label, shape, dtype, plain }) {
  const length = shape.reduce((a, b) => a * b, 1) * SAMPLE_BYTES.get(dtype);
  const start = await streamOf("vectors", utf8(label), Math.min(length, PERIOD));
  const data = new Uint8Array(length);
  for (let i = 0; i < length; i += PERIOD) data.set(start.subarray(0, length - i), i);
  if (dtype === "bool") data.forEach((byte, i) => (data[i] = byte & 1));
  if (plain != null) agree("plain", await hexOrDigest(data), plain);
  return data;
}

const copied = (frame) => ({ ...frame, data: frame.data.slice() });
const fieldsGiven = (fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));

/** Protect the frame of a case, compare the header, and restore it with every key. */
async function made(frame, test, master, extras) {
  const { scheme, unit, block_size, rounds, kdf, salt } = test;
  const draft = fieldsGiven({ sudokucrypt: 1, scheme, unit, block_size, rounds, shape: frame.shape, dtype: frame.dtype, kdf, salt });
  const plain = hex(frame.data);
  const changed = copied(frame);
  const header = await protectFrame(changed, withExtras(draft, extras), master);
  agree("header", new TextDecoder().decode(header), test.header);
  const fields = readHeader(header);
  const key = await pictureKey(master, unhex(fields.salt));
  if (test.picture_key) agree("picture key", hex(key), test.picture_key);
  for (const secret of [{ kind: "key", bytes: master }, { kind: "picture", bytes: key }]) {
    const back = copied(changed);
    const description = await restoreFrame(back, fields, await openHeader(fields, secret));
    agree("restored", hex(back.data), plain);
    agree("described", description === null, extras === null);
    if (description !== null) agree("description", hex(writeDescription(description)), hex(extras));
  }
  return changed;
}

async function image(test) {
  if (test.context !== null) throw new Skipped();
  const frame = { shape: test.shape, dtype: test.dtype, data: await plainOf(test) };
  const { data } = await made(frame, { scheme: "scramble-v1", ...test }, SECRET, null);
  agree("scrambled", await hexOrDigest(data), test.scrambled);
}

async function encryption(test) {
  const master = test.passphrase === null ? SECRET : await derive(test.kdf, test.passphrase, () => {});
  const frame = { shape: test.shape, dtype: test.dtype, data: await plainOf(test) };
  const { data } = await made(frame, { scheme: "encrypt-v1", unit: "pixel", ...test }, master, null);
  agree("encrypted", await hexOrDigest(data), test.encrypted);
}

async function picture(test) {
  let extras = null;
  if (test.line !== null) {
    const bare = concat([utf8(`${test.line}\n`), unhex(test.blobs)]);
    extras = concat([bare, new Uint8Array((256 - (bare.length % 256)) % 256)]);
    agree("extras", hex(writeDescription(readDescription(extras))), hex(extras));
  }
  const [{ shape, dtype, plain, protected: wanted }] = test.frames;
  const { data } = await made({ shape, dtype, data: unhex(plain) }, test, SECRET, extras);
  agree("protected", await hexOrDigest(data), wanted);
}

/** A header in which long texts stand in position of the letter `*`: so many zero bytes as extras. */
function filled(header, fill) {
  let result = header;
  for (const [name, count] of Object.entries(fill ?? {})) {
    const text = "AAAA".repeat(Math.floor(count / 3)) + ["", "AA==", "AAA="][count % 3];
    result = result.replace(`"${name}":"*"`, () => `"${name}":"${text}"`);
  }
  return result;
}

function extrasOfCase({ line, fill, padding, blobs }) {
  const text = line.replaceAll("*", "a".repeat(fill ?? 0));
  const zeros = typeof padding === "string" ? unhex(padding) : new Uint8Array(padding);
  return concat([utf8(`${text}\n`), unhex(blobs), zeros]);
}

function secretOf({ key, passphrase, picture_key: ofPicture }) {
  if (ofPicture) return secretOfLine(ofPicture);
  return passphrase != null ? passphraseSecret(passphrase) : secretOfLine(key ?? "");
}

async function readKeyOfCase({ content, bytes, passphrase, level }) {
  const file = bytes == null ? utf8(content) : unhex(bytes);
  // The page unlocks what is locked, and needs no passphrase for what is not.
  if (passphrase != null && linesThatCount(file).length !== 2) throw new Refused("not locked");
  const secret = await secretOfFile(file, passphrase);
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
  const description = await restoreFrame(frame, fields, await openHeader(fields, secretOf(test)));
  return { frame, description };
}

async function read(test) {
  switch (test.what) {
    case "key":
      return readKeyOfCase(test);
    case "header":
      return readHeader(utf8(filled(test.header, test.fill)));
    case "extras":
      return readDescription(extrasOfCase(test));
    case "kdf":
      return readKdf(test.text);
    default:
      return readPicture(test);
  }
}

async function accept(test) {
  const result = await read(test);
  if (test.what === "key") agree("key", hex(result), test.secret);
  if (result.frame) agree("plain", [hex(result.frame.data)], [test.plain].flat());
  if (!test.extras) return;
  const wanted = writeDescription(readDescription(unhex(test.extras))); // perhaps with less padding
  agree("description", hex(writeDescription(result.description)), hex(wanted));
}

const reject = (test) => refused(() => read(test), test.layer);

async function refused(work, layer = null) {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    agree("names version 1.1.0", EARLIER.test(error.message), layer === "earlier version");
    return;
  }
  throw new Error("accepted");
}

async function container(test) {
  const bytes = unhex(test.picture);
  let header = null;
  try {
    header = located(bytes, null).header;
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
    agree("refused", true, test.refused);
    return;
  }
  agree("refused", false, test.refused);
  agree("header", header && new TextDecoder().decode(header), test.header);
}

async function headerRows(test) {
  const frameOf = ({ rows, columns, channels, bits, samples }) => {
    const data = unhex(samples);
    // Vectors have the highest byte first, frames the lowest.
    if (bits === 16) for (let i = 0; i < data.length; i += 2) [data[i], data[i + 1]] = [data[i + 1], data[i]];
    const shape = channels === 1 ? [rows, columns] : [rows, columns, channels];
    return { shape, dtype: bits === 16 ? "uint16" : "uint8", data };
  };
  const stored = frameOf(test.stored);
  const result = await readRows(stored);
  agree("header", result && new TextDecoder().decode(result.header), test.header);
  if (result === null) return;
  const plain = frameOf(test.plain);
  agree("plain", { ...result.frame, data: hex(result.frame.data) }, { ...plain, data: hex(plain.data) });
  if (!test.name.startsWith("written")) return;
  const rows = await withRows(plain, result.header);
  agree("stored", hex(rows.data), hex(stored.data));
}

async function key(test) {
  const [secret, salt] = [unhex(test.secret), unhex(test.salt)];
  agree("text", toBech32("sudokucrypt-key-", secret).toUpperCase(), test.text);
  agree("picture text", toBech32("sudokucrypt-picture-key-", secret).toUpperCase(), test.picture_text);
  agree("id", await keyId(secret), test.id);
  const ofPicture = await pictureKey(secret, salt);
  agree("picture key", hex(ofPicture), test.picture_key);
  for (const { level, use, context, subkey: wanted } of test.subkeys) {
    const from = level === "picture" ? ofPicture : secret;
    const result = hex(await subkey(from, use, context === null ? null : unhex(context)));
    agree(use, result.slice(0, wanted.length), wanted);
  }
}

async function draws(test) {
  const label = test.words ? null : await subkey(SECRET, "draws", utf8(test.label));
  if (test.block !== undefined) {
    const last = new Words(label, test.block);
    const data = Array.from({ length: 16 }, () => last.next());
    agree("stream", hex(new Uint8Array(Uint32Array.from(data).buffer)), test.stream);
    try {
      last.next();
    } catch (error) {
      if (error instanceof Refused) return;
    }
    throw new Error("a word behind the end of the stream");
  }
  if (test.bounds.some((bound) => bound > 2 ** 32)) throw new Skipped();
  if (test.words) {
    let used = 0;
    const source = { next: () => test.words[used++] };
    agree("below", test.bounds.map((bound) => draw(bound, source)), test.below);
    agree("used", used, test.used);
    return;
  }
  const source = new Words(label);
  agree("below", test.bounds.map((bound) => draw(bound, source)), test.below);
  agree("shuffles", test.shuffles.map((f) => [...shuffle(f.length, source)]), test.shuffles);
}

async function grid(test) {
  const [p, q] = test.box;
  const context = test.context ? unhex(test.context) : Uint8Array.of(p, q);
  const result = drawGrid(p, q, new Words(await subkey(SECRET, "grids", context)));
  for (const name of ["alpha", "beta", "sigma"]) agree(name, [...result[name]], test[name]);
}

async function layoutOf({ count, box, spares }) {
  const { n, p, q } = layout(count);
  agree("box", [p, q], box);
  agree("spares", count - n * n, spares);
}

async function rounds({ shapes: [shape], unit, block_size: size, rounds: wanted }) {
  agree("rounds", roundsOf(shape, unit, size), wanted);
}

const keysOf = ({ keys }) => keys.map((each) => ({ kind: "key", bytes: unhex(each) }));

async function redaction(test) {
  const { bytes } = await restore(unhex(test.redacted), null, keysOf(test));
  agree("file", hex(bytes), test.plain);
}

async function redactionOfVersion2(test) {
  const file = unhex(test.redacted);
  await redaction(test);
  const manner = async (bytes) =>
    isJpeg(bytes) ? mannerOfJpeg(readJpeg(bytes).segments) : mannerOfPng(await metadataOfPng(readChunks(bytes)));
  agree("manner", await manner(file), test.manner);
  if (test.keys.length < 2) return;
  const { bytes } = await restore(file, null, keysOf(test).slice(0, 1));
  agree("manner of a part", await manner(bytes), test.manner);
  if (test.partial) agree("part", hex((await readPng(readChunks(bytes), 2 ** 20)).frame.data), test.partial);
}

async function rejectedRedactionOfVersion2(test) {
  await refused(() => restore(unhex(test.redacted), null, keysOf(test)));
}

async function rejectedRedaction(test) {
  const [, dtype, shape] = /^samples \S+ (\S+) \((.*)\)$/.exec(test.head);
  const file = plainPng({ shape: JSON.parse(`[${shape}]`), dtype, data: unhex(test.pixels) });
  await refused(() => restore(file, unhex(test.package), keysOf(test)));
}

/** The blocks of each component of a file. */
function blocksInFile(file) {
  const jpeg = readJpeg(file);
  const blocks = new Blocks(jpeg);
  return jpeg.components.map((component, i) => new Uint8Array(blocks.of(component, i).slice().buffer));
}

/** Compare blocks with those of a case, where pairs say how often a block comes. */
async function agreeBlocks(what, file, shown) {
  for (const [i, plane] of blocksInFile(file).entries()) {
    const wanted = shown[i];
    if (Array.isArray(wanted)) agree(what, hex(plane), wanted.map(([block, times]) => block.repeat(times)).join(""));
    else agree(what, wanted.startsWith("sha256:") ? await hexOrDigest(plane) : hex(plane), wanted);
  }
}

async function jpeg(test) {
  const plain = unhex(test.plain);
  await agreeBlocks("blocks", plain, test.coefficients);
  const draft = fieldsGiven({ salt: test.salt, rounds: test.rounds });
  const made = await protectJpeg(plain, draft, SECRET);
  agree("header", new TextDecoder().decode(made.header), test.header);
  await agreeBlocks("scrambled blocks", made.bytes, test.scrambled_coefficients);
  agree("scrambled", hex(made.bytes), test.scrambled);
  const key = await pictureKey(SECRET, unhex(readHeader(made.header).salt));
  agree("picture key", hex(key), test.picture_key);
  for (const secret of [{ kind: "key", bytes: SECRET }, { kind: "picture", bytes: key }]) {
    const { bytes } = await restore(unhex(test.scrambled), null, [secret]);
    agree("restored", hex(bytes), test.plain);
  }
}

async function acceptedJpeg(test) {
  agree("restored", hex(await restoredJpeg(test)), test.plain);
}

const rejectedJpeg = (test) => refused(() => restoredJpeg(test), test.layer);

async function restoredJpeg(test) {
  const sidecar = test.header ? utf8(`${test.header}\n`) : null;
  return (await restore(unhex(test.scrambled), sidecar, [secretOfLine(test.key)])).bytes;
}

async function permutation(test) {
  const words = new Words(await subkey(SECRET, "master/map", unhex(test.nonce)));
  const units = Uint32Array.from({ length: test.count }, (_, i) => i);
  const map = permute(units, test.rounds ?? defaultRounds([test.count]), words, false);
  if (Array.isArray(test.permutation)) agree("permutation", [...map], test.permutation);
  else agree("permutation", `sha256:${hex(await sha256(concat(Array.from(map, le64))))}`, test.permutation);
}

async function share(test) {
  if (test.key === null) return refused(() => joinShares(test.given));
  return agree("key", hex(joinShares(test.given)), test.key);
}

async function caption(test) {
  let content = null;
  try {
    const secret = { kind: "key", bytes: SECRET };
    content = hex((await restore(unhex(test.picture), null, [secret])).bytes);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
  agree("content", content, test.content);
}

const CHECKS = {
  keys: key, draws, grids: grid, layouts: layoutOf, rounds, permutations: permutation,
  images: image, encryptions: encryption, frames: picture,
  accept, accept_pictures: accept, reject, reject_pictures: reject,
  containers: container, captions: caption, header_rows: headerRows,
  jpegs: jpeg, accept_jpegs: acceptedJpeg, reject_jpegs: rejectedJpeg,
  shares: share, redactions: redaction, reject_redactions: rejectedRedaction,
  redactions_v2: redactionOfVersion2, reject_redactions_v2: rejectedRedactionOfVersion2,
};

/** The kinds of vectors that the page is asked. */
export const KINDS = Object.keys(CHECKS);

/** The cases of a kind that disagree, and how many asked for what the page does not do. */
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
