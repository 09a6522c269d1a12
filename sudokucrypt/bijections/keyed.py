"""Keyed permutations of N units: their layout, the passes that are drawn for it, and their work.

A pass moves the units of the window by one Sudoku bijection. It cuts the window into segments
(bands or stacks) that are moved each on its own, in place, so it needs room for a few segments only
and never an index of the whole image, and threads can share them. It leaves the remainder behind
the window as it is.

A stack pass reads the pieces of one stack, q units of each row, and writes as many rows to the same
memory. So layouts take turns: in *raster* order, piece m of row i p + j is in row i p + j, and in
the *banded* layout in row i p + m, at the place of piece j.
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
from sudokucrypt.options import checked_integer
from sudokucrypt.typing import AnyArray, Box, IntArray, RandomSource
from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from sudokucrypt.bijections._kernels import passes_plain as _kernels
else:
    _kernels = load_kernels("sudokucrypt.bijections._kernels", "passes")

# Numbers of grids that are drawn together: enough that Python's share of the time is small, and no
# more than 512 KiB of memory.
_AT_ONCE = 1 << 16


def sample_grids(box: Box, count: int, source: RandomSource) -> IntArray:
    """Draw grids as `ParametricGrid.random` would, one after the other, in few requests.

    Whether a square grid is transposed, a draw below 2, is asked for as a permutation of two: that
    takes the same words of the stream. The result has for each grid its alpha, beta and sigma:
    shape (count, 3, n), dtype int64.
    """
    (p, q), n = box, box[0] * box[1]
    sizes = [q, *[p] * q, p, *[q] * p, n] + [2] * (p == q)
    grids, step = np.empty((count, 3, n), dtype=np.int64), max(1, _AT_ONCE // n)
    for start in range(0, count, step):
        some = min(step, count - start)
        drawn = source.permutations(sizes * some).reshape(some, -1)
        grids[start : start + some] = _kernels.grids(drawn, box)
    return grids


@dataclass(frozen=True, eq=False)
class RowPass:
    """Row-digit: in each row r, column c goes to column S[r, c]."""

    box: Box  # rows p and columns q of a box
    grid: IntArray  # its grid, as `sample_grids` returns it; shape (3, n), dtype int64

    def move(
        self,
        source: AnyArray,
        target: AnyArray,
        workers: Workers,
        *,
        undo: bool = False,
        banded: bool = False,
    ) -> None:
        """Write the units of `source` to their new places in `target`, which may be `source`.

        With `undo`, write them back to their old ones. What is moved is in the banded layout if
        asked, what is not in raster order. The remainder stays.
        """
        _keep_remainder(source, target, self.box)
        workers.share(
            self.box[1],
            lambda start, stop: _kernels.move_rows(
                source, target, start, stop, self.grid, self.box, undo, banded
            ),
        )

    def move_positions(self, positions: IntArray) -> IntArray:
        """Return where the units at `positions`, inside the window or behind it, go."""
        if not len(positions):
            return positions
        alpha, beta, sigma = self.grid
        n = len(sigma)
        rows, columns = _divide(positions, n)
        inside = rows < n
        # Two periods of sigma in a row save the remainder modulo n.
        digits = np.tile(sigma, 2)[alpha[rows * inside] + beta[columns]]
        return np.where(inside, rows * n + digits, positions)


@dataclass(frozen=True, eq=False)
class StackPass:
    """A column pass, a block pass and, if another round follows, its row pass, fused into one.

    Digit-column: in each column c, row r goes to row S[r, c]. Block-digit: the cell in band i,
    stack j with digit d goes to row i * p + j, column d.
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
        banded: bool = False,
    ) -> None:
        """Write the units of `source` to their new places in `target`, which may be `source`.

        With `undo`, write them back to their old ones. Before they are moved, units are in raster
        order or in the banded layout, and moved in the other one. The remainder stays.
        """
        _keep_remainder(source, target, self.box)
        workers.share(
            self.box[0],
            lambda start, stop: _kernels.move_stacks(
                source, target, start, stop, self.grids, self.box, undo, banded
            ),
        )


@dataclass(frozen=True, eq=False)
class RemainderExchange:
    """The remainder exchanges its units, one after the other, with units anywhere before them.

    From the last position of all backwards, each takes the unit at the next of `partners` and gives
    its own for it.
    """

    partners: IntArray

    def apply(self, units: AnyArray) -> None:
        """Exchange in place."""
        _kernels.exchange(units, self.partners, undo=False)

    def invert(self, units: AnyArray) -> None:
        """Exchange back in place."""
        _kernels.exchange(units, self.partners, undo=True)

    def to_banded(self, box: Box) -> Self:
        """Return the same exchange of a picture whose window is in the banded layout."""
        if not len(self.partners):
            return self
        (p, q), n = box, box[0] * box[1]
        rows, columns = _divide(self.partners, n)
        (bands, downs), (stacks, across) = _divide(rows, p), _divide(columns, q)
        partners = (bands * p + stacks) * n + downs * q + across
        return type(self)(np.where(rows < n, partners, self.partners))


def _keep_remainder(source: AnyArray, target: AnyArray, box: Box) -> None:
    """Copy what is behind the window, which kernels neither read nor write."""
    window = (box[0] * box[1]) ** 2
    if target is not source and len(source) > window:
        target[window:] = source[window:]


def _divide(dividends: IntArray, divisor: int) -> tuple[IntArray, IntArray]:
    """Return quotients and remainders; `np.divmod` takes longer."""
    quotients = dividends // divisor
    return quotients, dividends - quotients * divisor


# Fewest units for a layout. Below, the order would be 4, which has 288 grids only.
MIN_COUNT = 36

# Bytes of the smallest pages of memory.
_PAGE = 4096

# Bytes of units that passes move in vectors. Of others an index is moved, and the units gathered by
# it once, measured to take a third of the time: a pass copies each unit five times.
_PASSED = frozenset((1, 2, 3, 4, 6, 8))

MAX_COUNT = 2**62  # indices of 64 bits hold it, with room for sums of two
# As the specification says; more would take time, and mix no better.
MAX_ROUNDS = 255
# Fewest units, and how many rounds their maps need to pass every test of uniformity.
_DEFAULT_ROUNDS = ((1 << 20, 2), (4096, 3), (1, 4))


@dataclass(frozen=True)
class RasterLayout:
    """A window of n rows of n units, n the largest order with a box of 1:1 to 1:2 that fits."""

    box: Box  #: Rows p and columns q of a box, p <= q <= 2p; n = p * q.
    remainder: int  #: Units behind the window.

    @classmethod
    @lru_cache(maxsize=64)
    def of(cls, count: int) -> "RasterLayout":
        """Return the layout of `count` units; `InvalidParameterError` below `MIN_COUNT`."""
        if count < MIN_COUNT:
            raise InvalidParameterError(f"a layout needs at least {MIN_COUNT} units, not {count}")
        order = isqrt(count)
        while (box := _choose_balanced_box(order)) is None:
            order -= 1
        return cls(box, count - order * order)

    @property
    def order(self) -> int:
        """The order n of the grids, and the side of the window."""
        return self.box[0] * self.box[1]


def _choose_balanced_box(order: int) -> Box | None:
    """Return the most nearly square box (p, q) of `order` with p <= q <= 2p, if there is one."""
    p = isqrt(order)
    while p > 1 and order % p:
        p -= 1
    q = order // p
    return (p, q) if p > 1 and q <= 2 * p else None


def chosen_rounds(rounds: int | None, count: int) -> int:
    """Return `rounds` if it is in 1..255; if None, what makes a map of `count` units look uniform.

    That is 2 rounds from 2**20 units on, 3 from 4096 on, and 4 below.

    Parameters
    ----------
    rounds : int or None
        The number of rounds, 1..255, or None for the default.
    count : int
        The number of units, 1 or more.
    """
    if rounds is None:
        return next(enough for fewest, enough in _DEFAULT_ROUNDS if count >= fewest)
    return checked_integer("rounds", rounds, most=MAX_ROUNDS)


class UnitPermutation:
    """A permutation of N units as a sequence of passes.

    It has `rounds`, 1..255, of the three Sudoku rules, without effect below 36 units, which are
    shuffled directly. `source` gives tables and partners, in the order of
    docs/spec/scrambling-v1.md.
    """

    def __init__(self, count: int, rounds: int, source: RandomSource) -> None:
        self._order: IntArray | None = None
        if count < MIN_COUNT:
            self._order = source.permutations([count])
            return
        layout = RasterLayout.of(count)
        exchanged = source.below_each(np.arange(count, count - layout.remainder, -1))
        grids = sample_grids(layout.box, 3 * rounds, source)
        self._first = RowPass(layout.box, grids[0])
        # The remainder is exchanged once, before the rounds: the passes never touch it, so without
        # that its units would stay, and once is enough for every unit to be there equally likely.
        # Done after the first row pass, at the positions to which that moves the partners, it is
        # the same, and the first step is a pass, which goes from one array to another.
        self._exchange = RemainderExchange(self._first.move_positions(exchanged))
        self._stacks = [
            StackPass(layout.box, grids[start : start + 3]) for start in range(1, len(grids), 3)
        ]

    def apply(self, source: AnyArray, target: AnyArray, workers: Workers) -> None:
        """Write the scrambled units of `source` to `target`, which may be the same memory.

        Both are contiguous arrays of shape (N,), regardless of their items.
        """
        if self._order is not None:
            target[...] = source[self._order]
            return
        if source.itemsize not in _PASSED:
            _gather(source, target, self._compute_indexes(len(source), workers), workers)
            return
        # Each stack pass changes the layout, and the last one ends in raster order.
        banded = len(self._stacks) % 2 == 1
        self._first.move(source, target, workers, banded=banded)
        self._exchange_in(banded=banded).apply(target)
        for step in self._stacks:
            step.move(target, target, workers, banded=banded)
            banded = not banded

    def invert(self, source: AnyArray, target: AnyArray, workers: Workers) -> None:
        """Write to `target` what `apply` made `source` from, at the same cost."""
        if self._order is not None:
            target[self._order] = source.copy()
            return
        if source.itemsize not in _PASSED:
            indexes = self._compute_indexes(len(source), workers)
            inverse = np.empty_like(indexes)
            inverse[indexes] = np.arange(len(indexes), dtype=indexes.dtype)
            _gather(source, target, inverse, workers)
            return
        if not np.may_share_memory(source, target):
            _clear_pages(target, workers)
        here, banded = source, False
        for step in reversed(self._stacks):
            banded = not banded
            step.move(here, target, workers, undo=True, banded=banded)
            here = target
        self._exchange_in(banded=banded).invert(target)
        self._first.move(target, target, workers, undo=True, banded=banded)

    def _compute_indexes(self, count: int, workers: Workers) -> AnyArray:
        """Return for each position the index of the unit that goes there."""
        indexes: AnyArray = np.arange(count, dtype=np.uint32 if count <= 1 << 32 else np.int64)
        self.apply(indexes, indexes, workers)
        return indexes

    def _exchange_in(self, *, banded: bool) -> RemainderExchange:
        return self._exchange.to_banded(self._first.box) if banded else self._exchange


def _gather(source: AnyArray, target: AnyArray, indexes: AnyArray, workers: Workers) -> None:
    """Write to `target` the units of `source` at these indexes, by which they are permuted."""
    if np.may_share_memory(source, target):
        source = source.copy()

    def gather(start: int, stop: int) -> None:
        # Every index is in range; only this mode writes to the target without a buffer between.
        np.take(source, indexes[start:stop], out=target[start:stop], mode="clip")

    workers.share(len(indexes), gather)


def _clear_pages(units: AnyArray, workers: Workers) -> None:
    """Write to every page of new memory, which the system clears at that moment.

    Threads that each take a part of the pages do not wait for each other, as they would when they
    scatter units over all of them.
    """
    pages = units.view(np.uint8)[::_PAGE]

    def clear(start: int, stop: int) -> None:
        pages[start:stop] = 0

    if workers.threads > 1:
        workers.share(len(pages), clear)


def permutation(
    count: int, key: Key, *, nonce: bytes, rounds: int | None = None, threads: int | None = None
) -> IntArray:
    """Return the whole keyed map of `count` units, for study and tests.

    Raises `InvalidKeyError` if `key` is no `Key`; and `InvalidParameterError` if `count` or
    `rounds` is out of range, or `nonce` is not bytes.

    Scrambling an image never builds this array. No image is ever scrambled by such a map, so that
    publishing one gives nothing away; `picture_permutation` returns the map of an image. The result
    has dtype int64: ``scrambled = flat[perm]``, and ``flat[invert(perm)]`` undoes it.

    Parameters
    ----------
    count : int
        How many units, at least 1.
    key : Key
        The key.
    nonce : bytes
        What sets this map apart from others of the same key.
    rounds : int, optional
        1..255. By default 2 from 2**20 units on, 3 from 4096 on, and 4 below.
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
    count = checked_integer("count", count, most=MAX_COUNT)
    draws = StreamDraws(key.stream("map", nonce))
    steps = UnitPermutation(count, chosen_rounds(rounds, count), draws)
    indices = np.arange(count, dtype=np.int64)
    with Workers(threads, work=indices.nbytes) as workers:
        steps.apply(indices, indices, workers)
    return indices
