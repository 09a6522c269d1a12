"""How unlikely counts of events and tables of places are under the uniform permutation."""

from dataclasses import dataclass

import numpy as np
from scipy import stats
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from sudokucrypt.typing import AnyArray, IntArray

_FEW = 1000
"""So few expected events are compared with the Poisson distribution."""
_MANY = 100
"""From so many keys the variance of a count can be estimated."""


@dataclass
class Counts:
    """How often something happened under all keys, where `mean` is expected for each.

    Rare events of one map are very nearly independent of each other, so their number is Poisson
    distributed; for frequent ones the variance between the keys is taken.
    """

    mean: float
    total: float = 0.0
    squares: float = 0.0

    def add(self, seen: AnyArray) -> None:
        """Add the counts of some keys."""
        self.total += float(seen.sum())
        self.squares += float((seen.astype(float) ** 2).sum())

    def p_value(self, keys: int) -> float:
        """Return the p-value, on both sides, of the sum over so many keys."""
        expected = self.mean * keys
        if expected < _FEW:
            below, above = (
                stats.poisson.cdf(self.total, expected),
                stats.poisson.sf(self.total - 1, expected),
            )
            return min(1.0, 2 * float(min(below, above)))
        variance = self.mean
        if keys >= _MANY:
            variance = (self.squares - self.total**2 / keys) / (keys - 1) or self.mean
        return float(2 * stats.norm.sf(abs(self.total - expected) / np.sqrt(keys * variance)))


def displacements_p(table: IntArray, count: int) -> float:
    """Return the p-value of displacements mod N, which are uniform over 1..N-1, by class."""
    sizes = np.bincount(np.arange(1, count) * len(table) // count, minlength=len(table))
    kept = sizes > 0
    table, sizes = table[kept], sizes[kept]
    return float(stats.chisquare(table, sizes * table.sum() / sizes.sum()).pvalue)


def positions_p(table: IntArray, count: int, keys: int) -> float:
    """Return the p-value of a table of places before and after, by classes of the same sizes."""
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    # Both margins are fixed, and each map is drawn without replacement.
    sizes = table.sum(axis=1) / keys
    mean = np.outer(sizes, sizes) * keys / count
    statistic = ((table - mean) ** 2 / mean).sum() * (count - 1) / count
    return float(stats.chi2.sf(statistic, (len(sizes) - 1) ** 2))


def cycles(perms: IntArray) -> IntArray:
    """Return how many cycles each map, a row of `perms`, has."""
    keys, count = perms.shape
    ends = (perms + np.arange(keys)[:, None] * count).ravel()
    edges = (np.ones(ends.size, dtype=np.int8), ends, np.arange(ends.size + 1))
    _, labels = connected_components(csr_array(edges, (ends.size, ends.size)), connection="weak")
    # The cycles of all maps are numbered together; each belongs to one map.
    owners = np.empty(labels.max() + 1, dtype=np.int64)
    owners[labels] = np.repeat(np.arange(keys), count)
    return np.bincount(owners, minlength=keys)
