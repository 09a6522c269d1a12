"""The exact number of grids, by computation."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from math import factorial
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.sudoku.band_classes import grid_tables
from sudokucrypt.sudoku.factorizations import count_factorizations
from sudokucrypt.sudoku.grid import checked_box
from sudokucrypt.sudoku.halves import count_fillings, word_classes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sudokucrypt.typing import Box

    Progress = Callable[[int, int], None]

Step = TypeVar("Step")

_LATIN = 7
_HALVES = 5
_DIAGONAL = 7
"""The largest order, number of boxes in a band, and order with diagonals that take minutes."""


def count_grids(box: Box, *, progress: Progress | None = None) -> int:
    """Return the number of full grids with boxes of p rows and q columns.

    Parameters
    ----------
    box : tuple of int
        Rows p and columns q, in either order: 1x1 to 1x7 (Latin squares), 2x2 to 2x5, or 3x3.
    progress : callable, optional
        Called with the number of steps done and of all steps, first with 0 done.

    Raises
    ------
    UnsupportedError
        If the box has another shape: the count would not end in minutes.

    Notes
    -----
    Latin squares: the second row by its cycles, the others as factorizations of what the columns
    lack. Boxes of two columns: `sudokucrypt.sudoku.halves`. Boxes of three rows and columns:
    `sudokucrypt.sudoku.band_classes`. All take less than a second but 2x5, which takes a minute
    with the kernels and a few without.

    References
    ----------
    B. Felgenhauer and F. Jarvis, Mathematics of Sudoku I, 2006, for the numbers of order 9, which
    were found by classes of bands too.

    Examples
    --------
    >>> count_grids((2, 2)), count_grids((2, 3)), count_grids((3, 3))
    (288, 28200960, 6670903752021072936960)
    """
    p, q = sorted(checked_box(box))
    if p == 1 and q <= _LATIN:
        return _count_latin(q, progress)
    if p == 2 and q <= _HALVES:
        classes = word_classes(q)
        return sum(
            number * count_fillings(words, q) ** 2
            for words, number in _watched(list(classes.items()), progress)
        )
    if (p, q) == (3, 3):
        return sum(build().total for build in _watched([grid_tables], progress))
    raise UnsupportedError(
        f"grids with {box[0]}x{box[1]} boxes cannot be counted in minutes",
        hint=f"1x1 to 1x{_LATIN}, 2x2 to 2x{_HALVES} and 3x3 can, with rows and columns exchanged "
        "as well",
    )


def count_x_grids(box: Box) -> int:
    """Return the number of full grids in which both diagonals hold every digit.

    Parameters
    ----------
    box : tuple of int
        Rows p and columns q of a box; order p * q up to 7. With p = 1 these are the diagonal
        Latin squares.

    Raises
    ------
    UnsupportedError
        If the order is larger.

    Notes
    -----
    Depth first, both diagonals and then row by row, with the first row fixed: other first rows
    follow by relabelling the digits. Order 6 takes a moment, order 7 a minute.

    Examples
    --------
    >>> count_x_grids((2, 2)), count_x_grids((2, 3))
    (48, 8640)
    """
    p, q = checked_box(box)
    n = p * q
    if n > _DIAGONAL:
        raise UnsupportedError(
            f"grids of order {n} with diagonals cannot be counted in minutes",
            hint=f"orders up to {_DIAGONAL} can",
        )
    cells = [(row, column) for row in range(1, n) for column in range(n)]
    cells.sort(key=lambda cell: cell[0] != cell[1] and sum(cell) != n - 1)
    units = [
        [column, n + row, 2 * n + (row // p) * p + column // q]
        + [3 * n] * (row == column)
        + [3 * n + 1] * (row + column == n - 1)
        for row in range(n)
        for column in range(n)
    ]
    used = [0] * (3 * n + 2)
    for column in range(n):
        for unit in units[column]:
            used[unit] |= 1 << column

    def completions(number: int) -> int:
        if number == len(cells):
            return 1
        row, column = cells[number]
        own = units[row * n + column]
        taken = 0
        for unit in own:
            taken |= used[unit]
        found = 0
        free = ~taken & ((1 << n) - 1)
        while free:
            digit = free & -free
            free ^= digit
            for unit in own:
                used[unit] ^= digit
            found += completions(number + 1)
            for unit in own:
                used[unit] ^= digit
        return found

    return factorial(n) * completions(0)


def count_samurai_grids() -> int:
    """Return the number of full Samurai grids: five grids of order 9, four on the corners of one.

    Notes
    -----
    Each outer grid shares a box with the middle one, and is otherwise free. Whatever that box
    holds, it is completed in as many ways as any other, by relabelling: the number of all grids
    divided by 9!.

    Examples
    --------
    >>> len(str(count_samurai_grids()))
    87
    """
    grids = count_grids((3, 3))
    return grids * (grids // factorial(9)) ** 4


def _count_latin(n: int, progress: Progress | None) -> int:
    """Count Latin squares of order n, the first row fixed and the second by its cycles."""
    second: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    for row in permutations(range(n)):
        if n == 1 or all(digit != column for column, digit in enumerate(row)):
            second.setdefault(_cycles(row), []).append(row)
    squares = 0
    for rows in _watched(list(second.values()), progress):
        left = ~np.eye(n, dtype=bool)
        left[rows[0], range(n)] = False
        squares += len(rows) * (count_factorizations(left) if n > 2 else 1)
    return factorial(n) * squares


def _cycles(row: Sequence[int]) -> tuple[int, ...]:
    """Return the sorted lengths of the cycles of a permutation."""
    leaders = list(range(len(row)))
    for start in range(len(row)):
        place = row[start]
        while place != start:
            leaders[place] = min(leaders[place], start)
            place = row[place]
    return tuple(sorted(Counter(leaders).values()))


def _watched(steps: Sequence[Step], progress: Progress | None) -> Iterator[Step]:
    """Yield the steps, and say how many of them are done."""
    for done, step in enumerate(steps):
        if progress:
            progress(done, len(steps))
        yield step
    if progress:
        progress(len(steps), len(steps))
