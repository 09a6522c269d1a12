// Names of saved files: those that are sealed, but for what a file system or a person could misread.

const MOST_LETTERS = 120;
const RESERVED = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(?=\.|$)/i; // devices of Windows

/** A name of a file in one folder. @param {?string} sealed @returns {string} */
export function safeName(sealed, fallback) {
  const name = (sealed ?? "")
    .replace(/^.*[/\\]/s, "")
    // Control characters, invisible ones, and those that turn the direction of letters.
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}<>:"|?*]/gu, "_")
    .replace(/[. ]+$/, "")
    .replace(RESERVED, "_$&");
  const end = /\.[^.]{1,20}$/.exec(name)?.[0] ?? "";
  const letters = [...name.slice(0, name.length - end.length)];
  return letters.slice(0, MOST_LETTERS).join("") + end || fallback;
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
