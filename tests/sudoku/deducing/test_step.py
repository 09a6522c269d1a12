"""Steps: their text form, and what they place."""

from __future__ import annotations

import pytest

from sudokucrypt.sudoku.deducing.steps import Step, Technique
from sudokucrypt.sudoku.deducing.trace import easiest_step
from sudokucrypt.sudoku.model.variant import Variant
from tests.sudoku.deducing.positions import POSITIONS

TEXTS = {
    "naked single": "naked single: 6 in r1c1",
    "hidden single": "hidden single: 1 in r1c1 (row 1)",
    "pointing": (
        "locked candidates: 1 in r1c1 r1c2 r1c3 (box 1, row 1): "
        "no 1 in r1c4 r1c5 r1c6 r1c7 r1c8 r1c9"
    ),
    "naked pair": (
        "naked pair: 1 2 in r1c1 r1c9 (row 1): no 1 in r1c2 r1c3 r1c4 r1c5 r1c6 r1c7 r1c8, "
        "no 2 in r1c2 r1c3 r1c4 r1c5 r1c6 r1c7 r1c8"
    ),
    "XY-wing": "XY-wing: 3 in r1c1 r1c9 r9c1: no 3 in r9c9",
}


@pytest.mark.parametrize("name", TEXTS)
def test_text_form(name: str) -> None:
    """Rows, columns, houses and digits are counted from 1, and every conclusion is named."""
    assert str(easiest_step(POSITIONS[name].board())) == TEXTS[name]


def test_names_of_overlapping_grids_count_from_one() -> None:
    """So do the numbers of grids."""
    step = Step(Technique.HIDDEN_SINGLE, (0,), (0,), (0,), (), Variant.samurai())
    assert str(step) == "hidden single: 1 in r1c1 (row 1 of grid 1)"


def test_digits_of_large_orders_are_written_as_in_lines() -> None:
    """Letters above 9, and numbers above 35."""
    for box, digit, symbol in [((4, 4), 15, "G"), ((6, 6), 35, "36")]:
        step = Step(Technique.NAKED_SINGLE, (0,), (digit,), (), (), Variant.standard(box))
        assert str(step) == f"naked single: {symbol} in r1c1"


@pytest.mark.parametrize("technique", Technique)
def test_singles_place_a_digit(technique: Technique) -> None:
    """All others strike candidates alone."""
    step = Step(technique, (3,), (2,), (), ((3, 2),), Variant.standard())
    assert step.placed == ((3, 2) if "single" in technique.label else None)


def test_trials_say_that_they_fail() -> None:
    """The candidate that is struck is the one that was supposed."""
    step = Step(Technique.TRIAL, (3,), (2,), (), ((3, 2),), Variant.standard())
    assert str(step) == "trial: 3 in r1c4 fails"
