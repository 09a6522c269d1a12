"""One figure over many keys: its verdict, its data and its row in a table."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, isnan
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Any

from sudokucrypt.analysis.extras import require
from sudokucrypt.analysis.reports.document import Cell, Table
from sudokucrypt.analysis.reports.words import UNKNOWN, number_cell, title_of, verdict_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sudokucrypt.analysis.results import Measurement

SURE = 0.001
"""How often chance may fail a whole series."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Series:
    """One figure over many keys.

    Parameters
    ----------
    name : str
        The figure.
    measurements : tuple of Measurement
        One for each key.
    most_fails : int or None
        More tests than this fail for one truly random series in a thousand; None if it is no test.
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
        most = int(require("scipy.stats").binom(len(group), level).isf(SURE))
    return Series(name=group[0].name, measurements=tuple(group), most_fails=most)


def series_table(title: str, group: Iterable[Series]) -> Table:
    """Return one row for each figure."""
    rows = []
    for series in group:
        values = series.values
        tests = sum(each.passed is not None for each in series.measurements)
        passed = series.passed
        rows.append(
            (
                Cell(text=title_of(series.name)),
                number_cell(_mean(values)),
                number_cell(min(values, default=None)),
                number_cell(max(values, default=None)),
                number_cell(series.measurements[0].expected),
                Cell(text=f"{tests - series.fails} of {tests}" if tests else UNKNOWN, number=True),
                Cell(text=verdict_text(passed), verdict=passed),
            )
        )
    columns = ("figure", "mean", "least", "largest", "expected", "tests passed", "as random")
    return Table(title=title, columns=columns, rows=tuple(rows))


def _mean(values: list[float]) -> float | None:
    return fmean(values) if values else None


def series_data(series: Series) -> dict[str, Any]:
    """Return a series as JSON holds it."""
    values = series.values
    return {
        "mean": _mean(values),
        "deviation": pstdev(values) if values and all(map(isfinite, values)) else None,
        "least": min(values, default=None),
        "largest": max(values, default=None),
        "expected": series.measurements[0].expected,
        "measured": len(values),
        "failed": series.fails,
        "most_failed": series.most_fails,
        "passed": series.passed,
    }
