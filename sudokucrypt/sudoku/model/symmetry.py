"""The symmetries of the Sudoku rules: exchanges that map valid grids to valid grids."""

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.sudoku.model.array_interface import OPEN
from sudokucrypt.sudoku.model.boxes import check_box
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.typing import Box, IntArray, RandomSource

GridOrPuzzle = TypeVar("GridOrPuzzle", SudokuGrid, SudokuPuzzle)


def can_transpose(box: Box) -> bool:
    """Return whether the transpose of a valid grid with these boxes is valid."""
    return box[0] == box[1] or 1 in box


@dataclass(frozen=True, eq=False, kw_only=True)
class Symmetry:
    """A symmetry, which maps each valid grid with p x q boxes to another valid grid with them.

    The image T of a grid S is T[r, c] = digits[S[rows[r], columns[c]]], then transposed if
    `transposed`. Raises `InvalidParameterError` if an array is not the required permutation, or
    `transposed` is set for boxes that do not allow it.
    """

    box: Box  #: Rows p and columns q of a box; n = p * q.
    rows: IntArray  #: A permutation of 0..n-1, dtype int64, that keeps bands (of p rows) together.
    columns: IntArray  #: A permutation of 0..n-1 that keeps stacks (of q columns) together.
    digits: IntArray  #: The relabeling, a permutation of 0..n-1. Shape (n,), dtype int64.
    #: Transpose at the end; possible only for square boxes and Latin squares (1 x n).
    transposed: bool = False

    def __post_init__(self) -> None:
        p, q = check_box(self.box)
        for name, group_size in (("rows", p), ("columns", q), ("digits", p * q)):
            values = np.array(getattr(self, name), dtype=np.int64)
            if values.shape != (p * q,) or not np.array_equal(np.sort(values), np.arange(p * q)):
                raise InvalidParameterError(f"{name} must be a permutation of 0..{p * q - 1}")
            # Each group of p rows, or q columns, must come from one band or stack.
            source_groups = values.reshape(-1, group_size) // group_size
            if (source_groups != source_groups[:, :1]).any():
                raise InvalidParameterError(f"{name} must keep groups of {group_size} together")
            values.flags.writeable = False
            object.__setattr__(self, name, values)
        if self.transposed and not can_transpose(self.box):
            raise InvalidParameterError(
                "only grids with square boxes and Latin squares can be transposed"
            )

    @classmethod
    def random(cls, box: Box, source: RandomSource) -> "Symmetry":
        """Draw a symmetry uniformly; if the boxes are not square, it never transposes the grid.

        The order of the draws is part of the scrambling specification: bands, rows inside each
        band, stacks, columns inside each stack, digits, and for square boxes the transposition.
        """
        box_rows, box_columns = check_box(box)
        order = box_rows * box_columns
        permutations = source.permutations(
            [box_columns, *[box_rows] * box_columns, box_rows, *[box_columns] * box_rows, order]
        )
        bands, rows_in_bands, stacks, columns_in_stacks, digits = np.split(
            permutations, np.cumsum([box_columns, order, box_rows, order])
        )
        rows = np.repeat(bands * box_rows, box_rows) + rows_in_bands
        columns = np.repeat(stacks * box_columns, box_columns) + columns_in_stacks
        is_transposed = box_rows == box_columns and source.below(2) == 1
        return cls.wrap_valid(
            (box_rows, box_columns), rows, columns, digits, transposed=is_transposed
        )

    @classmethod
    def wrap_valid(
        cls, box: Box, rows: IntArray, columns: IntArray, digits: IntArray, *, transposed: bool
    ) -> "Symmetry":
        """Return a symmetry without checking its arrays, which are valid by construction."""
        symmetry = object.__new__(cls)
        for permutation in (rows, columns, digits):
            permutation.flags.writeable = False
        vars(symmetry).update(
            box=box, rows=rows, columns=columns, digits=digits, transposed=transposed
        )
        return symmetry

    def apply(self, grid: GridOrPuzzle) -> GridOrPuzzle:
        """Return the image of a grid or a puzzle.

        Raises `InvalidParameterError` if the boxes differ from those of the symmetry, or the puzzle
        has other rules than ordinary Sudoku.
        """
        box = grid.box if isinstance(grid, SudokuGrid) else grid.variant.box
        if box != self.box:
            raise InvalidParameterError(
                f"the symmetry is for {self.box[0]}x{self.box[1]} boxes, "
                f"and the grid has {box[0]}x{box[1]} boxes"
            )
        moved_cells = grid.cells[np.ix_(self.rows, self.columns)]
        cells = np.where(moved_cells == OPEN, OPEN, self.digits[moved_cells])
        cells = cells.T if self.transposed else cells
        if isinstance(grid, SudokuGrid):
            return SudokuGrid(cells, box, first=0)
        if grid.variant != Variant.standard(box):
            raise InvalidParameterError(
                f"the symmetry is for ordinary Sudoku, not for {grid.variant.name}"
            )
        return SudokuPuzzle(cells, grid.variant, first=0, empty=OPEN)

    def inverse(self) -> "Symmetry":
        """Return the symmetry that undoes this one."""
        rows, columns, digits = map(np.argsort, (self.rows, self.columns, self.digits))
        if self.transposed:
            rows, columns = columns, rows
        return replace(self, rows=rows, columns=columns, digits=digits)


@dataclass(frozen=True, eq=False)
class ParametricGrid:
    """The grid S[r, c] = sigma[(alpha[r] + beta[c]) mod n], stored as 3 * n numbers.

    Row offsets `alpha`, column offsets `beta` and relabeled digits `sigma` are permutations of
    0..n-1, shape (n,), dtype int64.

    All such grids are images of one base grid, S0[r, c] = (q (r mod p) + r div p + c) mod n,
    under the symmetries of the rules. They are a vanishing share of all grids of a large order.

    >>> ParametricGrid.base((2, 3)).to_grid().to_text()
    '123456456123234561561234345612612345'
    """

    box: Box
    alpha: IntArray
    beta: IntArray
    sigma: IntArray

    @classmethod
    def base(cls, box: Box) -> "ParametricGrid":
        """Return the base grid for boxes of p rows and q columns."""
        indexes = np.arange(box[0] * box[1])
        return cls.from_symmetry(Symmetry(box=box, rows=indexes, columns=indexes, digits=indexes))

    @classmethod
    def from_symmetry(cls, symmetry: Symmetry) -> "ParametricGrid":
        """Return the image of the base grid under `symmetry`."""
        p, q = symmetry.box
        offsets = (q * (symmetry.rows % p) + symmetry.rows // p, symmetry.columns)
        alpha, beta = reversed(offsets) if symmetry.transposed else offsets
        return cls(symmetry.box, alpha, beta, symmetry.digits)

    @classmethod
    def random(cls, box: Box, source: RandomSource) -> "ParametricGrid":
        """Choose a random symmetry by O(n) draws, and return its image of the base grid."""
        return cls.from_symmetry(Symmetry.random(box, source))

    @property
    def order(self) -> int:
        """The side n of the grid."""
        return len(self.sigma)

    def cell(self, row: int, column: int) -> int:
        """Return the digit 0..n-1 at (row, column) without building the grid."""
        return int(self.sigma[(self.alpha[row] + self.beta[column]) % self.order])

    def digits(self, rows: IntArray, columns: IntArray) -> IntArray:
        """Return the digits at many cells; `rows` and `columns` are broadcast together."""
        offset = self.alpha[rows] + self.beta[columns]
        return self.sigma[np.where(offset >= self.order, offset - self.order, offset)]

    def to_grid(self) -> SudokuGrid:
        """Return the whole grid of n * n cells."""
        indexes = np.arange(self.order)
        cells = self.digits(indexes[:, None], indexes[None, :])
        return SudokuGrid.wrap_valid(cells.astype(np.int32), self.box)
