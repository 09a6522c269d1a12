"""Number all grids and classes of grids, find the grid of a number, and draw uniform grids.

Supported boxes are 3x3, 2x2, and 2x3 and 2x4 in either order. All functions raise
`UnsupportedError` for others, and `InvalidParameterError` for numbers and counts out of range.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudokucrypt.errors import InvalidGridError, InvalidParameterError, UnsupportedError
from sudokucrypt.kernels import load_kernels
from sudokucrypt.lazy import DeferredModule
from sudokucrypt.options import check_integer
from sudokucrypt.sudoku.counting.band_classes import get_grid_tables
from sudokucrypt.sudoku.counting.halves import (
    MAX_BAND_BOXES,
    count_grids_by_halves,
    rank_by_halves,
    unrank_by_halves,
)
from sudokucrypt.sudoku.model.array_interface import convert_digits, convert_to_integers
from sudokucrypt.sudoku.model.boxes import check_box, get_cell_name
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.sudoku.model.puzzle import GridLike, as_grid
from sudokucrypt.sudoku.seeded import SeedLike, as_source
from sudokucrypt.typing import AnyArray, Box

if TYPE_CHECKING:
    from sudokucrypt.sudoku._kernels import numbering_plain as _kernels
    from sudokucrypt.sudoku.counting import class_numbers
else:
    class_numbers = DeferredModule("sudokucrypt.sudoku.counting.class_numbers")
    _kernels = load_kernels("sudokucrypt.sudoku._kernels", "numbering")

_ORDINARY_BOX = (3, 3)
# The number of grids drawn at a time, which limits the memory for the numbers of the grids.
_BATCH_SIZE = 4096


def grid_total(box: Box = _ORDINARY_BOX) -> int:
    """Return how many grids `rank` and `unrank` can number for a shape of boxes.

    Parameters
    ----------
    box : tuple of int, default (3, 3)
        Rows and columns of a box.

    Examples
    --------
    >>> grid_total(), grid_total((2, 3))
    (6670903752021072936960, 28200960)
    """
    box = _require_numbered_box(box)
    return get_grid_tables().total if box == _ORDINARY_BOX else count_grids_by_halves(max(box))


def rank(grid: GridLike, *, classes: bool = False) -> int:
    """Return the rank of a full grid, counted from 0, among all grids with boxes of its shape.

    The order of grids never changes, since a seed gives grids by their numbers. For 3x3 boxes, it
    is the order of the column sets of band one, then its filling, then the column sets and fillings
    of the bands below. A grid takes some microseconds with the kernel and under a millisecond
    without; the first grid in a process takes a fraction of a second more.

    Parameters
    ----------
    grid : SudokuGrid, SudokuPuzzle, str or array_like
        The full grid.
    classes : bool, optional
        Return the number of the grid's class among all 5,472,730,538 essentially different 9x9
        grids, which takes a few seconds. Classes are ordered by their canonical forms in reading
        order; equivalent grids have the same number. By default grids are numbered.

    Returns
    -------
    int
        The number, from 0; `unrank` returns the grid, or the canonical form of the class.

    Raises
    ------
    InvalidGridError
        If the grid is not full or breaks a rule.
    UnsupportedError
        If grids with its boxes, or their classes, are not numbered.

    Examples
    --------
    >>> rank("1324241331424231")
    0
    >>> last = "765839142248167593931524867576983214382641975419275638657398421894712356123456789"
    >>> rank(last, classes=True)
    5472730537
    """
    grid = as_grid(grid)
    if classes:
        _require_ordinary_box(grid.box)
        return class_numbers.rank_class(grid)
    rows, columns = _require_numbered_box(grid.box)
    if (rows, columns) == _ORDINARY_BOX:
        return rank_cells(grid.cells[None])[0]
    return rank_by_halves(grid.cells if columns == 2 else grid.cells.T, max(rows, columns))


def unrank(number: int, box: Box = _ORDINARY_BOX, *, classes: bool = False) -> SudokuGrid:
    """Return the full grid that has this number in the order of `rank`.

    Parameters
    ----------
    number : int
        The number of the grid, 0 to ``grid_total(box) - 1``, or of the class, 0 to 5,472,730,537.
    box : tuple of int, optional
        Rows and columns of a box, by default (3, 3).
    classes : bool, optional
        Return the canonical form of the class with this number, which takes a few seconds. Boxes
        are 3x3. By default grids are numbered.

    Returns
    -------
    SudokuGrid
        The full grid.

    Raises
    ------
    InvalidParameterError
        If the number is out of range.
    UnsupportedError
        If grids with such boxes, or their classes, are not numbered.

    Examples
    --------
    >>> unrank(0, (2, 2)).to_text()
    '1324241331424231'
    >>> unrank(5_472_730_537, classes=True).to_text()[:36]
    '123456789457893612986217354274538196'
    """
    if classes:
        _require_ordinary_box(check_box(box))
        return class_numbers.unrank_class(number)
    rows, columns = _require_numbered_box(box)
    total = grid_total((rows, columns))
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < total:
        raise InvalidParameterError(
            f"grids with {rows}x{columns} boxes have numbers 0..{total - 1}, not {number!r}"
        )
    cells: AnyArray
    if (rows, columns) == _ORDINARY_BOX:
        cells = unrank_cells([number])[0]
    else:
        cells = unrank_by_halves(number, max(rows, columns))
        cells = cells if columns == 2 else cells.T
    return SudokuGrid.wrap_valid(cells.astype(np.int32), (rows, columns))


def rank_batch(grids: ArrayLike, *, box: Box = _ORDINARY_BOX, first: int = 1) -> list[int]:
    """Return the numbers of many full grids, as `rank` returns them.

    Raises `InvalidGridError`, which names the first grid, from 1, that breaks a rule. With the
    kernel some hundred thousand grids of order 9 take a second.

    Parameters
    ----------
    grids : array_like of int, shape (N, n, n) or (N, n * n)
        The full grids, in reading order.
    box : tuple of int, default (3, 3)
        Rows and columns of a box.
    first : {0, 1}, default 1
        The first digit: 1 for 1..n, 0 for 0..n-1.

    Examples
    --------
    >>> rank_batch(unrank_batch([0, 5, grid_total() - 1]))
    [0, 5, 6670903752021072936959]
    """
    rows, columns = _require_numbered_box(box)
    order = rows * columns
    array = convert_to_integers(grids)
    if array.shape[1:] not in ((order, order), (order * order,)):
        raise InvalidGridError(f"a batch has the shape (N, {order}, {order}), not {array.shape}")
    cells = convert_digits(
        array.reshape(-1, order, order),
        order,
        lambda cell: (
            f"grid {cell // order**2 + 1}, {get_cell_name(*divmod(cell % order**2, order))}"
        ),
        first=first,
        dtype=np.int16,
    )
    # A house contains every digit once if the union of its digits is complete.
    bits = np.left_shift(1, cells).reshape(-1, columns, rows, rows, columns)
    is_valid = np.ones(len(cells), dtype=bool)
    for house_axes in ((3, 4), (1, 2), (2, 4)):  # rows, columns and boxes
        is_valid &= (np.bitwise_or.reduce(bits, axis=house_axes) == (1 << order) - 1).all(
            axis=(1, 2)
        )
    if not is_valid.all():
        raise InvalidGridError(f"grid {is_valid.argmin() + 1} holds a digit twice in one house")
    if (rows, columns) == _ORDINARY_BOX:
        return rank_cells(cells)
    return [rank_by_halves(grid if columns == 2 else grid.T, max(rows, columns)) for grid in cells]


def unrank_batch(
    numbers: Iterable[int], *, box: Box = _ORDINARY_BOX, first: int = 1
) -> NDArray[np.uint8]:
    """Return the full grids with these numbers, an array of shape (N, n, n), dtype uint8.

    This is the inverse of `rank_batch`. Raises `InvalidParameterError` for a number out of range.

    Parameters
    ----------
    numbers : sequence of int
        The numbers of the grids, 0 up to `grid_total` less 1.
    box : tuple of int, default (3, 3)
        Rows and columns of a box.
    first : {0, 1}, default 1
        The first digit: 1 for 1..n, 0 for 0..n-1.
    """
    rows, columns = _require_numbered_box(box)
    first = check_integer("first", first, least=0, most=1)
    last_number = grid_total((rows, columns)) - 1
    checked_numbers = [
        check_integer("a number", number, least=0, most=last_number) for number in numbers
    ]
    return _unrank_digits(checked_numbers, (rows, columns)) + np.uint8(first)


def _unrank_digits(numbers: Sequence[int], box: Box) -> NDArray[np.uint8]:
    """Return the grids with these numbers, with digits from 0."""
    if box == _ORDINARY_BOX:
        return unrank_cells(numbers)
    order = box[0] * box[1]
    cells = [unrank(number, box).cells for number in numbers]
    return np.array(cells, dtype=np.uint8).reshape(-1, order, order)


def unrank_cells(numbers: Sequence[int]) -> NDArray[np.uint8]:
    """Return the 9x9 grids with these numbers, which must be in range."""
    tables = get_grid_tables()
    parts = [divmod(number, int(tables.class_starts[-1])) for number in numbers]
    outer_numbers, inner_numbers = np.array(parts, dtype=np.int64).reshape(-1, 2).T.copy()
    cells = np.empty((len(parts), 9, 9), dtype=np.uint8)
    _kernels.unrank(tables, outer_numbers, inner_numbers, cells)
    return cells


def rank_cells(cells: AnyArray) -> list[int]:
    """Return the numbers of 9x9 grids, shape (count, 9, 9), which must be full and valid."""
    tables = get_grid_tables()
    outer_numbers, inner_numbers = np.empty((2, len(cells)), dtype=np.int64)
    _kernels.rank(tables, np.ascontiguousarray(cells, dtype=np.uint8), outer_numbers, inner_numbers)
    inner_number_count = int(tables.class_starts[-1])
    pairs = zip(outer_numbers.tolist(), inner_numbers.tolist(), strict=True)
    return [
        outer_number * inner_number_count + inner_number for outer_number, inner_number in pairs
    ]


def _require_ordinary_box(box: Box) -> None:
    if box != _ORDINARY_BOX:
        raise UnsupportedError("classes are numbered for 3x3 boxes only")


def is_numbered(box: Box) -> bool:
    """Return whether `rank` supports grids with such boxes, so that uniform draws are possible."""
    return box == _ORDINARY_BOX or (min(box) == 2 and max(box) <= MAX_BAND_BOXES)


def _require_numbered_box(box: Box) -> Box:
    rows, columns = check_box(box)
    if not is_numbered((rows, columns)):
        raise UnsupportedError(
            f"numbering grids with {rows}x{columns} boxes is not supported",
            hint="boxes of 2x2, 2x3, 3x2, 2x4, 4x2 and 3x3 are supported",
        )
    return rows, columns


def random_grid(source: SeedLike = None, *, box: Box = (3, 3)) -> SudokuGrid:
    """Draw a full grid; all grids are equally likely.

    The grid is ``unrank(source.below(grid_total(box)), box)``, in this and all later versions.

    Parameters
    ----------
    source : RandomSource or int, optional
        A stream of draws, a seed, or by default the system.
    box : tuple of int, default (3, 3)
        Rows and columns of a box, of a shape that `rank` numbers.

    Examples
    --------
    >>> random_grid(1, box=(2, 2))
    <SudokuGrid 4x4 with 2x2 boxes: 4231312424131342>
    """
    return unrank(as_source(source).below(grid_total(box)), box)


def random_grids(
    count: int, source: SeedLike = None, *, box: Box = (3, 3), first: int = 1
) -> NDArray[np.uint8]:
    """Draw many full grids, all equally likely: an array of shape (count, n, n), dtype uint8.

    The grids are the same as from repeated calls of `random_grid` with the same stream of draws.
    With the kernel some hundred thousand grids of order 9 take a second.

    Parameters
    ----------
    count : int
        The number of grids, 0 or more.
    source : RandomSource or int, optional
        A stream of draws, a seed, or by default the system.
    box : tuple of int, default (3, 3)
        Rows and columns of a box, of a shape that `rank` numbers.
    first : {0, 1}, default 1
        The first digit: 1 for 1..n, 0 for 0..n-1.

    Examples
    --------
    >>> random_grids(5, 1).shape
    (5, 9, 9)
    """
    count = check_integer("the count of grids", count, least=0)
    first = check_integer("first", first, least=0, most=1)
    source = as_source(source)
    total = grid_total(box)
    order = box[0] * box[1]
    grids = np.empty((count, order, order), dtype=np.uint8)
    for start in range(0, count, _BATCH_SIZE):
        batch = grids[start : start + _BATCH_SIZE]
        numbers = [source.below(total) for _ in batch]
        batch[:] = _unrank_digits(numbers, box)
    grids += first
    return grids
