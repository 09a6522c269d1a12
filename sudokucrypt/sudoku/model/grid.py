"""The full Sudoku grid: every digit once in each row, column and box."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.model.boxes import checked_box, default_box, regions
from sudokucrypt.sudoku.model.text import read_line, ruled, symbol, write_line
from sudokucrypt.typing import Box


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class SudokuGrid:
    """A full Sudoku grid that cannot change.

    `InvalidGridError` names the first broken row, else column, else box, counted from 0; it is
    raised also if the cells are not a square of digits 0..n-1 or the box does not fit.

    Parameters
    ----------
    cells : array_like of shape (n, n)
        Digits 0..n-1; the array is copied.
    box : tuple of int, optional
        Rows p and columns q of a box, with p * q = n. The most nearly square one by default.
        A box of one row makes the grid a Latin square.
    """

    cells: NDArray[np.int32]
    box: Box

    def __init__(self, cells: ArrayLike, box: Box | None = None) -> None:
        array = np.asarray(cells)
        if array.ndim != 2 or array.shape[0] != array.shape[1] or array.size == 0:
            raise InvalidGridError(f"cells must form a square, not shape {array.shape}")
        if array.dtype.kind not in "iu":
            raise InvalidGridError(f"cells must be integers, not {array.dtype}")
        order = len(array)
        box = default_box(order) if box is None else checked_box(box)
        if box[0] * box[1] != order:
            raise InvalidGridError(f"a {box[0]}x{box[1]} box does not fit order {order}")
        for row, column in np.argwhere((array < 0) | (array >= order)).tolist():
            raise InvalidGridError(
                f"cell ({row}, {column}) holds {array[row, column]}, not a digit 0..{order - 1}"
            )
        self._set(array.astype(np.int32), box)
        for name, numbers in regions(self.cells.shape, self.box).items():
            seen = np.zeros(self.cells.shape, dtype=bool)
            seen[numbers, self.cells] = True
            for index, digit in np.argwhere(~seen).tolist():
                raise InvalidGridError(
                    f"{name} {index} lacks digit {digit} (counting from 0; "
                    f"{symbol(digit, self.order)} in text)",
                    hint=f"each {name} must hold every digit once",
                )

    def _set(self, cells: NDArray[np.int32], box: Box) -> None:
        cells.flags.writeable = False
        object.__setattr__(self, "cells", cells)
        object.__setattr__(self, "box", box)

    @classmethod
    def _trusted(cls, cells: NDArray[np.int32], box: Box) -> SudokuGrid:
        """Wrap cells that are valid by construction and owned by nobody else."""
        grid = object.__new__(cls)
        grid._set(cells, box)
        return grid

    @property
    def order(self) -> int:
        """The side n of the grid."""
        return len(self.cells)

    def __getitem__(self, cell: tuple[int, int]) -> int:
        return int(self.cells[cell])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SudokuGrid):
            return NotImplemented
        return self.box == other.box and np.array_equal(self.cells, other.cells)

    def __hash__(self) -> int:
        return hash((self.box, self.cells.tobytes()))

    def __repr__(self) -> str:
        return f"<SudokuGrid of order {self.order} with {self.box[0]}x{self.box[1]} boxes>"

    def __str__(self) -> str:
        return self.pretty()

    def to_text(self) -> str:
        """Return the line form: one symbol a cell, or spaced numbers for orders above 35."""
        return write_line(self.cells.ravel().tolist(), self.order)

    @classmethod
    def from_text(cls, text: str, box: Box | None = None) -> SudokuGrid:
        """Read the line form: n * n symbols 1..9 and A..Z in either case.

        For orders above 35 they are numbers 1..n. White space between is ignored. `box` and errors
        are those of the constructor.
        """
        digits = read_line(text, full=True)
        order = isqrt(len(digits))
        if order == 0 or order * order != len(digits):
            raise InvalidGridError(f"{len(digits)} digits do not form a square")
        return cls(np.array(digits).reshape(order, order), box)

    def pretty(self) -> str:
        """Return the grid over several lines with its boxes ruled off."""
        return ruled(self.cells.tolist(), self.box, self.order)
