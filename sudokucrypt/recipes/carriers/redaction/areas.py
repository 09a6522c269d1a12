"""Areas of a redaction, stored as rectangles or runs of pixels, and as masks only if needed."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sudokucrypt.errors import FormatError
from sudokucrypt.recipes.carriers.redaction.masks import pack_mask, unpack_strips
from sudokucrypt.typing import Region

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sudokucrypt.recipes.carriers.redaction.medium import Mask
    from sudokucrypt.recipes.carriers.redaction.selection import Selection

# Maximum total size of the rectangles of an area, as a multiple of the canvas: filling overlapping
# rectangles takes time.
_MAX_SIZE_IN_CANVASES: Final = 4
# Pixels that are counted at a time: they fit into the cache of a processor.
_STRIP_PIXELS: Final = 2**20


@dataclass(frozen=True, kw_only=True)
class Area:
    """A set of pixels of a canvas, stored without a mask."""

    canvas: tuple[int, int]  # rows and columns
    regions: tuple[Region, ...] | None  # rectangles (row, column, rows, columns); None for runs
    runs: bytes = b""  # the lengths of runs, as `pack_mask` returns them

    @classmethod
    def from_selection(cls, selection: Selection) -> Area:
        """Return the area of a selection."""
        rows, columns = selection.mask.shape
        packed_mask = pack_mask(selection.mask) if selection.regions is None else b""
        return cls(canvas=(rows, columns), regions=selection.regions, runs=packed_mask)

    @classmethod
    def from_field(cls, field: Any, canvas: tuple[int, int]) -> Area:
        """Return the area in a field of an index; `FormatError` if it is not on the canvas.

        Runs are checked only by `mask` and `iterate_strips`.
        """
        if isinstance(field, str):
            packed_mask = base64.b64decode(field, validate=True)
            return cls(canvas=canvas, regions=None, runs=packed_mask)
        regions = tuple(Region(*region) for region in field)
        total_pixels = sum(rows * columns for *_, rows, columns in regions)
        is_valid = 0 < total_pixels <= _MAX_SIZE_IN_CANVASES * canvas[0] * canvas[1] and all(
            0 <= row <= canvas[0] - rows < canvas[0]
            and 0 <= column <= canvas[1] - columns < canvas[1]
            and {*map(type, region)} == {int}
            for region in regions
            for row, column, rows, columns in [region]
        )
        if not is_valid:
            raise FormatError("the areas do not fit the picture")
        return cls(canvas=canvas, regions=regions)

    @property
    def field(self) -> list[list[int]] | str:
        """The value of the area in an index: rectangles, or runs in base64."""
        if self.regions is None:
            return base64.b64encode(self.runs).decode()
        return [list(region) for region in self.regions]

    def mask(self) -> Mask:
        """Return the mask of the area; `FormatError` if its runs do not fit the canvas."""
        (strip,) = self.iterate_strips(self.canvas[0])
        return strip

    def iterate_strips(self, size: int) -> Iterator[Mask]:
        """Yield the mask of the area in strips of `size` rows; errors as for `mask`."""
        rows, columns = self.canvas
        if self.regions is None:
            for strip_pixels in unpack_strips(self.runs, rows * columns, size * columns):
                yield strip_pixels.reshape(-1, columns)
            return
        tops, _, heights, _ = np.array(self.regions, dtype=np.int64).T
        for start in range(0, rows, size):
            strip = np.zeros((min(size, rows - start), columns), dtype=np.bool_)
            for index in np.flatnonzero((tops < start + size) & (tops + heights > start)).tolist():
                row, column, height, width = self.regions[index]
                strip[max(0, row - start) : row + height - start, column : column + width] = True
            yield strip


def count_pixels(areas: Sequence[Area]) -> list[int]:
    """Return the number of pixels of each area that are in no area before it.

    Errors are those of `Area.mask`.
    """
    counts = [0] * len(areas)
    rows, columns = areas[0].canvas
    size = max(1, _STRIP_PIXELS // columns)
    sources = [area.iterate_strips(size) for area in areas]
    for _ in range(0, rows, size):
        covered_mask, previous_pixel_count = next(sources[0]), 0
        for index, source in enumerate(sources):
            if index:
                covered_mask |= next(source)
            total_pixels = int(np.count_nonzero(covered_mask))
            counts[index] += total_pixels - previous_pixel_count
            previous_pixel_count = total_pixels
    for source in sources:
        next(source, None)  # raises an error if runs are left over
    return counts


def merge_areas(canvas: tuple[int, int], areas: Sequence[Area | Selection]) -> Mask:
    """Return the mask of all pixels in any of the areas; errors as for `Area.mask`."""
    mask = np.zeros(canvas, dtype=np.bool_)
    for area in areas:
        mask |= area.mask() if isinstance(area, Area) else area.mask
    return mask
