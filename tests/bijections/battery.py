"""Statistics of random maps, each with its p-value against the uniform permutation.

The battery takes maps of N places, drawn under many keys, and looks for what a scrambler with too
little mixing leaves behind: places that stay, neighbours that stay together, rows, columns, boxes
and spares that stay whole, displacements and positions that are not spread evenly.

Run ``python -m tests.bijections.battery 63 --rounds 4 --keys 20000`` for figures of your own.
"""

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from sudokucrypt import Key, permutation
from sudokucrypt.bijections import RasterLayout, chosen_rounds
from sudokucrypt.typing import AnyArray, IntArray
from tests.bijections.batches import EXCHANGES, Schedule, maps
from tests.bijections.chances import Counts, cycles, displacements_p, positions_p

BINS = 64
"""Classes of displacements, and most classes of lines or places in a table."""
_UNITS = 1 << 21
"""How many units are looked at together."""
_BATCHED_BELOW = 4096
"""Maps of so few units come from `batches`, larger ones from the package itself."""


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
        return RasterLayout.of(self.count)

    @cached_property
    def lines(self) -> dict[str, IntArray]:
        """The line 0..n-1 of each place, by kind of line; n for spares."""
        (p, q), n = self.layout.box, self.layout.order
        rows, columns = np.divmod(np.arange(self.count), n)
        result = {"row": rows, "column": columns, "box": rows // p * p + columns // q}
        return {kind: np.where(rows < n, line, n) for kind, line in result.items()}

    @cached_property
    def neighbours(self) -> dict[str, tuple[IntArray, int]]:
        """The first places of pairs, and how far behind them the second ones lie."""
        n, positions = self.layout.order, np.arange(self.count)
        window, spares = positions[: n * n], positions[n * n :]
        return {
            "row neighbours": (window[window % n < n - 1], 1),
            "column neighbours": (window[:-n], n),
            "neighbouring spares": (spares[:-1], 1),
            "spares of one column": (spares[:-n], n),
            "spares and the window": (spares, -n),
        }

    def add(self, perms: IntArray) -> None:
        """Count what one map does, or each row of an array of maps."""
        perms = np.atleast_2d(perms)
        step = max(1, _UNITS // self.count)
        for start in range(0, len(perms), step):
            part = perms[start : start + step]
            self.keys += len(part)
            self._units(part)
            self._neighbours(part)
            self._lines(part)

    def _units(self, perms: IntArray) -> None:
        positions = np.arange(self.count)
        self._event("fixed points", (perms == positions).sum(axis=1), 1.0)
        self._event("cycles", cycles(perms), float((1 / (positions + 1)).sum()))
        spare = positions >= self.layout.order**2
        mean = self.layout.remainder**2 / self.count
        self._event("spares that stay spares", (spare[perms] & spare).sum(axis=1), mean)
        for kind, line in self.lines.items():
            stay = (line[perms] == line) & ~spare
            mean = self.layout.order**3 / self.count
            self._event(f"units that stay in their {kind}", stay.sum(axis=1), mean)
        small = self.count < 256
        self._table(
            "positions", perms, *2 * [positions if small else positions * BINS // self.count]
        )

    def _neighbours(self, perms: IntArray) -> None:
        count, n, spares = self.count, self.layout.order, self.layout.remainder
        went = np.empty_like(perms)
        np.put_along_axis(went, perms, np.broadcast_to(np.arange(count), perms.shape), 1)
        # Ordered pairs of places that lie side by side, on one line, or both behind the window.
        beside, joined, behind = (4 * count - 2 - 2 * n, n * n * (n - 1), spares * (spares - 1))
        for kind, (firsts, step) in self.neighbours.items():
            chance = len(firsts) / (count * (count - 1))
            one, other = went[:, firsts], went[:, firsts + step]
            gap = np.abs(one - other)
            near = (gap == 1) | (gap == n)
            both = (one >= n * n) & (other >= n * n)
            self._event(f"{kind} that stay neighbours", near.sum(axis=1), beside * chance)
            self._event(f"{kind} that become spares", both.sum(axis=1), behind * chance)
            for name, line in self.lines.items():
                same = (line[one] == line[other]) & ~both
                self._event(f"{kind} in one {name}", same.sum(axis=1), joined * chance)
        for name, step in (("row", 1), ("column", n)):
            gap = (went[:, step:] - went[:, :-step]) % count
            bins = np.bincount((gap * BINS // count).ravel(), minlength=BINS)
            self._count(f"displacements of {name} neighbours", bins)

    def _lines(self, perms: IntArray) -> None:
        """Count pairs that share a line of one kind before and of another one after.

        Pairs from spares to spares say no more than how many spares stay spares.
        """
        n, spares = self.layout.order, self.layout.remainder
        inside, behind = n * n * (n - 1), spares * (spares - 1)
        keys = np.arange(len(perms))[:, None] * (n + 1) ** 2
        for before, old in self.lines.items():
            for after, new in self.lines.items():
                joint = keys + old[perms] * (n + 1) + new
                table = np.bincount(joint.ravel(), minlength=len(perms) * (n + 1) ** 2)
                table = table.reshape(-1, n + 1, n + 1)
                pairs = table * (table - 1) // 2
                self._pairs(f"{before} to {after}", pairs[:, :n, :n], inside * inside)
                if before == "row":
                    self._pairs(f"spares to {after}", pairs[:, n:, :n], behind * inside)
                if after == "row":
                    self._pairs(f"{before} to spares", pairs[:, :n, n:], inside * behind)
                width = min(n, BINS)
                coarse = [np.where(line < n, line * width // n, width) for line in (old, new)]
                self._table(f"positions by {before} and {after}", perms, *coarse)

    def _pairs(self, name: str, pairs: IntArray, ways: int) -> None:
        mean = ways / (2 * self.count * (self.count - 1))
        self._event(f"pairs from {name}", pairs.sum(axis=(1, 2)), mean)

    def _event(self, name: str, seen: AnyArray, mean: float) -> None:
        if mean > 0:
            self.events.setdefault(name, Counts(mean)).add(seen)

    def _table(self, name: str, perms: IntArray, before: IntArray, after: IntArray) -> None:
        width = int(before.max()) + 1
        joint = np.bincount((before[perms] * width + after).ravel(), minlength=width * width)
        self._count(name, joint.reshape(width, width))

    def _count(self, name: str, table: IntArray) -> None:
        self.tables[name] = table + self.tables.get(name, 0)

    def p_values(self) -> dict[str, float]:
        """Return a p-value for each kind of event and each table."""
        result = {name: counts.p_value(self.keys) for name, counts in self.events.items()}
        for name, table in self.tables.items():
            result[name] = (
                displacements_p(table, self.count)
                if table.ndim == 1
                else positions_p(table, self.count, self.keys)
            )
        return result


def examine(perms: Iterable[IntArray], count: int) -> dict[str, float]:
    """Return the p-values of the battery over some maps, or batches of maps, of `count` places."""
    battery = Battery(count)
    for perm in perms:
        battery.add(perm)
    return battery.p_values()


def batches(count: int, keys: int, schedule: Schedule, seed: int = 1) -> Iterator[IntArray]:
    """Yield so many maps in arrays of bounded size."""
    rng = np.random.default_rng([seed, count])
    step = max(1, _UNITS // 4 // count)
    for start in range(0, keys, step):
        yield maps(count, min(step, keys - start), schedule, rng)


def keyed(count: int, keys: int, rounds: int | None, seed: int = 1) -> Iterator[IntArray]:
    """Yield so many maps of the package."""
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
            batches(count, options.keys, schedule, options.seed)
            if count < _BATCHED_BELOW or options.exchange != EXCHANGES[0]
            else keyed(count, options.keys, rounds, options.seed)
        )
        result = examine(perms, count)
        name = min(result, key=lambda name: result[name])
        cells = (count, RasterLayout.of(count).remainder, rounds, options.keys)
        row = (*cells, f"{result[name]:.2g}", len(result), name)
        print("|", " | ".join(map(str, row)), "|", flush=True)


if __name__ == "__main__":
    main()
