// Keys from passphrases (encryption, section 4), within the limits of the package's reader.

import { argon2id } from "./argon2.js";
import { addUp, Refused, require, unhex, utf8 } from "./bytes.js";
import { scrypt } from "./scrypt.js";

/** The field `kdf` that new files get, without its salt. */
export const KDF = "argon2id:m=262144,t=3,p=4";

const KEY_LENGTH = 32;
const NUMBER = "([1-9][0-9]{0,9})";
const FORM = new RegExp(`^(argon2id|scrypt):m=${NUMBER},t=${NUMBER},p=${NUMBER}:([0-9a-f]{32})$`);

/** The bytes of a passphrase: NFC, as UTF-8. @returns {Uint8Array} */
export function encodePassphrase(text) {
  require(text.isWellFormed(), "the passphrase is not valid Unicode text");
  require(text !== "", "the passphrase is empty");
  require(!text.includes("\0"), "the passphrase holds a zero character");
  return utf8(text.normalize("NFC"));
}

/** Parse a field `kdf`: function, numbers and salt; impossible ones are refused. */
export function readKdf(kdf) {
  const match = FORM.exec(kdf);
  require(match, "the field 'kdf' is malformed");
  const [memory, iterations, lanes] = match.slice(2, 5).map(Number);
  const allowed = memory <= 2 ** 22 && iterations <= 64 && lanes <= 64;
  require(allowed, "the field 'kdf' asks for more memory or time than is allowed");
  const slow = match[1] === "scrypt";
  const possible = slow
    ? memory >= 2 && (memory & (memory - 1)) === 0 && iterations === 1
    : memory >= 8 * lanes;
  require(possible, `the field 'kdf' holds numbers that ${match[1]} cannot take`);
  return { slow, memory, iterations, lanes, salt: unhex(match[5]) };
}

const USUAL = 786432; // KiB passes: what `KDF` costs
const USUAL_FOR_COSTLY = 8; // usual derivations that may fail for each costly one
const MOST_COSTLY = 3;

/**
 * Limits the cost of failing derivations in one run, as on the command line: the sender of a file, its
 * layers or an album chooses their costs. Those that the passphrase opens count for nothing.
 */
export class DerivationBudget {
  #good = new Set();
  #spent = new Map();

  /** Count a derivation, or refuse it if too many failed before. */
  admit(kdf) {
    if (this.#good.has(kdf) || this.#spent.has(kdf)) return;
    const { slow, memory, iterations, lanes } = readKdf(kdf);
    const cost = slow ? memory * lanes * 6 : memory * iterations; // half the memory takes as long
    const costly = cost > USUAL || (!slow && memory > 2 ** 18);
    const failed = [...this.#spent.values()].filter((other) => other.costly === costly);
    const sum = cost + addUp(failed.map((other) => other.cost));
    const full = costly ? failed.length >= MOST_COSTLY : sum > USUAL_FOR_COSTLY * MOST_COSTLY * USUAL;
    require(!full, `deriving the key of the file takes a while, and failed for ${failed.length} others: if you trust the file, open it alone`);
    this.#spent.set(kdf, { costly, cost });
  }

  /** Stop counting a derivation whose key was right. */
  confirm(kdf) {
    this.#spent.delete(kdf);
    this.#good.add(kdf);
  }
}

/** Refuse a derivation that costs more than an untrusted file may require. */
function checkCost({ slow, memory, iterations, lanes }) {
  const work = slow ? memory * lanes <= 2 ** 20 : memory * iterations <= 2 ** 22 && lanes <= 16;
  const message = "deriving the key from the passphrase would take more memory or time than is allowed";
  require(work && memory <= 7 * 2 ** 17, message);
}

/**
 * The master key that a passphrase gives.
 * @param {string} kdf the field of the header @param {string} passphrase
 * @param {(stage: string, done: number, total: number) => void} report
 * @returns {Promise<Uint8Array>} 32 bytes
 */
export async function derive(kdf, passphrase, report) {
  const cost = readKdf(kdf);
  checkCost(cost);
  const { slow, memory, iterations, lanes, salt } = cost;
  const secret = encodePassphrase(passphrase);
  const step = (done, total) => report("deriving the key", done, total);
  try {
    if (slow) return await scrypt(secret, salt, memory, lanes, KEY_LENGTH, step);
    return await argon2id(secret, salt, { memory, iterations, lanes, length: KEY_LENGTH }, step);
  } catch (error) {
    // Browsers throw this error if they lack memory for an array or for growing one.
    if (error instanceof RangeError) throw new Refused("there is not enough memory");
    throw error;
  }
}
