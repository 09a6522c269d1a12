"""PNG in pieces: gray pictures of 8 bits that are written, and read, without all of them at hand.

They are what files become that are encrypted, and may be larger than the memory.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

import numpy as np

from sudokucrypt.images.driver import Source
from sudokucrypt.images.header_rows import MOST_BYTES, without_header_rows
from sudokucrypt.images.picture import Picture
from sudokucrypt.images.png import file as png
from sudokucrypt.images.png.file import (
    HEADER_KEYWORD,
    PLAIN,
    SIGNATURE,
    UNSOUND,
    assemble,
    heads,
    is_sound,
)
from sudokucrypt.images.png.samples import SampleFormat, store_samples
from sudokucrypt.images.png.scanlines import unpack_lines
from sudokucrypt.typing import AnyArray, Buffer

# Bytes that are read at a time.
_PIECE: Final = 2**16
# Most bytes of all chunks that hold no samples.
_MOST_ASIDE: Final = 2**26
# Chunks of pictures that are not read here: transparent colors, and layers of a redaction.
_OTHERS: Final = (b"tRNS", b"suRd")


def encode_samples(
    samples: Iterable[AnyArray], shape: tuple[int, int], header: bytes
) -> Iterator[Buffer]:
    """Yield the parts of a PNG with a header, of this many rows and columns of gray samples.

    The samples come in arrays of bytes of any length, which may be overwritten once the next one
    was asked for. They are stored as they are: noise is not compressed.

    Parameters
    ----------
    samples : iterable of numpy.ndarray of uint8
        The samples in reading order, rows x columns of them in all.
    shape : tuple of int
        Numbers of rows and columns, each from 1 on.
    header : bytes
        The text of the header, which goes into an iTXt chunk.
    """
    layout = SampleFormat(*shape, bits=8, color_type=0)

    def chunks() -> Iterator[tuple[bytes, Buffer]]:
        yield b"IHDR", layout.to_bytes()
        yield b"iTXt", b"".join([HEADER_KEYWORD, PLAIN, header])
        for part in store_samples(samples, layout):
            yield b"IDAT", part
        yield b"IEND", b""

    return assemble(chunks())


# More than the picture of any file has, whose sides are nearly equal: a line is read as a whole.
_MOST_COLUMNS = 1 << 20


@dataclass(frozen=True, eq=False)
class PngStream:
    """A gray PNG of 8 bits in an open file, whose samples are read as often as they are asked for.

    All but the samples was read and checked.
    """

    source: Source  # for messages; it has no bytes
    file: BinaryIO
    layout: SampleFormat
    picture: Picture  #: The picture, with samples that are all zero and take no memory.
    _bodies: tuple[tuple[int, int], ...]  # where the IDAT chunks have their bodies, and how long

    @classmethod
    def open(cls, source: Source, file: BinaryIO, size: int) -> "PngStream | None":
        """Return a PNG in an open file of this size, or none for another kind of picture.

        Errors are those of `decode_picture`.
        """
        file.seek(0)
        if file.read(len(SIGNATURE)) != SIGNATURE:
            return None
        chunks = heads(source, file, size)
        kind, length = next(chunks)
        first = _sound(source, file, kind, min(length, _MOST_ASIDE)) or b""
        layout = SampleFormat.read(source, kind, memoryview(first))
        if (layout.bits, layout.color_type, layout.interlaced) != (8, 0, False):
            return None
        if layout.columns > _MOST_COLUMNS:
            return None
        blank = np.broadcast_to(np.uint8(0), (layout.rows, layout.columns))
        contents, bodies, aside, end = png.Contents(source, layout), [], 0, 0
        for kind, length in chunks:
            start = file.tell()
            end = start + length + 4
            if kind == b"IDAT":
                bodies.append((start, length))
                contents.take(kind, memoryview(b""))
                continue
            aside += length
            if aside > _MOST_ASIDE or kind in _OTHERS:
                return None
            body = _sound(source, file, kind, length)
            if body is None:
                contents.take(UNSOUND, memoryview(b"\0"))
            else:
                contents.take(kind, memoryview(body))
        contents.take(b"", memoryview(b"\0" * (end < size)))
        source.shape(layout.rows, layout.columns, 1)
        picture = contents.picture(blank)
        return cls(source, file, layout, picture, tuple(bodies))

    def lines(self) -> Iterator[AnyArray]:
        """Yield lines of samples from the first one on, some at a time."""
        size = sum(length for _, length in self._bodies)
        yield from unpack_lines(self.source, self._read_packed(), self.layout, size)

    def find_header_in_rows(self) -> bytes | None:
        """Return the header in rows below the samples; only the last lines are kept for that."""
        wanted = MOST_BYTES // self.layout.columns + 3
        last: list[AnyArray] = []
        for lines in self.lines():
            last.append(lines.copy())
            while sum(map(len, last[1:])) >= wanted:
                last.pop(0)
        return without_header_rows(Picture.plain(np.concatenate(last))).header

    def _read_packed(self) -> Iterator[Buffer]:
        """Yield what the IDAT chunks hold, whose checksums are compared on the way."""
        from zlib_ng.zlib_ng import crc32

        for start, length in self._bodies:
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


def _sound(source: Source, file: BinaryIO, kind: bytes, length: int) -> bytes | None:
    """Return the body of a chunk, none if it was changed and viewers can do without it."""
    body, checksum = file.read(length), file.read(4)
    if len(body) < length or len(checksum) < 4:
        raise source.report_cut()
    return body if is_sound(source, kind, body, checksum) else None
