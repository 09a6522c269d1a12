"""Canonical forms of puzzles: equal for equivalent puzzles, and for full puzzles as for grids."""

from itertools import permutations
from math import factorial

import numpy as np
import pytest

from sudokucrypt.errors import InvalidParameterError, UnsupportedError
from sudokucrypt.sudoku.counting import canonical
from sudokucrypt.sudoku.counting.canonical import canonical_form, canonical_puzzle
from sudokucrypt.sudoku.making.puzzles import make_puzzle
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.symmetry import Symmetry
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import Box
from tests.sudoku.puzzles import make_engine_puzzle

BOXES: list[Box] = [(2, 2), (2, 3), (3, 2), (1, 5), (5, 1), (2, 4), (3, 3)]


@pytest.mark.parametrize("box", BOXES)
def test_images_have_the_same_form(box: Box) -> None:
    """A puzzle and its image under a random symmetry have the same form and number of
    automorphisms, and the returned symmetry maps the puzzle to the form."""
    source = seeded_draws(61)
    for _ in range(3):
        puzzle, solution = make_puzzle(source, sheet=Variant.standard(box))
        form = canonical_puzzle(puzzle)
        assert form.symmetry.apply(puzzle) == form.puzzle
        assert form.symmetry.apply(solution.to_grid()).box == box
        image = Symmetry.random(box, source).apply(puzzle)
        image_form = canonical_puzzle(image)
        assert (image_form.puzzle, image_form.automorphisms) == (form.puzzle, form.automorphisms)
        assert form.puzzle.to_text() <= min(puzzle.to_text(), image.to_text())


@pytest.mark.parametrize("box", BOXES)
def test_full_grids_have_the_form_of_grids(box: Box) -> None:
    """For a full grid, canonical_puzzle and canonical_form return the same image and number."""
    grid = make_puzzle(62, sheet=Variant.standard(box)).solution.to_grid()
    result, form = canonical_puzzle(grid), canonical_form(grid)
    assert (result.puzzle.to_text(), result.automorphisms) == (
        form.grid.to_text(),
        form.automorphisms,
    )


@pytest.mark.parametrize("text", ["................", "1...............", "12.. .... ..1. ...."])
def test_the_form_is_the_first_of_all_images(text: str) -> None:
    """Trying every symmetry of order 4 finds no smaller text, and the same number of
    automorphisms."""
    puzzle = SudokuPuzzle.from_text(text)
    pairs = [(0, 1, 2, 3), (1, 0, 2, 3), (0, 1, 3, 2), (1, 0, 3, 2)]
    lines = [order for pair in pairs for order in (pair, (*pair[2:], *pair[:2]))]
    texts = []
    for rows in lines:
        for columns in lines:
            for digits in permutations(range(4)):
                for transposed in (False, True):
                    symmetry = Symmetry(
                        box=(2, 2),
                        rows=np.array(rows),
                        columns=np.array(columns),
                        digits=np.array(digits),
                        transposed=transposed,
                    )
                    texts.append(symmetry.apply(puzzle).to_text())
    form = canonical_puzzle(puzzle)
    assert form.puzzle.to_text() == min(texts)
    names = factorial(4 - len(set(text) - {".", " "}))  # of digits that are not given
    assert texts.count(min(texts)) == form.automorphisms * names


def test_different_puzzles_have_different_forms() -> None:
    """Removing or moving a given of a puzzle changes its form."""
    puzzle, solution = make_puzzle(63)
    cells = np.array(puzzle.givens)
    given_cell, open_cell = np.flatnonzero(cells >= 0)[0], np.flatnonzero(cells < 0)[0]
    cells[given_cell] = -1
    fewer = make_engine_puzzle(cells, puzzle.variant)
    cells[open_cell] = solution.givens[open_cell]
    moved_puzzle = make_engine_puzzle(cells, puzzle.variant)
    forms = {canonical_puzzle(one).puzzle.to_text() for one in (puzzle, fewer, moved_puzzle)}
    assert len(forms) == 3


def test_unsupported_puzzles_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other rules, too many orders and symmetries of other boxes raise errors."""
    with pytest.raises(UnsupportedError, match="have no canonical form"):
        canonical_puzzle(SudokuPuzzle.empty(Variant.x((2, 2))))
    with pytest.raises(UnsupportedError, match="orders to try"):
        canonical_puzzle(SudokuPuzzle.empty(Variant.standard((4, 4))))
    monkeypatch.setattr(canonical, "_MAX_ORDERS", 1000)
    with pytest.raises(UnsupportedError, match="so few givens"):
        canonical_puzzle(SudokuPuzzle.empty(Variant.standard((2, 4))))
    symmetry = Symmetry.random((2, 2), seeded_draws(64))
    for variant in (Variant.x((2, 2)), Variant.standard((2, 3))):
        with pytest.raises(InvalidParameterError, match="the symmetry is for"):
            symmetry.apply(SudokuPuzzle.empty(variant))
