// The script of a picture that opens itself: it reads the picture back from the document.

// Windows-1252, in which every byte is a letter: those of 128 to 159 that are not their own number.
const WINDOWS_1252 =
  "\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f" +
  "\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178";
const LINE_ENDS = [[10], [13], [13, 10]]; // all are line feeds once a browser has read them
const DIGITS_A_LETTER = 3; // line ends in a letter of the list
const FIRST_LETTER = 65; // the letter of a list of line feeds

/** The bytes that a comment was made of. @param {string} ends letters, base 3 */
function decodeComment(text, ends) {
  const codes = new Map(Array.from(WINDOWS_1252, (letter, i) => [letter.charCodeAt(0), 128 + i]));
  codes.set(0xfffd, 0); // what browsers read for a zero byte
  const data = new Uint8Array(2 * text.length);
  let [length, feeds] = [0, 0];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code !== 10) {
      data[length++] = codes.get(code) ?? code;
      continue;
    }
    const letter = ends.charCodeAt(Math.floor(feeds / DIGITS_A_LETTER)) - FIRST_LETTER;
    const kind = Math.floor(letter / 3 ** (feeds++ % DIGITS_A_LETTER)) % 3;
    for (const byte of LINE_ENDS[kind]) data[length++] = byte;
  }
  return data.subarray(0, length);
}

/** Put the page into the place of the picture, with the picture inside as base64. */
export function opening(head, skipped, kept, ends) {
  const comments = [...document.childNodes, ...document.body.childNodes].filter((n) => n.nodeType === 8);
  const [picture, page] = comments.map((node) => node.data);
  const data = decodeComment(picture, ends);
  const letters = [atob(head)];
  const end = data.length - kept;
  for (let i = skipped; i < end; i += 8192) {
    letters.push(String.fromCharCode(...data.subarray(i, Math.min(i + 8192, end))));
  }
  letters.push("\0\0\0\0IEND\xaeB`\x82");
  const file = `<script type="application/octet-stream" id="picture">${btoa(letters.join(""))}<\/script>`;
  // While the document is read, it could not be replaced, and would ignore the policy of the page.
  addEventListener("DOMContentLoaded", () => {
    document.open();
    document.write(page.replace("\x01", () => file));
    document.close();
  });
}
