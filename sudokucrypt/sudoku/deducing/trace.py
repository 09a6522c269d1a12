"""Solve puzzles by the easiest steps, with trials only as a last resort, and grade them."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.deducing.board import CandidateBoard
from sudokucrypt.sudoku.deducing.constrained import ConstrainedBoard, list_digits
from sudokucrypt.sudoku.deducing.levels import Level, Technique
from sudokucrypt.sudoku.deducing.steps import Step
from sudokucrypt.sudoku.model.boxes import get_cell_name
from sudokucrypt.sudoku.model.puzzle import PuzzleLike, SudokuPuzzle, as_puzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.solving.solver import solve

_TECHNIQUES_BY_RATING = sorted(Technique, key=attrgetter("rating", "value"))
# The techniques that decide levels. Direct techniques combine two others, so they are omitted.
_LEVEL_TECHNIQUES = [
    technique
    for technique in Technique
    if technique <= Technique.HIDDEN_SINGLE
    or (technique <= Technique.HIDDEN_QUAD and not technique.places)
]
_HIGHEST_LEVEL_RATING = max(technique.rating for technique in _LEVEL_TECHNIQUES)


def deductions(puzzle: PuzzleLike, candidates: Sequence[int] | None = None) -> Iterator[Step]:
    """Solve a puzzle of any variant as people do.

    Each step follows from the givens and the steps before it, and has the lowest possible rating,
    which depends on the technique and on the length of chains. If no technique gives a step, the
    step is a trial: it strikes a candidate that a search refutes. Steps fill all open cells. Only
    unique rectangles, unique loops and bivalue graves assume that there is one solution.

    Raises `NoSolutionError` or `MultipleSolutionsError` at once if there is not exactly one
    solution, `UnsupportedError` for more than 64 digits, and `InvalidGridError` if `candidates`
    omit a digit of the solution.

    Parameters
    ----------
    puzzle : SudokuPuzzle, str or array_like
        The puzzle, with up to 64 digits; an array has 0 in open cells.
    candidates : sequence of int, optional
        The initial candidates, a number for each cell: bit d stands for digit d + 1. By default
        every digit that the givens allow.

    Examples
    --------
    >>> steps = list(deductions("1... ..2. .3.. ...4"))
    >>> len(steps), str(steps[0])
    (12, 'hidden single: 2 in r1c2 (box 1)')
    """
    puzzle = as_puzzle(puzzle)
    solution = solve(puzzle).givens.tolist()
    board = _make_board(puzzle.variant, puzzle.givens.tolist())
    board_candidates = board.candidates
    open_cells = set(board.open_cells)
    for cell, bits in enumerate(candidates or ()):
        if not bits >> solution[cell] & 1:
            name = get_cell_name(*puzzle.variant.cells[cell])
            raise InvalidGridError(f"the pencil marks of {name} omit its digit in the solution")
        if cell in open_cells:
            for digit in list_digits(board_candidates[cell] & ~bits):
                board.strike(cell, digit)
    return _iterate_steps(board, solution)


def _make_board(variant: Variant, givens: list[int]) -> CandidateBoard:
    """Return a board with the candidates of a puzzle and, if needed, support for constraints."""
    return (ConstrainedBoard if variant.constraints else CandidateBoard)(variant, givens)


def _iterate_steps(board: CandidateBoard, solution: list[int]) -> Iterator[Step]:
    while board.open_cells:
        step = board.find_easiest_step() or _find_trial_step(board, solution)
        yield step
        board.apply(step)
    board.release()


def _find_trial_step(board: CandidateBoard, solution: list[int]) -> Step:
    """Return a trial: a step that strikes a wrong candidate in a cell with fewest candidates."""
    candidates = board.candidates
    cell = min(board.open_cells, key=lambda cell: candidates[cell].bit_count())
    digit = next(digit for digit in list_digits(candidates[cell]) if digit != solution[cell])
    struck_candidates = ((cell, digit),)
    rating = Technique.TRIAL.rating
    return Step(Technique.TRIAL, (cell,), (digit,), (), struck_candidates, board.variant, rating)


@dataclass(frozen=True)
class Grade:
    """The difficulty of a puzzle."""

    level: Level  #: The lowest level whose techniques suffice.
    rating: float  #: The rating of the hardest step, 1.0 to 11.0; 0.0 for a full grid.
    steps: dict[Technique, int]  #: The number of steps of each technique, easiest first.
    #: The rating of the hardest step up to the first placed digit.
    pearl: float = 0.0
    #: The rating of the first step. Sukaku Explainer calls the three ratings ER, EP and ED.
    diamond: float = 0.0
    #: The technique of the hardest step, the first if there are several; None for a full grid.
    hardest: Technique | None = None


def grade(puzzle: PuzzleLike) -> Grade:
    """Solve a puzzle as people do, and return its difficulty; raise the errors of `deductions`.

    A step is counted for a technique only if no step has a lower rating.

    Parameters
    ----------
    puzzle : SudokuPuzzle, str or array_like
        The puzzle, with up to 64 digits; an array has 0 in open cells.
    """
    puzzle = as_puzzle(puzzle)
    steps = _rate_steps(puzzle)
    if not steps:
        return Grade(Level.BEGINNER, 0.0, {})
    techniques, ratings = zip(*steps, strict=True)
    counts = Counter(techniques)
    rating = max(ratings)
    level = Level.EXPERT
    if rating / 10 <= _HIGHEST_LEVEL_RATING:  # harder puzzles are at the level expert
        level = find_givens_level(puzzle.variant, puzzle.givens.tolist())
    first_placing_index = next(
        index for index, technique in enumerate(techniques) if Technique(technique).places
    )
    return Grade(
        level,
        rating / 10,
        {
            technique: counts[technique]
            for technique in _TECHNIQUES_BY_RATING
            if technique in counts
        },
        max(ratings[: first_placing_index + 1]) / 10,
        ratings[0] / 10,
        Technique(techniques[ratings.index(rating)]),
    )


def _rate_steps(puzzle: SudokuPuzzle) -> list[tuple[int, int]]:
    """Return the technique and the rating in tenths of each step."""
    solution = solve(puzzle).givens.tolist()
    board = _make_board(puzzle.variant, puzzle.givens.tolist())
    steps = board.rate()
    while board.open_cells:
        step = _find_trial_step(board, solution)
        board.apply(step)
        steps += [(step.technique, round(10 * step.rating)), *board.rate()]
    board.release()
    return steps


def rate_puzzle(puzzle: PuzzleLike) -> float:
    """Return the rating of a puzzle as in `grade`.

    Parameters
    ----------
    puzzle : SudokuPuzzle, str or array_like
        The puzzle, with up to 64 digits; an array has 0 in open cells.

    Examples
    --------
    >>> rate_puzzle("1... ..2. .3.. ...4")
    1.2
    """
    return max((rating for _, rating in _rate_steps(as_puzzle(puzzle))), default=0) / 10


def find_level(puzzle: PuzzleLike) -> Level:
    """Return the level of a puzzle as in `grade`, but in less time.

    Parameters
    ----------
    puzzle : SudokuPuzzle, str or array_like
        The puzzle, with up to 64 digits; an array has 0 in open cells.
    """
    puzzle = as_puzzle(puzzle)
    solve(puzzle)
    return find_givens_level(puzzle.variant, puzzle.givens.tolist())


def find_givens_level(variant: Variant, givens: list[int]) -> Level:
    """Return the level of givens that are known to have exactly one solution."""
    board = _make_board(variant, givens)
    steps = board.rate(_LEVEL_TECHNIQUES)
    is_solved = not board.open_cells
    board.release()
    hardest_technique = max(
        (Technique(technique) for technique, _ in steps), default=Technique.NAKED_SINGLE
    )
    return Level.of(hardest_technique) if is_solved else Level.EXPERT


def can_fill(variant: Variant, givens: list[int], level: Level, cells: Collection[int]) -> bool:
    """Return whether the techniques of a level, without trial, fill these cells."""
    board = _make_board(variant, givens)
    # For the level expert, puzzles are judged by search rather than by techniques.
    hardest_technique = min(level.hardest, Technique.HIDDEN_QUAD)
    board.rate([technique for technique in _LEVEL_TECHNIQUES if technique <= hardest_technique])
    is_filled = not set(cells) & set(board.open_cells)
    board.release()
    return is_filled
