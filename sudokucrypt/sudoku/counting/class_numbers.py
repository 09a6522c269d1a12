"""The number of a 9x9 grid among the essentially different ones, and the grid of a number.

Classes are numbered by their canonical forms in reading order, so by band one first. How many of
them begin with a band and with the first four digits of row four was counted once, for all: these
47,066 numbers, in ``class_counts.txt``, add up to the 5,472,730,538 classes of E. Russell and
F. Jarvis, which `count_classes` finds in another way. The canonical grids behind one of them are
listed when a number is asked for.
"""

from functools import cache

import numpy as np

from sudokucrypt.options import checked_integer
from sudokucrypt.sudoku.counting.canonical import canonical_form
from sudokucrypt.sudoku.counting.canonical_listing import CanonicalListing, grid_keys
from sudokucrypt.sudoku.counting.minlex_bands import band_tables
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.typing import IntArray


def rank_class(grid: SudokuGrid) -> int:
    """Return the number of a full 9x9 grid's class, as `rank` explains."""
    cells = canonical_form(grid).grid.cells.astype(np.uint8)
    [band_class] = np.flatnonzero((band_tables().bands == cells[:3]).all(axis=(1, 2)))
    listing = CanonicalListing(int(band_class))
    start = tuple(cells[3, :4].tolist())
    index = listing.starts().index(start)
    earlier = listing.keys(start) < grid_keys(cells[3:])
    return int(_edges()[band_class][index] + earlier.sum())


def unrank_class(number: int) -> SudokuGrid:
    """Return the canonical form of the class with this number, as `unrank` explains."""
    edges = _edges()
    number = checked_integer("the number", number, least=0, most=int(edges[-1][-1]) - 1)
    # Several have the same first number if nothing is between them: the last one of them counts.
    band_class = sum(number >= own[-1] for own in edges)
    start = int(np.searchsorted(edges[band_class], number, "right")) - 1
    listing = CanonicalListing(band_class)
    keys = np.sort(listing.keys(listing.starts()[start]))
    rows = np.frombuffer(keys[number - edges[band_class][start]], dtype=np.uint8) - 1
    cells = np.concatenate([listing.band, rows.reshape(6, 9)])
    return SudokuGrid.wrap_valid(cells.astype(np.int32), (3, 3))


@cache
def _edges() -> tuple[IntArray, ...]:
    """Return the number of the first canonical grid with each start, and the end, for each band."""
    edges, end = [], 0
    for counts in band_tables().counts:
        edges.append(end + np.append(0, np.cumsum(counts)))
        end = edges[-1][-1]
    return tuple(edges)
