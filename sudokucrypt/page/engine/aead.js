// ChaCha20-Poly1305 (RFC 8439) for a few bytes: locked keys, and the payloads of age files.

import { concat, le64, sameBytes, zeros } from "./bytes.js";
import { mask, readStart } from "./chacha20.js";

/** The nonce of a key that encrypts only one message. */
export const ZERO_NONCE = [0, 0, 0];
const PRIME = 2n ** 130n - 5n;

function readLittle(data) {
  let number = 0n;
  for (let i = data.length - 1; i >= 0; i--) number = (number << 8n) | BigInt(data[i]);
  return number;
}

/** The Poly1305 tag of a message. BigInt is slow and simple, and messages are short here. */
function poly1305(key, message) {
  const r = readLittle(key.subarray(0, 16)) & 0x0ffffffc0ffffffc0ffffffc0fffffffn;
  let sum = 0n;
  for (let i = 0; i < message.length; i += 16) {
    const block = message.subarray(i, i + 16);
    sum = ((sum + readLittle(block) + (1n << BigInt(8 * block.length))) * r) % PRIME;
  }
  sum += readLittle(key.subarray(16));
  return Uint8Array.from({ length: 16 }, (_, i) => Number((sum >> BigInt(8 * i)) & 255n));
}

const pad = (data) => zeros((16 - (data.length % 16)) % 16);

function makeTag(key, nonce, data, associated) {
  const lengths = concat([le64(associated.length), le64(data.length)]);
  const message = concat([associated, pad(associated), data, pad(data), lengths]);
  return poly1305(readStart(key, nonce, 32), message);
}

/** Encrypt data, and append a tag of 16 bytes. @param {number[]} nonce three words */
export function seal(key, nonce, data, associated) {
  const masked = mask(data.slice(), key, 8, 1, nonce);
  return concat([masked, makeTag(key, nonce, masked, associated)]);
}

/** Undo `seal`. @returns {?Uint8Array} null for another key or changed data */
export function unseal(key, nonce, sealed, associated) {
  const data = sealed.slice(0, -16);
  const whole = sealed.length >= 16 && sameBytes(makeTag(key, nonce, data, associated), sealed.slice(-16));
  return whole ? mask(data, key, 8, 1, nonce) : null;
}
