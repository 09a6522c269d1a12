"""Make full grids and arrays by random search, by shuffling or by stirring."""

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.errors import UndecidedError, UnsupportedError
from sudokucrypt.kernels import load_kernels
from sudokucrypt.options import check_integer
from sudokucrypt.sudoku.model.boxes import check_box, check_shape
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.sudoku.model.puzzle import GridLike, as_grid
from sudokucrypt.sudoku.model.sudoku_arrays import SudokuArray, get_largest_number
from sudokucrypt.sudoku.model.symmetry import ParametricGrid
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.seeded import SeedLike, as_source
from sudokucrypt.sudoku.solving.solver import (
    DEFAULT_ATTEMPTS,
    MAX_DIGITS,
    NodeTrace,
    check_digit_count,
    fill_open_cells,
)
from sudokucrypt.typing import Box, IntArray, RandomSource

if TYPE_CHECKING:
    from sudokucrypt.sudoku._kernels import stirring_plain as _kernels
else:
    _kernels = load_kernels("sudokucrypt.sudoku._kernels", "stirring")

DEFAULT_STIR_AMOUNT = 20
"""The default number of moves per row: twice as many as statistics of grids need to settle.

Cycle lengths and 2 x 2 subsquares settle after 10 moves per row (orders 16 to 64).
"""

# The kernel stores digits, rows and columns in 16 bits.
MAX_ROWS = 65535
# Must never change: a seed gives the same grid only if moves are drawn in the same batches.
_BATCH_SIZE = 1 << 14

_ARRAY_ATTEMPTS = 20


def grid_by_search(
    source: SeedLike = None,
    *,
    box: Box = (3, 3),
    diagonals: bool = False,
    attempts: int = DEFAULT_ATTEMPTS,
    trace: NodeTrace | None = None,
) -> SudokuGrid:
    """Make a grid by a random search that fills cells with the fewest candidates first.

    Not all grids are equally likely: some are reached by more paths than others. Raises
    `UnsupportedError` if no grid has such diagonals, and `UndecidedError` if all attempts fail.

    Parameters
    ----------
    source : RandomSource or int, optional
        A stream of draws, a seed, or by default the system. Each attempt draws an order of the
        cells, which breaks ties between cells with equally few candidates, then for each cell the
        order in which its digits are tried.
    box : tuple of int, optional
        Rows p and columns q of a box. The order p * q is at most 64 (otherwise `UnsupportedError`);
        about 49 can be reached in a second.
    diagonals : bool, optional
        Whether both diagonals also contain every digit once (X-Sudoku).
    attempts : int, optional
        The largest number of attempts with new random orders; each has a higher limit of nodes.
    trace : callable, optional
        Called for each cell that is filled, by trial or as a single, with three numbers from 0: a
        running number, which begins anew in each attempt, the cell in reading order, and the digit.

    Examples
    --------
    >>> grid_by_search(1, box=(2, 2))
    <SudokuGrid 4x4 with 2x2 boxes: 3142423124131324>
    """
    box = check_box(box)
    order = box[0] * box[1]
    check_digit_count(order)
    variant = Variant.x(box) if diagonals else Variant.standard(box)
    filled_cells = fill_open_cells(variant, as_source(source), attempts=attempts, trace=trace)
    if filled_cells is None:
        raise UnsupportedError(f"no {box[0]}x{box[1]} grid has every digit on both diagonals")
    return SudokuGrid.wrap_valid(filled_cells.reshape(order, order), box)


def array_by_search(
    shape: int | Sequence[int],
    source: SeedLike = None,
    *,
    attempts: int = _ARRAY_ATTEMPTS,
    trace: NodeTrace | None = None,
) -> SudokuArray:
    """Make an array of any four sides by a random search, which always finds one.

    If all attempts fail, or there are more than 64 numbers, the result is a `shuffled_array`.

    Parameters
    ----------
    shape : int or sequence of int
        The four sides a, b, c and d, 1 or more; one number stands for all of them.
    source : RandomSource or int, optional
        A stream of draws, a seed, or by default the system.
    attempts : int, default 20
        The largest number of attempts, 1 or more.
    trace : callable, optional
        Called with each step of the search, as in `grid_by_search`, with cells of the flat array.
        By default nothing is called.
    """
    table_rows, table_columns, rows, columns = sides = check_shape(shape)
    source = as_source(source)
    if get_largest_number(sides) <= MAX_DIGITS:
        try:
            filled_cells = fill_open_cells(
                Variant.array(sides), source, attempts=attempts, trace=trace
            )
        except UndecidedError:
            filled_cells = None
        if filled_cells is not None:
            return SudokuArray.wrap_valid(
                filled_cells.reshape(table_rows, rows, table_columns, columns).swapaxes(1, 2).copy()
            )
    return shuffled_array(sides, source)


def shuffled_array(shape: int | Sequence[int], source: SeedLike = None) -> SudokuArray:
    """Make an array of any four sides a, b, c, d by shuffling the base array.

    `source` draws, in one call, orders of the table's rows and columns, of the c rows in each row
    of the table, of the d columns in each column of the table, and of the numbers.

    Parameters
    ----------
    shape : int or sequence of int
        The four sides a, b, c and d, 1 or more; one number stands for all of them.
    source : RandomSource or int, optional
        A stream of draws, a seed, or by default the system.
    """
    a, b, c, d = sides = check_shape(shape)
    permutations = as_source(source).permutations(
        [a, b, *[c] * a, *[d] * b, get_largest_number(sides)]
    )
    i, j, k, l, numbers = np.split(permutations, np.cumsum([a, b, a * c, b * d]))  # noqa: E741
    cells = SudokuArray.base(sides).cells[
        i[:, None, None, None], j[None, :, None, None], k.reshape(a, 1, c, 1), l.reshape(1, b, 1, d)
    ]
    return SudokuArray.wrap_valid(numbers[cells].astype(np.int32))


def shuffled_grid(source: SeedLike = None, *, box: Box = (3, 3)) -> SudokuGrid:
    """Make a grid of any order by applying a random symmetry to the base grid.

    All these grids are equivalent, and a vanishing share of all grids: for 3x3 boxes at most
    9! * 3359232 of 6.67e21. `Symmetry.random` describes the symmetries.

    Parameters
    ----------
    source : RandomSource or int, optional
        A stream of draws, a seed, or by default the system.
    box : tuple of int, default (3, 3)
        Rows and columns of a box, of any order.
    """
    return ParametricGrid.random(check_box(box), as_source(source)).to_grid()


def stirred_grid(
    source: SeedLike = None, *, box: Box = (3, 3), amount: int = DEFAULT_STIR_AMOUNT
) -> SudokuGrid:
    """Make a grid of any order up to 65535: first `shuffled_grid`, then `stir`.

    Parameters
    ----------
    source : RandomSource or int, optional
        A stream of draws, a seed, or by default the system.
    box : tuple of int, default (3, 3)
        Rows and columns of a box, whose product is at most 65535.
    amount : int, default 20
        The number of moves per row, 0 or more.
    """
    # Fail before making a grid that cannot be stirred.
    _require_stirrable_order(prod(check_box(box)))
    source = as_source(source)
    return stir(shuffled_grid(source, box=box), source, amount=amount)


def stir(
    grid: GridLike, source: SeedLike = None, *, amount: int = DEFAULT_STIR_AMOUNT
) -> SudokuGrid:
    """Return the grid after amount * n random moves that keep it valid.

    Raises `InvalidParameterError` if `amount` is negative, and `UnsupportedError` if the order n is
    above 65535.

    Moves are drawn in batches of 2**14, the last batch shorter: first the kinds of all moves, then
    three numbers for each move. There are three equally likely kinds, in this order; if a box has
    only one row, the first kind is omitted, and if it has only one column, the second.

    - Rows: draw a row, another row of its band (the second number is below p - 1 and counts
      onward from the first row) and a column. The two rows exchange their digits in that column,
      and in all other columns that must then change: one cycle of the map from row to row.
    - Columns: the same for a column, another column of its stack, and a row.
    - Chains: draw a digit, another digit in the same way, and a row. The two digits are exchanged
      in the cell of that row that contains the first digit, and in all cells that must then change
      by the rules of rows, columns and boxes: one Kempe chain.

    Each move has a reverse move that is equally likely. So with more and more moves, the grids
    approach the uniform distribution over all grids that moves can reach. For 2x2 and 2x3 boxes
    these are all grids. From order 9 on it is not known whether they are all grids, nor how many
    moves are needed.

    Parameters
    ----------
    grid : SudokuGrid, str or array_like
        The full grid from which moves begin.
    source : RandomSource or int, optional
        A stream of draws, a seed, or by default the system.
    amount : int, default 20
        The number of moves per row, 0 or more.

    Examples
    --------
    >>> stir("1234341221434321", 1)
    <SudokuGrid 4x4 with 2x2 boxes: 1342243132144123>
    """
    amount = check_integer("the amount", amount, least=0)
    grid, source = as_grid(grid), as_source(source)
    _require_stirrable_order(grid.order)
    cells = grid.cells.copy()
    remaining_moves = amount * grid.order if grid.order > 1 else 0
    while remaining_moves:
        count = min(remaining_moves, _BATCH_SIZE)
        _kernels.stir(cells, *grid.box, _draw_moves(grid.box, count, source))
        remaining_moves -= count
    return SudokuGrid.wrap_valid(cells, grid.box)


def _require_stirrable_order(order: int) -> None:
    if order > MAX_ROWS:
        raise UnsupportedError(f"stirring handles orders up to {MAX_ROWS}, not {order}")


def _draw_moves(box: Box, count: int, source: RandomSource) -> IntArray:
    """Return the kind and three numbers of each move, for the kernel."""
    order = box[0] * box[1]
    # Two lines of one group are exchanged: rows of a band, columns of a stack, any two digits.
    group_sizes = np.array([box[0], box[1], order])
    possible_move_kinds = np.flatnonzero(group_sizes > 1)
    kinds = possible_move_kinds[source.below_each(np.full(count, len(possible_move_kinds)))]
    # The second line is drawn from the others of the group, relative to the first line.
    move_group_sizes = group_sizes[kinds]
    bounds = np.stack([np.full(count, order), move_group_sizes - 1, np.full(count, order)], axis=1)
    first, offset, start = source.below_each(bounds.reshape(-1)).reshape(-1, 3).T
    second = (
        first // move_group_sizes * move_group_sizes
        + (first % move_group_sizes + 1 + offset) % move_group_sizes
    )
    return np.stack([kinds, first, second, start], axis=1)
