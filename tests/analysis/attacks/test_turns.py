"""Turns of blocks: tables agree with what they do to pixels."""

from itertools import product

import numpy as np

from sudokucrypt.analysis.attacks import turns
from sudokucrypt.analysis.attacks.turns import apply_turn

BLOCKS = np.random.default_rng(1).integers(0, 10, (2, 3, 3, 2), dtype=np.uint8)


def test_turns_make_a_group() -> None:
    """One turn after the other is the turn of the table, and each is undone by another."""
    for one, other in product(range(turns.COUNT), repeat=2):
        both = apply_turn(apply_turn(BLOCKS, one, 10), other, 10)
        assert np.array_equal(both, apply_turn(BLOCKS, int(turns.COMPOSED[other, one]), 10))
    for turn, back in enumerate(turns.INVERSE.tolist()):
        assert np.array_equal(apply_turn(apply_turn(BLOCKS, turn, 10), back, 10), BLOCKS)
    for ways in turns.TURN_GROUPS.values():
        assert set(turns.COMPOSED[np.ix_(ways, ways)].reshape(-1).tolist()) == set(ways)


def test_sides_follow() -> None:
    """The sides of a block lie where the table says, and facing sides are opposite."""
    marked = np.zeros((4, 3, 3, 1), dtype=np.uint8)
    for side, (row, column) in enumerate(turns.SIDES):
        marked[side, 1 + row, 1 + column] = 1
        down, right = turns.SIDES[turns.FACING[side]]
        assert (down, right) == (-row, -column)
    for turn in range(8):
        assert np.array_equal(apply_turn(marked, turn, 2), marked[turns.TURNED_SIDES[turn]])
