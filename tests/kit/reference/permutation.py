"""Section 5: the permutation of N units, one function for each pass.

Each pass is a list of targets: the unit at position i moves to position targets[i].
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.kit.reference.chacha20 import iterate_words as words_of
from tests.kit.reference.draws import draw, inverse, move_to, shuffle
from tests.kit.reference.grid import Grid, draw_grid
from tests.kit.reference.hkdf import derive_subkey
from tests.kit.reference.units import choose_rounds

SHUFFLED_BELOW = 36


@dataclass(frozen=True, kw_only=True)
class Layout:
    """A window of n rows of n = p q units with boxes of p x q, followed by e spare units."""

    p: int
    q: int
    spare_count: int

    @property
    def n(self) -> int:
        """The number of rows of the window, and of units in a row."""
        return self.p * self.q

    @property
    def count(self) -> int:
        """The number N of all units."""
        return self.n * self.n + self.spare_count

    def position(self, row: int, column: int) -> int:
        """Return the position of the unit in this row and column of the window."""
        return row * self.n + column


def choose_box(order: int) -> tuple[int, int] | None:
    """Return rows and columns (p, q) of a box for order n, with the largest p, or None."""
    for box_rows in range(math.isqrt(order), 1, -1):
        box_columns = order // box_rows
        if box_rows * box_columns == order and 2 <= box_rows <= box_columns <= 2 * box_rows:
            return box_rows, box_columns
    return None


def choose_layout(count: int) -> Layout:
    """Return the layout of `count` units."""
    for order in range(math.isqrt(count), 3, -1):
        box = choose_box(order)
        if box is not None:
            p, q = box
            return Layout(p=p, q=q, spare_count=count - order * order)
    raise AssertionError(f"no layout for {count} units")


def list_spare_exchanges(unit_layout: Layout, words: Iterator[int]) -> list[int]:
    """Exchange each spare, the last one first, with a unit at its position or before it."""
    sources = list(range(unit_layout.count))
    for position in range(unit_layout.count - 1, unit_layout.n * unit_layout.n - 1, -1):
        partner = draw(position + 1, words)
        sources[position], sources[partner] = sources[partner], sources[position]
    return inverse(sources)


def list_row_pass(unit_layout: Layout, grid: Grid) -> list[int]:
    """Return the targets of the pass that moves the unit at (r, c) to column S[r, c]."""
    return _list_targets(unit_layout, lambda r, c: unit_layout.position(r, grid.digit(r, c)))


def list_column_pass(unit_layout: Layout, grid: Grid) -> list[int]:
    """Return the targets of the pass that moves the unit at (r, c) to row S[r, c]."""
    return _list_targets(unit_layout, lambda r, c: unit_layout.position(grid.digit(r, c), c))


def list_block_pass(unit_layout: Layout, grid: Grid) -> list[int]:
    """Return the targets of the pass to row (r div p) p + c div q, column S[r, c]."""
    return _list_targets(
        unit_layout,
        lambda r, c: unit_layout.position(
            (r // unit_layout.p) * unit_layout.p + c // unit_layout.q, grid.digit(r, c)
        ),
    )


def _list_targets(unit_layout: Layout, target: Callable[[int, int], int]) -> list[int]:
    """Return the targets of a pass, which does not move the spares."""
    window = [target(r, c) for r in range(unit_layout.n) for c in range(unit_layout.n)]
    return window + list(range(len(window), unit_layout.count))


def iterate_passes(unit_layout: Layout, rounds: int, words: Iterator[int]) -> Iterator[list[int]]:
    """Yield the targets of the exchanges and of all passes in their order."""
    yield list_spare_exchanges(unit_layout, words)
    for _ in range(rounds):
        yield list_row_pass(unit_layout, draw_grid(unit_layout.p, unit_layout.q, words))
        yield list_column_pass(unit_layout, draw_grid(unit_layout.p, unit_layout.q, words))
        yield list_block_pass(unit_layout, draw_grid(unit_layout.p, unit_layout.q, words))


def draw_permutation(count: int, rounds: int, words: Iterator[int]) -> list[int]:
    """Return permutation(N, R) as `sources`: the unit at sources[i] moves to position i."""
    if count < SHUFFLED_BELOW:
        return shuffle(count, words)
    units = list(range(count))
    for targets in iterate_passes(choose_layout(count), rounds, words):
        units = move_to(units, targets)
    return units


def draw_public_map(
    count: int, key: bytes, *, nonce: bytes, rounds: int | None = None
) -> list[int]:
    """Return the result of the public function of section 5 for a master key."""
    stream = words_of(derive_subkey(key, "master/map", context=nonce))
    return draw_permutation(count, rounds or choose_rounds([count]), stream)
