"""The eight ordered pairs of numbers that each name every cell of a Sudoku grid once."""

from enum import Enum

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.typing import Box, IntArray


class Numbering(Enum):
    """The order in which blocks, and places inside a block, are counted.

    `PUBLISHED` counts blocks down first, then right, like the example of the paper, and places
    inside a block in the same way, by analogy. `ROW_MAJOR` counts both right first, then down.
    """

    PUBLISHED = "published"
    ROW_MAJOR = "row-major"


class Representation(Enum):
    """An ordered pair of numbers that names the cells of a Sudoku grid.

    "BLOCK" is the number of the box and "GRID" the position inside it, in the words of the paper.
    Source: Wu, Agaian, Noonan: Sudoku associated two dimensional bijections for image scrambling,
    arXiv:1207.5856 (2012).
    """

    ROW_COLUMN = ("row", "column")
    BLOCK_GRID = ("block", "grid")
    ROW_DIGIT = ("row", "digit")
    DIGIT_ROW = ("digit", "row")
    COLUMN_DIGIT = ("column", "digit")
    DIGIT_COLUMN = ("digit", "column")
    BLOCK_DIGIT = ("block", "digit")
    DIGIT_BLOCK = ("digit", "block")

    @property
    def keyed(self) -> bool:
        """Whether the names depend on the digits of the grid."""
        return "digit" in self.value


def name_cells(
    grid: SudokuGrid,
    representation: Representation,
    rows: ArrayLike,
    columns: ArrayLike,
    *,
    numbering: Numbering = Numbering.PUBLISHED,
) -> tuple[IntArray, IntArray]:
    """Return the two numbers that name the cells at (rows, columns).

    Both results are arrays of numbers 0..n-1, dtype int64, of the broadcast shape. Raises
    `InvalidParameterError` if a row or column is not an integer in 0..n-1.

    Parameters
    ----------
    grid : SudokuGrid
        The full grid of order n.
    representation : Representation
        Which two numbers name a cell.
    rows, columns : array_like of int
        The cells, 0..n-1; they are broadcast together.
    numbering : Numbering, default `Numbering.PUBLISHED`
        How blocks and the places inside them are counted.
    """
    row, column = _broadcast_coordinates(grid.order, rows, columns)
    block, position = _find_block_and_position(grid.box, row, column, numbering)
    numbers = {
        "row": row,
        "column": column,
        "block": block,
        "grid": position,
        "digit": grid.cells[row, column].astype(np.int64),
    }
    first, second = representation.value
    return numbers[first], numbers[second]


def find_cells(
    grid: SudokuGrid,
    representation: Representation,
    first: ArrayLike,
    second: ArrayLike,
    *,
    numbering: Numbering = Numbering.PUBLISHED,
) -> tuple[IntArray, IntArray]:
    """Return the rows and columns of the cells with the given names; the inverse of `name_cells`.

    Takes time O(n * n) for representations by digits. Raises `InvalidParameterError` if a number
    is not an integer in 0..n-1.

    Parameters
    ----------
    grid : SudokuGrid
        The full grid of order n.
    representation : Representation
        Which two numbers name a cell.
    first, second : array_like of int
        The two numbers of each name, 0..n-1; they are broadcast together.
    numbering : Numbering, default `Numbering.PUBLISHED`
        How blocks and the places inside them are counted.
    """
    first_index, second_index = _broadcast_coordinates(grid.order, first, second)
    if representation is Representation.ROW_COLUMN:
        return first_index, second_index
    if representation is Representation.BLOCK_GRID:
        return _find_row_and_column(grid.box, first_index, second_index, numbering)
    cells = np.empty(grid.order**2, dtype=np.int64)
    cells[compute_name_indexes(grid, representation, numbering)] = np.arange(grid.order**2)
    return tuple(np.divmod(cells[first_index * grid.order + second_index], grid.order))


def compute_name_indexes(
    grid: SudokuGrid, representation: Representation, numbering: Numbering
) -> IntArray:
    """Return first * n + second for every cell in raster order, shape (n * n,)."""
    rows, columns = np.indices((grid.order, grid.order), sparse=True)
    first, second = name_cells(grid, representation, rows, columns, numbering=numbering)
    return (first * grid.order + second).ravel()


def _broadcast_coordinates(
    order: int, first_index: ArrayLike, second_index: ArrayLike
) -> tuple[IntArray, IntArray]:
    first, second = np.broadcast_arrays(first_index, second_index)
    for indexes in (first, second):
        if indexes.dtype.kind not in "iu" or (indexes < 0).any() or (indexes >= order).any():
            raise InvalidParameterError(f"coordinates must be integers in 0..{order - 1}")
    return first.astype(np.int64), second.astype(np.int64)


def _find_block_and_position(
    box: Box, row: IntArray, column: IntArray, numbering: Numbering
) -> tuple[IntArray, IntArray]:
    p, q = box
    if numbering is Numbering.PUBLISHED:
        return column // q * q + row // p, column % q * p + row % p
    return row // p * p + column // q, row % p * q + column % q


def _find_row_and_column(
    box: Box, block: IntArray, position: IntArray, numbering: Numbering
) -> tuple[IntArray, IntArray]:
    p, q = box
    if numbering is Numbering.PUBLISHED:
        return block % q * p + position % p, block // q * q + position // p
    return block // p * p + position // q, block % p * q + position % q
