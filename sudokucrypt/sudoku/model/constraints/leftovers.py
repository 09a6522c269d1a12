"""Totals that killer cages imply for the few cells by which the cages differ from a region."""

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple

from sudokucrypt.sudoku.model.constraints.contract import Constraint
from sudokucrypt.sudoku.model.constraints.relations import Relation, relate_total

_MAX_LEFTOVER_CELLS = 6  # the largest number of cells whose total is useful


class Leftover(NamedTuple):
    """The total of a region's cells outside its cages, or of cage cells outside the region."""

    relation: Relation
    houses: tuple[int, ...]  # the numbers of the houses that form the region
    sums: tuple[int, int]  # the sums of the region and of the cages
    is_outside: bool  # whether the cells are outside the region


def find_leftover_totals(
    constraints: Sequence[Constraint], houses: Sequence[Sequence[int]], digits: int
) -> Iterator[Leftover]:
    """Yield the totals of the few cells by which cages differ from a region.

    `houses` must contain every digit. A region is one house, or two or three successive houses that
    share no cell.
    """
    cages = [
        (_make_mask(constraint.cells), constraint.value)
        for constraint in constraints
        if constraint.kind == "killer" and constraint.value
    ]
    all_cage_cells = reduce(or_, (cells for cells, _ in cages), 0)
    # A cell in two cages would be counted twice.
    if not cages or sum(cells.bit_count() for cells, _ in cages) > all_cage_cells.bit_count():
        return  # cages overlap
    masks = [_make_mask(cells) for cells in houses]
    for size in (1, 2, 3):
        region_sum = size * digits * (digits + 1) // 2
        for first_house_index in range(len(masks) - size + 1):
            region = reduce(or_, masks[first_house_index : first_house_index + size])
            region_houses = tuple(range(first_house_index, first_house_index + size))
            if region.bit_count() < size * digits:
                continue
            inner_cages = [cage for cage in cages if not cage[0] & ~region]
            uncovered_cells = region & ~reduce(or_, (cells for cells, _ in inner_cages), 0)
            if 0 < uncovered_cells.bit_count() <= _MAX_LEFTOVER_CELLS:
                cage_sum = sum(value for _, value in inner_cages)
                yield Leftover(
                    relate_total([*_list_cells(uncovered_cells)], region_sum - cage_sum),
                    region_houses,
                    (region_sum, cage_sum),
                    is_outside=False,
                )
            touching_cages = [cage for cage in cages if cage[0] & region]
            covered_cells = reduce(or_, (cells for cells, _ in touching_cages), 0)
            if (
                not region & ~covered_cells
                and 0 < (covered_cells ^ region).bit_count() <= _MAX_LEFTOVER_CELLS
            ):
                cage_sum = sum(value for _, value in touching_cages)
                yield Leftover(
                    relate_total([*_list_cells(covered_cells ^ region)], cage_sum - region_sum),
                    region_houses,
                    (region_sum, cage_sum),
                    is_outside=True,
                )


def _make_mask(cells: Iterable[int]) -> int:
    return sum(1 << cell for cell in cells)


def _list_cells(bits: int) -> Iterator[int]:
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1
