"""Boxes: the containers of AVIF, HEIF, JPEG XL and JPEG 2000, of length, four letters and a body.

::

    length kind body        a length of 1: 64 bits of it behind the kind; of 0: to the end

References
----------
.. [1] ISO/IEC 14496-12, "ISO base media file format", 4.2.
"""

from collections.abc import Iterator
from typing import TypeAlias

from sudokucrypt.images.source import Source

Box: TypeAlias = tuple[bytes, memoryview]  # kind and body


def boxes(source: Source, view: memoryview) -> Iterator[Box]:
    """Yield every box in these bytes; one that ends beyond them is damage."""
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


class Numbers:
    """Big-endian numbers one after the other."""

    def __init__(self, source: Source, view: memoryview, position: int = 0) -> None:
        self._source, self.view, self.position = source, view, position

    def take(self, size: int) -> int:
        """Return the next number, of this many bytes."""
        return int.from_bytes(self.rest(size), "big")

    def version(self) -> int:
        """Return the version that a box begins with, in front of flags."""
        return self.take(4) >> 24

    def rest(self, size: int) -> memoryview:
        """Return the next bytes as they are."""
        start = self.position
        self.position += size
        if self.position > len(self.view):
            raise self._source.cut_short()
        return self.view[start : self.position]

    def word(self) -> bytes:
        """Return the bytes up to the next zero, which is skipped."""
        found = bytes(self.view[self.position :]).partition(b"\0")[0]
        self.position += len(found) + 1
        return found

    @property
    def left(self) -> int:
        """How many bytes are left."""
        return max(0, len(self.view) - self.position)


class Bits:
    """Numbers of a few bits one after the other, in at most some kilobytes.

    Each begins with its highest bit in the highest one left of a byte; or, for `lowest_first`,
    with its lowest in the lowest.
    """

    def __init__(self, source: Source, data: bytes, *, lowest_first: bool = False) -> None:
        self._source, self._lowest_first = source, lowest_first
        self._value = int.from_bytes(data, "little" if lowest_first else "big")
        self._size, self._position = 8 * len(data), 0

    def take(self, count: int) -> int:
        """Return the next so many bits."""
        start, self._position = self._position, self._position + count
        if self._position > self._size:
            raise self._source.cut_short()
        shift = start if self._lowest_first else self._size - self._position
        return self._value >> shift & (1 << count) - 1

    def flag(self) -> bool:
        """Return whether the next bit is one."""
        return bool(self.take(1))

    def exponential(self) -> int:
        """Return a number as HEVC has it: as many zeros in front as it has bits behind a one."""
        zeros = 0
        while not self.take(1):
            zeros += 1
        return (1 << zeros | self.take(zeros)) - 1
