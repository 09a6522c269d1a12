"""WebP as a row of chunks: four letters, length, body, and a zero if the length is odd.

::

    "RIFF" size "WEBP" | "VP8L" size body 0 | "XMP " size body | ...
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from sudokucrypt.errors import UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sudokucrypt.images.source import Source
    from sudokucrypt.typing import Buffer

_FRAME = struct.Struct("<4sI")
_SIZE_END = 2**32


def riff_end(source: Source) -> int:
    """Return where the file says that it ends."""
    return 8 + int.from_bytes(source.data[4:8], "little")


def walk(source: Source) -> Iterator[tuple[bytes, memoryview]]:
    """Yield kind and body of every chunk of a file."""
    end = riff_end(source)
    if end > len(source.data):
        raise source.cut_short()
    return walk_body(source, memoryview(source.data)[12:end])


def walk_body(source: Source, view: memoryview) -> Iterator[tuple[bytes, memoryview]]:
    """Yield kind and body of every chunk in these bytes."""
    position = 0
    while position < len(view):
        start = position + _FRAME.size
        if start > len(view):
            raise source.cut_short()
        kind, size = _FRAME.unpack_from(view, position)
        if size > len(view) - start:
            raise source.cut_short()
        yield kind, view[start : start + size]
        position = start + size + size % 2


def chunk(kind: bytes, *bodies: Buffer) -> list[Buffer]:
    """Return the parts of one chunk, whose body may be in several pieces."""
    size = sum(map(len, bodies))
    return [_head(kind, size), *bodies, b"\0" * (size % 2)]


def riff(parts: Sequence[Buffer]) -> list[Buffer]:
    """Return the parts of a file that holds these parts of chunks."""
    return [_head(b"RIFF", 4 + sum(map(len, parts))), b"WEBP", *parts]


def sides(columns: int, rows: int) -> bytes:
    """Return the form that two numbers have in a canvas or frame: 24 bits each."""
    return columns.to_bytes(3, "little") + rows.to_bytes(3, "little")


def read_sides(body: memoryview) -> tuple[int, int]:
    """Return the two numbers that `sides` put at the start of these bytes."""
    return int.from_bytes(body[:3], "little"), int.from_bytes(body[3:6], "little")


def _head(kind: bytes, size: int) -> bytes:
    if size >= _SIZE_END:
        raise UnsupportedError(
            f"a WebP cannot hold {size} bytes, more than {_SIZE_END - 1}",
            hint="write a TIFF, or fewer frames",
        )
    return _FRAME.pack(kind, size)
