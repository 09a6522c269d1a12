"""Keyed permutations of N units: their layout, and the passes that are drawn from a key.

A pass moves the units of the window by one Sudoku bijection. It divides the window into segments
(bands or stacks) that are moved separately and in place. So it needs memory for a few segments, but
no index of the whole image, and threads can share the segments. The remainder, the units after the
window, is not moved by passes.

A stack pass reads the pieces of one stack, q units of each row, and writes q whole rows of n units
to the same memory. This alternates between two layouts. In *raster* order, piece m of row i p + j
is in row i p + j. In the *banded* layout it is in row i p + m, at the place of piece j.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import isqrt
from typing import TYPE_CHECKING, Self

import numpy as np

from sudokucrypt.draws import StreamDraws
from sudokucrypt.errors import InvalidKeyError, InvalidParameterError
from sudokucrypt.kernels import load_kernels
from sudokucrypt.keys import Key
from sudokucrypt.options import check_integer
from sudokucrypt.typing import AnyArray, Box, IntArray, RandomSource
from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from sudokucrypt.bijections._kernels import passes_plain as _kernels
else:
    _kernels = load_kernels("sudokucrypt.bijections._kernels", "passes")

# The number of random values that are drawn together for grids: enough to make the overhead of
# Python small, in at most 512 KiB of memory.
_NUMBERS_PER_DRAW = 1 << 16


def sample_grids(box: Box, count: int, source: RandomSource) -> IntArray:
    """Draw the same grids as repeated calls of `ParametricGrid.random`, in few requests.

    Whether a square grid is transposed is drawn as a permutation of two, which uses the same words
    of the stream as a draw below 2. The result contains alpha, beta and sigma of each grid: shape
    (count, 3, n), dtype int64.
    """
    (p, q), n = box, box[0] * box[1]
    sizes = [q, *[p] * q, p, *[q] * p, n] + [2] * (p == q)
    grids, chunk_size = np.empty((count, 3, n), dtype=np.int64), max(1, _NUMBERS_PER_DRAW // n)
    for chunk_start in range(0, count, chunk_size):
        grid_count = min(chunk_size, count - chunk_start)
        drawn_orders = source.permutations(sizes * grid_count).reshape(grid_count, -1)
        grids[chunk_start : chunk_start + grid_count] = _kernels.grids(drawn_orders, box)
    return grids


@dataclass(frozen=True, eq=False)
class RowPass:
    """A row pass (row-digit): in each row r, the unit in column c moves to column S[r, c]."""

    box: Box  # rows p and columns q of a box
    grid: IntArray  # its grid, as `sample_grids` returns it; shape (3, n), dtype int64

    def move(
        self,
        source: AnyArray,
        target: AnyArray,
        workers: Workers,
        *,
        undo: bool = False,
        is_banded: bool,
    ) -> None:
        """Write the units of `source` to their new places in `target`, which may be `source`.

        With `undo`, write them back to their old places. With `is_banded`, the moved units are in
        the banded layout, otherwise in raster order; unmoved units always are in raster order. The
        remainder is copied unchanged.
        """
        _copy_remainder(source, target, self.box)
        workers.share(
            self.box[1],
            lambda start, stop: _kernels.move_rows(
                source, target, start, stop, self.grid, self.box, undo, is_banded
            ),
        )

    def move_positions(self, positions: IntArray) -> IntArray:
        """Return the new positions of the units at `positions`, within the window or after it."""
        if not len(positions):
            return positions
        alpha, beta, sigma = self.grid
        order = len(sigma)
        rows, columns = _divide(positions, order)
        is_in_window = rows < order
        # Repeating sigma avoids reducing the sum modulo n.
        digits = np.tile(sigma, 2)[alpha[rows * is_in_window] + beta[columns]]
        return np.where(is_in_window, rows * order + digits, positions)


@dataclass(frozen=True, eq=False)
class StackPass:
    """A column pass, a block pass and, if another round follows, its row pass, fused into one.

    Column pass (digit-column): in each column c, the unit in row r moves to row S[r, c]. Block pass
    (block-digit): the unit in band i and stack j with digit d moves to row i * p + j, column d.
    """

    box: Box  # rows p and columns q of a box
    # The grids of the passes, as `sample_grids` returns them. Shape (2, 3, n) or (3, 3, n), dtype
    # int64.
    grids: IntArray

    def move(
        self,
        source: AnyArray,
        target: AnyArray,
        workers: Workers,
        *,
        undo: bool = False,
        is_banded: bool,
    ) -> None:
        """Write the units of `source` to their new places in `target`, which may be `source`.

        With `undo`, write them back to their old places. With `is_banded`, the unmoved units are in
        the banded layout and the moved units in raster order; otherwise it is the reverse. The
        remainder is copied unchanged.
        """
        _copy_remainder(source, target, self.box)
        workers.share(
            self.box[0],
            lambda start, stop: _kernels.move_stacks(
                source, target, start, stop, self.grids, self.box, undo, is_banded
            ),
        )


@dataclass(frozen=True, eq=False)
class RemainderExchange:
    """Exchanges of the units of the remainder, one by one, with units at or before their position.

    Beginning with the last position of all and going backward, the unit at each position is
    exchanged with the unit at the next of `partners`.
    """

    partners: IntArray

    def apply(self, units: AnyArray) -> None:
        """Exchange the units in place."""
        _kernels.exchange(units, self.partners, undo=False)

    def invert(self, units: AnyArray) -> None:
        """Undo the exchanges in place."""
        _kernels.exchange(units, self.partners, undo=True)

    def to_banded(self, box: Box) -> Self:
        """Return the same exchanges for a picture whose window is in the banded layout."""
        if not len(self.partners):
            return self
        (p, q), n = box, box[0] * box[1]
        rows, columns = _divide(self.partners, n)
        (bands, rows_in_box), (stacks, columns_in_box) = _divide(rows, p), _divide(columns, q)
        partners = (bands * p + stacks) * n + rows_in_box * q + columns_in_box
        return type(self)(np.where(rows < n, partners, self.partners))


def _copy_remainder(source: AnyArray, target: AnyArray, box: Box) -> None:
    """Copy the units after the window, which kernels neither read nor write."""
    window_size = (box[0] * box[1]) ** 2
    if target is not source:
        target[window_size:] = source[window_size:]


def _divide(dividends: IntArray, divisor: int) -> tuple[IntArray, IntArray]:
    """Return quotients and remainders, faster than `np.divmod`."""
    quotients = dividends // divisor
    return quotients, dividends - quotients * divisor


# The fewest units of a layout. With fewer, the order would be 4, which has only 288 grids.
MIN_UNIT_COUNT = 36

# Bytes of the smallest pages of memory.
_PAGE_BYTES = 4096

# Sizes of units, in bytes, that passes move with vector instructions. For other sizes, passes move
# an index of each unit, and then each unit is copied once. This takes a third of the time, since a
# pass would copy each unit five times.
_VECTOR_SIZES = frozenset((1, 2, 3, 4, 6, 8))

MAX_UNIT_COUNT = 2**62  # the sum of two indexes still fits in 64 bits
# The limit of the specification; more rounds would take time and mix no better.
MAX_ROUNDS = 255
# Pairs of a number of units and a number of rounds: from this number of units on, this number of
# rounds passes every test of uniformity.
_DEFAULT_ROUNDS = ((1 << 20, 2), (4096, 3), (1, 4))


@dataclass(frozen=True)
class RasterLayout:
    """A window of n rows of n units, with the largest n = p * q that fits and has p <= q <= 2p."""

    box: Box  #: Rows p and columns q of a box, p <= q <= 2p; n = p * q.
    remainder: int  #: Number of units after the window.

    @classmethod
    @lru_cache(maxsize=64)
    def for_count(cls, count: int) -> "RasterLayout":
        """Return the layout of `count` units, or raise an error below `MIN_UNIT_COUNT` units."""
        if count < MIN_UNIT_COUNT:
            raise InvalidParameterError(
                f"a layout needs at least {MIN_UNIT_COUNT} units, not {count}"
            )
        order = isqrt(count)
        while (box := _choose_balanced_box(order)) is None:
            order -= 1
        return cls(box, count - order * order)

    @property
    def order(self) -> int:
        """The order n of the grids, and the side of the window."""
        return self.box[0] * self.box[1]


def _choose_balanced_box(order: int) -> Box | None:
    """Return the most nearly square box (p, q) of `order` with p <= q <= 2p, or None."""
    box_rows = isqrt(order)
    while box_rows > 1 and order % box_rows:
        box_rows -= 1
    box_columns = order // box_rows
    return (box_rows, box_columns) if box_rows > 1 and box_columns <= 2 * box_rows else None


def chosen_rounds(rounds: int | None, count: int) -> int:
    """Return `rounds` if it is in 1..255; for None, the default number for `count` units.

    The default is enough for maps to pass every test of uniformity: 2 rounds from 2**20 units on, 3
    from 4096 on, and 4 below.

    Parameters
    ----------
    rounds : int or None
        The number of rounds, 1..255, or None for the default.
    count : int
        The number of units, 1 or more.
    """
    if rounds is None:
        return next(
            default_rounds for min_count, default_rounds in _DEFAULT_ROUNDS if count >= min_count
        )
    return check_integer("rounds", rounds, most=MAX_ROUNDS)


class UnitPermutation:
    """A permutation of N units as a sequence of passes.

    It consists of `rounds` rounds (1..255) of the three Sudoku rules. Fewer than 36 units are
    shuffled directly instead. Grids and partners are drawn from `source`, in the order of
    docs/spec/scrambling-v1.md.
    """

    def __init__(self, count: int, rounds: int, source: RandomSource) -> None:
        self._shuffled_order: IntArray | None = None
        if count < MIN_UNIT_COUNT:
            self._shuffled_order = source.permutations([count])
            return
        layout = RasterLayout.for_count(count)
        partners = source.below_each(np.arange(count, count - layout.remainder, -1))
        grids = sample_grids(layout.box, 3 * rounds, source)
        self._first_pass = RowPass(layout.box, grids[0])
        # The specification exchanges the remainder once, before the rounds. Passes never move the
        # remainder, so only this exchange makes all units equally likely there. Here the exchange
        # follows the first row pass, with the partners at their new positions. The result is the
        # same, and the first pass can write from source to target.
        self._remainder_exchange = RemainderExchange(self._first_pass.move_positions(partners))
        self._stack_passes = [
            StackPass(layout.box, grids[start : start + 3]) for start in range(1, len(grids), 3)
        ]

    def apply(self, source: AnyArray, target: AnyArray, workers: Workers) -> None:
        """Write the scrambled units of `source` to `target`, which may be the same memory.

        Both are contiguous arrays of shape (N,) with items of any type.
        """
        if self._shuffled_order is not None:
            target[...] = source[self._shuffled_order]
            return
        if source.itemsize not in _VECTOR_SIZES:
            _gather_units(source, target, self._compute_indexes(len(source), workers), workers)
            return
        # Each stack pass changes the layout, and the last one ends in raster order.
        is_banded = len(self._stack_passes) % 2 == 1
        self._first_pass.move(source, target, workers, is_banded=is_banded)
        self._get_remainder_exchange(is_banded=is_banded).apply(target)
        for stack_pass in self._stack_passes:
            stack_pass.move(target, target, workers, is_banded=is_banded)
            is_banded = not is_banded

    def invert(self, source: AnyArray, target: AnyArray, workers: Workers) -> None:
        """Undo `apply`: write to `target` the units from which `apply` made `source`."""
        if self._shuffled_order is not None:
            target[self._shuffled_order] = source.copy()
            return
        if source.itemsize not in _VECTOR_SIZES:
            indexes = self._compute_indexes(len(source), workers)
            inverse_indexes = np.empty_like(indexes)
            inverse_indexes[indexes] = np.arange(len(indexes), dtype=indexes.dtype)
            _gather_units(source, target, inverse_indexes, workers)
            return
        if not np.may_share_memory(source, target):
            _clear_pages(target, workers)
        current_units, is_banded = source, False
        for stack_pass in reversed(self._stack_passes):
            is_banded = not is_banded
            stack_pass.move(current_units, target, workers, undo=True, is_banded=is_banded)
            current_units = target
        self._get_remainder_exchange(is_banded=is_banded).invert(target)
        self._first_pass.move(target, target, workers, undo=True, is_banded=is_banded)

    def _compute_indexes(self, count: int, workers: Workers) -> AnyArray:
        """Return for each position the index of the unit that `apply` moves there."""
        indexes: AnyArray = np.arange(count, dtype=np.uint32 if count <= 1 << 32 else np.int64)
        self.apply(indexes, indexes, workers)
        return indexes

    def _get_remainder_exchange(self, *, is_banded: bool) -> RemainderExchange:
        return (
            self._remainder_exchange.to_banded(self._first_pass.box)
            if is_banded
            else self._remainder_exchange
        )


def _gather_units(source: AnyArray, target: AnyArray, indexes: AnyArray, workers: Workers) -> None:
    """Write to `target` the units of `source` at these indexes."""
    if np.may_share_memory(source, target):
        source = source.copy()

    def gather_range(first: int, end: int) -> None:
        # Every index is in range, but only the mode "clip" writes to the target without a buffer.
        np.take(source, indexes[first:end], out=target[first:end], mode="clip")

    workers.share(len(indexes), gather_range)


def _clear_pages(units: AnyArray, workers: Workers) -> None:
    """Write to every page of new memory, which makes the system clear the page.

    Here each thread clears a separate range of pages. Threads that later scatter units over all
    pages would otherwise wait for each other.
    """
    pages = units.view(np.uint8)[::_PAGE_BYTES]

    def clear_range(first_page: int, end_page: int) -> None:
        pages[first_page:end_page] = 0

    if workers.threads > 1:
        workers.share(len(pages), clear_range)


def permutation(
    count: int, key: Key, *, nonce: bytes, rounds: int | None = None, threads: int | None = None
) -> IntArray:
    """Return the whole keyed map of `count` units, for study and tests.

    Raises `InvalidKeyError` if `key` is not a `Key`, and `InvalidParameterError` if `count` or
    `rounds` is out of range, or `nonce` is not bytes.

    Images are never scrambled by these maps, so publishing one reveals nothing about an image;
    `picture_permutation` returns the map of an image. The result has dtype int64:
    ``scrambled = flat[perm]``, and ``scrambled[invert(perm)]`` undoes it.

    Parameters
    ----------
    count : int
        The number of units, at least 1.
    key : Key
        The key from which the map is drawn.
    nonce : bytes
        The name of this map; each nonce gives another map of the same key.
    rounds : int, optional
        The number of rounds, 1..255. By default 2 from 2**20 units on, 3 from 4096 on, 4 below.
    threads : int, optional
        How many threads share the work; the result never depends on it.

    Examples
    --------
    >>> from sudokucrypt import Key
    >>> perm = permutation(100, Key.generate(), nonce=b"first")
    >>> sorted(perm.tolist()) == list(range(100))
    True
    """
    if not isinstance(key, Key):
        raise InvalidKeyError("a map is drawn from a Key, not from the key of one picture")
    if not isinstance(nonce, bytes):
        raise InvalidParameterError(f"nonce must be bytes, not {type(nonce).__name__}")
    count = check_integer("count", count, most=MAX_UNIT_COUNT)
    draws = StreamDraws(key.stream("map", nonce))
    unit_permutation = UnitPermutation(count, chosen_rounds(rounds, count), draws)
    indices = np.arange(count, dtype=np.int64)
    with Workers(threads, work_bytes=indices.nbytes) as workers:
        unit_permutation.apply(indices, indices, workers)
    return indices
