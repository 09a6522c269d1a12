"""Read PNG files in pieces, with little of the file in memory.

Files that are encrypted become gray pictures of 8 bits, which may be larger than the memory.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

import numpy as np

from sudokucrypt.images.driver import Source
from sudokucrypt.images.header_rows import MOST_BYTES, without_header_rows
from sudokucrypt.images.picture import Picture
from sudokucrypt.images.png import file as png
from sudokucrypt.images.png.file import (
    SIGNATURE,
    UNSOUND,
    heads,
    is_sound,
)
from sudokucrypt.images.png.samples import SampleFormat
from sudokucrypt.images.png.scanlines import unpack_lines
from sudokucrypt.typing import AnyArray, Buffer

# Bytes that are read at a time.
_PIECE: Final = 2**16
# Most bytes of all chunks that hold no samples.
_MOST_ASIDE: Final = 2**26
# Chunks of pictures that are not read here: transparent colors, and layers of a redaction.
_OTHERS: Final = (b"tRNS", b"suRd")


# More than the picture of any file has, whose sides are nearly equal: a line is read as a whole.
_MOST_COLUMNS = 1 << 20


@dataclass(frozen=True, eq=False)
class PngStream:
    """A gray PNG of 8 bits in an open file, whose samples are read as often as they are asked for.

    All but the samples was read and checked.
    """

    source: Source  # for messages; it has no bytes
    layout: SampleFormat
    picture: Picture  #: The picture, with samples that are all zero and take no memory.
    _packed: "_PackedSamples"

    @classmethod
    def open(cls, source: Source, file: BinaryIO, size: int) -> "PngStream | None":
        """Return a PNG in an open file of this size, or none for another kind of picture.

        Errors are those of `decode_picture`.
        """
        found = _scan(source, file, size, of_file=True)
        if found is None:
            return None
        layout, contents, packed = found
        blank = np.broadcast_to(np.uint8(0), (layout.rows, layout.columns))
        source.shape(layout.rows, layout.columns, 1)
        return cls(source, layout, contents.picture(blank), packed)

    def lines(self) -> Iterator[AnyArray]:
        """Yield lines of samples from the first one on, some at a time."""
        yield from unpack_lines(self.source, self._packed, self.layout, self._packed.size)

    def find_header_in_rows(self) -> bytes | None:
        """Return the header in rows below the samples; only the last lines are kept for that."""
        wanted = MOST_BYTES // self.layout.columns + 3
        last: list[AnyArray] = []
        for lines in self.lines():
            last.append(lines.copy())
            while sum(map(len, last[1:])) >= wanted:
                last.pop(0)
        return without_header_rows(Picture.plain(np.concatenate(last))).header


def decode_file(source: Source, file: BinaryIO, size: int) -> Picture | None:
    """Return the picture of a PNG in an open file of this size, or none of another file.

    Memory holds only the samples, so None is also returned for a file with many other bytes.
    """
    found = _scan(source, file, size)
    if found is None:
        return None
    _, contents, packed = found
    return contents.picture(packed=(packed, packed.size))


@dataclass(frozen=True, eq=False)
class _PackedSamples:
    """What the IDAT chunks of an open file hold; checksums are compared on the way."""

    source: Source
    file: BinaryIO
    bodies: list[tuple[int, int]]  # where each of them begins, and how many bytes it has

    @property
    def size(self) -> int:
        return sum(length for _, length in self.bodies)

    def __iter__(self) -> Iterator[Buffer]:
        from zlib_ng.zlib_ng import crc32

        for start, length in self.bodies:
            self.file.seek(start)
            checksum = crc32(b"IDAT")
            for at in range(0, length, _PIECE):
                count = min(_PIECE, length - at)
                piece = self.file.read(count)
                if len(piece) < count:
                    raise self.source.report_cut()
                checksum = crc32(piece, checksum)
                yield piece
            if self.file.read(4) != checksum.to_bytes(4, "big"):
                raise self.source.report_damage("its IDAT chunk has a wrong checksum")


def _may_be_of_file(layout: SampleFormat) -> bool:
    """Return whether a picture of this layout may have been made of a file."""
    kind = (layout.bits, layout.color_type, layout.interlaced)
    return kind == (8, 0, False) and layout.columns <= _MOST_COLUMNS


def _scan(
    source: Source,
    file: BinaryIO,
    size: int,
    *,
    of_file: bool = False,
) -> tuple[SampleFormat, png.Contents, _PackedSamples] | None:
    """Read all of an open PNG except its samples, or return none for one that has much else.

    With `of_file`, none is returned for a picture that cannot have been made of a file either.
    """
    file.seek(0)
    if file.read(len(SIGNATURE)) != SIGNATURE:
        return None
    chunks = heads(source, file, size)
    kind, length = next(chunks)
    first = _get_sound_body(source, file, kind, min(length, _MOST_ASIDE)) or b""
    layout = SampleFormat.read(source, kind, memoryview(first))
    if of_file and not _may_be_of_file(layout):
        return None
    contents, bodies, aside, end = png.Contents(source, layout), [], 0, 0
    for kind, length in chunks:
        start = file.tell()
        end = start + length + 4
        if kind == b"IDAT":
            bodies.append((start, length))
            contents.take(kind, memoryview(b""))
            continue
        aside += length
        if aside > _MOST_ASIDE or (of_file and kind in _OTHERS):
            return None
        body = _get_sound_body(source, file, kind, length)
        if body is None:
            contents.take(UNSOUND, memoryview(b"\0"))
        else:
            contents.take(kind, memoryview(body))
    contents.take(b"", memoryview(b"\0" * (end < size)))
    return layout, contents, _PackedSamples(source, file, bodies)


def _get_sound_body(source: Source, file: BinaryIO, kind: bytes, length: int) -> bytes | None:
    """Return the body of a chunk, or None if it is damaged and not needed to show the picture."""
    body, checksum = file.read(length), file.read(4)
    if len(body) < length or len(checksum) < 4:
        raise source.report_cut()
    return body if is_sound(source, kind, body, checksum) else None
