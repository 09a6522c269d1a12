"""The discretised baker map: strips of the image are stretched to lines and stacked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sudokucrypt.analysis.baselines.baseline import (
    Baseline,
    checked_count,
    repeated,
    square_side,
)
from sudokucrypt.errors import InvalidImageError

if TYPE_CHECKING:
    from sudokucrypt.typing import IntArray


@dataclass(frozen=True)
class BakerMap(Baseline):
    """The discretised baker map of a square image.

    Parameters
    ----------
    iterations : int
        How often the map is applied, 1 or more.
    parts : tuple of int, optional
        Widths of the upright strips from left to right, the key. Each divides the side, and
        together they make it up. By default a quarter, a half and a quarter if the side is a
        multiple of 4, else as many equal strips as its smallest prime factor says.

    Raises
    ------
    InvalidParameterError
        If a parameter is below 1.

    Notes
    -----
    A strip of width w that starts at column S is cut into w boxes of side / w rows, and each box
    is read column by column into one row: with q = side / w, pixel (r, c) goes to row
    S + r // q and column q (c - S) + r mod q. Limits: square images only, of a composite side
    (for a prime one nothing but the identity and a transposition is left); the first pixel never
    moves; few keys, and weak ones among them: with two halves of a side 2^m each iteration turns
    the 2 m bits of a place by one, so that the image is back after 2 m of them.

    References
    ----------
    J. Fridrich, Symmetric ciphers based on two-dimensional chaotic maps, 1998,
    doi:10.1142/S021812749800098X.

    Examples
    --------
    >>> BakerMap(iterations=1, parts=(2, 2)).scramble(np.arange(16).reshape(4, 4)).tolist()
    [[0, 4, 1, 5], [8, 12, 9, 13], [2, 6, 3, 7], [10, 14, 11, 15]]
    """

    name: ClassVar[str] = "baker"
    iterations: int = 10
    parts: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        checked_count("iterations", self.iterations, least=1)
        for width in self.parts or ():
            checked_count("the width of a part", width, least=1)

    def targets(self, rows: int, columns: int) -> IntArray:
        """Return where pixels go, as in `Baseline.targets`."""
        side = square_side("baker map", rows, columns)
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
        place = (start[column] + box) * side + height[column] * (column - start[column]) + inside
        return repeated(place, self.iterations)


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
