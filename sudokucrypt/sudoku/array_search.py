"""Random Sudoku arrays of any four sides: by search, or without where it would get lost."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.sudoku.arrays import (
    SudokuArray,
    array_groups,
    checked_shape,
    largest_number,
)
from sudokucrypt.sudoku.fewest import MOST_VALUES, fill
from sudokucrypt.sudoku.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudokucrypt.sudoku.arrays import Shape
    from sudokucrypt.sudoku.fewest import NodeTrace
    from sudokucrypt.typing import RandomSource

ATTEMPTS = 20
_MOST_CELLS = MOST_VALUES**2


def array_by_search(
    shape: int | Sequence[int],
    source: RandomSource,
    *,
    attempts: int = ATTEMPTS,
    trace: NodeTrace | None = None,
) -> SudokuArray:
    """Make an array of any four sides by minimum-candidates search; it never fails.

    Parameters
    ----------
    shape : int or sequence of 4 int
        The sides a, b, c, d; one number stands for all four.
    source : RandomSource
        Drawn from as `fill` says, then by `shuffled_array` if the search was of no use.
    attempts, trace : optional
        As for `fill`; cells are counted rectangle by rectangle.

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
    sides = checked_shape(shape)
    if largest_number(sides) <= MOST_VALUES and prod(sides) <= _MOST_CELLS:
        try:
            filled = fill(_rules(sides), source, attempts=attempts, trace=trace)
        except UnsupportedError:
            filled = None
        if filled is not None:
            return SudokuArray._trusted(filled.reshape(sides))
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
        i[:, None, None, None],
        j[None, :, None, None],
        k.reshape(a, 1, c, 1),
        l.reshape(1, b, 1, d),
    ]
    return SudokuArray._trusted(numbers[cells].astype(np.int32))


def _rules(sides: Shape) -> Rules:
    groups = [group for kind in array_groups(sides).values() for group in kind]
    return Rules.from_groups(groups, cells=prod(sides), values=largest_number(sides))
