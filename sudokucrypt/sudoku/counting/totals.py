"""The exact number of grids, by computation.

Boxes have p rows and q columns, in either order. `progress` is called with the number of steps
done and of all steps, first with 0 done. All functions raise `UnsupportedError` where the count
would not end in minutes.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from math import factorial
from typing import TypeVar

import numpy as np

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.sudoku.counting.band_classes import grid_tables
from sudokucrypt.sudoku.counting.diagonals import DiagonalTables, diagonal_classes
from sudokucrypt.sudoku.counting.halves import count_fillings, word_classes
from sudokucrypt.sudoku.counting.latin import count_latin
from sudokucrypt.sudoku.counting.published import PUBLISHED_COUNTS
from sudokucrypt.sudoku.model.boxes import checked_box
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.solving.solver import count_solutions
from sudokucrypt.typing import Box, IntArray, ProgressCallback
from sudokucrypt.workers import Workers

WorkItem = TypeVar("WorkItem")

# The largest order, number of boxes in a band, and order with diagonals that take minutes.
_LATIN, _HALVES, _DIAGONAL = 9, 5, 7


def count_grids(box: Box, *, progress: ProgressCallback | None = None) -> int:
    """Return the number of full grids: boxes 1x1 to 1x9 (Latin squares), 2x2 to 2x5, or 3x3.

    All take less than a second but 1x8, some seconds, 2x5, a minute with the kernels and a few
    without, and 1x9, a few minutes. 3x3 goes by classes of bands, as in B. Felgenhauer and
    F. Jarvis, Mathematics of Sudoku I, 2006.

    >>> count_grids((2, 2)), count_grids((2, 3)), count_grids((3, 3))
    (288, 28200960, 6670903752021072936960)
    """
    p, q = sorted(checked_box(box))
    if p == 1 and q <= _LATIN:
        return count_latin(q, progress or (lambda *_: None)) if q > 1 else 1
    if p == 2 and q <= _HALVES:
        classes = word_classes(q)
        return sum(
            number * count_fillings(words, q) ** 2
            for words, number in _watched(list(classes.items()), progress)
        )
    if (p, q) == (3, 3):
        return sum(build().total for build in _watched([grid_tables], progress))
    hint = (
        f"1x1 to 1x{_LATIN}, 2x2 to 2x{_HALVES} and 3x3 can, with rows and columns exchanged "
        "as well"
    )
    if known := PUBLISHED_COUNTS.get((p, q)):
        hint = f"there are {known.grids}: {known.source}"
    raise UnsupportedError(
        f"grids with {box[0]}x{box[1]} boxes cannot be counted in minutes", hint=hint
    )


def count_x_grids(box: Box, *, progress: ProgressCallback | None = None) -> int:
    """Return the number of full grids in which both diagonals hold every digit; as `count_sheets`.

    Orders up to 7, and boxes of 2x4 and 3x3. With p = 1 these are the diagonal Latin squares. Order
    7 takes a second and 2x4 a minute, without the kernel some 50 times that; 3x3 takes half a
    minute with and without.

    >>> count_x_grids((2, 2)), count_x_grids((2, 3))
    (48, 8640)
    """
    p, q = checked_box(box)
    n = p * q
    if (p, q) == (3, 3):
        return _count_x_nine(progress)
    if n > _DIAGONAL and sorted((p, q)) != [2, 4]:
        raise UnsupportedError(
            f"{p}x{q} grids with diagonals cannot be counted in minutes",
            hint=f"orders up to {_DIAGONAL} can, and 3x3, and 2x4 in either order",
        )
    return _count_by_solving(Variant.x((p, q)), progress)


def _count_x_nine(progress: ProgressCallback | None) -> int:
    """Count 9x9 grids by their diagonals; the falling one is relabelled."""
    tables = DiagonalTables()
    classes = diagonal_classes()
    with Workers() as workers:
        ways = _watched(list(classes.values()), progress)
        counts = workers.each(tables.count, classes)
        return factorial(9) * sum(size * count for size, count in zip(ways, counts, strict=True))


def count_sheets(variant: Variant, *, progress: ProgressCallback | None = None) -> int:
    """Return the number of full sheets of any variant with up to 7 digits, by visiting them."""
    if variant.digits > _DIAGONAL:
        raise UnsupportedError(
            f"sheets of {variant.name} cannot be counted in minutes",
            hint=f"those of up to {_DIAGONAL} digits can",
        )
    return _count_by_solving(variant, progress)


def _count_by_solving(variant: Variant, progress: ProgressCallback | None) -> int:
    """Visit the sheets whose first full house holds its digits in order; others are relabelled."""
    full = (house.cells for house in variant.houses if len(house.cells) == variant.digits)
    first = next(full, ())
    # Relabelled sheets are counted by a factor; two more cells cut the rest into steps of progress.
    givens = np.full(len(variant.cells), -1, dtype=np.int64)
    givens[list(first)] = np.arange(len(first))
    sheets = 0
    for begun in _watched(list(_with_two_more(givens, variant)), progress):
        sheets += count_solutions(SudokuPuzzle(begun, variant, first=0, empty=-1))
    return factorial(len(first)) * sheets


def count_samurai_grids(box: Box = (3, 3), *, progress: ProgressCallback | None = None) -> int:
    """Return the number of full Samurai sheets: five grids, four on the corners of one.

    Boxes as in `count_grids`, with sides of 2 or more (else `InvalidGridError`).
    """
    digits = Variant.samurai(box).digits
    grids = count_grids(box, progress=progress)
    # Each outer grid shares a box with the middle one. Whatever that holds, it is completed in as
    # many ways as any other, by relabelling.
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


def _watched(steps: Sequence[WorkItem], progress: ProgressCallback | None) -> Iterator[WorkItem]:
    """Yield the steps, and say how many of them are done."""
    tell = progress or (lambda *_: None)
    for done, step in enumerate(steps):
        tell(done, len(steps))
        yield step
    tell(len(steps), len(steps))
