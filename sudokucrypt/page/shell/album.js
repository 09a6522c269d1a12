// Encrypted files inside a page: in this one, or in an album that was chosen as a file.

const KIND = "application/octet-stream";
const EMBEDDED = new RegExp(`<script type="${KIND}" id="([^"]*)">([A-Za-z0-9+/=]*)</` + "script>", "g");
const PIECE = 2 ** 20; // letters, a multiple of 4
const MOST_ALBUM = 2 ** 29; // what browsers take as one text

function fileOf(text, name) {
  const pieces = [];
  for (let i = 0; i < text.length; i += PIECE) {
    pieces.push(Uint8Array.from(atob(text.slice(i, i + PIECE)), (letter) => letter.charCodeAt(0)));
  }
  return new File(pieces, name);
}

/** The files in this page, as if they had been chosen. @returns {File[]} */
export function albumFiles() {
  const elements = document.querySelectorAll(`script[type='${KIND}']`);
  return [...elements].map(({ textContent, id }) => fileOf(textContent.trim(), id));
}

/** The files with those in albums in place of these. Nothing else of an album is looked at. */
export async function withAlbums(files) {
  const lists = await Promise.all(
    files.map(async (file) => {
      if (!/\.html?$/i.test(file.name) || file.size > MOST_ALBUM) return [file];
      const found = [...(await file.text()).matchAll(EMBEDDED)];
      const within = found.map(([, id, text]) => fileOf(text, `${file.name}, ${id}`));
      return within.length > 0 ? within : [file];
    }),
  );
  return lists.flat();
}
