"""Read PNG files in pieces, with little of the file in memory.

An encrypted file is a gray picture of 8 bits, which may be larger than the memory.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

import numpy as np

from sudokucrypt.images.driver import Source
from sudokucrypt.images.header_rows import MAX_HEADER_BYTES, remove_header_rows
from sudokucrypt.images.picture import Picture
from sudokucrypt.images.png import file as png
from sudokucrypt.images.png.file import (
    SIGNATURE,
    WRONG_CHECKSUM_KIND,
    has_checksum,
    walk_chunk_heads,
)
from sudokucrypt.images.png.samples import SampleFormat
from sudokucrypt.images.png.scanlines import unpack_lines
from sudokucrypt.typing import AnyArray, Buffer

_PIECE_BYTES: Final = 2**16  # bytes that are read at a time
# The maximum number of bytes of all chunks that contain no samples.
_MAX_OTHER_BYTES: Final = 2**26
# A picture with a chunk for transparent colors or for the layers of a redaction never contains an
# encrypted file.
_FILELESS_CHUNK_KINDS: Final = (b"tRNS", b"suRd")

# A picture of an encrypted file has fewer columns, since its sides are nearly equal. A whole line
# must fit into memory.
_MAX_COLUMNS = 1 << 20


@dataclass(frozen=True, eq=False)
class PngStream:
    """A gray PNG of 8 bits in an open file, whose samples are read each time they are requested.

    Everything except the samples has been read and checked.
    """

    source: Source  # names the file in messages; its `data` are empty
    layout: SampleFormat
    picture: Picture  #: The picture, with samples that are all zero and take no memory.
    _packed_samples: "_PackedSamples"

    @classmethod
    def open(cls, source: Source, file: BinaryIO, size: int) -> "PngStream | None":
        """Open a gray 8-bit PNG in a file of `size` bytes; return None for any other picture.

        Errors are those of `decode_picture`.
        """
        scan_result = _scan_file(source, file, size, only_enclosing_file=True)
        if scan_result is None:
            return None
        layout, png_contents, packed_samples = scan_result
        blank_samples = np.broadcast_to(np.uint8(0), (layout.rows, layout.columns))
        source.shape(layout.rows, layout.columns, 1)
        return cls(source, layout, png_contents.decode_picture(blank_samples), packed_samples)

    def lines(self) -> Iterator[AnyArray]:
        """Yield all lines of samples in order, several at a time."""
        yield from unpack_lines(
            self.source, self._packed_samples, self.layout, self._packed_samples.size
        )

    def find_header_in_rows(self) -> bytes | None:
        """Return the header in the header rows, or None; only the last lines are in memory."""
        row_count = MAX_HEADER_BYTES // self.layout.columns + 3
        last_lines: list[AnyArray] = []
        for lines in self.lines():
            last_lines.append(lines.copy())
            while sum(map(len, last_lines[1:])) >= row_count:
                last_lines.pop(0)
        return remove_header_rows(Picture.plain(np.concatenate(last_lines))).header


def decode_file(source: Source, file: BinaryIO, size: int) -> Picture | None:
    """Return the picture of a PNG in an open file of `size` bytes, or None for another format.

    None is also returned for a file with many bytes besides samples, which would fill the memory.
    """
    scan_result = _scan_file(source, file, size)
    if scan_result is None:
        return None
    _, png_contents, packed_samples = scan_result
    return png_contents.decode_picture(packed_bodies=(packed_samples, packed_samples.size))


@dataclass(frozen=True, eq=False)
class _PackedSamples:
    """The bodies of the IDAT chunks of an open file; iterating reads them and checks checksums."""

    source: Source
    file: BinaryIO
    body_spans: list[tuple[int, int]]  # the position and the number of bytes of each body

    @property
    def size(self) -> int:
        return sum(length for _, length in self.body_spans)

    def __iter__(self) -> Iterator[Buffer]:
        from zlib_ng.zlib_ng import crc32

        for start, length in self.body_spans:
            self.file.seek(start)
            checksum = crc32(b"IDAT")
            for position in range(0, length, _PIECE_BYTES):
                count = min(_PIECE_BYTES, length - position)
                piece = self.file.read(count)
                if len(piece) < count:
                    raise self.source.report_cut()
                checksum = crc32(piece, checksum)
                yield piece
            if self.file.read(4) != checksum.to_bytes(4, "big"):
                raise self.source.report_damage("its IDAT chunk has a wrong checksum")


def _may_enclose_file(layout: SampleFormat) -> bool:
    """Return whether a picture of this sample format may contain an encrypted file."""
    kind = (layout.bits, layout.color_type, layout.is_interlaced)
    return kind == (8, 0, False) and layout.columns <= _MAX_COLUMNS


def _scan_file(
    source: Source,
    file: BinaryIO,
    size: int,
    *,
    only_enclosing_file: bool = False,
) -> tuple[SampleFormat, png.PngContents, _PackedSamples] | None:
    """Read all of an open PNG except its samples.

    None is returned for a file of another format, or with many other bytes; and if
    `only_enclosing_file`, for a picture that cannot contain an encrypted file.
    """
    file.seek(0)
    if file.read(len(SIGNATURE)) != SIGNATURE:
        return None
    chunks = walk_chunk_heads(source, file, size)
    kind, length = next(chunks)
    header_body = _read_body(source, file, kind, min(length, _MAX_OTHER_BYTES)) or b""
    layout = SampleFormat.read(source, kind, memoryview(header_body))
    if only_enclosing_file and not _may_enclose_file(layout):
        return None
    png_contents, body_spans, other_bytes, chunk_end = png.PngContents(source, layout), [], 0, 0
    for kind, length in chunks:
        body_start = file.tell()
        chunk_end = body_start + length + 4
        if kind == b"IDAT":
            body_spans.append((body_start, length))
            png_contents.take_chunk(kind, memoryview(b""))
            continue
        other_bytes += length
        if other_bytes > _MAX_OTHER_BYTES or (
            only_enclosing_file and kind in _FILELESS_CHUNK_KINDS
        ):
            return None
        body = _read_body(source, file, kind, length)
        if body is None:
            png_contents.take_chunk(WRONG_CHECKSUM_KIND, memoryview(b"\0"))
        else:
            png_contents.take_chunk(kind, memoryview(body))
    png_contents.take_chunk(b"", memoryview(b"\0" * (chunk_end < size)))
    return layout, png_contents, _PackedSamples(source, file, body_spans)


def _read_body(source: Source, file: BinaryIO, kind: bytes, length: int) -> bytes | None:
    """Return the body of a chunk, or None for an optional chunk with a wrong checksum."""
    body, checksum = file.read(length), file.read(4)
    if len(body) < length or len(checksum) < 4:
        raise source.report_cut()
    return body if has_checksum(source, kind, body, checksum) else None
