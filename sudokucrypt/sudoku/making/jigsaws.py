"""Make jigsaws with random regions."""

from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from sudokucrypt.errors import UndecidedError, UnsupportedError
from sudokucrypt.options import check_integer
from sudokucrypt.sudoku.model.boxes import default_box, number_regions
from sudokucrypt.sudoku.model.jigsaw_maps import label_regions
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.seeded import SeedLike, as_source
from sudokucrypt.sudoku.solving.solver import count_solutions
from sudokucrypt.typing import IntArray, RandomSource

# At order 9, one map in twenty has no full grid; at larger orders, more maps have none.
_MAX_MAPS = 100
_MAX_ROWS = 20  # for larger jigsaws a full grid is almost never found
_NODES_PER_CELL = 250  # limit of the search for a full grid; finding one takes far fewer nodes


def random_jigsaw(source: SeedLike = None, *, order: int = 9) -> Variant:
    """Return a jigsaw of random connected regions that has a full grid.

    Raises `InvalidParameterError` or `UnsupportedError` if the order is out of range, and
    `UndecidedError` if no full grid is found for any of 100 maps.

    Regions begin as boxes. Then neighboring regions exchange single cells, as often as there are
    cells, so that both remain connected; each exchange is as likely as its reverse. Of the maps of
    order 9 one in twenty has no full grid.

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
    order = check_integer("the order", order)
    if order > _MAX_ROWS:
        raise UnsupportedError(
            f"random jigsaws have at most {_MAX_ROWS} rows, not {order}",
            hint="give a map of your own regions",
        )
    source = as_source(source)
    for _ in range(_MAX_MAPS):
        variant = Variant.jigsaw(label_regions(_exchange_cells(order, source)))
        with suppress(UndecidedError):  # another map may be faster to decide
            empty_puzzle = SudokuPuzzle.empty(variant)
            if count_solutions(empty_puzzle, 1, patience=_NODES_PER_CELL * order * order):
                return variant
    raise UndecidedError(
        f"no full grid was found for any of {_MAX_MAPS} maps of {order} regions",
        hint="choose a smaller order",
    )


def _exchange_cells(order: int, source: RandomSource) -> IntArray:
    """Begin with boxes, make one exchange for each cell, and return the region of each cell."""
    region_by_cell: list[int] = (
        number_regions((order, order), default_box(order))["box"].ravel().tolist()
    )
    region_cells: list[list[int]] = [[] for _ in range(order)]
    for c, region_number in enumerate(region_by_cell):
        region_cells[region_number].append(c)
    padded_cells = np.pad(np.arange(order * order).reshape(order, order), 1, constant_values=-1)
    shifted_cells = (
        padded_cells[:-2, 1:-1],
        padded_cells[1:-1, :-2],
        padded_cells[1:-1, 2:],
        padded_cells[2:, 1:-1],
    )
    neighbor_table = np.stack(shifted_cells, axis=-1).reshape(-1, 4).tolist()
    neighbors = [[c for c in row if c >= 0] for row in neighbor_table]
    # One exchange for each cell mixes the regions well.
    remaining_exchanges = order * order if order > 1 else 0
    while remaining_exchanges:
        cell = source.below(order * order)
        region, neighbor_region = (
            region_by_cell[cell],
            region_by_cell[neighbors[cell][source.below(len(neighbors[cell]))]],
        )
        neighbor_cell = region_cells[neighbor_region][source.below(order)]
        new_region_cells = [neighbor_cell, *(c for c in region_cells[region] if c != cell)]
        new_neighbor_cells = [
            cell,
            *(c for c in region_cells[neighbor_region] if c != neighbor_cell),
        ]
        if (
            region != neighbor_region
            and _is_connected(new_region_cells, neighbors)
            and _is_connected(new_neighbor_cells, neighbors)
        ):
            region_cells[region], region_cells[neighbor_region] = (
                new_region_cells,
                new_neighbor_cells,
            )
            region_by_cell[cell], region_by_cell[neighbor_cell] = neighbor_region, region
            remaining_exchanges -= 1
    return np.array(region_by_cell).reshape(order, order)


def _is_connected(cells: Sequence[int], neighbors: Sequence[Sequence[int]]) -> bool:
    queue = [cells[0]]
    unreached_cells = {*cells[1:]}
    for cell in queue:
        reached_cells = unreached_cells.intersection(neighbors[cell])
        unreached_cells -= reached_cells
        queue += reached_cells
    return not unreached_cells
