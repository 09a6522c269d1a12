"""Sudoku as mathematics: grids of any order, their symmetries, grids as tables."""

from sudokucrypt.sudoku.grid import SudokuGrid
from sudokucrypt.sudoku.parametric import ParametricGrid
from sudokucrypt.sudoku.symmetry import Symmetry

__all__ = ["ParametricGrid", "SudokuGrid", "Symmetry"]
