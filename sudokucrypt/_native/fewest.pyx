# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The compiled minimum-candidates search; `fewest_plain` is its twin and describes it."""

from libc.stdint cimport uint64_t

import numpy as np

FOUND, NONE, LOST = 1, 0, -1


cdef class _State:
    """The candidates of each cell as a bit set, the places of each value in each full unit.

    The trail cannot grow beyond the candidates there are. A value gets lonely in a unit at most
    once between two calls of `undo`, so neither can the list of lonely ones.
    """

    cdef Py_ssize_t values, trail_length, lonely_length
    cdef const int[::1] peer_ends, peers, unit_ends, units_of
    cdef const int[:, ::1] units
    cdef uint64_t[::1] candidates
    cdef int[::1] sizes
    cdef int[:, ::1] places, trail, lonely

    def __init__(self, values, peer_ends, peers, unit_ends, units_of, units):
        cells = len(peer_ends) - 1
        self.values = values
        self.peer_ends, self.peers = peer_ends, peers
        self.unit_ends, self.units_of, self.units = unit_ends, units_of, units
        self.candidates = np.full(cells, (1 << values) - 1, dtype=np.uint64)
        self.sizes = np.full(cells, values, dtype=np.int32)
        self.places = np.full((len(units), values), values, dtype=np.int32)
        self.trail = np.empty((cells * values, 2), dtype=np.int32)
        self.lonely = np.empty((len(units) * values, 2), dtype=np.int32)
        self.trail_length = self.lonely_length = 0

    cdef bint place(self, Py_ssize_t cell, int value) noexcept nogil:
        cdef Py_ssize_t at, unit, home
        if not (self.candidates[cell] >> value) & 1:
            return False
        self.lonely_length = 0
        if not self.narrow(cell, value):
            return False
        for at in range(self.peer_ends[cell], self.peer_ends[cell + 1]):
            if not self.remove(self.peers[at], value):
                return False
        while self.lonely_length:
            self.lonely_length -= 1
            unit = self.lonely[self.lonely_length, 0]
            value = self.lonely[self.lonely_length, 1]
            at = 0
            while not (self.candidates[self.units[unit, at]] >> value) & 1:
                at += 1
            home = self.units[unit, at]
            if not self.narrow(home, value):
                return False
        return True

    cdef bint narrow(self, Py_ssize_t cell, int value) noexcept nogil:
        cdef int other
        if self.sizes[cell] == 1:
            return True
        for other in range(self.values):
            if other != value and not self.remove(cell, other):
                return False
        return True

    cdef inline bint remove(self, Py_ssize_t cell, int value) noexcept nogil:
        cdef Py_ssize_t at, unit
        cdef bint possible
        if not (self.candidates[cell] >> value) & 1:
            return True
        self.candidates[cell] ^= (<uint64_t> 1) << value
        self.sizes[cell] -= 1
        self.trail[self.trail_length, 0] = cell
        self.trail[self.trail_length, 1] = value
        self.trail_length += 1
        possible = self.sizes[cell] > 0
        for at in range(self.unit_ends[cell], self.unit_ends[cell + 1]):
            unit = self.units_of[at]
            self.places[unit, value] -= 1
            if self.places[unit, value] == 1:
                self.lonely[self.lonely_length, 0] = unit
                self.lonely[self.lonely_length, 1] = value
                self.lonely_length += 1
            elif self.places[unit, value] == 0:
                possible = False
        return possible

    cdef void undo(self, Py_ssize_t mark) noexcept nogil:
        cdef Py_ssize_t at, cell
        cdef int value
        while self.trail_length > mark:
            self.trail_length -= 1
            cell = self.trail[self.trail_length, 0]
            value = self.trail[self.trail_length, 1]
            self.candidates[cell] ^= (<uint64_t> 1) << value
            self.sizes[cell] += 1
            for at in range(self.unit_ends[cell], self.unit_ends[cell + 1]):
                self.places[self.units_of[at], value] += 1


def search(
    Py_ssize_t values, peer_ends, peers, unit_ends, units_of, units,
    const int[::1] givens, const int[::1] order, const int[:, ::1] preferences,
    Py_ssize_t limit, int[:, ::1] log,
):
    cdef Py_ssize_t cells = givens.shape[0], cell, value, nodes = 0
    cdef int outcome = FOUND
    cdef _State state = _State(values, peer_ends, peers, unit_ends, units_of, units)
    result = np.array(givens)
    cdef int[::1] filled = result
    cdef Py_ssize_t[:, ::1] stack = np.empty((cells, 3), dtype=np.intp)
    with nogil:
        for cell in range(cells):
            if givens[cell] >= 0 and not state.place(cell, givens[cell]):
                outcome = 0
                break
        else:
            outcome = _descend(state, filled, order, preferences, limit, log, stack, &nodes)
    return outcome, nodes, result


cdef int _descend(
    _State state, int[::1] filled, const int[::1] order, const int[:, ::1] preferences,
    Py_ssize_t limit, int[:, ::1] log, Py_ssize_t[:, ::1] stack, Py_ssize_t* nodes,
) noexcept nogil:
    cdef Py_ssize_t depth = 0, at, cell, best, wish
    cdef int value, placed
    while True:
        best = -1
        for at in range(order.shape[0]):
            cell = order[at]
            if filled[cell] < 0 and (best < 0 or state.sizes[cell] < state.sizes[best]):
                best = cell
                if state.sizes[cell] == 1:
                    break
        if best < 0:
            return 1
        stack[depth, 0] = best
        stack[depth, 1] = 0
        stack[depth, 2] = state.trail_length
        depth += 1
        placed = False
        while depth and not placed:
            cell, wish = stack[depth - 1, 0], stack[depth - 1, 1]
            while wish < state.values and not (
                state.candidates[cell] >> preferences[cell, wish]
            ) & 1:
                wish += 1
            if wish == state.values:
                depth -= 1
                if depth:
                    state.undo(stack[depth - 1, 2])
                    filled[stack[depth - 1, 0]] = -1
                continue
            if nodes[0] == limit:
                return -1
            value = preferences[cell, wish]
            stack[depth - 1, 1] = wish + 1
            if log.shape[0]:
                log[nodes[0], 0] = cell
                log[nodes[0], 1] = value
            nodes[0] += 1
            placed = state.place(cell, value)
            if placed:
                filled[cell] = value
            else:
                state.undo(stack[depth - 1, 2])
        if not placed:
            return 0
