"""Grids that are the same up to the symmetries of the rules, and how symmetric a grid is."""

from dataclasses import dataclass
from functools import cache
from itertools import permutations
from math import factorial

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.kernels import load_kernels
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.sudoku.model.puzzle import GridLike, as_grid
from sudokucrypt.sudoku.model.symmetry import Symmetry, can_transpose
from sudokucrypt.typing import Box

_kernels = load_kernels("sudokucrypt.sudoku._kernels", "canonical")

_CANDIDATES = 300_000  # orders of columns and first rows beyond which a grid would take long


@dataclass(frozen=True, eq=False, kw_only=True)
class CanonicalForm:
    """The first in reading order of all grids that a grid is essentially the same as.

    `symmetry` maps the grid in question to it, and `automorphisms` says how many symmetries do,
    which is also how many map the grid to itself.
    """

    grid: SudokuGrid
    symmetry: Symmetry
    automorphisms: int


def canonical_form(grid: GridLike) -> CanonicalForm:
    """Find the first grid, in reading order, among all images under symmetries of the rules.

    Boxes are 3x3, or of another shape that leaves few enough orders to try: 2x2 to 2x5, 3x2, 4x2
    and 1x1 to 1x7. `UnsupportedError` for others.

    3x3 boxes have 3359232 symmetries times 9! relabellings. The first two rows leave some hundred
    of them to try, in a tenth of a millisecond with the kernel, some ten without.

    Examples
    --------
    >>> form = canonical_form("1234341221434321")
    >>> form.grid.to_text(), form.automorphisms
    ('1234341221434321', 32)
    """
    grid = as_grid(grid)
    p, heads = grid.box[0], _heads(grid.box)
    cells = np.ascontiguousarray(grid.cells, dtype=np.uint8)
    best, orders = np.empty_like(cells), np.empty((2, len(cells)), dtype=np.uint8)
    automorphisms, _ = _kernels.smallest(cells, p, heads, best, orders, False)
    transposed = False
    if can_transpose(grid.box):
        turned, others = np.ascontiguousarray(cells.T), orders.copy()
        more, transposed = _kernels.smallest(turned, p, heads, best, others, True)
        if transposed:
            automorphisms, cells, orders = more, turned, others
        else:
            automorphisms += more
    rows, columns = orders.astype(np.int64)
    label = np.argsort(cells[rows[0], columns])
    down, across = (columns, rows) if transposed else (rows, columns)
    symmetry = Symmetry._trusted(grid.box, down, across, label, transposed)
    image = SudokuGrid._trusted(best.astype(np.int32), grid.box)
    return CanonicalForm(grid=image, symmetry=symmetry, automorphisms=automorphisms)


def automorphism_count(grid: GridLike) -> int:
    """Return how many symmetries, relabelling included, leave a grid as it is; `canonical_form`."""
    return canonical_form(grid).automorphisms


def are_equivalent(one: GridLike, other: GridLike) -> bool:
    """Tell whether some symmetry of the rules maps a grid to another; as `canonical_form`."""
    one, other = as_grid(one), as_grid(other)
    return one.box == other.box and canonical_form(one).grid == canonical_form(other).grid


@cache
def _heads(box: Box) -> NDArray[np.uint8]:
    """Return all orders of the rows of a first band, in lexicographic order."""
    p, q = box
    orders = q * factorial(p) * factorial(p) * factorial(q) ** p
    if orders > _CANDIDATES:
        raise UnsupportedError(
            f"a grid with {p}x{q} boxes has {orders} orders to try",
            hint=f"up to {_CANDIDATES} are tried, as for 3x3, 2x2 to 2x5, 3x2, 4x2 and 1x1 to 1x7",
        )
    heads = [np.array(rows) + band * p for band in range(q) for rows in permutations(range(p))]
    return np.array(heads, dtype=np.uint8)
