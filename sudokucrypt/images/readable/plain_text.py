"""Which texts are for people: short, printable, and no bytes in disguise."""

from __future__ import annotations

import re
from typing import Final

from sudokucrypt.images.readable.wrappings import holds_picture

MOST_CHARACTERS: Final = 1024
"""Most characters of a text that is copied."""

_SPACE: Final = "\t\n\r"
# No word is that long; lines of base64 and of hexadecimal digits are.
_CODED = re.compile(r"[A-Za-z0-9+/=_-]{64}")


def is_plain(text: str) -> bool:
    r"""Tell whether a text may be copied.

    Examples
    --------
    >>> is_plain("Lake, early morning"), is_plain("\x01"), is_plain("/9j/" * 16)
    (True, False, False)
    """
    if not 0 < len(text) <= MOST_CHARACTERS or _CODED.search(text):
        return False
    if not text.translate(dict.fromkeys(map(ord, _SPACE))).isprintable():
        return False
    return not holds_picture(text.encode())
