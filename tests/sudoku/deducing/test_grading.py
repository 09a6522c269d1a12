"""Grades and levels: the hardest technique that a puzzle needs."""

from collections import Counter

import numpy as np
import pytest

from sudokucrypt.errors import InvalidParameterError, MultipleSolutionsError
from sudokucrypt.sudoku.deducing.levels import Level, Technique
from sudokucrypt.sudoku.deducing.trace import deductions, fills, grade, level_of, rating_of
from sudokucrypt.sudoku.making.puzzles import make_puzzles
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.symmetry import Symmetry
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.sudoku.solving.solver import solve
from tests.sudoku.puzzles import HARD

PUZZLES = [puzzle for puzzle, _ in make_puzzles(4, seeded_draws(3))]


@pytest.mark.parametrize("puzzle", PUZZLES, ids=str)
def test_grades(puzzle: SudokuPuzzle) -> None:
    """They count the steps; level and rating are the same for an equivalent puzzle."""
    result = grade(puzzle)
    steps = list(deductions(puzzle))
    assert result.steps == Counter(step.technique for step in steps)
    ratings = [technique.rating for technique in result.steps]
    assert ratings == sorted(ratings)
    assert result.rating == max(step.rating for step in steps) == rating_of(puzzle)
    assert result.level is level_of(puzzle)
    symmetry = Symmetry.random((3, 3), seeded_draws(8))
    moved = puzzle.cells[np.ix_(symmetry.rows, symmetry.columns)]
    image = np.where(moved < 0, -1, symmetry.digits[moved])
    turned = SudokuPuzzle(image.T, first=0, empty=-1)
    assert (level_of(turned), rating_of(turned)) == (result.level, result.rating)
    assert rating_of(solve(puzzle)) == 0


def test_hard_puzzles_need_nets() -> None:
    """A puzzle that was called the hardest does not fall to chains."""
    result = grade(SudokuPuzzle.from_text(HARD["AI Escargot"]))
    assert result.level is Level.EXPERT
    assert result.steps[Technique.FORCING_NET] > 0
    assert result.rating > 9


def test_full_puzzles_are_for_beginners() -> None:
    """Nothing is left to do."""
    result = grade(SudokuPuzzle.from_text("1243342143122134"))
    assert (result.level, result.rating, result.steps) == (Level.BEGINNER, 0.0, {})


def test_several_solutions_have_no_level() -> None:
    """A puzzle must have one solution."""
    for judge in (grade, level_of, rating_of):
        with pytest.raises(MultipleSolutionsError):
            judge(SudokuPuzzle.empty(Variant.standard((2, 2))))


def test_levels_divide_the_techniques() -> None:
    """Each level but the lowest adds techniques to the one below, and the highest has all."""
    hardest = [level.hardest for level in Level]
    assert hardest == sorted(set(hardest))
    assert hardest[-1] is max(Technique)
    assert [Level.of(technique) for technique in hardest] == list(Level)
    assert Level.of(Technique.LOCKED_CANDIDATES) is Level.of(Technique.NAKED_PAIR) is Level.MEDIUM


def test_levels_are_read_by_name() -> None:
    """Any case will do, and an unknown name is told what there is."""
    assert [Level.from_text(level.label.title()) for level in Level] == list(Level)
    with pytest.raises(InvalidParameterError) as caught:
        Level.from_text("tough")
    assert "beginner" in (caught.value.hint or "")


@pytest.mark.slow
def test_cells_are_told_before_the_end() -> None:
    """A cell that singles fill is told, though others need harder techniques."""
    puzzle = SudokuPuzzle.from_text(HARD["Platinum Blonde"])
    variant, givens = puzzle.variant, puzzle.givens.tolist()
    traced = [cell for cell in range(81) if fills(variant, givens, Level.HARD, [cell])]
    filled = []
    for step in deductions(puzzle):
        if step.technique > Technique.HIDDEN_QUAD:
            break
        filled += [step.placed[0]] if step.placed else []
    assert set(traced) == {*filled, *np.flatnonzero(puzzle.givens >= 0).tolist()}
