"""Check the shapes of boxes and arrays, and number the row, column and box of each cell."""

import operator
from collections.abc import Sequence
from math import isqrt
from typing import TypeAlias

import numpy as np

from sudokucrypt.errors import InvalidGridError, InvalidParameterError
from sudokucrypt.typing import Box, IntArray

# The shape of an array: rows and columns of its table, then of each rectangle in the table.
ArrayShape: TypeAlias = tuple[int, int, int, int]


READABLE_FORMS = (
    "a puzzle is a line of 81 symbols or nine lines of nine, a table, JSON, or a long link"
)
"""The list of readable forms of puzzles in error messages."""

# Orders that an error message suggests for a wrong number of cells.
_USUAL_ORDERS = (4, 6, 9, 12, 16, 25, 36, 49, 64)


def get_cell_name(row: int, column: int) -> str:
    """Return the name of a cell: its row and column counted from 1, such as r1c9."""
    return f"r{row + 1}c{column + 1}"


def default_box(order: int) -> Box:
    """Return the most nearly square box (p, q) with p <= q and p * q = order.

    Parameters
    ----------
    order : int
        The order n of the grid, 1 or more.

    Examples
    --------
    >>> default_box(12)
    (3, 4)
    """
    if order < 1:
        raise InvalidGridError(f"a grid has at least one row, not {order}")
    box_rows = next(rows for rows in range(isqrt(order), 0, -1) if order % rows == 0)
    return box_rows, order // box_rows


def find_square_order(cell_count: int) -> int:
    """Return the number of rows of a square of `cell_count` cells, or raise `InvalidGridError`."""
    order = isqrt(cell_count)
    if order == 0 or order * order != cell_count:
        nearest_order = min(_USUAL_ORDERS, key=lambda order: abs(order * order - cell_count))
        raise InvalidGridError(
            f"{cell_count} symbols are too few or too many: a {nearest_order}x{nearest_order} "
            "grid has "
            f"{nearest_order * nearest_order}",
            hint=f"{READABLE_FORMS}; for another shape, such as Samurai, give its variant",
        )
    return order


def check_box(box: Box) -> Box:
    """Return `box` as two positive integers, or raise `InvalidGridError`."""
    try:
        rows, columns = map(operator.index, box)
    except (TypeError, ValueError):
        raise InvalidGridError(f"a box is two integers (rows, columns), not {box!r}") from None
    if rows < 1 or columns < 1:
        raise InvalidGridError(f"a box has at least one row and one column, not {box!r}")
    return rows, columns


def check_shape(shape: int | Sequence[int]) -> ArrayShape:
    """Return the four sides of an array, each 1 or more; one number stands for all four."""
    sides = (shape,) * 4 if isinstance(shape, int) else tuple(shape)
    if len(sides) != 4 or not all(type(side) is int and side >= 1 for side in sides):
        raise InvalidParameterError(
            f"an array must have four sides of 1 or more, not {shape!r}",
            hint="give four integers, or one for all of them",
        )
    return sides


def number_regions(sides: tuple[int, int], box: Box) -> dict[str, IntArray]:
    """Return three arrays: the numbers of the row, the column and the box of each cell.

    `sides` must be multiples of the sides of a box; boxes are numbered in reading order.
    """
    rows, columns = np.indices(sides)
    boxes = rows // box[0] * (sides[1] // box[1]) + columns // box[1]
    return {"row": rows, "column": columns, "box": boxes}


def group_cells(region_numbers: IntArray) -> IntArray:
    """Return the cells of each region, in reading order; all regions must have the same size."""
    return np.argsort(region_numbers, axis=None, kind="stable").reshape(
        int(region_numbers.max()) + 1, -1
    )
