"""Canonical forms of grids and puzzles under the symmetries of the rules, and automorphisms."""

from dataclasses import dataclass
from functools import cache
from itertools import permutations, product
from math import factorial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.kernels import load_kernels
from sudokucrypt.sudoku.model.array_interface import OPEN
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.sudoku.model.puzzle import GridLike, PuzzleLike, SudokuPuzzle, as_grid, as_puzzle
from sudokucrypt.sudoku.model.symmetry import Symmetry, can_transpose
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.typing import Box
from sudokucrypt.workers import Workers

GridDigits = NDArray[np.int8]

_MAX_ORDERS = 4_000_000  # limit of line orders per search step; an empty 9x9 puzzle has fewer


@dataclass(frozen=True, eq=False, kw_only=True)
class CanonicalPuzzle:
    """The canonical form of a puzzle: the lexicographically first puzzle equivalent to it.

    `symmetry` maps the puzzle to its canonical form. `automorphisms` is the number of symmetries
    that do so, or that map the puzzle to itself, if digits that are not given keep their order.
    """

    puzzle: SudokuPuzzle
    symmetry: Symmetry
    automorphisms: int


def canonical_puzzle(puzzle: PuzzleLike) -> CanonicalPuzzle:
    """Find the canonical form of a puzzle: the lexicographically first puzzle equivalent to it.

    An open cell is less than all digits. For full grids the result is the same as with
    `canonical_form`. Raises `UnsupportedError` for boxes that `canonical_form` does not support,
    for rules other than ordinary Sudoku, and for too few givens in boxes other than 3x3. A 9x9
    puzzle takes some ten milliseconds, an empty puzzle some seconds.

    Parameters
    ----------
    puzzle : SudokuPuzzle, str or array_like
        The puzzle; an array has 0 in open cells.

    Examples
    --------
    >>> canonical_puzzle("1... ..2. .3.. ...4").puzzle.to_text()
    '...1.2....3.4...'
    """
    puzzle = as_puzzle(puzzle)
    box = puzzle.variant.box
    if puzzle.variant != Variant.standard(box):
        raise UnsupportedError(
            f"puzzles of {puzzle.variant.name} have no canonical form",
            hint="ordinary Sudoku and Latin squares do",
        )
    images = puzzle.cells.astype(np.int8)[None]
    if can_transpose(box):
        images = np.stack([images[0], images[0].T])
    search = _RowSearch(images, box)
    for _ in range(search.order):
        search.add_row()
    is_transposed = bool(search.sheet[0])
    row_order, column_order = search.rows[0].astype(np.int64), search.columns[0].astype(np.int64)
    labels = search.labels[0].astype(np.int64)
    labels[labels == OPEN] = np.setdiff1d(np.arange(search.order), labels)
    image = np.array(search.image, dtype=np.int32).ravel()
    return CanonicalPuzzle(
        puzzle=SudokuPuzzle.wrap_valid(image, puzzle.variant),
        symmetry=Symmetry.wrap_valid(
            box,
            *((column_order, row_order) if is_transposed else (row_order, column_order)),
            labels,
            transposed=is_transposed,
        ),
        automorphisms=len(search.sheet),
    )


class _RowSearch:
    """A row-by-row search for the first image; it keeps all line orders that give its rows."""

    def __init__(self, sheets: GridDigits, box: Box) -> None:
        self.sheets, (self.p, self.q), self.order = sheets, box, sheets.shape[1]
        order_count = factorial(self.p) * factorial(self.q) ** self.p
        self._check_order_count(order_count)
        orders_in_stack = list(permutations(range(self.q)))
        columns = np.array(
            [
                [
                    stack * self.q + column
                    for stack, order in zip(stacks, stack_orders, strict=True)
                    for column in order
                ]
                for stacks in permutations(range(self.p))
                for stack_orders in product(orders_in_stack, repeat=self.p)
            ],
            dtype=np.int8,
        )
        self.sheet = np.repeat(np.arange(len(sheets)), len(columns))
        self.columns = np.tile(columns, (len(sheets), 1))
        self.rows = np.empty((len(self.sheet), 0), dtype=np.int8)
        self.labels = np.full((len(self.sheet), self.order), OPEN, dtype=np.int8)
        self.image: list[list[int]] = []

    def add_row(self) -> None:
        """Try every next row, and keep the choices whose image is first in reading order."""
        row_count = self.rows.shape[1]
        is_used = np.zeros((len(self.sheet), self.order), dtype=bool)
        np.put_along_axis(is_used, self.rows.astype(np.int64), values=True, axis=1)
        is_in_begun_band = np.repeat(
            is_used.reshape(-1, self.q, self.p).any(axis=2), self.p, axis=1
        )
        # Within a band, only its unused rows may follow; after a band, only rows of unused bands.
        is_allowed_row = ~is_in_begun_band
        if row_count % self.p:
            is_allowed_row = (
                np.arange(self.order) // self.p == self.rows[:, -1:] // self.p
            ) & ~is_used
        self._check_order_count(int(is_allowed_row.sum()))
        way_indexes, row = np.nonzero(is_allowed_row)
        self._keep_choices(way_indexes)
        self.rows = np.column_stack([self.rows, row.astype(np.int8)])
        self.image.append([self._keep_smallest_digit(column) for column in range(self.order)])

    def _keep_smallest_digit(self, column: int) -> int:
        """Keep choices with the smallest digit in a column of the last row; return that digit."""
        indexes = np.arange(len(self.sheet))
        digits = self.sheets[self.sheet, self.rows[:, -1], self.columns[:, column]]
        images = np.where(digits == OPEN, OPEN, self.labels[indexes, digits])
        # A digit without a label gets the smallest free label, which is best in reading order.
        is_unlabeled = (digits != OPEN) & (images == OPEN)
        images[is_unlabeled] = self.labels[is_unlabeled].max(axis=1) + 1
        smallest_digit = images.min()
        kept_choices = np.flatnonzero(images == smallest_digit)
        self._keep_choices(kept_choices)
        if smallest_digit != OPEN:
            self.labels[np.arange(len(kept_choices)), digits[kept_choices]] = smallest_digit
        return int(smallest_digit)

    def _keep_choices(self, indexes: NDArray[np.intp]) -> None:
        self.sheet, self.rows = self.sheet[indexes], self.rows[indexes]
        self.columns, self.labels = self.columns[indexes], self.labels[indexes]

    def _check_order_count(self, order_count: int) -> None:
        if order_count > _MAX_ORDERS:
            raise UnsupportedError(
                f"a puzzle with {self.p}x{self.q} boxes and so few givens has {order_count} "
                "orders to "
                "try",
                hint=f"up to {_MAX_ORDERS} are tried",
            )


if TYPE_CHECKING:
    from sudokucrypt.sudoku._kernels import canonical_plain as _kernels
else:
    _kernels = load_kernels("sudokucrypt.sudoku._kernels", "canonical")

_MAX_CANDIDATES = 300_000  # limit of orders of columns and first-band rows; more take too long


@dataclass(frozen=True, eq=False, kw_only=True)
class CanonicalForm:
    """The canonical form of a grid: the lexicographically first grid equivalent to it.

    `symmetry` maps the grid to its canonical form. `automorphisms` is the number of symmetries that
    do so, which is also the number that map the grid to itself.
    """

    grid: SudokuGrid
    symmetry: Symmetry
    automorphisms: int


def canonical_form(grid: GridLike) -> CanonicalForm:
    """Find the canonical form of a grid: the lexicographically first grid equivalent to it.

    Supported boxes are 3x3, 2x2 to 2x5, 3x2, 4x2 and 1x1 to 1x7, which have few enough orders to
    try; for others it raises `UnsupportedError`.

    3x3 boxes have 3359232 symmetries times 9! relabelings. The first two rows exclude all except
    some hundred of them. A grid takes a tenth of a millisecond with the kernel, ten without.

    The symmetries of Latin squares, grids with 1 x n boxes, are all orders of rows, of columns and
    of digits, and transposition. Their classes, known as types, are 1, 1, 1, 2, 2, 17 and 324 for
    orders 1 to 7; without transposition they would be the isotopy classes (OEIS A040082).

    Parameters
    ----------
    grid : SudokuGrid, str or array_like
        The full grid.


    References
    ----------
    B. D. McKay, A. Meynert and W. Myrvold, "Small Latin squares, quasigroups, and loops", Journal
    of Combinatorial Designs 15, 98-119, 2007, doi:10.1002/jcd.20105.

    Examples
    --------
    >>> form = canonical_form("1234341221434321")
    >>> form.grid.to_text(), form.automorphisms
    ('1234341221434321', 32)
    """
    grid = as_grid(grid)
    box = grid.box if grid.box[1] > 1 else (1, grid.order)  # n x 1 is also a Latin square
    box_rows, heads = box[0], _list_first_band_orders(box)
    cells = np.ascontiguousarray(grid.cells, dtype=np.uint8)
    best, orders = np.empty_like(cells), np.empty((2, len(cells)), dtype=np.uint8)
    automorphism_count, _ = _kernels.find_smallest_image(
        cells, box_rows, heads, best, orders, has_best=False
    )
    is_transposed = False
    # The canonical form comes from the transposed grid only if that gives a smaller image.
    if can_transpose(grid.box):
        transposed_cells, transposed_orders = np.ascontiguousarray(cells.T), orders.copy()
        transposed_automorphisms, is_transposed = _kernels.find_smallest_image(
            transposed_cells, box_rows, heads, best, transposed_orders, has_best=True
        )
        if is_transposed:
            automorphism_count, cells, orders = (
                transposed_automorphisms,
                transposed_cells,
                transposed_orders,
            )
        else:
            automorphism_count += transposed_automorphisms
    rows, columns = orders.astype(np.int64)
    labels = np.argsort(cells[rows[0], columns])
    row_order, column_order = (columns, rows) if is_transposed else (rows, columns)
    symmetry = Symmetry.wrap_valid(
        grid.box, row_order, column_order, labels, transposed=is_transposed
    )
    image = SudokuGrid.wrap_valid(best.astype(np.int32), grid.box)
    return CanonicalForm(grid=image, symmetry=symmetry, automorphisms=automorphism_count)


class PuzzleForms(NamedTuple):
    """The canonical forms of puzzles: two are equal if and only if their puzzles are equivalent.

    `grids`, of shape (N, 81), contains the canonical forms of the solutions, digits 0..8. `given`
    is 1 in the given cells and 0 in open cells of the first equivalent puzzle with this solution.
    """

    grids: NDArray[np.uint8]
    given: NDArray[np.uint8]


def puzzle_forms(
    puzzles: ArrayLike, solutions: ArrayLike, *, threads: int | None = None
) -> PuzzleForms:
    """Find the canonical forms of many 9x9 puzzles from their solutions, in about 0.02 ms each.

    Parameters
    ----------
    puzzles, solutions : array_like of shape (N, 81)
        Digits 1..9, and 0 in open cells, as `solve_batch` takes and returns them. Each row of
        `solutions` must be a solution of the same row of `puzzles`.
    threads : int, optional
        The number of threads, 1..1024; by default SUDOKUCRYPT_THREADS, otherwise the number of
        cores that this process may use.

    Examples
    --------
    >>> from sudokucrypt.sudoku import make_puzzle
    >>> puzzle, solution = (sheet.givens.reshape(1, 81) + 1 for sheet in make_puzzle(1))
    >>> forms = puzzle_forms(puzzle, solution)
    >>> int(forms.given.sum()) == int((puzzle > 0).sum())
    True
    """
    cells = np.ascontiguousarray(np.asarray(solutions).reshape(-1, 9, 9), dtype=np.uint8) - 1
    is_given = np.ascontiguousarray(np.asarray(puzzles).reshape(-1, 9, 9) > 0).view(np.uint8)
    grids, given_cells, heads = (
        np.empty_like(cells),
        np.empty_like(cells),
        _list_first_band_orders((3, 3)),
    )

    def find_forms(start: int, stop: int) -> None:
        _kernels.find_smallest_puzzles(cells, is_given, 3, heads, grids, given_cells, start, stop)

    with Workers(threads) as workers:
        workers.share(len(cells), find_forms)
    return PuzzleForms(grids.reshape(-1, 81), given_cells.reshape(-1, 81))


@cache
def _list_first_band_orders(box: Box) -> NDArray[np.uint8]:
    """Return all orders of the rows of a first band, in lexicographic order."""
    rows, columns = box
    order_count = columns * factorial(rows) * factorial(rows) * factorial(columns) ** rows
    if order_count > _MAX_CANDIDATES:
        raise UnsupportedError(
            f"a grid with {rows}x{columns} boxes has {order_count} orders to try",
            hint=f"up to {_MAX_CANDIDATES} are tried, as for 3x3, 2x2 to 2x5, 3x2, 4x2 and 1x1 to "
            "1x7",
        )
    heads = [
        np.array(order) + band * rows
        for band in range(columns)
        for order in permutations(range(rows))
    ]
    return np.array(heads, dtype=np.uint8)
