"""Make puzzles with exactly one solution from full grids of any variant."""

from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from sudokucrypt.errors import InvalidGridError, UndecidedError, UnsupportedError
from sudokucrypt.options import check_integer
from sudokucrypt.sudoku.counting.ranking import is_numbered, random_grids
from sudokucrypt.sudoku.deducing.levels import Level, Technique
from sudokucrypt.sudoku.deducing.trace import grade
from sudokucrypt.sudoku.making.recipe import (
    Difficulty,
    Pattern,
    PuzzleSpec,
    RemovalMethod,
    group_cells,
)
from sudokucrypt.sudoku.making.sheets import stirred_grid
from sudokucrypt.sudoku.model.puzzle import PuzzleLike, SudokuPuzzle, as_puzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.seeded import SeedLike, as_source
from sudokucrypt.sudoku.solving.solver import MAX_DIGITS, get_grid_patience, random_solution
from sudokucrypt.typing import CellDigits, RandomSource

RulesOrSolution: TypeAlias = Variant | PuzzleLike

# An attempt takes time quadratic in the number of cells, so larger grids get fewer attempts.
_ATTEMPTS_TIMES_CELLS_SQUARE = 200 * 81**2
_MAX_ATTEMPTS = 500
_RATED_ATTEMPTS_FACTOR = 100  # more attempts for a rating: only one puzzle in thousands may have it
_MAX_RATED_CELLS = 81  # rating a larger grid takes many seconds
_MINIMAL_ATTEMPTS_FACTOR = (
    10  # factor of attempts for minimal="each": 2 of 140 symmetric puzzles satisfy it
)
# The least and the greatest share of givens in newspapers; with fewer, beginners cannot start.
_COMFORTABLE_GIVEN_SHARES = 30 / 81, 36 / 81


class Made(NamedTuple):
    """A puzzle and its only solution."""

    puzzle: SudokuPuzzle
    solution: SudokuPuzzle

    def _repr_html_(self) -> str | None:
        """Return both pictures side by side for notebooks, or None if they are too large."""
        pictures = [sheet._repr_html_() or "" for sheet in self]
        if not all(pictures):
            return None
        return f'<div style="display: flex">{"".join(pictures)}</div>'


def make_puzzle(
    source: SeedLike = None,
    *,
    sheet: RulesOrSolution | None = None,
    givens: int | range | None = None,
    level: Level | None = None,
    rating: tuple[float, float] | None = None,
    technique: Technique | None = None,
    pattern: Pattern | None = None,
    minimal: bool | Literal["each"] = True,
    method: RemovalMethod = "remove",
    attempts: int | None = None,
) -> Made:
    """Make a puzzle with exactly one solution.

    Ordinary 9x9 puzzles end with 24.2 givens on average, and rarely with fewer than 22. The mean
    over all minimal puzzles is about 26.6 (D. Berthier, "Unbiased statistics of a CSP: a
    controlled-bias generator", Innovations in Computing Sciences and Software Engineering, 2010),
    since removing givens is biased. Puzzles with fewer than 24 givens are made by exchanging two
    givens for one, if neither a level nor a pattern is requested. No puzzle has fewer than 17
    (G. McGuire, B. Tugemann and G. Civario, arXiv:1201.0749, 2012), and puzzles with 17 to 19 are
    too rare to be found here.

    For other variants the uniqueness test searches for a solution with each other digit, and on
    grids larger than 9x9 this search is limited; a given whose test remains undecided is kept. Up
    to 16 digits a second search decides nearly all of these; beyond, such a puzzle need not be
    minimal. The level beginner needs many givens; 24 to 32 givens allow every level.

    Parameters
    ----------
    source : RandomSource or int, optional
        A stream of draws, a seed, or by default the system. For each attempt it draws the full
        grid, the order in which cells are tried, and with ``method="add"`` the given cells.
    sheet : Variant, SudokuGrid, full SudokuPuzzle, str or array_like, optional
        The rules, with at most 64 digits, by default 9x9; or the solution of the puzzle.
    givens : int or range, optional
        The number of givens, from 20 on for ordinary 9x9; by default givens are removed as long as
        the solution is unique. With a level, a range is allowed: givens are added up to a number
        drawn from the range, or fewer if more would make the puzzle easier. People like 30 to 36
        (`get_comfortable_givens`).
    level : Level, optional
        The exact level of difficulty.
    rating : tuple of float, optional
        The lowest and the highest rating, from 1.0 to 11.0, as `rate_puzzle` returns it. Most
        puzzles are rated below 3 or about 7.2; rare ratings take many attempts.
    technique : Technique, optional
        A technique that the solution by hand must use.
    pattern : Pattern, optional
        A symmetry of the places of the givens; ``half-turn`` is the most usual.
    minimal : bool or "each", optional
        Whether to remove givens until every given is needed for a unique solution or, with a level
        below expert, for the techniques of the level. With a pattern, givens are removed in groups,
        and a group may be needed although one of its givens is not. With ``"each"`` no single given
        can be removed, for which a pattern takes about 70 times as many attempts. False stops after
        the first part of the method. True and False have no effect if `givens` is set.
    method : {"remove", "add"}, optional
        The first part: ``remove`` removes givens from the full grid that are naked singles of the
        remaining ones; ``add`` adds givens to an empty grid where two solutions differ, until the
        solution is unique. The second part tries to remove every remaining given, in random order.
    attempts : int, optional
        The number of attempts; by default 200 for 9x9, and depending on the size 3 to 500 for
        other grids.

    Raises
    ------
    UndecidedError
        If no attempt gave a puzzle as requested.
    UnsupportedError
        If the grid has more than 64 digits, or a rating or technique is requested and the grid has
        more than 81 cells.
    InvalidParameterError
        If a value is out of range, or the grid does not have the pattern.
    InvalidGridError, NoSolutionError
        If the solution has open cells, or the rules have no full grid, as in X-Sudoku of order 2.

    Examples
    --------
    >>> puzzle, solution = make_puzzle(1, sheet=Variant.x((2, 3)), pattern="half-turn")
    >>> puzzle.variant.name, solution.number_of_givens
    ('X, 6x6 with 2x3 boxes', 36)
    """
    return make_puzzles(
        1, source, sheet=sheet, givens=givens, level=level, rating=rating, technique=technique,
        pattern=pattern, minimal=minimal, method=method, attempts=attempts,
    )[0]  # fmt: skip


def make_puzzles(
    count: int,
    source: SeedLike = None,
    *,
    sheet: RulesOrSolution | None = None,
    givens: int | range | None = None,
    level: Level | None = None,
    rating: tuple[float, float] | None = None,
    technique: Technique | None = None,
    pattern: Pattern | None = None,
    minimal: bool | Literal["each"] = True,
    method: RemovalMethod = "remove",
    attempts: int | None = None,
) -> list[Made]:
    """Make many puzzles at once, with the parameters and errors of `make_puzzle`.

    `source` draws all full grids before all orders, so the puzzles differ from those of repeated
    calls of `make_puzzle`. Thousands of ordinary 9x9 puzzles without a level take a second.

    Parameters
    ----------
    count : int
        The number of puzzles, 0 or more.
    source, sheet, givens, level, rating, technique, pattern, minimal, method, attempts
        The same parameters with the same defaults, for each of the puzzles.
    """
    variant, given_solution = _choose_variant_and_solution(sheet)
    if attempts is None:
        attempts = min(
            max(3, _ATTEMPTS_TIMES_CELLS_SQUARE // len(variant.cells) ** 2), _MAX_ATTEMPTS
        )
        attempts *= _MINIMAL_ATTEMPTS_FACTOR if minimal == "each" else 1
        attempts *= _RATED_ATTEMPTS_FACTOR if rating or technique is not None else 1
    count = check_integer("the count of puzzles", count, least=0)
    attempts = check_integer("the number of attempts", attempts, least=1)
    source = as_source(source)
    difficulty = Difficulty(rating=rating, technique=technique, level=level)
    if difficulty.needs_rating and len(variant.cells) > _MAX_RATED_CELLS:
        raise UnsupportedError(f"ratings are for grids of up to {_MAX_RATED_CELLS} cells")
    spec = PuzzleSpec(variant, group_cells(variant, pattern), givens, level, minimal, method)
    made_puzzles: dict[int, Made] = {}
    for _ in range(attempts):
        missing_indexes = [index for index in range(count) if index not in made_puzzles]
        if not missing_indexes:
            break
        if given_solution is None:
            solutions = draw_full_grids(variant, source, len(missing_indexes))
        else:
            solutions = np.tile(given_solution, (len(missing_indexes), 1))
        puzzles, passed_flags = spec.attempt_puzzles(solutions, source)
        for row, index in enumerate(missing_indexes):
            if passed_flags[row]:
                pair = (puzzles[row].copy(), solutions[row].copy())
                result = Made(*(SudokuPuzzle.wrap_valid(digits, variant) for digits in pair))
                if not difficulty.needs_rating or difficulty.accepts(grade(result.puzzle)):
                    made_puzzles[index] = result
    if len(made_puzzles) < count:
        raise UndecidedError(
            f"no such puzzle was found in {attempts} attempts",
            hint="allow another number of givens, level or rating, or more attempts",
            hint_key="attempts",
        )
    return [made_puzzles[index] for index in range(count)]


def get_comfortable_givens(variant: Variant) -> range:
    """Return the range of numbers of givens in newspapers: 30 to 36 of 81 cells, in proportion."""
    min_givens, max_givens = (
        round(share * len(variant.cells)) for share in _COMFORTABLE_GIVEN_SHARES
    )
    return range(min_givens, max_givens + 1)


def _choose_variant_and_solution(
    sheet: RulesOrSolution | None,
) -> tuple[Variant, CellDigits | None]:
    """Return the rules, and the solution if one is given, otherwise None."""
    given_puzzle = None if sheet is None or isinstance(sheet, Variant) else as_puzzle(sheet)
    variant = (
        sheet
        if isinstance(sheet, Variant)
        else given_puzzle.variant
        if given_puzzle
        else Variant.standard()
    )
    if variant.digits > MAX_DIGITS:
        raise UnsupportedError(
            f"puzzles have at most {MAX_DIGITS} digits, not {variant.digits}",
            hint="choose smaller boxes",
        )
    if given_puzzle is None:
        return variant, None
    if given_puzzle.number_of_givens < len(given_puzzle.givens):
        raise InvalidGridError(
            "the solution to start from has open cells", hint="solve it first, or give its variant"
        )
    return variant, given_puzzle.givens


def draw_full_grids(variant: Variant, source: RandomSource, count: int) -> CellDigits:
    """Draw `count` full grids, shape (count, cells); exactly uniform if grids are numbered."""
    box = variant.box
    is_ordinary = variant == Variant.standard(box)
    if is_ordinary and is_numbered(box):
        return random_grids(count, source, box=box, first=0).reshape(count, -1).astype(np.int32)
    grids = np.empty((count, len(variant.cells)), dtype=np.int32)
    for grid in grids:
        if is_ordinary:
            grid[:] = stirred_grid(source, box=box).cells.ravel()
        else:
            grid[:] = random_solution(variant, source, patience=get_grid_patience(variant)).givens
    return grids
