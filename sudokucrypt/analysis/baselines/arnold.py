"""Arnold's cat map on the pixels of a square image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import numpy as np

from sudokucrypt.analysis.baselines.baseline import Baseline, checked_count, square_side

if TYPE_CHECKING:
    from sudokucrypt.typing import IntArray

_Matrix: TypeAlias = tuple[int, int, int, int]


@dataclass(frozen=True)
class ArnoldMap(Baseline):
    """Arnold's cat map: row and column are multiplied by a matrix of determinant 1.

    Parameters
    ----------
    iterations : int
        How often the map is applied, 1 or more.
    a, b : int
        Entries of the matrix, 1 or more; both 1 in the original map.

    Raises
    ------
    InvalidParameterError
        If a parameter is below 1.

    Notes
    -----
    (r, c) goes to (r + a c, b r + (a b + 1) c) modulo the side. Limits: square images only; the
    pixel in the corner never moves; the map is linear, so three pixels give it away; and after
    `period` iterations, at most three times the side for a = b = 1, the image is back.

    References
    ----------
    F. J. Dyson, H. Falk, Period of a discrete cat mapping, 1992, doi:10.2307/2324989; with a and
    b: G. Chen, Y. Mao, C. K. Chui, 2004, doi:10.1016/j.chaos.2003.12.022.

    Examples
    --------
    >>> ArnoldMap(iterations=1).scramble(np.arange(9).reshape(3, 3)).tolist()
    [[0, 7, 5], [8, 3, 1], [4, 2, 6]]
    """

    name: ClassVar[str] = "arnold"
    iterations: int = 10
    a: int = 1
    b: int = 1

    def __post_init__(self) -> None:
        for field in ("iterations", "a", "b"):
            checked_count(field, getattr(self, field), least=1)

    def targets(self, rows: int, columns: int) -> IntArray:
        """Return where pixels go, as in `Baseline.targets`."""
        side = square_side("Arnold map", rows, columns)
        power, matrix, times = (1, 0, 0, 1), self._matrix(side), self.iterations
        while times:
            if times & 1:
                power = _product(power, matrix, side)
            matrix = _product(matrix, matrix, side)
            times >>= 1
        row, column = np.divmod(np.arange(side * side), side)
        r, s, t, u = power
        places: IntArray = (r * row + s * column) % side * side + (t * row + u * column) % side
        return places

    def period(self, side: int) -> int:
        """Return after how many iterations an image of this side is back for the first time.

        Examples
        --------
        >>> [ArnoldMap().period(side) for side in (124, 128, 256)]
        [15, 96, 192]
        """
        checked_count("side", side, least=1)
        identity = (1 % side, 0, 0, 1 % side)
        matrix = power = self._matrix(side)
        count = 1
        while power != identity:
            power = _product(power, matrix, side)
            count += 1
        return count

    def _matrix(self, side: int) -> _Matrix:
        return 1 % side, self.a % side, self.b % side, (self.a * self.b + 1) % side


def _product(one: _Matrix, other: _Matrix, side: int) -> _Matrix:
    a, b, c, d = one
    e, f, g, h = other
    return (
        (a * e + b * g) % side,
        (a * f + b * h) % side,
        (c * e + d * g) % side,
        (c * f + d * h) % side,
    )
