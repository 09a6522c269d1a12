// Reading the key or passphrase that was entered, and offering one of six words.

import { CallError } from "./calls.js";
import { byId } from "./elements.js";

const MOST_KEY_BYTES = 65536;
const WORD_COUNT = 6;

/** A number below a bound, each as likely as any other. */
function drawBelow(bound) {
  const limit = 2 ** 32 - (2 ** 32 % bound);
  for (;;) {
    const [word] = crypto.getRandomValues(new Uint32Array(1));
    if (word < limit) return word % bound;
  }
}

/** A passphrase of six words, each one of 1,296: 62 bits. @returns {string} */
export function drawPassphrase() {
  const lines = byId("words").textContent.split("\n");
  const words = lines.filter((line) => line && !line.startsWith("#"));
  return Array.from({ length: WORD_COUNT }, () => words[drawBelow(words.length)]).join(" ");
}

async function keyText() {
  const [file] = byId("key-file").files;
  const typed = byId("key-text").value.trim();
  if (file && typed) throw new CallError({ message: "give the key in one way only" });
  if (!file) return typed || null;
  if (file.size > MOST_KEY_BYTES) throw new CallError({ message: `'${file.name}' is no key file` });
  return file.text();
}

/** What was entered. @returns {Promise<{keyText: ?string, passphrase: ?string, recipients: string[]}>} */
export async function enteredSecret({ isNew }) {
  const key = await keyText();
  const passphrase = byId("passphrase").value || null;
  const lines = isNew ? byId("recipients").value.split("\n") : [];
  const recipients = lines.map((line) => line.trim()).filter(Boolean);
  if (key === null && passphrase === null) {
    if (recipients.length) return { keyText: null, passphrase, recipients };
    throw new CallError({ message: "no key: enter a passphrase, or choose a key file" });
  }
  const repeated = byId("show-passphrase").checked || byId("again").value === passphrase;
  if (isNew && key === null && !repeated) {
    throw new CallError({ message: "the two passphrases differ; type them again" });
  }
  return { keyText: key, passphrase, recipients };
}

/** Empty the fields, so that nothing stays in them. */
export function clearSecret() {
  for (const id of ["passphrase", "again", "key-file", "key-text", "recipients"]) byId(id).value = "";
}
