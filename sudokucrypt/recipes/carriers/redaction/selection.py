"""Selections of pixels to cover: rectangles, or any mask."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import index
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.typing import Region, RegionLike

if TYPE_CHECKING:
    from sudokucrypt.images import Turn

# Maximum total size of rectangles as a multiple of the canvas: filling overlaps takes time.
_MAX_SIZE_IN_CANVASES = 4

# Maximum number of rectangles of an area: more are stored as a mask, so that the index is short.
_MAX_REGIONS = 1024


@dataclass(frozen=True, eq=False)
class Selection:
    """The selected pixels of a canvas as a mask and, if possible, also as rectangles."""

    mask: NDArray[np.bool_]
    regions: tuple[Region, ...] | None = None

    @classmethod
    def from_areas(
        cls,
        canvas: tuple[int, ...],
        regions: Sequence[RegionLike] | None,
        mask: ArrayLike | None,
        *,
        allow_none: bool = False,
    ) -> Self | None:
        """Return the pixels in rectangles or a mask of a canvas, or None if there are neither.

        Raises `InvalidParameterError` if an area does not fit the canvas, or unless `allow_none`,
        if no pixel is selected.
        """
        if regions is None and mask is None:
            return None
        if len(canvas) != 2:
            raise InvalidParameterError("regions need an image of rows and columns")
        try:
            rectangles = () if regions is None else tuple(regions)
        except TypeError:
            raise InvalidParameterError(
                f"regions are a list of (row, column, rows, columns), not {regions!r}"
            ) from None
        checked_regions = tuple(_require_region(region, canvas) for region in rectangles)
        selected_mask = np.zeros(canvas, dtype=bool) if mask is None else np.array(mask)
        if selected_mask.dtype != np.bool_ or selected_mask.shape != canvas:
            raise InvalidParameterError(
                f"a mask holds booleans in {canvas[0]} rows of {canvas[1]}, "
                f"not {selected_mask.dtype} in shape {selected_mask.shape}",
                hint="it has the shape of the picture as viewers show it, turned by its orientation"
                if selected_mask.shape == canvas[::-1]
                else None,
            )
        for row, column, rows, columns in checked_regions:
            selected_mask[row : row + rows, column : column + columns] = True
        if not allow_none and not selected_mask.any():
            raise InvalidParameterError("no pixel is selected")
        total_pixels = sum(rows * columns for _, _, rows, columns in checked_regions)
        is_costly = (
            total_pixels > _MAX_SIZE_IN_CANVASES * selected_mask.size
            or len(checked_regions) > _MAX_REGIONS
        )
        return cls(
            selected_mask, None if is_costly or mask is not None else checked_regions or None
        )

    def turn_back(self, turn: "Turn") -> Self:
        """Convert the selection to the stored picture, which `turn` brings upright."""
        shape = self.mask.shape
        regions = self.regions and tuple(
            turn.locate_stored_region(region, shape) for region in self.regions
        )
        return replace(self, mask=np.ascontiguousarray(turn.turn_back(self.mask)), regions=regions)


def _require_region(region: RegionLike, canvas: tuple[int, ...]) -> Region:
    try:
        row, column, rows, columns = rectangle = Region(*map(index, region))
    except (TypeError, ValueError):
        raise InvalidParameterError(
            f"a region is four integers (row, column, rows, columns), not {region!r}",
            hint="regions are a list, as in [(row, column, rows, columns)]",
        ) from None
    if not _is_inside(rectangle, canvas):
        fits_as_xywh = _is_inside(Region.xywh(*rectangle), canvas)
        raise InvalidParameterError(
            f"a region of {rows} rows and {columns} columns at row {row}, column {column} does "
            f"not lie in a picture of {canvas[0]} rows and {canvas[1]} columns",
            hint=f"it is (row, column, rows, columns): for x, y, width and height use "
            f"Region.xywh({row}, {column}, {rows}, {columns})"
            if fits_as_xywh
            else None,
            hint_key="x_first" if fits_as_xywh else None,
        )
    return rectangle


def _is_inside(region: Region, canvas: tuple[int, ...]) -> bool:
    row, column, rows, columns = region
    is_inside = 0 <= row <= canvas[0] - rows and 0 <= column <= canvas[1] - columns
    return is_inside and rows >= 1 and columns >= 1
