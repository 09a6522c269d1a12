"""Draw many keyed maps with NumPy and compute p-values of their statistics.

The maps follow section 5 of the specification, or weakened forms of it. NumPy's generator takes the
place of the key stream, so that twenty thousand maps take seconds. `test_maps.py` compares single
maps with the maps that the passes of the package make.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy import stats
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from sudokucrypt import Key, permutation
from sudokucrypt.bijections import RasterLayout, chosen_rounds
from sudokucrypt.typing import IntArray

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sudokucrypt.typing import AnyArray, Box, IntArray


Exchange = Literal["anywhere", "own column", "never"]

EXCHANGES: tuple[Exchange, ...] = ("anywhere", "own column", "never")


@dataclass(frozen=True)
class Schedule:
    """How a map is made; by default as specified, except for the number of rounds.

    Parameters
    ----------
    rounds : int
        The number of times that the passes are applied.
    exchange : {"anywhere", "own column", "never"}
        The places that spares are exchanged with: any earlier place, once, as specified; or, as in
        an abandoned design, random rows of the column with the spare's number modulo n, before
        each round and after the last; or none.
    passes : tuple of str
        The passes of a round.
    """

    rounds: int
    exchange: Exchange = "anywhere"
    passes: tuple[str, ...] = ("row", "column", "block")


@dataclass(frozen=True, eq=False)
class Grids:
    """One grid for each key: three tables of shape (keys, n)."""

    box: Box
    alpha: IntArray
    beta: IntArray
    sigma: IntArray

    @classmethod
    def draw(cls, box: Box, keys: int, rng: np.random.Generator) -> Grids:
        """Draw grids as the specification describes."""
        p, q = box
        rows, columns = _shuffle_lines(q, p, keys, rng), _shuffle_lines(p, q, keys, rng)
        alpha, beta = q * (rows % p) + rows // p, columns
        if p == q:
            is_transposed = rng.integers(0, 2, (keys, 1), dtype=bool)
            alpha, beta = np.where(is_transposed, beta, alpha), np.where(is_transposed, alpha, beta)
        return cls(box, alpha, beta, _draw_shuffles((keys, p * q), rng))

    def digits(self) -> IntArray:
        """Compute the digits of all grids, shape (keys, n, n)."""
        keys, n = self.sigma.shape
        offsets = (self.alpha[:, :, None] + self.beta[:, None, :]) % n
        return np.take_along_axis(self.sigma, offsets.reshape(keys, -1), 1).reshape(keys, n, n)


def draw_maps(count: int, keys: int, schedule: Schedule, rng: np.random.Generator) -> IntArray:
    """Return maps of shape (keys, count): the unit at ``maps[k, i]`` moves to place i."""
    layout = RasterLayout.for_count(count)
    n = layout.order
    units = np.tile(np.arange(count), (keys, 1))
    if schedule.exchange == "anywhere":
        bounds = np.arange(count, n * n, -1)
        exchange(units, rng.integers(0, bounds, (keys, len(bounds))))
    for _ in range(schedule.rounds):
        if schedule.exchange == "own column":
            _exchange_columns(units, n, rng)
        for name in schedule.passes:
            move(units, name, Grids.draw(layout.box, keys, rng))
    if schedule.exchange == "own column":
        _exchange_columns(units, n, rng)
    return units


def exchange(units: IntArray, positions: IntArray) -> None:
    """Exchange in each map the last unit, and so on backwards, with the unit at the next
    position."""
    maps = np.arange(len(units))
    for step, other_positions in enumerate(positions.T):
        position = units.shape[1] - 1 - step
        held_units = units[:, position].copy()
        units[:, position] = units[maps, other_positions]
        units[maps, other_positions] = held_units


def move(units: IntArray, name: str, grids: Grids) -> None:
    """Apply a row, column or block pass to the window of each map."""
    p, q = grids.box
    n = p * q
    digits = grids.digits()
    rows, columns = np.indices((n, n))
    targets = {
        "row": rows * n + digits,
        "column": digits * n + columns,
        "block": (rows // p * p + columns // q) * n + digits,
    }[name].reshape(len(units), -1)
    moved_units = np.empty_like(targets)
    np.put_along_axis(moved_units, targets, units[:, : n * n], 1)
    units[:, : n * n] = moved_units


def _exchange_columns(units: IntArray, n: int, rng: np.random.Generator) -> None:
    maps = np.arange(len(units))
    for position in range(n * n, units.shape[1]):
        other_positions = rng.integers(0, n, len(units)) * n + (position - n * n) % n
        held_units = units[:, position].copy()
        units[:, position] = units[maps, other_positions]
        units[maps, other_positions] = held_units


def _shuffle_lines(groups: int, size: int, keys: int, rng: np.random.Generator) -> IntArray:
    """Shuffle `groups` groups of `size` lines, and the lines inside each."""
    inside = _draw_shuffles((keys, groups, size), rng)
    return (_draw_shuffles((keys, groups), rng)[:, :, None] * size + inside).reshape(keys, -1)


def _draw_shuffles(shape: tuple[int, ...], rng: np.random.Generator) -> IntArray:
    """Return uniform permutations along the last axis."""
    shuffled: IntArray = rng.permuted(np.broadcast_to(np.arange(shape[-1]), shape), axis=-1)
    return shuffled


# The p-values of counts of events and tables of places under the uniform permutation.


_FEW = 1000
"""Fewer expected events than this are compared with the Poisson distribution."""
_MANY = 100
"""The least number of keys from which the variance of a count is estimated."""


@dataclass
class Counts:
    """The number of events under all keys, where `mean` is expected for each key.

    Rare events of one map are very nearly independent of each other, so their number is Poisson
    distributed; for frequent events the variance between the keys is used.
    """

    mean: float
    value_sum: float = 0.0
    square_sum: float = 0.0

    def add(self, counts: AnyArray) -> None:
        """Add the counts of some keys."""
        self.value_sum += float(counts.sum())
        self.square_sum += float((counts.astype(float) ** 2).sum())

    def p_value(self, keys: int) -> float:
        """Return the two-sided p-value of the sum over this number of keys."""
        expected = self.mean * keys
        if expected < _FEW:
            lower_tail, upper_tail = (
                stats.poisson.cdf(self.value_sum, expected),
                stats.poisson.sf(self.value_sum - 1, expected),
            )
            return min(1.0, 2 * float(min(lower_tail, upper_tail)))
        variance = self.mean
        if keys >= _MANY:
            variance = (self.square_sum - self.value_sum**2 / keys) / (keys - 1) or self.mean
        return float(2 * stats.norm.sf(abs(self.value_sum - expected) / np.sqrt(keys * variance)))


def judge_displacements(table: IntArray, count: int) -> float:
    """Return the p-value of displacements mod N, which are uniform over 1..N-1, by class."""
    sizes = np.bincount(np.arange(1, count) * len(table) // count, minlength=len(table))
    has_pairs = sizes > 0
    table, sizes = table[has_pairs], sizes[has_pairs]
    return float(stats.chisquare(table, sizes * table.sum() / sizes.sum()).pvalue)


def judge_positions(table: IntArray, count: int, keys: int) -> float:
    """Return the p-value of a table of places before and after, by classes of the same sizes."""
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    # Both margins are fixed, and each map is drawn without replacement.
    sizes = table.sum(axis=1) / keys
    mean = np.outer(sizes, sizes) * keys / count
    statistic = ((table - mean) ** 2 / mean).sum() * (count - 1) / count
    return float(stats.chi2.sf(statistic, (len(sizes) - 1) ** 2))


def count_cycles(perms: IntArray) -> IntArray:
    """Count the cycles of each map; a map is a row of `perms`."""
    keys, count = perms.shape
    ends = (perms + np.arange(keys)[:, None] * count).ravel()
    edges = (np.ones(ends.size, dtype=np.int8), ends, np.arange(ends.size + 1))
    _, labels = connected_components(csr_array(edges, (ends.size, ends.size)), connection="weak")
    # The cycles of all maps are numbered together; each belongs to one map.
    owners = np.empty(labels.max() + 1, dtype=np.int64)
    owners[labels] = np.repeat(np.arange(keys), count)
    return np.bincount(owners, minlength=keys)


# Statistics of random maps, each with its p-value against the uniform permutation.


BINS = 64
"""The number of classes of displacements, and the most classes of lines or places in a table."""
_UNITS = 1 << 21
"""The number of units that are counted together."""
_BATCHED_BELOW = 4096
"""Maps of fewer units come from `draw_batches`, larger maps from the package."""


@dataclass
class Battery:
    """Collect maps of `count` places, then ask for p-values.

    A **line** is a row, a column or a box of the window; the spares have a line of their own.
    """

    count: int
    keys: int = 0
    events: dict[str, Counts] = field(default_factory=dict)
    tables: dict[str, IntArray] = field(default_factory=dict)

    @cached_property
    def layout(self) -> RasterLayout:
        """The layout of the places."""
        return RasterLayout.for_count(self.count)

    @cached_property
    def lines(self) -> dict[str, IntArray]:
        """For each kind of line, the number of the line of each place, 0..n-1; n for spares."""
        (p, q), n = self.layout.box, self.layout.order
        rows, columns = np.divmod(np.arange(self.count), n)
        result = {"row": rows, "column": columns, "box": rows // p * p + columns // q}
        return {kind: np.where(rows < n, line, n) for kind, line in result.items()}

    @cached_property
    def neighbors(self) -> dict[str, tuple[IntArray, int]]:
        """For each kind of pair, the first places and the distance to the second ones."""
        n, positions = self.layout.order, np.arange(self.count)
        window_positions, spare_positions = positions[: n * n], positions[n * n :]
        return {
            "row neighbors": (window_positions[window_positions % n < n - 1], 1),
            "column neighbors": (window_positions[:-n], n),
            "neighboring spares": (spare_positions[:-1], 1),
            "spares of one column": (spare_positions[:-n], n),
            "spares and the window": (spare_positions, -n),
        }

    def add(self, perms: IntArray) -> None:
        """Count the events of one map, or of each row of an array of maps."""
        perms = np.atleast_2d(perms)
        step = max(1, _UNITS // self.count)
        for first_map in range(0, len(perms), step):
            perm_batch = perms[first_map : first_map + step]
            self.keys += len(perm_batch)
            self._add_single_units(perm_batch)
            self._add_neighbors(perm_batch)
            self._add_lines(perm_batch)

    def _add_single_units(self, perms: IntArray) -> None:
        positions = np.arange(self.count)
        self._add_event("fixed points", (perms == positions).sum(axis=1), 1.0)
        self._add_event("cycles", count_cycles(perms), float((1 / (positions + 1)).sum()))
        is_spare = positions >= self.layout.order**2
        mean = self.layout.remainder**2 / self.count
        self._add_event("spares that stay spares", (is_spare[perms] & is_spare).sum(axis=1), mean)
        for kind, line in self.lines.items():
            stay = (line[perms] == line) & ~is_spare
            mean = self.layout.order**3 / self.count
            self._add_event(f"units that stay in their {kind}", stay.sum(axis=1), mean)
        is_small = self.count < 256
        self._add_positions(
            "positions", perms, *2 * [positions if is_small else positions * BINS // self.count]
        )

    def _add_neighbors(self, perms: IntArray) -> None:
        count, n, spare_count = self.count, self.layout.order, self.layout.remainder
        targets = np.empty_like(perms)
        np.put_along_axis(targets, perms, np.broadcast_to(np.arange(count), perms.shape), 1)
        # The numbers of ordered pairs of neighbors, of places on one line, and of spares.
        neighbor_pairs, line_pairs, spare_pairs = (
            4 * count - 2 - 2 * n,
            n * n * (n - 1),
            spare_count * (spare_count - 1),
        )
        for kind, (firsts, step) in self.neighbors.items():
            chance = len(firsts) / (count * (count - 1))
            first_targets, second_targets = targets[:, firsts], targets[:, firsts + step]
            distances = np.abs(first_targets - second_targets)
            neighbors = (distances == 1) | (distances == n)
            both = (first_targets >= n * n) & (second_targets >= n * n)
            self._add_event(
                f"{kind} that stay neighbors", neighbors.sum(axis=1), neighbor_pairs * chance
            )
            self._add_event(f"{kind} that become spares", both.sum(axis=1), spare_pairs * chance)
            for name, line in self.lines.items():
                same = (line[first_targets] == line[second_targets]) & ~both
                self._add_event(f"{kind} in one {name}", same.sum(axis=1), line_pairs * chance)
        for name, step in (("row", 1), ("column", n)):
            distances = (targets[:, step:] - targets[:, :-step]) % count
            bins = np.bincount((distances * BINS // count).ravel(), minlength=BINS)
            self._add_table(f"displacements of {name} neighbors", bins)

    def _add_lines(self, perms: IntArray) -> None:
        """Count pairs that share a line of one kind before and a line of another after.

        Pairs of spares that remain spares are left out: the number of spares that remain spares
        already tells how many there are.
        """
        n, spare_count = self.layout.order, self.layout.remainder
        window_pairs, spare_pairs = n * n * (n - 1), spare_count * (spare_count - 1)
        keys = np.arange(len(perms))[:, None] * (n + 1) ** 2
        for source_kind, old in self.lines.items():
            for target_kind, new in self.lines.items():
                joint = keys + old[perms] * (n + 1) + new
                table = np.bincount(joint.ravel(), minlength=len(perms) * (n + 1) ** 2)
                table = table.reshape(-1, n + 1, n + 1)
                pairs = table * (table - 1) // 2
                self._add_pairs(
                    f"{source_kind} to {target_kind}", pairs[:, :n, :n], window_pairs * window_pairs
                )
                if source_kind == "row":
                    self._add_pairs(
                        f"spares to {target_kind}", pairs[:, n:, :n], spare_pairs * window_pairs
                    )
                if target_kind == "row":
                    self._add_pairs(
                        f"{source_kind} to spares", pairs[:, :n, n:], window_pairs * spare_pairs
                    )
                width = min(n, BINS)
                coarse = [np.where(line < n, line * width // n, width) for line in (old, new)]
                self._add_positions(f"positions by {source_kind} and {target_kind}", perms, *coarse)

    def _add_pairs(self, name: str, pair_counts: IntArray, way_count: int) -> None:
        mean = way_count / (2 * self.count * (self.count - 1))
        self._add_event(f"pairs from {name}", pair_counts.sum(axis=(1, 2)), mean)

    def _add_event(self, name: str, counts: AnyArray, mean: float) -> None:
        if mean > 0:
            self.events.setdefault(name, Counts(mean)).add(counts)

    def _add_positions(
        self, name: str, perms: IntArray, before_classes: IntArray, after_classes: IntArray
    ) -> None:
        width = int(before_classes.max()) + 1
        joint = np.bincount(
            (before_classes[perms] * width + after_classes).ravel(), minlength=width * width
        )
        self._add_table(name, joint.reshape(width, width))

    def _add_table(self, name: str, table: IntArray) -> None:
        self.tables[name] = table + self.tables.get(name, 0)

    def p_values(self) -> dict[str, float]:
        """Return a p-value for each kind of event and each table."""
        result = {name: counts.p_value(self.keys) for name, counts in self.events.items()}
        for name, table in self.tables.items():
            result[name] = (
                judge_displacements(table, self.count)
                if table.ndim == 1
                else judge_positions(table, self.count, self.keys)
            )
        return result


def compute_p_values(perms: Iterable[IntArray], count: int) -> dict[str, float]:
    """Return the p-values of the battery over maps, or batches of maps, of `count` places."""
    battery = Battery(count)
    for perm in perms:
        battery.add(perm)
    return battery.p_values()


def draw_batches(count: int, keys: int, schedule: Schedule, seed: int = 1) -> Iterator[IntArray]:
    """Yield `keys` maps in arrays of bounded size."""
    rng = np.random.default_rng([seed, count])
    step = max(1, _UNITS // 4 // count)
    for first_key in range(0, keys, step):
        yield draw_maps(count, min(step, keys - first_key), schedule, rng)


def draw_key_maps(count: int, keys: int, rounds: int | None, seed: int = 1) -> Iterator[IntArray]:
    """Yield `keys` maps that the package makes."""
    key = Key(bytes(31) + bytes([seed]))
    for index in range(keys):
        yield permutation(count, key, nonce=index.to_bytes(4, "little"), rounds=rounds)


def main() -> None:
    """Print one row of a table for each count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("counts", type=int, nargs="+", help="units of a map")
    parser.add_argument("--rounds", type=int, help="by default those of the package")
    parser.add_argument("--keys", type=int, default=1000, help="maps; by default 1000")
    parser.add_argument("--exchange", choices=EXCHANGES, default=EXCHANGES[0], help="of spares")
    parser.add_argument("--seed", type=int, default=1, help="0..255; by default 1")
    options = parser.parse_args()
    print("| units | spares | rounds | keys | least p-value | of | where |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | --- |")
    for count in options.counts:
        rounds = chosen_rounds(options.rounds, count)
        schedule = Schedule(rounds, exchange=options.exchange)
        perms = (
            draw_batches(count, options.keys, schedule, options.seed)
            if count < _BATCHED_BELOW or options.exchange != EXCHANGES[0]
            else draw_key_maps(count, options.keys, rounds, options.seed)
        )
        result = compute_p_values(perms, count)
        name = min(result, key=lambda name: result[name])
        cells = (count, RasterLayout.for_count(count).remainder, rounds, options.keys)
        row = (*cells, f"{result[name]:.2g}", len(result), name)
        print("|", " | ".join(map(str, row)), "|", flush=True)


if __name__ == "__main__":
    main()
