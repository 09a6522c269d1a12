"""What is studied in grids and puzzles, against slower ways to find the same."""

from itertools import combinations
from math import factorial

import numpy as np
import pytest
from numpy.typing import NDArray

from sudokucrypt.errors import InvalidParameterError, MultipleSolutionsError, UnsupportedError
from sudokucrypt.sudoku import (
    PUBLISHED_COUNTS,
    Level,
    SudokuPuzzle,
    Variant,
    backdoors,
    count_grids,
    count_solutions,
    is_unique,
    make_puzzle,
    random_grid,
    solutions,
    solve,
    solve_batch,
    unavoidable_sets,
    vicinity,
)

HARD = "100007090030020008009600500005300900010080002600004000300000010040000007007000300"
SMALL = np.array([one.givens for one in solutions(SudokuPuzzle.empty(Variant.standard((2, 2))))])


@pytest.mark.parametrize("seed", range(6))
def test_unavoidable_sets_of_4x4(seed: int) -> None:
    """They are the smallest sets in which a grid differs from any of the others."""
    grid = random_grid(seed, box=(2, 2))
    differ = (grid.cells.reshape(-1) != SMALL) & (SMALL >= 0)
    sets = {frozenset(np.flatnonzero(row).tolist()) for row in differ if row.any()}
    minimal = {cells for cells in sets if not any(other < cells for other in sets)}
    assert {*unavoidable_sets(grid, most=12)} == {cells for cells in minimal if len(cells) <= 12}


@pytest.mark.parametrize("box", [(3, 3), (2, 3)])
def test_unavoidable_sets_have_no_part_that_is_one(box: tuple[int, int]) -> None:
    """Without their cells a grid has another solution; with any one of them it has none."""
    grid = random_grid(1, box=box)
    digits = grid.cells.reshape(-1) + 1
    result = unavoidable_sets(grid, most=8)
    assert result == sorted(result, key=lambda cells: (len(cells), sorted(cells)))
    for cells in result[:: 1 + len(result) // 30]:
        opened = digits.copy()
        opened[[*cells]] = 0
        assert not is_unique(SudokuPuzzle(opened, Variant.standard(box)))
        for cell in cells:
            given = opened.copy()
            given[cell] = digits[cell]
            assert is_unique(SudokuPuzzle(given, Variant.standard(box)))


def test_no_unavoidable_set_is_missed() -> None:
    """Every other solution that any three digits leave differs in a set that was found."""
    grid = random_grid(2)
    digits = grid.cells.reshape(-1)
    result = unavoidable_sets(grid, most=9)
    seen = set()
    for three in combinations(range(9), 3):
        puzzle = SudokuPuzzle(np.where(np.isin(digits, three), 0, digits + 1))
        for other in solutions(puzzle):
            cells = frozenset(np.flatnonzero(other.givens != digits).tolist())
            if 0 < len(cells) <= 9:
                seen.add(cells)
                assert any(small <= cells for small in result)
    assert seen


def test_backdoors_leave_singles() -> None:
    """They are the smallest, and each of them, and no other pair, leaves the rest to singles."""
    assert backdoors(make_puzzle(1, level=Level.EASY).puzzle) == [()]
    result = backdoors(HARD)
    assert {len(cells) for cells in result} == {2}
    puzzle, solution = SudokuPuzzle.from_text(HARD), solve(HARD)
    for cells in combinations(np.flatnonzero(puzzle.givens < 0).tolist(), 2):
        digits = puzzle.givens + 1
        digits[[*cells]] = solution.givens[[*cells]] + 1
        if sum(cells) % 40 == 0:
            assert (cells in result) == solved_by_singles(digits.reshape(9, 9))
    with pytest.raises(MultipleSolutionsError):
        backdoors("." * 81)
    assert backdoors(HARD, most=1) == []


def solved_by_singles(digits: NDArray[np.int32]) -> bool:
    """Naked and hidden singles, as simply as can be."""
    rows, columns = np.indices((9, 9))
    houses = np.array([rows, 9 + columns, 18 + rows // 3 * 3 + columns // 3]).reshape(3, 81)
    cells, before = digits.reshape(-1).copy(), -1
    while (cells > 0).sum() > before:
        before = (cells > 0).sum()
        marks = np.zeros((81, 10), dtype=bool)
        for cell in np.flatnonzero(cells == 0):
            near = (houses == houses[:, [cell]]).any(axis=0)
            marks[cell, [d for d in range(1, 10) if d not in cells[near]]] = True
        for house in range(27):
            inside = (houses == house).any(axis=0)
            for digit in range(1, 10):
                if (marks[inside, digit]).sum() == 1:
                    cells[np.flatnonzero(inside & marks[:, digit])] = digit
        for cell in np.flatnonzero(marks.sum(axis=1) == 1):
            cells[cell] = marks[cell].argmax()
    return bool((cells > 0).all())


def test_the_vicinity_is_that_of_all_trials() -> None:
    """Every given is exchanged for every other one; those with one solution are returned."""
    givens = SudokuPuzzle.from_text(HARD).givens + 1
    expected = []
    for taken in np.flatnonzero(givens):
        rest = givens.copy()
        rest[taken] = 0
        trials = np.array(
            [
                [*rest[:cell], digit, *rest[cell + 1 :]]
                for cell in np.flatnonzero(rest == 0)
                for digit in range(1, 10)
                if (cell, digit) != (taken, givens[taken])
            ]
        )
        expected.append(trials[solve_batch(trials).counts == 1])
    result = vicinity(HARD)
    assert np.array_equal(result, np.concatenate(expected))
    assert all(count_solutions(SudokuPuzzle(one), 2) == 1 for one in result[:10])
    with pytest.raises(UnsupportedError):
        vicinity(SudokuPuzzle.empty(Variant.x()))


def test_published_counts_are_beyond_those_computed() -> None:
    """They are multiples of the relabellings, and counting names them."""
    for box, (grids, source) in PUBLISHED_COUNTS.items():
        assert grids % factorial(12) == 0
        assert "2006" in source
        with pytest.raises(UnsupportedError) as caught:
            count_grids(box)
        assert str(grids) in "".join(caught.value.__notes__)


def test_what_is_out_of_range_is_refused() -> None:
    """Sizes and orders have bounds."""
    grid = random_grid(1)
    for wrong in (3, 13, 4.5):
        with pytest.raises((InvalidParameterError, TypeError)):
            unavoidable_sets(grid, most=wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidParameterError):
        backdoors(HARD, most=5)
