"""The fallback's writer: makes tokens of the blocks of a scan one after the other."""

from collections.abc import Sequence
from typing import Final

from sudokucrypt.images.jpeg.blocks import (
    AC_FIRST,
    AC_REFINED,
    DC_FIRST,
    DC_REFINED,
    LONGEST_RUN,
    MOST_CORRECTIONS,
    SEQUENTIAL,
    Band,
)

RAW: Final = 8  # as entropy_plain describes it
AC_TABLES: Final = 4
# As many as fit behind the other fields of a token.
_RAW_BITS: Final = 15
_SIZE: Final = 1 << 20 | 1 << 15  # what a size of 1 adds: to the symbol, and to the bits behind it
_ZEROS: Final = 15  # as many as a symbol counts; without a value it stands for one more


class TokenWriter:
    """Makes tokens of block after block."""

    def __init__(
        self,
        band: Band,
        numbers: Sequence[tuple[int, int]],
        longest: int,
        breaks: list[int],
    ) -> None:
        self.kind, self.first, self.last, self.low = band
        self.dc = [dc << 28 for dc, _ in numbers]
        self.ac = [(AC_TABLES + ac) << 28 for _, ac in numbers]
        self.longest, self.breaks = longest, [*breaks, -1]
        self.tokens: list[int] = []
        self.block = self.listed = 0

    def begin(self, components: int) -> None:
        """Start a restart interval."""
        self.previous = [0] * components
        self.length = self.corrections = self.slot = 0

    def take(self, index: int, block: memoryview) -> None:
        """Append the tokens of a block of a component."""
        if self.kind in (SEQUENTIAL, DC_FIRST):
            value = block[0] >> self.low
            self._append(self.dc[index], 0, value - self.previous[index])
            self.previous[index] = value
        if self.kind == SEQUENTIAL:
            if self._append_ac(self.ac[index], block.tolist(), 1) < self.last:
                self.tokens.append(self.ac[index])
        elif self.kind == DC_REFINED:
            self._append_raw([block[0] >> self.low & 1])
        elif self.kind == AC_FIRST:
            values = block.tolist()
            if any(abs(value) >> self.low for value in values[self.first : self.last + 1]):
                self.close()
                if self._append_ac(self.ac[index], values, self.first) < self.last:
                    self._open(self.ac[index])
            else:
                self._go_on(self.ac[index])
        elif self.kind == AC_REFINED:
            self._refine(self.ac[index], block.tolist())
        self.block += 1

    def _append(self, table: int, zeros: int, value: int) -> None:
        """Append the symbol of a value behind some zeros, and the bits of the value."""
        size = abs(value).bit_length()
        bits = value if value >= 0 else value + (1 << size) - 1
        self.tokens.append(table | zeros << 24 | size * _SIZE | bits)

    def _append_ac(self, table: int, values: list[int], first: int) -> int:
        """Append what is not zero of a band; return the last place that was."""
        before, low, append = first - 1, self.low, self.tokens.append
        for position, value in enumerate(values[first : self.last + 1], first):
            if not value or not (magnitude := abs(value) >> low):
                continue
            zeros = position - before - 1
            while zeros > _ZEROS:
                append(table | _ZEROS << 24)
                zeros -= _ZEROS + 1
            size = magnitude.bit_length()
            bits = magnitude if value > 0 else magnitude ^ (1 << size) - 1
            append(table | zeros << 24 | size * _SIZE | bits)
            before = position
        return before

    def _append_raw(self, bits: Sequence[int]) -> None:
        """Append bits without a symbol."""
        for start in range(0, len(bits), _RAW_BITS):
            part = bits[start : start + _RAW_BITS]
            value = sum(bit << shift for shift, bit in enumerate(reversed(part)))
            self.tokens.append(RAW << 28 | len(part) << 15 | value)

    def _open(self, table: int) -> None:
        """Begin a run of ends of block, whose token is completed when it ends."""
        self.slot, self.length, self.corrections = len(self.tokens), 1, 0
        self.tokens.append(table)

    def _go_on(self, table: int) -> None:
        """Add a block to the run, or begin one."""
        listed = self.breaks[self.listed] == self.block
        self.listed += listed
        stops = self.corrections > MOST_CORRECTIONS or self.length >= self.longest
        if not self.length or self.length == LONGEST_RUN or stops != listed:
            self.close()
            self._open(table)
            return
        self.length += 1
        if stops:
            self.corrections = 0

    def close(self) -> None:
        """End the run, if there is one."""
        if self.length:
            size = self.length.bit_length() - 1
            self.tokens[self.slot] |= size << 24 | size << 15 | self.length - (1 << size)
            self.length = self.corrections = 0

    def _refine(self, table: int, values: list[int]) -> None:
        """Append one bit more of a band, and what becomes 1 or -1 by it."""
        places = range(self.first, self.last + 1)
        sizes = [abs(value) >> self.low for value in values]
        position = max((at for at in places if sizes[at] == 1), default=self.first - 1)
        zeros = 0
        bits: list[int] = []
        if position >= self.first:
            self.close()
            for at in range(self.first, position + 1):
                if not sizes[at]:
                    zeros += 1
                    continue
                while zeros > _ZEROS:
                    self.tokens.append(table | _ZEROS << 24)
                    self._append_raw(bits)
                    zeros, bits = zeros - _ZEROS - 1, []
                if sizes[at] > 1:
                    bits.append(sizes[at] & 1)
                else:
                    self._append(table, zeros, 1 if values[at] > 0 else -1)
                    self._append_raw(bits)
                    zeros, bits = 0, []
            if position == self.last:
                return
            self._open(table)
        else:
            self._go_on(table)
        bits = [sizes[at] & 1 for at in range(position + 1, self.last + 1) if sizes[at] > 1]
        self.corrections += len(bits)
        self._append_raw(bits)
