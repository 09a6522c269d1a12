"""Scans: each codes some coefficients of some components, or (if progressive) some of their bits.

A progressive JPEG first sends a band of coefficients without their lowest bits. Each further scan
of the band refines it by one bit.

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

# The index of the last of 64 frequencies in zigzag order.
_LAST_COEFFICIENT: Final = 63
# The largest number of lowest bits that a scan may leave to later scans (ITU-T T.81, B.2.3).
_MAX_MISSING_BITS: Final = 13
_MAX_UNIT_BLOCKS: Final = 10  # blocks of a unit of an interleaved scan


@dataclass(frozen=True, kw_only=True)
class Scan:
    """One pass over the blocks of some components."""

    segment: Segment  #: The segment that starts the scan.
    kind: int  #: `SEQUENTIAL`, `DC_FIRST`, `DC_REFINED`, `AC_FIRST` or `AC_REFINED`.
    components: tuple[int, ...]  #: The indexes of its components in the frame.
    dc_tables: tuple[int, ...]  #: For each component, the number of its Huffman table for DC, 0..3.
    ac_tables: tuple[int, ...]  #: For each component, the number of its Huffman table for AC, 0..3.
    first: int  #: The first coefficient of the band in zigzag order, 0..63.
    last: int  #: The last coefficient of the band in zigzag order, 0..63.
    low_bit: int  #: The number of lowest bits that the coefficients lack after this scan, 0..13.
    #: For each restart interval, its last byte with all data bits set to one; empty if all padding
    #: bits are ones.
    padding: bytes = b""
    #: The numbers of the blocks at which the encoder ended a run of end-of-block symbols where
    #: usual encoders continue it, or continued it where they end it.
    run_breaks: tuple[int, ...] = ()
    #: Pairs of the number of a restart interval and the meaningless bytes after its data.
    stray_bytes: tuple[tuple[int, bytes], ...] = ()

    def sampling(self, component: Component) -> tuple[int, int]:
        """Return rows and columns of the blocks that a component has in a unit of this scan."""
        return component.sampling if len(self.components) > 1 else (1, 1)

    def units(self, frame: JpegFrame) -> tuple[int, int]:
        """Return rows and columns of its units; with one component, a unit is a single block."""
        has_one_component = len(self.components) == 1
        return frame.components[self.components[0]].blocks if has_one_component else frame.units

    def blocks(self, frame: JpegFrame) -> int:
        """Return the number of blocks that the scan codes."""
        rows, columns = self.units(frame)
        samplings = [self.sampling(frame.components[index]) for index in self.components]
        return (
            rows
            * columns
            * sum(
                vertical_factor * horizontal_factor
                for vertical_factor, horizontal_factor in samplings
            )
        )

    def tables(self) -> list[tuple[int, int]]:
        """Return kind and number of each Huffman table of the scan, without duplicates."""
        tables = [(0, name) for name in self.dc_tables if self.kind in (SEQUENTIAL, DC_FIRST)]
        ac_kinds = (SEQUENTIAL, AC_FIRST, AC_REFINED)
        tables += [(1, name) for name in self.ac_tables if self.kind in ac_kinds]
        return list(dict.fromkeys(tables))


@dataclass(eq=False)
class ScanReader:
    """Reads the scans of a file in order, and raises errors for invalid ones."""

    source: Source
    frame: JpegFrame
    # For each coefficient, the number of lowest bits that no scan has sent yet; -1 before any scan.
    # Shape (components, 64), dtype int64.
    missing_bits: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        self.missing_bits = np.full((len(self.frame.components), _LAST_COEFFICIENT + 1), -1)

    def read_scan(self, segment: Segment) -> Scan:
        """Return the scan that a segment starts.

        Raises `InvalidImageError` if the scan is malformed, sends coefficients again, or refines
        coefficients that were not sent before.
        """
        body = segment.body
        count = body[0] if body else 0
        if not 1 <= count <= len(self.frame.components) or len(body) != 4 + 2 * count:
            raise self.source.report_damage("a scan does not list its components")
        identifiers = [component.identifier for component in self.frame.components]
        if any(identifier not in identifiers for identifier in body[1:-3:2]):
            raise self.source.report_damage("a scan names a component that is not in the frame")
        components = tuple(map(identifiers.index, body[1:-3:2]))
        samplings = [self.frame.components[index].sampling for index in components]
        blocks = sum(rows * columns for rows, columns in samplings)
        if len(set(components)) < count or (count > 1 and blocks > _MAX_UNIT_BLOCKS):
            raise self.source.report_damage("a scan has too many components or blocks")
        table_pairs = [divmod(packed_tables, 16) for packed_tables in body[2:-3:2]]
        if any(max(pair) > 3 for pair in table_pairs):
            raise self.source.report_damage("a scan has no valid Huffman table")
        kind, first, last, low_bit = self._read_band(components, body[-3:])
        return Scan(
            segment=segment,
            kind=kind,
            components=components,
            dc_tables=tuple(dc for dc, _ in table_pairs),
            ac_tables=tuple(ac for _, ac in table_pairs),
            first=first,
            last=last,
            low_bit=low_bit,
        )

    def _read_band(self, components: tuple[int, ...], body: bytes) -> tuple[int, int, int, int]:
        """Return kind, first and last coefficient of a scan, and its number of missing bits."""
        first, last, previous_low_bit, low_bit = body[0], body[1], body[2] >> 4, body[2] & 0x0F
        if not self.frame.progressive:
            # Some programs write other numbers here, which all readers ignore.
            first, last, previous_low_bit, low_bit = 0, _LAST_COEFFICIENT, 0, 0
        elif (
            not first <= last <= _LAST_COEFFICIENT
            or (first == 0 and last > 0)
            or (first > 0 and len(components) > 1)
            or low_bit > _MAX_MISSING_BITS
            or (previous_low_bit and previous_low_bit != low_bit + 1)
        ):
            raise self.source.report_damage("a scan has no valid band of coefficients")
        missing_bits = self.missing_bits[list(components), first : last + 1]
        if (missing_bits != (previous_low_bit or -1)).any():
            raise self.source.report_damage("a scan sends coefficients out of turn")
        self.missing_bits[list(components), first : last + 1] = low_bit
        if not self.frame.progressive:
            return SEQUENTIAL, first, last, low_bit
        if first == 0:
            return DC_REFINED if previous_low_bit else DC_FIRST, first, last, low_bit
        return AC_REFINED if previous_low_bit else AC_FIRST, first, last, low_bit
