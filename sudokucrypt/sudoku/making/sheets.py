"""Full sheets without an exact count: by search, and shuffled or stirred at any order."""

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.errors import UndecidedError, UnsupportedError
from sudokucrypt.kernels import load_kernels
from sudokucrypt.options import checked_integer
from sudokucrypt.sudoku.model.boxes import checked_box, checked_shape
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.sudoku.model.puzzle import GridLike, as_grid
from sudokucrypt.sudoku.model.sudoku_arrays import SudokuArray, largest_number
from sudokucrypt.sudoku.model.symmetry import ParametricGrid
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.seeded import SeedLike, as_source
from sudokucrypt.sudoku.solving.solver import ATTEMPTS, MOST_DIGITS, NodeTrace, check_digits, fill
from sudokucrypt.typing import Box, IntArray, RandomSource

if TYPE_CHECKING:
    from sudokucrypt.sudoku._kernels import stirring_plain as _kernels
else:
    _kernels = load_kernels("sudokucrypt.sudoku._kernels", "stirring")

# Twice as many as statistics need to settle.
AMOUNT = 20
"""Moves for each row. Cycle lengths and 2 x 2 subsquares settle after 10 (orders 16 to 64)."""

# The kernel holds digits, rows and columns in 16 bits.
MOST_ROWS = 65535
# Fixed for ever: a seed gives the same grid only if moves are drawn in the same batches.
_BATCH = 1 << 14

_ARRAY_ATTEMPTS = 20
_MOST_CELLS = MOST_DIGITS**2


def grid_by_search(
    source: SeedLike = None,
    *,
    box: Box = (3, 3),
    diagonals: bool = False,
    attempts: int = ATTEMPTS,
    trace: NodeTrace | None = None,
) -> SudokuGrid:
    """Make a grid by minimum-candidates search.

    Not all grids are equally likely: some are reached by more paths than others.
    `UnsupportedError` if no grid has such diagonals, `UndecidedError` if all attempts got lost.

    Parameters
    ----------
    source : RandomSource or int, optional
        A stream of draws, a seed, or by default the system. Each attempt draws an order of the
        cells, which breaks ties between cells with equally few candidates, then for each cell the
        order in which its digits are tried.
    box : tuple of int, optional
        Rows p and columns q of a box; the order p * q is at most 64 (else `UnsupportedError`), and
        49 is near what can be reached in a second.
    diagonals : bool, optional
        Whether both diagonals hold every digit once too (X-Sudoku).
    attempts : int, optional
        How often to begin, with other random orders; each time with more patience.
    trace : callable, optional
        Called with number, cell and digit of each cell that is filled, tried or followed, all
        from 0, cells in reading order; the numbers of each attempt begin anew.

    Examples
    --------
    >>> grid_by_search(1, box=(2, 2))
    <SudokuGrid 4x4 with 2x2 boxes: 3142423124131324>
    """
    box = checked_box(box)
    n = box[0] * box[1]
    check_digits(n)
    variant = Variant.x(box) if diagonals else Variant.standard(box)
    filled = fill(variant, as_source(source), attempts=attempts, trace=trace)
    if filled is None:
        raise UnsupportedError(f"no {box[0]}x{box[1]} grid has every digit on both diagonals")
    return SudokuGrid.wrap_valid(filled.reshape(n, n), box)


def array_by_search(
    shape: int | Sequence[int],
    source: SeedLike = None,
    *,
    attempts: int = _ARRAY_ATTEMPTS,
    trace: NodeTrace | None = None,
) -> SudokuArray:
    """Make an array of any four sides by minimum-candidates search; it never fails.

    If all attempts get lost, or there are more than 64 numbers or 4096 cells, the result is a
    `shuffled_array`. Parameters as in `grid_by_search`; cells are those of the flat sheet.

    Parameters
    ----------
    shape : int or sequence of int
        The four sides a, b, c and d, 1 or more; one number stands for all of them.
    source : RandomSource or int, optional
        A stream of draws, a seed, or by default the system.
    attempts : int, default 20
        How often the search begins anew, 1 or more.
    trace : callable, optional
        Called with each step of the search, as in `grid_by_search`. By default nothing is called.
    """
    a, b, c, d = sides = checked_shape(shape)
    source = as_source(source)
    if largest_number(sides) <= MOST_DIGITS and prod(sides) <= _MOST_CELLS:
        try:
            filled = fill(Variant.array(sides), source, attempts=attempts, trace=trace)
        except UndecidedError:
            filled = None
        if filled is not None:
            return SudokuArray.wrap_valid(filled.reshape(a, c, b, d).swapaxes(1, 2).copy())
    return shuffled_array(sides, source)


def shuffled_array(shape: int | Sequence[int], source: SeedLike = None) -> SudokuArray:
    """Make an array of any four sides a, b, c, d at once: the base array, shuffled.

    `source` draws, in one call, orders of the table's rows and columns, of the c rows in each row
    of the table, of the d columns in each column of it, and of the numbers.

    Parameters
    ----------
    shape : int or sequence of int
        The four sides a, b, c and d, 1 or more; one number stands for all of them.
    source : RandomSource or int, optional
        A stream of draws, a seed, or by default the system.
    """
    a, b, c, d = sides = checked_shape(shape)
    drawn = as_source(source).permutations([a, b, *[c] * a, *[d] * b, largest_number(sides)])
    i, j, k, l, numbers = np.split(drawn, np.cumsum([a, b, a * c, b * d]))  # noqa: E741
    cells = SudokuArray.base(sides).cells[
        i[:, None, None, None], j[None, :, None, None], k.reshape(a, 1, c, 1), l.reshape(1, b, 1, d)
    ]
    return SudokuArray.wrap_valid(numbers[cells].astype(np.int32))


def shuffled_grid(source: SeedLike = None, *, box: Box = (3, 3)) -> SudokuGrid:
    """Make a grid of any order at once: the base grid under a random symmetry (`Symmetry.random`).

    All are essentially one grid, and a vanishing part: at 3x3 at most 9! * 3359232 of 6.67e21.

    Parameters
    ----------
    source : RandomSource or int, optional
        A stream of draws, a seed, or by default the system.
    box : tuple of int, default (3, 3)
        Rows and columns of a box, of any order.
    """
    return ParametricGrid.random(checked_box(box), as_source(source)).to_grid()


def stirred_grid(source: SeedLike = None, *, box: Box = (3, 3), amount: int = AMOUNT) -> SudokuGrid:
    """Make a grid of any order up to 65535: first `shuffled_grid`, then `stir`.

    Parameters
    ----------
    source : RandomSource or int, optional
        A stream of draws, a seed, or by default the system.
    box : tuple of int, default (3, 3)
        Rows and columns of a box, whose product is at most 65535.
    amount : int, default 20
        How many moves are made for each digit, 0 or more.
    """
    source = as_source(source)
    return stir(shuffled_grid(source, box=box), source, amount=amount)


def stir(grid: GridLike, source: SeedLike = None, *, amount: int = AMOUNT) -> SudokuGrid:
    """Return the grid after many random moves that keep it valid.

    `amount` is 0 or more (else `InvalidParameterError`), the order n at most 65535 (else
    `UnsupportedError`), and amount * n moves are made.

    Moves are drawn in batches of 2**14, the last one shorter: first the kind of each one, then
    three numbers for each. There are three kinds, in this order and equally likely; where a box has
    one row or column, the first or second is left out.

    - Rows: draw a row, another one of its band (the second number is below p - 1 and counts
      onwards from the first row) and a column. The two rows exchange their digits in that column,
      and in the others that this upsets in turn: one cycle of the map from row to row.
    - Columns: the same for a column, another one of its stack, and a row.
    - Chains: draw a digit, another one in the same way, and a row. The two digits are exchanged
      in the cell of that row that holds the first one, and in all that rows, columns and boxes
      carry the exchange to: one Kempe chain.

    Each move undoes itself and is as likely from either side, so that ever more moves approach
    the uniform distribution over all grids that they lead to. For 2x2 and 2x3 boxes these are all
    grids. From order 9 on nobody knows, nor how many moves are needed to get near the limit.

    Parameters
    ----------
    grid : SudokuGrid, str or array_like
        The full grid to begin with.
    source : RandomSource or int, optional
        A stream of draws, a seed, or by default the system.
    amount : int, default 20
        How many moves are made for each digit, 0 or more.

    Examples
    --------
    >>> stir("1234341221434321", 1)
    <SudokuGrid 4x4 with 2x2 boxes: 1342243132144123>
    """
    amount = checked_integer("the amount", amount, least=0)
    grid, source = as_grid(grid), as_source(source)
    if grid.order > MOST_ROWS:
        raise UnsupportedError(f"stirring handles orders up to {MOST_ROWS}, not {grid.order}")
    cells = grid.cells.copy()
    left = amount * grid.order if grid.order > 1 else 0
    while left:
        count = min(left, _BATCH)
        _kernels.stir(cells, *grid.box, _draw_moves(grid.box, count, source))
        left -= count
    return SudokuGrid.wrap_valid(cells, grid.box)


def _draw_moves(box: Box, count: int, source: RandomSource) -> IntArray:
    """Return the kind and three numbers of each move, as the kernel takes them."""
    n = box[0] * box[1]
    # Two lines of one group are exchanged: rows of a band, columns of a stack, any two digits.
    groups = np.array([box[0], box[1], n])
    possible = np.flatnonzero(groups > 1)
    kinds = possible[source.below_each(np.full(count, len(possible)))]
    # The second line is drawn below the size of the group less one, and never the first again.
    group = groups[kinds]
    bounds = np.stack([np.full(count, n), group - 1, np.full(count, n)], axis=1)
    first, step, start = source.below_each(bounds.reshape(-1)).reshape(-1, 3).T
    second = first // group * group + (first % group + 1 + step) % group
    return np.stack([kinds, first, second, start], axis=1)
