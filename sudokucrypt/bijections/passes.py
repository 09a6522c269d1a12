"""The passes: each moves the units of the window by one Sudoku bijection.

A pass cuts the window into segments (bands or stacks) that are moved each on its own, in place, so
it needs room for a few segments only and never an index of the whole image, and threads can share
them. It leaves the remainder behind the window alone.

A stack pass reads the pieces of one stack, q units of each row, and writes as many rows to the same
memory. So layouts take turns: in *raster* order, piece m of row i p + j is in row i p + j, and in
the *banded* layout in row i p + m, at the place of piece j.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from sudokucrypt.kernels import load_kernels
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
