// Names of saved files: those that are sealed, but for what a file system or a person could misread.
// The rule is that of the command line (`make_safe_name`), where names suit every system.

import { utf8 } from "../engine/bytes.js";

const MOST_BYTES_OF_NAME = 255;
// Devices of Windows, what it obeys where it finds it, and files that belong to others of ours.
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[1-9\u00b9\u00b2\u00b3]) *(\.|$)/i;
const OBEYED = ["autorun.inf", "desktop.ini"];
/** The suffixes of sidecars, which belong to a picture. */
export const SIDECARS = [".sudokucrypt.json", ".redaction"];

// Joiners are invisible too, but shape words of Persian and of Indian languages, and join emoji.
const SHAPED =
  "\\u0600-\\u1cff\\u2190-\\u21ff\\u2600-\\u27bf\\u2b00-\\u2bff\\ua800-\\uabff\\ufe0f\\u{10a00}-\\u{11fff}\\u{1f000}-\\u{1faff}";
const VOWELLESS = "\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d4d\\u0dca";
const JOINER = "[\\u200c\\u200d]";
const LOOSE_JOINER = new RegExp(`(?<![${SHAPED}])${JOINER}|(?<![${VOWELLESS}])${JOINER}(?![${SHAPED}])`, "gu");

/** The same text for all names that a file system may not distinguish. */
function foldName(name) {
  const letters = [...name.normalize("NFC")];
  const fold = (c) => (c === "\u0131" ? c : c.toLowerCase().toUpperCase().toLowerCase());
  return letters.map(fold).join("").normalize("NFC");
}

/** A name in two parts, of which the second is its end with a dot, if it has one. */
function splitName(name) {
  return /^(.*?)(\.[^.]*)?$/s.exec(name).slice(1);
}

/** The longest start of a stem that fits into a name with `end`, followed by `end`. */
function shortenName(stem, end = "") {
  const letters = [...stem];
  while (letters.length > 0 && utf8(letters.join("") + end).length > MOST_BYTES_OF_NAME) letters.pop();
  return letters.join("") + end;
}

/** A name of a file in one folder. @param {?string} sealed @returns {string} */
export function safeName(sealed, fallback) {
  let name = (sealed ?? "").replace(/[<>:"/\\|?*\0-\x1f]|[. ]$/g, "_");
  if (DEVICE.test(name)) name = `_${name}`;
  // Control characters, invisible ones, and those that turn the direction of letters.
  name = name.replace(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "_");
  name = name.replace(/[. ]+$/, (end) => "_".repeat(end.length));
  const plain = foldName(name);
  if (/^[.-]/.test(name) || DEVICE.test(name) || OBEYED.includes(plain)) name = `_${name}`;
  if (SIDECARS.some((end) => plain.endsWith(end))) name = name.replace(/\.(?=[^.]*$)/, "_");
  name = shortenName(shortenName(...splitName(name))); // an end may be too long, too
  return name.replace(LOOSE_JOINER, "_") || fallback;
}

/** A name without the suffixes that were added when the file was protected. */
export function originalName(name) {
  return name.replace(/(.)\.(encrypted|redacted|rekeyed|scrambled)(\.[^.]+)?$/s, "$1");
}

/** A name with a number before its end. */
export function numberedName(name, number) {
  const [stem, end = ""] = splitName(name);
  return shortenName(stem, ` (${number})${end}`);
}

/** The same names, with numbers if a file system may not distinguish them. */
export function distinctNames(names) {
  const taken = new Set();
  return names.map((name) => {
    let free = name;
    for (let i = 2; taken.has(foldName(free)); i++) free = numberedName(name, i);
    taken.add(foldName(free));
    return free;
  });
}

/** The end of a name, for a file without a preview. */
export function getEnding(name) {
  return /\.([^.]{1,5})$/.exec(name)?.[1].toUpperCase() ?? "";
}

/** A size for people. */
export function formatSize(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  const power = Math.min(3, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toPrecision(3)} ${["kB", "MB", "GB"][power - 1]}`;
}
