"""JPEG files as their quantised coefficients, and back to the same bytes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.images.jpeg.blocks import LARGEST_AC, LARGEST_DC, LEAST_DC
from sudokucrypt.images.jpeg.coded import (
    Planes,
    code_scan,
    decode_scan,
    fitting_tables,
    tokens_of,
)
from sudokucrypt.images.jpeg.frame import JpegFrame, read_frame
from sudokucrypt.images.jpeg.scans import Scan, Script
from sudokucrypt.images.jpeg.segments import (
    END,
    FRAMES,
    HUFFMAN,
    SCAN,
    START,
    Found,
    Segment,
    check_scans,
    walk,
)
from sudokucrypt.images.jpeg.tables import Tables
from sudokucrypt.images.source import Source
from sudokucrypt.typing import AnyArray

_MOST_SEGMENTS: Final = 2**14


@dataclass(frozen=True, eq=False, kw_only=True)
class JpegFile:
    """A JPEG file whose scans are decoded to quantised coefficients.

    Parameters
    ----------
    frame : JpegFrame
        Size and components.
    parts : tuple of Segment or Scan
        Everything between start and end of the file, in its order.
    quantisers : tuple of ndarray of shape (64,), dtype uint16
        For each component by what its coefficients were divided, in zigzag order.
    coefficients : tuple of ndarray of shape (rows, columns, 64), dtype int16
        For each component its blocks, each in zigzag order: the mean (DC) first. Shapes are those
        of `Component.shape`.
    missing : ndarray of shape (components, 64), dtype int64
        How many of its lowest bits no scan sends of each coefficient, in zigzag order; -1 if none
        sends the coefficient at all.
    tail : bytes, optional
        What follows the end marker.
    fill : int, optional
        How many fill bytes stand before the end marker.
    """

    frame: JpegFrame
    parts: tuple[Segment | Scan, ...]
    quantisers: tuple[NDArray[np.uint16], ...]
    coefficients: tuple[NDArray[np.int16], ...]
    missing: NDArray[np.int64]
    tail: bytes = b""
    fill: int = 0

    @property
    def complete(self) -> bool:
        """Whether the scans send every bit of every coefficient; only they can be changed."""
        return not self.missing.any()

    @property
    def scans(self) -> tuple[Scan, ...]:
        """The scans, in their order."""
        return tuple(part for part in self.parts if isinstance(part, Scan))

    def to_bytes(self) -> bytes:
        """Return the file with the Huffman tables that it holds.

        Raises
        ------
        InvalidParameterError
            If the tables have no code for some of the coefficients.
        """
        tables = self._tables()
        pieces = [START]
        for part in self.parts:
            if isinstance(part, Segment):
                tables.take(part.marker, part.body)
                pieces.append(part.to_bytes())
            else:
                pieces.append(part.segment.to_bytes())
                pieces.append(code_scan(part, self._planes(), frame=self.frame, tables=tables))
        return b"".join([*pieces, b"\xff" * self.fill, bytes([0xFF, END]), self.tail])

    def same_file(self, data: bytes) -> bool:
        """Tell whether `to_bytes` gives these bytes."""
        try:
            return self.to_bytes() == data
        except InvalidParameterError:
            return False

    def with_coefficients(self, coefficients: Sequence[AnyArray]) -> Self:
        """Return the file with other coefficients, for which its tables may have no codes.

        Parameters
        ----------
        coefficients : sequence of ndarray
            As many as there are, of the same shapes and type; DC in -16384..16383 and the others
            in -32767..32767. What no scan sends must be zero: bits that are `missing`, and blocks
            that only fill up the units of interleaved scans where no such scan sends them.

        Raises
        ------
        InvalidParameterError
            If they are anything else.
        """
        if len(coefficients) != len(self.coefficients):
            raise InvalidParameterError(
                f"there must be coefficients of {len(self.coefficients)} components"
            )
        for index, (new, old) in enumerate(zip(coefficients, self.coefficients, strict=True)):
            if new.shape != old.shape or new.dtype != old.dtype:
                raise InvalidParameterError(
                    f"the coefficients of component {index} must be of shape {old.shape} and "
                    f"type {old.dtype}, not {new.shape} and {new.dtype}"
                )
            self._check(index, new)
        return replace(self, coefficients=tuple(map(np.ascontiguousarray, coefficients)))

    def _check(self, index: int, new: AnyArray) -> None:
        """Raise `InvalidParameterError` for coefficients that cannot be coded."""
        dc = new[..., 0]
        if dc.max() > LARGEST_DC or dc.min() < LEAST_DC or new.min() < -LARGEST_AC:
            raise InvalidParameterError(f"coefficients of component {index} are out of range")
        rows, columns = self.frame.components[index].blocks
        # Scans of several components send their band of all blocks.
        joint = [scan for scan in self.scans if len(scan.components) > 1]
        sent = max((scan.last + 1 for scan in joint if index in scan.components), default=0)
        bits = self.missing[index].tolist()
        unsent = any(
            (abs(new[..., place].astype(np.int64)) & (0xFFFF if bit < 0 else (1 << bit) - 1)).any()
            for place, bit in enumerate(bits)
            if bit
        )
        if unsent or new[rows:, :, sent:].any() or new[:, columns:, sent:].any():
            raise InvalidParameterError(
                f"no scan sends some of the coefficients of component {index}",
                hint="leave what no scan sends at zero",
            )

    def optimised(self) -> Self:
        """Return the file with Huffman tables that fit its coefficients.

        The scans stay as they are; what is special about their padding, runs and strays goes.
        """
        tables = self._tables()
        parts: list[Segment | Scan] = []
        for part in self.parts:
            if isinstance(part, Segment):
                tables.take(part.marker, part.body)
                if part.marker != HUFFMAN:
                    parts.append(part)
                continue
            scan = replace(part, padding=b"", breaks=(), strays=())
            tokens = tokens_of(scan, self._planes(), frame=self.frame, tables=tables)
            if fitting := fitting_tables(scan, tokens):
                bodies = [table.to_bytes(*place) for place, table in fitting.items()]
                parts.append(Segment(HUFFMAN, b"".join(bodies)))
            parts.append(scan)
        return replace(self, parts=tuple(parts))

    def _tables(self) -> Tables:
        """Return what is in force at the start of the file: nothing."""
        return Tables(Source(b"", "the file", 0))

    def _planes(self) -> Planes:
        return dict(enumerate(self.coefficients))


def read_coefficients(data: bytes, *, max_pixels: int, name: str = "the picture") -> JpegFile:
    """Decode a JPEG file to its quantised coefficients and everything else in it.

    Parameters
    ----------
    data : bytes
        The whole file: baseline, extended or progressive, with Huffman codes and 8-bit samples.
    max_pixels : int
        The most pixels that are read; memory is at most 8 bytes for each and some more for the
        file.
    name : str, optional
        What messages call the file.

    Returns
    -------
    JpegFile
        Its `same_file` tells whether it gives back every byte. It does not where a program coded
        something in a way of its own, such as zeros before the end of a block.

    Raises
    ------
    UnsupportedError
        If the file is lossless, hierarchical, arithmetically coded or not of 8 bits, has more
        than four components, very many scans or segments, or tells its height at its end (DNL).
    InvalidImageError
        If it is no JPEG, damaged or cut short, or claims more pixels than are read.

    Notes
    -----
    Stricter than programs that show pictures: every block must be there, every code must stand
    for something, and all but a few bytes must belong to a block.

    Examples
    --------
    >>> import imagecodecs, numpy
    >>> data = imagecodecs.jpeg8_encode(numpy.zeros((20, 30), numpy.uint8))
    >>> file = read_coefficients(data, max_pixels=1000)
    >>> file.coefficients[0].shape, file.same_file(data)
    ((3, 4, 64), True)
    """
    source = Source(data, name, max_pixels)
    if not data.startswith(START):
        raise source.damaged("it does not begin as a JPEG")
    *found, end = _parts(source)
    tables, planes = Tables(source), Planes()
    quantisers: dict[int, NDArray[np.uint16]] = {}
    script: Script | None = None
    parts: list[Segment | Scan] = []
    scans = sum(part.marker == SCAN for part in found)
    for part in found:
        segment = Segment(part.marker, bytes(part.body), part.fill)
        if part.marker in FRAMES:
            if script is not None:
                raise source.damaged("it has two frames")
            script = Script(source, read_frame(source, segment.marker, segment.body))
            check_scans(source, scans, script.frame.rows * script.frame.columns)
        if part.marker != SCAN:
            tables.take(segment.marker, segment.body)
            parts.append(segment)
            continue
        if script is None:
            raise source.damaged("a scan stands before the frame")
        scan = script.take(segment)
        for index in scan.components:
            number = script.frame.components[index].quantiser
            if number not in tables.quantisers:
                raise source.damaged("a scan has a quantisation table that is not there")
            quantisers.setdefault(index, tables.quantisers[number])
        parts.append(
            decode_scan(scan, bytes(part.coded), planes, frame=script.frame, tables=tables)
        )
    if script is None or (script.missing[:, 0] < 0).any():
        raise source.damaged("it lacks a scan of one of its components")
    count = len(script.frame.components)
    return JpegFile(
        frame=script.frame,
        parts=tuple(parts),
        quantisers=tuple(quantisers[index] for index in range(count)),
        coefficients=tuple(planes[index] for index in range(count)),
        missing=script.missing,
        tail=bytes(end.body),
        fill=end.fill,
    )


def _parts(source: Source) -> list[Found]:
    found = list(islice(walk(source), _MOST_SEGMENTS))
    if found[-1].marker != END:
        raise source.unsupported(f"a JPEG of more than {_MOST_SEGMENTS - 1} segments")
    return found
