"""The inflated stream of a PNG picture, read a part at a time."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sudokucrypt.errors import InvalidImageError
    from sudokucrypt.images.source import Source
    from sudokucrypt.typing import Buffer

# libdeflate is twice as quick as zlib, but needs room for the whole stream.
_WHOLE = 64 * 2**20
_SLICE = 256 * 1024
# No byte of a deflated stream makes more than this many.
_MOST_PER_BYTE = 1032


class Stream(Protocol):
    """Inflated bytes, which can be read once and in order."""

    def read(self, size: int) -> Buffer:
        """Return the next bytes, exactly so many; with the last ones, the end is checked."""


def inflated(source: Source, pieces: Sequence[memoryview], size: int) -> Stream:
    """Return a stream that must inflate to exactly `size` bytes.

    Parameters
    ----------
    source : Source
        What to complain about.
    pieces : sequence of memoryview
        The zlib stream in parts; what follows its end is not looked at.
    size : int
        How many bytes will be read.

    Raises
    ------
    InvalidImageError
        Now or while reading, if the stream is damaged or holds more or fewer bytes.
    """
    # A short stream is no reason to fill the memory.
    if size > _MOST_PER_BYTE * sum(len(piece) for piece in pieces):
        raise too_short(source)
    return _Whole(source, pieces, size) if size <= _WHOLE else _Gradual(source, pieces, size)


def too_short(source: Source) -> InvalidImageError:
    """Return the error for a stream that ends before the last sample."""
    return source.damaged("it holds fewer samples than it promises")


class _Whole:
    """A stream inflated at once; libdeflate stops where a bomb would go on."""

    def __init__(self, source: Source, pieces: Sequence[memoryview], size: int) -> None:
        from imagecodecs import deflate_decode

        stream = pieces[0] if len(pieces) == 1 else b"".join(pieces)
        data = source.call(deflate_decode, stream, raw=False, out=size)
        if len(data) != size:
            raise too_short(source)
        self._data = memoryview(data)
        self._position = 0

    def read(self, size: int) -> Buffer:
        start = self._position
        self._position += size
        return self._data[start : self._position]


class _Gradual:
    """A stream inflated as it is read."""

    def __init__(self, source: Source, pieces: Sequence[memoryview], size: int) -> None:
        self._source = source
        self._slices = _sliced(pieces)
        self._left = size
        self._engine = zlib.decompressobj()
        self._input: Buffer = b""

    def read(self, size: int) -> Buffer:
        parts, missing = [], size
        while missing:
            part = self._next(missing)
            if not part:
                raise too_short(self._source)
            parts.append(part)
            missing -= len(part)
        self._left -= size
        if not self._left and self._next(1):
            raise self._source.damaged("it holds more samples than it promises")
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _next(self, limit: int) -> bytes:
        """Return the next bytes, or none at the end of the stream."""
        part = b""
        while not part and not self._engine.eof:
            self._input = self._input or next(self._slices, b"")
            given = len(self._input)
            try:
                part = self._engine.decompress(self._input, limit)
            except zlib.error as error:
                raise self._source.damaged("its samples cannot be decoded") from error
            self._input = self._engine.unconsumed_tail
            if not part and not given and not self._engine.eof:
                raise self._source.damaged("its samples end in the middle")
        return part


def _sliced(pieces: Sequence[memoryview]) -> Iterator[memoryview]:
    """Yield the pieces in short parts: zlib copies whatever it is given and cannot take yet."""
    for piece in pieces:
        for start in range(0, len(piece), _SLICE):
            yield piece[start : start + _SLICE]
