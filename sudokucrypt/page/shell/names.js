// Names of saved files: those that are sealed, but for what a file system or a person could misread.

const MOST_LETTERS = 120;
// Devices of Windows, and what it obeys where it finds it.
const RESERVED = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(?=\.|$)|^(autorun\.inf|desktop\.ini)$/i;

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

/** A name of a file in one folder. @param {?string} sealed @returns {string} */
export function safeName(sealed, fallback) {
  const name = (sealed ?? "")
    .replace(/^.*[/\\]/s, "")
    // Control characters, invisible ones, and those that turn the direction of letters.
    .replace(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}<>:"|?*]/gu, "_")
    .replace(/[. ]+$/, "")
    .replace(RESERVED, "_$&");
  const end = /\.[^.]{1,20}$/.exec(name)?.[0] ?? "";
  const letters = [...name.slice(0, name.length - end.length)];
  return withoutLooseJoiners(letters.slice(0, MOST_LETTERS).join("") + end) || fallback;
}

/** A name without what was added to it when the file was protected. */
export function originalName(name) {
  return name.replace(/(.)\.(encrypted|redacted|rekeyed|scrambled)(\.[^.]+)?$/s, "$1");
}

/** The same names, numbered where they differ in case alone or not at all. */
export function distinctNames(names) {
  const taken = new Set();
  return names.map((name) => {
    const [, stem, end] = /^(.*?)(\.[^.]*)?$/s.exec(name);
    let free = name;
    for (let i = 2; taken.has(free.toLowerCase()); i++) free = `${stem} (${i})${end ?? ""}`;
    taken.add(free.toLowerCase());
    return free;
  });
}

/** A size for people. */
export function sizeText(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  const power = Math.min(3, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toPrecision(3)} ${["kB", "MB", "GB"][power - 1]}`;
}
