"""Made puzzles have exactly the solution that is returned, and the requested properties."""

from itertools import islice
from typing import Any

import numpy as np
import pytest

from sudokucrypt.errors import (
    InvalidGridError,
    InvalidParameterError,
    NoSolutionError,
    UndecidedError,
    UnsupportedError,
)
from sudokucrypt.sudoku.counting.ranking import random_grid
from sudokucrypt.sudoku.deducing.levels import Level, Technique
from sudokucrypt.sudoku.deducing.trace import find_level, grade
from sudokucrypt.sudoku.making.constrained import (
    CONSTRAINT_MAKERS,
    make_constrained,
    make_constrained_sheet,
)
from sudokucrypt.sudoku.making.jigsaws import random_jigsaw
from sudokucrypt.sudoku.making.puzzles import (
    Made,
    get_comfortable_givens,
    make_puzzle,
    make_puzzles,
)
from sudokucrypt.sudoku.making.recipe import get_rating_bounds
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.sudoku.solving.batch import solve_batch
from sudokucrypt.sudoku.solving.exact_cover import cover_solutions
from sudokucrypt.sudoku.solving.solver import is_unique
from tests.sudoku.kernels import COMPILED
from tests.sudoku.puzzles import make_engine_puzzle

SMALL = [
    Variant.standard((1, 1)),
    Variant.standard((2, 3)),
    Variant.x((2, 3)),
    Variant.samurai((2, 2)),
    Variant.array((2, 3, 2, 2)),
    Variant.windoku((2, 2)),
    Variant.anti_knight((2, 3)),
    random_jigsaw(1, order=5),
    *(
        pytest.param(variant, marks=pytest.mark.slow)
        for variant in (
            Variant.standard((2, 4)),
            Variant.standard((3, 4)),
            Variant.latin(5),
            Variant.x(),
            Variant.samurai((2, 3)),
            Variant.windoku(),
        )
    ),
]
HARD_LEVEL = pytest.param(Level.HARD, marks=pytest.mark.slow)


def require_unique_solution(pair: Made) -> None:
    """Prove by dancing links that the returned solution is the only one."""
    puzzle, solution = pair
    assert list(islice(cover_solutions(puzzle), 2)) == [solution]


def assert_minimal(puzzle: SudokuPuzzle) -> None:
    """Assert that removing any given allows a second solution."""
    for cell in np.flatnonzero(puzzle.givens >= 0).tolist():
        givens = puzzle.givens.copy()
        givens[cell] = -1
        assert not is_unique(make_engine_puzzle(givens, puzzle.variant))


@pytest.mark.parametrize("method", ["remove", "add"])
@pytest.mark.parametrize("variant", SMALL, ids=str)
def test_puzzles_are_unique_and_minimal(variant: Variant, method: Any) -> None:
    """For every variant and both methods, puzzles have one solution and are minimal."""
    pair = make_puzzle(seeded_draws(1), sheet=variant, method=method)
    assert pair.puzzle.variant == pair.solution.variant == variant
    require_unique_solution(pair)
    if variant.digits <= 9:
        assert_minimal(pair.puzzle)


def test_many_ordinary_puzzles() -> None:
    """Many ordinary puzzles are minimal, have different solutions, and the usual mean of givens."""
    pairs = make_puzzles(40, seeded_draws(5))
    givens = np.array([puzzle.givens for puzzle, _ in pairs])
    counts, first = solve_batch(givens, first=0, empty=-1)
    assert (counts == 1).all()
    assert (first == [solution.givens for _, solution in pairs]).all()
    assert len(np.unique(first, axis=0)) == 40
    cells = np.nonzero(givens >= 0)
    without = givens[cells[0]]
    without[np.arange(len(without)), cells[1]] = -1
    assert (solve_batch(without, first=0, empty=-1).counts == 2).all()
    assert 23.5 < (givens >= 0).sum(axis=1).mean() < 25


@pytest.mark.parametrize("method", ["remove", "add"])
def test_stopping_early_leaves_more_givens(method: Any) -> None:
    """Puzzles with minimal=False have one solution, but more givens than needed."""
    pair = make_puzzle(seeded_draws(1), sheet=Variant.x(), method=method, minimal=False)
    require_unique_solution(pair)
    fewer, _ = make_puzzle(seeded_draws(1), sheet=Variant.x(), method=method)
    assert pair.puzzle.number_of_givens > fewer.number_of_givens


def test_puzzles_that_are_not_minimal_can_be_read_off() -> None:
    """Puzzles after the first part of "remove" are solved by naked singles only."""
    for variant in (Variant.standard(), Variant.x((2, 3)), Variant.standard((3, 4))):
        puzzle, _ = make_puzzle(seeded_draws(1), sheet=variant, minimal=False)
        assert find_level(puzzle) is Level.BEGINNER


@pytest.mark.parametrize("givens", [*[22] * COMPILED, 24, 81])
def test_wanted_givens(givens: int) -> None:
    """Puzzles have exactly the requested number of givens."""
    for pairs in make_puzzles(3, seeded_draws(givens), givens=givens):
        assert pairs.puzzle.number_of_givens == givens
        require_unique_solution(pairs)


@pytest.mark.parametrize("level", [*sorted({*Level} - {Level.HARD}), HARD_LEVEL])
@pytest.mark.parametrize("givens", [None, pytest.param(32, marks=pytest.mark.slow)])
def test_levels(level: Level, givens: int | None) -> None:
    """Puzzles have exactly the requested level, with or without a number of givens."""
    pair = make_puzzle(seeded_draws(4), level=level, givens=givens)
    assert find_level(pair.puzzle) is grade(pair.puzzle).level is level
    assert givens in (None, pair.puzzle.number_of_givens)
    require_unique_solution(pair)


@pytest.mark.parametrize(
    "variant",
    [Variant.x((2, 3)), pytest.param(Variant.samurai((2, 3)), marks=pytest.mark.slow)],
    ids=str,
)
def test_levels_of_other_variants(variant: Variant) -> None:
    """Puzzles of other variants have exactly the requested level."""
    pair = make_puzzle(seeded_draws(2), sheet=variant, level=Level.MEDIUM)
    assert find_level(pair.puzzle) is Level.MEDIUM
    require_unique_solution(pair)


def test_impossible_requests_are_refused() -> None:
    """Requests that fail in all attempts raise UndecidedError with a hint."""
    for givens, level in ((20, Level.BEGINNER), (21, Level.EASY)):
        with pytest.raises(UndecidedError) as caught:
            make_puzzle(seeded_draws(1), givens=givens, level=level, attempts=2)
        assert "2 attempts" in str(caught.value)
        assert "another number of givens" in (caught.value.hint or "")
    with pytest.raises(UnsupportedError):
        make_puzzle(seeded_draws(1), sheet=Variant.standard((8, 9)))
    with pytest.raises(NoSolutionError):
        make_puzzle(seeded_draws(1), sheet=Variant.x((1, 2)))


@pytest.mark.parametrize(
    ("variant", "givens", "error", "hint"),
    [
        (Variant.standard(), 0, InvalidParameterError, "ask for 20 or more"),
        (Variant.standard(), 16, InvalidParameterError, "ask for 20 or more"),
        (Variant.standard(), 17, UnsupportedError, "ask for 20 or more"),
        (Variant.standard(), 19, UnsupportedError, "ask for 20 or more"),
        (Variant.x((2, 3)), 4, InvalidParameterError, "ask for 5 or more"),
    ],
)
def test_too_few_givens(variant: Variant, givens: int, error: type[Exception], hint: str) -> None:
    """Fewer givens than possible, or than the search finds, are refused before anything is
    drawn."""
    source = seeded_draws(1)
    with pytest.raises(error) as caught:
        make_puzzle(source, sheet=variant, givens=givens)
    assert getattr(caught.value, "hint", "") == hint
    assert source.below(1 << 30) == seeded_draws(1).below(1 << 30)


def test_wrong_wishes() -> None:
    """Invalid arguments are refused before anything is drawn."""
    source = seeded_draws(1)
    wishes: list[dict[str, Any]] = [{"givens": number} for number in (-1, 82, 24.5)]
    wishes += [{"level": "hard"}, {"pattern": "spiral"}, {"method": "guess"}, {"attempts": 0}]
    for wish in wishes:
        with pytest.raises(InvalidParameterError):
            make_puzzle(source, **wish)
    assert source.below(1 << 30) == seeded_draws(1).below(1 << 30)
    assert make_puzzles(0, source) == []


def test_a_given_sheet_is_the_solution() -> None:
    """A full grid or puzzle as `sheet` is the solution; open cells are refused."""
    grid = random_grid(seeded_draws(3))
    full = SudokuPuzzle.from_grid(grid)
    for sheet in (grid, full):
        first, second = make_puzzles(2, seeded_draws(1), sheet=sheet)
        assert first.solution == second.solution == full
        assert first.puzzle != second.puzzle
    with pytest.raises(InvalidGridError):
        make_puzzle(seeded_draws(1), sheet=first.puzzle)


def test_puzzles_cannot_change() -> None:
    """The arrays of a puzzle and its solution are read-only, and share no writable memory."""
    pair = make_puzzle(seeded_draws(1), sheet=SudokuGrid([[1, 2], [2, 1]], (1, 2)))
    assert not pair.puzzle.givens.flags.writeable
    assert not pair.solution.givens.flags.writeable


def test_each_given_is_needed() -> None:
    """With minimal="each", no given of a symmetric puzzle, or of a puzzle of a level, can be
    removed."""
    pair = make_puzzle(seeded_draws(1), pattern="half-turn", minimal="each")
    assert_minimal(pair.puzzle)
    assert ((pair.puzzle.cells >= 0) == (pair.puzzle.cells[::-1, ::-1] >= 0)).all()
    pair = make_puzzle(seeded_draws(1), level=Level.EASY, minimal="each")
    for cell in np.flatnonzero(pair.puzzle.givens >= 0).tolist():
        givens = pair.puzzle.givens.copy()
        givens[cell] = -1
        fewer = make_engine_puzzle(givens, pair.puzzle.variant)
        assert not is_unique(fewer) or find_level(fewer) > Level.EASY


def test_givens_for_people() -> None:
    """With a range of givens, the number of givens is in the range and the level is kept."""
    givens_range = get_comfortable_givens(Variant.standard())
    assert (givens_range[0], givens_range[-1]) == (30, 36)
    pairs = make_puzzles(12, seeded_draws(1), level=Level.EASY, givens=givens_range)
    assert {find_level(puzzle) for puzzle, _ in pairs} == {Level.EASY}
    counts = {puzzle.number_of_givens for puzzle, _ in pairs}
    assert counts <= {*givens_range}
    assert len(counts) > 3
    with pytest.raises(InvalidParameterError, match="needs a level"):
        make_puzzle(1, givens=givens_range)
    with pytest.raises(InvalidParameterError, match="range"):
        make_puzzle(1, level=Level.EASY, givens=range(30, 90))


def test_ratings_and_techniques() -> None:
    """All puzzles of a batch have the requested rating and technique, for several variants."""
    for sheet in (None, Variant.x((2, 3))):
        pairs = make_puzzles(3, 2, sheet=sheet, rating=(1.5, 3.4), technique=Technique.NAKED_SINGLE)
        for puzzle, _ in pairs:
            graded = grade(puzzle)
            assert 1.5 <= graded.rating <= 3.4
            assert Technique.NAKED_SINGLE in graded.steps
    with pytest.raises(InvalidParameterError, match="ratings are"):
        make_puzzles(1, 1, rating=(0.0, 1.0))
    with pytest.raises(UnsupportedError, match="81 cells"):
        make_puzzles(1, 1, sheet=Variant.standard((4, 4)), rating=(2.0, 3.0))


@pytest.mark.parametrize(
    ("level", "rating", "technique"),
    [
        (Level.EXPERT, (3.0, 3.5), None),
        (Level.EASY, (2.6, 3.0), None),
        (Level.MEDIUM, (5.0, 9.0), None),
        (Level.EASY, None, Technique.X_WING),
        (Level.HARD, None, Technique.NISHIO),
        (Level.BEGINNER, None, Technique.NAKED_PAIR),
    ],
)
def test_impossible_wishes_are_refused_at_once(
    level: Level, rating: tuple[float, float] | None, technique: Technique | None
) -> None:
    """A rating or technique that a level never has is refused before a puzzle is made."""
    with pytest.raises(InvalidParameterError, match="rated"):
        make_puzzle(1, level=level, rating=rating, technique=technique, attempts=10**9)


@pytest.mark.parametrize("level", Level)
def test_levels_bound_ratings(level: Level) -> None:
    """The ratings of puzzles of each level are within the bounds of `get_rating_bounds`."""
    min_rating, max_rating = get_rating_bounds(level)
    for seed in range(12):
        puzzle = make_puzzle(seed, level=level).puzzle
        assert min_rating <= grade(puzzle).rating <= max_rating


@pytest.mark.parametrize("kind", CONSTRAINT_MAKERS)
@pytest.mark.parametrize("box", [(1, 1), (2, 2)])
def test_small_grids_are_filled_with_constraints(kind: str, box: tuple[int, int]) -> None:
    """make_constrained succeeds on small grids, even if lines use all free cells."""
    for seed in range(20, 40):
        puzzle, solution = make_constrained(seed, kind=kind, box=box)
        assert is_unique(puzzle)
        assert solution.number_of_givens == (box[0] * box[1]) ** 2


@pytest.mark.parametrize("seed", range(3))
def test_cages_cover_the_grid(seed: int) -> None:
    """Each cell is in one cage of different digits, and few cages have a single cell."""
    sheet = make_constrained_sheet(seeded_draws(seed), kinds=["killer"], rules=Variant.standard())
    digits, cages = sheet.givens.tolist(), sheet.variant.constraints
    assert sorted(cell for cage in cages for cell in cage.cells) == list(range(81))
    for cage in cages:
        assert len({digits[cell] for cell in cage.cells}) == len(cage.cells)
        assert cage.value == sum(digits[cell] + 1 for cell in cage.cells)
    assert sum(len(cage.cells) == 1 for cage in cages) <= 3
    assert len(cages) < 35
