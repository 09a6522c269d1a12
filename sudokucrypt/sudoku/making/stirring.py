"""Large orders: grids made without search, shuffled, and stirred by moves that keep the rules."""

from __future__ import annotations

import numpy as np

from sudokucrypt.checks import checked_integer
from sudokucrypt.errors import UnsupportedError
from sudokucrypt.kernels import load_kernels
from sudokucrypt.sudoku.model.boxes import checked_box
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.sudoku.model.symmetry import ParametricGrid
from sudokucrypt.typing import Box, IntArray, RandomSource

_kernels = load_kernels("sudokucrypt.sudoku._kernels", "stirring")

AMOUNT = 20
"""Moves for each row. Cycle lengths and 2 x 2 subsquares settle after 10 (orders 16 to 64)."""

MOST_ROWS = 65535
_BATCH = 1 << 14


def shuffled_grid(box: Box, source: RandomSource) -> SudokuGrid:
    """Make a grid of any order at once: the base grid under a random symmetry.

    Parameters
    ----------
    box : tuple of int
        Rows p and columns q of a box.
    source : RandomSource
        Drawn from as `Symmetry.random` says.

    Notes
    -----
    All these grids are the same one, but for the names of digits, the order of bands, of stacks,
    of rows and columns inside them, and turning over. They show its regularity to whoever looks
    for it, and are a vanishing part of all grids: at 3x3 at most 9! * 3359232 of 6.67e21.

    Examples
    --------
    >>> from sudokucrypt.sudoku.seeded import seeded_draws
    >>> shuffled_grid((4, 5), seeded_draws(1))
    <SudokuGrid of order 20 with 4x5 boxes>
    """
    return ParametricGrid.random(checked_box(box), source).to_grid()


def stirred_grid(box: Box, source: RandomSource, *, amount: int = AMOUNT) -> SudokuGrid:
    """Make a grid of any order: shuffled, then stirred.

    Parameters
    ----------
    box : tuple of int
        Rows p and columns q of a box; p * q is at most 65535.
    source : RandomSource
        Drawn from by `shuffled_grid`, then by `stir`.
    amount : int, optional
        Moves for each row of the grid, 0 or more.

    Examples
    --------
    >>> from sudokucrypt.sudoku.seeded import seeded_draws
    >>> stirred_grid((8, 8), seeded_draws(1))
    <SudokuGrid of order 64 with 8x8 boxes>
    """
    return stir(shuffled_grid(box, source), source, amount=amount)


def stir(grid: SudokuGrid, source: RandomSource, *, amount: int = AMOUNT) -> SudokuGrid:
    """Return the grid after many random moves that keep it valid.

    Parameters
    ----------
    grid : SudokuGrid
        Where to begin; of order 65535 at most.
    source : RandomSource
        The moves are drawn in batches of 2**14, the last one shorter: first the kind of each one,
        then three numbers for each, as in Notes.
    amount : int, optional
        Moves for each row of the grid, 0 or more: amount * n in all.

    Raises
    ------
    InvalidParameterError
        If the amount is negative or no integer.
    UnsupportedError
        If the order is above 65535.

    Notes
    -----
    Three kinds of moves, in this order and equally likely; where a box has one row or column, the
    first or second is left out.

    - Rows: draw a row, another one of its band (the second number is below p - 1 and counts
      onwards from the first row) and a column. The two rows exchange their digits in that column,
      and in the others that this upsets in turn: one cycle of the map from row to row.
    - Columns: the same for a column, another one of its stack, and a row.
    - Chains: draw a digit, another one in the same way, and a row. The two digits are exchanged
      in the cell of that row that holds the first one, and in all that rows, columns and boxes
      carry the exchange to: one Kempe chain.

    Each move undoes itself and is as likely from either side, so that ever more moves approach
    the uniform distribution over all grids that they lead to. Whether these are all grids is
    known for small orders only: among 2x3 grids, relabelling aside, row and column moves without
    chains leave two separate parts and chains alone nine, but all three lead everywhere. From
    order 9 on nobody knows, nor how many moves are needed to get near the limit.

    The longer cycles and chains are, the more a move costs, O(n) cells at the most.

    Examples
    --------
    >>> from sudokucrypt.sudoku.seeded import seeded_draws
    >>> grid = ParametricGrid.base((3, 3)).to_grid()
    >>> stir(grid, seeded_draws(1)) == grid
    False
    """
    amount = checked_integer("the amount", amount, least=0)
    if grid.order > MOST_ROWS:
        raise UnsupportedError(f"stirring handles orders up to {MOST_ROWS}, not {grid.order}")
    cells = grid.cells.copy()
    left = amount * grid.order if grid.order > 1 else 0
    while left:
        count = min(left, _BATCH)
        _kernels.stir(cells, *grid.box, _draw_moves(grid.box, count, source))
        left -= count
    return SudokuGrid._trusted(cells, grid.box)


def _draw_moves(box: Box, count: int, source: RandomSource) -> IntArray:
    """Return the kind and three numbers of each move, as the kernel takes them."""
    n = box[0] * box[1]
    # Two lines of one group are exchanged: rows of a band, columns of a stack, any two digits.
    groups = np.array([box[0], box[1], n])
    possible = np.flatnonzero(groups > 1)
    kinds = possible[source.below_each(np.full(count, len(possible)))]
    group = groups[kinds]
    bounds = np.stack([np.full(count, n), group - 1, np.full(count, n)], axis=1)
    first, step, start = source.below_each(bounds.reshape(-1)).reshape(-1, 3).T
    second = first // group * group + (first % group + 1 + step) % group
    return np.stack([kinds, first, second, start], axis=1)
