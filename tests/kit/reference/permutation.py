"""Section 5: the permutation of N units, one function for each pass.

Each pass is a list of targets: the unit at position i moves to position targets[i].
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.kit.reference.chacha20 import words as words_of
from tests.kit.reference.draws import draw, inverse, move_to, shuffle
from tests.kit.reference.grid import Grid, grid
from tests.kit.reference.hkdf import subkey
from tests.kit.reference.units import default_rounds

SHUFFLED_BELOW = 36


@dataclass(frozen=True, kw_only=True)
class Layout:
    """A window of n rows of n = p q units with boxes of p x q, followed by e spare units."""

    p: int
    q: int
    spares: int

    @property
    def n(self) -> int:
        """The number of rows of the window, and of units in a row."""
        return self.p * self.q

    @property
    def count(self) -> int:
        """The number N of all units."""
        return self.n * self.n + self.spares

    def position(self, row: int, column: int) -> int:
        """Return the position of the unit in this row and column of the window."""
        return row * self.n + column


def choose_box(n: int) -> tuple[int, int] | None:
    """Return rows and columns (p, q) of a box for order n, with the largest p, or None."""
    for p in range(math.isqrt(n), 1, -1):
        q = n // p
        if p * q == n and 2 <= p <= q <= 2 * p:
            return p, q
    return None


def layout(count: int) -> Layout:
    """Return the layout of `count` units."""
    for n in range(math.isqrt(count), 3, -1):
        box = choose_box(n)
        if box is not None:
            p, q = box
            return Layout(p=p, q=q, spares=count - n * n)
    raise AssertionError(f"no layout for {count} units")


def spare_exchanges(plan: Layout, words: Iterator[int]) -> list[int]:
    """Exchange each spare, the last one first, with a unit at its position or before it."""
    sources = list(range(plan.count))
    for i in range(plan.count - 1, plan.n * plan.n - 1, -1):
        j = draw(i + 1, words)
        sources[i], sources[j] = sources[j], sources[i]
    return inverse(sources)


def row_pass(plan: Layout, s: Grid) -> list[int]:
    """Return the targets of the pass that moves the unit at (r, c) to column S[r, c]."""
    return _list_targets(plan, lambda r, c: plan.position(r, s.digit(r, c)))


def column_pass(plan: Layout, s: Grid) -> list[int]:
    """Return the targets of the pass that moves the unit at (r, c) to row S[r, c]."""
    return _list_targets(plan, lambda r, c: plan.position(s.digit(r, c), c))


def block_pass(plan: Layout, s: Grid) -> list[int]:
    """Return the targets of the pass to row (r div p) p + c div q, column S[r, c]."""
    return _list_targets(
        plan, lambda r, c: plan.position((r // plan.p) * plan.p + c // plan.q, s.digit(r, c))
    )


def _list_targets(plan: Layout, target: Callable[[int, int], int]) -> list[int]:
    """Return the targets of a pass, which does not move the spares."""
    window = [target(r, c) for r in range(plan.n) for c in range(plan.n)]
    return window + list(range(len(window), plan.count))


def passes(plan: Layout, rounds: int, words: Iterator[int]) -> Iterator[list[int]]:
    """Yield the targets of the exchanges and of all passes in their order."""
    yield spare_exchanges(plan, words)
    for _ in range(rounds):
        yield row_pass(plan, grid(plan.p, plan.q, words))
        yield column_pass(plan, grid(plan.p, plan.q, words))
        yield block_pass(plan, grid(plan.p, plan.q, words))


def permutation(count: int, rounds: int, words: Iterator[int]) -> list[int]:
    """Return permutation(N, R) as `sources`: the unit at sources[i] moves to position i."""
    if count < SHUFFLED_BELOW:
        return shuffle(count, words)
    units = list(range(count))
    for targets in passes(layout(count), rounds, words):
        units = move_to(units, targets)
    return units


def public_map(count: int, key: bytes, *, nonce: bytes, rounds: int | None = None) -> list[int]:
    """Return the result of the public function of section 5 for a master key."""
    stream = words_of(subkey(key, "master/map", context=nonce))
    return permutation(count, rounds or default_rounds([count]), stream)
