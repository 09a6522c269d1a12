"""Section 5: the permutation of N units, one function for each pass.

Every pass is a list of targets: the unit at position i goes to position targets[i].
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
    """Window of n rows of n = p q units with boxes of p x q, and e spare units behind it."""

    p: int
    q: int
    spares: int

    @property
    def n(self) -> int:
        """Rows of the window, and units in a row."""
        return self.p * self.q

    @property
    def count(self) -> int:
        """The number N of units."""
        return self.n * self.n + self.spares

    def position(self, row: int, column: int) -> int:
        """Place of the unit in this row and column of the window."""
        return row * self.n + column


def box_of(n: int) -> tuple[int, int] | None:
    """Rows and columns (p, q) of a box for the order n, the largest p first; None if none fits."""
    for p in range(math.isqrt(n), 1, -1):
        q = n // p
        if p * q == n and 2 <= p <= q <= 2 * p:
            return p, q
    return None


def layout(count: int) -> Layout:
    """Layout of `count` units."""
    for n in range(math.isqrt(count), 3, -1):
        box = box_of(n)
        if box is not None:
            p, q = box
            return Layout(p=p, q=q, spares=count - n * n)
    raise AssertionError(f"no layout for {count} units")


def spare_exchanges(plan: Layout, words: Iterator[int]) -> list[int]:
    """From the last spare to the first, exchange each with a unit at its position or before it."""
    sources = list(range(plan.count))
    for i in range(plan.count - 1, plan.n * plan.n - 1, -1):
        j = draw(i + 1, words)
        sources[i], sources[j] = sources[j], sources[i]
    return inverse(sources)


def row_pass(plan: Layout, s: Grid) -> list[int]:
    """The unit at (r, c) moves to column S[r, c]."""
    return _targets(plan, lambda r, c: plan.position(r, s.digit(r, c)))


def column_pass(plan: Layout, s: Grid) -> list[int]:
    """The unit at (r, c) moves to row S[r, c]."""
    return _targets(plan, lambda r, c: plan.position(s.digit(r, c), c))


def block_pass(plan: Layout, s: Grid) -> list[int]:
    """The unit at (r, c) moves to row (r div p) p + c div q, column S[r, c]."""
    return _targets(
        plan, lambda r, c: plan.position((r // plan.p) * plan.p + c // plan.q, s.digit(r, c))
    )


def _targets(plan: Layout, target: Callable[[int, int], int]) -> list[int]:
    """The targets of a pass, which leaves the spares where they are."""
    window = [target(r, c) for r in range(plan.n) for c in range(plan.n)]
    return window + list(range(len(window), plan.count))


def passes(plan: Layout, rounds: int, words: Iterator[int]) -> Iterator[list[int]]:
    """The targets of the exchanges and of all passes in their order, drawn as they come."""
    yield spare_exchanges(plan, words)
    for _ in range(rounds):
        yield row_pass(plan, grid(plan.p, plan.q, words))
        yield column_pass(plan, grid(plan.p, plan.q, words))
        yield block_pass(plan, grid(plan.p, plan.q, words))


def permutation(count: int, rounds: int, words: Iterator[int]) -> list[int]:
    """permutation(N, R): the list `sources`; the unit at sources[i] moves to position i."""
    if count < SHUFFLED_BELOW:
        return shuffle(count, words)
    units = list(range(count))
    for targets in passes(layout(count), rounds, words):
        units = move_to(units, targets)
    return units


def public_map(count: int, key: bytes, *, nonce: bytes, rounds: int | None = None) -> list[int]:
    """What the public function of section 5 returns, under a master key."""
    stream = words_of(subkey(key, "master/map", context=nonce))
    return permutation(count, rounds or default_rounds([count]), stream)
