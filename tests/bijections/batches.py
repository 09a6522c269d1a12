"""Many maps at once: section 5 of the specification over an axis of keys, and weakened forms of it.

NumPy's generator takes the place of the key stream, so twenty thousand maps take seconds.
`test_uniformity.py` compares single maps with those that the passes of the package make.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from sudokucrypt.bijections import RasterLayout

if TYPE_CHECKING:
    from sudokucrypt.typing import Box, IntArray

Exchange = Literal["anywhere", "own column", "never"]

EXCHANGES: tuple[Exchange, ...] = ("anywhere", "own column", "never")


@dataclass(frozen=True)
class Schedule:
    """What makes a map; all but the number of rounds has the specified form by default.

    Parameters
    ----------
    rounds : int
        How often the passes are applied.
    exchange : {"anywhere", "own column", "never"}
        Where the spares find their partners: anywhere before them, once, as specified; or, as in
        a design that was given up, in random rows of the column with their number modulo n,
        before each round and after the last.
    passes : tuple of str
        Which passes make a round.
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
    def drawn(cls, box: Box, keys: int, rng: np.random.Generator) -> Grids:
        """Draw the grids as the specification does."""
        p, q = box
        rows, columns = _shuffled_lines(q, p, keys, rng), _shuffled_lines(p, q, keys, rng)
        alpha, beta = q * (rows % p) + rows // p, columns
        if p == q:
            turned = rng.integers(0, 2, (keys, 1), dtype=bool)
            alpha, beta = np.where(turned, beta, alpha), np.where(turned, alpha, beta)
        return cls(box, alpha, beta, _shuffles((keys, p * q), rng))

    def digits(self) -> IntArray:
        """Return the digits of all grids, shape (keys, n, n)."""
        keys, n = self.sigma.shape
        offsets = (self.alpha[:, :, None] + self.beta[:, None, :]) % n
        return np.take_along_axis(self.sigma, offsets.reshape(keys, -1), 1).reshape(keys, n, n)


def maps(count: int, keys: int, schedule: Schedule, rng: np.random.Generator) -> IntArray:
    """Return maps of shape (keys, count): the unit at ``maps[k, i]`` moves to place i."""
    layout = RasterLayout.of(count)
    n = layout.order
    units = np.tile(np.arange(count), (keys, 1))
    if schedule.exchange == "anywhere":
        bounds = np.arange(count, n * n, -1)
        exchange(units, rng.integers(0, bounds, (keys, len(bounds))))
    for _ in range(schedule.rounds):
        if schedule.exchange == "own column":
            _exchange_columns(units, n, rng)
        for name in schedule.passes:
            move(units, name, Grids.drawn(layout.box, keys, rng))
    if schedule.exchange == "own column":
        _exchange_columns(units, n, rng)
    return units


def exchange(units: IntArray, positions: IntArray) -> None:
    """Exchange in each map the last unit, and so on backwards, with that at the next place."""
    every = np.arange(len(units))
    for step, others in enumerate(positions.T):
        position = units.shape[1] - 1 - step
        held = units[:, position].copy()
        units[:, position] = units[every, others]
        units[every, others] = held


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
    moved = np.empty_like(targets)
    np.put_along_axis(moved, targets, units[:, : n * n], 1)
    units[:, : n * n] = moved


def _exchange_columns(units: IntArray, n: int, rng: np.random.Generator) -> None:
    every = np.arange(len(units))
    for position in range(n * n, units.shape[1]):
        others = rng.integers(0, n, len(units)) * n + (position - n * n) % n
        held = units[:, position].copy()
        units[:, position] = units[every, others]
        units[every, others] = held


def _shuffled_lines(groups: int, size: int, keys: int, rng: np.random.Generator) -> IntArray:
    """Shuffle `groups` groups of `size` lines, and the lines inside each."""
    inside = _shuffles((keys, groups, size), rng)
    return (_shuffles((keys, groups), rng)[:, :, None] * size + inside).reshape(keys, -1)


def _shuffles(shape: tuple[int, ...], rng: np.random.Generator) -> IntArray:
    """Return uniform permutations along the last axis."""
    shuffled: IntArray = rng.permuted(np.broadcast_to(np.arange(shape[-1]), shape), axis=-1)
    return shuffled
