"""Constraints, and the contract of their kinds, including kinds that restrict pairs of cells."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.registry import Registry
from sudokucrypt.sudoku.model.boxes import get_cell_name
from sudokucrypt.sudoku.model.constraints.marks import Mark
from sudokucrypt.sudoku.model.constraints.relations import Relation, make_pair_table


class ConstrainedGrid(Protocol):
    """The parts of a variant that constraints use."""

    @property
    def digits(self) -> int:
        """The number of digits."""

    @property
    def cells(self) -> Sequence[tuple[int, int]]:
        """The row and column of each cell, by the number of the cell."""

    @property
    def constraints(self) -> Sequence["Constraint"]:
        """All constraints of the grid; rules about unmarked cells need them."""

    def peers(self, cell: int) -> NDArray[np.int32]:
        """Return the cells that share a house with `cell`."""


@dataclass(frozen=True)
class Constraint:
    """A constraint of some kind on certain cells.

    Raises `InvalidGridError` if the kind is unknown, or if it does not allow these cells or value.

    >>> Constraint("killer", (0, 1, 2), 10)
    Constraint(kind='killer', cells=(0, 1, 2), value=10, clues=())
    """

    kind: str  #: The name of a kind in `CONSTRAINTS`.
    cells: tuple[int, ...] = ()  #: Numbers of cells, in the order that the kind requires.
    value: int = 0  #: The value that the kind requires, such as the sum of a cage; otherwise 0.
    clues: tuple[int, ...] = ()  #: The digits of a quadruple, from 1.

    def __post_init__(self) -> None:
        if self.kind not in CONSTRAINTS:
            raise InvalidGridError(f"there is no constraint {self.kind!r}")
        kind = CONSTRAINTS[self.kind]
        if len(self.cells) not in kind.sizes or self.value not in kind.values:
            raise InvalidGridError(
                f"a constraint {self.kind!r} cannot have {len(self.cells)} cells and the value "
                f"{self.value}"
            )
        if len({*self.cells}) < len(self.cells) and not kind.repeats:
            raise InvalidGridError(f"a constraint {self.kind!r} has a cell twice")

    def check(self, grid: ConstrainedGrid) -> None:
        """Raise `InvalidGridError` if the constraint does not fit a grid."""
        kind = CONSTRAINTS[self.kind]
        is_inside = all(0 <= cell < len(grid.cells) for cell in self.cells)
        if not is_inside or (kind.distinct and len(self.cells) > grid.digits):
            raise InvalidGridError(f"a constraint {self.kind!r} has cells that the grid lacks")
        if not kind.fits(self, grid):
            raise InvalidGridError(f"a constraint {self.kind!r} does not fit the grid")

    def relations(self, grid: ConstrainedGrid) -> Iterator[Relation]:
        """Yield the relations by which a search applies the constraint."""
        yield from CONSTRAINTS[self.kind].relations(self, grid)

    def holds(self, solution: Sequence[int], grid: ConstrainedGrid) -> bool:
        """Return whether a solution, the digits 1..n of all cells, satisfies the constraint."""
        return CONSTRAINTS[self.kind].holds(self, solution, grid)

    def sentence(self, grid: ConstrainedGrid) -> str:
        """Return the constraint as a sentence for players."""
        names = [get_cell_name(*grid.cells[cell]) for cell in self.cells]
        return CONSTRAINTS[self.kind].sentence(self, names)

    def marks(self, grid: ConstrainedGrid) -> Iterator[Mark]:
        """Yield the marks of the constraint in pictures."""
        yield from CONSTRAINTS[self.kind].marks(self, grid)


class EntryForm(NamedTuple):
    """The form of a kind in the JSON of f-puzzles: its key, and functions that read and write it.

    `read` takes the value of the key and the number of rows, and yields None for an empty clue.
    `write` takes all constraints of the kind and the number of rows, and returns None for
    constraints that f-puzzles cannot express. A key ``negative KEY`` stands for an item of the list
    under ``negative``.
    """

    key: str
    read: Callable[[Any, int], Iterable[Constraint | None]]
    write: Callable[[Sequence[Constraint], int], Any]


@dataclass(frozen=True, kw_only=True)
class ConstraintKind:
    """A kind of constraint."""

    name: str  #: The name of the kind.
    #: Returns the sentence for players, for a constraint and the names of its cells.
    sentence: Callable[[Constraint, list[str]], str]
    #: Returns the relations of a constraint on a grid, for a search.
    relations: Callable[[Constraint, ConstrainedGrid], Iterable[Relation]]
    #: Returns whether a solution (digits from 1) satisfies a constraint on a grid. Keep it simple:
    #: tests use it as the reference.
    holds: Callable[[Constraint, Sequence[int], ConstrainedGrid], bool]
    sizes: range = range(2, 257)  #: The allowed numbers of cells.
    values: range = range(1)  #: The allowed values.
    #: Returns whether a constraint fits a grid.
    fits: Callable[[Constraint, ConstrainedGrid], bool] = lambda *_: True
    repeats: bool = False  #: Whether a constraint may contain a cell twice.
    distinct: bool = False  #: Whether no digit may occur twice in the cells of a constraint.
    #: The meaning of the marks in pictures; ``{value}`` stands for the value of a constraint. If
    #: the text is empty or differs between constraints, pictures show their sentences instead.
    legend: str = ""
    #: Returns the marks of a constraint in pictures of a grid.
    marks: Callable[[Constraint, ConstrainedGrid], Iterable[Mark]] = lambda *_: ()
    entry: EntryForm | None = None  #: The form in f-puzzles; None if f-puzzles lacks the kind.


def make_digits_test(
    test: Callable[[Constraint, list[int]], bool],
) -> Callable[[Constraint, Sequence[int], ConstrainedGrid], bool]:
    """Return the function `holds` of a kind whose test needs only the digits of its own cells."""
    return lambda constraint, solution, _: test(
        constraint, [solution[cell] for cell in constraint.cells]
    )


CONSTRAINTS = Registry(
    ConstraintKind,
    item_noun="a kind of constraint",
    group="sudokucrypt.constraints",
    package="sudokucrypt.sudoku.model.constraints.kinds",
)
"""The registered kinds by name."""

SUM_VALUES = range(1, 1000)
"""The values of kinds whose value is a sum."""


PairLister: TypeAlias = Callable[[Constraint, ConstrainedGrid], Iterable[tuple[int, int]]]


def list_successive_pairs(constraint: Constraint, _: ConstrainedGrid) -> Iterator[tuple[int, int]]:
    """Yield all pairs of cells that follow each other in a constraint."""
    return pairwise(constraint.cells)


def list_neighbor_pairs(grid: ConstrainedGrid) -> Iterator[tuple[int, int]]:
    """Yield the pairs of cells that share an edge, in order."""
    cell_numbers = {position: cell for cell, position in enumerate(grid.cells)}
    for cell, (row, column) in enumerate(grid.cells):
        for neighbor in ((row, column + 1), (row + 1, column)):
            if neighbor in cell_numbers:
                yield cell, cell_numbers[neighbor]


def make_unmarked_pair_lister(*kinds: str) -> PairLister:
    """Return a function that yields pairs of neighbors without a constraint of the given kinds."""

    def list_pairs(_: Constraint, grid: ConstrainedGrid) -> Iterator[tuple[int, int]]:
        marked_pairs = {
            frozenset(constraint.cells)
            for constraint in grid.constraints
            if constraint.kind in kinds
        }
        return (pair for pair in list_neighbor_pairs(grid) if frozenset(pair) not in marked_pairs)

    return list_pairs


def make_pair_kind(
    choose_test: Callable[[int], Callable[[int, int], bool]],
    pairs: PairLister = list_successive_pairs,
    **fields: Any,
) -> ConstraintKind:
    """Return a kind that restricts pairs of cells.

    `choose_test` takes the value of a constraint and returns a test of two digits, from 1; `pairs`
    yields the pairs of cells; `fields` are the other fields of the kind.
    """
    make_test = lru_cache(maxsize=64)(choose_test)

    def make_relations(constraint: Constraint, grid: ConstrainedGrid) -> Iterator[Relation]:
        table = make_pair_table(grid.digits, make_test(constraint.value))
        return (Relation(0, pair, table) for pair in pairs(constraint, grid))

    def is_satisfied(
        constraint: Constraint, solution: Sequence[int], grid: ConstrainedGrid
    ) -> bool:
        return all(
            make_test(constraint.value)(solution[a], solution[b])
            for a, b in pairs(constraint, grid)
        )

    return ConstraintKind(relations=make_relations, holds=is_satisfied, **fields)
