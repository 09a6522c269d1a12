"""Rules: peers are the cells that share a group, units the groups that need every value."""

from __future__ import annotations

import numpy as np
import pytest

from sudokucrypt import InvalidParameterError
from sudokucrypt.sudoku.model.rules import Rules
from sudokucrypt.sudoku.model.variant import Variant


@pytest.mark.parametrize("box", [(1, 1), (1, 4), (2, 2), (2, 3), (3, 2), (3, 3)])
@pytest.mark.parametrize("diagonals", [False, True])
def test_peers_are_the_cells_that_must_differ(box: tuple[int, int], diagonals: bool) -> None:
    """Compared with the definition, cell by cell; each cell is in as many units as it should."""
    p, q = box
    n = p * q
    rules = (Variant.x if diagonals else Variant.standard)(box).rules
    for cell in range(n * n):
        row, column = divmod(cell, n)
        expected, units = set(), 2 + (min(box) > 1)
        for other in range(n * n):
            r, c = divmod(other, n)
            meet = r == row or c == column or (r // p, c // q) == (row // p, column // q)
            if diagonals:
                meet |= (r == c and row == column) or r + c == n - 1 == row + column
            if meet and other != cell:
                expected.add(other)
        if diagonals:
            units += (row == column) + (row + column == n - 1)
        peers = rules.peers[rules.peer_ends[cell] : rules.peer_ends[cell + 1]]
        assert sorted(peers.tolist()) == sorted(expected)
        of = rules.units_of[rules.unit_ends[cell] : rules.unit_ends[cell + 1]]
        assert len(of) == units
        assert all(cell in rules.units[unit] for unit in of)


def test_small_groups_are_no_units() -> None:
    """Only a group with as many cells as values tells where a value must be."""
    rules = Rules.from_groups([np.array([0, 1]), np.array([1, 2, 3])], cells=4, values=3)
    assert rules.units.tolist() == [[1, 2, 3]]
    assert rules.unit_ends.tolist() == [0, 0, 1, 2, 3]
    assert rules.peer_ends.tolist() == [0, 1, 4, 6, 8]


def test_groups_beyond_the_values_are_refused() -> None:
    """Four cells cannot hold three different values."""
    with pytest.raises(InvalidParameterError, match="3 values cannot fill a group of 4 cells"):
        Rules.from_groups([np.arange(4)], cells=4, values=3)
