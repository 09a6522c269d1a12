"""Numbers of grids in lexicographic order, against symmetries, sums and neighbours."""

from itertools import islice

import numpy as np
import pytest

from sudokucrypt.errors import InvalidParameterError, UnsupportedError
from sudokucrypt.sudoku import (
    SudokuGrid,
    SudokuPuzzle,
    count_solutions,
    grid_total,
    lexicographic_rank,
    lexicographic_unrank,
    random_grid,
    solutions,
)
from sudokucrypt.sudoku.counting import lexicographic

# The first grid of all, as listed in many places.
FIRST = "123456789456789123789123456214365897365897214897214365531642978642978531978531642"


def test_the_first_grids() -> None:
    """They are those that a search in order finds first."""
    assert lexicographic_unrank(0).to_text() == FIRST
    puzzle = SudokuPuzzle.from_text(FIRST[:54] + "." * 27)
    every = sorted(result.to_text() for result in solutions(puzzle))
    for index, text in enumerate(every[:3]):
        assert lexicographic_unrank(index).to_text() == text
        assert lexicographic_rank(text) == index


def test_what_follows_adds_up() -> None:
    """The grids of all rows that may follow are those of the rows before."""
    cells = tuple(random_grid(1).cells.reshape(-1).tolist())
    first, second, third, digits, rows = lexicographic._STEPS
    total = grid_total()
    for step, at in ((first, 0), (second, 9), (third, 18), (digits, 27)):
        parts = [*step(cells[:at])]
        assert sum(ways for _, ways in parts) == total
        assert [part for part, _ in parts] == sorted(part for part, _ in parts)
        size = (9, 9, 9, 1)[at // 9]
        total = dict(parts)[cells[at : at + size]]
    assert total < grid_total() // 10**11
    row, ways = next(rows(cells[:28]))
    givens = np.full(81, -1, dtype=np.int32)
    givens[:36] = (*cells[:28], *row)
    assert ways == count_solutions(SudokuPuzzle(givens, first=0, empty=-1))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_other_digits_count_from_the_end(seed: int) -> None:
    """A grid with 1 for 9, 2 for 8 and so on stands as far from the last one; and back again."""
    grid = random_grid(seed)
    number = lexicographic_rank(grid)
    turned = SudokuGrid(9 - grid.cells)
    assert lexicographic_rank(turned) == grid_total() - 1 - number
    assert lexicographic_unrank(number) == grid
    near = [lexicographic_unrank(n).to_text() for n in (number - 1, number, number + 1)]
    assert near == sorted(near)


def test_what_has_no_number_is_refused() -> None:
    """Other sizes and numbers beyond the last one are errors."""
    with pytest.raises(UnsupportedError):
        lexicographic_rank("1234341221434321")
    for wrong in (-1, grid_total()):
        with pytest.raises(InvalidParameterError):
            lexicographic_unrank(wrong)
    assert len([*islice(lexicographic._first_rows(()), 3)]) == 3
