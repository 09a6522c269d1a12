"""Grids that are the same up to the symmetries of the rules, and how symmetric a grid is."""

from dataclasses import dataclass
from functools import cache
from itertools import permutations, product
from math import factorial

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.kernels import load_kernels
from sudokucrypt.sudoku._kernels.canonical_plain import rows_of
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.sudoku.model.symmetry import Symmetry
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


def canonical_form(grid: SudokuGrid) -> CanonicalForm:
    """Find the first grid, in reading order, among all images under symmetries of the rules.

    Boxes are 3x3, or of another shape that leaves few enough orders to try: 2x2 to 2x5, 3x2, 4x2
    and 1x1 to 1x7. `UnsupportedError` for others.

    3x3 boxes have 3359232 symmetries times 9! relabellings, of which 46656 are tried in a
    millisecond with the kernel, some ten without.

    Examples
    --------
    >>> form = canonical_form(SudokuGrid.from_text("1234341221434321"))
    >>> form.grid.to_text(), form.automorphisms
    ('1234341221434321', 32)
    """
    heads, columns = _orders(grid.box)
    forms = []
    for transposed in (False, True) if grid.box[0] == grid.box[1] else (False,):
        cells = np.ascontiguousarray(grid.cells.T if transposed else grid.cells, dtype=np.uint8)
        best = np.empty_like(cells)
        choice = _kernels.smallest(cells, grid.box[0], heads, columns, best)
        forms.append((best.tobytes(), transposed, cells, best, choice))
    least = min(form[0] for form in forms)
    equal = [form for form in forms if form[0] == least]
    _, transposed, cells, best, (head, order, _) = equal[0]
    label = np.argsort(cells[heads[head][0], columns[order]])
    rows = rows_of(label[cells[:, columns[order][0]]], grid.box[0], heads[head])
    across = columns[order].astype(np.int64)
    down, across = (across, rows) if transposed else (rows, across)
    symmetry = Symmetry(
        box=grid.box, rows=down, columns=across, digits=label, transposed=transposed
    )
    image = SudokuGrid._trusted(best.astype(np.int32), grid.box)
    automorphisms = sum(form[-1][2] for form in equal)
    return CanonicalForm(grid=image, symmetry=symmetry, automorphisms=automorphisms)


def automorphism_count(grid: SudokuGrid) -> int:
    """Return how many symmetries, relabelling included, leave a grid as it is; `canonical_form`."""
    return canonical_form(grid).automorphisms


def are_equivalent(one: SudokuGrid, other: SudokuGrid) -> bool:
    """Tell whether some symmetry of the rules maps a grid to another; as `canonical_form`."""
    return one.box == other.box and canonical_form(one).grid == canonical_form(other).grid


@cache
def _orders(box: Box) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return all orders of the rows of a first band, and of the columns, in lexicographic order."""
    p, q = box
    orders = q * factorial(p) * factorial(p) * factorial(q) ** p
    if orders > _CANDIDATES:
        raise UnsupportedError(
            f"a grid with {p}x{q} boxes has {orders} orders to try",
            hint=f"up to {_CANDIDATES} are tried, as for 3x3, 2x2 to 2x5, 3x2, 4x2 and 1x1 to 1x7",
        )
    heads = [np.array(rows) + band * p for band in range(q) for rows in permutations(range(p))]
    columns = [
        (np.array(stacks)[:, None] * q + insides).ravel()
        for stacks in permutations(range(p))
        for insides in product(permutations(range(q)), repeat=p)
    ]
    return np.array(heads, dtype=np.uint8), np.array(columns, dtype=np.uint8)
