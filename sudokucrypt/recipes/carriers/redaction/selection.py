"""Which pixels of a picture are covered: rectangles, or any mask."""

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

# How often rectangles may cover the canvas; filling them takes time.
_MOST_AREA = 4

# Most rectangles that are written as such, so that the index stays short.
_MOST_REGIONS = 1024


@dataclass(frozen=True, eq=False)
class Selection:
    """The selected pixels of a canvas."""

    where: NDArray[np.bool_]
    regions: tuple[Region, ...] | None = None

    @classmethod
    def chosen(
        cls,
        canvas: tuple[int, ...],
        regions: Sequence[RegionLike] | None,
        mask: ArrayLike | None,
        *,
        allow_none: bool = False,
    ) -> Self | None:
        """Return what the user selected on a canvas, none for all of it."""
        if regions is None and mask is None:
            return None
        if len(canvas) != 2:
            raise InvalidParameterError("regions need an image of rows and columns")
        try:
            listed = () if regions is None else tuple(regions)
        except TypeError:
            raise InvalidParameterError(
                f"regions are several (row, column, rows, columns), not {regions!r}"
            ) from None
        rectangles = tuple(_require_region(region, canvas) for region in listed)
        where = np.zeros(canvas, dtype=bool) if mask is None else np.array(mask)
        if where.dtype != np.bool_ or where.shape != canvas:
            raise InvalidParameterError(
                f"a mask holds booleans in {canvas[0]} rows of {canvas[1]}, "
                f"not {where.dtype} in shape {where.shape}",
                hint="it has the shape of the picture as viewers show it, turned by its orientation"
                if where.shape == canvas[::-1]
                else None,
            )
        _fill(where, rectangles)
        if not allow_none and not where.any():
            raise InvalidParameterError("no pixel is selected")
        costly = (
            _measure_area(rectangles) > _MOST_AREA * where.size or len(rectangles) > _MOST_REGIONS
        )
        return cls(where, None if costly or mask is not None else rectangles or None)

    def turn_back(self, turn: "Turn") -> Self:
        """Return the same pixels where they lie in a file whose picture is turned to be shown."""
        shape = self.where.shape
        regions = self.regions and tuple(
            turn.locate_stored(region, shape) for region in self.regions
        )
        return replace(
            self, where=np.ascontiguousarray(turn.turn_back(self.where)), regions=regions
        )


def _measure_area(regions: Sequence[RegionLike]) -> int:
    return sum(rows * columns for _, _, rows, columns in regions)


def _fill(where: NDArray[np.bool_], regions: Sequence[RegionLike]) -> None:
    for row, column, rows, columns in regions:
        where[row : row + rows, column : column + columns] = True


def _require_region(region: RegionLike, canvas: tuple[int, ...]) -> Region:
    try:
        row, column, rows, columns = whole = Region(*map(index, region))
    except (TypeError, ValueError):
        raise InvalidParameterError(
            f"a region is four integers (row, column, rows, columns), not {region!r}"
        ) from None
    if not _is_inside(whole, canvas):
        x_first = _is_inside(Region.xywh(*whole), canvas)
        raise InvalidParameterError(
            f"a region of {rows} rows and {columns} columns at row {row}, column {column} does "
            f"not lie in a picture of {canvas[0]} rows and {canvas[1]} columns",
            hint=f"it is (row, column, rows, columns): for x, y, width and height use "
            f"Region.xywh({row}, {column}, {rows}, {columns})"
            if x_first
            else None,
            hint_key="x_first" if x_first else None,
        )
    return whole


def _is_inside(region: Region, canvas: tuple[int, ...]) -> bool:
    row, column, rows, columns = region
    inside = 0 <= row <= canvas[0] - rows and 0 <= column <= canvas[1] - columns
    return inside and rows >= 1 and columns >= 1
