"""Reading an image along Hilbert's curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sudokucrypt.analysis.baselines.baseline import Baseline

if TYPE_CHECKING:
    from sudokucrypt.typing import IntArray


@dataclass(frozen=True)
class HilbertScan(Baseline):
    """Pixels in the order of Hilbert's curve are written line by line.

    Notes
    -----
    The curve fills the smallest square around the image whose side is a power of two; what lies
    outside of the image is left out. Limits: there is no key, and neighbours on the curve stay
    neighbours, so that most of the picture's smoothness remains.

    References
    ----------
    Y. Matias, A. Shamir, A video scrambling technique based on space filling curves, 1988,
    doi:10.1007/3-540-48184-2_35.

    Examples
    --------
    >>> HilbertScan().scramble(np.arange(16).reshape(4, 4)).tolist()
    [[0, 1, 5, 4], [8, 12, 13, 9], [10, 14, 15, 11], [7, 6, 2, 3]]
    """

    name: ClassVar[str] = "hilbert"

    def targets(self, rows: int, columns: int) -> IntArray:
        """Return where pixels go, as in `Baseline.targets`."""
        row, column = np.divmod(np.arange(rows * columns), columns)
        order = np.argsort(_distance(row, column, (max(rows, columns) - 1).bit_length()))
        places = np.empty_like(order)
        places[order] = np.arange(len(order))
        return places


def _distance(row: IntArray, column: IntArray, bits: int) -> IntArray:
    """Return how far along the curve pixels lie, in a square of 2^bits pixels a side.

    The curve visits the quarters in the order upper left, lower left, lower right, upper right. In
    the first of them it runs transposed, in the last one transposed about the other diagonal.
    """
    distance = np.zeros_like(row)
    for bit in range(bits - 1, -1, -1):
        half = 1 << bit
        below, right = row // half, column // half
        distance += ((3 * right) ^ below) * half * half
        row, column = row % half, column % half
        mirrored = (right == 1) & (below == 0)
        row = np.where(mirrored, half - 1 - row, row)
        column = np.where(mirrored, half - 1 - column, column)
        row, column = np.where(below == 0, (column, row), (row, column))
    return distance
