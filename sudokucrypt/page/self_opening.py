"""Self-opening pictures: viewers show noise; renamed to ``.html``, browsers open the page.

For a browser, the chunks of the PNG are HTML comments. The marks of these comments, and the page,
are in text chunks of the PNG::

    signature IHDR tEXt "<!doctype html>...<!--." header IDAT ... tEXt "--><!--" PAGE
    "--><script>...</script><!--" IEND

A page that is opened from a file cannot read its own bytes, so the script takes them from the text
of the comment. Browsers decode each byte as a letter of Windows-1252, except that zero becomes
U+FFFD, and each line end a line feed. A list tells which line ends were different.
"""

from __future__ import annotations

import re
from base64 import b64encode

from sudokucrypt.page.assembling import join_code, make_page_parts
from sudokucrypt.page.caption import caption, make_chunk

_START_TEXT = b"Comment\0<!doctype html><meta charset=windows-1252><title>sudokucrypt</title><!--."
# The last chunk of every PNG.
_IEND_CHUNK = (0).to_bytes(4, "big") + b"IEND\xaeB`\x82"
_PNG_HEAD_BYTES = 33  # bytes of signature and IHDR
_CRC_BYTES, _TEXT_OFFSET = 4, len(b"....tEXtComment\0")
_COMMENT_ENDS = re.compile(rb"--!?>")
_LINE_END = re.compile(rb"\r\n|\r|\n")
_LINE_END_DIGITS = {b"\n": 0, b"\r": 1, b"\r\n": 2}
_DIGITS_PER_LETTER, _FIRST_LETTER = 3, 65  # as in shell/opening.js


def make_self_opening_png(png: bytes) -> bytes:
    """Return an encrypted PNG that opens in a browser when its suffix is ``.html``.

    `png` is a result of `encrypt_bytes`. The returned picture has the same header and samples,
    below a caption that tells how to open it.
    """
    png = caption(png)
    first_chunks = png[:_PNG_HEAD_BYTES] + make_chunk(b"tEXt", _START_TEXT)
    comment_chunks = first_chunks[-_CRC_BYTES:] + _split_chunks(
        png[_PNG_HEAD_BYTES : -len(_IEND_CHUNK)]
    )
    # The comment contains the length of the next chunk, whose text depends on the comment. So the
    # length is chosen first, a bit larger than needed, and the text is padded.
    length = len(_make_chunk_text(png[:_PNG_HEAD_BYTES], _make_comment(comment_chunks, 0))) + 16
    text = _make_chunk_text(png[:_PNG_HEAD_BYTES], _make_comment(comment_chunks, length)).ljust(
        length
    )
    return first_chunks[:-_CRC_BYTES] + comment_chunks + make_chunk(b"tEXt", text) + _IEND_CHUNK


def _make_comment(comment_chunks: bytes, length: int) -> bytes:
    """Return the bytes of the comment around the picture, up to the text of the next chunk.

    `length` is the length of that chunk.
    """
    return b"." + comment_chunks + length.to_bytes(4, "big") + b"tEXtComment\0"


def _make_chunk_text(png_head: bytes, comment: bytes) -> bytes:
    """Return the text of the chunk after the picture: the page and the script that opens it."""
    page = b"\x01".join(make_page_parts())
    if _COMMENT_ENDS.search(page) or not page.isascii():
        raise ValueError("the page contains characters that a comment cannot contain")
    digits = [_LINE_END_DIGITS[line_end] for line_end in _LINE_END.findall(comment)]
    digits += [0] * (-len(digits) % _DIGITS_PER_LETTER)
    letters = bytes(
        _FIRST_LETTER + digits[index] + 3 * digits[index + 1] + 9 * digits[index + 2]
        for index in range(0, len(digits), _DIGITS_PER_LETTER)
    )
    line_end_letters = letters.decode("ascii")
    head_text = b64encode(png_head).decode("ascii")
    script_call = f'opening("{head_text}",{1 + _CRC_BYTES},{_TEXT_OFFSET},"{line_end_letters}")'
    script = f'"use strict";(() => {{\n{join_code("shell/opening.js")}{script_call};\n}})();'
    return b"Comment\0--><!--" + page + b"--><script>" + script.encode("ascii") + b"</script><!--"


def _split_chunks(chunks: bytes) -> bytes:
    """Return the chunks of a PNG with IDAT chunks split where their bytes would end a comment."""
    while match := _COMMENT_ENDS.search(chunks):
        position = 0
        while (end := position + 12 + int.from_bytes(chunks[position : position + 4])) <= (
            match.start() + 1
        ):
            position = end
        chunk_type, body = (chunks[position + 4 : position + 8], chunks[position + 8 : end - 4])
        if chunk_type != b"IDAT":
            raise ValueError("a chunk of the picture would end a comment")
        # Split the chunk inside the bytes that would end the comment. If these bytes are in the
        # checksum, split the body in the middle, so that the checksum changes.
        split_position = match.start() + 1 - (position + 8)
        split_position = split_position if 0 < split_position < len(body) else len(body) // 2
        halves = make_chunk(chunk_type, body[:split_position]) + make_chunk(
            chunk_type, body[split_position:]
        )
        chunks = chunks[:position] + halves + chunks[end:]
    return chunks
