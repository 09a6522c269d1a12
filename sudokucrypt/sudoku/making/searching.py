"""Random grids and arrays by search, and arrays without where it would get lost."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.sudoku.model.arrays import SudokuArray, largest_number
from sudokucrypt.sudoku.model.boxes import checked_box, checked_shape
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.solving.search import ATTEMPTS, MOST_DIGITS, NodeTrace, check_digits, fill
from sudokucrypt.typing import Box, RandomSource

_ARRAY_ATTEMPTS = 20
_MOST_CELLS = MOST_DIGITS**2


def grid_by_search(
    box: Box,
    source: RandomSource,
    *,
    diagonals: bool = False,
    attempts: int = ATTEMPTS,
    trace: NodeTrace | None = None,
) -> SudokuGrid:
    """Make a grid by minimum-candidates search.

    Parameters
    ----------
    box : tuple of int
        Rows p and columns q of a box; the order p * q is at most 64, and 49 is near what can be
        reached in a second.
    source : RandomSource
        Each attempt draws an order of the cells, which breaks ties between cells with equally few
        candidates, then for each cell the order in which its digits are tried.
    diagonals : bool, optional
        Whether both diagonals hold every digit once too (X-Sudoku).
    attempts : int, optional
        How often to begin, with other random orders; each time with more patience.
    trace : callable, optional
        Called with number, cell and digit of each cell that is filled, tried or followed, all
        from 0, cells in reading order; the numbers of each attempt begin anew.

    Raises
    ------
    UnsupportedError
        If the order is above 64, no grid has such diagonals, or all attempts got lost.

    Examples
    --------
    >>> from sudokucrypt.sudoku.seeded import seeded_draws
    >>> nodes = []
    >>> grid = grid_by_search((2, 3), seeded_draws(1), trace=lambda *node: nodes.append(node))
    >>> grid.box, len(nodes) >= 36
    ((2, 3), True)
    """
    box = checked_box(box)
    n = box[0] * box[1]
    check_digits(n)
    variant = Variant.x(box) if diagonals else Variant.standard(box)
    filled = fill(variant.rules, source, attempts=attempts, trace=trace)
    if filled is None:
        raise UnsupportedError(f"no {box[0]}x{box[1]} grid has every digit on both diagonals")
    return SudokuGrid._trusted(filled.reshape(n, n), box)


def array_by_search(
    shape: int | Sequence[int],
    source: RandomSource,
    *,
    attempts: int = _ARRAY_ATTEMPTS,
    trace: NodeTrace | None = None,
) -> SudokuArray:
    """Make an array of any four sides by minimum-candidates search; it never fails.

    Parameters
    ----------
    shape : int or sequence of 4 int
        The sides a, b, c, d; one number stands for all four.
    source : RandomSource
        Drawn from as for `grid_by_search`, then by `shuffled_array` if the search was of no use.
    attempts, trace : optional
        As for `grid_by_search`; cells are counted in reading order of the flat sheet.

    Returns
    -------
    SudokuArray
        What the search found. If all attempts got lost, or there are more than 64 numbers or
        4096 cells, a shuffled array.

    Examples
    --------
    >>> from sudokucrypt.sudoku.seeded import seeded_draws
    >>> array_by_search((2, 3, 4, 5), seeded_draws(1))
    <SudokuArray of sides 2 3 4 5>
    """
    a, b, c, d = sides = checked_shape(shape)
    if largest_number(sides) <= MOST_DIGITS and prod(sides) <= _MOST_CELLS:
        try:
            rules = Variant.array(sides).rules
            filled = fill(rules, source, attempts=attempts, trace=trace)
        except UnsupportedError:
            filled = None
        if filled is not None:
            return SudokuArray._trusted(filled.reshape(a, c, b, d).swapaxes(1, 2).copy())
    return shuffled_array(sides, source)


def shuffled_array(shape: int | Sequence[int], source: RandomSource) -> SudokuArray:
    """Make an array of any four sides at once: the base array, shuffled.

    Parameters
    ----------
    shape : int or sequence of 4 int
        The sides a, b, c, d; one number stands for all four.
    source : RandomSource
        Draws, in one call, orders of the table's rows and columns, of the c rows in each row of
        the table, of the d columns in each column of the table, and of the numbers.

    Notes
    -----
    All results for a shape are one array but for these orders, a vanishing part of all arrays.

    Examples
    --------
    >>> from sudokucrypt.sudoku.seeded import seeded_draws
    >>> shuffled_array(20, seeded_draws(1))
    <SudokuArray of sides 20 20 20 20>
    """
    a, b, c, d = sides = checked_shape(shape)
    drawn = source.permutations([a, b, *[c] * a, *[d] * b, largest_number(sides)])
    i, j, k, l, numbers = np.split(drawn, np.cumsum([a, b, a * c, b * d]))  # noqa: E741
    cells = SudokuArray.base(sides).cells[
        i[:, None, None, None], j[None, :, None, None], k.reshape(a, 1, c, 1), l.reshape(1, b, 1, d)
    ]
    return SudokuArray._trusted(numbers[cells].astype(np.int32))
