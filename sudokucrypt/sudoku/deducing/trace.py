"""The course of a solution by hand: always the easiest step, trial when there is no other."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter

from sudokucrypt.errors import InvalidGridError, UnsupportedError
from sudokucrypt.sudoku._kernels.search_plain import digits_of
from sudokucrypt.sudoku.deducing import chains, forcing, subsets, wings
from sudokucrypt.sudoku.deducing.board import CandidateBoard, Conclusion
from sudokucrypt.sudoku.deducing.fish import fish
from sudokucrypt.sudoku.deducing.levels import Level, Technique
from sudokucrypt.sudoku.deducing.steps import Step
from sudokucrypt.sudoku.deducing.uniqueness import unique_rectangle
from sudokucrypt.sudoku.model.boxes import cell_name
from sudokucrypt.sudoku.model.puzzle import PuzzleLike, as_puzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.solving.solver import solve

_FINDERS: dict[Technique, Callable[[CandidateBoard], Conclusion | None]] = {
    Technique.NAKED_SINGLE: subsets.naked_single,
    Technique.HIDDEN_SINGLE: subsets.hidden_single,
    Technique.LOCKED_CANDIDATES: subsets.locked_candidates,
    Technique.NAKED_PAIR: partial(subsets.subset, size=2),
    Technique.HIDDEN_PAIR: partial(subsets.subset, size=2, hidden=True),
    Technique.NAKED_TRIPLE: partial(subsets.subset, size=3),
    Technique.HIDDEN_TRIPLE: partial(subsets.subset, size=3, hidden=True),
    Technique.X_WING: partial(fish, size=2),
    Technique.XY_WING: wings.xy_wing,
    Technique.SWORDFISH: partial(fish, size=3),
    Technique.NAKED_QUAD: partial(subsets.subset, size=4),
    Technique.HIDDEN_QUAD: partial(subsets.subset, size=4, hidden=True),
    Technique.TURBOT_FISH: chains.turbot_fish,
    Technique.FINNED_X_WING: partial(fish, size=2, finned=True),
    Technique.XYZ_WING: partial(wings.bent_subset, size=3),
    Technique.W_WING: wings.w_wing,
    Technique.UNIQUE_RECTANGLE: unique_rectangle,
    Technique.JELLYFISH: partial(fish, size=4),
    Technique.COLORING: chains.coloring,
    Technique.WXYZ_WING: partial(wings.bent_subset, size=4),
    Technique.FINNED_SWORDFISH: partial(fish, size=3, finned=True),
    Technique.X_CHAIN: chains.x_chain,
    Technique.FINNED_JELLYFISH: partial(fish, size=4, finned=True),
    Technique.VWXYZ_WING: partial(wings.bent_subset, size=5),
    Technique.XY_CHAIN: chains.xy_chain,
    Technique.CHAIN: chains.chain,
    Technique.NISHIO: forcing.nishio,
    Technique.FORCING_CHAINS: forcing.forcing_chains,
    Technique.FORCING_NET: forcing.forcing_net,
}
_EASE = attrgetter("rating", "value")
_BY_RATING = sorted(_FINDERS, key=_EASE)


def deductions(puzzle: PuzzleLike, candidates: Sequence[int] | None = None) -> Iterator[Step]:
    """Solve a puzzle of any variant as people do.

    Each step follows from the givens and the steps before it. Unique rectangles alone lean on the
    fact that there is one solution. There is a step for each open cell that fills it.
    `NoSolutionError` or `MultipleSolutionsError` at once for other puzzles, `UnsupportedError`
    above 64 digits. `candidates` are the pencil marks to begin with, bit d for digit d + 1 in each
    cell; `InvalidGridError` if they leave out a digit of the solution.

    Each is one of the lowest rating that leads on, where the rating grows with the technique and
    the length of chains. When there is none but trial, a candidate that a search refutes is struck.

    Examples
    --------
    >>> steps = list(deductions("1... ..2. .3.. ...4"))
    >>> len(steps), str(steps[0])
    (12, 'hidden single: 2 in r1c2 (box 1)')
    """
    puzzle = as_puzzle(puzzle)
    _require_houses(puzzle.variant)
    solution = solve(puzzle).givens.tolist()
    board = CandidateBoard(puzzle.variant, puzzle.givens.tolist())
    for cell, bits in enumerate(candidates or ()):
        if not bits >> solution[cell] & 1:
            name = cell_name(*puzzle.variant.cells[cell])
            raise InvalidGridError(f"the pencil marks of {name} leave out its digit")
        if not board.settled[cell]:
            for digit in digits_of(board.candidates[cell] & ~bits):
                board.strike(cell, digit)
    return _steps(board, solution)


def _require_houses(variant: Variant) -> None:
    """Refuse constraints, of which the techniques know nothing."""
    if variant.constraints:
        raise UnsupportedError(
            "solving by hand knows houses alone, and no cages or lines",
            hint="search solves them",
        )


def _steps(board: CandidateBoard, solution: list[int]) -> Iterator[Step]:
    while board.left:
        step = lowest_step(board) or _trial(board, solution)
        yield step
        board.apply(step)


def lowest_step(board: CandidateBoard) -> Step | None:
    """Return a step of the lowest rating, or None if there is nothing but trial."""
    best: tuple[float, Technique, Conclusion] | None = None
    for technique in _BY_RATING:
        # Techniques come by their least rating: none after this can be easier.
        if best and best[0] <= technique.rating:
            break
        if conclusion := _FINDERS[technique](board):
            rating = conclusion.rating or technique.rating
            if best is None or rating < best[0]:
                best = rating, technique, conclusion
    return best and _step(board, *best[1:])


def easiest_step(board: CandidateBoard, most: Technique = Technique.HIDDEN_QUAD) -> Step | None:
    """Return a step of the first technique up to `most` that leads on, or None."""
    for technique, find in _FINDERS.items():
        if technique > most:
            break
        if conclusion := find(board):
            return _step(board, technique, conclusion)
        if board.broken:
            break
    return None


def _step(board: CandidateBoard, technique: Technique, conclusion: Conclusion) -> Step:
    return Step(
        technique,
        tuple(conclusion.cells),
        tuple(conclusion.digits),
        tuple(conclusion.houses),
        tuple(conclusion.struck),
        board.layout.variant,
        round(conclusion.rating or technique.rating, 1),
        conclusion.chains,
    )


def _trial(board: CandidateBoard, solution: list[int]) -> Step:
    """Return a candidate of a cell with fewest that is wrong: all its solutions were looked for."""
    bits = board.candidates
    order = sorted(range(len(bits)), key=lambda cell: bits[cell].bit_count())
    candidates = board.holding(order, -1)
    cell, digit = next((cell, digit) for cell, digit in candidates if digit != solution[cell])
    return _step(board, Technique.TRIAL, Conclusion((cell,), (digit,), (), ((cell, digit),)))


@dataclass(frozen=True)
class Grade:
    """How hard a puzzle is.

    Parameters
    ----------
    level : Level
        The lowest level whose techniques suffice.
    rating : float
        That of the hardest step, from 1.2 to 10.0; 0.0 for a full grid.
    steps : dict of Technique to int
        How many steps of each technique there are, easiest first.
    pearl, diamond : float
        The rating of the hardest step up to the first digit that is placed, and of the first step;
        Sukaku Explainer calls the three ER, EP and ED.
    hardest : Technique or None
        That of the hardest step, the first one if there are several; None for a full grid.
    """

    level: Level
    rating: float
    steps: dict[Technique, int]
    pearl: float = 0.0
    diamond: float = 0.0
    hardest: Technique | None = None


def grade(puzzle: PuzzleLike) -> Grade:
    """Solve a puzzle as people do, and count the techniques; errors as in `deductions`.

    A harder technique is counted only where nothing of a lower rating helps.
    """
    puzzle = as_puzzle(puzzle)
    steps = list(deductions(puzzle))
    counts = Counter(step.technique for step in steps)
    level = level_by_hand(puzzle.variant, puzzle.givens.tolist())
    if not steps:
        return Grade(level, 0.0, {})
    rating = attrgetter("rating")
    hardest = max(steps, key=rating)
    first = next(index for index, step in enumerate(steps) if step.placed)
    return Grade(
        level,
        hardest.rating,
        {technique: counts[technique] for technique in sorted(counts, key=_EASE)},
        max(steps[: first + 1], key=rating).rating,
        steps[0].rating,
        hardest.technique,
    )


def rating_of(puzzle: PuzzleLike) -> float:
    """Return the rating of a puzzle as in `grade`, which see.

    Examples
    --------
    >>> rating_of("1... ..2. .3.. ...4")
    1.2
    """
    return max((step.rating for step in deductions(puzzle)), default=0.0)


def level_of(puzzle: PuzzleLike) -> Level:
    """Return the level of a puzzle as in `grade`, which see, but found without any trial."""
    puzzle = as_puzzle(puzzle)
    _require_houses(puzzle.variant)
    solve(puzzle)
    return level_by_hand(puzzle.variant, puzzle.givens.tolist())


def level_by_hand(variant: Variant, givens: list[int]) -> Level:
    """Return the level of givens that are known to have exactly one solution."""
    board = CandidateBoard(variant, givens)
    hardest = Technique.NAKED_SINGLE
    while board.left and (step := easiest_step(board)):
        hardest = max(hardest, step.technique)
        board.apply(step)
    return Level.EXPERT if board.left else Level.of(hardest)


def fills(variant: Variant, givens: list[int], level: Level, cells: Collection[int]) -> bool:
    """Return whether the techniques of a level, trial left out, fill these cells."""
    board = CandidateBoard(variant, givens)
    # Beyond this technique a level is expert, where search judges puzzles and not techniques.
    most = min(level.hardest, Technique.HIDDEN_QUAD)
    while not all(board.settled[cell] for cell in cells):
        if (step := easiest_step(board, most)) is None:
            return False
        board.apply(step)
    return True
