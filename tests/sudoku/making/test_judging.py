"""Judges agree with independent tests, and adding givens undoes their removal."""

from collections.abc import Callable
from itertools import chain, islice

import numpy as np
import pytest
from numpy.typing import NDArray

from sudokucrypt import sudoku
from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.sudoku import Variant, is_unique, make_puzzle, seeded_draws
from sudokucrypt.sudoku.making.puzzles import draw_full_grids
from sudokucrypt.sudoku.making.recipe import (
    PATTERNS,
    NakedSingleTest,
    Pattern,
    PuzzleSpec,
    TechniqueTest,
    UniquenessTest,
    exchange_givens,
    group_cells,
    patience,
    remove_givens,
)
from sudokucrypt.sudoku.solving.batch import solve_batch
from tests.sudoku.kernels import COMPILED
from tests.sudoku.puzzles import make_engine_puzzle, make_sparse_puzzle

VARIANTS = [sudoku.Variant.standard(), sudoku.Variant.x((2, 3)), sudoku.Variant.samurai((2, 2))]


def make_trials(variant: sudoku.Variant) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return trials that each lack one given of a puzzle with superfluous givens."""
    puzzle = make_sparse_puzzle(variant, 1, attempts=len(variant.cells) * 2 // 3)
    cells = np.flatnonzero(puzzle.givens >= 0)
    rows = np.repeat(puzzle.givens[None], len(cells), axis=0)
    digits = rows[np.arange(len(cells)), cells]
    rows[np.arange(len(cells)), cells] = -1
    return rows[::2], cells[::2, None], digits[::2, None]


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_unique_is_what_the_solver_finds(variant: sudoku.Variant) -> None:
    """UniqueSolution agrees with the solver for each removed given, with both answers."""
    rows, cells, digits = make_trials(variant)
    is_good = UniquenessTest(variant)(rows, cells, digits)
    proved = [sudoku.is_unique(make_engine_puzzle(row, variant)) for row in rows]
    assert is_good.tolist() == proved
    assert len({*proved}) == 2


@pytest.mark.slow
def test_a_second_look_spares_more() -> None:
    """A given whose first search is undecided is decided by the stronger search."""
    variant = sudoku.Variant.samurai()
    puzzle, _ = sudoku.make_puzzle(1, sheet=variant)
    first = PuzzleSpec(variant, group_cells(variant, None), None, None, True, "remove")
    assert list(first.make_removal_tests()) == [
        UniquenessTest(variant),
        UniquenessTest(variant, True),
    ]
    cells = np.flatnonzero(puzzle.givens >= 0)
    rows = np.repeat(puzzle.givens[None], len(cells), axis=0)
    rows[np.arange(len(cells)), cells] = -1
    digits = puzzle.givens[cells, None]
    assert not UniquenessTest(variant, True)(rows, cells[:, None], digits).any()


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_at_sight_is_what_the_neighbors_leave(variant: sudoku.Variant) -> None:
    """NakedSinglePreset is true if the peers of the removed given contain all other digits."""
    rows, cells, digits = make_trials(variant)
    peer_digits = [
        set(row[variant.peers(cell)].tolist()) for row, [cell] in zip(rows, cells, strict=True)
    ]
    expected = [
        set(range(variant.digits)) - {digit} <= near
        for near, [digit] in zip(peer_digits, digits, strict=True)
    ]
    assert NakedSingleTest(variant)(rows, cells, digits).tolist() == expected


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_by_hand_is_the_level_of_what_is_left(variant: sudoku.Variant) -> None:
    """TechniqueTest is true if the techniques of the level solve the trial."""
    rows, cells, digits = make_trials(variant)
    unique = UniquenessTest(variant)(rows, cells, digits)
    levels = [
        sudoku.find_level(make_engine_puzzle(row, variant)) if is_good else sudoku.Level.EXPERT
        for row, is_good in zip(rows, unique, strict=True)
    ]
    for level in (sudoku.Level.EASY, sudoku.Level.MEDIUM, sudoku.Level.HARD):
        if (
            sudoku.find_level(make_sparse_puzzle(variant, 1, attempts=len(variant.cells) * 2 // 3))
            <= level
        ):
            is_good = TechniqueTest(variant, level)(rows, cells, digits)
            assert is_good.tolist() == [result <= level for result in levels]


def test_removal_keeps_what_is_wanted() -> None:
    """remove_givens stops at the fewest allowed givens, and removes only whole groups."""
    variant = sudoku.Variant.standard()
    groups = group_cells(variant, "half-turn")
    solutions = draw_full_grids(variant, sudoku.seeded_draws(1), 3)
    orders = sudoku.seeded_draws(2).permutations([41] * 3).reshape(3, 41)
    givens = solutions.copy()
    remove_givens(givens, groups, orders, UniquenessTest(variant), fewest_givens=40)
    assert set((givens >= 0).sum(axis=1)) <= {40, 41}
    assert ((givens >= 0) == (givens >= 0)[:, ::-1]).all()
    assert (givens[givens >= 0] == solutions[givens >= 0]).all()


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_adding_ends_with_one_solution(variant: sudoku.Variant) -> None:
    """add_givens adds digits of the solution in whole groups until the solution is unique."""
    solution = draw_full_grids(variant, sudoku.seeded_draws(3), 1)[0]
    groups = group_cells(variant, "half-turn")
    spec = PuzzleSpec(variant, groups, None, None, True, "add")
    givens = spec.add_givens(solution, sudoku.seeded_draws(4))
    assert ((givens == solution) | (givens < 0)).all()
    for members in groups.cell_rows:
        assert len({*(givens[members] >= 0).tolist()}) == 1
    result = list(islice(sudoku.cover_solutions(make_engine_puzzle(givens, variant)), 2))
    assert [puzzle.givens.tolist() for puzzle in result] == [solution.tolist()]


def test_digits_are_put_back_while_the_level_stays() -> None:
    """add_back_givens reaches the given number, and keeps the level."""
    puzzle = make_sparse_puzzle(sudoku.Variant.standard(), 4)
    level = sudoku.find_level(puzzle)
    solution = next(sudoku.cover_solutions(puzzle)).givens
    givens = puzzle.givens.copy()
    order = sudoku.seeded_draws(5).permutations([81])
    groups = group_cells(puzzle.variant, None)
    spec = PuzzleSpec(puzzle.variant, groups, 30, level, True, "remove")
    spec.add_back_givens(givens, solution, order, 30)
    assert (givens >= 0).sum() == 30
    assert sudoku.find_level(sudoku.SudokuPuzzle(givens, first=0, empty=-1)) is level
    assert (givens[puzzle.givens >= 0] == puzzle.givens[puzzle.givens >= 0]).all()


@pytest.mark.parametrize(
    "variant",
    [sudoku.Variant.standard(), sudoku.Variant.standard((2, 2)), sudoku.Variant.standard((4, 4))],
    ids=str,
)
def test_full_sheets_are_full_and_right(variant: sudoku.Variant) -> None:
    """draw_full_grids returns different valid grids that depend only on the source."""
    sheets = draw_full_grids(variant, sudoku.seeded_draws(6), 3)
    assert (sheets == draw_full_grids(variant, sudoku.seeded_draws(6), 3)).all()
    assert len(np.unique(sheets, axis=0)) == 3
    for sheet in sheets:
        assert make_engine_puzzle(sheet, variant).number_of_givens == len(variant.cells)


def test_patience_falls_with_the_size() -> None:
    """patience allows all needed nodes up to 9x9, and fewer beyond."""
    sizes = [sudoku.Variant.x(), sudoku.Variant.samurai(), sudoku.Variant.standard((4, 4))]
    assert [patience(variant) for variant in sizes] == [1_000_000, 10_000, 500]


# Symmetric patterns: groups of cells, and puzzles that have them.


IMAGES: dict[Pattern, Callable[[NDArray[np.bool_]], NDArray[np.bool_]]] = {
    "half-turn": lambda sheet: sheet[::-1, ::-1],
    "quarter-turn": np.rot90,
    "left-right": np.fliplr,
    "top-bottom": np.flipud,
    "diagonal": np.transpose,
}
"""What each pattern does not change."""

SHEETS = [Variant.standard(), Variant.samurai((2, 2))]


@pytest.mark.parametrize("variant", SHEETS, ids=str)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_puzzles_have_the_pattern(pattern: Pattern, variant: Variant) -> None:
    """The places of givens are symmetric, and no group can be removed."""
    puzzle, _ = make_puzzle(seeded_draws(9), sheet=variant, pattern=pattern)
    assert is_unique(puzzle)
    given = puzzle.cells >= 0
    assert (IMAGES[pattern](given) == given).all()
    for members in group_cells(variant, pattern).cell_rows:
        if puzzle.givens[members[0]] >= 0:
            fewer = puzzle.givens.copy()
            fewer[members] = -1
            assert not is_unique(make_engine_puzzle(fewer, variant))


@pytest.mark.parametrize("pattern", [None, *PATTERNS])
@pytest.mark.parametrize("variant", SHEETS, ids=str)
def test_groups_divide_the_sheet(variant: Variant, pattern: Pattern | None) -> None:
    """Each cell is in one group, and padding repeats the first member."""
    members, sizes = group_cells(variant, pattern)
    cells = [group[:size] for group, size in zip(members.tolist(), sizes.tolist(), strict=True)]
    assert sorted(chain(*cells)) == list(range(len(variant.cells)))
    for group, size in zip(members, sizes, strict=True):
        assert (group[size:] == group[0]).all()


def test_groups_are_as_large_as_their_symmetry() -> None:
    """On a 9x9 grid, only the cells at the center or on the axis form groups of one."""
    sizes = {pattern: group_cells(Variant.standard(), pattern).sizes for pattern in PATTERNS}
    assert np.bincount(sizes["half-turn"]).tolist() == [0, 1, 40]
    assert np.bincount(sizes["quarter-turn"]).tolist() == [0, 1, 0, 0, 20]
    for pattern in ("left-right", "top-bottom", "diagonal"):
        assert np.bincount(sizes[pattern]).tolist() == [0, 9, 36]


def test_sheets_without_the_pattern() -> None:
    """A grid that is not square has no quarter turn, but has a half turn."""
    variant = Variant.array((1, 2, 3, 3))
    for pattern in ("quarter-turn", "diagonal"):
        with pytest.raises(InvalidParameterError):
            group_cells(variant, pattern)
    assert group_cells(variant, "half-turn").sizes.tolist() == [2] * 9
    with pytest.raises(InvalidParameterError) as caught:
        make_puzzle(seeded_draws(1), pattern="spiral")  # type: ignore[arg-type]
    assert "half-turn" in (caught.value.hint or "")


# Givens that are exchanged leave the solution as it is, and are fewer in the end.


@pytest.mark.skipif(not COMPILED, reason="takes minutes with the fallback")
def test_fewer_givens_have_the_same_solution() -> None:
    """exchange_givens returns the requested number of givens, and the source decides which."""
    puzzle, solution = make_puzzle(seeded_draws(1))
    result = [
        exchange_givens(puzzle.givens, solution.givens, 21, seeded_draws(seed))
        for seed in (2, 2, 3)
    ]
    assert [(givens >= 0).sum() for givens in result] == [21, 21, 21]
    assert (result[0] == result[1]).all()
    assert (result[0] != result[2]).any()
    counts, first = solve_batch(np.array(result), first=0, empty=-1)
    assert counts.tolist() == [1, 1, 1]
    assert (first == solution.givens).all()


def test_nothing_is_exchanged_without_need() -> None:
    """exchange_givens returns a puzzle with few enough givens unchanged."""
    puzzle, solution = make_puzzle(seeded_draws(1))
    unchanged = exchange_givens(
        puzzle.givens, solution.givens, puzzle.number_of_givens, seeded_draws(1)
    )
    assert unchanged is puzzle.givens
