"""Sudoku grids of any order, made without search and held as three short tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.sudoku.grid import SudokuGrid
from sudokucrypt.sudoku.symmetry import Symmetry

if TYPE_CHECKING:
    from sudokucrypt.typing import Box, IntArray, RandomSource


@dataclass(frozen=True, eq=False)
class ParametricGrid:
    """The grid S[r, c] = sigma[(alpha[r] + beta[c]) mod n].

    The grid of order n never needs n * n numbers: 3n describe it, and any cell costs two
    additions and three look-ups.

    Parameters
    ----------
    box : tuple of int
        Rows p and columns q of a box; n = p * q.
    alpha, beta, sigma : ndarray of shape (n,), dtype int64
        Row offsets, column offsets and the relabelling of digits, each a permutation of 0..n-1.

    Notes
    -----
    All such grids are images of one base grid, S0[r, c] = (q (r mod p) + r div p + c) mod n,
    under the symmetries of the rules. They are a vanishing part of all grids of a large order.

    Examples
    --------
    >>> grid = ParametricGrid.base((2, 3))
    >>> grid.cell(1, 0)
    3
    >>> grid.to_grid().to_text()
    '123456456123234561561234345612612345'
    """

    box: Box
    alpha: IntArray
    beta: IntArray
    sigma: IntArray

    @classmethod
    def base(cls, box: Box) -> ParametricGrid:
        """Return the base grid for boxes of p rows and q columns."""
        every = np.arange(box[0] * box[1])
        return cls.from_symmetry(Symmetry(box=box, rows=every, columns=every, digits=every))

    @classmethod
    def from_symmetry(cls, symmetry: Symmetry) -> ParametricGrid:
        """Return the image of the base grid under `symmetry`."""
        p, q = symmetry.box
        alpha = q * (symmetry.rows % p) + symmetry.rows // p
        beta = symmetry.columns
        if symmetry.transposed:
            alpha, beta = beta, alpha
        return cls(symmetry.box, alpha, beta, symmetry.digits)

    @classmethod
    def random(cls, box: Box, source: RandomSource) -> ParametricGrid:
        """Draw the image of the base grid under a random symmetry, in O(n) draws."""
        return cls.from_symmetry(Symmetry.random(box, source))

    @property
    def order(self) -> int:
        """The side n of the grid."""
        return len(self.sigma)

    def cell(self, row: int, column: int) -> int:
        """Return the digit 0..n-1 at (row, column) without building the grid."""
        return int(self.sigma[(self.alpha[row] + self.beta[column]) % self.order])

    def digits(self, rows: IntArray, columns: IntArray) -> IntArray:
        """Return the digits at many cells; `rows` and `columns` broadcast together."""
        offset = self.alpha[rows] + self.beta[columns]
        return self.sigma[np.where(offset >= self.order, offset - self.order, offset)]

    def to_grid(self) -> SudokuGrid:
        """Build the whole grid, n * n cells."""
        every = np.arange(self.order)
        cells = self.digits(every[:, None], every[None, :])
        return SudokuGrid._trusted(cells.astype(np.int32), self.box)
