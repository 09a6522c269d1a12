"""Sudoku arrays: tables of rectangles with any four sides; grids are a special case."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudokucrypt.errors import InvalidGridError, InvalidParameterError
from sudokucrypt.sudoku.model.array_interface import (
    ArrayInterface,
    convert_digits,
    convert_to_integers,
)
from sudokucrypt.sudoku.model.boxes import (
    ArrayShape,
    check_shape,
    get_cell_name,
    group_cells,
    number_regions,
)
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.text import is_number, split_words
from sudokucrypt.sudoku.model.variant import Variant

if TYPE_CHECKING:
    from sudokucrypt.sudoku.model.sheet_picture import Panel


def get_largest_number(shape: ArrayShape) -> int:
    """Return the largest number in an array: the size of its longest row, column or rectangle."""
    table_rows, table_columns, rows, columns = shape
    return max(rows * columns, table_rows * rows, table_columns * columns)


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class SudokuArray(ArrayInterface):
    """An a x b table of c x d rectangles of numbers, a generalization of Sudoku grids.

    No number occurs twice in a rectangle, in a row (b * d numbers, across b rectangles) or in a
    column (a * c numbers). The numbers are 1 to the largest of c * d, a * c and b * d; the
    attribute `cells` contains them counted from 0. Raises `InvalidGridError` if the cells are not
    four-dimensional integers in range, or a number repeats. The message names the first rectangle,
    otherwise row, otherwise column with a repetition, counted from 1.

    Parameters
    ----------
    cells : array_like of shape (a, b, c, d)
        Table row, table column, row and column inside the rectangle; the array is copied.
    first : {1, 0}, optional
        The lowest number in `cells`.

    Examples
    --------
    >>> print(SudokuArray.base((1, 2, 2, 2)))
    +---+---+
    |1 2|3 4|
    |3 4|1 2|
    +---+---+
    """

    cells: NDArray[np.int32]

    def __init__(self, cells: ArrayLike, *, first: int = 1) -> None:
        array = convert_to_integers(cells)
        if array.ndim != 4 or array.size == 0:
            raise InvalidGridError(f"an array must have four sides of 1 or more, not {array.shape}")
        table_rows, table_columns, rows, columns = array.shape

        def name_cell(cell: int) -> str:
            i, j, k, l = np.unravel_index(cell, array.shape)  # noqa: E741 - as in `base`
            return get_cell_name(int(i * rows + k), int(j * columns + l))

        self._store_fields(
            convert_digits(
                array,
                get_largest_number((table_rows, table_columns, rows, columns)),
                name_cell,
                first=first,
            )
        )
        sheet = self.sheet()
        regions = number_regions(sheet.shape, (rows, columns))
        for kind, region_kind in (("rectangle", "box"), ("row", "row"), ("column", "column")):
            sorted_digits = np.sort(sheet.reshape(-1)[group_cells(regions[region_kind])], axis=1)
            for index, position in np.argwhere(
                sorted_digits[:, 1:] == sorted_digits[:, :-1]
            ).tolist():
                raise InvalidGridError(
                    f"{kind} {index + 1} holds {sorted_digits[index, position] + 1} more than once"
                )

    def _store_fields(self, cells: NDArray[np.int32]) -> None:
        cells.flags.writeable = False
        object.__setattr__(self, "cells", cells)

    @classmethod
    def wrap_valid(cls, cells: NDArray[np.int32]) -> "SudokuArray":
        """Wrap cells that are valid by construction and referenced nowhere else."""
        array = object.__new__(cls)
        array._store_fields(cells)
        return array

    @property
    def shape(self) -> ArrayShape:
        """The four sides a, b, c, d."""
        a, b, c, d = self.cells.shape
        return a, b, c, d

    @classmethod
    def base(cls, shape: int | Sequence[int]) -> "SudokuArray":
        """Return the base array: i + max(a, d) * k + l + d * j at [i, j, k, l], counted from 0.

        The values are taken modulo the largest number.
        """
        # Let m = max(a, d). In a column, i + m * k differs for all i < a <= m and k < c; in a
        # rectangle, m * k + l for l < d <= m; in a row, l + d * j for l < d. All these values are
        # below the modulus.
        a, b, c, d = check_shape(shape)
        i, j, k, l = np.indices((a, b, c, d), dtype=np.int32)  # noqa: E741 - as in the formula
        return cls.wrap_valid((i + max(a, d) * k + l + d * j) % get_largest_number((a, b, c, d)))

    @classmethod
    def from_grid(cls, grid: SudokuGrid) -> "SudokuArray":
        """Return the array whose rectangles are the boxes of a grid."""
        rows, columns = grid.box
        return cls.wrap_valid(
            grid.cells.reshape(columns, rows, rows, columns).swapaxes(1, 2).copy()
        )

    def to_grid(self) -> SudokuGrid:
        """Return the array as a grid; raise an error unless its sides are q, p, p, q."""
        table_rows, table_columns, rows, columns = self.shape
        if (table_rows, table_columns) != (columns, rows):
            raise InvalidParameterError(
                f"an array of sides {' '.join(map(str, self.shape))} is not a grid",
                hint="a grid of p x q boxes is an array of sides q, p, p, q",
            )
        return SudokuGrid.wrap_valid(self.sheet().copy(), (rows, columns))

    def to_puzzle(self) -> SudokuPuzzle:
        """Return the flat array as a puzzle without open cells."""
        return SudokuPuzzle.wrap_valid(self.sheet().ravel(), Variant.array(self.shape))

    def sheet(self) -> NDArray[np.int32]:
        """Return the numbers, counted from 0, as a flat array of a * c rows and b * d columns."""
        table_rows, table_columns, rows, columns = self.shape
        return self.cells.transpose(0, 2, 1, 3).reshape(table_rows * rows, table_columns * columns)

    def panel(self) -> "Panel":
        """Return the content of pictures of the array."""
        from sudokucrypt.sudoku.model.sheet_picture import Panel

        return Panel.from_full_grid(Variant.array(self.shape), self.sheet())

    def to_text(self) -> str:
        """Return the numbers, counted from 1, as text with a line for each row."""
        return "\n".join(" ".join(row) for row in self._format_numbers())

    @classmethod
    def from_text(cls, text: str, shape: int | Sequence[int]) -> "SudokuArray":
        """Read the numbers of a flat array, from 1, separated by white space or frames."""
        table_rows, table_columns, rows, columns = sides = check_shape(shape)
        numbers = split_words(text)
        if len(numbers) != prod(sides):
            raise InvalidGridError(
                f"sides {' '.join(map(str, sides))} take {prod(sides)} numbers, not {len(numbers)}"
            )
        for number in numbers:
            if not is_number(number):
                raise InvalidGridError(f"{number[:20]!r} is not a number of an array")
        sheet = np.array(numbers, dtype=np.int64)
        return cls(sheet.reshape(table_rows, rows, table_columns, columns).swapaxes(1, 2))

    def pretty(self) -> str:
        """Return the numbers as several lines of text with frames around the rectangles."""
        _, table_columns, rows, columns = self.shape
        numbers = self._format_numbers()
        rule = "+".join(["", *["-" * (columns * (len(numbers[0][0]) + 1) - 1)] * table_columns, ""])
        lines = [rule]
        for count, row in enumerate(numbers, 1):
            parts = (
                " ".join(row[start : start + columns])
                for start in range(0, table_columns * columns, columns)
            )
            lines.append("|".join(["", *parts, ""]))
            lines += [rule] if count % rows == 0 else []
        return "\n".join(lines)

    def _format_numbers(self) -> list[list[str]]:
        """Return the rows of the flat array as numbers from 1, padded to equal width."""
        width = len(str(self.cells.max() + 1))
        return [[str(number + 1).rjust(width) for number in row] for row in self.sheet().tolist()]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SudokuArray):
            return NotImplemented
        return np.array_equal(self.cells, other.cells)

    def __hash__(self) -> int:
        return hash((self.shape, self.cells.tobytes()))

    def __repr__(self) -> str:
        return "<SudokuArray of sides {} {} {} {}>".format(*self.shape)

    def __str__(self) -> str:
        return self.pretty()
