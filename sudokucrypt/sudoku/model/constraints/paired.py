"""Kinds that say which digits go together in pairs of cells."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, TypeAlias

from sudokucrypt.sudoku.model.constraints.contract import (
    ConstrainedSheet,
    Constraint,
    ConstraintKind,
)
from sudokucrypt.sudoku.model.constraints.relations import Relation, pair_table

Pairs: TypeAlias = Callable[[Constraint, ConstrainedSheet], Iterable[tuple[int, int]]]


def along(it: Constraint, _: ConstrainedSheet) -> Iterator[tuple[int, int]]:
    """Yield each two cells that follow each other."""
    return pairwise(it.cells)


def neighbours(sheet: ConstrainedSheet) -> Iterator[tuple[int, int]]:
    """Yield the pairs of cells that share an edge, in order."""
    number = {position: cell for cell, position in enumerate(sheet.cells)}
    for cell, (row, column) in enumerate(sheet.cells):
        for other in ((row, column + 1), (row + 1, column)):
            if other in number:
                yield cell, number[other]


def find_unmarked_pairs(*kinds: str) -> Pairs:
    """Return a function that yields neighboring cells without a constraint of some kinds."""

    def pairs(_: Constraint, sheet: ConstrainedSheet) -> Iterator[tuple[int, int]]:
        marked = {frozenset(it.cells) for it in sheet.constraints if it.kind in kinds}
        return (pair for pair in neighbours(sheet) if frozenset(pair) not in marked)

    return pairs


def make_pair_kind(
    allowed: Callable[[int], Callable[[int, int], bool]], pairs: Pairs = along, **more: Any
) -> ConstraintKind:
    """Return a kind by its pairs of cells and the digits, from 1, that a value allows there."""
    test = lru_cache(maxsize=64)(allowed)

    def relations(it: Constraint, sheet: ConstrainedSheet) -> Iterator[Relation]:
        table = pair_table(sheet.digits, test(it.value))
        return (Relation(0, pair, table) for pair in pairs(it, sheet))

    def holds(it: Constraint, solution: Sequence[int], sheet: ConstrainedSheet) -> bool:
        return all(test(it.value)(solution[a], solution[b]) for a, b in pairs(it, sheet))

    return ConstraintKind(relations=relations, holds=holds, **more)
