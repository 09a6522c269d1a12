// Encrypted files inside a page: in this one, or in an album that was chosen as a file.

import { base64, fromLetters, readBlob } from "../engine/bytes.js";
import { toAsciiJson } from "../engine/header.js";
import { CallError } from "./calls.js";

const KIND = "application/octet-stream";
// The type of the element with the title of an album and the number of its files.
const ABOUT = "application/json";
const EMBEDDED = new RegExp(`<script type="${KIND}" id="([^"]*)">([^<]*)</` + "script>", "g");
const STATED = new RegExp(`<script type="${ABOUT}" id="album">([^<]*)</` + "script>");
const PIECE = 2 ** 20; // letters, a multiple of 4
const MOST_ALBUM = 2 ** 29; // what browsers take as one text

function decodeFile(text, name) {
  const pieces = [];
  try {
    for (let i = 0; i < text.length; i += PIECE) {
      pieces.push(fromLetters(atob(text.slice(i, i + PIECE))));
    }
  } catch {
    return null;
  }
  return new File(pieces, name);
}

/** The complete files of an album, and a message if others are incomplete. */
function checkAlbum(stated, found) {
  const whole = found.map(([id, text]) => decodeFile(text.trim(), id)).filter((file) => file !== null);
  let [count, title] = [NaN, ""];
  try {
    const { files = found.length, title: text = "" } = JSON.parse(stated);
    [count, title] = [Math.max(files, found.length), `${text}`];
  } catch {
    // How many there are is unknown then.
  }
  const known = count || found.length;
  const fault = count === whole.length ? null : `this album is cut or damaged: ${whole.length} of ${known} files can be read`;
  return { files: whole, count: known, title, fault };
}

/** The album in this page, or null. */
export function findOwnAlbum() {
  const elements = [...document.querySelectorAll(`script[type='${KIND}']`)];
  const stated = document.querySelector(`script[type='${ABOUT}']`)?.textContent ?? null;
  if (elements.length === 0 && stated === null) return null;
  const isPicture = elements.length === 1 && elements[0].id === "picture"; // it states nothing
  // Where an album was cut, nothing follows.
  const found = elements.map((each) => [each.id, each.nextSibling || isPicture ? each.textContent : "!"]);
  return checkAlbum(isPicture ? "{}" : stated, found);
}

/** The files, in which each album is replaced by the files inside it. */
export async function expandAlbums(files, fault) {
  const lists = await Promise.all(
    files.map(async (file) => {
      if (!/\.html?$/i.test(file.name)) return [file];
      if (file.size > MOST_ALBUM) throw new CallError(`'${file.name}' is larger than this page opens`);
      const text = await file.text();
      const found = [...text.matchAll(EMBEDDED)].map(([, id, content]) => [`${file.name}, ${id}`, content]);
      const stated = STATED.exec(text)?.[1] ?? null;
      if (found.length === 0 && stated === null) return [file];
      const album = checkAlbum(stated ?? "{}", found);
      if (album.fault) fault(`${file.name}: ${album.fault}`);
      return album.files;
    }),
  );
  return lists.flat();
}

/** The page of an album without its files. */
export function removeFiles(source) {
  const files = [EMBEDDED, STATED].map(({ source: form }) => new RegExp(`${form}\n`, "g"));
  return files.reduce((text, form) => text.replace(form, ""), source);
}

/** Make an album: this page as it was loaded, which is ASCII, with files inside. @returns {Promise<Blob>} */
export async function writeAlbum(source, blobs, title) {
  const at = source.lastIndexOf("</body>");
  const tag = (type, id, text) => `<script type="${type}" id="${id}">${text}</` + "script>\n";
  const about = { files: blobs.length, ...(title && { title }) };
  const parts = [source.slice(0, at), tag(ABOUT, "album", toAsciiJson(about, /[<>\u007f-\uffff]/g))];
  for (const [i, blob] of blobs.entries()) {
    const pieces = [];
    for (let start = 0; start < blob.size; start += 3 * PIECE) {
      pieces.push(base64(await readBlob(blob.slice(start, start + 3 * PIECE))));
    }
    parts.push(tag(KIND, `file-${i + 1}`, pieces.join("")));
  }
  return new Blob([...parts, source.slice(at)]);
}
