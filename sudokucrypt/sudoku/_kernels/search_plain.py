"""The general search: any groups of cells, up to 64 digits. This text is compiled as well.

The candidates of a cell are the bits of one number. A *unit* is a group with as many cells as
there are digits, so that each digit has exactly one place in it; how many cells of a unit may
still hold a digit is counted, and both kinds of singles are found when a number falls to one.
What is taken away goes on a trail, from which it comes back when a trial fails.

The room for all this never grows: on one path of the search each candidate is struck out once,
each cell is tried once, and each single comes up once. No digit of a unit waits twice to be looked
at as locked.
"""

import sudokucrypt.kernels.names as cython

if not cython.compiled:
    from sudokucrypt.kernels.names import *


@cclass
class Search:
    """A search for all ways to fill the open cells that goes on in steps.

    At each node all naked and hidden singles are drawn. Then comes the first cell with fewest
    candidates or, with `by_places`, the first digit of the first unit with even fewer places. The
    candidate of lowest rank there is tried, then struck out.

    `sudokucrypt.sudoku.model.variant.Rules` describes what comes up to `widest`. `givens` are -1 in
    open cells. Of several cells with fewest candidates the first in `order` is taken, and `ranks`,
    of shape (cells, values), say which candidates are tried first. Branching on places too gives
    the shorter proof that there is no other solution; what is filled at random without it gets
    lost less often (order 49: in seconds, not minutes).

    Without `ranks` a stronger search is meant, and `order` and `by_places` mean nothing. It strikes
    out locked candidates too: if a digit has few places left in a unit, no cell that sees them all
    can hold it. Cells without a candidate and digits without a place gain weight, and from
    the tenth failure to the next solution choices are made where candidates or places by weight are
    fewest. Until there is a solution, the search begins again after 50 failures, then after half as
    many more each time; weights stay, and so does what was struck out before any trial.
    """

    values: Long
    cells: Long
    unit_count: Long
    peer_ends: GivenInts
    peers: GivenInts
    unit_ends: GivenInts
    places_of: Numbers  # where those of each unit of a cell begin among `places`
    units: GivenInts  # row by row
    order: GivenInts
    ranks: GivenInts  # row by row
    by_places: Int
    strong: Int
    learning: Int  # whether failures give weight, and many of them begin the search again
    weighted: Int

    room: Room
    candidates: Sets
    places: Numbers  # of each digit in each unit
    trail_cells: Numbers
    trail_bits: Sets
    length: Long  # of the trail
    trial_cells: Numbers
    trial_digits: Numbers
    trial_starts: Numbers  # the length of the trail before each
    depth: Long
    next_cell: Int  # to be tried
    next_digit: Int
    single_cells: Numbers
    cells_waiting: Long
    single_places: Numbers  # a unit and a digit as one number
    places_waiting: Long
    widest: Long
    waiting: Numbers  # digits of units that may be locked, in the same way
    waits: Numbers  # whether each is among them
    locked_waiting: Long
    near: Sets  # the cells that see each
    seen: Sets
    cell_words: Long  # of such a set
    cell_weights: Numbers
    weights: Numbers
    failures: Long
    most_failures: Long

    related_count: Long
    forms: GivenInts  # of relations
    cell_ends: GivenInts
    related: GivenInts
    factors: GivenInts
    data_ends: GivenInts
    data: GivenWords
    totals: GivenInts
    watch_ends: GivenInts
    watching: GivenInts
    stack: Numbers  # relations to look at again
    stacked: Numbers  # whether each is among them
    stack_size: Long
    reached: Numbers  # by place and state of an automaton

    log: Ints
    log_room: Long
    logged_count: Long
    over: Int

    def __init__(
        self,
        values: Long,
        peer_ends: Any,
        peers: Any,
        unit_ends: Any,
        units_of: Any,
        units: Any,
        widest: Long,
        givens: Any,
        order: Any | None,
        ranks: Any | None,
        *,
        by_places: bool,
        relations: Any = None,
    ) -> None:
        cells: Long = len(givens)
        unit_count: Long = len(units)
        entries: Long = unit_count * values
        states: Long = 0
        number: Long
        cell: Int
        place: Int
        self.values, self.cells, self.unit_count = values, cells, unit_count
        self.peer_ends, self.peers = to_list(peer_ends), to_list(peers)
        self.unit_ends = to_list(unit_ends)
        self.units = to_list(units.ravel())
        self.strong = self.learning = ranks is None
        self.by_places = by_places or ranks is None
        self.weighted = self.over = 0
        self.related_count = 0
        if relations is not None:
            self.related_count = len(relations[0])
            self.forms, self.cell_ends = to_list(relations[0]), to_list(relations[1])
            self.related, self.factors = to_list(relations[2]), to_list(relations[3])
            self.data_ends, self.data = to_list(relations[4]), to_list(relations[5])
            self.totals = to_list(relations[6])
            self.watch_ends, self.watching = to_list(relations[7]), to_list(relations[8])
            # A number for each state of an automaton before each cell and after the last.
            for number in range(self.related_count):
                if self.forms[number] == 3:
                    states = max(
                        states,
                        (self.cell_ends[number + 1] - self.cell_ends[number] + 1)
                        * ((self.data_ends[number + 1] - self.data_ends[number]) // (values + 1)),
                    )
        self.cell_words = (cells + 63) // 64
        self.room = room = Room(
            len(units_of)
            + cells * values
            + 5 * cells
            + 5 * entries
            + 2 * self.related_count
            + states,
            cells + cells * values + (cells + 1) * self.cell_words,
        )
        self.candidates, self.places = room.take_sets(cells), room.take(entries)
        self.places_of = room.take(len(units_of))
        own_units: GivenInts = to_list(units_of)
        for place in range(len(own_units)):
            self.places_of[place] = own_units[place] * values
        self.trail_cells, self.trail_bits = (
            room.take(cells * values),
            room.take_sets(cells * values),
        )
        self.trial_cells, self.trial_digits = room.take(cells), room.take(cells)
        self.trial_starts = room.take(cells)
        self.single_cells, self.single_places = room.take(cells), room.take(entries)
        self.cell_weights, self.weights = room.take(cells), room.take(entries)
        self.waiting, self.waits = room.take(entries), room.take(entries)
        self.near = room.take_sets(cells * self.cell_words)
        self.seen = room.take_sets(self.cell_words)
        self.stack, self.stacked = room.take(self.related_count), room.take(self.related_count)
        self.reached = room.take(states)
        self.length = self.depth = self.cells_waiting = self.places_waiting = 0
        self.locked_waiting = 0
        self.widest = 1  # where there is a single place nothing is locked
        for cell in range(cells):
            self.candidates[cell] = EVERY >> (64 - values)
            self.cell_weights[cell] = 1
        for number in range(entries):
            self.places[number], self.weights[number] = values, 1
        # First choices may be hopeless, hence restarts; but where an order was drawn, it is kept.
        self.failures, self.most_failures = 0, ONE << 62
        if ranks is None:
            self.widest, self.most_failures = max(widest, self.widest), 50
            self.order = ints(cells)
            self.ranks = ints(0)
            for cell in range(cells):
                for place in range(self.peer_ends[cell], self.peer_ends[cell + 1]):
                    number = cell * self.cell_words + (self.peers[place] >> 6)
                    self.near[number] |= ONE << (self.peers[place] & 63)
        else:
            self.order, self.ranks = to_list(order), to_list(ranks.ravel())
        self.stack_size = self.related_count
        for number in range(self.related_count):
            self.stack[number], self.stacked[number] = number, 1
        start: GivenInts = to_list(givens)
        for cell in range(cells):
            if start[cell] >= 0 and not self.keep(cell, start[cell]):
                self.over = 1
                break

    @property
    def finished(self) -> bool:
        """Whether every solution was found."""
        return bool(self.over)

    @property
    def logged(self) -> int:
        """How many rows of the log were written."""
        return self.logged_count

    def advance(self, found: Any, limit: Long, budget: Long, log: Any = None) -> int:
        """Go on for at most `budget` nodes or `limit` solutions, and return how many came up.

        The first of them are written to the rows of `found`, int32, as many as there are. Cell and
        digit of each single that is followed go to the rows of `log`, int32, as many as there are,
        and `logged` says how many; at one node each cell comes up once at most.
        """
        rows: Long = len(found)
        target: Ints = found.reshape(-1)
        count: Long = 0
        cell: Int
        self.log_room = self.logged_count = 0
        if log is not None:
            self.log, self.log_room = log.reshape(-1), len(log)
        with cython.nogil:
            while not self.over and count < limit and budget > 0:
                budget -= 1
                if not self.propagate():
                    self.retreat()
                    self.fail()
                elif self.choose():
                    self.trial_cells[self.depth] = self.next_cell
                    self.trial_digits[self.depth] = self.next_digit
                    self.trial_starts[self.depth] = self.length
                    self.depth += 1
                    self.keep(self.next_cell, self.next_digit)
                else:
                    if count < rows:
                        for cell in range(self.cells):
                            target[count * self.cells + cell] = lowest_bit(self.candidates[cell])
                    count += 1
                    # From the first solution on, a restart would count solutions twice.
                    self.failures, self.most_failures, self.weighted = 0, ONE << 62, 0
                    self.retreat()
        return count

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def fail(self) -> Void:
        """Count a contradiction, and after many begin again with what was learnt."""
        self.failures += 1
        # Weights cost time at every choice, so they wait until a search is seen to be hard.
        if self.learning and self.failures == 10:
            self.weighted = 1
        if self.failures >= self.most_failures and self.depth:
            self.failures = 0
            # Longer each time, so that a search that needs many nodes ends in the end.
            self.most_failures += self.most_failures >> 1
            self.back_to(0)

    @cfunc
    @final
    @cython.nogil
    @exceptval(check=False)
    def keep(self, cell: Int, digit: Int) -> Int:
        """Strike out all other candidates of a cell; 0 if it may not hold this digit."""
        bits: Bits = self.candidates[cell]
        if not bits >> digit & 1:
            return 0
        return self.strike(cell, bits ^ ONE << digit)

    @cfunc
    @final
    @cython.nogil
    @exceptval(check=False)
    def strike(self, cell: Int, bits: Bits) -> Int:
        """Strike out candidates of a cell; 0 if a cell or a digit has no place left."""
        places: Numbers = self.places
        waits: Numbers = self.waits
        places_of: Numbers = self.places_of
        widest: Int = self.widest
        first: Int = self.unit_ends[cell]
        last: Int = self.unit_ends[cell + 1]
        left: Bits = self.candidates[cell] ^ bits
        consistent: Int = 1
        place: Int
        if not bits:
            return 1
        # The trail has what was struck and not what was left: going back is one bitwise or.
        self.candidates[cell] = left
        self.trail_cells[self.length] = cell
        self.trail_bits[self.length] = bits
        self.length += 1
        if not left:
            consistent = 0
            self.cell_weights[cell] += 1
        elif not left & (left - 1):
            self.single_cells[self.cells_waiting] = cell
            self.cells_waiting += 1
        while bits:
            digit: Int = lowest_bit(bits)
            bits &= bits - 1
            # Counts are kept up to date, since looking for the places again would cost more.
            for place in range(first, last):
                number: Int = places_of[place] + digit
                count: Int = places[number] - 1
                places[number] = count
                if count > widest:
                    continue
                if count == 1:
                    self.single_places[self.places_waiting] = number
                    self.places_waiting += 1
                elif not count:
                    consistent = 0
                    self.weights[number] += 1
                elif not waits[number]:
                    waits[number] = 1
                    self.waiting[self.locked_waiting] = number
                    self.locked_waiting += 1
        if self.related_count:
            for place in range(self.watch_ends[cell], self.watch_ends[cell + 1]):
                index: Int = self.watching[place]
                if not self.stacked[index]:
                    self.stacked[index] = 1
                    self.stack[self.stack_size] = index
                    self.stack_size += 1
        return consistent

    @cfunc
    @final
    @cython.nogil
    @exceptval(check=False)
    def propagate(self) -> Int:
        """Draw all conclusions, the cheapest first; 0 if they contradict each other."""
        candidates: Sets = self.candidates
        cell: Int = 0
        place: Int
        number: Int
        while True:
            if self.cells_waiting:
                self.cells_waiting -= 1
                cell = self.single_cells[self.cells_waiting]
                bits: Bits = candidates[cell]
                if self.logged_count < self.log_room:
                    self.log[2 * self.logged_count] = cell
                    self.log[2 * self.logged_count + 1] = lowest_bit(bits)
                    self.logged_count += 1
                for place in range(self.peer_ends[cell], self.peer_ends[cell + 1]):
                    peer: Int = self.peers[place]
                    if candidates[peer] & bits and not self.strike(peer, bits):
                        return 0
            elif self.places_waiting:
                self.places_waiting -= 1
                number = self.single_places[self.places_waiting]
                unit: Int = number // self.values
                digit: Int = number - unit * self.values
                for place in range(unit * self.values, (unit + 1) * self.values):
                    cell = self.units[place]
                    if candidates[cell] >> digit & 1:
                        break
                if not self.keep(cell, digit):
                    return 0
            elif self.locked_waiting:
                self.locked_waiting -= 1
                number = self.waiting[self.locked_waiting]
                self.waits[number] = 0
                if not self.strike_near(number // self.values, number % self.values):
                    return 0
            elif self.stack_size:
                self.stack_size -= 1
                number = self.stack[self.stack_size]
                self.stacked[number] = 0
                if not self.look(number):
                    return 0
            else:
                return 1

    @cfunc
    @final
    @cython.nogil
    @exceptval(check=False)
    def look(self, number: Int) -> Int:
        """Leave what a relation allows."""
        form: Int = self.forms[number]
        if form == 0:
            return self.leave_pair(number)
        if form == 1:
            return self.leave_sets(number)
        if form == 2:
            return self.leave_total(number)
        return self.leave_automaton(number)

    @cfunc
    @final
    @inline
    @cython.nogil
    @exceptval(check=False)
    def leave(self, cell: Int, bits: Bits) -> Int:
        """Strike out what is not among these candidates."""
        return self.strike(cell, self.candidates[cell] & ~bits)

    @cfunc
    @final
    @cython.nogil
    @exceptval(check=False)
    def leave_pair(self, number: Int) -> Int:
        """Leave what goes with a candidate of the other cell."""
        place: Int = self.cell_ends[number]
        side: Int
        for side in range(2):
            bits: Bits = self.candidates[self.related[place + side]]
            start: Int = self.data_ends[number] + side * self.values
            allowed: Bits = 0
            while bits:
                allowed |= self.data[start + lowest_bit(bits)]
                bits &= bits - 1
            if not self.leave(self.related[place + 1 - side], allowed):
                return 0
        return 1

    @cfunc
    @final
    @cython.nogil
    @exceptval(check=False)
    def leave_sets(self, number: Int) -> Int:
        """Leave the digits of sets that fit, and place those of all that have one cell."""
        first: Int = self.cell_ends[number]
        last: Int = self.cell_ends[number + 1]
        every: Bits = 0
        some: Bits = 0
        common: Bits = EVERY
        cell: Int = 0
        place: Int
        index: Int
        for place in range(first, last):
            every |= self.candidates[self.related[place]]
        for index in range(self.data_ends[number], self.data_ends[number + 1]):
            fitting: Bits = self.data[index]
            if fitting & ~every:
                continue
            for place in range(first, last):
                if not self.candidates[self.related[place]] & fitting:
                    break
            else:
                some |= fitting
                common &= fitting
        if not some:
            return 0
        for place in range(first, last):
            if not self.leave(self.related[place], some):
                return 0
        # Every set that fits has these digits: one that has a single cell left stands there.
        while common and last - first > 1:
            lowest: Bits = common ^ (common & (common - 1))
            held: Int = 0
            for place in range(first, last):
                if self.candidates[self.related[place]] & lowest:
                    held += 1
                    cell = self.related[place]
            if not held or (held == 1 and not self.leave(cell, lowest)):
                return 0
            common ^= lowest
        return 1

    @cfunc
    @final
    @cython.nogil
    @exceptval(check=False)
    def leave_total(self, number: Int) -> Int:
        """Leave what the least and the greatest sums of the others allow."""
        first: Int = self.cell_ends[number]
        last: Int = self.cell_ends[number + 1]
        least: Long = 0
        most: Long = 0
        place: Int
        bits: Bits
        low: Long
        high: Long
        weight: Long
        for place in range(first, last):
            bits, weight = self.candidates[self.related[place]], self.factors[place]
            low, high = lowest_bit(bits) + 1, highest_bit(bits) + 1
            least += weight * (low if weight > 0 else high)
            most += weight * (high if weight > 0 else low)
        # A cell may hold what the least and the greatest sums of the others leave it.
        for place in range(first, last):
            bits, weight = self.candidates[self.related[place]], self.factors[place]
            low, high = lowest_bit(bits) + 1, highest_bit(bits) + 1
            if weight < 0:
                low, high = high, low
            low = self.totals[number] - least + weight * low
            high = self.totals[number] - most + weight * high
            allowed: Bits = 0
            while bits:
                digit: Long = lowest_bit(bits)
                if high <= weight * (digit + 1) <= low:
                    allowed |= ONE << digit
                bits &= bits - 1
            if not self.leave(self.related[place], allowed):
                return 0
        return 1

    @cfunc
    @final
    @cython.nogil
    @exceptval(check=False)
    def leave_automaton(self, number: Int) -> Int:
        """Leave what some accepted way through the states reads in each cell."""
        first: Int = self.cell_ends[number]
        cells: Int = self.cell_ends[number + 1] - first
        start: Int = self.data_ends[number]
        width: Int = self.values + 1
        states: Int = (self.data_ends[number + 1] - start) // width
        place: Int
        state: Int
        following: Int
        bits: Bits
        # Which states the candidates lead to before each cell; of the last ones, what is accepted.
        for place in range((cells + 1) * states):
            self.reached[place] = place == 0
        for place in range(cells):
            for state in range(states):
                if self.reached[place * states + state]:
                    bits = self.candidates[self.related[first + place]]
                    while bits:
                        following = self.data[start + state * width + lowest_bit(bits) + 1]
                        bits &= bits - 1
                        if following:
                            self.reached[(place + 1) * states + following - 1] = 1
        for state in range(states):
            if not self.data[start + state * width]:
                self.reached[cells * states + state] = 0
        # Back again: a candidate stays if a state before it leads to one that is accepted.
        for place in range(cells - 1, -1, -1):
            allowed: Bits = 0
            for state in range(states):
                if self.reached[place * states + state]:
                    bits = self.candidates[self.related[first + place]]
                    alive: Int = 0
                    while bits:
                        following = self.data[start + state * width + lowest_bit(bits) + 1]
                        if following and self.reached[(place + 1) * states + following - 1]:
                            allowed |= bits ^ (bits & (bits - 1))
                            alive = 1
                        bits &= bits - 1
                    self.reached[place * states + state] = alive
            if not self.leave(self.related[first + place], allowed):
                return 0
        return 1

    @cfunc
    @final
    @cython.nogil
    @exceptval(check=False)
    def strike_near(self, unit: Int, digit: Int) -> Int:
        """Strike out a digit wherever all its places in a unit are seen."""
        candidates: Sets = self.candidates
        near: Sets = self.near
        seen: Sets = self.seen
        words: Int = self.cell_words
        left: Int = self.places[unit * self.values + digit]
        fresh: Int = 1
        place: Int
        word: Int
        # A single place is drawn elsewhere.
        if left == 1:
            return 1
        # The cells that all places see, as a set; once it is empty nothing can follow.
        for place in range(unit * self.values, (unit + 1) * self.values):
            cell: Int = self.units[place]
            if candidates[cell] >> digit & 1:
                some: Bits = 0
                for word in range(words):
                    bits: Bits = near[cell * words + word]
                    if not fresh:
                        bits &= seen[word]
                    seen[word] = bits
                    some |= bits
                if not some:
                    return 1
                fresh = 0
                left -= 1
                if not left:
                    break
        for word in range(words):
            bits = seen[word]
            while bits:
                cell = word * 64 + lowest_bit(bits)
                bits &= bits - 1
                if candidates[cell] >> digit & 1 and not self.strike(cell, ONE << digit):
                    return 0
        return 1

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def choose(self) -> Int:
        """Name the next cell and digit to try; 0 if every cell has one candidate."""
        fewest: Long = 1
        weight: Long = 0
        own: Long = 1
        unit: Int = -1
        least: Int = self.cells * self.values
        place: Int
        number: Int
        other: Int
        # The cell with the fewest candidates for its weight, products in place of fractions.
        for place in range(self.cells):
            number = place if self.strong else self.order[place]
            bits: Bits = self.candidates[number]
            if bits & (bits - 1):
                size = count_bits(bits)
                if self.weighted:
                    own = self.cell_weights[number]
                if size * weight < fewest * own:
                    fewest, weight, self.next_cell = size, own, number
                    if fewest == 2 and not self.weighted:
                        break
        if not weight:
            return 0
        # A digit with fewer places in a unit than that makes a smaller choice still.
        if self.by_places and (self.weighted or fewest > 2):
            for number in range(self.unit_count * self.values):
                size = self.places[number]
                if size > 1:
                    if self.weighted:
                        own = self.weights[number]
                    if size * weight < fewest * own:
                        fewest, weight = size, own
                        unit = number // self.values
                        self.next_digit = number % self.values
                        if fewest == 2 and not self.weighted:
                            break
        if unit < 0:
            bits = self.candidates[self.next_cell]
            if self.strong:
                self.next_digit = lowest_bit(bits)
                return 1
            for other in range(self.values):
                if bits >> other & 1:
                    number = self.ranks[self.next_cell * self.values + other]
                    if number < least:
                        least, self.next_digit = number, other
            return 1
        for place in range(unit * self.values, (unit + 1) * self.values):
            number = self.units[place]
            if self.candidates[number] >> self.next_digit & 1:
                if self.strong:  # all ranks are equal
                    self.next_cell = number
                    break
                other = self.ranks[number * self.values + self.next_digit]
                if other < least:
                    least, self.next_cell = other, number
        return 1

    @cfunc
    @final
    @cython.nogil
    @exceptval(check=False)
    def back_to(self, depth: Long) -> Void:
        """Undo all trials but the first `depth`."""
        place: Int
        self.depth = depth
        self.cells_waiting = self.places_waiting = 0
        # What waits was found after the trial and falls with it.
        while self.locked_waiting:
            self.locked_waiting -= 1
            self.waits[self.waiting[self.locked_waiting]] = 0
        while self.stack_size:
            self.stack_size -= 1
            self.stacked[self.stack[self.stack_size]] = 0
        # Undo in the reverse order, counts included.
        while self.length > self.trial_starts[depth]:
            self.length -= 1
            cell: Int = self.trail_cells[self.length]
            bits: Bits = self.trail_bits[self.length]
            self.candidates[cell] |= bits
            while bits:
                digit = lowest_bit(bits)
                for place in range(self.unit_ends[cell], self.unit_ends[cell + 1]):
                    self.places[self.places_of[place] + digit] += 1
                bits &= bits - 1

    @cfunc
    @final
    @cython.nogil
    @exceptval(check=False)
    def retreat(self) -> Void:
        """Undo the last trial and strike it out, or finish if there is none."""
        if not self.depth:
            self.over = 1
            return
        self.back_to(self.depth - 1)
        # The other branch: all solutions with this trial are known now.
        self.strike(self.trial_cells[self.depth], ONE << self.trial_digits[self.depth])
