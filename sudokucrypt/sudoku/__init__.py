"""Sudoku as mathematics: grids and puzzles of any order, made, solved, counted and numbered."""

from importlib import import_module
from typing import TYPE_CHECKING

from sudokucrypt.sudoku.grid import SudokuGrid, default_box
from sudokucrypt.sudoku.parametric import ParametricGrid
from sudokucrypt.sudoku.symmetry import Symmetry

if TYPE_CHECKING:
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
    from sudokucrypt.sudoku.deducing import (
        Grade,
        Level,
        Step,
        Technique,
        deductions,
        grade,
        level_of,
    )
    from sudokucrypt.sudoku.exact_cover import ExactCover
    from sudokucrypt.sudoku.fewest import grid_by_search
    from sudokucrypt.sudoku.historical import (
        BoxByBox,
        GridOfRows,
        anagram_index,
        anagrams,
        box_by_box,
        centre_counts,
        enumerate_rows,
        grid_by_boxes,
        grid_by_cells,
        grid_by_rows,
    )
    from sudokucrypt.sudoku.making import PATTERNS, Made, Pattern, make_puzzle, make_puzzles
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
    from sudokucrypt.sudoku.uniform import random_grid, random_grids
    from sudokucrypt.sudoku.variant import House, Variant

__all__ = [
    "PATTERNS",
    "BatchResult",
    "BoxByBox",
    "CanonicalForm",
    "ExactCover",
    "Grade",
    "GridOfRows",
    "House",
    "Level",
    "Made",
    "ParametricGrid",
    "Pattern",
    "Step",
    "SudokuArray",
    "SudokuGrid",
    "SudokuPuzzle",
    "Symmetry",
    "Technique",
    "Variant",
    "anagram_index",
    "anagrams",
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
    "deductions",
    "default_box",
    "enumerate_rows",
    "grade",
    "grid_by_boxes",
    "grid_by_cells",
    "grid_by_rows",
    "grid_by_search",
    "grid_total",
    "is_unique",
    "level_of",
    "make_puzzle",
    "make_puzzles",
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

_LATER = {
    "array_search": ("array_by_search", "shuffled_array"),
    "arrays": ("SudokuArray",),
    "batch": ("BatchResult", "read_batch", "solve_batch"),
    "canonical": ("CanonicalForm", "are_equivalent", "automorphism_count", "canonical_form"),
    "counting": ("count_grids", "count_samurai_grids", "count_x_grids"),
    "cover_models": ("cover_solutions", "puzzle_cover"),
    "deducing": ("Grade", "Level", "Step", "Technique", "deductions", "grade", "level_of"),
    "exact_cover": ("ExactCover",),
    "fewest": ("grid_by_search",),
    "historical": (
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
    ),
    "making": ("PATTERNS", "Made", "Pattern", "make_puzzle", "make_puzzles"),
    "puzzle": ("SudokuPuzzle",),
    "ranking": ("grid_total", "rank", "unrank"),
    "seeded": ("seeded_draws",),
    "solver": ("count_solutions", "is_unique", "random_solution", "solutions", "solve"),
    "stirring": ("shuffled_grid", "stir", "stirred_grid"),
    "uniform": ("random_grid", "random_grids"),
    "variant": ("House", "Variant"),
}
"""Where the names are found that are imported when they are first asked for.

`import sudokucrypt` needs few of them, and to import all of them would double its time.
"""

if not TYPE_CHECKING:  # or every name would be taken for one of them

    def __getattr__(name):
        for module, names in _LATER.items():
            if name in names:
                found = getattr(import_module(f"{__name__}.{module}"), name)
                globals()[name] = found
                return found
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__():
        return sorted({*globals(), *__all__})
