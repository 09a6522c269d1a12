"""A JPEG file as quantized coefficients, from which the same bytes can be written again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.images.driver import Source
from sudokucrypt.images.jpeg.blocks import MAX_AC, MAX_DC, MIN_DC
from sudokucrypt.images.jpeg.coded import encode_scan, fit_tables
from sudokucrypt.images.jpeg.file import (
    END_MARKER,
    HUFFMAN_MARKER,
    START_OF_IMAGE,
    Segment,
)
from sudokucrypt.images.jpeg.frame import JpegFrame
from sudokucrypt.images.jpeg.scans import Scan
from sudokucrypt.images.jpeg.tables import Tables
from sudokucrypt.typing import AnyArray


@dataclass(frozen=True, eq=False, kw_only=True)
class JpegFile:
    """A JPEG file whose scans are decoded to quantized coefficients."""

    frame: JpegFrame  #: Size and components.
    #: All segments and scans between the start and the end marker of the file, in their order.
    parts: tuple[Segment | Scan, ...]
    #: For each component, the divisors of its coefficients in zigzag order: shape (64,), dtype
    #: uint16.
    quantizers: tuple[NDArray[np.uint16], ...]
    #: For each component, its blocks: shape (rows, columns, 64), dtype int16, where rows and
    #: columns are `Component.shape`. A block is in zigzag order, its mean (DC) first.
    coefficients: tuple[NDArray[np.int16], ...]
    #: For each coefficient in zigzag order, the number of its lowest bits that no scan sends, or -1
    #: if no scan sends the coefficient. Shape (components, 64), dtype int64.
    missing: NDArray[np.int64]
    tail: bytes = b""  #: The bytes after the end marker.
    fill: int = 0  #: The number of fill bytes before the end marker.

    @property
    def complete(self) -> bool:
        """Whether the scans send every bit of every coefficient, so that all can be changed."""
        return not self.missing.any()

    @property
    def scans(self) -> tuple[Scan, ...]:
        """The scans, in the order of the file."""
        return tuple(part for part in self.parts if isinstance(part, Scan))

    def to_bytes(self) -> bytes:
        """Return the bytes of the file, coded with the Huffman tables in `parts`.

        Raises `InvalidParameterError` if the tables have no code for some of the coefficients.
        """
        planes = dict(enumerate(self.coefficients))
        return self._join_parts(
            lambda scan, tables: encode_scan(scan, planes, frame=self.frame, tables=tables)
        )

    def skeleton(self) -> bytes:
        """Return the bytes of the file without the coded data of its scans."""
        return self._join_parts(lambda _scan, _tables: b"")

    def _join_parts(self, code: Callable[[Scan, Tables], bytes]) -> bytes:
        """Return the bytes of the file; `code` returns the data of a scan, given its tables."""
        tables = _make_empty_tables()
        data_parts = [START_OF_IMAGE]
        for part in self.parts:
            if isinstance(part, Segment):
                tables.take_segment(part.marker, part.body)
                data_parts.append(part.to_bytes())
            else:
                data_parts += part.segment.to_bytes(), code(part, tables)
        return b"".join([*data_parts, b"\xff" * self.fill, bytes([0xFF, END_MARKER]), self.tail])

    def count_sent_coefficients(self, index: int) -> int:
        """Return how many coefficients of each dummy block the scans send: 0, 1 or 64.

        Dummy blocks only complete the units of scans of several components.
        """
        # Scans of several components send all blocks, including dummies.
        interleaved_scans = [scan for scan in self.scans if len(scan.components) > 1]
        return max(
            (scan.last + 1 for scan in interleaved_scans if index in scan.components), default=0
        )

    def is_same_file(self, data: bytes) -> bool:
        """Return whether `to_bytes` returns exactly these bytes."""
        try:
            return self.to_bytes() == data
        except InvalidParameterError:
            return False

    def with_coefficients(self, coefficients: Sequence[AnyArray]) -> Self:
        """Return the file with other coefficients; its Huffman tables may lack codes for them.

        They need the same shapes and types; DC must be in -16384..16383, and all others in
        -32767..32767. Bits that no scan sends must be zero: `missing` bits, and dummy blocks if no
        scan of several components sends them. Otherwise, `InvalidParameterError` is raised.
        """
        if len(coefficients) != len(self.coefficients):
            raise InvalidParameterError(
                f"`coefficients` must have one array for each of the {len(self.coefficients)} "
                "components"
            )
        for index, (new_plane, old_plane) in enumerate(
            zip(coefficients, self.coefficients, strict=True)
        ):
            if new_plane.shape != old_plane.shape or new_plane.dtype != old_plane.dtype:
                raise InvalidParameterError(
                    f"the coefficients of component {index} must be of shape {old_plane.shape} and "
                    f"type {old_plane.dtype}, not {new_plane.shape} and {new_plane.dtype}"
                )
            self._check_plane(index, new_plane)
        return replace(self, coefficients=tuple(map(np.ascontiguousarray, coefficients)))

    def _check_plane(self, index: int, plane: AnyArray) -> None:
        """Raise `InvalidParameterError` for coefficients that cannot be coded."""
        means = plane[..., 0]
        if means.max() > MAX_DC or means.min() < MIN_DC or plane.min() < -MAX_AC:
            raise InvalidParameterError(f"coefficients of component {index} are out of range")
        rows, columns = self.frame.components[index].blocks
        sent_count = self.count_sent_coefficients(index)
        bits = self.missing[index].tolist()
        has_unsent_bits = any(
            (
                abs(plane[..., index].astype(np.int64)) & (0xFFFF if bit < 0 else (1 << bit) - 1)
            ).any()
            for index, bit in enumerate(bits)
            if bit
        )
        if (
            has_unsent_bits
            or plane[rows:, :, sent_count:].any()
            or plane[:, columns:, sent_count:].any()
        ):
            raise InvalidParameterError(
                f"no scan sends some of the coefficients of component {index}",
                hint="leave coefficients that no scan sends at zero",
            )

    def optimize(self) -> Self:
        """Return the file with new Huffman tables that suit its coefficients.

        The scans are kept, but with usual padding and runs, and without strays.
        """
        tables, planes = _make_empty_tables(), dict(enumerate(self.coefficients))
        parts: list[Segment | Scan] = []
        for part in self.parts:
            if isinstance(part, Segment):
                tables.take_segment(part.marker, part.body)
                parts += [part] if part.marker != HUFFMAN_MARKER else []
                continue
            scan = replace(part, padding=b"", run_breaks=(), stray_bytes=())
            fitting_tables = fit_tables(scan, planes, frame=self.frame, tables=tables)
            if fitting_tables:
                table_bodies = [table.to_bytes(*index) for index, table in fitting_tables.items()]
                parts.append(Segment(HUFFMAN_MARKER, b"".join(table_bodies)))
            parts.append(scan)
        return replace(self, parts=tuple(parts))


def _make_empty_tables() -> Tables:
    """Return the tables at the start of a file, where none is defined."""
    return Tables(Source(b"", "the file", 0))
