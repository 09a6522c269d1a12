"""Puzzles with exactly one solution, from any full sheet."""

from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from sudokucrypt.errors import InvalidGridError, UndecidedError, UnsupportedError
from sudokucrypt.options import checked_integer
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
from sudokucrypt.sudoku.solving.solver import MOST_DIGITS, random_solution, sheet_patience
from sudokucrypt.typing import CellDigits, RandomSource

RulesOrSolution: TypeAlias = Variant | PuzzleLike

# An attempt takes about the square of the cells: larger sheets get fewer attempts.
_EFFORT = 200 * 81**2
_MOST_ATTEMPTS = 500
_TIMES_FOR_RATING = 100  # one of some thousand has a rating that is asked for with reason
_LARGEST_RATED = 81  # cells; a larger sheet takes many seconds
_TIMES_FOR_EACH = 10  # of 140 symmetric puzzles two have no given to spare

# Shares of givens that newspapers print: with fewer, beginners are lost at the start.
_COMFORTABLE = 30 / 81, 36 / 81


class Made(NamedTuple):
    """A puzzle and its one solution."""

    puzzle: SudokuPuzzle
    solution: SudokuPuzzle

    def _repr_html_(self) -> str | None:
        """Return both side by side for notebooks, or None where they are too large."""
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
    controlled-bias generator", Innovations in Computing Sciences and Software Engineering, 2010):
    taking away is biased. Fewer than 24 come from exchanging two givens for one, where neither a
    level nor a pattern is asked for. None has fewer than 17 (G. McGuire, B. Tugemann and G.
    Civario, arXiv:1201.0749, 2012), and those of 17 to 19 are too rare to be found here.
    For other variants the uniqueness test is a search for each other digit, and on sheets larger
    than 9x9 a bounded one; a given that it leaves in doubt is kept. Up to 16 digits a second search
    answers what the first left open, and hardly ever leaves anything; beyond, such a puzzle need
    not be minimal. Beginner takes many givens; from 24 to 32 every level can be had.

    Parameters
    ----------
    source : RandomSource or int, optional
        A stream of draws, a seed, or by default the system. Draws for each attempt the full sheet,
        the order in which its cells are tried, and with ``method="add"`` the cells that are given.
    sheet : Variant, SudokuGrid, full SudokuPuzzle, str or array_like, optional
        The kind of puzzle, with at most 64 digits, by default 9x9, or the full sheet itself.
    givens : int or range, optional
        How many, from 20 on for ordinary 9x9; by default givens are removed as long as the solution
        stays the only one. With a level, a range gives back as many as a number drawn from it, or
        fewer where more would make the puzzle easier; people like 30 to 36 (`comfortable_givens`).
    level : Level, optional
        Exactly how hard.
    rating : tuple of float, optional
        The lowest and the highest rating, from 1.0 to 11.0, as `rating_of` gives it. Most puzzles
        are rated below 3 or about 7.2; what is rare takes many attempts.
    technique : Technique, optional
        One of which the solution by hand must take a step.
    pattern : Pattern, optional
        A symmetry of the places of the givens; ``half-turn`` is the usual one.
    minimal : bool or "each", optional
        Whether to go on until every given, or group of givens that the pattern joins, is needed for
        a single solution or, with a level below expert, for the techniques of the level. A group
        as a whole may be needed where one of its givens is not: with ``"each"`` none can be spared,
        for which a pattern takes about 70 times as many attempts. False stops after the first part
        of the method. True and False are without effect where `givens` is set.
    method : {"remove", "add"}, optional
        The first part: ``remove`` takes givens from the full sheet that follow at sight from those
        left; ``add`` gives digits of an empty sheet where two solutions differ, until one is left.
        The second part tries every given that remains, in random order.
    attempts : int, optional
        How often to begin; by default 200 for 9x9, and by the size 3 to 500 for other sheets.

    Raises
    ------
    UndecidedError
        If no attempt came out as wanted.
    UnsupportedError
        If the sheet has more than 64 digits, or a rating or technique is asked for and it has more
        than 81 cells.
    InvalidParameterError
        If a value is out of range, or the sheet does not have the pattern.
    InvalidGridError, NoSolutionError
        If the sheet has open cells, or its rules cannot be kept, as in X-Sudoku of order 2.

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

    `source` draws all full sheets, then all orders, so that these are not the puzzles of as many
    calls of `make_puzzle`. Ordinary 9x9 ones of no given level take a second for thousands.

    Parameters
    ----------
    count : int
        The number of puzzles, 0 or more.
    source, sheet, givens, level, rating, technique, pattern, minimal, method, attempts
        The same parameters with the same defaults, for each of the puzzles.
    """
    variant, full = _choose_variant_and_solution(sheet)
    if attempts is None:
        attempts = min(max(3, _EFFORT // len(variant.cells) ** 2), _MOST_ATTEMPTS)
        attempts *= _TIMES_FOR_EACH if minimal == "each" else 1
        attempts *= _TIMES_FOR_RATING if rating or technique is not None else 1
    count = checked_integer("the count of puzzles", count, least=0)
    attempts = checked_integer("the number of attempts", attempts, least=1)
    source = as_source(source)
    difficulty = Difficulty(rating=rating, technique=technique, level=level)
    if difficulty.rated and len(variant.cells) > _LARGEST_RATED:
        raise UnsupportedError(f"ratings are for sheets of up to {_LARGEST_RATED} cells")
    spec = PuzzleSpec(variant, group_cells(variant, pattern), givens, level, minimal, method)
    made: dict[int, Made] = {}
    for _ in range(attempts):
        missing = [index for index in range(count) if index not in made]
        if not missing:
            break
        if full is None:
            solutions = full_sheets(variant, source, len(missing))
        else:
            solutions = np.tile(full, (len(missing), 1))
        puzzles, good = spec.attempt(solutions, source)
        for row, index in enumerate(missing):
            if good[row]:
                pair = (puzzles[row].copy(), solutions[row].copy())
                result = Made(*(SudokuPuzzle.wrap_valid(part, variant) for part in pair))
                if not difficulty.rated or difficulty.suits(grade(result.puzzle)):
                    made[index] = result
    if len(made) < count:
        raise UndecidedError(
            f"no such puzzle was found in {attempts} attempts",
            hint="allow another number of givens, level or rating, or more attempts",
            hint_key="attempts",
        )
    return [made[index] for index in range(count)]


def comfortable_givens(variant: Variant) -> range:
    """Return how many givens the puzzles of newspapers have: 30 to 36 of 81 cells."""
    least, most = (round(share * len(variant.cells)) for share in _COMFORTABLE)
    return range(least, most + 1)


def _choose_variant_and_solution(
    sheet: RulesOrSolution | None,
) -> tuple[Variant, CellDigits | None]:
    """Return the rules, and the full sheet if one is given."""
    full = None if sheet is None or isinstance(sheet, Variant) else as_puzzle(sheet)
    variant = sheet if isinstance(sheet, Variant) else full.variant if full else Variant.standard()
    if variant.digits > MOST_DIGITS:
        raise UnsupportedError(
            f"puzzles have at most {MOST_DIGITS} digits, not {variant.digits}",
            hint="choose smaller boxes",
        )
    if full is None:
        return variant, None
    if full.number_of_givens < len(full.givens):
        raise InvalidGridError(
            "the solution to start from has open cells", hint="solve it first, or give its variant"
        )
    return variant, full.givens


def full_sheets(variant: Variant, source: RandomSource, count: int) -> CellDigits:
    """Draw `count` full sheets, shape (count, cells); exactly uniform where grids are numbered."""
    box = variant.box
    ordinary = variant == Variant.standard(box)
    if ordinary and is_numbered(box):
        return random_grids(count, source, box=box, first=0).reshape(count, -1).astype(np.int32)
    sheets = np.empty((count, len(variant.cells)), dtype=np.int32)
    for sheet in sheets:
        if ordinary:
            sheet[:] = stirred_grid(source, box=box).cells.ravel()
        else:
            sheet[:] = random_solution(variant, source, patience=sheet_patience(variant)).givens
    return sheets
