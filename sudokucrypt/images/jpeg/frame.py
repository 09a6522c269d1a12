"""The frame of a JPEG: its size, its components, and the numbers of their blocks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sudokucrypt.images.driver import Source
from sudokucrypt.images.jpeg.blocks import BLOCK_SIDE
from sudokucrypt.images.jpeg.file import LATE_ROWS_TEXT, read_frame_head

_PROGRESSIVE_MARKER: Final = 0xC2
# A scan has at most four components, and no program writes pictures with more.
_MAX_COMPONENTS: Final = 4
_MAX_SAMPLING_FACTOR: Final = 4
_FRAME_HEAD_BYTES: Final = 6  # bytes before the components
_COMPONENT_BYTES: Final = 3  # bytes of a component


@dataclass(frozen=True, kw_only=True)
class Component:
    """A plane of samples, such as luminance."""

    identifier: int  #: The number by which scans name the component, 0..255.
    #: Rows and columns of its blocks in a unit of a scan of several components, 1..4 each.
    sampling: tuple[int, int]
    quantizer: int  #: The number of its quantization table, 0..3.
    blocks: tuple[int, int]  #: Rows and columns of the blocks that cover the picture.
    #: Rows and columns of all its blocks, including dummies that complete the last units.
    shape: tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class JpegFrame:
    """The content of a frame segment: size and components of a JPEG."""

    #: Whether several scans send the coefficients of a component in parts; otherwise one scan does.
    progressive: bool
    #: The size of the picture in pixels, 1..65535.
    rows: int
    columns: int
    components: tuple[Component, ...]  #: One to four, in the order of the file.
    units: tuple[int, int]  #: Rows and columns of the units (MCU) of a scan of all components.

    @property
    def unit_side(self) -> tuple[int, int]:
        """Rows and columns of pixels in a unit; a unit is one block if there is one component."""
        samplings = [component.sampling for component in self.components]
        if len(samplings) == 1:
            return BLOCK_SIDE, BLOCK_SIDE
        vertical_factor, horizontal_factor = (max(sides) for sides in zip(*samplings, strict=True))
        return BLOCK_SIDE * vertical_factor, BLOCK_SIDE * horizontal_factor


def read_frame(source: Source, marker: int, body: bytes) -> JpegFrame:
    """Return the frame that a segment describes.

    Raises `UnsupportedError` if it is lossless, hierarchical, arithmetically coded or not of 8
    bits, does not state its number of rows (DNL), or has more than four components; and
    `InvalidImageError` if it is invalid, or claims more pixels than may be read.
    """
    rows, columns, count = read_frame_head(source, marker, body)
    if rows == 0:
        raise source.refuse_kind(LATE_ROWS_TEXT)
    if count > _MAX_COMPONENTS:
        raise source.refuse_kind(f"a JPEG with {count} channels")
    if len(body) != _FRAME_HEAD_BYTES + count * _COMPONENT_BYTES or not count:
        raise source.report_damage("its frame segment does not list its components")
    source.shape(rows, columns, count, width=0)  # memory for coefficients is reserved later
    entries = [
        tuple(body[start : start + _COMPONENT_BYTES])
        for start in range(_FRAME_HEAD_BYTES, len(body), _COMPONENT_BYTES)
    ]
    samplings = [
        (packed_sampling & 0x0F, packed_sampling >> 4) for _, packed_sampling, _ in entries
    ]
    _require_valid_components(source, entries, samplings)
    largest_sampling = (
        max(rows for rows, _ in samplings),
        max(columns for _, columns in samplings),
    )
    units = (
        _divide_rounding_up(rows, BLOCK_SIDE * largest_sampling[0]),
        _divide_rounding_up(columns, BLOCK_SIDE * largest_sampling[1]),
    )
    components = []
    for (identifier, _, quantizer), sampling in zip(entries, samplings, strict=True):
        blocks = tuple(
            _divide_rounding_up(_divide_rounding_up(side * factor, largest_factor), BLOCK_SIDE)
            for side, factor, largest_factor in zip(
                (rows, columns), sampling, largest_sampling, strict=True
            )
        )
        completed_shape = tuple(side * factor for side, factor in zip(units, sampling, strict=True))
        components.append(
            Component(
                identifier=identifier,
                sampling=sampling,
                quantizer=quantizer,
                blocks=(blocks[0], blocks[1]),
                # Scans of one component have only the blocks that cover the picture.
                shape=(blocks[0], blocks[1])
                if count == 1
                else (completed_shape[0], completed_shape[1]),
            )
        )
    return JpegFrame(
        progressive=marker == _PROGRESSIVE_MARKER,
        rows=rows,
        columns=columns,
        components=tuple(components),
        units=units,
    )


def _require_valid_components(
    source: Source, entries: Sequence[tuple[int, ...]], samplings: Sequence[tuple[int, int]]
) -> None:
    """Raise `InvalidImageError` for components with an invalid sampling, identifier or table."""
    if not all(1 <= side <= _MAX_SAMPLING_FACTOR for sides in samplings for side in sides):
        raise source.report_damage("a component has no valid sampling")
    if len({identifier for identifier, _, _ in entries}) < len(entries):
        raise source.report_damage("two of its components have the same identifier")
    if any(quantizer > 3 for _, _, quantizer in entries):
        raise source.report_damage("a component has no valid quantization table")


def _divide_rounding_up(value: int, divisor: int) -> int:
    return -(-value // divisor)
