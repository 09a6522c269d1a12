"""Constraints beside the houses: cages, thermometers, arrows, dots and the like, by registration.

A kind of constraint says what it means in relations of three forms, which every search propagates:
a *pair* of cells with the digits that go together, cells whose digits are one of some *sets*, and
a weighted *total* of cells. Cells are numbers from 0, digits are counted from 1 in relations.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import combinations, pairwise
from operator import or_
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.registry import Registry
from sudokucrypt.sudoku.model.boxes import cell_name


class Relation(NamedTuple):
    """What some cells allow: a pair, one of some sets, or a total, in this order of `form`.

    `data` has for a pair the digits of the second cell for each of the first, then the other way
    round; for sets the sets; all as bits of words. `weights` and `total` are those of a total.
    """

    form: int
    cells: tuple[int, ...]
    data: tuple[int, ...] = ()
    weights: tuple[int, ...] = ()
    total: int = 0


@dataclass(frozen=True)
class Constraint:
    """A constraint of a kind on cells, with its value if it has one.

    `InvalidGridError` if there is no such kind, or cells or value do not make sense for it.
    """

    kind: str
    cells: tuple[int, ...]
    value: int = 0

    def __post_init__(self) -> None:
        if self.kind not in CONSTRAINTS:
            raise InvalidGridError(f"there is no constraint {self.kind!r}")
        kind = CONSTRAINTS[self.kind]
        if len(self.cells) < kind.least or (kind.valued and self.value < 1):
            raise InvalidGridError(f"a constraint {self.kind!r} lacks cells, or a value above 0")
        if len(set(self.cells)) < len(self.cells) and not kind.repeats:
            raise InvalidGridError(f"a constraint {self.kind!r} has a cell twice")

    def relations(self, digits: int) -> Iterator[Relation]:
        """Yield what it means for a search."""
        yield from CONSTRAINTS[self.kind].relations(self, digits)

    def holds(self, solution: Sequence[int]) -> bool:
        """Return whether digits, counted from 1, of all cells of a sheet keep it."""
        return CONSTRAINTS[self.kind].holds([solution[cell] for cell in self.cells], self.value)

    def sentence(self, cells: Sequence[tuple[int, int]]) -> str:
        """Return what players must be told; `cells` are the rows and columns of the sheet."""
        names = [cell_name(*cells[cell]) for cell in self.cells]
        kind = CONSTRAINTS[self.kind]
        head, tail = names[: self.value], names[self.value :]
        return kind.sentence.format(
            cells=" ".join(names), value=self.value, head=" ".join(head), tail=" ".join(tail)
        )


@dataclass(frozen=True, kw_only=True)
class ConstraintKind:
    """A kind of constraint.

    Parameters
    ----------
    name : str
        The word for it.
    relations : callable
        Returns its relations, for a constraint and the number of digits.
    holds : callable
        Returns whether the digits of its cells, from 1, keep it; the simplest statement of it.
    sentence : str
        What players are told, with ``{cells}`` and ``{value}``.
    least : int, optional
        How many cells it needs.
    valued, repeats, distinct : bool, optional
        Whether it needs a value, may come back to a cell, and allows no digit twice.
    """

    name: str
    relations: Callable[[Constraint, int], Iterable[Relation]]
    holds: Callable[[Sequence[int], int], bool]
    sentence: str
    least: int = 2
    valued: bool = False
    repeats: bool = False
    distinct: bool = False


CONSTRAINTS = Registry(
    ConstraintKind, called="a kind of constraint", group="sudokucrypt.constraints"
)
"""The registered kinds by name."""


@lru_cache(maxsize=256)
def pair_table(digits: int, allowed: Callable[[int, int], bool]) -> tuple[int, ...]:
    """Return the data of a pair whose digits, from 1, are allowed together."""
    every = range(1, digits + 1)
    one = [sum(1 << b - 1 for b in every if allowed(a, b)) for a in every]
    two = [sum(1 << a - 1 for a in every if allowed(a, b)) for b in every]
    return (*one, *two)


@lru_cache(maxsize=1024)
def sets_of(digits: int, size: int, total: int) -> tuple[int, ...]:
    """Return the sets of so many digits with a sum; with total 0 those of consecutive digits."""
    every = combinations(range(1, digits + 1), size)
    fitting = (s for s in every if (sum(s) == total if total else s[-1] - s[0] == size - 1))
    return tuple(sum(1 << digit - 1 for digit in chosen) for chosen in fitting)


def _along(cells: Sequence[int], table: tuple[int, ...]) -> Iterator[Relation]:
    yield from (Relation(0, pair, table) for pair in pairwise(cells))


def _total(cells: Sequence[int], total: int, weights: Sequence[int] | None = None) -> Relation:
    return Relation(2, tuple(cells), weights=tuple(weights or [1] * len(cells)), total=total)


def _paired(allowed: Callable[[int], Callable[[int, int], bool]]) -> tuple[
    Callable[[Constraint, int], Iterable[Relation]], Callable[[Sequence[int], int], bool]
]:  # fmt: skip
    """Return relations and test of a constraint on neighbours along its cells."""
    made = lru_cache(maxsize=64)(allowed)

    def relations(it: Constraint, digits: int) -> Iterator[Relation]:
        return _along(it.cells, pair_table(digits, made(it.value)))

    def holds(digits: Sequence[int], value: int) -> bool:
        return all(made(value)(a, b) for a, b in pairwise(digits))

    return relations, holds


def _kind(
    name: str,
    sentence: str,
    allowed: Callable[[int], Callable[[int, int], bool]],
    *,
    valued: bool = False,
) -> ConstraintKind:
    relations, holds = _paired(allowed)
    return ConstraintKind(
        name=name, sentence=sentence, relations=relations, holds=holds, valued=valued
    )


def _killer(it: Constraint, digits: int) -> Iterator[Relation]:
    yield Relation(1, it.cells, sets_of(digits, len(it.cells), it.value))
    yield _total(it.cells, it.value)


def _number(digits: Sequence[int]) -> int:
    """Return the number that the digits of a pill are, in decimal."""
    return sum(digit * 10**place for place, digit in enumerate(reversed(digits)))


def _arrow(it: Constraint, _: int) -> Iterator[Relation]:
    head = it.value
    places = [10**position for position in range(head)][::-1]
    yield _total(it.cells, 0, [*places, *[-1] * (len(it.cells) - head)])


def _palindrome(it: Constraint, digits: int) -> Iterator[Relation]:
    table, half = pair_table(digits, _equal), len(it.cells) // 2
    ends = zip(it.cells[:half], it.cells[::-1][:half], strict=True)
    yield from (Relation(0, pair, table) for pair in ends)


def _equal(a: int, b: int) -> bool:
    return a == b


def _parity(*, odd: bool) -> ConstraintKind:
    word = "odd" if odd else "even"
    return ConstraintKind(
        name=word, sentence="{cells} is " + word + ".", least=1,
        relations=lambda it, digits: [
            Relation(1, it.cells, tuple(1 << d - 1 for d in range(1, digits + 1) if d % 2 == odd))],
        holds=lambda digits, _: digits[0] % 2 == odd,
    )  # fmt: skip


BUILT_IN = (
    ConstraintKind(
        name="killer", sentence="{cells} sum to {value}, no digit twice.", relations=_killer,
        holds=lambda digits, value: sum(digits) == value and len({*digits}) == len(digits),
        least=1, valued=True, distinct=True,
    ),
    ConstraintKind(
        name="sum", sentence="{cells} sum to {value}.", valued=True, least=1,
        relations=lambda it, _: [_total(it.cells, it.value)],
        holds=lambda digits, value: sum(digits) == value,
    ),
    _kind("thermometer", "Digits rise along {cells}.", lambda _: lambda a, b: a < b),
    ConstraintKind(
        name="arrow", sentence="{tail} sum to {head}.", relations=_arrow, valued=True,
        holds=lambda digits, head: _number(digits[:head]) == sum(digits[head:]),
    ),
    _kind("difference", "{cells} differ by {value}.", lambda v: lambda a, b: abs(a - b) == v,
          valued=True),
    _kind("ratio", "{cells} have the ratio 1:{value}.",
          lambda v: lambda a, b: v in (a / b, b / a), valued=True),
    _kind("not-difference", "{cells} do not differ by {value}.",
          lambda v: lambda a, b: abs(a - b) != v, valued=True),
    _kind("not-ratio", "{cells} do not have the ratio 1:{value}.",
          lambda v: lambda a, b: v not in (a / b, b / a), valued=True),
    _kind("not-sum", "{cells} do not sum to {value}.", lambda v: lambda a, b: a + b != v,
          valued=True),
    _kind("whispers", "Neighbours along {cells} differ by {value} or more.",
          lambda v: lambda a, b: abs(a - b) >= v, valued=True),
    ConstraintKind(
        name="renban", sentence="{cells} are consecutive digits in any order.", least=1,
        relations=lambda it, digits: [Relation(1, it.cells, sets_of(digits, len(it.cells), 0))],
        holds=lambda f, _: len({*f}) == len(f) == max(f) - min(f) + 1, distinct=True,
    ),
    ConstraintKind(
        name="palindrome", sentence="{cells} read the same both ways.", relations=_palindrome,
        holds=lambda digits, _: [*digits] == [*reversed(digits)],
    ),
    _parity(odd=True),
    _parity(odd=False),
)  # fmt: skip
"""The kinds of this package."""

for _built_in in BUILT_IN:
    CONSTRAINTS.register(_built_in)


class RelationTables(NamedTuple):
    """Relations as the tables that a search reads; the parts of all are joined."""

    forms: NDArray[np.int32]
    cell_ends: NDArray[np.int32]
    cells: NDArray[np.int32]
    weights: NDArray[np.int32]
    data_ends: NDArray[np.int32]
    data: NDArray[np.uint64]
    totals: NDArray[np.int32]
    watch_ends: NDArray[np.int32]
    watching: NDArray[np.int32]


def tables_of(relations: Sequence[Relation], cells: int) -> RelationTables:
    """Return the tables of relations on a sheet of so many cells."""
    watching: list[list[int]] = [[] for _ in range(cells)]
    for index, relation in enumerate(relations):
        for cell in dict.fromkeys(relation.cells):
            watching[cell].append(index)
    weights = [w for r in relations for w in (r.weights or [0] * len(r.cells))]
    return RelationTables(
        np.array([r.form for r in relations], dtype=np.int32),
        np.cumsum([0, *(len(r.cells) for r in relations)], dtype=np.int32),
        np.array([cell for r in relations for cell in r.cells], dtype=np.int32),
        np.array(weights, dtype=np.int32),
        np.cumsum([0, *(len(r.data) for r in relations)], dtype=np.int32),
        np.array([word for r in relations for word in r.data], dtype=np.uint64),
        np.array([r.total for r in relations], dtype=np.int32),
        np.cumsum([0, *map(len, watching)], dtype=np.int32),
        np.array([index for part in watching for index in part], dtype=np.int32),
    )


_FEW = 6  # cells whose total says something


def leftovers(
    constraints: Sequence[Constraint], houses: Sequence[Sequence[int]], digits: int
) -> Iterator[Relation]:
    """Yield the totals of the few cells that cages leave of regions, or have outside of them.

    `houses` hold every digit; a region is one of them, or two or three that follow each other and
    share no cell.
    """
    cages = [(_bits(it.cells), it.value) for it in constraints if it.kind == "killer"]
    union = reduce(or_, (cells for cells, _ in cages), 0)
    if not cages or sum(cells.bit_count() for cells, _ in cages) > union.bit_count():
        return  # cages overlap
    masks = [_bits(cells) for cells in houses]
    for size in (1, 2, 3):
        whole = size * digits * (digits + 1) // 2
        for run in zip(*(masks[start:] for start in range(size)), strict=False):
            region = reduce(or_, run)
            if region.bit_count() < size * digits:
                continue
            inside = [cage for cage in cages if not cage[0] & ~region]
            rest = region & ~reduce(or_, (cells for cells, _ in inside), 0)
            if 0 < rest.bit_count() <= _FEW:
                yield _total([*_cells_of(rest)], whole - sum(value for _, value in inside))
            around = [cage for cage in cages if cage[0] & region]
            covered = reduce(or_, (cells for cells, _ in around), 0)
            if not region & ~covered and 0 < (covered ^ region).bit_count() <= _FEW:
                total = sum(value for _, value in around) - whole
                yield _total([*_cells_of(covered ^ region)], total)


def _bits(cells: Iterable[int]) -> int:
    return sum(1 << cell for cell in cells)


def _cells_of(bits: int) -> Iterator[int]:
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1
