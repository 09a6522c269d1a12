"""Ratings: numbers in the order that people expect."""

from pathlib import Path

import pytest
from scipy import stats

from sudokucrypt.sudoku._kernels.deduction.chains import longer
from sudokucrypt.sudoku.deducing.board import CandidateBoard
from sudokucrypt.sudoku.deducing.levels import Level, Technique
from sudokucrypt.sudoku.deducing.trace import deductions, grade, rating_of
from sudokucrypt.sudoku.making.puzzles import make_puzzles
from sudokucrypt.sudoku.model.puzzle import SudokuPuzzle
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.sudoku.seeded import seeded_draws
from tests.sudoku.deducing.positions import POSITIONS
from tests.sudoku.puzzles import RATED

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
    """Each is rated above the one before it."""
    steps = [POSITIONS[name].board().lowest_step() for name in USUAL]
    ratings = [step.rating for step in steps if step]
    assert ratings == sorted(set(ratings))
    assert len(ratings) == len(USUAL)


def test_every_technique_has_a_rating() -> None:
    """It lies on the scale of puzzles, which begins with hidden singles and ends with trial."""
    ratings = sorted((technique.rating, technique) for technique in Technique)
    assert ratings[0] == (1.0, Technique.HIDDEN_SINGLE)
    assert ratings[-1] == (11.0, Technique.TRIAL)


def test_longer_chains_are_harder() -> None:
    """A chain adds to its rating as on the scale that ours follows: up to 0.1 for each half."""
    assert [longer(nodes) for nodes in (6, 7, 9, 11, 15, 19, 27, 35, 51)] == [*range(9)]
    assert [longer(nodes) for nodes in (8, 10, 14, 18)] == [
        longer(nodes) for nodes in (7, 9, 11, 15)
    ]


def test_a_line_is_harder_than_a_box() -> None:
    """A hidden single that only a row or column shows is 1.5, not 1.2."""
    board = CandidateBoard(Variant.standard(), [-1] * 81)
    for cell in range(1, 9):
        board.strike(cell, 0)
    step = board.lowest_step()
    assert step is not None
    assert (step.rating, step.placed) == (1.5, (0, 0))


def test_ratings_agree_with_levels() -> None:
    """What the techniques of a level solve is rated no higher than these."""
    for puzzle, _ in make_puzzles(25, seeded_draws(2)):
        result = grade(puzzle)
        assert result.rating <= HIGHEST.get(result.level, result.rating)


def test_ratings_are_those_of_others() -> None:
    """Most are those of another program, in the same order: 87 % of 376 puzzles not seen before."""
    ours = [rating_of(SudokuPuzzle.from_text(text)) for text in RATED]
    theirs = list(RATED.values())
    assert stats.spearmanr(ours, theirs).statistic > 0.96
    assert sum(abs(a - b) < 0.05 for a, b in zip(ours, theirs, strict=True)) > 0.6 * len(RATED)


def test_random_puzzles_are_rated_as_by_others() -> None:
    """Ratings of random minimal puzzles are equal below 3.0, and nearly all of those above.

    Of 300 such puzzles 290 are rated equally, and so are the first digit and the first step.
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
    """What only chains and nets solve has steps of these, whose texts name each case."""
    text = max(RATED, key=RATED.__getitem__)
    sentences = {step.technique: str(step) for step in deductions(SudokuPuzzle.from_text(text))}
    assert "; or " in sentences[Technique.FORCING_CHAINS]
    assert sentences[Technique.FORCING_NET].split(":")[0] == "forcing net"
