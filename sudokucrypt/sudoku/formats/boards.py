"""Boards of f-puzzles and SudokuPad: squares with boxes or regions, and flags for further rules."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from sudokucrypt.sudoku.model.boxes import default_box, regions
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.typing import Box

# As f-puzzles itself has it; no link can ask for a huge board.
LARGEST = 16


class Flag(NamedTuple):
    """A rule that a flag turns on: its variant, whose further houses have names that begin so."""

    title: str
    rule: str
    prefix: str
    build: Callable[[Box], Variant]

    def add_to(self, variant: Variant) -> Variant:
        """Return a square variant with this rule."""
        box = default_box(variant.digits)
        more = [h for h in self.build(box).houses if h.name.startswith(self.prefix)]
        return variant.with_houses(self.title, more, self.rule)


FLAGS = {
    "diagonal-": Flag("Falling diagonal", "The falling diagonal holds each digit once.",
                      "diagonal 1", Variant.x),
    "diagonal+": Flag("Rising diagonal", "The rising diagonal holds each digit once.",
                      "diagonal 2", Variant.x),
    "antiknight": Flag("Anti-knight", Variant.anti_knight().rule, "knight's move",
                       Variant.anti_knight),
    "antiking": Flag("Anti-king", Variant.anti_king().rule, "king's move", Variant.anti_king),
    "disjointgroups": Flag("Disjoint groups", Variant.disjoint_groups().rule, "disjoint group",
                           Variant.disjoint_groups),
}  # fmt: skip


def board_from(size: int, labels: Sequence[int] | None) -> Variant:
    """Return rows, columns and the regions that a label for each cell names, boxes if they are."""
    if labels is None:
        return Variant.latin(size)
    parts = _parts(labels)
    for box in (default_box(size), *((p, size // p) for p in range(1, size + 1) if size % p == 0)):
        if parts == _parts(regions((size, size), box)["box"].reshape(-1).tolist()):
            return Variant.standard(box)
    return Variant.jigsaw(np.array(labels).reshape(size, size))


def _parts(labels: Iterable[int]) -> set[frozenset[int]]:
    """Return the cells that have each label."""
    cells: dict[int, set[int]] = {}
    for cell, label in enumerate(labels):
        cells.setdefault(label, set()).add(cell)
    return {frozenset(part) for part in cells.values()}
