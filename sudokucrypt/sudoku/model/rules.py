"""Rules of one kind: cells that must hold different values, in groups that overlap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.typing import IntArray

Table = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Rules:
    """Groups of cells in which no value may repeat, as the tables that a search reads.

    Parameters
    ----------
    values : int
        How many values there are; they are 0..values-1.
    peer_ends, peers : ndarray of dtype int32
        The cells that share a group with cell c: ``peers[peer_ends[c]:peer_ends[c + 1]]``.
    unit_ends, units_of : ndarray of dtype int32
        The units of cell c, in the same form.
    units : ndarray of shape (u, values), dtype int32
        The groups with as many cells as values: each value has exactly one place in them.

    Examples
    --------
    >>> from sudokucrypt.sudoku.model.variant import Variant
    >>> rules = Variant.standard().rules
    >>> rules.cells, rules.values, len(rules.units), len(rules.peers) // rules.cells
    (81, 9, 27, 20)
    """

    values: int
    peer_ends: Table
    peers: Table
    unit_ends: Table
    units_of: Table
    units: Table

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return len(self.peer_ends) - 1

    @classmethod
    def from_groups(cls, groups: Iterable[IntArray], *, cells: int, values: int) -> Rules:
        """Build the tables for groups of cell numbers.

        Raises
        ------
        InvalidParameterError
            If a group has more cells than there are values.
        """
        groups = list(groups)
        largest = max(len(group) for group in groups)
        if largest > values:
            raise InvalidParameterError(f"{values} values cannot fill a group of {largest} cells")
        peers: list[set[int]] = [set() for _ in range(cells)]
        units_of: list[list[int]] = [[] for _ in range(cells)]
        units: list[list[int]] = []
        for group in groups:
            members = group.tolist()
            for cell in members:
                peers[cell].update(members)
                if len(members) == values:
                    units_of[cell].append(len(units))
            if len(members) == values:
                units.append(members)
        others = [sorted(near - {cell}) for cell, near in enumerate(peers)]
        table = np.array(units, dtype=np.int32).reshape(-1, values)
        return cls(values, *_joined(others), *_joined(units_of), table)


def _joined(lists: Sequence[Sequence[int]]) -> tuple[Table, Table]:
    """Return where each list ends, after a 0, and all of them one after the other."""
    ends = np.cumsum([0, *map(len, lists)], dtype=np.int32)
    return ends, np.array([number for part in lists for number in part], dtype=np.int32)
