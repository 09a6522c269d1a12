"""Full sheets to begin with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.sudoku.solver import random_solution
from sudokucrypt.sudoku.stirring import stirred_grid
from sudokucrypt.sudoku.uniform import random_grid, random_grids
from sudokucrypt.sudoku.variant import Variant

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sudokucrypt.typing import RandomSource

_NUMBERED = [(2, 2), (2, 3), (3, 2), (2, 4), (4, 2)]


def full_sheets(variant: Variant, source: RandomSource, count: int) -> NDArray[np.int32]:
    """Draw so many full sheets.

    Returns
    -------
    ndarray of shape (count, cells), dtype int32
        For ordinary Sudoku up to order 9 exactly uniform (`random_grids`), beyond that from
        `stirred_grid`; for all other variants from `random_solution`, where not all sheets are
        equally likely.
    """
    if variant == Variant.standard():
        return random_grids(source, count).reshape(count, -1).astype(np.int32)
    ordinary = variant == Variant.standard(variant.box)
    sheets = np.empty((count, len(variant.cells)), dtype=np.int32)
    for sheet in sheets:
        if not ordinary:
            sheet[:] = random_solution(variant, source).givens
        elif variant.box in _NUMBERED:
            sheet[:] = random_grid(source, variant.box).cells.ravel()
        else:
            sheet[:] = stirred_grid(variant.box, source).cells.ravel()
    return sheets
