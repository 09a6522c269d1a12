"""Which units and blocks of a JPEG a selection of pixels touches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.images.jpeg import dummy_positions, replace_dummies
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
        where = units.repeat(down, axis=0).repeat(across, axis=1)
        return Selection(where[: canvas[0], : canvas[1]])
    rounded: dict[RegionLike, None] = {}
    for row, column, rows, columns in selection.regions:
        top, left = row // down * down, column // across * across
        bottom = min(-(-(row + rows) // down) * down, canvas[0])
        right = min(-(-(column + columns) // across) * across, canvas[1])
        rounded[top, left, bottom - top, right - left] = None
    return Selection.chosen(canvas, list(rounded), None) or selection


def selected_blocks(file: JpegFile, selection: Selection) -> list[NDArray[np.bool_]]:
    """Return which blocks of each component are in selected units; fillers are not."""
    chosen, components = _select_blocks(file, selection), file.frame.components
    return [
        where & ~dummy_positions(component)
        for where, component in zip(chosen, components, strict=True)
    ]


def _select_blocks(file: JpegFile, selection: Selection) -> list[NDArray[np.bool_]]:
    """Return which blocks of each component are in selected units, fillers included."""
    components, units = file.frame.components, _select_units(file, selection)
    if len(components) == 1:
        return [units]
    return [
        units.repeat(component.sampling[0], axis=0).repeat(component.sampling[1], axis=1)
        for component in components
    ]


def with_usual_fillers(file: JpegFile, coefficients: Sequence[AnyArray]) -> list[AnyArray]:
    """Return the coefficients, in which fillers now say nothing: the arrays are changed."""
    for index, plane in enumerate(coefficients):
        if file.count_sent_of_dummies(index):
            replace_dummies(plane, file.frame.components[index])
    return list(coefficients)


def _select_units(file: JpegFile, selection: Selection) -> NDArray[np.bool_]:
    """Return which units of a file have a selected pixel."""
    down, across = file.frame.unit_side
    return np.ascontiguousarray(_reduce_rows(_reduce_rows(selection.where, down).T, across).T)


def _reduce_rows(rows: NDArray[np.bool_], count: int) -> NDArray[np.bool_]:
    """Return each `count` rows as one, true where any of them is; row by row, which is quickest."""
    joined = rows[::count].copy()
    for offset in range(1, count):
        part = rows[offset::count]
        joined[: len(part)] |= part
    return joined
