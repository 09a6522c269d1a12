"""Find the units and blocks of a JPEG that a selection of pixels touches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.images.jpeg import make_dummy_mask, replace_dummies
from sudokucrypt.recipes.carriers.redaction.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from sudokucrypt.images.jpeg import JpegFile
    from sudokucrypt.typing import AnyArray, RegionLike


def select_whole_units(file: JpegFile, selection: Selection) -> Selection:
    """Return all pixels of the units of a file that a selection touches."""
    (rows_per_unit, columns_per_unit), canvas = (
        file.frame.unit_side,
        (file.frame.rows, file.frame.columns),
    )
    if selection.regions is None:
        units = _select_units(file, selection)
        pixels = units.repeat(rows_per_unit, axis=0).repeat(columns_per_unit, axis=1)
        return Selection(pixels[: canvas[0], : canvas[1]])
    enlarged_regions: dict[RegionLike, None] = {}
    for row, column, rows, columns in selection.regions:
        top, left = (
            row // rows_per_unit * rows_per_unit,
            column // columns_per_unit * columns_per_unit,
        )
        bottom = min(-(-(row + rows) // rows_per_unit) * rows_per_unit, canvas[0])
        right = min(-(-(column + columns) // columns_per_unit) * columns_per_unit, canvas[1])
        enlarged_regions[top, left, bottom - top, right - left] = None
    return Selection.from_areas(canvas, list(enlarged_regions), None) or selection


def select_blocks(file: JpegFile, selection: Selection) -> list[NDArray[np.bool_]]:
    """Return a mask of the blocks in selected units for each component, without fillers."""
    components, units = file.frame.components, _select_units(file, selection)
    if len(components) == 1:
        return [units & ~make_dummy_mask(components[0])]
    return [
        units.repeat(component.sampling[0], axis=0).repeat(component.sampling[1], axis=1)
        & ~make_dummy_mask(component)
        for component in components
    ]


def reset_fillers(file: JpegFile, coefficients: Sequence[AnyArray]) -> list[AnyArray]:
    """Overwrite filler blocks with values that reveal nothing, and return all coefficients."""
    for index, plane in enumerate(coefficients):
        if file.count_sent_coefficients(index):
            replace_dummies(plane, file.frame.components[index])
    return list(coefficients)


def _select_units(file: JpegFile, selection: Selection) -> NDArray[np.bool_]:
    """Return a mask of the units of a file that have a selected pixel."""
    rows_per_unit, columns_per_unit = file.frame.unit_side
    return np.ascontiguousarray(
        _combine_rows(_combine_rows(selection.mask, rows_per_unit).T, columns_per_unit).T
    )


def _combine_rows(mask: NDArray[np.bool_], count: int) -> NDArray[np.bool_]:
    """Combine each group of `count` rows of a mask by logical or; a loop over rows is fastest."""
    combined_rows = mask[::count].copy()
    for offset in range(1, count):
        row_mask = mask[offset::count]
        combined_rows[: len(row_mask)] |= row_mask
    return combined_rows
