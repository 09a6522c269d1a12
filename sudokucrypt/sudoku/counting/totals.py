"""Count all grids of a shape or variant: by computation if it is fast, otherwise as published.

All functions raise `UnsupportedError` for numbers that are neither computed nor published.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from math import factorial
from typing import NamedTuple, TypeVar

import numpy as np

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.sudoku.counting.band_classes import get_grid_tables
from sudokucrypt.sudoku.counting.halves import count_grids_by_halves
from sudokucrypt.sudoku.model.boxes import check_box
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.solving.solver import count_solutions
from sudokucrypt.typing import Box, IntArray, ProgressCallback


class PublishedCount(NamedTuple):
    """A published number of full grids, and its source."""

    grids: int
    source: str


_LATIN_SOURCE = "OEIS A002860"

PUBLISHED_COUNTS: dict[Box, PublishedCount] = {
    (1, 1): PublishedCount(1, _LATIN_SOURCE),
    (1, 2): PublishedCount(2, _LATIN_SOURCE),
    (1, 3): PublishedCount(12, _LATIN_SOURCE),
    (1, 4): PublishedCount(576, _LATIN_SOURCE),
    (1, 5): PublishedCount(161280, _LATIN_SOURCE),
    (1, 6): PublishedCount(812851200, _LATIN_SOURCE),
    (1, 7): PublishedCount(61479419904000, _LATIN_SOURCE),
    (1, 8): PublishedCount(108776032459082956800, _LATIN_SOURCE),
    (1, 9): PublishedCount(5524751496156892842531225600, _LATIN_SOURCE),
    (1, 10): PublishedCount(9982437658213039871725064756920320000, _LATIN_SOURCE),
    (1, 11): PublishedCount(
        776966836171770144107444346734230682311065600000,
        "B. D. McKay and I. M. Wanless, On the number of Latin squares, 2005",
    ),
    (2, 4): PublishedCount(29136487207403520, "E. Russell, as in Wikipedia, Mathematics of Sudoku"),
    (2, 5): PublishedCount(
        1903816047972624930994913280000, "K. F. Pettersen, as in Wikipedia, Mathematics of Sudoku"
    ),
    (2, 6): PublishedCount(
        38296278920738107863746324732012492486187417600000,
        "K. F. Pettersen, New Sudoku Players' Forum, 14 November 2006",
    ),
    (3, 4): PublishedCount(
        81171437193104932746936103027318645818654720000,
        "New Sudoku Players' Forum, 2006, as in Wikipedia, Mathematics of Sudoku",
    ),
}
"""Published numbers of full grids, by the two sides of a box, smaller side first."""

PUBLISHED_X_COUNT = PublishedCount(
    55613393399531520,
    "Mathimagics, SudokuX (Diagonal Sudoku), New Sudoku Players' Forum, 2018, times 9!",
)
"""The number of 9x9 grids in which both diagonals hold every digit."""


WorkItem = TypeVar("WorkItem")

_MAX_DIGITS = 7  # with more digits, visiting all grids takes hours


def count_grids(box: Box, *, progress: ProgressCallback | None = None) -> int:
    """Return the number of full grids with boxes of a shape.

    The numbers for 2x2, 2x3 and 3x3 are computed in less than a second, for 3x3 by classes of
    bands, as in B. Felgenhauer and F. Jarvis, Mathematics of Sudoku I, 2006. The numbers for 1x1 to
    1x11 (Latin squares), 2x4, 2x5, 2x6 and 3x4 come from `PUBLISHED_COUNTS`, which names their
    sources. Raises `UnsupportedError` for other shapes.

    Parameters
    ----------
    box : tuple of int
        Rows and columns of a box.
    progress : callable, optional
        Called with the number of steps done and the number of all steps. By default nothing is
        called.

    Examples
    --------
    >>> count_grids((2, 2)), count_grids((2, 3)), count_grids((3, 3))
    (288, 28200960, 6670903752021072936960)
    """
    rows, columns = sorted(check_box(box))
    return sum(_count_box_grids(rows, columns) for _ in _report_steps([None], progress))


def _count_box_grids(rows: int, columns: int) -> int:
    """Return the number of grids with p rows and q >= p columns in a box."""
    if (rows, columns) == (3, 3):
        return get_grid_tables().total
    if rows == 2 and columns <= 3:
        return count_grids_by_halves(columns)
    if (rows, columns) in PUBLISHED_COUNTS:
        return PUBLISHED_COUNTS[rows, columns].grids
    shapes = ", ".join(f"{side}x{other_side}" for side, other_side in PUBLISHED_COUNTS if side > 1)
    raise UnsupportedError(
        f"the number of grids with {rows}x{columns} boxes is not known here",
        hint=f"boxes of 1x1 to 1x11, 2x2, 2x3, {shapes} and 3x3 are counted",
    )


def count_sheets(variant: Variant, *, progress: ProgressCallback | None = None) -> int:
    """Return the number of full grids of any variant with up to 7 digits, by visiting all.

    For 9x9 X-Sudoku it returns the published number. Raises `UnsupportedError` for other variants
    with more digits.

    Parameters
    ----------
    variant : Variant
        The rules.
    progress : callable, optional
        Called with the number of steps done and the number of all steps. By default nothing is
        called.

    Examples
    --------
    >>> count_sheets(Variant.x((2, 2))), count_sheets(Variant.x())
    (48, 55613393399531520)
    """
    if variant == Variant.x():
        return PUBLISHED_X_COUNT.grids
    if variant.digits > _MAX_DIGITS:
        raise UnsupportedError(
            f"grids of {variant.name} cannot be counted in minutes",
            hint=f"grids with up to {_MAX_DIGITS} digits can be counted",
        )
    # The first full house gets its digits in order; relabeling gives all other grids.
    full_houses = (house.cells for house in variant.houses if len(house.cells) == variant.digits)
    first_house = next(full_houses, ())
    # The digits of two more cells divide the count into steps of progress.
    givens = np.full(len(variant.cells), -1, dtype=np.int64)
    givens[list(first_house)] = np.arange(len(first_house))
    total = 0
    for extended_givens in _report_steps(list(_add_two_digits(givens, variant)), progress):
        total += count_solutions(SudokuPuzzle(extended_givens, variant, first=0, empty=-1))
    return factorial(len(first_house)) * total


def count_samurai_grids(box: Box = (3, 3), *, progress: ProgressCallback | None = None) -> int:
    """Return the number of full Samurai grids: five grids, four at the corners of the middle one.

    Supported boxes are those of `count_grids` with sides of 2 or more; otherwise it raises
    `UnsupportedError` or `InvalidGridError`.

    Parameters
    ----------
    box : tuple of int, default (3, 3)
        Rows and columns of a box, 2 or more each.
    progress : callable, optional
        Called with the number of steps done and the number of all steps. By default nothing is
        called.
    """
    digits = Variant.samurai(box).digits
    grid_count = count_grids(box, progress=progress)
    # Each outer grid shares a box with the middle grid. By relabeling, the number of ways to
    # complete it is the same for each content of that box.
    return grid_count * (grid_count // factorial(digits)) ** 4


def _add_two_digits(givens: IntArray, variant: Variant) -> Iterator[IntArray]:
    """Yield givens with each possible choice of digits in the first two open cells."""
    open_cells = np.flatnonzero(givens < 0)[:2].tolist()
    for digits in product(range(variant.digits), repeat=len(open_cells)):
        extended_givens = givens.copy()
        for cell, digit in zip(open_cells, digits, strict=True):
            if digit in extended_givens[variant.peers(cell)]:
                break
            extended_givens[cell] = digit
        else:
            yield extended_givens


def _report_steps(
    steps: Sequence[WorkItem], progress: ProgressCallback | None
) -> Iterator[WorkItem]:
    """Yield the steps, and call `progress` with the numbers of steps done and of all steps."""
    report_progress = progress or (lambda *_: None)
    for done_count, step in enumerate(steps):
        report_progress(done_count, len(steps))
        yield step
    report_progress(len(steps), len(steps))
