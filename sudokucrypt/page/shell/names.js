// Names of saved files: those that are sealed, but for what a file system or a person could misread,
// as the command line does on Windows, which takes the fewest.

import { utf8 } from "../engine/bytes.js";

const MOST_BYTES_OF_NAME = 255;
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[1-9\xb9\xb2\xb3]) *(\.|$)/i;
// What Windows obeys where it finds it.
const OBEYED = ["autorun.inf", "desktop.ini"];
const BESIDE_PICTURES = /^(.*)\.(sudokucrypt\.json|redaction)$/s; // what stands beside a picture

// Joiners are invisible too, but shape words of Persian and of Indian languages, and join emoji.
const SHAPED =
  /[\u0600-\u1cff\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\ua800-\uabff\ufe0f\u{10a00}-\u{11fff}\u{1f000}-\u{1faff}]/u;
const VOWELLESS = /[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca]/;

function withoutLooseJoiners(name) {
  const letters = [...name];
  const keeps = ([before = "", after = ""]) => SHAPED.test(before) && (SHAPED.test(after) || VOWELLESS.test(before));
  const isLoose = (c, i) => /[\u200c\u200d]/.test(c) && !keeps([letters[i - 1], letters[i + 1]]);
  return letters.map((c, i) => (isLoose(c, i) ? "_" : c)).join("");
}

/** The form that names have in common which a file system may take for one. */
function foldedName(name) {
  return name.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}

/** The longest start of a name that has so many bytes with what follows it, and that. */
function shortened(stem, end) {
  const letters = [...stem];
  while (letters.length > 0 && utf8(letters.join("") + end).length > MOST_BYTES_OF_NAME) letters.pop();
  return letters.join("") + end;
}

/** A name of a file in one folder. @param {?string} sealed @returns {string} */
export function safeName(sealed, fallback) {
  if (!sealed) return fallback;
  // Control characters, invisible ones, those that turn the direction of letters, and what Windows
  // takes for a path, or forbids; it also drops dots and spaces at the end.
  let name = sealed
    .replace(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}<>:"|?*/\\]/gu, "_")
    .replace(/[. ]+$/, (end) => "_".repeat(end.length));
  if (/^[.-]/.test(name) || DEVICE.test(name) || OBEYED.includes(foldedName(name))) name = `_${name}`;
  if (BESIDE_PICTURES.test(foldedName(name))) name = name.replace(/\.([^.]*)$/s, "_$1");
  const [, stem, end] = /^(.+?)(\.[^.]*)?$/s.exec(name);
  return withoutLooseJoiners(shortened(stem, end ?? ""));
}

/** A name without what was added to it when the file was protected. */
export function originalName(name) {
  return name.replace(/(.)\.(encrypted|redacted|rekeyed|scrambled)(\.[^.]+)?$/s, "$1");
}

/** The same names, numbered where a file system could take two for one. */
export function distinctNames(names) {
  const taken = new Set();
  return names.map((name) => {
    const [, stem, end = ""] = /^(.*?)(\.[^.]*)?$/s.exec(name);
    let free = name;
    for (let i = 2; taken.has(foldedName(free)); i++) free = shortened(stem, ` (${i})${end}`);
    taken.add(foldedName(free));
    return free;
  });
}

/** A size for people. */
export function sizeText(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  const power = Math.min(3, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toPrecision(3)} ${["kB", "MB", "GB"][power - 1]}`;
}
