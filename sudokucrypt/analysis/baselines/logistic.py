"""Sorting pixels by the orbit of the logistic map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sudokucrypt.analysis.baselines.baseline import Baseline
from sudokucrypt.errors import InvalidParameterError

if TYPE_CHECKING:
    from sudokucrypt.typing import IntArray

_WARM_UP = 1000


@dataclass(frozen=True)
class LogisticSort(Baseline):
    """Pixels change places as the values of a chaotic orbit do when they are sorted.

    Parameters
    ----------
    start : float
        Where the orbit begins, between 0 and 1; the key.
    growth : float
        The parameter of the map, above 3.57 and below 4; the second part of the key.

    Raises
    ------
    InvalidParameterError
        If a parameter lies outside.

    Notes
    -----
    x becomes growth x (1 - x); the first 1000 values are left out. Place k gets the pixel of the
    k-th smallest value. Limits: the orbit of floating-point numbers runs into a short cycle sooner
    or later, neighbouring values depend on each other, some growths are not chaotic at all, and
    close keys may give one map.

    References
    ----------
    After G. Ye, Image scrambling encryption algorithm of pixel bit based on chaos map, 2010,
    doi:10.1016/j.patrec.2009.11.008, broken by C. Li, D. Lin, J. Lu, 2017,
    doi:10.1109/MMUL.2017.3051512.

    Examples
    --------
    >>> LogisticSort(0.3).targets(2, 4).tolist() == LogisticSort(0.4).targets(2, 4).tolist()
    False
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
        order = np.argsort(orbit[_WARM_UP:], kind="stable")
        places = np.empty_like(order)
        places[order] = np.arange(len(order))
        return places
