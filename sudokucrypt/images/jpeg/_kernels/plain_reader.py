"""The fallback's reader: decodes the blocks of a scan one after the other."""

from array import array
from collections.abc import Sequence
from typing import Final

import numpy as np

from sudokucrypt.images.jpeg.blocks import (
    AC_FIRST,
    AC_REFINED,
    COEFFICIENTS,
    DC_FIRST,
    DC_REFINED,
    LARGEST_DC,
    LEAST_DC,
    MOST_CORRECTIONS,
    SEQUENTIAL,
    Band,
)
from sudokucrypt.typing import AnyArray

_ZEROS: Final = 15  # as many as a symbol counts; without a value it stands for one more
_LARGEST_SIZE: Final = 15  # bits of the largest value, those that are missing included
_WINDOW: Final = 56  # bits that are looked at together, 7 bytes


class DamagedError(Exception):
    """The bits do not decode."""


class Reader:
    """Decodes block after block, and keeps what one block leaves to the next."""

    def __init__(
        self,
        bits: bytearray,
        band: Band,
        lookups: Sequence[tuple[AnyArray, AnyArray]],
        longest: int,
    ) -> None:
        self.kind, self.first, self.last, self.low = band
        self.dc = [dc.tolist() for dc, _ in lookups]
        self.ac = [ac.tolist() for _, ac in lookups]
        self.longest = longest
        # The bits from each byte on.
        data = np.frombuffer(bits, dtype=np.uint8).astype(np.int64)
        count = len(data) - 6
        windows = data[:count].copy()
        for ahead in range(1, 7):
            windows = windows << 8 | data[ahead : ahead + count]
        self.windows: list[int] = windows.tolist()
        self.breaks: list[int] = []
        self.block = 0

    def begin(self, at: int, end: int) -> None:
        """Start a restart interval."""
        self.at, self.end = at, end
        self.previous = [0] * len(self.dc)
        self.run = self.length = self.corrections = 0
        self.open = False  # whether the block before ended in a run

    def take(self, index: int, block: memoryview) -> None:
        """Decode a block of a component."""
        if self.kind in (SEQUENTIAL, DC_FIRST):
            self._take_dc(index, block)
        if self.kind == SEQUENTIAL:
            self._take_ac(self.ac[index], block, 1, COEFFICIENTS - 1)
        elif self.kind == DC_REFINED:
            if self._bits(1):
                block[0] |= 1 << self.low
        elif self.kind == AC_FIRST:
            if self.run:
                self.run, self.length = self.run - 1, self.length + 1
            else:
                self._take_ac(self.ac[index], block, self.first, self.last)
        elif self.kind == AC_REFINED:
            self._refine(self.ac[index], block)
        self.block += 1
        if self.at > self.end:
            raise DamagedError

    def _bits(self, count: int) -> int:
        """Return the next bits, at most 48."""
        value = self.windows[self.at >> 3] >> (_WINDOW - (self.at & 7) - count) & (1 << count) - 1
        self.at += count
        return value

    def _symbol(self, lookup: list[int]) -> int:
        entry = lookup[self.windows[self.at >> 3] >> (_WINDOW - 16 - (self.at & 7)) & 0xFFFF]
        if not entry:
            raise DamagedError
        self.at += entry >> 8
        return entry & 0xFF

    def _take_dc(self, index: int, block: memoryview) -> None:
        size = self._symbol(self.dc[index])
        if size > _LARGEST_SIZE:
            raise DamagedError
        if size:
            value = self._bits(size)
            self.previous[index] += value if value >> (size - 1) else value - (1 << size) + 1
        if not LEAST_DC <= self.previous[index] << self.low <= LARGEST_DC:
            raise DamagedError
        block[0] = self.previous[index] << self.low

    def _take_ac(self, lookup: list[int], block: memoryview, first: int, last: int) -> None:
        """Decode a band of coefficients that is sent for the first time."""
        windows, low, at, position = self.windows, self.low, self.at, first
        while position <= last:
            window, left = windows[at >> 3], _WINDOW - (at & 7)
            entry = lookup[window >> left - 16 & 0xFFFF]
            if not entry:
                raise DamagedError
            length, zeros, size = entry >> 8, entry >> 4 & 0x0F, entry & 0x0F
            if size:
                position += zeros
                if position > last or size + low > _LARGEST_SIZE:
                    raise DamagedError
                length += size
                value = window >> left - length & (1 << size) - 1
                if not value >> size - 1:
                    value -= (1 << size) - 1
                block[position] = value << low
                at += length
                position += 1
                continue
            at += length
            if zeros == _ZEROS:
                position += _ZEROS + 1
                if position > last + 1:
                    raise DamagedError
                continue
            if zeros and self.kind == SEQUENTIAL:
                raise DamagedError
            self.at = at
            self._begin_run(zeros, fresh=position == first)
            return
        self.at, self.open = at, False

    def _begin_run(self, size: int, *, fresh: bool) -> None:
        """Begin a run of ends of block with this block, of which nothing else was sent if fresh."""
        stops = self.corrections > MOST_CORRECTIONS or self.length >= self.longest
        if self.kind != SEQUENTIAL and fresh and self.open and not stops:
            self.breaks.append(self.block)
        self.run = (1 << size) + self._bits(size) - 1
        self.length, self.corrections, self.open = 1, 0, True

    def _refine(self, lookup: list[int], block: memoryview) -> None:
        """Decode one bit more of a band, and the coefficients that become 1 or -1 by it."""
        values, position, bit = block.tolist(), self.first, 1 << self.low
        if self.run:
            if self.corrections > MOST_CORRECTIONS:
                self.breaks.append(self.block)
                self.corrections = 0
            self.run, self.length = self.run - 1, self.length + 1
            self._correct(values, position, -1)
            block[:] = array("h", values)
            return
        while position <= self.last:
            symbol = self._symbol(lookup)
            zeros, size = symbol >> 4, symbol & 0x0F
            if size > 1:
                raise DamagedError
            if not size and zeros != _ZEROS:
                self._begin_run(zeros, fresh=position == self.first)
                self._correct(values, position, -1)
                break
            value = (bit if self._bits(1) else -bit) if size else 0
            position = self._correct(values, position, zeros)
            if position > self.last:
                raise DamagedError
            values[position] = value
            position += 1
        else:
            self.open = False
        block[:] = array("h", values)

    def _correct(self, values: list[int], position: int, zeros: int) -> int:
        """Read a bit of each coefficient that is not zero; return where so many zeros end."""
        bit = 1 << self.low
        while position <= self.last:
            if values[position]:
                self.corrections += 1
                if self._bits(1):
                    values[position] += bit if values[position] > 0 else -bit
            elif zeros == 0:
                break
            else:
                zeros -= 1
            position += 1
        return position
