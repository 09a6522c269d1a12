"""The solvers: no, one and many solutions of every variant, and all of them agree."""

from __future__ import annotations

from itertools import combinations, islice

import numpy as np
import pytest

from sudokucrypt.errors import (
    InvalidParameterError,
    MultipleSolutionsError,
    NoSolutionError,
    UnsupportedError,
)
from sudokucrypt.sudoku.model.grid import SudokuGrid
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.sudoku.solving.exact_cover import cover_solutions
from sudokucrypt.sudoku.solving.solver import (
    count_solutions,
    is_unique,
    random_solution,
    solutions,
    solve,
)
from tests.sudoku.kernels import COMPILED
from tests.sudoku.puzzles import HARD, ROYLE, sparse, spoilt, thinned

SMALL = [
    Variant.standard((2, 2)),
    Variant.standard((2, 3)),
    Variant.x((2, 3)),
    Variant.latin(5),
    Variant.samurai((2, 2)),
    Variant.array((2, 2, 2, 3)),
]


def test_a_known_solution() -> None:
    """Royle's first puzzle with 17 givens has the solution that is known."""
    puzzle = SudokuPuzzle.from_text(ROYLE[0])
    assert puzzle.number_of_givens == 17
    assert solve(puzzle).to_text() == ROYLE[1]


@pytest.mark.parametrize("name", HARD)
def test_hard_puzzles(name: str) -> None:
    """Each has exactly one solution, which keeps the givens, for both searches."""
    puzzle = SudokuPuzzle.from_text(HARD[name])
    solution = solve(puzzle)
    assert SudokuGrid(solution.cells).order == 9
    there = puzzle.givens >= 0
    assert np.array_equal(solution.givens[there], puzzle.givens[there])
    assert list(solutions(puzzle, source=seeded_draws(1))) == [solution]


def test_errors() -> None:
    """No solution and several are different errors, which say what to do."""
    with pytest.raises(NoSolutionError, match="no solution") as none:
        solve(SudokuPuzzle.from_text("12....3........."))
    assert none.value.hint
    with pytest.raises(MultipleSolutionsError, match="more than one") as many:
        solve(SudokuPuzzle.empty(Variant.standard()))
    assert many.value.hint
    with pytest.raises(NoSolutionError):
        random_solution(SudokuPuzzle.from_text("12....3........."), seeded_draws(1))
    with pytest.raises(InvalidParameterError, match="limit"):
        count_solutions(SudokuPuzzle.empty(Variant.standard()), limit=0)
    with pytest.raises(UnsupportedError, match="at most 64 digits"):
        is_unique(SudokuPuzzle.empty(Variant.latin(65)))


def agree(puzzle: SudokuPuzzle, limit: int = 40) -> int:
    """Check that all ways to solve agree up to the limit, and return how many solutions."""
    known = {solution.to_text() for solution in islice(cover_solutions(puzzle), limit)}
    count = count_solutions(puzzle, limit=limit)
    assert count == len(known)
    assert is_unique(puzzle) == (count == 1)
    for source in (None, seeded_draws(5)):  # 9x9 puzzles go to both searches
        found = [solution.to_text() for solution in islice(solutions(puzzle, source=source), limit)]
        assert len(set(found)) == len(found) == count
        if count < limit:
            assert set(found) == known
            assert count_solutions(puzzle) == count
    return count


@pytest.mark.parametrize("seed", range(6))
def test_solvers_agree_on_9x9(seed: int) -> None:
    """Bit boards, bit sets and dancing links find the same, for 0, 1 and many solutions."""
    puzzle = sparse(Variant.standard(), seed)
    assert agree(puzzle) == 1
    assert agree(spoilt(puzzle, seed)) != 1
    assert agree(thinned(puzzle, seed, 1)) > 1
    assert agree(thinned(puzzle, seed, 3)) > 1


@pytest.mark.parametrize("variant", SMALL, ids=lambda variant: variant.name)
def test_solvers_agree_on_variants(variant: Variant) -> None:
    """Bit sets and dancing links find the same, for 0, 1 and many solutions."""
    for seed in range(3):
        puzzle = sparse(variant, seed)
        assert agree(puzzle) == 1
        assert agree(spoilt(puzzle, seed)) != 1
        assert agree(thinned(puzzle, seed, min(3, puzzle.number_of_givens))) > 1


@pytest.mark.parametrize(
    "variant",
    [Variant.x(), Variant.samurai(), Variant.standard((4, 4)), Variant.standard((5, 5))],
    ids=lambda variant: variant.name,
)
def test_large_puzzles(variant: Variant) -> None:
    """Larger puzzles with one solution are solved, and what is solved was the grid."""
    tries = min(len(variant.cells) // 3, 80)
    puzzle = sparse(variant, 3, tries=tries)
    assert puzzle.number_of_givens < len(variant.cells) - tries // 2
    solution = solve(puzzle)
    assert SudokuPuzzle(solution.givens, variant).number_of_givens == len(variant.cells)
    assert solution == random_solution(variant, seeded_draws(3))


@pytest.mark.parametrize(
    ("variant", "count"),
    [(Variant.latin(3), 12), (Variant.latin(4), 576), (Variant.standard((2, 2)), 288)],
)
def test_empty_sheets(variant: Variant, count: int) -> None:
    """Latin squares as in OEIS A002860, 4x4 grids as in A107739; X grids are some of these."""
    empty = SudokuPuzzle.empty(variant)
    assert count_solutions(empty) == count
    assert len({solution.to_text() for solution in solutions(empty)}) == count
    if variant.box == (2, 2):
        crossed = [
            solution
            for solution in solutions(empty)
            if len(set(solution.cells.diagonal())) == 4
            and len(set(solution.cells[:, ::-1].diagonal())) == 4
        ]
        assert count_solutions(SudokuPuzzle.empty(Variant.x((2, 2)))) == len(crossed) > 0


def test_samurai_count_follows_from_shared_boxes() -> None:
    """A corner grid has 288 / 4! fillings for each filling of the box that it shares."""
    variant = Variant.samurai((2, 2))
    full = random_solution(variant, seeded_draws(1)).givens
    givens = np.full_like(full, -1)
    for house in variant.houses:
        if house.name.endswith(("of grid 2", "of grid 4")):
            givens[list(house.cells)] = full[list(house.cells)]
    assert count_solutions(SudokuPuzzle(givens, variant)) == 12**3


def test_77_givens_can_leave_two_solutions() -> None:
    """Two digits that can be exchanged in a rectangle leave two solutions, and no others do."""
    grid = random_solution(Variant.standard(), seeded_draws(2)).cells
    found = 0
    for top, bottom in ((0, 1), (0, 2), (1, 2), (3, 5), (4, 5), (7, 8)):
        for left, right in combinations(range(9), 2):
            corners = np.ix_((top, bottom), (left, right))
            cells = grid.copy()
            cells[corners] = -1
            exchanged = np.array_equal(grid[corners], grid[corners][::-1, ::-1])
            count = count_solutions(SudokuPuzzle(cells))
            assert count == (2 if exchanged and left // 3 != right // 3 else 1)
            found += exchanged
    assert found


def test_counting_stops_at_the_limit() -> None:
    """An empty 9x9 sheet is counted up to the limit and no further."""
    empty = SudokuPuzzle.empty(Variant.standard())
    for limit in (1, 2, 2000, 2001, 5000):
        assert count_solutions(empty, limit=limit) == limit


def test_full_sheets_of_large_variants() -> None:
    """Where a search in one fixed order gets lost, a full sheet is found by beginning again."""
    variant = Variant.samurai((5, 5) if COMPILED else (3, 3))
    full = random_solution(variant, seeded_draws(1))
    assert SudokuPuzzle(full.givens, variant).number_of_givens == len(variant.cells)


def test_nodes_of_a_random_solution_are_told() -> None:
    """The last node for each cell is its digit, and givens have none."""
    variant = Variant.x((2, 2))
    for begun in (SudokuPuzzle.empty(variant), SudokuPuzzle.from_text("1" + "." * 15, variant)):
        last: dict[int, int] = {}

        def trace(_number: int, cell: int, digit: int, last: dict[int, int] = last) -> None:
            last[cell] = digit

        found = random_solution(begun, seeded_draws(3), trace=trace)
        assert last.keys() == set(np.flatnonzero(begun.givens < 0).tolist())
        assert all(found.givens[cell] == digit for cell, digit in last.items())


def test_variants_without_a_full_sheet_are_named() -> None:
    """No X grid has order 2."""
    with pytest.raises(NoSolutionError, match="no full sheet of X, 2x2"):
        random_solution(Variant.x((1, 2)), seeded_draws(1))


def test_random_solutions_come_from_the_seed() -> None:
    """A seed gives one solution for ever; several reach several; givens are kept."""
    puzzle = SudokuPuzzle.from_text("12.3............")
    found = [random_solution(puzzle, seeded_draws(seed)) for seed in range(60)]
    assert set(found) == set(solutions(puzzle))
    assert random_solution(puzzle, seeded_draws(7)) == found[7]
    grid = random_solution(Variant.standard((2, 3)), seeded_draws(1)).to_text()
    assert grid == "135462264135412356356241623514541623"


@pytest.mark.slow
def test_every_4x4_puzzle() -> None:
    """For each number of givens, as many 4x4 puzzles have one solution as a full count says."""
    variant = Variant.standard((2, 2))
    grids = np.array([solution.givens for solution in solutions(SudokuPuzzle.empty(variant))])
    counted = np.zeros(17, dtype=int)
    packed = (grids << 2 * np.arange(16)).sum(axis=1)
    for mask in range(1 << 16):
        wide = sum(3 << 2 * cell for cell in range(16) if mask >> cell & 1)
        _, repeats = np.unique(packed & wide, return_counts=True)
        counted[mask.bit_count()] += (repeats == 1).sum()
    solved = np.zeros(17, dtype=int)
    for grid, equivalent in classes(grids):
        unique = np.zeros(1 << 16, dtype=bool)
        for mask in range(1 << 16):
            # More givens never spoil uniqueness, so only the others need the solver.
            if any(unique[mask & ~(1 << cell)] for cell in range(16) if mask >> cell & 1):
                unique[mask] = True
            else:
                kept = (mask >> np.arange(16) & 1).astype(bool)
                unique[mask] = is_unique(SudokuPuzzle(np.where(kept, grid, -1), variant))
            solved[mask.bit_count()] += equivalent * unique[mask]
    assert solved.tolist() == counted.tolist()
    assert counted[:4].tolist() == [0] * 4
    assert counted[4] > 0
    assert counted[16] == 288


def classes(grids: np.ndarray) -> list[tuple[np.ndarray, int]]:
    """Return one 4x4 grid of each class under the symmetries of the rules, and the class size."""
    left = {tuple(grid) for grid in grids.tolist()}
    found = []
    while left:
        first = min(left)
        waiting, seen = [first], {first}
        while waiting:
            cells = np.reshape(waiting.pop(), (4, 4))
            images = [cells.T, cells[[1, 0, 2, 3]], cells[[2, 3, 0, 1]], (cells + 1) % 4]
            images.append(np.array([1, 0, 2, 3])[cells])
            fresh = {tuple(image.ravel().tolist()) for image in images} - seen
            seen |= fresh
            waiting += fresh
        found.append((np.array(first), len(seen)))
        left -= seen
    return found
