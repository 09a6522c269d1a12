"""The first published methods of making Sudoku grids by program.

They fill a grid row by row, where each row is a permutation with a number in lexicographic order
(its anagram index), cell by cell with look-ahead, or box by box.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import factorial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudokucrypt.errors import InvalidGridError, InvalidParameterError, UnsupportedError
from sudokucrypt.options import check_integer
from sudokucrypt.sudoku.model.array_interface import convert_to_integers
from sudokucrypt.sudoku.model.boxes import check_box
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.seeded import SeedLike, as_source
from sudokucrypt.sudoku.solving.solver import check_digit_count, fill_open_cells
from sudokucrypt.typing import Box, IntArray, RandomSource

DescentTrace = Callable[[tuple[int, ...], int], object]
LARGEST_ORDER = 9  # the largest order, since all permutations of the digits are in memory


def anagram_index(digits: Sequence[int]) -> int:
    """Return the rank of a permutation of 0..n-1 in lexicographic order, counted from 0.

    Raises `InvalidParameterError` if `digits` is not a permutation of 0..n-1.

    Parameters
    ----------
    digits : sequence of int
        The permutation of 0..n-1.

    Examples
    --------
    >>> anagram_index([0, 1, 2]), anagram_index([2, 1, 0])
    (0, 5)
    """
    remaining_digits = sorted(digits)
    if remaining_digits != list(range(len(digits))):
        raise InvalidParameterError(f"{list(digits)} is not a permutation of 0..{len(digits) - 1}")
    index = 0
    for digit in digits:
        position = remaining_digits.index(digit)
        del remaining_digits[position]
        index += position * factorial(len(remaining_digits))
    return index


@lru_cache(maxsize=2)
def anagrams(order: int) -> NDArray[np.uint8]:
    """Return all permutations of 0..order-1 as rows, in lexicographic order: row k has index k.

    The table is read-only, with shape (order!, order) and dtype uint8. Raises `UnsupportedError`
    above order 9.

    Parameters
    ----------
    order : int
        The number of permuted items, 1..9.

    Examples
    --------
    >>> anagrams(9)[138690].tolist()
    [3, 4, 5, 6, 7, 8, 0, 1, 2]
    """
    order = check_integer("the order", order, least=0)
    if order > LARGEST_ORDER:
        raise UnsupportedError(
            f"all permutations are listed up to order {LARGEST_ORDER}, not {order}",
            hint="the minimum-candidates search makes larger grids",
        )
    table = np.zeros((1, 0), dtype=np.uint8)
    for size in range(1, order + 1):
        digits = np.arange(size, dtype=np.uint8)[:, None, None]
        # After the first digit, the other digits follow the order of the previous, smaller table.
        later_digits = table + (table >= digits)
        first_digits = np.broadcast_to(digits, (size, len(table), 1))
        table = np.concatenate([first_digits, later_digits], axis=2).reshape(-1, size)
    table.flags.writeable = False
    return table


def make_set_masks(digit_sets: NDArray[np.uint8], order: int) -> IntArray:
    """Return for each row of `digit_sets` one word: the bit masks of its sets, concatenated.

    `digit_sets` has shape (m, sets, size); sets * order is at most 63.
    """
    bit_numbers = digit_sets + order * np.arange(digit_sets.shape[1])[:, None]
    masks: IntArray = np.left_shift(np.int64(1), bit_numbers).sum(axis=(1, 2))
    return masks


def random_descent(
    list_choices: Callable[[tuple[int, ...]], IntArray],
    depth: int,
    source: RandomSource,
    *,
    trace: DescentTrace | None = None,
) -> tuple[int, ...]:
    """Make `depth` random choices one by one, with backtracking if no choice is possible.

    `list_choices` returns the possible next choices after the given choices. One of them is drawn,
    and not drawn again if it leads to a dead end. Some sequence of choices must succeed. `trace` is
    called with the choices so far, and the number of possible choices from which the last was made.
    """
    path: tuple[int, ...] = ()
    untried_choices = [list_choices(path)]
    while len(path) < depth:
        if not len(untried_choices[-1]):
            untried_choices.pop()
            path = path[:-1]
            continue
        choices = untried_choices.pop()
        choice_index = source.below(len(choices))
        path = (*path, int(choices[choice_index]))
        if trace is not None:
            trace(path, len(choices))
        # A drawn choice is not drawn again at this depth if it leads to a dead end.
        untried_choices += [np.delete(choices, choice_index), list_choices(path)]
    return path


class GridOfRows(NamedTuple):
    """A grid, and the anagram indices of its rows from top to bottom."""

    grid: SudokuGrid
    indices: tuple[int, ...]


def enumerate_rows(
    limit: int | None = None,
    box: Box = (3, 3),
    *,
    trace: Callable[[tuple[int, ...]], object] | None = None,
) -> Iterator[GridOfRows]:
    """Yield the grids whose first row is 1..n, in lexicographic order; relabeling gives all others.

    This is Randall's row-by-row generator, which numbers permutations by their anagram index. A
    depth-first search extends each partial grid by every permutation that breaks no rule. Raises
    `InvalidParameterError` if `limit` is negative, and `UnsupportedError` for orders above 9.

    Parameters
    ----------
    limit : int, optional
        The number of grids after which it ends, 0 or more. By default it yields all grids.
    box : tuple of int, default (3, 3)
        Rows and columns of a box, whose product is at most 9.
    trace : callable, optional
        Called with the anagram indices of each grid, partial or full, that is taken from the stack.
        By default nothing is called.

    Examples
    --------
    >>> first = next(enumerate_rows())
    >>> first.grid.to_text()[:27], first.indices[:3]
    ('123456789456789123789123456', (0, 138690, 276480))
    """
    rows = _Rows.from_box(box)
    if limit is not None:
        limit = check_integer("the limit", limit, least=0)
    return _iterate_grids(rows, limit, trace)


def grid_by_rows(
    source: SeedLike = None, *, box: Box = (3, 3), trace: DescentTrace | None = None
) -> SudokuGrid:
    """Make a grid row by row; each row is drawn from all rows that fit below the rows above it.

    Each row needs one draw. If no row fits below a row, that row is excluded and drawn again. Grids
    are not uniform, since rows that can be completed in few ways are as likely as others. Raises
    `UnsupportedError` for orders above 9.

    Parameters
    ----------
    source : RandomSource or int, optional
        A stream of draws, a seed, or by default the system.
    box : tuple of int, default (3, 3)
        Rows and columns of a box, whose product is at most 9.
    trace : callable, optional
        Called with the anagram indices of each partial grid, and the number of fitting untried rows
        from which its last row was drawn. By default nothing is called.
    """
    rows = _Rows.from_box(box)
    return rows.make_grid(
        random_descent(rows.list_fitting_rows, rows.table.shape[1], as_source(source), trace=trace)
    )


@dataclass(frozen=True, eq=False)
class _Rows:
    """All rows of an order, and the digits of each row in each stack, as bits."""

    box: Box
    table: NDArray[np.uint8]
    stacks: IntArray

    @classmethod
    def from_box(cls, box: Box) -> "_Rows":
        rows, columns = box = check_box(box)
        table = anagrams(rows * columns)
        # A box of one column is part of a column, which is tested anyway.
        stacks = (
            make_set_masks(table.reshape(-1, rows, columns), rows * columns)
            if columns > 1
            else np.zeros(len(table), int)
        )
        return cls(box, table, stacks)

    def filter_columns(self, candidates: IntArray, row: int) -> IntArray:
        """Return the candidates that differ from a row in every column."""
        differing_rows: IntArray = candidates[
            (self.table[candidates] != self.table[row]).all(axis=1)
        ]
        return differing_rows

    def filter_boxes(self, candidates: IntArray, rows: tuple[int, ...]) -> IntArray:
        """Return the candidates that repeat no digit in the boxes that `rows` have begun."""
        band_rows = rows[len(rows) - len(rows) % self.box[0] :]
        if not band_rows:
            return candidates
        used_digits = np.bitwise_or.reduce(self.stacks[list(band_rows)])
        fitting_rows: IntArray = candidates[self.stacks[candidates] & used_digits == 0]
        return fitting_rows

    def list_fitting_rows(self, rows: tuple[int, ...]) -> IntArray:
        """Return the rows that fit below `rows`."""
        candidates = self.filter_boxes(np.arange(len(self.table)), rows)
        for row in rows:
            candidates = self.filter_columns(candidates, row)
        return candidates

    def make_grid(self, rows: tuple[int, ...]) -> SudokuGrid:
        return SudokuGrid.wrap_valid(self.table[list(rows)].astype(np.int32), self.box)


def _iterate_grids(
    rows: _Rows, limit: int | None, trace: Callable[[tuple[int, ...]], object] | None
) -> Iterator[GridOfRows]:
    """Yield full grids from a depth-first search, whose stack contains partial grids.

    Each partial grid is stored with the rows that fit the columns of all its rows except the last.
    """
    stack: list[tuple[tuple[int, ...], IntArray]] = [((0,), np.arange(len(rows.table)))]
    count = 0
    while stack and count != limit:
        indices, candidates = stack.pop()
        if trace is not None:
            trace(indices)
        if len(indices) == rows.table.shape[1]:
            count += 1
            yield GridOfRows(rows.make_grid(indices), indices)
            continue
        column_candidates = rows.filter_columns(candidates, indices[-1])
        next_rows = rows.filter_boxes(column_candidates, indices)[::-1].tolist()
        stack += [((*indices, row), column_candidates) for row in next_rows]


def grid_by_cells(
    source: SeedLike = None,
    *,
    box: Box = (3, 3),
    trace: Callable[[int, int, bool], object] | None = None,
) -> SudokuGrid:
    """Make a grid cell by cell in reading order; no placed digit is removed later.

    A digit is kept only if the grid can still be completed. Grids are not equally likely, as in
    `grid_by_rows`. Orders up to 16 take moments. Raises `UnsupportedError` for orders above 64, and
    `UndecidedError` if the search for a completion fails too often. For each cell, `source` draws
    the order in which digits are tried, and then the random choices of each search.

    Parameters
    ----------
    source : RandomSource or int, optional
        A stream of draws, a seed, or by default the system.
    box : tuple of int, default (3, 3)
        Rows and columns of a box, whose product is at most 64.
    trace : callable, optional
        Called for each digit that is tried, with the cell (from 0 in reading order), the digit
        (from 0), and whether it is kept. By default nothing is called.
    """
    box = check_box(box)
    check_digit_count(box[0] * box[1])
    variant = Variant.standard(box)
    filled_cells = np.full(len(variant.cells), -1, dtype=np.int32)
    last_completion = filled_cells.copy()
    source = as_source(source)
    for cell in range(len(filled_cells)):
        for digit in source.permutations([variant.digits]).tolist():
            if digit in filled_cells[variant.peers(cell)]:
                continue
            filled_cells[cell] = digit
            # If the last completion has this digit in the cell, no new search is needed.
            completion = (
                last_completion
                if last_completion[cell] == digit
                else fill_open_cells(variant, source, givens=filled_cells)
            )
            if trace is not None:
                trace(cell, digit, completion is not None)
            if completion is not None:
                last_completion = completion
                break
    return SudokuGrid.wrap_valid(filled_cells.reshape(variant.digits, variant.digits), box)


# The band and stack of each box, in the order of filling.
_BOX_ORDER = ((0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (1, 2), (2, 0), (2, 1), (2, 2))


def grid_by_boxes(
    source: SeedLike = None, *, trace: Callable[[int, int, int, int], object] | None = None
) -> SudokuGrid:
    """Make a 9x9 grid box by box; each box is drawn from all boxes that fit the earlier ones.

    Each box needs one draw. Grids are not equally likely, as in `grid_by_rows`.

    Parameters
    ----------
    source : RandomSource or int, optional
        A stream of draws, a seed, or by default the system.
    trace : callable, optional
        Called with the band, stack and anagram index (row by row) of each box, and the number of
        fitting untried boxes from which it was drawn. By default nothing is called.
    """
    boxes = get_all_boxes()

    def report_box(path: tuple[int, ...], choice_count: int) -> None:
        if trace is not None:
            trace(*_BOX_ORDER[len(path) - 1], path[-1], choice_count)

    path = random_descent(
        boxes.list_next_boxes, len(_BOX_ORDER), as_source(source), trace=report_box
    )
    cells = np.empty((3, 3, 3, 3), dtype=np.int32)
    for (band, stack), box in zip(_BOX_ORDER, path, strict=True):
        cells[band, :, stack] = boxes.table[box].reshape(3, 3)
    return SudokuGrid.wrap_valid(cells.reshape(9, 9), (3, 3))


class Boxes(NamedTuple):
    """All 9! boxes in lexicographic order, with the digits of their rows and columns as bits."""

    table: NDArray[np.uint8]
    rows: IntArray
    columns: IntArray

    def list_fitting_boxes(self, rows: int | np.int64, columns: int | np.int64) -> IntArray:
        """Return the boxes without any of these digits in the same row or column."""
        return np.flatnonzero((self.rows & rows | self.columns & columns) == 0)

    def make_column_key(self, box: int) -> bytes:
        """Return the digits of a box column by column, as a sort key."""
        digits: bytes = self.table[box].reshape(3, 3).T.tobytes()
        return digits

    def list_next_boxes(self, path: tuple[int, ...]) -> IntArray:
        """Return the boxes that fit at the next place in `_BOX_ORDER`."""
        if len(path) == len(_BOX_ORDER):
            return np.empty(0, dtype=np.int64)
        band, stack = _BOX_ORDER[len(path)]
        rows = columns = np.int64(0)
        for (placed_band, placed_stack), box in zip(_BOX_ORDER, path, strict=False):
            rows |= self.rows[box] if placed_band == band else 0
            columns |= self.columns[box] if placed_stack == stack else 0
        return self.list_fitting_boxes(rows, columns)


@cache
def get_all_boxes() -> Boxes:
    """Return all boxes; they are computed once."""
    table = anagrams(9)
    squares = table.reshape(-1, 3, 3)
    return Boxes(table, make_set_masks(squares, 9), make_set_masks(squares.swapaxes(1, 2), 9))


def fitting_boxes(
    *, beside: Sequence[ArrayLike] = (), below: Sequence[ArrayLike] = ()
) -> NDArray[np.int32]:
    """Return all boxes of a 9x9 grid that fit next to and below other boxes.

    The result has shape (N, 3, 3) and digits 1..9; boxes are in lexicographic order of their digits
    row by row. Raises `InvalidGridError` if an argument is not a box.

    Parameters
    ----------
    beside, below : sequence of array_like of shape (3, 3), optional
        Boxes in the same band, and boxes in the same stack, each with the digits 1..9. By default
        none, so that all 9! boxes fit.

    Examples
    --------
    >>> first = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    >>> right = fitting_boxes(beside=[first])
    >>> len(right), right[0].tolist()
    (12096, [[4, 5, 6], [7, 8, 9], [1, 2, 3]])
    """
    boxes = get_all_boxes()
    rows = columns = np.int64(0)
    for given_boxes, direction in ((beside, "beside"), (below, "below")):
        for given_box in given_boxes:
            box = convert_to_integers(given_box)
            if box.shape != (3, 3) or sorted(box.ravel().tolist()) != list(range(1, 10)):
                raise InvalidGridError("a box has three rows, and each digit 1 to 9 once")
            index = anagram_index((box - 1).ravel().tolist())
            if direction == "beside":
                rows |= boxes.rows[index]
            else:
                columns |= boxes.columns[index]
    return (
        boxes.table[boxes.list_fitting_boxes(rows, columns)].reshape(-1, 3, 3).astype(np.int32) + 1
    )


# The mask of three sets of nine digits, for the rows or the columns of a box.
_ALL_DIGITS_MASK = (1 << 27) - 1
_SET_SIZES = np.array([mask.bit_count() for mask in range(1 << 9)], dtype=np.int32)


@dataclass(frozen=True, kw_only=True)
class BoxByBox:
    """The counts of `box_by_box`, which places the first fitting box before each next count."""

    right: int  #: Boxes that fit to the right of the first box.
    below: int  #: Boxes that fit below the first box.
    pairs: int  #: Pairs of a box to the right and a box below.
    center: int  #: Boxes that fit in the center, given the first boxes to the right and below.
    top_right: int  #: Boxes that fit at the top right, next to the first two boxes.
    #: The different numbers, except 0, of boxes that fit below each box at the top right.
    under_each: tuple[int, ...]
    right_columns: int  #: All pairs of a box at the top right and a box below it.
    distinct: int  #: The number of different boxes below the boxes at the top right.
    bottom_left: int  #: Boxes that fit at the bottom left, below the first two boxes.
    usable: int  #: Boxes at the bottom left next to which some box fits.
    #: The different numbers, except 0, of boxes that fit next to each box at the bottom left.
    beside_each: tuple[int, ...]
    bottom_rows: int  #: All pairs of a box at the bottom left and a box next to it.
    #: Pairs of a bottom row and a right column, two boxes each, for which every cell of the last
    #: box has a candidate. Each row then has one digit in common with each column, so a pair
    #: gives one grid.
    completions: int
    #: The numbers of center boxes for random pairs of boxes to the right and below.
    sampled: tuple[int, ...]

    @property
    def estimate(self) -> float:
        """Return an estimate of the number of all grids, from the mean of the sampled numbers."""
        mean_center_count = sum(self.sampled) / len(self.sampled)
        return factorial(9) * self.pairs * mean_center_count * self.completions


def box_by_box(source: SeedLike = None, *, samples: int = 200) -> BoxByBox:
    """Count the boxes that fit at each place, when the first box is 123/456/789.

    For each sampled pair, `source` draws a box to the right and then a box below. The order of
    boxes is by rows, and of boxes below the first box by columns. McCormick's count gives the same
    values, and about 7.17e21 grids.

    Parameters
    ----------
    source : RandomSource or int, optional
        A stream of draws, a seed, or by default the system.
    samples : int, default 200
        The number of pairs of boxes that are sampled, 1 or more.

    Examples
    --------
    >>> report = box_by_box(1, samples=10)
    >>> report.right, report.pairs, report.center, report.completions
    (12096, 146313216, 392, 337536)
    """
    samples = check_integer("the number of samples", samples, least=1)
    source = as_source(source)
    boxes = get_all_boxes()
    rows, columns = boxes.rows, boxes.columns
    right_boxes, lower_boxes = (
        boxes.list_fitting_boxes(rows[0], 0),
        boxes.list_fitting_boxes(0, columns[0]),
    )
    right_box, lower_box = right_boxes[0], min(lower_boxes, key=boxes.make_column_key)
    center_boxes = boxes.list_fitting_boxes(rows[lower_box], columns[right_box])
    center = center_boxes[0]
    sampled_counts = []
    for _ in range(samples):
        drawn_right_box = right_boxes[source.below(len(right_boxes))]
        drawn_lower_box = lower_boxes[source.below(len(lower_boxes))]
        sampled_counts.append(
            len(boxes.list_fitting_boxes(rows[drawn_lower_box], columns[drawn_right_box]))
        )

    top_boxes = boxes.list_fitting_boxes(rows[0] | rows[right_box], 0)
    boxes_by_top_box = [
        boxes.list_fitting_boxes(rows[lower_box] | rows[center], columns[box]) for box in top_boxes
    ]
    right_column_masks = [
        columns[box] | columns[right_set]
        for box, right_set in zip(top_boxes, boxes_by_top_box, strict=True)
    ]
    left_boxes = boxes.list_fitting_boxes(0, columns[0] | columns[lower_box])
    boxes_beside_each = [
        boxes.list_fitting_boxes(rows[box], columns[right_box] | columns[center])
        for box in left_boxes
    ]
    bottom_row_masks = [
        rows[box] | rows[right_set]
        for box, right_set in zip(left_boxes, boxes_beside_each, strict=True)
    ]
    counts_under_each, counts_beside_each = (
        [len(right_set) for right_set in sets] for sets in (boxes_by_top_box, boxes_beside_each)
    )
    return BoxByBox(
        right=len(right_boxes),
        below=len(lower_boxes),
        pairs=len(right_boxes) * len(lower_boxes),
        center=len(center_boxes),
        top_right=len(top_boxes),
        under_each=tuple(sorted(set(counts_under_each) - {0})),
        right_columns=sum(counts_under_each),
        distinct=len(np.unique(np.concatenate(boxes_by_top_box))),
        bottom_left=len(left_boxes),
        usable=sum(size > 0 for size in counts_beside_each),
        beside_each=tuple(sorted(set(counts_beside_each) - {0})),
        bottom_rows=sum(counts_beside_each),
        completions=_count_meeting_pairs(
            _ALL_DIGITS_MASK ^ np.concatenate(bottom_row_masks),
            _ALL_DIGITS_MASK ^ np.concatenate(right_column_masks),
        ),
        sampled=tuple(sampled_counts),
    )


def center_counts() -> dict[int, int]:
    """Map each number of fitting center boxes to the number of pairs of neighbors that give it.

    >>> counts = center_counts()
    >>> min(counts), max(counts), sum(counts.values())
    (384, 448, 146313216)
    """
    boxes = get_all_boxes()
    right_boxes, lower_boxes = (
        boxes.list_fitting_boxes(boxes.rows[0], 0),
        boxes.list_fitting_boxes(0, boxes.columns[0]),
    )
    column_masks, column_counts = np.unique(boxes.columns[right_boxes], return_counts=True)
    row_masks, row_counts = np.unique(boxes.rows[lower_boxes], return_counts=True)
    # The number of center boxes depends on how many digits each row below shares with each column
    # to the right.
    codes = np.zeros((len(row_masks), len(column_masks)), dtype=np.int32)
    for row in _split_masks(row_masks).T:
        for column in _split_masks(column_masks).T:
            codes = 4 * codes + _SET_SIZES[row[:, None] & column]
    _, first_indexes, code_indexes = np.unique(
        codes.reshape(-1), return_index=True, return_inverse=True
    )
    pairs = np.bincount(code_indexes, weights=np.outer(row_counts, column_counts).reshape(-1))
    counts: Counter[int] = Counter()
    for first, weight in zip(first_indexes.tolist(), pairs.tolist(), strict=True):
        row_index, column_index = divmod(first, len(column_masks))
        counts[len(boxes.list_fitting_boxes(row_masks[row_index], column_masks[column_index]))] += (
            int(weight)
        )
    return dict(counts)


def _split_masks(masks: IntArray) -> IntArray:
    """Return the three sets of digits in each mask."""
    digit_sets: IntArray = masks[:, None] >> np.array([0, 9, 18]) & 511
    return digit_sets


def _count_meeting_pairs(rows: IntArray, columns: IntArray) -> int:
    """Count the pairs in which every row set shares a digit with every column set."""
    is_meeting_pair = np.ones((len(rows), len(columns)), dtype=bool)
    for row in _split_masks(rows).T:
        for column in _split_masks(columns).T:
            is_meeting_pair &= row[:, None] & column != 0
    return int(is_meeting_pair.sum())
