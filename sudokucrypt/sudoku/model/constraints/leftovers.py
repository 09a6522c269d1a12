"""Totals that killer cages imply for the few cells that they lack or exceed in a region."""

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple

from sudokucrypt.sudoku.model.constraints.contract import Constraint
from sudokucrypt.sudoku.model.constraints.relations import Relation, relate_total

_FEW = 6  # cells whose total says something


class Leftover(NamedTuple):
    """The total of the cells that cages leave of a region, or have outside of it."""

    relation: Relation
    houses: tuple[int, ...]  # the houses of the region, by number
    sums: tuple[int, int]  # of the region and of the cages
    outside: bool


def leftovers(
    constraints: Sequence[Constraint], houses: Sequence[Sequence[int]], digits: int
) -> Iterator[Leftover]:
    """Yield the totals of the few cells that cages leave of regions, or have outside of them.

    `houses` hold every digit; a region is one of them, or two or three that follow each other and
    share no cell.
    """
    cages = [
        (_make_mask(it.cells), it.value) for it in constraints if it.kind == "killer" and it.value
    ]
    union = reduce(or_, (cells for cells, _ in cages), 0)
    # A cell in two cages would be counted twice.
    if not cages or sum(cells.bit_count() for cells, _ in cages) > union.bit_count():
        return  # cages overlap
    masks = [_make_mask(cells) for cells in houses]
    for size in (1, 2, 3):
        whole = size * digits * (digits + 1) // 2
        for first in range(len(masks) - size + 1):
            region = reduce(or_, masks[first : first + size])
            run = tuple(range(first, first + size))
            if region.bit_count() < size * digits:
                continue
            inside = [cage for cage in cages if not cage[0] & ~region]
            rest = region & ~reduce(or_, (cells for cells, _ in inside), 0)
            if 0 < rest.bit_count() <= _FEW:
                caged = sum(value for _, value in inside)
                yield Leftover(
                    relate_total([*_list_cells(rest)], whole - caged),
                    run,
                    (whole, caged),
                    outside=False,
                )
            around = [cage for cage in cages if cage[0] & region]
            covered = reduce(or_, (cells for cells, _ in around), 0)
            if not region & ~covered and 0 < (covered ^ region).bit_count() <= _FEW:
                caged = sum(value for _, value in around)
                yield Leftover(
                    relate_total([*_list_cells(covered ^ region)], caged - whole),
                    run,
                    (whole, caged),
                    outside=True,
                )


def _make_mask(cells: Iterable[int]) -> int:
    return sum(1 << cell for cell in cells)


def _list_cells(bits: int) -> Iterator[int]:
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1
