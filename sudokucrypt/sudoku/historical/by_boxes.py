"""Box by box: grids put together from boxes that fit those before them."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import factorial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.options import checked_integer
from sudokucrypt.sudoku.historical.anagrams import (
    anagram_index,
    anagrams,
    random_descent,
    set_masks,
)
from sudokucrypt.sudoku.model.array_interface import integers
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.sudoku.seeded import SeedLike, as_source
from sudokucrypt.typing import IntArray

# Band and stack of each box, as they are placed.
_ORDER = ((0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (1, 2), (2, 0), (2, 1), (2, 2))


def grid_by_boxes(
    source: SeedLike = None, *, trace: Callable[[int, int, int, int], object] | None = None
) -> SudokuGrid:
    """Make a 9x9 grid box by box, each drawn from all boxes that fit those before it.

    Each box costs one draw. Not uniform, as in `grid_by_rows`. `trace` is called with band and
    stack of each box, its anagram index (row by row), and among how many it was drawn: those that
    fit and were not tried there before.

    Parameters
    ----------
    source : RandomSource or int, optional
        A stream of draws, a seed, or by default the system.
    trace : callable, optional
        Called with band, stack and anagram index of each box, and the number of boxes that it was
        drawn from. By default nothing is called.
    """
    boxes = all_boxes()

    def tell(path: tuple[int, ...], choices: int) -> None:
        if trace is not None:
            trace(*_ORDER[len(path) - 1], path[-1], choices)

    path = random_descent(boxes.after, len(_ORDER), as_source(source), trace=tell)
    cells = np.empty((3, 3, 3, 3), dtype=np.int32)
    for (band, stack), box in zip(_ORDER, path, strict=True):
        cells[band, :, stack] = boxes.table[box].reshape(3, 3)
    return SudokuGrid.wrap_valid(cells.reshape(9, 9), (3, 3))


class Boxes(NamedTuple):
    """All 9! boxes in lexicographic order, with the digits of their rows and columns as bits."""

    table: NDArray[np.uint8]
    rows: IntArray
    columns: IntArray

    def fitting(self, rows: int | np.int64, columns: int | np.int64) -> IntArray:
        """Return the boxes without any of these digits in the same row or column."""
        return np.flatnonzero((self.rows & rows | self.columns & columns) == 0)

    def by_columns(self, box: int) -> bytes:
        """Return the digits of a box column by column, for an order by them."""
        digits: bytes = self.table[box].reshape(3, 3).T.tobytes()
        return digits

    def after(self, path: tuple[int, ...]) -> IntArray:
        """Return the boxes that fit at the next place in `_ORDER`."""
        if len(path) == len(_ORDER):
            return np.empty(0, dtype=np.int64)
        band, stack = _ORDER[len(path)]
        rows = columns = np.int64(0)
        for (other_band, other_stack), box in zip(_ORDER, path, strict=False):
            rows |= self.rows[box] if other_band == band else 0
            columns |= self.columns[box] if other_stack == stack else 0
        return self.fitting(rows, columns)


@cache
def all_boxes() -> Boxes:
    """Return the boxes, which are listed once."""
    table = anagrams(9)
    squares = table.reshape(-1, 3, 3)
    return Boxes(table, set_masks(squares, 9), set_masks(squares.swapaxes(1, 2), 9))


def fitting_boxes(
    *, beside: Sequence[ArrayLike] = (), below: Sequence[ArrayLike] = ()
) -> NDArray[np.int32]:
    """Return the boxes of a 9x9 grid that fit beside and below others: the lists of the box method.

    Raises `InvalidGridError` if something is not a box. The boxes have shape (N, 3, 3) and digits
    1..9; read row by row, they are in lexicographic order.

    Parameters
    ----------
    beside, below : sequence of array_like of shape (3, 3), optional
        Boxes in the same band, and in the same stack, each with the digits 1..9. Without any, all
        9! boxes fit.

    Examples
    --------
    >>> first = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    >>> right = fitting_boxes(beside=[first])
    >>> len(right), right[0].tolist()
    (12096, [[4, 5, 6], [7, 8, 9], [1, 2, 3]])
    """
    boxes = all_boxes()
    rows = columns = np.int64(0)
    for others, name in ((beside, "beside"), (below, "below")):
        for other in others:
            box = integers(other)
            if box.shape != (3, 3) or sorted(box.ravel().tolist()) != list(range(1, 10)):
                raise InvalidGridError("a box has three rows, and each digit 1 to 9 once")
            index = anagram_index((box - 1).ravel().tolist())
            if name == "beside":
                rows |= boxes.rows[index]
            else:
                columns |= boxes.columns[index]
    return boxes.table[boxes.fitting(rows, columns)].reshape(-1, 3, 3).astype(np.int32) + 1


# Three sets of nine digits side by side, as boxes need them for their rows and columns.
_ALL = (1 << 27) - 1
_SIZES = np.array([mask.bit_count() for mask in range(1 << 9)], dtype=np.int32)


@dataclass(frozen=True, kw_only=True)
class BoxByBox:
    """What the box-by-box method counts; of several boxes that fit, it goes on with the first."""

    right: int  #: Boxes that fit to the right of the first box.
    below: int  #: Boxes that fit below it.
    pairs: int  #: Both at once.
    centre: int  #: Boxes that fit between the first ones on the right and below.
    top_right: int  #: Boxes beside the first two.
    under_each: tuple[int, ...]  #: How many fit under each of these; equal numbers once, and no 0.
    right_columns: int  #: All boxes under them.
    distinct: int  #: How many different ones these are.
    bottom_left: int  #: Boxes under the first two.
    usable: int  #: Those of them beside which any fit.
    beside_each: tuple[int, ...]  #: How many fit beside each; equal numbers once, and no 0.
    bottom_rows: int  #: All boxes beside them.
    #: Pairs of a bottom row and a right column, two boxes each, that leave every cell of the last
    #: box a candidate. Each row then meets each column in one digit: a pair makes one grid.
    completions: int
    #: The number of centre boxes for random pairs of boxes to the right and below.
    sampled: tuple[int, ...]

    @property
    def estimate(self) -> float:
        """About how many grids there are, by the mean of the sampled centres."""
        centres = sum(self.sampled) / len(self.sampled)
        return factorial(9) * self.pairs * centres * self.completions


def box_by_box(source: SeedLike = None, *, samples: int = 200) -> BoxByBox:
    """Count box by box, beginning with 123/456/789.

    `source` draws the pairs of boxes that are sampled (at least one): for each a right one, then
    one below. Boxes are read row by row, those below the first column by column, as if the grid
    were turned over. McCormick's count gives the same figures, and about 7.17e21 grids.

    Parameters
    ----------
    source : RandomSource or int, optional
        A stream of draws, a seed, or by default the system.
    samples : int, default 200
        The number of pairs of boxes that are sampled, 1 or more.

    Examples
    --------
    >>> report = box_by_box(1, samples=10)
    >>> report.right, report.pairs, report.centre, report.completions
    (12096, 146313216, 392, 337536)
    """
    samples = checked_integer("the number of samples", samples, least=1)
    source = as_source(source)
    boxes = all_boxes()
    rows, columns = boxes.rows, boxes.columns
    right, below = boxes.fitting(rows[0], 0), boxes.fitting(0, columns[0])
    beside, under = right[0], min(below, key=boxes.by_columns)
    centres = boxes.fitting(rows[under], columns[beside])
    centre = centres[0]
    sampled = []
    for _ in range(samples):
        drawn, lower = right[source.below(len(right))], below[source.below(len(below))]
        sampled.append(len(boxes.fitting(rows[lower], columns[drawn])))

    top = boxes.fitting(rows[0] | rows[beside], 0)
    right_sets = [boxes.fitting(rows[under] | rows[centre], columns[box]) for box in top]
    right_columns = [columns[box] | columns[fit] for box, fit in zip(top, right_sets, strict=True)]
    left = boxes.fitting(0, columns[0] | columns[under])
    bottom_sets = [boxes.fitting(rows[box], columns[beside] | columns[centre]) for box in left]
    bottom_rows = [rows[box] | rows[fit] for box, fit in zip(left, bottom_sets, strict=True)]
    under_sizes, beside_sizes = ([len(fit) for fit in sets] for sets in (right_sets, bottom_sets))
    return BoxByBox(
        right=len(right),
        below=len(below),
        pairs=len(right) * len(below),
        centre=len(centres),
        top_right=len(top),
        under_each=tuple(sorted(set(under_sizes) - {0})),
        right_columns=sum(under_sizes),
        distinct=len(np.unique(np.concatenate(right_sets))),
        bottom_left=len(left),
        usable=sum(size > 0 for size in beside_sizes),
        beside_each=tuple(sorted(set(beside_sizes) - {0})),
        bottom_rows=sum(beside_sizes),
        completions=_meeting(
            _ALL ^ np.concatenate(bottom_rows), _ALL ^ np.concatenate(right_columns)
        ),
        sampled=tuple(sampled),
    )


def centre_counts() -> dict[int, int]:
    """Return for how many of all pairs each number of boxes fits between them.

    >>> counts = centre_counts()
    >>> min(counts), max(counts), sum(counts.values())
    (384, 448, 146313216)
    """
    boxes = all_boxes()
    right, below = boxes.fitting(boxes.rows[0], 0), boxes.fitting(0, boxes.columns[0])
    sides, side_weights = np.unique(boxes.columns[right], return_counts=True)
    tops, top_weights = np.unique(boxes.rows[below], return_counts=True)
    # How many digits each row below shares with each column on the right decides the number.
    codes = np.zeros((len(tops), len(sides)), dtype=np.int32)
    for row in _parts(tops).T:
        for column in _parts(sides).T:
            codes = 4 * codes + _SIZES[row[:, None] & column]
    _, firsts, kinds = np.unique(codes.reshape(-1), return_index=True, return_inverse=True)
    pairs = np.bincount(kinds, weights=np.outer(top_weights, side_weights).reshape(-1))
    counts: Counter[int] = Counter()
    for first, weight in zip(firsts.tolist(), pairs.tolist(), strict=True):
        top, side = divmod(first, len(sides))
        counts[len(boxes.fitting(tops[top], sides[side]))] += int(weight)
    return dict(counts)


def _parts(masks: IntArray) -> IntArray:
    """Return the three sets of digits in each mask."""
    parts: IntArray = masks[:, None] >> np.array([0, 9, 18]) & 511
    return parts


def _meeting(rows: IntArray, columns: IntArray) -> int:
    """Return for how many pairs each set of the one meets each set of the other."""
    pairs = np.ones((len(rows), len(columns)), dtype=bool)
    for row in _parts(rows).T:
        for column in _parts(columns).T:
            pairs &= row[:, None] & column != 0
    return int(pairs.sum())
