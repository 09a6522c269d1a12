"""Grids, puzzles, arrays and the rules that they keep; the other rooms of the wing build on it."""

from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.sudoku.model.symmetry import ParametricGrid, Symmetry

__all__ = ["ParametricGrid", "SudokuGrid", "Symmetry"]
