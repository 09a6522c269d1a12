"""Sudoku as mathematics: grids and puzzles of any order, made, solved, counted and numbered."""

from sudokucrypt.sudoku.array_search import array_by_search, shuffled_array
from sudokucrypt.sudoku.arrays import SudokuArray
from sudokucrypt.sudoku.batch import BatchResult, read_batch, solve_batch
from sudokucrypt.sudoku.canonical import (
    CanonicalForm,
    are_equivalent,
    automorphism_count,
    canonical_form,
)
from sudokucrypt.sudoku.counting import count_grids, count_samurai_grids, count_x_grids
from sudokucrypt.sudoku.cover_models import cover_solutions, puzzle_cover
from sudokucrypt.sudoku.exact_cover import ExactCover
from sudokucrypt.sudoku.fewest import grid_by_search
from sudokucrypt.sudoku.grid import SudokuGrid, default_box
from sudokucrypt.sudoku.historical import (
    BoxByBox,
    GridOfRows,
    box_by_box,
    centre_counts,
    enumerate_rows,
    grid_by_boxes,
    grid_by_cells,
    grid_by_rows,
)
from sudokucrypt.sudoku.parametric import ParametricGrid
from sudokucrypt.sudoku.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.ranking import grid_total, rank, unrank
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.sudoku.solver import (
    count_solutions,
    is_unique,
    random_solution,
    solutions,
    solve,
)
from sudokucrypt.sudoku.stirring import shuffled_grid, stir, stirred_grid
from sudokucrypt.sudoku.symmetry import Symmetry
from sudokucrypt.sudoku.uniform import random_grid, random_grids
from sudokucrypt.sudoku.variant import House, Variant

__all__ = [
    "BatchResult",
    "BoxByBox",
    "CanonicalForm",
    "ExactCover",
    "GridOfRows",
    "House",
    "ParametricGrid",
    "SudokuArray",
    "SudokuGrid",
    "SudokuPuzzle",
    "Symmetry",
    "Variant",
    "are_equivalent",
    "array_by_search",
    "automorphism_count",
    "box_by_box",
    "canonical_form",
    "centre_counts",
    "count_grids",
    "count_samurai_grids",
    "count_solutions",
    "count_x_grids",
    "cover_solutions",
    "default_box",
    "enumerate_rows",
    "grid_by_boxes",
    "grid_by_cells",
    "grid_by_rows",
    "grid_by_search",
    "grid_total",
    "is_unique",
    "puzzle_cover",
    "random_grid",
    "random_grids",
    "random_solution",
    "rank",
    "read_batch",
    "seeded_draws",
    "shuffled_array",
    "shuffled_grid",
    "solutions",
    "solve",
    "solve_batch",
    "stir",
    "stirred_grid",
    "unrank",
]
