"""Ratings order puzzles and techniques as people and other programs do."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from sudokucrypt.errors import InvalidParameterError, MultipleSolutionsError
from sudokucrypt.sudoku._kernels.deduction.chains import count_added_tenths
from sudokucrypt.sudoku.deducing import board
from sudokucrypt.sudoku.deducing.board import CandidateBoard, get_house_tables
from sudokucrypt.sudoku.deducing.levels import Level, Technique
from sudokucrypt.sudoku.deducing.trace import can_fill, deductions, find_level, grade, rate_puzzle
from sudokucrypt.sudoku.making.puzzles import make_puzzles
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.symmetry import Symmetry
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.sudoku.solving.solver import solve
from tests.sudoku.deducing.positions import POSITIONS
from tests.sudoku.kernels import load_kernel_and_fallback
from tests.sudoku.puzzles import HARD, RATED, make_sparse_puzzle

USUAL = [
    "hidden single",
    "direct pointing",
    "direct hidden pair",
    "naked single",
    "direct hidden triple",
    "pointing",
    "claiming",
    "naked pair",
    "X-wing in rows",
    "hidden pair",
    "naked triple",
    "swordfish",
    "hidden triple",
    "XY-wing",
    "XYZ-wing",
    "unique rectangle of one corner",
    "naked quad",
    "jellyfish",
    "hidden quad",
]
"""The order of the simpler techniques on the scale of Sudoku Explainer."""

HIGHEST = {Level.BEGINNER: 2.3, Level.EASY: 2.3, Level.MEDIUM: 3.4, Level.HARD: 5.4}


def test_simple_techniques_are_in_their_usual_order() -> None:
    """The ratings of simple techniques increase in their usual order."""
    steps = [POSITIONS[name].board().find_easiest_step() for name in USUAL]
    ratings = [step.rating for step in steps if step]
    assert ratings == sorted(set(ratings))
    assert len(ratings) == len(USUAL)


def test_every_technique_has_a_rating() -> None:
    """Each rating is between those of hidden single and trial."""
    ratings = sorted((technique.rating, technique) for technique in Technique)
    assert ratings[0] == (1.0, Technique.HIDDEN_SINGLE)
    assert ratings[-1] == (11.0, Technique.TRIAL)


def test_longer_chains_are_harder() -> None:
    """The added tenths grow with the length of a chain as in Sukaku Explainer."""
    assert [count_added_tenths(nodes) for nodes in (6, 7, 9, 11, 15, 19, 27, 35, 51)] == [*range(9)]
    assert [count_added_tenths(nodes) for nodes in (8, 10, 14, 18)] == [
        count_added_tenths(nodes) for nodes in (7, 9, 11, 15)
    ]


def test_a_line_is_harder_than_a_box() -> None:
    """A hidden single that is only in a row or column is rated 1.5, not 1.2."""
    board = CandidateBoard(Variant.standard(), [-1] * 81)
    for cell in range(1, 9):
        board.strike(cell, 0)
    step = board.find_easiest_step()
    assert step is not None
    assert (step.rating, step.placed) == (1.5, (0, 0))


def test_ratings_agree_with_levels() -> None:
    """A puzzle of a level is rated no higher than the techniques of the level."""
    for puzzle, _ in make_puzzles(25, seeded_draws(2)):
        result = grade(puzzle)
        assert result.rating <= HIGHEST.get(result.level, result.rating)


def test_ratings_are_those_of_others() -> None:
    """At least 87 % of 376 ratings equal those of another program, and their order agrees."""
    own_ratings = [rate_puzzle(SudokuPuzzle.from_text(text)) for text in RATED]
    published_ratings = list(RATED.values())
    assert stats.spearmanr(own_ratings, published_ratings).statistic > 0.96
    assert sum(
        abs(a - b) < 0.05 for a, b in zip(own_ratings, published_ratings, strict=True)
    ) > 0.6 * len(RATED)


def test_random_puzzles_are_rated_as_by_others() -> None:
    """Ratings of random minimal puzzles equal those of another program.

    All below 3.0 are equal, and of 300 puzzles 290; so are the ratings of the first digit and step.
    """
    rows = [
        line.split()
        for line in Path(__file__).with_name("rated.txt").read_text("utf-8").splitlines()
        if not line.startswith("#")
    ]
    different = 0
    for text, *ratings in rows:
        result = grade(SudokuPuzzle.from_text(text))
        rating, pearl, diamond = map(float, ratings)
        assert (result.pearl, result.diamond) == (pearl, diamond)
        if rating < 3 or result.rating < 3:
            assert result.rating == rating
        different += result.rating != rating
    assert different <= 0.1 * len(rows)


@pytest.mark.slow
def test_forcing_is_used_and_read() -> None:
    """Puzzles that need chains and nets have such steps, and their texts name each case."""
    text = max(RATED, key=RATED.__getitem__)
    sentences = {step.technique: str(step) for step in deductions(SudokuPuzzle.from_text(text))}
    assert "; or " in sentences[Technique.FORCING_CHAINS]
    assert sentences[Technique.FORCING_NET].split(":")[0] == "forcing net"


# Grades and levels: the hardest technique that a puzzle needs.


PUZZLES = [puzzle for puzzle, _ in make_puzzles(4, seeded_draws(3))]


@pytest.mark.parametrize("puzzle", PUZZLES, ids=str)
def test_grades(puzzle: SudokuPuzzle) -> None:
    """grade counts the steps, and an equivalent puzzle has the same level and rating."""
    result = grade(puzzle)
    steps = list(deductions(puzzle))
    assert result.steps == Counter(step.technique for step in steps)
    ratings = [technique.rating for technique in result.steps]
    assert ratings == sorted(ratings)
    assert result.rating == max(step.rating for step in steps) == rate_puzzle(puzzle)
    assert result.level is find_level(puzzle)
    symmetry = Symmetry.random((3, 3), seeded_draws(8))
    moved_cells = puzzle.cells[np.ix_(symmetry.rows, symmetry.columns)]
    image = np.where(moved_cells < 0, -1, symmetry.digits[moved_cells])
    transposed = SudokuPuzzle(image.T, first=0, empty=-1)
    assert (find_level(transposed), rate_puzzle(transposed)) == (result.level, result.rating)
    assert rate_puzzle(solve(puzzle)) == 0


def test_hard_puzzles_need_nets() -> None:
    """A puzzle that was called the hardest needs a net."""
    result = grade(SudokuPuzzle.from_text(HARD["AI Escargot"]))
    assert result.level is Level.EXPERT
    assert result.steps[Technique.FORCING_NET] > 0
    assert result.rating > 9


def test_full_puzzles_are_for_beginners() -> None:
    """A full grid has the level beginner, the rating 0 and no steps."""
    result = grade(SudokuPuzzle.from_text("1243342143122134"))
    assert (result.level, result.rating, result.steps) == (Level.BEGINNER, 0.0, {})


def test_several_solutions_have_no_level() -> None:
    """A puzzle with several solutions is refused."""
    for judge in (grade, find_level, rate_puzzle):
        with pytest.raises(MultipleSolutionsError):
            judge(SudokuPuzzle.empty(Variant.standard((2, 2))))


def test_levels_divide_the_techniques() -> None:
    """Each level includes more techniques than the level below, and the highest all of them."""
    hardest = [level.hardest for level in Level]
    assert hardest == sorted(set(hardest))
    assert hardest[-1] is max(Technique)
    assert [Level.of(technique) for technique in hardest] == list(Level)
    assert Level.of(Technique.LOCKED_CANDIDATES) is Level.of(Technique.NAKED_PAIR) is Level.MEDIUM


def test_levels_are_read_by_name() -> None:
    """Levels are read in any case, and the error for an unknown name lists all levels."""
    assert [Level.from_text(level.label.title()) for level in Level] == list(Level)
    with pytest.raises(InvalidParameterError) as caught:
        Level.from_text("tough")
    assert "beginner" in (caught.value.hint or "")


@pytest.mark.slow
def test_cells_are_told_before_the_end() -> None:
    """can_fill finds cells that singles fill, although other cells need harder techniques."""
    puzzle = SudokuPuzzle.from_text(HARD["Platinum Blonde"])
    variant, givens = puzzle.variant, puzzle.givens.tolist()
    traced = [cell for cell in range(81) if can_fill(variant, givens, Level.HARD, [cell])]
    filled = []
    for step in deductions(puzzle):
        if step.technique > Technique.HIDDEN_QUAD:
            break
        filled += [step.placed[0]] if step.placed else []
    assert set(traced) == {*filled, *np.flatnonzero(puzzle.givens >= 0).tolist()}


# The compiled techniques and the same text as plain Python take the same steps.


EASIER = [text for text, rating in RATED.items() if rating < 7.2][::20]


@pytest.mark.parametrize("name", ["rated", "X", "overlapping"])
def test_compiled_and_plain_steps_are_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled and plain kernels give equal steps to the end, for ordinary and other variants."""
    _, fallback = load_kernel_and_fallback("deducing")
    puzzles = {
        "rated": [SudokuPuzzle.from_text(text) for text in EASIER],
        "X": [make_sparse_puzzle(Variant.x(), 3)],
        "overlapping": [make_sparse_puzzle(Variant.samurai((2, 2)), 1)],
    }[name]
    for puzzle in puzzles:
        compiled_board = CandidateBoard(puzzle.variant, puzzle.givens.tolist())
        with monkeypatch.context() as patch:
            patch.setattr(board, "_kernels", fallback)
            get_house_tables.cache_clear()
            plain_board = CandidateBoard(puzzle.variant, puzzle.givens.tolist())
        get_house_tables.cache_clear()
        while step := compiled_board.find_easiest_step():
            assert plain_board.find_easiest_step() == step
            compiled_board.apply(step)
            plain_board.apply(step)
        assert compiled_board.candidates == plain_board.candidates
