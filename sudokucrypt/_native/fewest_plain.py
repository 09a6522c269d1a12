"""The plain twin of the minimum-candidates search: the same nodes in the same order.

The rules are those of `sudokucrypt.sudoku.rules.Rules`: cells, the peers of each cell, and the
full units, in which each value has exactly one place.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Table = NDArray[np.int32]

FOUND, NONE, LOST = 1, 0, -1


def search(
    values: int,
    peer_ends: Table,
    peers: Table,
    unit_ends: Table,
    units_of: Table,
    units: Table,
    givens: Table,
    order: Table,
    preferences: Table,
    limit: int,
    log: Table,
) -> tuple[int, int, Table]:
    """Fill every open cell, always the one with the fewest candidates next.

    Parameters
    ----------
    values : int
        How many values there are, at most 64.
    peer_ends, peers : ndarray of shape (m + 1,) and any length, dtype int32
        The peers of cell c are ``peers[peer_ends[c]:peer_ends[c + 1]]``.
    unit_ends, units_of : ndarray of shape (m + 1,) and any length, dtype int32
        The full units that hold cell c, in the same form.
    units : ndarray of shape (u, values), dtype int32
        The cells of each full unit.
    givens : ndarray of shape (m,), dtype int32
        The value of each cell, -1 where it is open.
    order : ndarray of shape (m,), dtype int32
        Of several cells with the fewest candidates, the first one in this order is taken.
    preferences : ndarray of shape (m, values), dtype int32
        The order in which the values of each cell are tried.
    limit : int
        After so many nodes the search gives up.
    log : ndarray of shape (limit or 0, 2), dtype int32
        Receives cell and value of each node, if it has any rows.

    Returns
    -------
    outcome : int
        `FOUND`, `NONE` when no filling exists, or `LOST` at the limit.
    nodes : int
        How many placements were tried.
    filled : ndarray of shape (m,), dtype int32
        The values, if found.
    """
    state = _State(values, peer_ends, peers, unit_ends, units_of, units)
    filled = givens.copy()
    for cell, value in enumerate(givens.tolist()):
        if value >= 0 and not state.place(cell, value):
            return NONE, 0, filled
    ranked = [cell for cell in order.tolist() if filled[cell] < 0]
    wishes = preferences.tolist()
    # A frame is a cell, the place of its next wish, and the length of the trail before it.
    stack: list[list[int]] = []
    nodes = 0
    while True:
        open_cells = [cell for cell in ranked if filled[cell] < 0]
        if not open_cells:
            return FOUND, nodes, filled
        fewest = min(open_cells, key=state.sizes.__getitem__)
        stack.append([fewest, 0, len(state.trail)])
        while stack:
            cell, wish, mark = stack[-1]
            while wish < values and not state.candidates[cell] >> wishes[cell][wish] & 1:
                wish += 1
            if wish == values:
                stack.pop()
                if stack:
                    state.undo(stack[-1][2])
                    filled[stack[-1][0]] = -1
                continue
            if nodes == limit:
                return LOST, nodes, filled
            value = wishes[cell][wish]
            stack[-1][1] = wish + 1
            if len(log):
                log[nodes] = cell, value
            nodes += 1
            if state.place(cell, value):
                filled[cell] = value
                break
            state.undo(mark)
        else:
            return NONE, nodes, filled


class _State:
    """The candidates of each cell as a bit set, the places of each value in each full unit."""

    def __init__(self, values: int, *tables: Any) -> None:
        peer_ends, peers, unit_ends, units_of, units = (table.tolist() for table in tables)
        self.peers = [peers[a:b] for a, b in pairwise(peer_ends)]
        self.units_of = [units_of[a:b] for a, b in pairwise(unit_ends)]
        self.units = units
        self.values = values
        self.candidates = [(1 << values) - 1] * len(self.peers)
        self.sizes = [values] * len(self.peers)
        self.places = [[values] * values for _ in units]
        self.trail: list[tuple[int, int]] = []
        self.lonely: list[tuple[int, int]] = []

    def place(self, cell: int, value: int) -> bool:
        """Place a value and draw the conclusions; False if a cell or value has no place left."""
        if not self.candidates[cell] >> value & 1:
            return False
        self.lonely.clear()
        possible = self.narrow(cell, value)
        for peer in self.peers[cell]:
            possible = possible and self.remove(peer, value)
        while possible and self.lonely:
            unit, value = self.lonely.pop()
            home = next(c for c in self.units[unit] if self.candidates[c] >> value & 1)
            possible = self.narrow(home, value)
        return possible

    def narrow(self, cell: int, value: int) -> bool:
        """Remove all candidates of a cell but one."""
        if self.sizes[cell] == 1:
            return True
        return all(self.remove(cell, other) for other in range(self.values) if other != value)

    def remove(self, cell: int, value: int) -> bool:
        """Remove a candidate; note each unit where its value has one place left."""
        if not self.candidates[cell] >> value & 1:
            return True
        self.candidates[cell] ^= 1 << value
        self.sizes[cell] -= 1
        self.trail.append((cell, value))
        possible = self.sizes[cell] > 0
        for unit in self.units_of[cell]:
            self.places[unit][value] -= 1
            left = self.places[unit][value]
            if left == 1:
                self.lonely.append((unit, value))
            possible = possible and left > 0
        return possible

    def undo(self, mark: int) -> None:
        """Put back what was removed since the trail had this length."""
        while len(self.trail) > mark:
            cell, value = self.trail.pop()
            self.candidates[cell] ^= 1 << value
            self.sizes[cell] += 1
            for unit in self.units_of[cell]:
                self.places[unit][value] += 1
