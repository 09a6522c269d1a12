"""JPEG as a row of segments, and the bounds on how many of them are read.

::

    FF D8 | FF marker length body | ... | FF DA length body coded data | ... | FF D9 | the rest

A marker may have more bytes FF before it. Coded data end at the first marker that is neither a
stuffed zero, nor a restart, nor such a fill byte.

References
----------
.. [1] ITU-T T.81 (1992), annex B, https://www.w3.org/Graphics/JPEG/itu-t81.pdf
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sudokucrypt.images.source import Source, most_parts

START: Final = b"\xff\xd8"
END, SCAN, HUFFMAN, QUANTISERS, RESTARTS = 0xD9, 0xDA, 0xC4, 0xDB, 0xDD

# DHT, JPG and DAC are no frames.
FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
# Baseline, extended and progressive frames with Huffman codes.
READABLE_FRAMES: Final = frozenset({0xC0, 0xC1, 0xC2})

_ARITHMETIC: Final = frozenset({0xC9, 0xCA})

LONGEST_BODY: Final = 65533
"""Most bytes of a segment behind its length."""

# How often a JPEG may go over its pixels; encoders take about ten scans.
MOST_SCANS: Final = 32

# What a file with a DNL segment is called.
OPEN_ROWS: Final = "a JPEG that states its number of rows only at its end"

_MOST_SCANNED: Final = 2**31  # pixels of all scans together; small pictures may have more scans
_FILL: Final = re.compile(rb"\xff*")
_AFTER_CODED: Final = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")


# Marker and first bytes of the segments of metadata.
JFIF: Final = (0xE0, b"JFIF\0")
EXIF: Final = (0xE1, b"Exif\0\0")
XMP: Final = (0xE1, b"http://ns.adobe.com/xap/1.0/\0")
PROFILE: Final = (0xE2, b"ICC_PROFILE\0")


@dataclass(frozen=True)
class Segment:
    """A marker and what it says."""

    marker: int  #: The second byte of the marker, such as 0xC4 for Huffman tables.
    body: bytes  #: What follows the length, at most 65533 bytes.
    fill: int = 0  #: How many fill bytes precede the marker.

    def to_bytes(self) -> bytes:
        """Return fill bytes, marker, length and body."""
        length = len(self.body) + 2
        start = b"\xff" * (self.fill + 1) + bytes([self.marker])
        return start + length.to_bytes(2, "big") + self.body


@dataclass(frozen=True)
class ScannedSegment:
    """A segment where it lies in a file; marker and fill are as `Segment` has them."""

    marker: int
    body: memoryview  # what follows the length; all that follows the marker if it is the end
    fill: int
    coded: memoryview  # the coded data behind the start of a scan, empty for any other segment


def walk_segments(source: Source, *, whole: bool = True) -> Iterator[ScannedSegment]:
    """Yield every segment of a file up to its end, or only those before the first scan.

    Raises `InvalidImageError` if the file ends before its end marker, or something else is between
    two segments.
    """
    data = source.data
    view = memoryview(data)
    position = 2
    most = most_parts(len(data))
    for _ in range(most):
        start = position
        position = after_fill(data, position)
        if position - start > most:  # Pillow reads each by itself
            raise source.too_many_parts("fill bytes")
        if position >= len(data):
            raise source.cut_short()
        marker, fill = data[position], position - start - 1
        if fill < 0 or marker <= 0x01 or 0xD0 <= marker <= 0xD8:
            raise source.damaged(f"there is no segment at byte {start}")
        position += 1
        if marker in (SCAN, END) and not whole:
            return
        if marker == END:
            yield ScannedSegment(marker, view[position:], fill, view[:0])
            return
        length = int.from_bytes(view[position : position + 2], "big")
        if position + max(length, 2) > len(data):
            raise source.cut_short()
        if length < 2:
            raise source.damaged(f"the segment at byte {position} has no length")
        body = view[position + 2 : position + length]
        position += length
        coded = position
        if marker == SCAN:
            position = _end_of_coded(source, position)
        yield ScannedSegment(marker, body, fill, view[coded:position])
    raise source.too_many_parts("segments")


def after_fill(data: bytes, position: int) -> int:
    """Return where the bytes 255 from a position on end."""
    fill = _FILL.match(data, position)
    return position if fill is None else fill.end()


def _end_of_coded(source: Source, position: int) -> int:
    if after := _AFTER_CODED.search(source.data, position):
        return after.start()
    raise source.cut_short()


def require_readable(source: Source, marker: int) -> None:
    """Raise `UnsupportedError` for a frame that no program here decodes."""
    if marker in READABLE_FRAMES:
        return
    kind = "a lossless, hierarchical or arithmetically coded JPEG"
    if marker in _ARITHMETIC:  # saved as another format, it could not be restored any more
        raise source.unsupported(kind, hint="recode it with 'jpegtran -copy all', without loss")
    raise source.unsupported(kind)


def check_scans(source: Source, scans: int, pixels: int) -> None:
    """Raise `UnsupportedError` for more scans than a picture of so many pixels may have.

    Every scan goes over all pixels, even one of a few bytes.
    """
    if scans > max(MOST_SCANS, _MOST_SCANNED // pixels):
        raise source.unsupported(f"a JPEG of {scans} scans")
