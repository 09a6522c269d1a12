"""The symmetries of the Sudoku rules: what may be exchanged without breaking any of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.sudoku.grid import SudokuGrid, checked_box

if TYPE_CHECKING:
    from sudokucrypt.typing import Box, IntArray, RandomSource


@dataclass(frozen=True, eq=False, kw_only=True)
class Symmetry:
    """One element of the group that maps Sudoku grids with p x q boxes to such grids.

    The image T of a grid S is T[r, c] = digits[S[rows[r], columns[c]]], then transposed if asked.

    Parameters
    ----------
    box : tuple of int
        Rows p and columns q of a box; n = p * q.
    rows, columns : ndarray of shape (n,), dtype int64
        Permutations of 0..n-1 that keep bands (of p rows) and stacks (of q columns) together.
    digits : ndarray of shape (n,), dtype int64
        The relabelling, a permutation of 0..n-1.
    transposed : bool
        Exchange rows and columns at the end; square boxes only.

    Raises
    ------
    InvalidParameterError
        If an array is not such a permutation, or a rectangular box is to be transposed.
    """

    box: Box
    rows: IntArray
    columns: IntArray
    digits: IntArray
    transposed: bool = False

    def __post_init__(self) -> None:
        p, q = checked_box(self.box)
        for name, group in (("rows", p), ("columns", q), ("digits", p * q)):
            values = np.array(getattr(self, name), dtype=np.int64)
            if values.shape != (p * q,) or not np.array_equal(np.sort(values), np.arange(p * q)):
                raise InvalidParameterError(f"{name} must be a permutation of 0..{p * q - 1}")
            homes = values.reshape(-1, group) // group
            if (homes != homes[:, :1]).any():
                raise InvalidParameterError(f"{name} must keep groups of {group} together")
            values.flags.writeable = False
            object.__setattr__(self, name, values)
        if self.transposed and p != q:
            raise InvalidParameterError("only grids with square boxes can be transposed")

    @classmethod
    def random(cls, box: Box, source: RandomSource) -> Symmetry:
        """Draw a symmetry, each equally likely.

        The order of the draws is part of the scrambling specification: bands, rows inside each
        band, stacks, columns inside each stack, digits, and for square boxes the transposition.
        """
        p, q = checked_box(box)
        n = p * q
        drawn = source.permutations([q, *[p] * q, p, *[q] * p, n])
        bands, within_bands, stacks, within_stacks, digits = np.split(
            drawn, np.cumsum([q, n, p, n])
        )
        symmetry = object.__new__(cls)  # what was just drawn needs no checks
        fields = {
            "box": (p, q),
            "rows": np.repeat(bands * p, p) + within_bands,
            "columns": np.repeat(stacks * q, q) + within_stacks,
            "digits": digits,
            "transposed": p == q and source.below(2) == 1,
        }
        for name, value in fields.items():
            object.__setattr__(symmetry, name, value)
        return symmetry

    def apply(self, grid: SudokuGrid) -> SudokuGrid:
        """Return the image of `grid`; `InvalidParameterError` if its boxes differ."""
        if grid.box != self.box:
            raise InvalidParameterError(f"a symmetry of {self.box} boxes meets {grid.box} boxes")
        cells = self.digits[grid.cells[np.ix_(self.rows, self.columns)]]
        return SudokuGrid(cells.T if self.transposed else cells, self.box)

    def inverse(self) -> Symmetry:
        """Return the symmetry that undoes this one."""
        rows, columns = np.argsort(self.rows), np.argsort(self.columns)
        if self.transposed:
            rows, columns = columns, rows
        return Symmetry(
            box=self.box,
            rows=rows,
            columns=columns,
            digits=np.argsort(self.digits),
            transposed=self.transposed,
        )
