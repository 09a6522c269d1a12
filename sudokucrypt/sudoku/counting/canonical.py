"""Grids that are the same up to the symmetries of the rules, and how symmetric a grid is."""

from __future__ import annotations

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

_CANDIDATES = 300_000
"""Orders of columns and of the first band's rows beyond which a grid would take long."""


@dataclass(frozen=True, eq=False, kw_only=True)
class CanonicalForm:
    """The representative of all grids that a grid is essentially the same as.

    Parameters
    ----------
    grid : SudokuGrid
        The first of them in reading order.
    symmetry : Symmetry
        One that maps the grid in question to it.
    automorphisms : int
        How many symmetries do, which is also how many map the grid to itself.
    """

    grid: SudokuGrid
    symmetry: Symmetry
    automorphisms: int


def canonical_form(grid: SudokuGrid) -> CanonicalForm:
    """Find the first grid, in reading order, among all images under symmetries of the rules.

    Parameters
    ----------
    grid : SudokuGrid
        Boxes of 3x3, or of another shape that leaves few enough orders to try: 2x2 to 2x5, 3x2,
        4x2 and 1x1 to 1x7.

    Raises
    ------
    UnsupportedError
        If there are too many orders.

    Notes
    -----
    The symmetries of 3x3 boxes are 3359232 times 9! relabellings. The first row of the result is
    1, 2, ..., so that the rows of the first band and the order of the columns fix the relabelling;
    what remains is sorted. That leaves 46656 candidates, most of which fail in the second row: a
    millisecond with the kernel, some ten without.

    Examples
    --------
    >>> text = "1234341221434321"
    >>> form = canonical_form(SudokuGrid.from_text(text))
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
    lines = (columns[order], rows) if transposed else (rows, columns[order])
    symmetry = Symmetry(
        box=grid.box,
        rows=lines[0].astype(np.int64),
        columns=lines[1].astype(np.int64),
        digits=label,
        transposed=transposed,
    )
    return CanonicalForm(
        grid=SudokuGrid._trusted(best.astype(np.int32), grid.box),
        symmetry=symmetry,
        automorphisms=sum(form[-1][2] for form in equal),
    )


def automorphism_count(grid: SudokuGrid) -> int:
    """Return how many symmetries of the rules, relabelling included, leave a grid as it is.

    Parameters
    ----------
    grid : SudokuGrid
        As in `canonical_form`, which see for errors and cost.

    Examples
    --------
    >>> automorphism_count(SudokuGrid.from_text("123456456123231564564231312645645312"))
    72
    """
    return canonical_form(grid).automorphisms


def are_equivalent(one: SudokuGrid, other: SudokuGrid) -> bool:
    """Tell whether some symmetry of the rules maps a grid to another, which has the same boxes.

    Parameters
    ----------
    one, other : SudokuGrid
        As in `canonical_form`, which see for errors and cost.

    Examples
    --------
    >>> one, other = map(SudokuGrid.from_text, ("1234341221434321", "1234341223414123"))
    >>> are_equivalent(one, other)
    False
    """
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
    heads = [
        [band * p + row for row in rows] for band in range(q) for rows in permutations(range(p))
    ]
    columns = [
        [
            stack * q + column
            for stack, inside in zip(stacks, insides, strict=True)
            for column in inside
        ]
        for stacks in permutations(range(p))
        for insides in product(permutations(range(q)), repeat=p)
    ]
    return np.array(heads, dtype=np.uint8), np.array(columns, dtype=np.uint8)
