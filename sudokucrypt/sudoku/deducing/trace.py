"""The course of a solution by hand: always the easiest step, trial when there is no other."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.deducing.board import CandidateBoard
from sudokucrypt.sudoku.deducing.constrained import ConstrainedBoard, list_digits
from sudokucrypt.sudoku.deducing.levels import Level, Technique
from sudokucrypt.sudoku.deducing.steps import Step
from sudokucrypt.sudoku.model.boxes import cell_name
from sudokucrypt.sudoku.model.puzzle import PuzzleLike, SudokuPuzzle, as_puzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.solving.solver import solve

_BY_EASE = sorted(Technique, key=attrgetter("rating", "value"))
# Direct ones are two others in one, so that levels need not know them.
_LEVELLED = [
    technique
    for technique in Technique
    if technique <= Technique.HIDDEN_SINGLE
    or (technique <= Technique.HIDDEN_QUAD and not technique.places)
]
_HIGHEST_LEVELLED = max(technique.rating for technique in _LEVELLED)


def deductions(puzzle: PuzzleLike, candidates: Sequence[int] | None = None) -> Iterator[Step]:
    """Solve a puzzle of any variant as people do.

    Each step follows from the givens and the steps before it. Unique rectangles alone lean on the
    fact that there is one solution. There is a step for each open cell that fills it.
    `NoSolutionError` or `MultipleSolutionsError` at once for other puzzles, `UnsupportedError`
    above 64 digits. `candidates` are the pencil marks to begin with, bit d for digit d + 1 in each
    cell; `InvalidGridError` if they leave out a digit of the solution.

    Each is one of the lowest rating that leads on, where the rating grows with the technique and
    the length of chains. When there is none but trial, a candidate that a search refutes is struck.

    Parameters
    ----------
    puzzle : SudokuPuzzle, str or array_like
        The puzzle, with up to 64 digits; an array has 0 in open cells.
    candidates : sequence of int, optional
        The pencil marks to begin with, a number for each cell: bit d stands for digit d + 1. By
        default every digit that the givens allow.

    Examples
    --------
    >>> steps = list(deductions("1... ..2. .3.. ...4"))
    >>> len(steps), str(steps[0])
    (12, 'hidden single: 2 in r1c2 (box 1)')
    """
    puzzle = as_puzzle(puzzle)
    solution = solve(puzzle).givens.tolist()
    board = _board(puzzle.variant, puzzle.givens.tolist())
    marks = board.candidates
    open_cells = set(board.open_cells)
    for cell, bits in enumerate(candidates or ()):
        if not bits >> solution[cell] & 1:
            name = cell_name(*puzzle.variant.cells[cell])
            raise InvalidGridError(f"the pencil marks of {name} leave out its digit")
        if cell in open_cells:
            for digit in list_digits(marks[cell] & ~bits):
                board.strike(cell, digit)
    return _steps(board, solution)


def _board(variant: Variant, givens: list[int]) -> CandidateBoard:
    """Return the candidates of a sheet, which knows the constraints if there are some."""
    return (ConstrainedBoard if variant.constraints else CandidateBoard)(variant, givens)


def _steps(board: CandidateBoard, solution: list[int]) -> Iterator[Step]:
    while board.open_cells:
        step = board.lowest_step() or _trial(board, solution)
        yield step
        board.apply(step)
    board.release()


def _trial(board: CandidateBoard, solution: list[int]) -> Step:
    """Return a candidate of a cell with fewest that is wrong: all its solutions were looked for."""
    marks = board.candidates
    cell = min(board.open_cells, key=lambda cell: marks[cell].bit_count())
    digit = next(digit for digit in list_digits(marks[cell]) if digit != solution[cell])
    struck = ((cell, digit),)
    rating = Technique.TRIAL.rating
    return Step(Technique.TRIAL, (cell,), (digit,), (), struck, board.variant, rating)


@dataclass(frozen=True)
class Grade:
    """How hard a puzzle is."""

    level: Level  #: The lowest level whose techniques suffice.
    rating: float  #: That of the hardest step, from 1.0 to 11.0; 0.0 for a full grid.
    steps: dict[Technique, int]  #: How many steps of each technique there are, easiest first.
    #: That of the hardest step up to the first digit that is placed.
    pearl: float = 0.0
    #: That of the first step; Sukaku Explainer calls the three ER, EP and ED.
    diamond: float = 0.0
    #: That of the hardest step, the first one if there are several; None for a full grid.
    hardest: Technique | None = None


def grade(puzzle: PuzzleLike) -> Grade:
    """Solve a puzzle as people do, and count the techniques; errors as in `deductions`.

    A harder technique is counted only where nothing of a lower rating helps.

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
    if rating / 10 <= _HIGHEST_LEVELLED:  # else the techniques of levels are not enough
        level = level_by_hand(puzzle.variant, puzzle.givens.tolist())
    first = next(at for at, each in enumerate(techniques) if Technique(each).places)
    return Grade(
        level,
        rating / 10,
        {each: counts[each] for each in _BY_EASE if each in counts},
        max(ratings[: first + 1]) / 10,
        ratings[0] / 10,
        Technique(techniques[ratings.index(rating)]),
    )


def _rate_steps(puzzle: SudokuPuzzle) -> list[tuple[int, int]]:
    """Return the technique and the rating in tenths of each step."""
    solution = solve(puzzle).givens.tolist()
    board = _board(puzzle.variant, puzzle.givens.tolist())
    steps = board.rate()
    while board.open_cells:
        step = _trial(board, solution)
        board.apply(step)
        steps += [(step.technique, round(10 * step.rating)), *board.rate()]
    board.release()
    return steps


def rating_of(puzzle: PuzzleLike) -> float:
    """Return the rating of a puzzle as in `grade`, which see.

    Parameters
    ----------
    puzzle : SudokuPuzzle, str or array_like
        The puzzle, with up to 64 digits; an array has 0 in open cells.

    Examples
    --------
    >>> rating_of("1... ..2. .3.. ...4")
    1.2
    """
    return max((rating for _, rating in _rate_steps(as_puzzle(puzzle))), default=0) / 10


def level_of(puzzle: PuzzleLike) -> Level:
    """Return the level of a puzzle as in `grade`, which see, but found without any trial.

    Parameters
    ----------
    puzzle : SudokuPuzzle, str or array_like
        The puzzle, with up to 64 digits; an array has 0 in open cells.
    """
    puzzle = as_puzzle(puzzle)
    solve(puzzle)
    return level_by_hand(puzzle.variant, puzzle.givens.tolist())


def level_by_hand(variant: Variant, givens: list[int]) -> Level:
    """Return the level of givens that are known to have exactly one solution."""
    board = _board(variant, givens)
    hardest = board.rate(_LEVELLED)
    solved = not board.open_cells
    board.release()
    most = max((Technique(technique) for technique, _ in hardest), default=Technique.NAKED_SINGLE)
    return Level.of(most) if solved else Level.EXPERT


def fills(variant: Variant, givens: list[int], level: Level, cells: Collection[int]) -> bool:
    """Return whether the techniques of a level, trial left out, fill these cells."""
    board = _board(variant, givens)
    # Beyond this technique a level is expert, where search judges puzzles and not techniques.
    most = min(level.hardest, Technique.HIDDEN_QUAD)
    board.rate([technique for technique in _LEVELLED if technique <= most])
    filled = not set(cells) & set(board.open_cells)
    board.release()
    return filled
