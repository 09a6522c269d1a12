"""The full Sudoku grid: every digit once in each row, column and box."""

from collections.abc import Callable
from dataclasses import dataclass
from math import isqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.model.array_interface import (
    ArrayInterface,
    convert_digits,
    convert_to_integers,
)
from sudokucrypt.sudoku.model.boxes import check_box, default_box, get_cell_name, number_regions
from sudokucrypt.sudoku.model.text import (
    draw_boxes,
    find_ruled_box,
    format_line,
    get_digit_name,
    make_excerpt,
    read_line,
)
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.typing import Box

if TYPE_CHECKING:
    from sudokucrypt.sudoku.model.sheet_picture import Panel


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class SudokuGrid(ArrayInterface):
    """A full, immutable Sudoku grid.

    NumPy treats it as an array of digits 1..n: ``grid[0, 0]`` is the digit at the top left, and
    ``np.asarray(grid)`` contains all digits. The attribute `cells` contains the digits counted
    from 0, the form that the engine uses.

    Raises `InvalidGridError` if the cells are not a square of digits, the box does not fit, or a
    row, column or box lacks a digit. The message names the first such row, otherwise column,
    otherwise box, counted from 1.

    Parameters
    ----------
    cells : array_like of shape (n, n)
        Digits 1..n; the array is copied.
    box : tuple of int, optional
        Rows p and columns q of a box, with p * q = n; by default the most nearly square box.
        A box of one row makes the grid a Latin square.
    first : {1, 0}, optional
        The lowest digit in `cells`; with 0 they contain digits 0..n-1.

    Examples
    --------
    >>> grid = SudokuGrid([[1, 2, 3, 4], [3, 4, 1, 2], [2, 1, 4, 3], [4, 3, 2, 1]])
    >>> grid
    <SudokuGrid 4x4 with 2x2 boxes: 1234341221434321>
    >>> grid[0, 3], np.asarray(grid)[1].tolist()
    (4, [3, 4, 1, 2])
    """

    cells: NDArray[np.int32]
    box: Box

    def __init__(self, cells: ArrayLike, box: Box | None = None, *, first: int = 1) -> None:
        array = convert_to_integers(cells)
        if array.ndim != 2 or array.shape[0] != array.shape[1] or array.size == 0:
            raise InvalidGridError(f"cells must form a square, not shape {array.shape}")
        order = len(array)
        box = _find_fitting_box(box, order)
        self._store_fields(
            convert_digits(
                array, order, lambda cell: get_cell_name(*divmod(cell, order)), first=first
            ),
            box,
        )
        self.require_rules(lambda digit: get_digit_name(digit, order))

    def require_rules(self, name_digit: Callable[[int], str]) -> None:
        """Raise `InvalidGridError` if a row, column or box lacks a digit.

        `name_digit` returns the name of a digit in the message.
        """
        for name, region_numbers in number_regions(self.cells.shape, self.box).items():
            is_present = np.zeros(self.cells.shape, dtype=bool)
            is_present[region_numbers, self.cells] = True
            for index, digit in np.argwhere(~is_present).tolist():
                raise InvalidGridError(
                    f"{name} {index + 1} lacks {name_digit(digit)}",
                    hint=f"each {name} must hold every digit once",
                )

    def _store_fields(self, cells: NDArray[np.int32], box: Box) -> None:
        cells.flags.writeable = False
        object.__setattr__(self, "cells", cells)
        object.__setattr__(self, "box", box)

    @classmethod
    def wrap_valid(cls, cells: NDArray[np.int32], box: Box) -> "SudokuGrid":
        """Wrap cells that are valid by construction and referenced nowhere else."""
        grid = object.__new__(cls)
        grid._store_fields(cells, box)
        return grid

    @property
    def order(self) -> int:
        """The side n of the grid."""
        return len(self.cells)

    def panel(self) -> "Panel":
        """Return the content of pictures of the grid."""
        from sudokucrypt.sudoku.model.sheet_picture import Panel

        return Panel.from_full_grid(Variant.standard(self.box), self.cells)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SudokuGrid):
            return NotImplemented
        return self.box == other.box and np.array_equal(self.cells, other.cells)

    def __hash__(self) -> int:
        return hash((self.box, self.cells.tobytes()))

    def __repr__(self) -> str:
        order, (rows, columns) = self.order, self.box
        text = make_excerpt(self.cells, order)
        return f"<SudokuGrid {order}x{order} with {rows}x{columns} boxes: {text}>"

    def __str__(self) -> str:
        return self.pretty()

    def to_text(self) -> str:
        """Return the line form: one symbol per cell, or spaced numbers for orders above 35."""
        return format_line(self.cells.ravel().tolist(), self.order)

    @classmethod
    def from_text(cls, text: str, box: Box | None = None) -> "SudokuGrid":
        """Read n * n symbols 1..9 and A..Z in either case, or numbers 1..n.

        Numbers are used for orders above 35, and for orders above 9 if they are separated by
        spaces. Symbols may also be only letters, from A, or for orders above 9 count from 0, such
        as 0..9 and A..F. White space and the lines between boxes are ignored, so ``str(grid)`` can
        be read too; without `box`, these lines decide the box. The text of a Latin square has no
        such lines, so give its box. Errors are the same as in the constructor.
        """
        digits, names = read_line(text, requires_full_grid=True)
        order = isqrt(len(digits))
        box = _find_fitting_box(find_ruled_box(text, order) if box is None else box, order)
        grid = cls.wrap_valid(np.array(digits, dtype=np.int32).reshape(order, order), box)
        grid.require_rules(names.__getitem__)
        return grid

    def pretty(self) -> str:
        """Return the grid as several lines of text with lines between its boxes."""
        return draw_boxes(self.cells.tolist(), self.box, self.order)


def _find_fitting_box(box: Box | None, order: int) -> Box:
    """Return a box that fits a grid of this order, by default the most nearly square box."""
    box = default_box(order) if box is None else check_box(box)
    if box[0] * box[1] != order:
        raise InvalidGridError(
            f"{box[0]}x{box[1]} boxes do not fit a grid of {order}x{order} cells"
        )
    return box
