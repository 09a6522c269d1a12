"""The passes: each moves the units of the window by one Sudoku bijection.

A pass cuts the window into segments (rows or stacks) that are moved each on its own, so it needs
room for a few segments only and never an index of the whole image, and threads can share them. It
leaves the remainder behind the window alone.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from sudokucrypt.kernels import compiled, load_kernels
from sudokucrypt.typing import AnyArray, Box, IntArray, RandomSource
from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from sudokucrypt.bijections._kernels import passes_plain as _kernels
else:
    _kernels = load_kernels("sudokucrypt.bijections._kernels", "passes")

# Whether source and target are transposed, one stack after the other in memory.
#
# Nothing stands for two pictures in raster order, which is all that the fallback knows.
MemoryOrder = tuple[()] | tuple[bool, bool]

RASTER: MemoryOrder = ()

# Numbers of grids that are drawn together: enough that Python's share of the time is small, and no
# more than 512 KiB of memory.
_AT_ONCE = 1 << 16

# Whether pictures may be transposed between two passes; in NumPy that would save nothing.
TRANSPOSES: bool = compiled()


def sample_grids(box: Box, count: int, source: RandomSource) -> IntArray:
    """Draw grids as `ParametricGrid.random` would, one after the other, in few requests.

    Whether a square grid is transposed, a draw below 2, is asked for as a permutation of two: that
    takes the same words of the stream.

    Returns
    -------
    ndarray of shape (count, 3, n), dtype int64
        For each grid its alpha, beta and sigma.
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
    """Row-digit: in each row r, column c goes to column S[r, c].

    Parameters
    ----------
    box : tuple of int
        Rows p and columns q of a box.
    grid : ndarray of shape (3, n), dtype int64
        Its grid, as `sample_grids` returns it.
    """

    box: Box
    grid: IntArray

    def move(
        self,
        source: AnyArray,
        target: AnyArray,
        workers: Workers,
        order: MemoryOrder = RASTER,
        *,
        undo: bool = False,
    ) -> None:
        """Write the units of `source` to their new places in `target`, which may be `source`.

        With `undo`, write them back to their old ones. The remainder stays.
        """
        n = self.grid.shape[1]
        # The kernel reads and writes the window alone.
        if target is not source and len(source) > n * n:
            target[n * n :] = source[n * n :]
        workers.share(
            n,
            lambda start, stop: _kernels.move_rows(
                source, target, start, stop, self.grid, self.box, undo, *order
            ),
        )

    def moved(self, positions: IntArray) -> IntArray:
        """Return where the units at `positions`, inside the window or behind it, go."""
        if not len(positions):
            return positions
        alpha, beta, sigma = self.grid
        n = len(sigma)
        rows, columns = _divided(positions, n)
        inside = rows < n
        # Two periods of sigma in a row save the remainder modulo n.
        digits = np.tile(sigma, 2)[alpha[rows * inside] + beta[columns]]
        return np.where(inside, rows * n + digits, positions)


@dataclass(frozen=True, eq=False)
class StackPass:
    """A column pass, a block pass and, if another round follows, its row pass, fused into one.

    Digit-column: in each column c, row r goes to row S[r, c]. Block-digit: the cell in band i,
    stack j with digit d goes to row i * p + j, column d.

    Parameters
    ----------
    box : tuple of int
        Rows p and columns q of a box.
    grids : ndarray of shape (2, 3, n) or (3, 3, n), dtype int64
        The grids of the passes, as `sample_grids` returns them.
    """

    box: Box
    grids: IntArray

    def move(
        self,
        source: AnyArray,
        target: AnyArray,
        workers: Workers,
        order: MemoryOrder = RASTER,
        *,
        undo: bool = False,
    ) -> None:
        """Write the units of `source` to their new places in `target`, another array.

        With `undo`, write them back to their old ones. The remainder stays.
        """
        n = self.grids.shape[2]
        if len(source) > n * n:
            target[n * n :] = source[n * n :]
        workers.share(
            self.box[0],
            lambda start, stop: _kernels.move_stacks(
                source, target, start, stop, self.grids, self.box, undo, *order
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

    def transposed(self, box: Box) -> Self:
        """Return the same exchange of a picture whose window is transposed."""
        if not len(self.partners):
            return self
        (p, q), n = box, box[0] * box[1]
        rows, columns = _divided(self.partners, n)
        (bands, downs), (stacks, across) = _divided(rows, p), _divided(columns, q)
        # Row i p + j is at position j q + i of each stack, where a fused pass writes it.
        partners = (stacks * n + downs * q + bands) * q + across
        return type(self)(np.where(rows < n, partners, self.partners))


def _divided(dividends: IntArray, divisor: int) -> tuple[IntArray, IntArray]:
    """Return quotients and remainders; `np.divmod` takes longer."""
    quotients = dividends // divisor
    return quotients, dividends - quotients * divisor
