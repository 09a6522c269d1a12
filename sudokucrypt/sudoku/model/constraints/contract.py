"""What a kind of constraint is, also one of pairs of cells, and a constraint of a kind."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.registry import Registry
from sudokucrypt.sudoku.model.boxes import cell_name
from sudokucrypt.sudoku.model.constraints.marks import Mark
from sudokucrypt.sudoku.model.constraints.relations import Relation, pair_table


class ConstrainedSheet(Protocol):
    """What constraints know of a variant."""

    @property
    def digits(self) -> int:
        """How many digits there are."""

    @property
    def cells(self) -> Sequence[tuple[int, int]]:
        """Rows and columns of the cells, by their numbers."""

    @property
    def constraints(self) -> Sequence["Constraint"]:
        """All constraints, for what a rule says of cells that have none."""

    def peers(self, cell: int) -> NDArray[np.int32]:
        """Return the cells that share a house with one."""


@dataclass(frozen=True)
class Constraint:
    """A constraint of a kind on cells.

    `InvalidGridError` if there is no such kind, or cells or value do not make sense for it.

    >>> Constraint("killer", (0, 1, 2), 10)
    Constraint(kind='killer', cells=(0, 1, 2), value=10, clues=())
    """

    kind: str  #: The name of a kind in `CONSTRAINTS`.
    cells: tuple[int, ...] = ()  #: Numbers of cells, in the order that the kind says.
    value: int = 0  #: The number that goes with it, such as a sum.
    clues: tuple[int, ...] = ()  #: The digits that a quadruple shows, from 1.

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

    def check(self, sheet: ConstrainedSheet) -> None:
        """Raise `InvalidGridError` if it makes no sense on a sheet."""
        kind = CONSTRAINTS[self.kind]
        inside = all(0 <= cell < len(sheet.cells) for cell in self.cells)
        if not inside or (kind.distinct and len(self.cells) > sheet.digits):
            raise InvalidGridError(f"a constraint {self.kind!r} has cells that the sheet lacks")
        if not kind.fits(self, sheet):
            raise InvalidGridError(f"a constraint {self.kind!r} does not fit the sheet")

    def relations(self, sheet: ConstrainedSheet) -> Iterator[Relation]:
        """Yield what it means for a search."""
        yield from CONSTRAINTS[self.kind].relations(self, sheet)

    def holds(self, solution: Sequence[int], sheet: ConstrainedSheet) -> bool:
        """Return whether digits, counted from 1, of all cells of a sheet keep it."""
        return CONSTRAINTS[self.kind].holds(self, solution, sheet)

    def sentence(self, sheet: ConstrainedSheet) -> str:
        """Return what players must be told."""
        names = [cell_name(*sheet.cells[cell]) for cell in self.cells]
        return CONSTRAINTS[self.kind].sentence(self, names)

    def marks(self, sheet: ConstrainedSheet) -> Iterator[Mark]:
        """Yield what pictures show of it."""
        yield from CONSTRAINTS[self.kind].marks(self, sheet)


class EntryForm(NamedTuple):
    """How f-puzzles writes a kind: its key, and what goes between the key's value and constraints.

    `read` takes the value and the rows of the board, and yields None for a clue that says nothing.
    `write` takes all constraints of the kind, and returns None for what f-puzzles cannot say.
    ``negative KEY`` stands for an item of the list under ``negative``.
    """

    key: str
    read: Callable[[Any, int], Iterable[Constraint | None]]
    write: Callable[[Sequence[Constraint], int], Any]


@dataclass(frozen=True, kw_only=True)
class ConstraintKind:
    """A kind of constraint."""

    name: str  #: The word for it.
    #: Returns what players are told, for a constraint and the names of its cells.
    sentence: Callable[[Constraint, list[str]], str]
    #: Returns its relations, for a constraint and a sheet.
    relations: Callable[[Constraint, ConstrainedSheet], Iterable[Relation]]
    #: Returns whether the digits of all cells, from 1, keep a constraint on a sheet; the simplest
    #: statement of it.
    holds: Callable[[Constraint, Sequence[int], ConstrainedSheet], bool]
    sizes: range = range(2, 257)  #: How many cells it may have.
    values: range = range(1)  #: The values that it may have.
    #: Returns whether a constraint makes sense on a sheet.
    fits: Callable[[Constraint, ConstrainedSheet], bool] = lambda *_: True
    #: Whether it may come back to a cell, and allows no digit twice.
    repeats: bool = False
    distinct: bool = False
    #: What the marks in pictures mean, perhaps with ``{value}``; by default, and where it differs
    #: from one constraint to the next, pictures have the sentences.
    legend: str = ""
    #: Returns what pictures show of a constraint on a sheet.
    marks: Callable[[Constraint, ConstrainedSheet], Iterable[Mark]] = lambda *_: ()
    entry: EntryForm | None = None  #: How f-puzzles writes it; by default it cannot.


def on_own(
    test: Callable[[Constraint, list[int]], bool],
) -> Callable[[Constraint, Sequence[int], ConstrainedSheet], bool]:
    """Return what `holds` is for a test of the digits of a constraint's own cells."""
    return lambda it, solution, _: test(it, [solution[cell] for cell in it.cells])


CONSTRAINTS = Registry(
    ConstraintKind,
    called="a kind of constraint",
    group="sudokucrypt.constraints",
    package="sudokucrypt.sudoku.model.constraints.kinds",
)
"""The registered kinds by name."""

SUMS = range(1, 1000)
"""Values that are sums."""


Pairs: TypeAlias = Callable[[Constraint, ConstrainedSheet], Iterable[tuple[int, int]]]


def along(it: Constraint, _: ConstrainedSheet) -> Iterator[tuple[int, int]]:
    """Yield each two cells that follow each other."""
    return pairwise(it.cells)


def neighbors(sheet: ConstrainedSheet) -> Iterator[tuple[int, int]]:
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
        return (pair for pair in neighbors(sheet) if frozenset(pair) not in marked)

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
