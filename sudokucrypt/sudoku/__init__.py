"""Sudoku as mathematics: grids and puzzles of any order, made, solved, counted and numbered."""

from typing import TYPE_CHECKING

from sudokucrypt.lazy import lazy_names

_NAMES = {
    "errors": (
        "BrokenRuleError InvalidGridError MultipleSolutionsError NoSolutionError UndecidedError"
    ),
    "sudoku.counting.canonical": "CanonicalForm are_equivalent automorphism_count canonical_form",
    "sudoku.counting.canonical_puzzles": "CanonicalPuzzle canonical_puzzle",
    "sudoku.counting.classes": "count_classes",
    "sudoku.counting.ranking": (
        "grid_total random_grid random_grids rank rank_batch unrank unrank_batch"
    ),
    "sudoku.counting.totals": "count_grids count_samurai_grids count_sheets count_x_grids",
    "sudoku.deducing.levels": "Level Technique",
    "sudoku.deducing.sentences": "explain",
    "sudoku.deducing.steps": "Step",
    "sudoku.deducing.trace": "Grade deductions grade level_of rating_of",
    "sudoku.historical.anagrams": "anagram_index anagrams",
    "sudoku.historical.boxes": "BoxByBox box_by_box centre_counts fitting_boxes grid_by_boxes",
    "sudoku.historical.lines": "GridOfRows enumerate_rows grid_by_cells grid_by_rows",
    "sudoku.making.constrained": "make_constrained",
    "sudoku.making.jigsaws": "random_jigsaw",
    "sudoku.making.patterns": "PATTERNS Pattern",
    "sudoku.making.places": "make_puzzle_at",
    "sudoku.making.puzzles": "Made make_puzzle make_puzzles",
    "sudoku.making.sheets": (
        "array_by_search grid_by_search shuffled_array shuffled_grid stir stirred_grid"
    ),
    "sudoku.model.arrays": "SudokuArray",
    "sudoku.model.boxes": "default_box",
    "sudoku.model.constraints": "CONSTRAINTS Constraint ConstraintKind",
    "sudoku.model.grid": "SudokuGrid",
    "sudoku.model.houses": "House",
    "sudoku.model.puzzle": "SudokuPuzzle",
    "sudoku.model.symmetry": "ParametricGrid Symmetry",
    "sudoku.model.variant": "Variant",
    "sudoku.seeded": "seeded_draws",
    "sudoku.solving.batch": "BatchResult read_batch solve_batch",
    "sudoku.solving.exact_cover": "ExactCover cover_solutions puzzle_cover",
    "sudoku.solving.solver": "count_solutions is_unique random_solution solutions solve",
    "sudoku.variants": "VARIANTS VariantKind register_variant",
}

if TYPE_CHECKING:
    __all__: list[str]
    from sudokucrypt.errors import BrokenRuleError as BrokenRuleError
    from sudokucrypt.errors import InvalidGridError as InvalidGridError
    from sudokucrypt.errors import MultipleSolutionsError as MultipleSolutionsError
    from sudokucrypt.errors import NoSolutionError as NoSolutionError
    from sudokucrypt.errors import UndecidedError as UndecidedError
    from sudokucrypt.sudoku import drawing as drawing
    from sudokucrypt.sudoku.counting.canonical import CanonicalForm as CanonicalForm
    from sudokucrypt.sudoku.counting.canonical import are_equivalent as are_equivalent
    from sudokucrypt.sudoku.counting.canonical import automorphism_count as automorphism_count
    from sudokucrypt.sudoku.counting.canonical import canonical_form as canonical_form
    from sudokucrypt.sudoku.counting.canonical_puzzles import CanonicalPuzzle as CanonicalPuzzle
    from sudokucrypt.sudoku.counting.canonical_puzzles import canonical_puzzle as canonical_puzzle
    from sudokucrypt.sudoku.counting.classes import count_classes as count_classes
    from sudokucrypt.sudoku.counting.ranking import grid_total as grid_total
    from sudokucrypt.sudoku.counting.ranking import random_grid as random_grid
    from sudokucrypt.sudoku.counting.ranking import random_grids as random_grids
    from sudokucrypt.sudoku.counting.ranking import rank as rank
    from sudokucrypt.sudoku.counting.ranking import rank_batch as rank_batch
    from sudokucrypt.sudoku.counting.ranking import unrank as unrank
    from sudokucrypt.sudoku.counting.ranking import unrank_batch as unrank_batch
    from sudokucrypt.sudoku.counting.totals import count_grids as count_grids
    from sudokucrypt.sudoku.counting.totals import count_samurai_grids as count_samurai_grids
    from sudokucrypt.sudoku.counting.totals import count_sheets as count_sheets
    from sudokucrypt.sudoku.counting.totals import count_x_grids as count_x_grids
    from sudokucrypt.sudoku.deducing.levels import Level as Level
    from sudokucrypt.sudoku.deducing.levels import Technique as Technique
    from sudokucrypt.sudoku.deducing.sentences import explain as explain
    from sudokucrypt.sudoku.deducing.steps import Step as Step
    from sudokucrypt.sudoku.deducing.trace import Grade as Grade
    from sudokucrypt.sudoku.deducing.trace import deductions as deductions
    from sudokucrypt.sudoku.deducing.trace import grade as grade
    from sudokucrypt.sudoku.deducing.trace import level_of as level_of
    from sudokucrypt.sudoku.deducing.trace import rating_of as rating_of
    from sudokucrypt.sudoku.historical.anagrams import anagram_index as anagram_index
    from sudokucrypt.sudoku.historical.anagrams import anagrams as anagrams
    from sudokucrypt.sudoku.historical.boxes import BoxByBox as BoxByBox
    from sudokucrypt.sudoku.historical.boxes import box_by_box as box_by_box
    from sudokucrypt.sudoku.historical.boxes import centre_counts as centre_counts
    from sudokucrypt.sudoku.historical.boxes import fitting_boxes as fitting_boxes
    from sudokucrypt.sudoku.historical.boxes import grid_by_boxes as grid_by_boxes
    from sudokucrypt.sudoku.historical.lines import GridOfRows as GridOfRows
    from sudokucrypt.sudoku.historical.lines import enumerate_rows as enumerate_rows
    from sudokucrypt.sudoku.historical.lines import grid_by_cells as grid_by_cells
    from sudokucrypt.sudoku.historical.lines import grid_by_rows as grid_by_rows
    from sudokucrypt.sudoku.making.constrained import make_constrained as make_constrained
    from sudokucrypt.sudoku.making.jigsaws import random_jigsaw as random_jigsaw
    from sudokucrypt.sudoku.making.patterns import PATTERNS as PATTERNS
    from sudokucrypt.sudoku.making.patterns import Pattern as Pattern
    from sudokucrypt.sudoku.making.places import make_puzzle_at as make_puzzle_at
    from sudokucrypt.sudoku.making.puzzles import Made as Made
    from sudokucrypt.sudoku.making.puzzles import make_puzzle as make_puzzle
    from sudokucrypt.sudoku.making.puzzles import make_puzzles as make_puzzles
    from sudokucrypt.sudoku.making.sheets import array_by_search as array_by_search
    from sudokucrypt.sudoku.making.sheets import grid_by_search as grid_by_search
    from sudokucrypt.sudoku.making.sheets import shuffled_array as shuffled_array
    from sudokucrypt.sudoku.making.sheets import shuffled_grid as shuffled_grid
    from sudokucrypt.sudoku.making.sheets import stir as stir
    from sudokucrypt.sudoku.making.sheets import stirred_grid as stirred_grid
    from sudokucrypt.sudoku.model.arrays import SudokuArray as SudokuArray
    from sudokucrypt.sudoku.model.boxes import default_box as default_box
    from sudokucrypt.sudoku.model.constraints import CONSTRAINTS as CONSTRAINTS
    from sudokucrypt.sudoku.model.constraints import Constraint as Constraint
    from sudokucrypt.sudoku.model.constraints import ConstraintKind as ConstraintKind
    from sudokucrypt.sudoku.model.grid import SudokuGrid as SudokuGrid
    from sudokucrypt.sudoku.model.houses import House as House
    from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle as SudokuPuzzle
    from sudokucrypt.sudoku.model.symmetry import ParametricGrid as ParametricGrid
    from sudokucrypt.sudoku.model.symmetry import Symmetry as Symmetry
    from sudokucrypt.sudoku.model.variant import Variant as Variant
    from sudokucrypt.sudoku.seeded import seeded_draws as seeded_draws
    from sudokucrypt.sudoku.solving.batch import BatchResult as BatchResult
    from sudokucrypt.sudoku.solving.batch import read_batch as read_batch
    from sudokucrypt.sudoku.solving.batch import solve_batch as solve_batch
    from sudokucrypt.sudoku.solving.exact_cover import ExactCover as ExactCover
    from sudokucrypt.sudoku.solving.exact_cover import cover_solutions as cover_solutions
    from sudokucrypt.sudoku.solving.exact_cover import puzzle_cover as puzzle_cover
    from sudokucrypt.sudoku.solving.solver import count_solutions as count_solutions
    from sudokucrypt.sudoku.solving.solver import is_unique as is_unique
    from sudokucrypt.sudoku.solving.solver import random_solution as random_solution
    from sudokucrypt.sudoku.solving.solver import solutions as solutions
    from sudokucrypt.sudoku.solving.solver import solve as solve
    from sudokucrypt.sudoku.variants import VARIANTS as VARIANTS
    from sudokucrypt.sudoku.variants import VariantKind as VariantKind
    from sudokucrypt.sudoku.variants import register_variant as register_variant
else:  # type checkers know the names above and no others
    __all__, __getattr__, __dir__ = lazy_names(__name__, _NAMES, packages=("drawing",))
