"""Puzzles: the givens of any variant, checked against its rules."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.model.boxes import square_box
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.sudoku.model.text import read_line, ruled, symbol, write_line
from sudokucrypt.sudoku.model.variant import Variant

OPEN = -1  # stands for the digit of an open cell


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class SudokuPuzzle:
    """Givens and open cells that cannot change. A puzzle without open cells is a solution.

    `InvalidGridError` if the cells do not fit the variant, or a digit stands twice in one house;
    the message names the first such house, counted from 0.

    Parameters
    ----------
    cells : array_like of shape (rows, columns) or (number of cells,)
        Digits 0..n-1, and -1 in open cells: the whole sheet, with -1 where it has no cell, or the
        cells alone in reading order. The array is copied.
    variant : Variant, optional
        By default ordinary Sudoku with the most nearly square boxes.

    Examples
    --------
    >>> puzzle = SudokuPuzzle.from_text("1... ..2. .3.. ...4")
    >>> puzzle.number_of_givens, puzzle.to_text()
    (4, '1.....2..3.....4')
    """

    givens: NDArray[np.int32]
    variant: Variant

    def __init__(self, cells: ArrayLike, variant: Variant | None = None) -> None:
        array = np.asarray(cells)
        variant = Variant.standard(square_box(array.size)) if variant is None else variant
        if array.shape == variant.shape:
            outside = array != OPEN
            outside[variant.positions] = False
            for row, column in np.argwhere(outside).tolist():
                raise InvalidGridError(f"there is no cell at ({row}, {column})")
            array = array[variant.positions]
        if array.shape != (len(variant.cells),):
            sides = "x".join(map(str, variant.shape))
            raise InvalidGridError(
                f"cells of shape {array.shape} do not fit {variant.name}",
                hint=f"give a sheet of {sides}, or {len(variant.cells)} cells in reading order",
            )
        if array.dtype.kind not in "iu":
            raise InvalidGridError(f"cells must be integers, not {array.dtype}")
        wrong = (array < OPEN) | (array >= variant.digits)
        if wrong.any():
            cell = int(wrong.argmax())
            raise InvalidGridError(
                f"cell {variant.cells[cell]} holds {array[cell]}, "
                f"not a digit 0..{variant.digits - 1} or {OPEN}"
            )
        self._set(array.astype(np.int32), variant)
        digits = variant.digits
        houses, places = variant.memberships
        held = self.givens[places]
        counts = np.bincount((houses * digits + held)[held >= 0], minlength=1)
        if counts.max() > 1:
            house, digit = divmod(int((counts > 1).argmax()), digits)
            name = variant.houses[house].name
            raise InvalidGridError(
                f"{name} holds digit {digit} twice (counting from 0; "
                f"{symbol(digit, digits)} in text)",
                hint="take away one of the two givens",
            )

    def _set(self, givens: NDArray[np.int32], variant: Variant) -> None:
        givens.flags.writeable = False
        object.__setattr__(self, "givens", givens)
        object.__setattr__(self, "variant", variant)

    @classmethod
    def _trusted(cls, givens: NDArray[np.int32], variant: Variant) -> SudokuPuzzle:
        """Wrap givens that are valid by construction and owned by nobody else."""
        puzzle = object.__new__(cls)
        puzzle._set(givens, variant)
        return puzzle

    @classmethod
    def empty(cls, variant: Variant) -> SudokuPuzzle:
        """Return a puzzle without givens."""
        return cls._trusted(np.full(len(variant.cells), OPEN, dtype=np.int32), variant)

    @classmethod
    def from_grid(cls, grid: SudokuGrid) -> SudokuPuzzle:
        """Return a full grid as a puzzle that is solved already."""
        return cls._trusted(grid.cells.ravel(), Variant.standard(grid.box))

    @property
    def number_of_givens(self) -> int:
        """How many cells are not open."""
        return int((self.givens >= 0).sum())

    @property
    def cells(self) -> NDArray[np.int32]:
        """The sheet, shape (rows, columns): -1 in open cells and where it has no cell."""
        sheet = np.full(self.variant.shape, OPEN, dtype=np.int32)
        sheet[self.variant.positions] = self.givens
        return sheet

    def to_grid(self) -> SudokuGrid:
        """Return a full puzzle as a grid; `InvalidGridError` for open cells or other sheets."""
        return SudokuGrid(self.cells, self.variant.box)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SudokuPuzzle):
            return NotImplemented
        return self.variant == other.variant and np.array_equal(self.givens, other.givens)

    def __hash__(self) -> int:
        return hash((self.variant.name, self.givens.tobytes()))

    def __repr__(self) -> str:
        return f"<SudokuPuzzle {self.variant.name}, {self.number_of_givens} givens>"

    def __str__(self) -> str:
        return self.pretty()

    def to_text(self) -> str:
        """Return the line form: one symbol a cell, or spaced numbers for more than 35 digits."""
        return write_line(self.givens.tolist(), self.variant.digits)

    @classmethod
    def from_text(cls, text: str, variant: Variant | None = None) -> SudokuPuzzle:
        """Read the line form, as `SudokuGrid.from_text`, with open cells ``.`` or ``0``.

        `variant` and errors are those of the constructor.
        """
        digits = read_line(text, order=variant.digits if variant else None)
        if variant is not None and len(digits) != len(variant.cells):
            raise InvalidGridError(
                f"{len(digits)} cells do not fit {variant.name}",
                hint=f"it has {len(variant.cells)} cells",
            )
        return cls(np.array(digits, dtype=np.int64), variant)

    def pretty(self) -> str:
        """Return the sheet over several lines with its boxes ruled off."""
        rows, columns = self.variant.shape
        digits = dict(zip(self.variant.cells, self.givens.tolist(), strict=True))
        sheet = [[digits.get((row, column)) for column in range(columns)] for row in range(rows)]
        return ruled(sheet, self.variant.box, self.variant.digits)
