"""Boxes: the containers of AVIF, HEIF, JPEG XL and JPEG 2000, of length, four letters and a body.

::

    length kind body        a length of 1: 64 bits of it behind the kind; of 0: to the end

References
----------
.. [1] ISO/IEC 14496-12, "ISO base media file format", 4.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sudokucrypt.images.source import Source


def boxes(source: Source, view: memoryview) -> Iterator[tuple[bytes, memoryview]]:
    """Yield kind and body of every box in these bytes.

    Raises
    ------
    InvalidImageError
        If a box ends beyond them.
    """
    position = 0
    while position < len(view):
        numbers = Numbers(source, view[position:])
        size, kind = numbers.take(4), bytes(numbers.rest(4))
        if size == 1:
            size = numbers.take(8)
        elif size == 0:
            size = len(view) - position
        if not numbers.position <= size <= len(view) - position:
            raise source.cut_short()
        yield kind, view[position + numbers.position : position + size]
        position += size


def tiff_of(item: bytes) -> bytes | None:
    """Return the EXIF block of an item or box: four bytes say how far behind them it begins."""
    return item[4 + int.from_bytes(item[:4], "big") :] or None


@dataclass
class Numbers:
    """Big-endian numbers one after the other."""

    source: Source
    view: memoryview
    position: int = 0

    def take(self, size: int) -> int:
        """Return the next number, of this many bytes."""
        return int.from_bytes(self.rest(size), "big")

    def rest(self, size: int) -> memoryview:
        """Return the next bytes as they are."""
        start = self.position
        self.position += size
        if self.position > len(self.view):
            raise self.source.cut_short()
        return self.view[start : self.position]

    def word(self) -> bytes:
        """Return the bytes up to the next zero, which is skipped."""
        found = bytes(self.view[self.position :]).partition(b"\0")[0]
        self.position += len(found) + 1
        return found

    @property
    def more(self) -> bool:
        """Whether something is left."""
        return self.position < len(self.view)


class Bits:
    """Numbers one after the other, each beginning with its highest bit.

    Parameters
    ----------
    source : Source
        The file.
    data : bytes
        What is read; far less than a kilobyte, which is kept as one number.
    """

    def __init__(self, source: Source, data: bytes) -> None:
        self._source, self._value, self._left = source, int.from_bytes(data, "big"), 8 * len(data)

    def take(self, count: int) -> int:
        """Return the next so many bits."""
        self._left -= count
        if self._left < 0:
            raise self._source.cut_short()
        return self._value >> self._left & (1 << count) - 1

    def exponential(self) -> int:
        """Return a number as HEVC has it: as many zeros in front as it has bits behind a one."""
        zeros = 0
        while not self.take(1):
            zeros += 1
        return (1 << zeros | self.take(zeros)) - 1
