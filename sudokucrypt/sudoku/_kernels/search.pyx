# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, auto_pickle=False
"""The compiled general search; `search_plain` holds the same class with its description.

The search releases the interpreter lock. Its arrays never grow: on one path of the search each
candidate is struck out once, each cell is tried once, and each single comes up once. No digit of
a unit waits twice to be looked at as locked.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t

import numpy as np

cdef extern from "bits.h":
    int lowest_bit(unsigned long long bits) nogil
    int count_bits(unsigned long long bits) nogil
    int highest_bit(unsigned long long bits) nogil

cdef int64_t NEVER = <int64_t> 1 << 62


cdef class Search:
    cdef int values, cells
    cdef const int32_t[::1] peer_ends, peers, unit_ends, units_of
    cdef const int32_t[::1] order
    cdef const int32_t[:, ::1] units, ranks
    cdef uint64_t[::1] candidates
    cdef int32_t[:, ::1] places
    cdef int32_t[::1] trail_cells
    cdef uint64_t[::1] trail_bits
    cdef int32_t[:, ::1] trials
    cdef int32_t[::1] single_cells
    cdef int32_t[:, ::1] single_places
    cdef int length, depth, cells_waiting, places_waiting
    cdef int32_t[:, ::1] log
    cdef int room
    cdef readonly int logged
    cdef readonly bint finished
    cdef bint by_places, strong, weighted
    cdef uint64_t[:, ::1] near
    cdef uint64_t[::1] seen
    cdef int32_t[::1] waiting
    cdef unsigned char[::1] waits
    cdef int32_t[::1] weights
    cdef int widest, locked_waiting
    cdef const int32_t[::1] forms, cell_ends, related, factors, data_ends, totals, watch_ends, watching
    cdef const uint64_t[::1] data
    cdef int32_t[::1] stack
    cdef unsigned char[::1] stacked
    cdef int stack_size
    cdef unsigned char[::1] reached
    cdef bint constrained
    cdef int64_t failures, most_failures

    def __init__(
        self, int values, const int32_t[::1] peer_ends, const int32_t[::1] peers,
        const int32_t[::1] unit_ends, const int32_t[::1] units_of, const int32_t[:, ::1] units,
        int widest, const int32_t[::1] givens, const int32_t[::1] order,
        const int32_t[:, ::1] ranks, bint by_places, relations=None,
    ):
        cdef int cell, place, entries = <int> len(units) * values
        cdef uint64_t every = <uint64_t> 0xFFFFFFFFFFFFFFFF >> (64 - values)
        self.values, self.cells = values, <int> givens.shape[0]
        self.peer_ends, self.peers = peer_ends, peers
        self.unit_ends, self.units_of, self.units = unit_ends, units_of, units
        self.order, self.ranks, self.by_places = order, ranks, by_places or ranks is None
        self.candidates = np.full(self.cells, every, dtype=np.uint64)
        self.places = np.full((len(units), values), values, dtype=np.int32)
        self.trail_cells = np.empty(self.cells * values, dtype=np.int32)
        self.trail_bits = np.empty(self.cells * values, dtype=np.uint64)
        self.trials = np.empty((self.cells, 3), dtype=np.int32)
        self.single_cells = np.empty(self.cells, dtype=np.int32)
        self.single_places = np.empty((entries, 2), dtype=np.int32)
        self.length = self.depth = self.cells_waiting = self.places_waiting = 0
        self.widest = self.locked_waiting = 0
        self.failures, self.most_failures = 0, NEVER
        self.weights = np.ones(self.cells + entries, dtype=np.int32)
        if ranks is None:
            self.strong, self.widest, self.most_failures = True, widest, 50
            self.order = np.arange(self.cells, dtype=np.int32)
            self.ranks = np.zeros((self.cells, values), dtype=np.int32)
            self.near = np.zeros((self.cells, (self.cells + 63) // 64), dtype=np.uint64)
            self.seen = np.empty((self.cells + 63) // 64, dtype=np.uint64)
            self.waiting = np.empty(entries, dtype=np.int32)
            self.waits = np.zeros(entries, dtype=np.uint8)
            for cell in range(self.cells):
                for place in range(peer_ends[cell], peer_ends[cell + 1]):
                    self.near[cell, peers[place] >> 6] |= <uint64_t> 1 << (peers[place] & 63)
        self.finished = False
        self.constrained, self.stack_size = relations is not None, 0
        if relations is not None:
            (self.forms, self.cell_ends, self.related, self.factors, self.data_ends, self.data, self.totals,
             self.watch_ends, self.watching) = relations
            self.stack_size = <int> self.forms.shape[0]
            self.stack = np.arange(self.stack_size, dtype=np.int32)
            self.stacked = np.ones(self.stack_size, dtype=np.uint8)
            # A byte for each state of an automaton before each cell and after the last.
            entries = 0
            for place in range(self.stack_size):
                if self.forms[place] == 3:
                    entries = max(entries, (self.cell_ends[place + 1] - self.cell_ends[place] + 1)
                                  * ((self.data_ends[place + 1] - self.data_ends[place]) // (values + 1)))
            self.reached = np.zeros(entries, dtype=np.uint8)
        for cell in range(self.cells):
            if givens[cell] >= 0 and not self.keep(cell, givens[cell]):
                self.finished = True
                break

    def advance(self, int32_t[:, ::1] found, int64_t limit, int64_t budget, log=None):
        cdef int64_t count = 0
        cdef int cell, digit
        self.log, self.room, self.logged = log, 0 if log is None else len(log), 0
        with nogil:
            while not self.finished and count < limit and budget > 0:
                budget -= 1
                # A contradiction undoes the last trial; many of them without a solution begin the search again,
                # with what was learnt in the weights.
                if not self.propagate():
                    self.retreat()
                    self.failures += 1
                    self.weighted |= self.strong and self.failures == 10
                    if self.failures >= self.most_failures and self.depth:
                        self.failures = 0
                        self.most_failures += self.most_failures >> 1
                        self.back_to(0)
                # No contradiction, and a choice is left: try it, and note where the trail stood.
                elif self.choose(&cell, &digit):
                    self.trials[self.depth, 0] = cell
                    self.trials[self.depth, 1] = digit
                    self.trials[self.depth, 2] = self.length
                    self.depth += 1
                    self.keep(cell, digit)
                else:
                    if count < found.shape[0]:
                        for cell in range(self.cells):
                            found[count, cell] = lowest_bit(self.candidates[cell])
                    count += 1
                    self.failures, self.most_failures, self.weighted = 0, NEVER, False
                    self.retreat()
        return count

    cdef bint keep(self, int cell, int digit) noexcept nogil:
        cdef uint64_t bits = self.candidates[cell]
        return bits >> digit & 1 and self.strike(cell, bits ^ <uint64_t> 1 << digit)

    cdef bint strike(self, int cell, uint64_t bits) noexcept nogil:
        cdef uint64_t left = self.candidates[cell] ^ bits
        cdef bint consistent = left != 0
        cdef int place, unit, digit, number
        if not bits:
            return True
        # The trail has what was struck, and not what was left, so that going back is one bitwise or.
        self.candidates[cell] = left
        self.trail_cells[self.length] = cell
        self.trail_bits[self.length] = bits
        self.length += 1
        if not left:
            self.weights[cell] += 1
        elif not left & (left - 1):
            self.single_cells[self.cells_waiting] = cell
            self.cells_waiting += 1
        while bits:
            digit = lowest_bit(bits)
            bits &= bits - 1
            # Each unit counts the cells that its digits have left: at one it is a hidden single, at none
            # the digit has nowhere to go, and at few of them they may all see one cell.
            for place in range(self.unit_ends[cell], self.unit_ends[cell + 1]):
                unit = self.units_of[place]
                self.places[unit, digit] -= 1
                if self.places[unit, digit] == 1:
                    self.single_places[self.places_waiting, 0] = unit
                    self.single_places[self.places_waiting, 1] = digit
                    self.places_waiting += 1
                elif not self.places[unit, digit]:
                    consistent = False
                    self.weights[self.cells + unit * self.values + digit] += 1
                elif self.places[unit, digit] <= self.widest:
                    number = unit * self.values + digit
                    if not self.waits[number]:
                        self.waits[number] = True
                        self.waiting[self.locked_waiting] = number
                        self.locked_waiting += 1
        if self.constrained:
            for place in range(self.watch_ends[cell], self.watch_ends[cell + 1]):
                number = self.watching[place]
                if not self.stacked[number]:
                    self.stacked[number] = True
                    self.stack[self.stack_size] = number
                    self.stack_size += 1
        return consistent

    cdef bint propagate(self) noexcept nogil:
        cdef int cell = 0, place, unit, digit, number
        cdef uint64_t bits
        while True:
            # Naked singles before hidden ones, and locked candidates last: the cheapest conclusion first.
            if self.cells_waiting:
                self.cells_waiting -= 1
                cell = self.single_cells[self.cells_waiting]
                bits = self.candidates[cell]
                if self.logged < self.room:
                    self.log[self.logged, 0] = cell
                    self.log[self.logged, 1] = lowest_bit(bits)
                    self.logged += 1
                for place in range(self.peer_ends[cell], self.peer_ends[cell + 1]):
                    if self.candidates[self.peers[place]] & bits:
                        if not self.strike(self.peers[place], bits):
                            return False
            elif self.places_waiting:
                self.places_waiting -= 1
                unit = self.single_places[self.places_waiting, 0]
                digit = self.single_places[self.places_waiting, 1]
                for place in range(self.values):
                    cell = self.units[unit, place]
                    if self.candidates[cell] >> digit & 1:
                        break
                if not self.keep(cell, digit):
                    return False
            elif self.locked_waiting:
                self.locked_waiting -= 1
                number = self.waiting[self.locked_waiting]
                self.waits[number] = False
                if not self.strike_near(number // self.values, number % self.values):
                    return False
            elif self.stack_size:
                self.stack_size -= 1
                number = self.stack[self.stack_size]
                self.stacked[number] = False
                if self.forms[number] == 0:
                    if not self.leave_pair(number):
                        return False
                elif self.forms[number] == 1:
                    if not self.leave_sets(number):
                        return False
                elif self.forms[number] == 2:
                    if not self.leave_total(number):
                        return False
                elif not self.leave_automaton(number):
                    return False
            else:
                return True

    cdef bint leave(self, int cell, uint64_t bits) noexcept nogil:
        return self.strike(cell, self.candidates[cell] & ~bits)

    cdef bint leave_pair(self, int number) noexcept nogil:
        cdef int side, here, there, place = self.cell_ends[number], start = self.data_ends[number]
        cdef uint64_t bits, allowed
        for side in range(2):
            here, there = self.related[place + side], self.related[place + 1 - side]
            bits, allowed = self.candidates[here], 0
            while bits:
                allowed |= self.data[start + side * self.values + lowest_bit(bits)]
                bits &= bits - 1
            if not self.leave(there, allowed):
                return False
        return True

    cdef bint leave_sets(self, int number) noexcept nogil:
        cdef int first = self.cell_ends[number], last = self.cell_ends[number + 1], place, index, cell = 0, held
        cdef uint64_t every = 0, some = 0, common = ~<uint64_t> 0, fitting
        for place in range(first, last):
            every |= self.candidates[self.related[place]]
        for index in range(self.data_ends[number], self.data_ends[number + 1]):
            fitting = self.data[index]
            if fitting & ~every:
                continue
            for place in range(first, last):
                if not self.candidates[self.related[place]] & fitting:
                    break
            else:
                some |= fitting
                common &= fitting
        if not some:
            return False
        for place in range(first, last):
            if not self.leave(self.related[place], some):
                return False
        # Every set that fits has these digits: one that has a single cell left stands there.
        while common and last - first > 1:
            held = 0
            for place in range(first, last):
                if self.candidates[self.related[place]] & common & (~common + 1):
                    held += 1
                    cell = self.related[place]
            if not held or (held == 1 and not self.leave(cell, common & (~common + 1))):
                return False
            common &= common - 1
        return True

    cdef bint leave_total(self, int number) noexcept nogil:
        cdef int first = self.cell_ends[number], last = self.cell_ends[number + 1], place, cell, digit
        cdef int64_t least = 0, most = 0, total = self.totals[number], weight, low, high
        cdef uint64_t bits, allowed
        for place in range(first, last):
            cell, weight = self.related[place], self.factors[place]
            low, high = lowest_bit(self.candidates[cell]) + 1, highest_bit(self.candidates[cell]) + 1
            least += weight * (low if weight > 0 else high)
            most += weight * (high if weight > 0 else low)
        # A cell may hold what the least and the greatest sums of the others leave it.
        for place in range(first, last):
            cell, weight = self.related[place], self.factors[place]
            bits, allowed = self.candidates[cell], 0
            low, high = lowest_bit(bits) + 1, highest_bit(bits) + 1
            if weight < 0:
                low, high = high, low
            while bits:
                digit = lowest_bit(bits)
                if total - most + weight * high <= weight * (digit + 1) <= total - least + weight * low:
                    allowed |= <uint64_t> 1 << digit
                bits &= bits - 1
            if not self.leave(cell, allowed):
                return False
        return True

    cdef bint leave_automaton(self, int number) noexcept nogil:
        cdef int first = self.cell_ends[number], cells = self.cell_ends[number + 1] - first, width = self.values + 1
        cdef int start = self.data_ends[number], states = (self.data_ends[number + 1] - start) // width
        cdef int place, state, next_state
        cdef uint64_t bits, allowed
        cdef bint alive
        # Which states the candidates lead to before each cell; of the last ones those that are accepted.
        for place in range((cells + 1) * states):
            self.reached[place] = place == 0
        for place in range(cells):
            for state in range(states):
                if self.reached[place * states + state]:
                    bits = self.candidates[self.related[first + place]]
                    while bits:
                        next_state = <int> self.data[start + state * width + lowest_bit(bits) + 1]
                        bits &= bits - 1
                        if next_state:
                            self.reached[(place + 1) * states + next_state - 1] = True
        for state in range(states):
            self.reached[cells * states + state] &= self.data[start + state * width]
        # Back again: a candidate stays if a state before it goes on to one that is accepted in the end.
        for place in range(cells - 1, -1, -1):
            allowed = 0
            for state in range(states):
                if self.reached[place * states + state]:
                    bits, alive = self.candidates[self.related[first + place]], False
                    while bits:
                        next_state = <int> self.data[start + state * width + lowest_bit(bits) + 1]
                        if next_state and self.reached[(place + 1) * states + next_state - 1]:
                            allowed |= bits & (~bits + 1)
                            alive = True
                        bits &= bits - 1
                    self.reached[place * states + state] = alive
            if not self.leave(self.related[first + place], allowed):
                return False
        return True

    cdef bint strike_near(self, int unit, int digit) noexcept nogil:
        cdef int place, cell, word, count = 0, words = <int> self.seen.shape[0]
        cdef uint64_t bits, some
        if self.places[unit, digit] == 1:
            return True
        # The cells that all places of the digit see, as a bit set; once it is empty nothing can follow.
        for place in range(self.values):
            cell = self.units[unit, place]
            if self.candidates[cell] >> digit & 1:
                some = 0
                for word in range(words):
                    bits = self.near[cell, word]
                    self.seen[word] = self.seen[word] & bits if count else bits
                    some |= self.seen[word]
                count += 1
                if not some:
                    return True
        for word in range(words):
            bits = self.seen[word]
            while bits:
                cell = word * 64 + lowest_bit(bits)
                bits &= bits - 1
                if self.candidates[cell] >> digit & 1:
                    if not self.strike(cell, <uint64_t> 1 << digit):
                        return False
        return True

    cdef bint choose(self, int* cell, int* digit) noexcept nogil:
        cdef int fewest = 1, unit = -1, least = self.cells * self.values, size, number, place, other
        cdef int64_t weight = 0, own = 1
        cdef int32_t* weights = &self.weights[0]
        # The cell with the fewest candidates for its weight, products in place of fractions.
        for place in range(self.cells):
            number = self.order[place]
            if self.candidates[number] & (self.candidates[number] - 1):
                size = count_bits(self.candidates[number])
                if self.weighted:
                    own = weights[number]
                if size * weight < fewest * own:
                    fewest, weight, cell[0] = size, own, number
                    if fewest == 2 and not self.weighted:
                        break
        if not weight:
            return False
        weights += self.cells
        # A digit with fewer places in a unit than that makes a smaller choice still.
        for number in range(<int> self.units.shape[0] if self.by_places else 0):
            if fewest == 2 and not self.weighted:
                break
            for other in range(self.values):
                size = self.places[number, other]
                if size > 1:
                    if self.weighted:
                        own = weights[other]
                    if size * weight < fewest * own:
                        fewest, weight, unit, digit[0] = size, own, number, other
            weights += self.values
        if unit < 0:
            for other in range(self.values):
                if self.candidates[cell[0]] >> other & 1 and self.ranks[cell[0], other] < least:
                    least, digit[0] = self.ranks[cell[0], other], other
        else:
            for place in range(self.values):
                number = self.units[unit, place]
                if self.candidates[number] >> digit[0] & 1:
                    if self.ranks[number, digit[0]] < least:
                        least, cell[0] = self.ranks[number, digit[0]], number
                        if self.strong:  # all ranks are equal
                            break
        return True

    cdef void back_to(self, int depth) noexcept nogil:
        cdef int cell, place
        cdef uint64_t bits
        self.depth = depth
        self.cells_waiting = self.places_waiting = 0
        # What waits was found after the trial and falls with it.
        while self.locked_waiting:
            self.locked_waiting -= 1
            self.waits[self.waiting[self.locked_waiting]] = False
        while self.stack_size:
            self.stack_size -= 1
            self.stacked[self.stack[self.stack_size]] = False
        # Undo in the reverse order, counts included.
        while self.length > self.trials[depth, 2]:
            self.length -= 1
            cell, bits = self.trail_cells[self.length], self.trail_bits[self.length]
            self.candidates[cell] |= bits
            while bits:
                for place in range(self.unit_ends[cell], self.unit_ends[cell + 1]):
                    self.places[self.units_of[place], lowest_bit(bits)] += 1
                bits &= bits - 1

    cdef void retreat(self) noexcept nogil:
        if not self.depth:
            self.finished = True
            return
        self.back_to(self.depth - 1)
        self.strike(self.trials[self.depth, 0], <uint64_t> 1 << self.trials[self.depth, 1])
