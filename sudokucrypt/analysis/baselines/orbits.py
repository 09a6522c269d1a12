"""Scramblers that iterate a map: Arnold's cat, the baker, the logistic map."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sudokucrypt.analysis.baselines.baseline import (
    Baseline,
    integer_field,
    iterated,
    register_baseline,
)
from sudokucrypt.checks import checked_integer
from sudokucrypt.errors import InvalidImageError, InvalidParameterError
from sudokucrypt.typing import IntArray


def _square_side(name: str, rows: int, columns: int) -> int:
    """Return the side of a square image, or raise `InvalidImageError` naming the scheme."""
    if rows != columns:
        raise InvalidImageError(
            f"the {name} is defined for square images only, not {rows}x{columns}",
            hint="crop the image to a square",
        )
    return rows


@dataclass(frozen=True)
class ArnoldMap(Baseline):
    """Arnold's cat map: row and column are multiplied by a matrix of determinant 1.

    (r, c) goes to (r + a c, b r + (a b + 1) c) modulo the side, `iterations` times; a and b are 1
    or more, and 1 in the original map. Limits: square images only; the pixel in the corner never
    moves; the map is linear, so three pixels give it away; and after `period` iterations, at most
    three times the side for a = b = 1, the image is back.
    Source: F. J. Dyson, H. Falk, Period of a discrete cat mapping, 1992, doi:10.2307/2324989; with
    a and b: G. Chen, Y. Mao, C. K. Chui, 2004, doi:10.1016/j.chaos.2003.12.022.

    >>> ArnoldMap(iterations=1).scramble(np.arange(9).reshape(3, 3)).tolist()
    [[0, 7, 5], [8, 3, 1], [4, 2, 6]]
    """

    name: ClassVar[str] = "arnold"
    iterations: int = integer_field(10)
    a: int = integer_field(1)
    b: int = integer_field(1)

    def targets(self, rows: int, columns: int) -> IntArray:
        """Return where pixels go, as in `Baseline.targets`."""
        side = _square_side("Arnold map", rows, columns)
        row, column = self._matrix(side) @ np.divmod(np.arange(side * side), side) % side
        return iterated(row * side + column, self.iterations)

    def period(self, side: int) -> int:
        """Return after how many iterations an image of this side is back for the first time."""
        checked_integer("side", side)
        matrix = power = self._matrix(side)
        count = 1
        # The period of the matrix is that of the map, and takes no image.
        while (power != np.eye(2) % side).any():
            power = power @ matrix % side
            count += 1
        return count

    def _matrix(self, side: int) -> IntArray:
        rows = (1, self.a), (self.b, self.a * self.b + 1)
        return np.array([[entry % side for entry in row] for row in rows])


@dataclass(frozen=True)
class BakerMap(Baseline):
    """The discretised baker map of a square image, iterated.

    The key is `parts`, the widths of the upright strips from left to right. Each divides the side,
    and together they make it up. By default they are a quarter, a half and a quarter if the side is
    a multiple of 4, else as many equal strips as its smallest prime factor says.

    A strip of width w that starts at column S is cut into w boxes of side / w rows, and each box
    is read column by column into one row: with q = side / w, pixel (r, c) goes to row
    S + r // q and column q (c - S) + r mod q. Limits: square images only, of a composite side
    (for a prime one nothing but the identity and a transposition is left); the first pixel never
    moves; few keys, and weak ones among them: with two halves of a side 2^m each iteration turns
    the 2 m bits of a position by one, so that the image is back after 2 m of them.
    Source: J. Fridrich, 1998, doi:10.1142/S021812749800098X.

    >>> BakerMap(iterations=1, parts=(2, 2)).scramble(np.arange(16).reshape(4, 4)).tolist()
    [[0, 4, 1, 5], [8, 12, 9, 13], [2, 6, 3, 7], [10, 14, 11, 15]]
    """

    name: ClassVar[str] = "baker"
    iterations: int = integer_field(10)
    parts: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for width in self.parts or ():
            checked_integer("the width of a part", width)

    def targets(self, rows: int, columns: int) -> IntArray:
        """Return where pixels go, as in `Baseline.targets`."""
        side = _square_side("baker map", rows, columns)
        widths = np.array(_usual_parts(side) if self.parts is None else self.parts)
        if widths.sum() != side or (side % widths).any():
            raise InvalidImageError(
                f"parts of widths {widths.tolist()} do not cut a side of {side} pixels",
                hint="each width must divide the side, and their sum must be the side",
            )
        width = np.repeat(widths, widths)
        start = np.repeat(np.cumsum(widths) - widths, widths)
        height = side // width
        row, column = np.divmod(np.arange(side * side), side)
        box, inside = np.divmod(row, height[column])
        target = (start[column] + box) * side + height[column] * (column - start[column]) + inside
        return iterated(target, self.iterations)


def _usual_parts(side: int) -> tuple[int, ...]:
    if side % 4 == 0:
        return side // 4, side // 2, side // 4
    factor = next((d for d in range(2, side) if side % d == 0), None)
    if factor is None:
        raise InvalidImageError(
            f"the baker map does not mix an image of side {side}, which has no divisor",
            hint="crop the image to a side that 4 divides",
        )
    return (side // factor,) * factor


# As in the literature: first values of orbits from close keys are close.
_WARM_UP = 1000
# Numbers between 0 and 1 of this precision are exact, and so are their neighbours.
_START_BITS = 52


@dataclass(frozen=True)
class LogisticSort(Baseline):
    """Pixels change places as the values of a chaotic orbit do when they are sorted.

    x becomes growth x (1 - x), from a start between 0 and 1 and with a growth above 3.57 and below
    4, which are the key; the first 1000 values are left out. Place k gets the pixel of the k-th
    smallest value. Limits: the orbit of floating-point numbers runs into a short cycle sooner or
    later, neighbouring values depend on each other, some growths are not chaotic at all, and close
    keys may give one map.
    After G. Ye, 2010, doi:10.1016/j.patrec.2009.11.008, broken by C. Li, D. Lin, J. Lu, 2017,
    doi:10.1109/MMUL.2017.3051512.
    """

    name: ClassVar[str] = "logistic-sort"
    start: float = 0.3567
    growth: float = 3.99

    def __post_init__(self) -> None:
        if not 0 < self.start < 1:
            raise InvalidParameterError(f"the start must lie between 0 and 1, not {self.start!r}")
        if not 3.57 < self.growth < 4:
            raise InvalidParameterError(
                f"the growth must lie between 3.57 and 4, not {self.growth!r}"
            )

    def targets(self, rows: int, columns: int) -> IntArray:
        """Return where pixels go, as in `Baseline.targets`."""
        x, growth, orbit = self.start, self.growth, []
        for _ in range(_WARM_UP + rows * columns):
            x = growth * x * (1 - x)
            orbit.append(x)
        return np.argsort(np.argsort(orbit[_WARM_UP:], kind="stable"))


register_baseline(
    lambda _: ArnoldMap(),
    limits="square pictures only; repeats itself, and has no key but its iterations",
)
register_baseline(lambda _: BakerMap(), limits="square pictures only; few keys")
register_baseline(
    lambda key: LogisticSort(((int.from_bytes(key[:7], "big") >> 4) + 0.5) / 2**_START_BITS),
    key_bits=_START_BITS,
    limits=f"{_START_BITS} bits of key at most, and correlated ones",
)
