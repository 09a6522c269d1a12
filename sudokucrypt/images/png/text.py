"""Text chunks of PNG: tEXt in Latin-1, and iTXt in UTF-8 as far as it is plain.

::

    tEXt: keyword 0 text      iTXt: keyword 0 | compressed? method | language 0 | keyword 0 | text
"""

from __future__ import annotations

import re
from typing import Final

HEADER_START: Final = b"sudokucrypt\0"
"""How the iTXt chunk begins that is kept for our header."""

XMP_START: Final = b"XML:com.adobe.xmp\0"
"""How the iTXt chunk begins that holds an XMP packet."""

PLAIN: Final = b"\0\0\0\0"
"""Behind the keyword: not compressed, method 0, no language, no translated keyword."""

# Up to 79 printable Latin-1 characters, spaces only between words.
_KEYWORD = re.compile(r"(?=.{1,79}\Z)[!-~\xa1-\xff]+(?: [!-~\xa1-\xff]+)*")


def read_text(kind: bytes, body: bytes) -> tuple[str, str] | None:
    r"""Return keyword and text of a chunk that says nothing more, or none.

    Examples
    --------
    >>> read_text(b"tEXt", b"Comment\0caf\xe9")
    ('Comment', 'café')
    """
    start, separator, rest = body.partition(b"\0")
    keyword = start.decode("latin-1")
    if not separator or not _KEYWORD.fullmatch(keyword):
        return None
    try:
        if kind == b"tEXt":
            text = rest.decode("latin-1")
        elif kind == b"iTXt" and rest.startswith(PLAIN):
            text = rest[len(PLAIN) :].decode()
        else:
            return None
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else (keyword, text)


def text_chunk(keyword: str, text: str) -> tuple[bytes, bytes] | None:
    r"""Return the chunk that holds a text, tEXt if Latin-1 will do, or none if none can hold it.

    Examples
    --------
    >>> text_chunk("Comment", "caf\xe9")
    (b'tEXt', b'Comment\x00caf\xe9')
    """
    if not _KEYWORD.fullmatch(keyword) or "\0" in text:
        return None
    start = keyword.encode("latin-1") + b"\0"
    try:
        return b"tEXt", start + text.encode("latin-1")
    except UnicodeEncodeError:
        pass
    if start in (HEADER_START, XMP_START):
        return None
    try:
        return b"iTXt", start + PLAIN + text.encode()
    except UnicodeEncodeError:
        return None
