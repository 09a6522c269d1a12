"""Puzzles that are made have exactly the solution they were made from, and are as wanted."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokucrypt.errors import (
    InvalidGridError,
    InvalidParameterError,
    NoSolutionError,
    UnsupportedError,
)
from sudokucrypt.sudoku.counting.ranking import random_grid
from sudokucrypt.sudoku.deducing.steps import Level, Technique
from sudokucrypt.sudoku.deducing.trace import grade, level_of
from sudokucrypt.sudoku.making.puzzles import Made, make_puzzle, make_puzzles
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.sudoku.solving.batch import solve_batch
from sudokucrypt.sudoku.solving.exact_cover import cover_solutions
from sudokucrypt.sudoku.solving.solver import is_unique
from tests.sudoku.kernels import COMPILED

SMALL = [
    Variant.standard((1, 1)),
    Variant.standard((2, 2)),
    Variant.standard((2, 3)),
    Variant.standard((3, 2)),
    Variant.standard((2, 4)),
    Variant.standard((3, 4)),
    Variant.latin(5),
    Variant.x(),
    Variant.x((2, 3)),
    Variant.samurai((2, 2)),
    Variant.samurai((2, 3)),
    Variant.array((2, 3, 2, 2)),
]
needs_kernels = pytest.mark.skipif(
    not COMPILED, reason="takes a minute with the twin, which is tested elsewhere"
)
LARGE = [
    pytest.param(variant, wishes, marks=[pytest.mark.slow, needs_kernels])
    for variant, wishes in (
        (Variant.samurai(), {}),
        (Variant.standard((4, 4)), {}),
        (Variant.x((4, 4)), {}),
        (Variant.standard((5, 5)), {"minimal": False}),
    )
]


def check(made: Made) -> None:
    """Prove by dancing links that there is one solution, and that it is the one that is named."""
    puzzle, solution = made
    assert list(islice(cover_solutions(puzzle), 2)) == [solution]


def spared(puzzle: SudokuPuzzle, cells: list[int]) -> SudokuPuzzle:
    """Return the puzzle without some givens."""
    givens = puzzle.givens.copy()
    givens[cells] = -1
    return SudokuPuzzle(givens, puzzle.variant)


def assert_minimal(puzzle: SudokuPuzzle) -> None:
    """Every given is needed."""
    for cell in np.flatnonzero(puzzle.givens >= 0).tolist():
        assert len(list(islice(cover_solutions(spared(puzzle, [cell])), 2))) == 2


@pytest.mark.parametrize("method", ["remove", "add"])
@pytest.mark.parametrize("variant", SMALL, ids=str)
def test_puzzles_are_unique_and_minimal(variant: Variant, method: Any) -> None:
    """So they are for every variant and either method."""
    for seed in range(2):
        made = make_puzzle(seeded_draws(seed), variant, method=method)
        assert made.puzzle.variant == made.solution.variant == variant
        check(made)
        if variant.digits <= 9:
            assert_minimal(made.puzzle)


@pytest.mark.parametrize(("variant", "wishes"), LARGE)
def test_large_puzzles_are_unique(variant: Variant, wishes: dict[str, Any]) -> None:
    """Dancing links prove it for overlapping grids and for order 16 and 25 too."""
    check(make_puzzle(seeded_draws(11), variant, **wishes))


def test_many_ordinary_puzzles() -> None:
    """Each of them is minimal, has its own solution, and the usual number of givens."""
    made = make_puzzles(seeded_draws(5), 40)
    givens = np.array([puzzle.givens for puzzle, _ in made])
    counts, first = solve_batch(givens)
    assert (counts == 1).all()
    assert (first == [solution.givens for _, solution in made]).all()
    assert len(np.unique(first, axis=0)) == 40
    cells = np.nonzero(givens >= 0)
    without = givens[cells[0]]
    without[np.arange(len(without)), cells[1]] = -1
    assert (solve_batch(without).counts == 2).all()
    assert 23.5 < (givens >= 0).sum(axis=1).mean() < 25


@pytest.mark.parametrize("method", ["remove", "add"])
def test_stopping_early_leaves_more_givens(method: Any) -> None:
    """What is not minimal is unique all the same, and could be thinned further."""
    for seed in range(3):
        made = make_puzzle(seeded_draws(seed), Variant.x(), method=method, minimal=False)
        check(made)
        more = made.puzzle.number_of_givens
        assert (
            more > make_puzzle(seeded_draws(seed), Variant.x(), method=method)[0].number_of_givens
        )


def test_puzzles_that_are_not_minimal_can_be_read_off() -> None:
    """What the first part of the method takes away falls to naked singles alone."""
    for variant in (Variant.standard(), Variant.x((2, 3)), Variant.standard((3, 4))):
        puzzle, _ = make_puzzle(seeded_draws(1), variant, minimal=False)
        assert {*grade(puzzle).steps} == {Technique.NAKED_SINGLE}


@pytest.mark.parametrize("givens", [24, 26, 30, 50, 80, 81])
def test_wanted_givens(givens: int) -> None:
    """There are as many as were asked for."""
    for made in make_puzzles(seeded_draws(givens), 3, givens=givens):
        assert made.puzzle.number_of_givens == givens
        check(made)


@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize("givens", [None, 27, 32])
def test_levels(level: Level, givens: int | None) -> None:
    """The level is exactly the wanted one, with any number of givens."""
    made = make_puzzle(seeded_draws(4), level=level, givens=givens)
    assert level_of(made.puzzle) is grade(made.puzzle).level is level
    assert givens in (None, made.puzzle.number_of_givens)
    check(made)


def test_beginner_puzzles_fall_to_naked_singles_alone() -> None:
    """And no given can be spared for a beginner."""
    for puzzle, _ in make_puzzles(seeded_draws(6), 5, level=Level.BEGINNER):
        assert {*grade(puzzle).steps} == {Technique.NAKED_SINGLE}
        for cell in np.flatnonzero(puzzle.givens >= 0).tolist():
            easier = spared(puzzle, [cell])
            assert not is_unique(easier) or level_of(easier) > Level.BEGINNER


@pytest.mark.parametrize(
    "variant", [Variant.x(), Variant.standard((3, 4)), Variant.samurai((2, 3))], ids=str
)
@pytest.mark.parametrize("level", [Level.BEGINNER, Level.EASY, Level.MEDIUM])
def test_levels_of_other_variants(variant: Variant, level: Level) -> None:
    """They hold for every variant."""
    made = make_puzzle(seeded_draws(2), variant, level=level)
    assert level_of(made.puzzle) is level
    check(made)


def test_what_cannot_be_had_is_said() -> None:
    """Too few givens, or a level out of reach, end with an error that says what to change."""
    for givens, level in ((12, None), (18, Level.BEGINNER)):
        with pytest.raises(UnsupportedError) as caught:
            make_puzzle(seeded_draws(1), givens=givens, level=level, attempts=2)
        assert "2 attempts" in str(caught.value)
        assert "another number of givens" in (caught.value.hint or "")
    with pytest.raises(UnsupportedError):
        make_puzzle(seeded_draws(1), Variant.standard((8, 9)))
    with pytest.raises(NoSolutionError):
        make_puzzle(seeded_draws(1), Variant.x((1, 2)))


@pytest.mark.parametrize(
    "wishes",
    [
        {"givens": -1},
        {"givens": 82},
        {"givens": 24.5},
        {"level": "hard"},
        {"pattern": "spiral"},
        {"method": "guess"},
        {"attempts": 0},
        {"attempts": True},
    ],
    ids=str,
)
def test_wrong_wishes(wishes: dict[str, Any]) -> None:
    """They are named before anything is drawn."""
    source = seeded_draws(1)
    with pytest.raises(InvalidParameterError):
        make_puzzle(source, **wishes)
    assert source.below(1 << 30) == seeded_draws(1).below(1 << 30)


def test_number_of_puzzles() -> None:
    """None can be asked for, less than none cannot."""
    assert make_puzzles(seeded_draws(1), 0) == []
    with pytest.raises(InvalidParameterError):
        make_puzzles(seeded_draws(1), -1)


def test_a_given_sheet_is_the_solution() -> None:
    """A grid or a full puzzle leads to puzzles with that solution; open cells are refused."""
    grid = random_grid(seeded_draws(3))
    full = SudokuPuzzle.from_grid(grid)
    for sheet in (grid, full):
        first, second = make_puzzles(seeded_draws(1), 2, sheet)
        assert first.solution == second.solution == full
        assert first.puzzle != second.puzzle
    with pytest.raises(InvalidGridError):
        make_puzzle(seeded_draws(1), first.puzzle)


@given(seed=st.integers(0, 10**6), order=st.sampled_from([(2, 2), (2, 3), (1, 4)]))
def test_any_seed_gives_a_unique_puzzle(seed: int, order: tuple[int, int]) -> None:
    """Whatever is drawn."""
    check(make_puzzle(seeded_draws(seed), Variant.standard(order)))


def test_puzzles_cannot_change() -> None:
    """Neither the puzzle nor its solution shares memory that somebody could write to."""
    made = make_puzzle(seeded_draws(1), SudokuGrid([[0, 1], [1, 0]], (1, 2)))
    assert not made.puzzle.givens.flags.writeable
    assert not made.solution.givens.flags.writeable


GOLDEN: dict[str, tuple[Variant, dict[str, Any], str]] = {
    "2x2": (Variant.standard((2, 2)), {}, "1......4...32..."),
    "2x3, 12 givens": (
        Variant.standard((2, 3)),
        {"givens": 12},
        "...2.6..6.....4..1..2..31...4..431..",
    ),
    "3x3": (
        Variant.standard(),
        {},
        ".6....24945.......7..3....6.....1....3.5.........2.18.34..7.......9.8.5..8.....93",
    ),
    "easy, turned by half": (
        Variant.standard(),
        {"pattern": "half-turn", "level": Level.EASY},
        "1..8.7.4.4...6.3...9...25.6.26.....................18.3.92...6...7.3...2.8.4.6..3",
    ),
    "added": (
        Variant.standard(),
        {"method": "add"},
        "1.....249....6.......3.2........1.3..3.5.4...97....18......586..17......2.5.1....",
    ),
    "X": (Variant.x((2, 3)), {}, "2...5.6..............3.4........5..."),
    "overlapping": (
        Variant.samurai((2, 2)),
        {"method": "add"},
        "4....4.2...2...........3........4.......1...3.....2...1....1...4",
    ),
    "3x4": (
        Variant.standard((3, 4)),
        {"minimal": False},
        ".9.B53..A62.14..6.A.9C..7A...9.B..3846.2B.57C38.B3...28.67...87.3649.2.A8..97.3.."
        "5A66..72B...4..3.A....8..1CAB..C1.5...7..35.496BA....61A7..4.52",
    ),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_seeds_decide_the_puzzle(name: str) -> None:
    """The seed 2026 gives these puzzles on every platform, with kernels and without."""
    variant, wishes, text = GOLDEN[name]
    assert make_puzzle(seeded_draws(2026), variant, **wishes).puzzle.to_text() == text
