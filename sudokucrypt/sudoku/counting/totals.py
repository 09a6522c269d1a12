"""The exact number of grids: computed where that ends soon, and otherwise as others published it.

Boxes have p rows and q columns, in either order. `progress` is called with the number of steps
done and of all steps, first with 0 done. All functions raise `UnsupportedError` for what is neither
computed nor published.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from math import factorial
from typing import NamedTuple, TypeVar

import numpy as np

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.sudoku.counting.band_classes import grid_tables
from sudokucrypt.sudoku.counting.halves import halves_total
from sudokucrypt.sudoku.model.boxes import checked_box
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.solving.solver import count_solutions
from sudokucrypt.typing import Box, IntArray, ProgressCallback


class PublishedCount(NamedTuple):
    """A number of full grids, and who published it."""

    grids: int
    source: str


_LATIN = "OEIS A002860"

PUBLISHED_COUNTS: dict[Box, PublishedCount] = {
    (1, 1): PublishedCount(1, _LATIN),
    (1, 2): PublishedCount(2, _LATIN),
    (1, 3): PublishedCount(12, _LATIN),
    (1, 4): PublishedCount(576, _LATIN),
    (1, 5): PublishedCount(161280, _LATIN),
    (1, 6): PublishedCount(812851200, _LATIN),
    (1, 7): PublishedCount(61479419904000, _LATIN),
    (1, 8): PublishedCount(108776032459082956800, _LATIN),
    (1, 9): PublishedCount(5524751496156892842531225600, _LATIN),
    (1, 10): PublishedCount(9982437658213039871725064756920320000, _LATIN),
    (1, 11): PublishedCount(
        776966836171770144107444346734230682311065600000,
        "B. D. McKay and I. M. Wanless, On the number of Latin squares, 2005",
    ),
    (2, 4): PublishedCount(29136487207403520, "E. Russell, as in Wikipedia, Mathematics of Sudoku"),
    (2, 5): PublishedCount(
        1903816047972624930994913280000,
        "K. F. Pettersen, as in Wikipedia, Mathematics of Sudoku",
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
"""Numbers of grids by the rows and columns of their boxes, the fewer first."""

PUBLISHED_X_COUNT = PublishedCount(
    55613393399531520,
    "Mathimagics, SudokuX (Diagonal Sudoku), New Sudoku Players' Forum, 2018, times 9!",
)
"""The number of 9x9 grids in which both diagonals hold every digit."""


WorkItem = TypeVar("WorkItem")

_MOST_DIGITS = 7  # with more, visiting all sheets takes hours


def count_grids(box: Box, *, progress: ProgressCallback | None = None) -> int:
    """Return the number of full grids with boxes of a shape.

    2x2, 2x3 and 3x3 are computed in less than a second, 3x3 by classes of bands, as in
    B. Felgenhauer and F. Jarvis, Mathematics of Sudoku I, 2006. The others are the entries of
    `PUBLISHED_COUNTS`, which names their sources: 1x1 to 1x11 (Latin squares), 2x4, 2x5, 2x6 and
    3x4. `UnsupportedError` for other shapes.

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
    p, q = sorted(checked_box(box))
    return sum(_count_boxes(p, q) for _ in _report_steps([None], progress))


def _count_boxes(p: int, q: int) -> int:
    """Return the number of grids with p rows and q >= p columns in a box."""
    if (p, q) == (3, 3):
        return grid_tables().total
    if p == 2 and q <= 3:
        return halves_total(q)
    if (p, q) in PUBLISHED_COUNTS:
        return PUBLISHED_COUNTS[p, q].grids
    shapes = ", ".join(f"{rows}x{columns}" for rows, columns in PUBLISHED_COUNTS if rows > 1)
    raise UnsupportedError(
        f"the number of grids with {p}x{q} boxes is not known here",
        hint=f"boxes of 1x1 to 1x11, 2x2, 2x3, {shapes} and 3x3 are counted",
    )


def count_sheets(variant: Variant, *, progress: ProgressCallback | None = None) -> int:
    """Return the number of full sheets of any variant with up to 7 digits, by visiting them.

    Of sheets with more digits only those of 9x9 X-Sudoku are known, as a number that others
    published; `UnsupportedError` for the rest.

    Parameters
    ----------
    variant : Variant
        The rules of the sheet.
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
    if variant.digits > _MOST_DIGITS:
        raise UnsupportedError(
            f"sheets of {variant.name} cannot be counted in minutes",
            hint=f"those of up to {_MOST_DIGITS} digits can",
        )
    # The first full house holds its digits in order: other sheets are these with other digits.
    full = (house.cells for house in variant.houses if len(house.cells) == variant.digits)
    first = next(full, ())
    # Two more cells cut the rest into steps of progress.
    givens = np.full(len(variant.cells), -1, dtype=np.int64)
    givens[list(first)] = np.arange(len(first))
    sheets = 0
    for begun in _report_steps(list(_with_two_more(givens, variant)), progress):
        sheets += count_solutions(SudokuPuzzle(begun, variant, first=0, empty=-1))
    return factorial(len(first)) * sheets


def count_samurai_grids(box: Box = (3, 3), *, progress: ProgressCallback | None = None) -> int:
    """Return the number of full Samurai sheets: five grids, four on the corners of one.

    Boxes as in `count_grids`, with sides of 2 or more (else `InvalidGridError`).

    Parameters
    ----------
    box : tuple of int, default (3, 3)
        Rows and columns of a box, 2 or more each.
    progress : callable, optional
        Called with the number of steps done and the number of all steps. By default nothing is
        called.
    """
    digits = Variant.samurai(box).digits
    grids = count_grids(box, progress=progress)
    # Each outer grid shares a box with the middle one. Whatever that holds, it is completed in as
    # many ways as any other, by relabeling.
    return grids * (grids // factorial(digits)) ** 4


def _with_two_more(givens: IntArray, variant: Variant) -> Iterator[IntArray]:
    """Yield a sheet with every choice of digits that fit in the first two open cells."""
    open_cells = np.flatnonzero(givens < 0)[:2].tolist()
    for digits in product(range(variant.digits), repeat=len(open_cells)):
        begun = givens.copy()
        for cell, digit in zip(open_cells, digits, strict=True):
            if digit in begun[variant.peers(cell)]:
                break
            begun[cell] = digit
        else:
            yield begun


def _report_steps(
    steps: Sequence[WorkItem], progress: ProgressCallback | None
) -> Iterator[WorkItem]:
    """Yield the steps, and report how many are done."""
    tell = progress or (lambda *_: None)
    for done, step in enumerate(steps):
        tell(done, len(steps))
        yield step
    tell(len(steps), len(steps))
