"""The compiled techniques and the same text as plain Python take the same steps."""

import pytest

from sudokucrypt.sudoku.deducing import board
from sudokucrypt.sudoku.deducing.board import CandidateBoard, house_tables
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import Variant
from tests.sudoku.kernels import kernel_and_twin
from tests.sudoku.puzzles import RATED, sparse

EASIER = [text for text, rating in RATED.items() if rating < 7.2][::20]


@pytest.mark.parametrize("name", ["rated", "X", "overlapping"])
def test_compiled_and_plain_steps_are_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that a step says is the same, on usual sheets and others, of each step to the end."""
    _, plain = kernel_and_twin("deducing")
    puzzles = {
        "rated": [SudokuPuzzle.from_text(text) for text in EASIER],
        "X": [sparse(Variant.x(), 3)],
        "overlapping": [sparse(Variant.samurai((2, 2)), 1)],
    }[name]
    for puzzle in puzzles:
        one = CandidateBoard(puzzle.variant, puzzle.givens.tolist())
        with monkeypatch.context() as patch:
            patch.setattr(board, "_kernels", plain)
            house_tables.cache_clear()
            two = CandidateBoard(puzzle.variant, puzzle.givens.tolist())
        house_tables.cache_clear()
        while step := one.lowest_step():
            assert two.lowest_step() == step
            one.apply(step)
            two.apply(step)
        assert one.candidates == two.candidates
