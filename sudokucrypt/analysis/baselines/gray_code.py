"""Scrambling by the Gray code of a pixel's number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sudokucrypt.analysis.baselines.baseline import Baseline, checked_count, repeated

if TYPE_CHECKING:
    from sudokucrypt.typing import IntArray


@dataclass(frozen=True)
class GrayCode(Baseline):
    """Each pixel goes to the place that the Gray code of its number names.

    Parameters
    ----------
    iterations : int
        How often the map is applied, 1 or more.

    Raises
    ------
    InvalidParameterError
        If it is below 1.

    Notes
    -----
    Pixel i goes to i xor (i >> 1). A place beyond the image, where the number of pixels is no power
    of two, is coded again until it lies inside. Limits: there is no key but the iterations; for
    2^m pixels the image is back after the first power of two that is no less than m; the first
    pixels hardly move; and the map is linear in the bits.

    References
    ----------
    Y. Zhou, K. Panetta, S. Agaian, C. L. P. Chen, (n, k, p)-Gray code for image systems, 2013,
    doi:10.1109/TSMCB.2012.2210706.

    Examples
    --------
    >>> GrayCode(iterations=1).targets(2, 4).tolist()
    [0, 1, 3, 2, 6, 7, 5, 4]
    """

    name: ClassVar[str] = "gray-code"
    iterations: int = 3

    def __post_init__(self) -> None:
        checked_count("iterations", self.iterations, least=1)

    def targets(self, rows: int, columns: int) -> IntArray:
        """Return where pixels go, as in `Baseline.targets`."""
        count = rows * columns
        places = _coded(np.arange(count))
        while (outside := places >= count).any():
            places[outside] = _coded(places[outside])
        return repeated(places, self.iterations)


def _coded(numbers: IntArray) -> IntArray:
    return numbers ^ (numbers >> 1)
