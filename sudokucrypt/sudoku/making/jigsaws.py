"""Random regions: the rules of a new jigsaw."""

from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from sudokucrypt.errors import UndecidedError, UnsupportedError
from sudokucrypt.options import checked_integer
from sudokucrypt.sudoku.model.boxes import default_box, regions
from sudokucrypt.sudoku.model.jigsaw_maps import label_regions
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.seeded import SeedLike, as_source
from sudokucrypt.sudoku.solving.solver import count_solutions
from sudokucrypt.typing import IntArray, RandomSource

# One map in twenty of order 9 has no sheet; large orders fail more often.
_DRAWS = 100
_MOST_ROWS = 20  # full sheets of larger ones are hardly ever found
_NODES = 250  # of the search for a full sheet, for each cell; one that exists takes far fewer


def random_jigsaw(source: SeedLike = None, *, order: int = 9) -> Variant:
    """Return a jigsaw of random connected regions that has a full sheet.

    Raises `InvalidParameterError` or `UnsupportedError` if the order is out of range, and
    `UndecidedError` if none of 100 maps is seen to have a full sheet.

    From the boxes on, neighboring regions exchange single cells so that both still hang together,
    as often as there are cells; every such exchange is as likely as that which undoes it. Of the
    maps of order 9 one in twenty has no full sheet. There are 1..20 rows, columns and regions.
    `source` is a stream of draws, such as that of a key, a seed, or by default the system.

    Parameters
    ----------
    source : RandomSource or int, optional
        A stream of draws, a seed, or by default the system.
    order : int, default 9
        The number of rows, columns and regions, 1..20.

    Examples
    --------
    >>> random_jigsaw(1, order=4).regions
    ('AAAA', 'BBCC', 'DBBC', 'DDDC')
    """
    order = checked_integer("the order", order)
    if order > _MOST_ROWS:
        raise UnsupportedError(
            f"random jigsaws have at most {_MOST_ROWS} rows, not {order}",
            hint="give a map of your own regions",
        )
    source = as_source(source)
    for _ in range(_DRAWS):
        variant = Variant.jigsaw(label_regions(_redrawn(order, source)))
        with suppress(UndecidedError):  # another map may be quicker
            empty = SudokuPuzzle.empty(variant)
            if count_solutions(empty, 1, patience=_NODES * order * order):
                return variant
    raise UndecidedError(
        f"none of {_DRAWS} maps of {order} regions was seen to have a full sheet",
        hint="choose a smaller order",
    )


def _redrawn(order: int, source: RandomSource) -> IntArray:
    """Return the boxes of a grid after as many exchanges of cells as there are cells."""
    region_of: list[int] = regions((order, order), default_box(order))["box"].ravel().tolist()
    cells: list[list[int]] = [[] for _ in range(order)]
    for cell, region in enumerate(region_of):
        cells[region].append(cell)
    sheet = np.pad(np.arange(order * order).reshape(order, order), 1, constant_values=-1)
    around = sheet[:-2, 1:-1], sheet[1:-1, :-2], sheet[1:-1, 2:], sheet[2:, 1:-1]
    table = np.stack(around, axis=-1).reshape(-1, 4).tolist()
    near = [[cell for cell in row if cell >= 0] for row in table]
    # One exchange for each cell mixes the regions well.
    left = order * order if order > 1 else 0
    while left:
        first = source.below(order * order)
        one, other = region_of[first], region_of[near[first][source.below(len(near[first]))]]
        second = cells[other][source.below(order)]
        given = [second, *(cell for cell in cells[one] if cell != first)]
        taken = [first, *(cell for cell in cells[other] if cell != second)]
        if one != other and _hangs_together(given, near) and _hangs_together(taken, near):
            cells[one], cells[other] = given, taken
            region_of[first], region_of[second] = other, one
            left -= 1
    return np.array(region_of).reshape(order, order)


def _hangs_together(cells: Sequence[int], near: Sequence[Sequence[int]]) -> bool:
    waiting = [cells[0]]
    left = {*cells[1:]}
    for cell in waiting:
        reached = left.intersection(near[cell])
        left -= reached
        waiting += reached
    return not left
