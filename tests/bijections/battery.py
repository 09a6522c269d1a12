"""Statistics of a random map, each with its p-value against the uniform permutation.

The battery takes maps of N places, drawn under many keys, and looks for what a scrambler with too
little mixing leaves behind: places that stay, neighbours that stay together, rows and columns of
the layout that stay whole, displacements and positions that are not spread evenly.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, SupportsInt

import numpy as np
from scipy import stats

from sudokucrypt.bijections import RasterLayout

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sudokucrypt.typing import IntArray

BINS = 64
"""Classes of displacements, and of places in the table of large maps."""


@dataclass
class Battery:
    """Collect maps of `count` places one by one, then ask for p-values.

    Counts of rare events over all keys are Poisson distributed to a very good approximation;
    tables are compared by chi-square.
    """

    count: int
    keys: int = 0
    events: dict[str, int] = field(default_factory=dict)
    expected: dict[str, float] = field(default_factory=dict)
    tables: dict[str, IntArray] = field(default_factory=dict)
    cycles: list[int] = field(default_factory=list)

    def add(self, perm: IntArray) -> None:
        """Count what one map does."""
        n = RasterLayout.of(self.count).order
        self.keys += 1
        self._event("fixed points", np.count_nonzero(perm == np.arange(self.count)), 1.0)
        self.cycles.append(_cycles(perm))
        for name, step in (("row", 1), ("column", n)):
            gap = perm[step:] - perm[:-step]
            pairs = len(gap)
            near = np.count_nonzero((np.abs(gap) == 1) | (np.abs(gap) == n))
            ways = (self.count - 1) + (self.count - n)
            chance = 2 * ways / (self.count * (self.count - 1))
            self._event(f"{name} neighbours that stay neighbours", near, pairs * chance)
            bins = np.bincount(gap % self.count * BINS // self.count, minlength=BINS)
            self._table(f"{name} neighbours' displacement", bins)
        self._lines("row", np.arange(self.count) // n, perm // n)
        self._lines("column", np.arange(self.count) % n, perm % n)
        if self.count < 256:
            table = np.zeros((self.count, self.count), dtype=np.int64)
            table[np.arange(self.count), perm] = 1
        else:
            places = np.arange(self.count) * BINS // self.count
            pairs_of_bins = places * BINS + places[perm]
            table = np.bincount(pairs_of_bins, minlength=BINS * BINS).reshape(BINS, BINS)
        self._table("positions", table)

    def _lines(self, name: str, before: IntArray, after: IntArray) -> None:
        """Count pairs that share a line of the layout before and after."""
        sizes = np.bincount(before)
        pairs = float((sizes * (sizes - 1)).sum()) / 2
        joint = np.bincount(before * len(sizes) + after)
        kept = int((joint * (joint - 1)).sum()) // 2
        chance = 2 * pairs / (self.count * (self.count - 1))
        self._event(f"pairs that stay in one {name}", kept, pairs * chance)

    def _event(self, name: str, seen: SupportsInt, mean: float) -> None:
        self.events[name] = self.events.get(name, 0) + int(seen)
        self.expected[name] = self.expected.get(name, 0.0) + mean

    def _table(self, name: str, table: IntArray) -> None:
        self.tables[name] = self.tables.get(name, np.zeros_like(table)) + table

    def p_values(self) -> dict[str, float]:
        """Return a two-sided p-value for each event count, and one for each table."""
        result = {}
        for name, mean in self.expected.items():
            seen = self.events[name]
            tail = min(stats.poisson.cdf(seen, mean), stats.poisson.sf(seen - 1, mean))
            result[name] = min(1.0, 2 * float(tail))
        result["cycles"] = _cycles_p(self.cycles, self.count)
        for name, table in self.tables.items():
            result[name] = _table_p(table, self.count, self.keys)
        return result


def examine(perms: Iterable[IntArray], count: int) -> dict[str, float]:
    """Return the p-values of the battery over some maps of `count` places."""
    battery = Battery(count)
    for perm in perms:
        battery.add(perm)
    return battery.p_values()


def _cycles(perm: IntArray) -> int:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    count = len(perm)
    graph = coo_array((np.ones(count, dtype=np.int8), (np.arange(count), perm)), (count, count))
    return int(connected_components(graph, directed=True, connection="weak")[0])


def _cycles_p(cycles: list[int], count: int) -> float:
    """The number of cycles has mean H(N) and variance H(N) - H2(N); the sum is nearly normal."""
    terms = 1 / np.arange(1, count + 1)
    mean, variance = terms.sum(), terms.sum() - (terms**2).sum()
    z = (sum(cycles) - len(cycles) * mean) / np.sqrt(len(cycles) * variance)
    return float(2 * stats.norm.sf(abs(z)))


def _table_p(table: IntArray, count: int, keys: int) -> float:
    if table.ndim == 1:
        # Displacements mod N are uniform over 1..N-1.
        sizes = np.bincount(np.arange(1, count) * BINS // count, minlength=BINS)
        kept = sizes > 0
        table, sizes = table[kept], sizes[kept]
        return float(stats.chisquare(table, sizes * table.sum() / sizes.sum()).pvalue)
    # Both margins are fixed, and each map is drawn without replacement.
    sizes = table.sum(axis=1) / keys
    mean = np.outer(sizes, sizes) * keys / count
    statistic = ((table - mean) ** 2 / mean).sum() * (count - 1) / count
    return float(stats.chi2.sf(statistic, (len(sizes) - 1) ** 2))
