"""Our header in segments of a JPEG: its text without extras, a line feed, and the extras."""

import re
from base64 import b64encode
from binascii import a2b_base64
from collections.abc import Iterable, Iterator
from typing import Final

from sudokucrypt.images.jpeg.segments import LONGEST_BODY, Segment
from sudokucrypt.images.source import Source

# APP11, which programs copy or drop, but do not change.
_MARKER: Final = 0xEB
_START: Final = b"sudokucrypt\0"
_EXTRAS: Final = re.compile(rb'(?<="extras":")[A-Za-z0-9+/=]*(?=")')
# What is sealed is written as bytes behind the header: Base64 would make the file a third larger.
_NO_EXTRAS: Final = b'"extras":""'


def header_segments(header: bytes) -> Iterator[Segment]:
    """Yield the segments that hold a header."""
    match = _EXTRAS.search(header)
    text = header if match is None else header[: match.start()] + header[match.end() :]
    data = text + b"\n" + (b"" if match is None else a2b_base64(match[0]))
    room = LONGEST_BODY - len(_START)
    for at in range(0, len(data), room):
        yield Segment(_MARKER, _START + data[at : at + room])


def header_piece(marker: int, body: bytes) -> bytes | None:
    """Return what a segment holds of a header, none if it is another segment."""
    return body[len(_START) :] if marker == _MARKER and body.startswith(_START) else None


def joined_header(source: Source, pieces: Iterable[bytes]) -> bytes | None:
    """Return the header from its pieces, none if there are none; `FormatError` if it is damaged."""
    data = b"".join(pieces)
    if not data:
        return None
    text, feed, description = data.partition(b"\n")
    before, gap, after = text.partition(_NO_EXTRAS)
    if not feed or bool(gap) != bool(description):
        raise source.bad_header("it is not as a JPEG holds it")
    return source.header([before + gap[:-1] + b64encode(description) + gap[-1:] + after])
