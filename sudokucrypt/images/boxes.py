"""Boxes: the containers of AVIF and JPEG XL files, of length, four letters and a body.

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
