"""The course of a solution by hand: always the easiest step, trial when there is no other."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain

from sudokucrypt.sudoku.deducing import finders
from sudokucrypt.sudoku.deducing.board import Board
from sudokucrypt.sudoku.deducing.steps import Level, Step, Technique
from sudokucrypt.sudoku.model.puzzle import PuzzleLike, as_puzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.solving.solver import solve

_FINDERS: dict[Technique, Callable[[Board], finders.Found | None]] = {
    Technique.NAKED_SINGLE: finders.naked_single,
    Technique.HIDDEN_SINGLE: finders.hidden_single,
    Technique.LOCKED_CANDIDATES: finders.locked_candidates,
    Technique.NAKED_PAIR: partial(finders.naked_subset, size=2),
    Technique.HIDDEN_PAIR: partial(finders.hidden_subset, size=2),
    Technique.NAKED_TRIPLE: partial(finders.naked_subset, size=3),
    Technique.HIDDEN_TRIPLE: partial(finders.hidden_subset, size=3),
    Technique.X_WING: partial(finders.fish, size=2),
    Technique.XY_WING: finders.xy_wing,
    Technique.SWORDFISH: partial(finders.fish, size=3),
    Technique.NAKED_QUAD: partial(finders.naked_subset, size=4),
    Technique.HIDDEN_QUAD: partial(finders.hidden_subset, size=4),
}


def deductions(puzzle: PuzzleLike) -> Iterator[Step]:
    """Solve a puzzle of any variant as people do.

    Each step follows from the givens and the steps before it, and does not lean on the fact that
    there is one solution. There is a step for each open cell that fills it. `NoSolutionError` or
    `MultipleSolutionsError` at once for other puzzles, `UnsupportedError` above 64 digits.

    The easiest technique that leads on is taken, in the order of `Technique`. When there is none
    but trial, candidates are supposed one after the other, first those of cells with fewest,
    until one fails by singles alone. If none does, the first candidate that a search refutes is
    struck.

    Examples
    --------
    >>> steps = list(deductions("1... ..2. .3.. ...4"))
    >>> len(steps), str(steps[0])
    (12, 'naked single: 4 in r2c2')
    """
    puzzle = as_puzzle(puzzle)
    solution = solve(puzzle).givens.tolist()
    return _steps(Board(puzzle.variant, puzzle.givens.tolist()), solution)


def _steps(board: Board, solution: list[int]) -> Iterator[Step]:
    while board.left:
        step = easiest_step(board) or _trial(board, solution)
        yield step
        board.apply(step)


def easiest_step(board: Board, most: Technique = Technique.HIDDEN_QUAD) -> Step | None:
    """Return a step of the easiest technique, or None if none up to `most` leads on."""
    for technique, find in _FINDERS.items():
        if technique > most:
            break
        if found := find(board):
            cells, digits, houses, struck = found
            reasons = tuple(cells), tuple(digits), tuple(houses)
            return Step(technique, *reasons, tuple(struck), board.layout.variant)
        if board.broken:
            break
    return None


def _trial(board: Board, solution: list[int]) -> Step:
    """Return a candidate that is wrong."""
    bits = board.candidates
    order = sorted(range(len(bits)), key=lambda cell: bits[cell].bit_count())
    candidates = board.holding(order, -1)
    # All other solutions were searched for in vain, so any other digit fails too.
    others = ((cell, digit) for cell, digit in candidates if digit != solution[cell])
    failing = (candidate for candidate in candidates if _fails(board, *candidate))
    cell, digit = next(chain(failing, others))
    return Step(Technique.TRIAL, (cell,), (digit,), (), ((cell, digit),), board.layout.variant)


def _fails(board: Board, cell: int, digit: int) -> bool:
    """Return whether singles refute a candidate."""
    supposed = board.copy()
    supposed.settle(cell, digit)
    while not supposed.broken and (step := easiest_step(supposed, Technique.HIDDEN_SINGLE)):
        supposed.apply(step)
    return supposed.broken


@dataclass(frozen=True)
class Grade:
    """The level that knows every technique needed, and how many steps of each, easiest first."""

    level: Level
    steps: dict[Technique, int]


def grade(puzzle: PuzzleLike) -> Grade:
    """Solve a puzzle as people do, and tell which techniques that took; errors as in `deductions`.

    A harder technique is counted only where nothing easier helps.
    """
    counts = Counter(step.technique for step in deductions(puzzle))
    hardest = max(counts, default=Technique.NAKED_SINGLE)
    return Grade(Level.of(hardest), dict(sorted(counts.items())))


def level_of(puzzle: PuzzleLike) -> Level:
    """Return the level of a puzzle as in `grade`, which see, but found without any trial."""
    puzzle = as_puzzle(puzzle)
    solve(puzzle)
    return level_by_hand(puzzle.variant, puzzle.givens.tolist())


def level_by_hand(variant: Variant, givens: list[int]) -> Level:
    """Return the level of givens that are known to have exactly one solution."""
    board = Board(variant, givens)
    hardest = Technique.NAKED_SINGLE
    while board.left and (step := easiest_step(board)):
        hardest = max(hardest, step.technique)
        board.apply(step)
    return Level.EXPERT if board.left else Level.of(hardest)


def fills(variant: Variant, givens: list[int], level: Level, cells: Collection[int]) -> bool:
    """Return whether the techniques of a level, trial left out, fill these cells."""
    board = Board(variant, givens)
    most = min(level.hardest, Technique.HIDDEN_QUAD)
    while not all(board.settled[cell] for cell in cells):
        if (step := easiest_step(board, most)) is None:
            return False
        board.apply(step)
    return True
