"""The methods by which Sudoku grids were first made by program, as they were described."""

from sudokucrypt.sudoku.historical.anagrams import anagram_index, anagrams
from sudokucrypt.sudoku.historical.box_counts import BoxByBox, box_by_box, centre_counts
from sudokucrypt.sudoku.historical.boxes import grid_by_boxes
from sudokucrypt.sudoku.historical.cells import grid_by_cells
from sudokucrypt.sudoku.historical.rows import GridOfRows, enumerate_rows, grid_by_rows

__all__ = [
    "BoxByBox",
    "GridOfRows",
    "anagram_index",
    "anagrams",
    "box_by_box",
    "centre_counts",
    "enumerate_rows",
    "grid_by_boxes",
    "grid_by_cells",
    "grid_by_rows",
]
