// Texts of keys and key files (scrambling, section 1; encryption, sections 4 and 5).

import { seal, unseal, ZERO_NONCE } from "./aead.js";
import { parseIdentity } from "./age.js";
import { fromBech32, toBech32 } from "./bech32.js";
import { hex, randomBytes, Refused, require, utf8 } from "./bytes.js";
import { subkey } from "./hashing.js";
import { derive, DerivationBudget, KDF, encodePassphrase } from "./passphrases.js";
import { isShare, joinShares } from "./shares.js";

const PREFIXES = new Map([["sudokucrypt-key-", "key"], ["sudokucrypt-picture-key-", "picture"]]);
const LOCKED = "sudokucrypt-locked-";
const IDENTITY = "age-secret-key-";

/** Parse the text of a key or picture key. */
export function parseKey(line) {
  const { prefix, data } = fromBech32(line);
  require(PREFIXES.has(prefix) && data.length === 32, "this is no key");
  return { kind: PREFIXES.get(prefix), bytes: data };
}

/** Lines of a key file that are neither empty nor comments. @param {Uint8Array} content */
export function listKeyLines(content) {
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw new Refused("a key file is UTF-8 text");
  }
  text = text.replace(/^\ufeff/, "");
  require(!text.startsWith("\ufeff"), "a key file has at most one byte order mark");
  const lines = text.split("\n").map((line) => line.replace(/^[ \t\r]+|[ \t\r]+$/g, ""));
  return lines.filter((line) => line && !line.startsWith("#"));
}

/**
 * A passphrase as a secret for one run, in which all protected files share a derivation.
 * @param {?string} folded the drawn words that it may be another spelling of
 */
export function makePassphrase(text, folded = null) {
  encodePassphrase(text); // refuses an invalid passphrase
  return { kind: "passphrase", text, readings: folded === null ? [text] : [text, folded], kdf: null, budget: new DerivationBudget() };
}

const MOST_DERIVED = 64; // most stored keys, as each hostile file may have a salt of its own
const keyCache = new Map();

/** The master key of a passphrase, which is stored, since files may share a derivation. */
export function deriveOnce(kdf, text, report) {
  const name = `${kdf}\0${text}`;
  if (!keyCache.has(name)) {
    if (keyCache.size >= MOST_DERIVED) keyCache.delete(keyCache.keys().next().value);
    const key = derive(kdf, text, report);
    key.catch(() => keyCache.delete(name)); // so that it is tried again, perhaps with enough memory
    keyCache.set(name, key);
  }
  return keyCache.get(name);
}

/** The master key of a passphrase for all files that this run protects, and its derivation. */
export async function deriveNewKey(secret, report) {
  secret.kdf ??= `${KDF}:${hex(randomBytes(16))}`;
  return { kdf: secret.kdf, master: await deriveOnce(secret.kdf, secret.text, report) };
}

/** The secret in a key file or in an identity file; a key is unlocked with a passphrase if it is locked. */
export async function readKeyFile(content, passphrase = null, report = () => {}, folded = null) {
  const lines = listKeyLines(content);
  if (lines[0]?.toLowerCase().startsWith(IDENTITY)) {
    return { kind: "identity", identities: lines.map(parseIdentity) };
  }
  require(lines.length === 1 || lines.length === 2, "a key file holds exactly one key");
  if (lines.length === 1) return parseKey(lines[0]);
  const [derivation, text] = lines;
  const { prefix, data } = fromBech32(text);
  const postQuantum = "a locked post-quantum identity opens pictures on the command line only";
  require(prefix !== `${LOCKED}${IDENTITY}pq-`, postQuantum);
  const isIdentity = prefix === `${LOCKED}${IDENTITY}`;
  require((isIdentity || prefix === `${LOCKED}key-`) && data.length === 48, "this is no locked key");
  require(passphrase !== null, "the key file is locked with a passphrase");
  const use = isIdentity ? `lock/${IDENTITY.slice(0, -1)}` : "lock";
  for (const reading of folded === null ? [passphrase] : [passphrase, folded]) {
    const key = await subkey(await deriveOnce(derivation, reading, report), use);
    const bytes = unseal(key, ZERO_NONCE, data, utf8(derivation));
    if (bytes !== null) return isIdentity ? { kind: "identity", locked: true, identities: [bytes] } : { kind: "key", locked: true, bytes };
  }
  throw new Refused("the passphrase is wrong, or the key file was altered");
}

/**
 * The secrets in texts of keys and key files, all of which are tried. Shares among them are joined to
 * their key; a text may hold several of them, or of keys.
 */
export async function readSecrets(texts, passphrase = null, report = () => {}, folded = null) {
  const [secrets, shares] = [[], []];
  for (const [i, text] of texts.entries()) {
    try {
      const lines = listKeyLines(utf8(text));
      const keys = lines.filter((line) => !isShare(line));
      shares.push(...lines.filter(isShare));
      const plain = keys.length > 1 && keys.every((line) => [...PREFIXES.keys()].some((prefix) => line.toLowerCase().startsWith(prefix)));
      if (plain) secrets.push(...keys.map(parseKey));
      else if (keys.length > 0 || lines.length === 0) secrets.push(await readKeyFile(utf8(keys.join("\n")), passphrase, report, folded));
    } catch (error) {
      if (texts.length === 1 || !(error instanceof Refused)) throw error;
      throw new Refused(`key ${i + 1} of ${texts.length}: ${error.message}`);
    }
  }
  if (shares.length > 0) secrets.push({ kind: "key", bytes: joinShares(shares) });
  return secrets;
}

/** The text of a key file that a passphrase unlocks (encryption, section 5). */
export async function lockKeyFile(text, passphrase, report = () => {}) {
  const secret = await readKeyFile(utf8(text));
  require(secret.kind === "key", "the page locks key files, and neither identities nor keys of pictures");
  const derivation = `${KDF}:${hex(randomBytes(16))}`;
  const key = await subkey(await derive(derivation, passphrase, report), "lock");
  const data = seal(key, ZERO_NONCE, secret.bytes, utf8(derivation));
  return `${derivation}\n${toBech32(LOCKED + "key-", data).toUpperCase()}\n`;
}

/** The text of a key file with a fresh master key. */
export function makeKeyFile() {
  const key = randomBytes(32);
  return `${toBech32("sudokucrypt-key-", key).toUpperCase()}\n`;
}
