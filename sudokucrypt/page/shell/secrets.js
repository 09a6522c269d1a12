// Reading the key or passphrase that was entered, and offering one of six words.

import { draw, randomWords } from "../engine/draws.js";
import { CallError } from "./calls.js";
import { byId, readLines } from "./elements.js";

const MOST_KEY_BYTES = 65536;
const WORD_COUNT = 6;

/** Decode the list of words: a number is the count of first letters that a word shares with the one
 * before it; without a number, the count is the same as for that word. */
function listWords() {
  let [word, same] = ["", ""];
  const coded = byId("words").textContent.split("\n").at(-1).matchAll(/(\d*)(\D[a-z-]*)/g);
  return Array.from(coded, ([, count, rest]) => (word = word.slice(0, (same = count || same)) + rest.toLowerCase()));
}

/** A passphrase of six words, each one of 1,296: 62 bits. @returns {string} */
export function drawPassphrase() {
  const words = listWords();
  return Array.from({ length: WORD_COUNT }, () => words[draw(words.length, randomWords)]).join(" ");
}

// The keys and passphrase of the program that serves the page, if there is one.
const handed = { keyTexts: [], passphrase: null, folded: null };

/** Use these keys, or this passphrase, if nothing is entered. */
export function handSecret(keyTexts, passphrase) {
  Object.assign(handed, { keyTexts, passphrase });
  byId("handed").hidden = keyTexts.length === 0 && passphrase === null;
}

/**
 * The words that a text spells with other capitals or spaces, if all are drawn ones; else null.
 * @param {string[]} words that are drawn @returns {?string}
 */
function foldWords(text, words) {
  const spelled = text.toLowerCase().split(/[ \t\r\n\u00a0\u2000-\u200a\u202f\u3000]+/).filter(Boolean);
  const folded = spelled.join(" ");
  return folded !== "" && folded !== text && spelled.every((word) => words.includes(word)) ? folded : null;
}

/** The texts of keys, from all chosen files and the typed text. */
async function readKeyTexts() {
  const typed = byId("key-text").value.trim();
  const texts = [...byId("key-file").files].map((file) => {
    if (file.size > MOST_KEY_BYTES) throw new CallError(`'${file.name}' is no key file`);
    return file.text();
  });
  return [...(await Promise.all(texts)), ...(typed ? [typed] : [])];
}

/** Read the secret that was entered. @returns {Promise<{keyTexts: string[], passphrase: ?string, folded: ?string, others: [string, ?string][], recipients: string[]}>} */
export async function readSecret(isNew, draw = null) {
  const keys = await readKeyTexts();
  if (draw && keys.length > 0) throw new CallError("an album takes a passphrase or recipients, and no key");
  const others = isNew ? [] : readLines(byId("others"));
  const passphrase = byId("passphrase").value || (others.shift() ?? null);
  const recipients = isNew ? readLines(byId("recipients")) : [];
  if (keys.length === 0 && passphrase === null && recipients.length === 0) {
    if (draw) return { keyTexts: [], passphrase: draw(), folded: null, recipients, isNew, drawn: true };
    if (!byId("handed").hidden) return { ...handed, recipients, isNew };
    const ways = isNew ? "choose a key file, or enter recipients under More" : "or choose a key file";
    throw new CallError(`no key: enter a passphrase, ${ways}`);
  }
  const repeated = byId("show-passphrase").checked || byId("again").value === passphrase;
  if (isNew && keys.length === 0 && passphrase !== null && !repeated) {
    throw new CallError("the two passphrases differ; type them again");
  }
  const words = listWords();
  const folded = passphrase === null ? null : foldWords(passphrase, words);
  return { keyTexts: keys, passphrase, folded, others: others.map((text) => [text, foldWords(text, words)]), recipients, isNew };
}

/** Empty the fields, so that nothing stays in them. */
export function clearSecret() {
  for (const id of ["passphrase", "again", "key-file", "key-text", "others", "recipients"]) byId(id).value = "";
  handSecret([], null);
}
