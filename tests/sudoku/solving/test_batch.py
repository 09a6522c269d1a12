"""Batches: arrays of 9x9 puzzles, and text with one puzzle on each line."""

import numpy as np
import pytest

from sudokucrypt.errors import InvalidGridError, InvalidParameterError
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.solving import batch
from sudokucrypt.sudoku.solving.batch import read_batch, solve_batch
from sudokucrypt.sudoku.solving.solver import count_solutions, solutions
from tests.sudoku.puzzles import (
    HARD,
    ROYLE,
    make_sparse_puzzle,
    make_unsolvable_puzzle,
    remove_random_givens,
)

pytestmark = pytest.mark.kernels


@pytest.fixture(scope="module")
def puzzles() -> list[SudokuPuzzle]:
    """Return puzzles with no, one and many solutions."""
    result = []
    for seed in range(3):
        puzzle = make_sparse_puzzle(Variant.standard(), seed)
        result += [
            puzzle,
            make_unsolvable_puzzle(puzzle, seed),
            remove_random_givens(puzzle, seed, 2),
        ]
    return result


def test_a_batch_is_solved_like_its_puzzles(puzzles: list[SudokuPuzzle]) -> None:
    """solve_batch returns the counts and first solutions of single puzzles."""
    counts, first = solve_batch(puzzles, limit=5)
    for puzzle, count, row in zip(puzzles, counts, first, strict=True):
        assert count == count_solutions(puzzle, limit=5)
        expected = next(solutions(puzzle), np.zeros((9, 9)))
        assert np.array_equal(row, expected)


def test_threads_and_chunks_do_not_matter(
    puzzles: list[SudokuPuzzle], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The result does not depend on threads, on the chunk size or on nodes per slice."""
    array = np.array(puzzles)
    expected = solve_batch(array, threads=1)
    for threads, chunk, budget in [(2, 4096, 20_000), (3, 5, 20_000), (1, 7, 2), (2, 4096, 1)]:
        monkeypatch.setattr(batch, "_CHUNK_SIZE", chunk)
        monkeypatch.setattr(batch, "_NODE_BUDGET", budget)
        monkeypatch.setattr(batch, "_NODES_PER_SLICE", budget)
        counts, first = solve_batch(array, threads=threads)
        assert np.array_equal(counts, expected.counts)
        assert np.array_equal(first, expected.first)


def test_givens_that_break_a_rule_have_no_solution() -> None:
    """Puzzles with two equal digits in a row, column or box have no solution."""
    rows = np.zeros((3, 81), int)
    for row, cells in zip(rows, ([0, 8], [4, 76], [30, 50]), strict=True):
        row[cells] = 6
    counts, first = solve_batch(rows)
    assert counts.tolist() == [0, 0, 0]
    assert (first == 0).all()


@pytest.mark.parametrize(("lowest", "empty"), [(1, 0), (0, -1), (1, 99), (0, 9)])
def test_solutions_count_like_their_puzzles(lowest: int, empty: int) -> None:
    """Solutions have digits from `first`, and `empty` if there is no solution."""
    givens_of_one, no_givens = np.array(read_batch(ROYLE[0])[0], int), np.zeros(81, int)
    no_givens[:2] = 5
    rows = np.where((given := np.array([givens_of_one, no_givens])) == 0, empty, given - 1 + lowest)
    counts, first = solve_batch(rows, first=lowest, empty=empty)
    assert counts.tolist() == [1, 0]
    assert "".join(str(digit + 1 - lowest) for digit in first[0]) == ROYLE[1]
    assert (first[1] == empty).all()


def test_text_is_read_line_by_line() -> None:
    """Periods and zeros are open cells; comments, empty lines and text after a puzzle are
    ignored."""
    text = "# a comment\n" + ROYLE[0] + ",17\n\n  " + ROYLE[0].replace("0", ".") + " easy\n"
    givens = read_batch(text)
    assert givens.shape == (2, 81)
    assert "".join(map(str, givens[0])) == ROYLE[0]
    assert np.array_equal(givens[0], givens[1])
    counts, first = solve_batch(read_batch("\n".join(HARD.values())))
    assert counts.tolist() == [1] * len(HARD)
    assert first.min() == 1
    assert read_batch("").shape == (0, 81)
    assert solve_batch(read_batch("")).counts.shape == (0,)


def test_bad_lines_are_refused() -> None:
    """The error for an invalid line contains its number."""
    for line in ("1" * 80, "1" * 82, "A" + "1" * 80, "é" * 81):
        with pytest.raises(InvalidGridError, match="line 2 is not a 9x9 puzzle"):
            read_batch(ROYLE[0] + "\n" + line)


def test_bad_batches_are_refused() -> None:
    """Other shapes, types and digits raise InvalidGridError, a bad limit InvalidParameterError."""
    for array in (
        np.zeros(81, int),
        np.zeros((1, 80), int),
        np.zeros((1, 81)),
        np.full((1, 81), 10),
        np.full((1, 81), -1),
        np.full((1, 81), 255),
    ):
        with pytest.raises(InvalidGridError):
            solve_batch(array)
    rows = np.zeros((2, 9, 9), int)
    rows[1, 8, 0] = 10
    with pytest.raises(InvalidGridError, match=r"^puzzle 2, r9c1 holds 10, not a digit 1 to 9, or"):
        solve_batch(rows)
    for empty in (-2, 5, 128):
        with pytest.raises(InvalidParameterError, match="empty"):
            solve_batch(rows[:1], empty=empty)
    for limit in (0, -1, 1 << 62):
        with pytest.raises(InvalidParameterError, match="limit"):
            solve_batch(rows[:1], limit=limit)
