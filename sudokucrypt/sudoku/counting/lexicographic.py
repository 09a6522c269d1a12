"""The number of a 9x9 grid in lexicographic order, and the grid of a number.

How many grids begin with given cells is known in three ways. With rows one to three: by the class
of the band. With row four too: the column sets of the bands below go with those of band one in 56
ways a stack; band three is filled as its column sets say, and rows five and six by the cycles
that the digits left in the columns of band two form, two ways each. With more: by search.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import combinations, permutations, product
from math import factorial
from typing import TypeAlias

import numpy as np

from sudokucrypt.checks import checked_integer
from sudokucrypt.errors import BrokenRuleError, UnsupportedError
from sudokucrypt.sudoku.counting.band_classes import ORDERS, grid_tables, masks_of
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.sudoku.model.puzzle import GridLike, SudokuPuzzle, as_grid
from sudokucrypt.sudoku.solving.solver import count_solutions
from sudokucrypt.typing import AnyArray, IntArray

# Digits from the first cell on, or what may follow them and in how many grids.
Digits: TypeAlias = tuple[int, ...]
Branch: TypeAlias = tuple[Digits, int]

_EVERY = range(9)


def lexicographic_rank(grid: GridLike) -> int:
    """Return how many full 9x9 grids, read row by row, come before one; some seconds.

    Raises
    ------
    UnsupportedError
        If the grid has another size.

    Examples
    --------
    >>> first = "123456789456789123789123456214365897365897214897214365531642978642978531978531642"
    >>> lexicographic_rank(first)
    0
    """
    grid = as_grid(grid)
    if grid.box != (3, 3):
        raise UnsupportedError("lexicographic numbers are those of grids with 3x3 boxes")
    cells = tuple(grid.cells.reshape(-1).tolist())
    before = at = 0
    for step in _STEPS:
        size = 0
        for part, ways in step(cells[:at]):
            size = len(part)
            if part >= cells[at : at + size]:
                break
            before += ways
        at += size
    return before + _earlier(cells, at)


def lexicographic_unrank(number: int) -> SudokuGrid:
    """Return the full 9x9 grid with this number in lexicographic order; some seconds.

    `InvalidParameterError` if the number is not 0 to `grid_total()` - 1.

    >>> lexicographic_unrank(0).to_text()[:27]
    '123456789456789123789123456'
    """
    left = checked_integer("the number", number, least=0, most=grid_tables().total - 1)
    cells: Digits = ()
    for step in _STEPS:
        for part, ways in step(cells):
            if left < ways:
                cells += part
                break
            left -= ways
    while len(cells) < 81:
        for digit in _EVERY:
            ways = _completions((*cells, digit))
            if left < ways:
                cells += (digit,)
                break
            left -= ways
    return SudokuGrid.unchecked(np.array(cells, dtype=np.int32).reshape(9, 9), (3, 3))


def _first_rows(_: Digits) -> Iterator[Branch]:
    ways = grid_tables().total // factorial(9)
    return ((row, ways) for row in permutations(_EVERY))


def _second_rows(first: Digits) -> Iterator[Branch]:
    return _ordered(np.array(first), *_after_the_first())


def _third_rows(above: Digits) -> Iterator[Branch]:
    names = np.array(above[:9])
    second = np.argsort(names)[list(above[9:])]
    third = _third_of(second)
    return _ordered(names, third, _of_bands(second[None], third)[0])


def _ordered(names: IntArray, rows: IntArray, ways: IntArray) -> Iterator[Branch]:
    """Yield rows, whose digits are those of row one by their columns, in order of their names."""
    named = names[rows]
    order = np.lexsort(named.T[::-1])
    return zip(map(tuple, named[order].tolist()), ways[order].tolist(), strict=True)


@cache
def _after_the_first() -> tuple[IntArray, IntArray]:
    """Return all rows that may follow 0 to 8, shape (12096, 9), and the number of grids of each."""
    rows, ways = [], []
    for one, two in product(combinations(range(3, 9), 3), combinations(_EVERY, 3)):
        three = {*_EVERY} - {*one} - {*two}
        if len(three) == 3 and three.isdisjoint({6, 7, 8}) and not {3, 4, 5} & {*two}:
            second = _arranged(one, two, sorted(three))
            rows.append(second)
            ways.append(_of_bands(second, _third_of(second[0])).sum(axis=1))
    return np.concatenate(rows), np.concatenate(ways)


def _third_of(second: IntArray) -> IntArray:
    """Return the rows, shape (216, 9), that may follow 0 to 8 and a second row."""
    return _arranged(
        *(sorted({*_EVERY[at : at + 3]} ^ {*_EVERY} ^ {*second[at : at + 3].tolist()})
          for at in (0, 3, 6))
    )  # fmt: skip


def _arranged(*parts: Sequence[int]) -> IntArray:
    """Return all rows, shape (216, 9), with these digits in their boxes."""
    orders = [np.array(part)[ORDERS] for part in parts]
    return np.array([np.concatenate(row) for row in product(*orders)])


def _of_bands(second: IntArray, third: IntArray) -> IntArray:
    """Return how many grids have rows 0 to 8, and each of the second and of the third, a table."""
    sets, _, classes, below, _ = grid_tables()
    bits = np.left_shift(1, np.arange(9))
    columns = bits | bits[second][:, None] | bits[third][None]
    one, two, three = (sets.find(columns[..., at : at + 3]) for at in (0, 3, 6))
    pair = sets.relabel[one, two].astype(np.intp) * len(sets.relabel) + sets.relabel[one, three]
    ways: IntArray = below[classes.of[pair], -1]
    return ways


class _LowerBands:
    """How bands two and three go with a band."""

    def __init__(self, band: Digits) -> None:
        sets, fillings, *_ = grid_tables()
        self.columns = masks_of(np.array(band).reshape(3, 9).T)
        stacks = [self.columns[at : at + 3] for at in (0, 3, 6)]
        parts = [int(sets.find(own)) for own in stacks]
        # The digits in the columns of band two, shape (56, 3 columns), by the mates of each stack.
        self.mates = [
            sets.mate_masks[part, :, 0][:, [[*sets.parts[part]].index(mask) for mask in own]]
            for part, own in zip(parts, stacks, strict=True)
        ]
        ways = []
        for lower in range(2):
            one, two, three = sets.mates[parts, :, lower]
            pair = sets.relabel[one[:, None], two][:, :, None], sets.relabel[one[:, None], three]
            ways.append(fillings.number[pair[0], pair[1][:, None, :]].astype(np.int64))
        self.upper, self.lower = ways  # ways to fill lower two, and three, by mates


@lru_cache(maxsize=1)
def _bands_below(band: Digits) -> _LowerBands:
    return _LowerBands(band)


def _fourth_digits(band: Digits) -> Iterator[Branch]:
    """Yield what may come first in row four: in a third of the ways a digit of the column."""
    below = _bands_below(band)
    ways = (below.upper * below.lower).sum(axis=(1, 2))
    for digit in _EVERY:
        held = below.mates[0][:, 0] >> digit & 1 == 1
        if held.any():
            yield (digit,), int(ways[held].sum()) // 3


def _fourth_rows(above: Digits) -> Iterator[Branch]:
    """Yield how row four goes on after its first digit, and the ways, as they are asked for."""
    below = _bands_below(above[:27])
    for row in _fitting(below.columns.tolist(), above[27:]):
        yield row[1:], _of_row_four(row, below)


def _fitting(columns: Sequence[int], row: Digits) -> Iterator[Digits]:
    """Yield the rows that begin so, in order, without a digit that its column holds."""
    if len(row) == 9:
        yield row
        return
    for digit in _EVERY:
        if digit not in row and not columns[len(row)] >> digit & 1:
            yield from _fitting(columns, (*row, digit))


def _of_row_four(row: Digits, below: _LowerBands) -> int:
    """Return how many ways go on from a row four, by the mates of each stack that have it."""
    bits = np.left_shift(1, np.array(row)).astype(np.uint16).reshape(3, 3)
    chosen = [np.flatnonzero((own & digits != 0).all(axis=1))
              for own, digits in zip(below.mates, bits, strict=True)]  # fmt: skip
    shapes = ((-1, 1, 1), (1, -1, 1), (1, 1, -1))
    edges = [
        (own[places, column] & ~digits[column]).reshape(shape)
        for own, places, digits, shape in zip(below.mates, chosen, bits, shapes, strict=True)
        for column in range(3)
    ]
    ways = below.lower[np.ix_(*chosen)] << _cycles(edges, [len(places) for places in chosen])
    return int(ways.sum())


def _cycles(edges: Sequence[AnyArray], shape: Sequence[int]) -> IntArray:
    """Return how many cycles nine edges form, each a set of two digits; each digit is on two."""
    left = np.full(shape, 511, dtype=np.uint16)
    cycles = np.zeros(shape, dtype=np.int64)
    while left.any():
        cycles += left != 0
        reached, before = left & -left, np.zeros_like(left)
        while (reached != before).any():
            before = reached.copy()
            for edge in edges:
                reached |= np.where(reached & edge, edge, 0).astype(np.uint16)
        left &= ~reached
    return cycles


def _earlier(cells: Digits, start: int) -> int:
    """Return how many grids have the cells before `start` of a grid, and come before it."""
    return sum(
        _completions((*cells[:at], digit)) for at in range(start, 81) for digit in range(cells[at])
    )


def _completions(cells: Digits) -> int:
    """Return how many grids begin with digits, of which the last may break a rule."""
    givens = np.full(81, -1, dtype=np.int32)
    givens[: len(cells)] = cells
    try:
        return count_solutions(SudokuPuzzle(givens, first=0, empty=-1))
    except BrokenRuleError:
        return 0


_STEPS: tuple[Callable[[Digits], Iterator[Branch]], ...] = (
    _first_rows, _second_rows, _third_rows, _fourth_digits, _fourth_rows,
)  # fmt: skip
