"""Find the units and blocks of a JPEG that a selection of pixels touches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.images.jpeg import find_dummy_positions, replace_dummies
from sudokucrypt.recipes.carriers.redaction.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from sudokucrypt.images.jpeg import JpegFile
    from sudokucrypt.typing import AnyArray, RegionLike


def select_whole_units(file: JpegFile, selection: Selection) -> Selection:
    """Return all pixels of the units of a file that a selection touches."""
    (down, across), canvas = file.frame.unit_side, (file.frame.rows, file.frame.columns)
    if selection.regions is None:
        units = _select_units(file, selection)
        pixels = units.repeat(down, axis=0).repeat(across, axis=1)
        return Selection(pixels[: canvas[0], : canvas[1]])
    rounded: dict[RegionLike, None] = {}
    for row, column, rows, columns in selection.regions:
        top, left = row // down * down, column // across * across
        bottom = min(-(-(row + rows) // down) * down, canvas[0])
        right = min(-(-(column + columns) // across) * across, canvas[1])
        rounded[top, left, bottom - top, right - left] = None
    return Selection.from_areas(canvas, list(rounded), None) or selection


def select_blocks(file: JpegFile, selection: Selection) -> list[NDArray[np.bool_]]:
    """Return a mask of the blocks in selected units for each component, without fillers."""
    components, units = file.frame.components, _select_units(file, selection)
    if len(components) == 1:
        return [units & ~find_dummy_positions(components[0])]
    return [
        units.repeat(component.sampling[0], axis=0).repeat(component.sampling[1], axis=1)
        & ~find_dummy_positions(component)
        for component in components
    ]


def reset_fillers(file: JpegFile, coefficients: Sequence[AnyArray]) -> list[AnyArray]:
    """Overwrite filler blocks with values that reveal nothing, and return all coefficients."""
    for index, plane in enumerate(coefficients):
        if file.count_sent_of_dummies(index):
            replace_dummies(plane, file.frame.components[index])
    return list(coefficients)


def _select_units(file: JpegFile, selection: Selection) -> NDArray[np.bool_]:
    """Return a mask of the units of a file that have a selected pixel."""
    down, across = file.frame.unit_side
    return np.ascontiguousarray(_combine_rows(_combine_rows(selection.mask, down).T, across).T)


def _combine_rows(mask: NDArray[np.bool_], count: int) -> NDArray[np.bool_]:
    """Combine each `count` rows of a mask by logical or; a loop over rows is fastest."""
    combined_rows = mask[::count].copy()
    for offset in range(1, count):
        row_mask = mask[offset::count]
        combined_rows[: len(row_mask)] |= row_mask
    return combined_rows
