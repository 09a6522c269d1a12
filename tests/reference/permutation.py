"""Section 5: the permutation of N units, one function for each pass.

Every pass is a list of targets: the unit at place i goes to place targets[i].
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.reference.draws import draw, move_to, shuffle
from tests.reference.grid import Grid, grid

SHUFFLED_BELOW = 36


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Rectangle of F rows of n = p q units, and a tail of e units.

    Parameters
    ----------
    p, q
        Rows and columns of a box.
    rows
        The number F of whole rows.
    tail
        The number e of units in the tail.
    """

    p: int
    q: int
    rows: int
    tail: int

    @property
    def n(self) -> int:
        """Units in a row."""
        return self.p * self.q

    @property
    def count(self) -> int:
        """The number N of units."""
        return self.rows * self.n + self.tail

    def place(self, row: int, column: int) -> int:
        """Place of the unit in this row and column."""
        return row * self.n + column

    def tail_place(self, t: int) -> int:
        """Place of the tail unit t."""
        return self.rows * self.n + t

    def windows(self) -> list[int]:
        """First row of each window."""
        return [0, self.rows - self.n] if self.rows > self.n else [0]


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
            return Layout(p=p, q=q, rows=count // n, tail=count % n)
    raise AssertionError(f"no layout for {count} units")


def tail_swap(plan: Layout, rho: Sequence[int]) -> list[int]:
    """Exchange the tail unit t with the unit in row rho[t], column t."""
    targets = list(range(plan.count))
    for t, row in enumerate(rho):
        inside, outside = plan.place(row, t), plan.tail_place(t)
        targets[inside], targets[outside] = outside, inside
    return targets


def row_pass(plan: Layout, s: Grid) -> list[int]:
    """In every row, the unit in column c moves to column S[r mod n, c]."""
    targets = list(range(plan.count))
    for r in range(plan.rows):
        for c in range(plan.n):
            targets[plan.place(r, c)] = plan.place(r, s.digit(r % plan.n, c))
    return targets


def column_pass(plan: Layout, top: int, s: Grid) -> list[int]:
    """In the window from row `top` on, the unit at (r, c) moves to row S[r, c]."""
    targets = list(range(plan.count))
    for r in range(plan.n):
        for c in range(plan.n):
            targets[plan.place(top + r, c)] = plan.place(top + s.digit(r, c), c)
    return targets


def block_pass(plan: Layout, top: int, s: Grid) -> list[int]:
    """In the window from row `top` on, (r, c) goes to row (r div p) p + c div q, column S[r, c]."""
    targets = list(range(plan.count))
    for r in range(plan.n):
        for c in range(plan.n):
            row = (r // plan.p) * plan.p + c // plan.q
            targets[plan.place(top + r, c)] = plan.place(top + row, s.digit(r, c))
    return targets


def passes(plan: Layout, rounds: int, words: Iterator[int]) -> Iterator[list[int]]:
    """The targets of all passes in their order, drawn as they come."""

    def drawn_tail_swap() -> list[int]:
        return tail_swap(plan, [draw(plan.rows, words) for _ in range(plan.tail)])

    for _ in range(rounds):
        if plan.tail > 0:
            yield drawn_tail_swap()
        yield row_pass(plan, grid(plan.p, plan.q, words))
        for top in plan.windows():
            yield column_pass(plan, top, grid(plan.p, plan.q, words))
        for top in plan.windows():
            yield block_pass(plan, top, grid(plan.p, plan.q, words))
    if plan.tail > 0:
        yield drawn_tail_swap()


def permutation(count: int, rounds: int, words: Iterator[int]) -> list[int]:
    """permutation(N, R): the list `sources` of the permutation.

    Parameters
    ----------
    count
        The number N of units, at least 0.
    rounds
        The number R of rounds.
    words
        Stream of 32-bit words.

    Returns
    -------
    list of int
        The unit at place sources[i] moves to place i.
    """
    if count < SHUFFLED_BELOW:
        return shuffle(count, words)
    units = list(range(count))
    for targets in passes(layout(count), rounds, words):
        units = move_to(units, targets)
    return units
