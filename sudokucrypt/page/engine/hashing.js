// SHA-256, HMAC and HKDF by WebCrypto, and the subkeys of section 1 of the page on scrambling.

import { concat, hex, require, utf8, zeros } from "./bytes.js";

/** SHA-256 of bytes. @returns {Promise<Uint8Array>} 32 bytes */
export async function sha256(data) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", data));
}

/** HMAC-SHA-256. @returns {Promise<Uint8Array>} 32 bytes */
export async function hmac(key, message) {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, message));
}

/** HKDF-SHA-256. @param {Uint8Array} salt perhaps empty @returns {Promise<Uint8Array>} */
export async function hkdf(material, salt, info, length) {
  const imported = await crypto.subtle.importKey("raw", material, "HKDF", false, ["deriveBits"]);
  const algorithm = { name: "HKDF", hash: "SHA-256", salt, info };
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, imported, 8 * length));
}

/**
 * Subkey of a key for a use of the table, which names its level. A context of no bytes is not the
 * same as none.
 */
export function subkey(key, use, context = null, length = 32) {
  const info = utf8(`sudokucrypt/v1/${use}`);
  const bound = context === null ? info : concat([info, zeros(1), context]);
  return hkdf(key, zeros(0), bound, length);
}

/** Key id of a master key: 8 hexadecimal digits. @returns {Promise<string>} */
export async function keyId(master) {
  return hex(await subkey(master, "master/id", null, 4));
}

/** Picture key for the salt of one picture. @returns {Promise<Uint8Array>} */
export function pictureKey(master, salt) {
  require(master.length === 32 && salt.length === 16, "a master key is 32 bytes, a salt 16");
  return subkey(master, "master/picture", salt);
}
