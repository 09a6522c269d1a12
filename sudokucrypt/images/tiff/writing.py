"""A TIFF file in parts: header, then directory and strips of each page.

Strips are views of the samples where those have the bytes of the file already. Directories stand
in front, so the place of everything is known before the first sample is touched, and a file that
is cut is seen to be.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from sudokucrypt.images.tiff import exif
from sudokucrypt.images.tiff import layout as t
from sudokucrypt.images.tiff.colors import to_color_map
from sudokucrypt.images.tiff.directory import (
    ASCII,
    LONG,
    SHORT,
    Field,
    Order,
    Tree,
    numbers,
    serialize,
)
from sudokucrypt.images.tiff.metadata import DESCRIPTION, EXTRA_SAMPLES, OTHER_EXTRA_SAMPLES
from sudokucrypt.images.tiff.metadata_tags import page_tags
from sudokucrypt.images.tiff.samples import stored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sudokucrypt.images.picture import Frame, Picture
    from sudokucrypt.typing import Buffer

_CLASSIC_LIMIT: Final = 2**32
_STRIP: Final = 2**20
_LONG8: Final = 16
_FORMATS = {"i": 2, "f": 3}
_PHOTOMETRICS = {"gray": t.BLACK_IS_ZERO, "gray-alpha": t.BLACK_IS_ZERO}
_PHOTOMETRICS |= {"rgb": t.RGB, "rgba": t.RGB, "palette": t.PALETTE, "cmyk": t.CMYK}
_PLAIN_ALPHA = 2


@dataclass(frozen=True, eq=False)
class _Page:
    """A frame and all of its tags but the places of its strips."""

    frame: Frame
    tree: Tree
    order: Order

    @property
    def row_bytes(self) -> int:
        pixels = self.frame.pixels
        return (pixels.size // len(pixels) * self.frame.depth + 7) // 8

    @property
    def size(self) -> int:
        """Bytes of all strips."""
        return len(self.frame.pixels) * self.row_bytes

    @property
    def strip_rows(self) -> int:
        return min(len(self.frame.pixels), max(1, _STRIP // self.row_bytes))

    def directory_size(self, *, big: bool) -> int:
        """Return the bytes of the directory and its values."""
        return len(self.directory(0, 0, big=big))

    def directory(self, start: int, first: int, *, big: bool, following: int = 0) -> bytes:
        """Return the directory that stands at `start`, of strips from `first` on."""
        strip = self.strip_rows * self.row_bytes
        starts = range(0, self.size, strip)
        kind = _LONG8 if big else LONG
        places = [first + n for n in starts]
        sizes = [min(strip, self.size - n) for n in starts]
        fields = self.tree.fields | {
            t.STRIP_OFFSETS: numbers(kind, *places, order=self.order),
            t.STRIP_SIZES: numbers(kind, *sizes, order=self.order),
            t.ROWS_PER_STRIP: numbers(LONG, self.strip_rows, order=self.order),
        }
        tree = replace(self.tree, fields=fields)
        return serialize(tree, start, order=self.order, big=big, following=following)

    def strips(self) -> Iterator[Buffer]:
        pixels = self.frame.pixels
        for first in range(0, len(pixels), self.strip_rows):
            part = pixels[first : first + self.strip_rows]
            yield stored(part, self.frame.depth, self.order)


def parts(picture: Picture) -> Iterator[Buffer]:
    """Yield the parts of a TIFF file without compression, a BigTIFF if it needs over 4 GiB.

    Parameters
    ----------
    picture : Picture
        Pages that TIFF can hold.

    Yields
    ------
    bytes or memoryview
        What stands next in the file.
    """
    order = _order(picture)
    pages = []
    for index, frame in enumerate(picture.frames):
        tree, _ = page_tags(frame, order, header=picture.header is not None)
        fields = tree.fields | _sample_fields(frame, order)
        if index == 0 and picture.header is not None:
            fields[DESCRIPTION] = Field(ASCII, picture.header + b"\0")
        pages.append(_Page(frame, replace(tree, fields=fields), order))
    places = _places(pages, big=True)
    big = places[-1][0] >= _CLASSIC_LIMIT
    if not big:
        places = _places(pages, big=False)
    magic = b"II" if order == "<" else b"MM"
    version = struct.pack(order + "HHH", 43, 8, 0) if big else struct.pack(order + "H", 42)
    yield magic + version + struct.pack(order + ("Q" if big else "I"), places[0][0])
    for index, page in enumerate(pages):
        following = places[index + 1][0] if index + 1 < len(pages) else 0
        yield page.directory(*places[index], big=big, following=following)
        yield from page.strips()
        if page.size % 2:
            yield b"\0"


def _order(picture: Picture) -> Order:
    """Return the byte order of the file: that of its EXIF, whose maker's note may rely on it."""
    for frame in picture.frames:
        if frame.metadata.exif and (block := exif.Block.parse(frame.metadata.exif)):
            return block.order
    return "<"


def _places(pages: list[_Page], *, big: bool) -> list[tuple[int, int]]:
    """Return where directory and strips of each page begin, and at last where the file ends."""
    start = 16 if big else 8
    places = []
    for page in pages:
        first = start + page.directory_size(big=big)
        places.append((start, first))
        start = first + page.size + page.size % 2
    return [*places, (start, start)]


def _sample_fields(frame: Frame, order: Order) -> dict[int, Field]:
    """Return the tags that say what the samples are."""
    rows, columns = frame.pixels.shape[:2]
    channels = 1 if frame.pixels.ndim == 2 else frame.pixels.shape[2]
    fields = {
        t.COLUMNS: numbers(LONG, columns, order=order),
        t.ROWS: numbers(LONG, rows, order=order),
        t.BITS: numbers(SHORT, *[frame.depth] * channels, order=order),
        t.COMPRESSION: numbers(SHORT, t.NOT_COMPRESSED, order=order),
        t.PHOTOMETRIC: numbers(SHORT, _PHOTOMETRICS[frame.mode], order=order),
        t.CHANNELS: numbers(SHORT, channels, order=order),
        t.PLANES: numbers(SHORT, 1, order=order),
    }
    if number := _FORMATS.get(frame.pixels.dtype.kind):
        fields[t.SAMPLE_FORMAT] = numbers(SHORT, *[number] * channels, order=order)
    if frame.mode in ("gray-alpha", "rgba"):
        named = dict(frame.metadata.native).get(EXTRA_SAMPLES)
        if named not in OTHER_EXTRA_SAMPLES:
            fields[t.EXTRA_SAMPLES] = numbers(SHORT, _PLAIN_ALPHA, order=order)
        elif named:
            kind = int.from_bytes(named, "little")
            fields[t.EXTRA_SAMPLES] = numbers(SHORT, kind, order=order)
    if frame.palette is not None:
        fields[t.COLOR_MAP] = numbers(SHORT, *to_color_map(frame.palette), order=order)
    return fields
