// age files of version 1 (https://age-encryption.org/v1) around a few bytes, for X25519 recipients.

import { seal, unseal, ZERO_NONCE } from "./aead.js";
import { fromBech32, toBech32 } from "./bech32.js";
import { ascii, base64, concat, randomBytes, require, sameBytes, unbase64, unhex, utf8, zeros } from "./bytes.js";
import { hkdf, hmac } from "./hashing.js";

const VERSION = "age-encryption.org/v1";
const X25519_INFO = utf8("age-encryption.org/v1/X25519");
const MAX_BYTES = 65536;
const MAX_STANZAS = 64;
const FILE_KEY_BYTES = 16;
const COLUMNS = 64; // of base64 in a line of a stanza's body, which a shorter or empty line ends
const LAST_NONCE = [0, 0, 0x01000000]; // chunk 0, and the flag of the last one in byte 11
const PKCS8 = unhex("302e020100300506032b656e04220420"); // the bytes before a private key
const EMPTY = zeros(0);

/** Base64 without padding, which has only one form. */
const toUnpadded = (data) => base64(data).replace(/=+$/, "");

const checkList = (valid) => require(valid, "the list of recipients is malformed");
const checkEntry = (valid) => require(valid, "a recipient is malformed");

function fromUnpadded(text) {
  checkList(!text.includes("="));
  const data = unbase64(text + "=".repeat((4 - (text.length % 4)) % 4));
  checkList(toUnpadded(data) === text);
  return data;
}

async function importKey(secret) {
  return crypto.subtle.importKey("pkcs8", concat([PKCS8, secret]), "X25519", true, ["deriveBits"]);
}

async function exportKey(key) {
  const { x } = await crypto.subtle.exportKey("jwk", key);
  return fromUnpadded(x.replaceAll("-", "+").replaceAll("_", "/"));
}

async function agreeKey(key, share) {
  const imported = await crypto.subtle.importKey("raw", share, "X25519", false, []);
  return new Uint8Array(await crypto.subtle.deriveBits({ name: "X25519", public: imported }, key, 256));
}

/** Parse the text of a recipient. @returns {Uint8Array} 32 bytes */
export function parseRecipient(text) {
  const { prefix, data } = fromBech32(text);
  require(prefix !== "age1pq" && prefix !== "agepq", "the page makes no files for post-quantum recipients; use the command line");
  require(prefix === "age" && data.length === 32 && text === text.toLowerCase(), "this is no recipient");
  return data;
}

/** Parse the line of an identity file. @returns {Uint8Array} 32 bytes */
export function parseIdentity(line) {
  const message = "a post-quantum identity opens pictures on the command line only";
  require(!/^age-secret-key-pq-1/i.test(line), message);
  const { prefix, data } = fromBech32(line);
  require(prefix === "age-secret-key-" && data.length === 32, "this is no identity");
  return data;
}

/** Generate an identity. @returns {Promise<{identity: string, recipient: string}>} as text */
export async function makeIdentity() {
  const secret = randomBytes(32);
  const recipient = toBech32("age", await exportKey(await importKey(secret)));
  return { identity: toBech32("age-secret-key-", secret).toUpperCase(), recipient };
}

/** Parse a file: its stanzas, the bytes that its MAC authenticates, the MAC, and the payload. */
function parseAge(data) {
  require(data.length <= MAX_BYTES, "the list of recipients is too long");
  const stanzas = [];
  let offset = 0;
  const nextLine = () => {
    const end = data.indexOf(10, offset);
    require(end >= 0, "the list of recipients is cut off");
    const line = ascii(data.subarray(offset, end));
    offset = end + 1;
    return line;
  };
  require(nextLine() === VERSION, "the list of recipients has another version");
  for (;;) {
    const start = offset;
    const line = nextLine();
    if (line.startsWith("---")) {
      checkList(line.startsWith("--- ") && stanzas.length > 0);
      const covered = data.subarray(0, start + 3);
      return { stanzas, covered, mac: fromUnpadded(line.slice(4)), payload: data.subarray(offset) };
    }
    checkEntry(/^->( [!-~]+)+$/.test(line) && stanzas.length < MAX_STANZAS);
    let body = "";
    for (let part = nextLine(); ; part = nextLine()) {
      checkEntry(/^[A-Za-z0-9+/]{0,64}$/.test(part));
      body += part;
      if (part.length < COLUMNS) break;
    }
    stanzas.push({ words: line.slice(3).split(" "), body: fromUnpadded(body) });
  }
}

/** Decrypt the file key in a stanza with an identity; null for another recipient. */
async function unwrapFileKey({ words: [kind, share, ...more], body }, secret) {
  require(kind !== "scrypt", "a passphrase stands among the recipients");
  if (kind !== "X25519") return null;
  checkEntry(share !== undefined && more.length === 0 && body.length === 32);
  const sender = fromUnpadded(share);
  checkEntry(sender.length === 32);
  const key = await importKey(secret);
  let shared;
  try {
    shared = await agreeKey(key, sender);
  } catch {
    return checkEntry(false); // a point of low order
  }
  const wrapping = await hkdf(shared, concat([sender, await exportKey(key)]), X25519_INFO, 32);
  return unseal(wrapping, ZERO_NONCE, body, EMPTY); // null for another recipient
}

async function makeMac(fileKey, covered) {
  return hmac(await hkdf(fileKey, EMPTY, utf8("header"), 32), covered);
}

/** Decrypt a file with an identity; null for others. @returns {Promise<Uint8Array|null>} */
export async function readAge(data, secret) {
  const { stanzas, covered, mac, payload } = parseAge(data);
  for (const stanza of stanzas) {
    const fileKey = await unwrapFileKey(stanza, secret);
    if (fileKey === null) continue;
    const whole = sameBytes(await makeMac(fileKey, covered), mac) && payload.length >= 32;
    require(whole, "the list of recipients was altered");
    const key = await hkdf(fileKey, payload.subarray(0, 16), utf8("payload"), 32);
    const content = unseal(key, LAST_NONCE, payload.subarray(16), EMPTY);
    require(content !== null, "the list of recipients was altered");
    return content;
  }
  return null;
}

async function makeStanza(recipient, fileKey) {
  const pair = await importKey(randomBytes(32));
  const share = await exportKey(pair);
  const shared = await agreeKey(pair, recipient);
  const wrapping = await hkdf(shared, concat([share, recipient]), X25519_INFO, 32);
  // The body is 43 letters: one line, shorter than 64.
  return `-> X25519 ${toUnpadded(share)}\n${toUnpadded(seal(wrapping, ZERO_NONCE, fileKey, EMPTY))}\n`;
}

/** Encrypt bytes for recipients. @param {Uint8Array[]} recipients 1 to 64 */
export async function writeAge(payload, recipients) {
  require(recipients.length > 0 && recipients.length <= MAX_STANZAS, "1 to 64 recipients are possible");
  const fileKey = randomBytes(FILE_KEY_BYTES);
  const stanzas = await Promise.all(recipients.map((recipient) => makeStanza(recipient, fileKey)));
  const covered = utf8(`${VERSION}\n${stanzas.join("")}---`);
  const nonce = randomBytes(16);
  const key = await hkdf(fileKey, nonce, utf8("payload"), 32);
  const sealed = seal(key, LAST_NONCE, payload, EMPTY);
  return concat([covered, utf8(` ${toUnpadded(await makeMac(fileKey, covered))}\n`), nonce, sealed]);
}
