"""What a header must be to stand in any image file: printable ASCII of bounded length."""

from __future__ import annotations

from typing import Final

from sudokucrypt.errors import FormatError

HEADER_LIMIT: Final = 32 * 2**20
"""Most bytes of a header that are read or written."""

HEADER_START: Final = b'{"sudokucrypt":'
"""How a header begins; tells it from other text where a file has but one place for text."""

_PRINTABLE = bytes(range(0x20, 0x7F))


def fault(header: bytes) -> str | None:
    """Tell why these bytes cannot be a header, or return none.

    Control characters are out because text formats rewrite them: XML turns a carriage return into
    a line feed, and a TIFF text ends at a zero byte.
    """
    if len(header) > HEADER_LIMIT:
        return f"it is longer than {HEADER_LIMIT} bytes"
    if header.translate(None, _PRINTABLE):
        return "it is not printable ASCII"
    if not header.startswith(HEADER_START):
        return f"it does not begin with {HEADER_START.decode()}"
    return None


def require_storable(header: bytes) -> None:
    """Raise `FormatError` if these bytes would not come back from an image file as a header."""
    if reason := fault(header):
        raise FormatError(f"a header cannot be stored: {reason}")
