"""Scans: which coefficients of which components each of them holds, and in how many bits.

A progressive JPEG sends bands of the coefficients, each without its lowest bits first, and then
one bit more with every scan that refines it.

References
----------
.. [1] ITU-T T.81 (1992), B.2.3 and G.1.1.
"""

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.images.driver import Source
from sudokucrypt.images.jpeg.blocks import (
    AC_FIRST,
    AC_REFINED,
    DC_FIRST,
    DC_REFINED,
    SEQUENTIAL,
)
from sudokucrypt.images.jpeg.file import Segment
from sudokucrypt.images.jpeg.frame import Component, JpegFrame

# The last of 64 frequencies, in the order of the zigzag.
_LAST: Final = 63
# The lowest bits that a scan may leave to later ones (ITU-T T.81, B.2.3).
_MOST_LOW: Final = 13
_MOST_BLOCKS: Final = 10  # blocks of a unit of an interleaved scan


@dataclass(frozen=True, kw_only=True)
class Scan:
    """One pass over the blocks of some components."""

    segment: Segment  #: The segment that starts it.
    kind: int  #: `SEQUENTIAL`, `DC_FIRST`, `DC_REFINED`, `AC_FIRST` or `AC_REFINED`.
    components: tuple[int, ...]  #: Which components of the frame it holds.
    dc_tables: tuple[int, ...]  #: The numbers of their Huffman tables for means, 0..3.
    ac_tables: tuple[int, ...]  #: The numbers of those for the other coefficients, 0..3.
    first: int  #: Where the band of coefficients begins in zigzag order, 0..63.
    last: int  #: Where it ends.
    low: int  #: How many of their lowest bits the coefficients lack after this scan, 0..13.
    #: The bits that fill up the last byte of each restart interval, under ones; nothing if all of
    #: them are ones.
    padding: bytes = b""
    #: The blocks, counted in this scan, at which a run of ends of block stops or goes on where it
    #: usually does the other.
    breaks: tuple[int, ...] = ()
    #: Pairs of a restart interval and the bytes behind its data: fill bytes, or a few that mean
    #: nothing.
    strays: tuple[tuple[int, bytes], ...] = ()

    def sampling(self, component: Component) -> tuple[int, int]:
        """Return rows and columns of the blocks that a component has in a unit of this scan."""
        return component.sampling if len(self.components) > 1 else (1, 1)

    def units(self, frame: JpegFrame) -> tuple[int, int]:
        """Return rows and columns of its units; a unit of one component is a single block."""
        single = len(self.components) == 1
        return frame.components[self.components[0]].blocks if single else frame.units

    def blocks(self, frame: JpegFrame) -> int:
        """Return how many blocks it goes over."""
        rows, columns = self.units(frame)
        samplings = [self.sampling(frame.components[index]) for index in self.components]
        return rows * columns * sum(down * across for down, across in samplings)

    def tables(self) -> list[tuple[int, int]]:
        """Return kind and number of each Huffman table that it uses, each once."""
        used = [(0, name) for name in self.dc_tables if self.kind in (SEQUENTIAL, DC_FIRST)]
        ac_kinds = (SEQUENTIAL, AC_FIRST, AC_REFINED)
        used += [(1, name) for name in self.ac_tables if self.kind in ac_kinds]
        return list(dict.fromkeys(used))


@dataclass(eq=False)
class Script:
    """Follows the scans of a file, and refuses what no file may do."""

    source: Source
    frame: JpegFrame
    # How many of its lowest bits each coefficient lacks so far; -1 before it was sent. Shape
    # (components, 64), dtype int64.
    missing: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        self.missing = np.full((len(self.frame.components), _LAST + 1), -1)

    def take(self, segment: Segment) -> Scan:
        """Return the scan that a segment starts.

        Raises `InvalidImageError` if it is malformed, or sends what was sent, or refines what was
        not.
        """
        body = segment.body
        count = body[0] if body else 0
        if not 1 <= count <= len(self.frame.components) or len(body) != 4 + 2 * count:
            raise self.source.report_damage("a scan does not list its components")
        identifiers = [component.identifier for component in self.frame.components]
        if any(identifier not in identifiers for identifier in body[1:-3:2]):
            raise self.source.report_damage("a scan has a component that the frame has not")
        components = tuple(map(identifiers.index, body[1:-3:2]))
        samplings = [self.frame.components[index].sampling for index in components]
        blocks = sum(rows * columns for rows, columns in samplings)
        if len(set(components)) < count or (count > 1 and blocks > _MOST_BLOCKS):
            raise self.source.report_damage("a scan has too many components or blocks")
        pairs = [divmod(both, 16) for both in body[2:-3:2]]
        if any(max(pair) > 3 for pair in pairs):
            raise self.source.report_damage("a scan has no valid Huffman table")
        kind, first, last, low = self._get_band(components, body[-3:])
        return Scan(
            segment=segment,
            kind=kind,
            components=components,
            dc_tables=tuple(dc for dc, _ in pairs),
            ac_tables=tuple(ac for _, ac in pairs),
            first=first,
            last=last,
            low=low,
        )

    def _get_band(self, components: tuple[int, ...], body: bytes) -> tuple[int, int, int, int]:
        """Return kind, first and last coefficient, and the bits that will be missing."""
        first, last, high, low = body[0], body[1], body[2] >> 4, body[2] & 0x0F
        if not self.frame.progressive:
            # Some programs write other numbers here, which all others pass over.
            first, last, high, low = 0, _LAST, 0, 0
        elif (
            not first <= last <= _LAST
            or (first == 0 and last > 0)
            or (first > 0 and len(components) > 1)
            or low > _MOST_LOW
            or (high and high != low + 1)
        ):
            raise self.source.report_damage("a scan has no valid band of coefficients")
        before = self.missing[list(components), first : last + 1]
        if (before != (high or -1)).any():
            raise self.source.report_damage("a scan sends coefficients out of turn")
        self.missing[list(components), first : last + 1] = low
        if not self.frame.progressive:
            return SEQUENTIAL, first, last, low
        if first == 0:
            return DC_REFINED if high else DC_FIRST, first, last, low
        return AC_REFINED if high else AC_FIRST, first, last, low
