"""One figure many times over: under many keys, or at many places."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, isnan

from sudokucrypt.analysis.results import Measurement

SURE = 0.001
"""How often chance may fail a whole series."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Series:
    """One figure over many keys, in a measurement for each.

    `most_fails` is None for what is no test; else more tests fail for one truly random series in a
    thousand only.
    """

    name: str
    measurements: tuple[Measurement, ...]
    most_fails: int | None

    @property
    def values(self) -> list[float]:
        """The figures that are defined."""
        return [each.value for each in self.measurements if not isnan(each.value)]

    @property
    def fails(self) -> int:
        """How many tests failed."""
        return sum(each.passed is False for each in self.measurements)

    @property
    def passed(self) -> bool | None:
        """Whether no more failed than chance explains; of a single test, whether it passed."""
        # A single test has no series in which chance could be allowed for.
        if len(self.measurements) == 1:
            return self.measurements[0].passed
        if self.most_fails is None or not self.values:
            return None
        return self.fails <= self.most_fails


def series_of(group: Sequence[Measurement]) -> Series:
    """Return one figure over all keys, and how many of its tests chance may fail."""
    most = None
    level = group[0].level
    if level is not None and any(each.passed is not None for each in group):
        most = most_fails(len(group), level)
    return Series(name=group[0].name, measurements=tuple(group), most_fails=most)


def most_fails(tests: int, level: float) -> int:
    """Return how many of some tests at one level may fail: more do once in a thousand series.

    >>> most_fails(20, 0.05), most_fails(10, 0.001)
    (5, 1)
    """
    chances = [
        comb(tests, count) * level**count * (1 - level) ** (tests - count)
        for count in range(tests + 1)
    ]
    return next(count for count in range(tests + 1) if sum(chances[count + 1 :]) <= SURE)
