"""The general search, for any groups of cells and at most 64 digits. It is also compiled.

The candidates of a cell are the bits of one number. A *unit* is a group with as many cells as
there are digits, so each digit has exactly one place in it. The search counts the candidates of
each cell and the places of each digit in each unit; a count of one is a single. Candidates that
are struck out are recorded on a trail, and restored from it when a trial fails.

The memory never grows: on one path of the search each candidate is struck out at most once, each
cell is tried at most once, and each single is found at most once. A digit of a unit is at most once
in the queue of digits that may be locked.
"""

import sudokucrypt.kernels.names as cython

if not cython.compiled:
    from sudokucrypt.kernels.names import *


@cclass
class Search:
    """A search for all ways to fill the open cells, which can be interrupted and continued.

    At each node all naked and hidden singles are placed. Then the search chooses the first cell
    with the fewest candidates or, with `branches_on_places`, the first digit of the first unit if
    it has even fewer places there. It tries the candidate of lowest rank, then strikes that
    candidate out.

    `sudokucrypt.sudoku.model.variant.RuleTables` describes the parameters before `givens`.
    `givens` are -1 in open cells. Of several cells with the fewest candidates the search takes the
    first in `order`. `ranks`, of shape (cells, values), say which candidates are tried first.
    Branching on places gives a shorter proof that a solution is unique. Filling grids at random is
    faster without it (order 49: seconds, not minutes).

    Without `ranks` the search is stronger, and `order` and `branches_on_places` are ignored. It
    also strikes out locked candidates: if a digit has few places in a unit, no cell that sees them
    all can contain it. Cells that lose all candidates and digits that lose all places gain weight.
    From the tenth failure until the next solution, the search chooses cells or digits with the
    fewest candidates or places in proportion to their weight. Before the first solution it restarts
    after 50 failures, and then after half as many more each time; it keeps the weights, and the
    candidates that were struck out before any trial.
    """

    digit_count: Long
    cell_count: Long
    unit_count: Long
    peer_offsets: GivenInts
    peers: GivenInts
    unit_offsets: GivenInts
    unit_place_starts: Numbers  # for each unit of a cell: its first index in `place_counts`
    units: GivenInts  # row by row
    order: GivenInts
    ranks: GivenInts  # row by row
    branches_on_places: Int
    is_strong: Int
    learns_weights: Int  # whether failures add weight, and many failures restart the search
    uses_weights: Int

    memory: Room
    candidates: Sets
    place_counts: Numbers  # for each unit and digit: the number of its places
    trail_cells: Numbers
    trail_candidate_bits: Sets
    trail_length: Long
    trial_cells: Numbers
    trial_digits: Numbers
    trial_starts: Numbers  # the length of the trail before each trial
    depth: Long
    next_cell: Int  # the cell of the next trial
    next_digit: Int
    single_cells: Numbers
    single_cell_count: Long
    single_places: Numbers  # queued hidden singles, as unit * digit_count + digit
    single_place_count: Long
    max_locked_places: Long
    lockable_places: Numbers  # digits of units that may be locked, as unit * digit_count + digit
    is_lockable: Numbers  # for each unit and digit: whether `lockable_places` contains it
    lockable_count: Long
    peer_sets: Sets  # for each cell: the set of its peers
    seen_cells: Sets
    cell_words: Long  # the number of 64-bit words in a set of cells
    cell_weights: Numbers
    place_weights: Numbers
    failures: Long
    max_failures: Long

    relation_count: Long
    relation_forms: GivenInts
    relation_cell_offsets: GivenInts
    relation_cells: GivenInts
    relation_factors: GivenInts
    relation_data_offsets: GivenInts
    relation_data: GivenWords
    relation_totals: GivenInts
    watch_offsets: GivenInts
    watching_relations: GivenInts
    relation_stack: Numbers  # relations to apply again
    is_stacked: Numbers  # for each relation: whether the stack contains it
    stack_size: Long
    is_reachable: Numbers  # by place and state of an automaton: whether it is reachable

    log_rows: Ints
    max_log_rows: Long
    logged_count: Long
    is_over: Int

    def __init__(
        self,
        digit_count: Long,
        peer_offsets: Any,
        peers: Any,
        unit_offsets: Any,
        cell_units: Any,
        units: Any,
        max_shared_cells: Long,
        givens: Any,
        order: Any | None,
        ranks: Any | None,
        *,
        branches_on_places: bool,
        relations: Any = None,
    ) -> None:
        cell_count: Long = len(givens)
        unit_count: Long = len(units)
        unit_digit_count: Long = unit_count * digit_count
        state_count: Long = 0
        index: Long
        cell: Int
        place: Int
        self.digit_count, self.cell_count, self.unit_count = digit_count, cell_count, unit_count
        self.peer_offsets, self.peers = to_list(peer_offsets), to_list(peers)
        self.unit_offsets = to_list(unit_offsets)
        self.units = to_list(units.ravel())
        self.is_strong = self.learns_weights = ranks is None
        self.branches_on_places = branches_on_places or ranks is None
        self.uses_weights = self.is_over = 0
        self.relation_count = 0
        if relations is not None:
            self.relation_count = len(relations[0])
            self.relation_forms, self.relation_cell_offsets = (
                to_list(relations[0]),
                to_list(relations[1]),
            )
            self.relation_cells, self.relation_factors = (
                to_list(relations[2]),
                to_list(relations[3]),
            )
            self.relation_data_offsets, self.relation_data = (
                to_list(relations[4]),
                to_list(relations[5]),
            )
            self.relation_totals = to_list(relations[6])
            self.watch_offsets, self.watching_relations = (
                to_list(relations[7]),
                to_list(relations[8]),
            )
            # Automata need a flag for each state before each cell and after the last cell.
            for index in range(self.relation_count):
                if self.relation_forms[index] == 3:
                    state_count = max(
                        state_count,
                        (
                            self.relation_cell_offsets[index + 1]
                            - self.relation_cell_offsets[index]
                            + 1
                        )
                        * (
                            (
                                self.relation_data_offsets[index + 1]
                                - self.relation_data_offsets[index]
                            )
                            // (digit_count + 1)
                        ),
                    )
        self.cell_words = (cell_count + 63) // 64
        self.memory = memory = Room(
            len(cell_units)
            + cell_count * digit_count
            + 5 * cell_count
            + 5 * unit_digit_count
            + 2 * self.relation_count
            + state_count,
            cell_count + cell_count * digit_count + (cell_count + 1) * self.cell_words,
        )
        self.candidates, self.place_counts = (
            memory.take_sets(cell_count),
            memory.take(unit_digit_count),
        )
        self.unit_place_starts = memory.take(len(cell_units))
        unit_list: GivenInts = to_list(cell_units)
        for place in range(len(unit_list)):
            self.unit_place_starts[place] = unit_list[place] * digit_count
        self.trail_cells, self.trail_candidate_bits = (
            memory.take(cell_count * digit_count),
            memory.take_sets(cell_count * digit_count),
        )
        self.trial_cells, self.trial_digits = memory.take(cell_count), memory.take(cell_count)
        self.trial_starts = memory.take(cell_count)
        self.single_cells, self.single_places = (
            memory.take(cell_count),
            memory.take(unit_digit_count),
        )
        self.cell_weights, self.place_weights = (
            memory.take(cell_count),
            memory.take(unit_digit_count),
        )
        self.lockable_places, self.is_lockable = (
            memory.take(unit_digit_count),
            memory.take(unit_digit_count),
        )
        self.peer_sets = memory.take_sets(cell_count * self.cell_words)
        self.seen_cells = memory.take_sets(self.cell_words)
        self.relation_stack, self.is_stacked = (
            memory.take(self.relation_count),
            memory.take(self.relation_count),
        )
        self.is_reachable = memory.take(state_count)
        self.trail_length = self.depth = self.single_cell_count = self.single_place_count = 0
        self.lockable_count = 0
        self.max_locked_places = 1  # a single place is handled as a hidden single
        for cell in range(cell_count):
            self.candidates[cell] = EVERY >> (64 - digit_count)
            self.cell_weights[cell] = 1
        for index in range(unit_digit_count):
            self.place_counts[index], self.place_weights[index] = digit_count, 1
        # The first choices may be bad, so a search without given ranks restarts after many
        # failures. A search with given ranks keeps their order, and does not restart.
        self.failures, self.max_failures = 0, ONE << 62
        if ranks is None:
            self.max_locked_places, self.max_failures = (
                max(max_shared_cells, self.max_locked_places),
                50,
            )
            self.order = ints(cell_count)
            self.ranks = ints(0)
            for cell in range(cell_count):
                for place in range(self.peer_offsets[cell], self.peer_offsets[cell + 1]):
                    index = cell * self.cell_words + (self.peers[place] >> 6)
                    self.peer_sets[index] |= ONE << (self.peers[place] & 63)
        else:
            self.order, self.ranks = to_list(order), to_list(ranks.ravel())
        self.stack_size = self.relation_count
        for index in range(self.relation_count):
            self.relation_stack[index], self.is_stacked[index] = index, 1
        given_digits: GivenInts = to_list(givens)
        for cell in range(cell_count):
            if given_digits[cell] >= 0 and not self.keep_only_digit(cell, given_digits[cell]):
                self.is_over = 1
                break

    @property
    def finished(self) -> bool:
        """Whether every solution was found."""
        return bool(self.is_over)

    @property
    def logged_row_count(self) -> int:
        """The number of rows written to the log."""
        return self.logged_count

    def advance(self, solutions: Any, limit: Long, budget: Long, log: Any = None) -> int:
        """Continue for at most `budget` nodes or `limit` solutions; return the number of solutions.

        The first solutions are written to the rows of `solutions` (int32), as far as these suffice.
        The cell and the digit of each single are written to the rows of `log` (int32), as far as
        these suffice; `logged_row_count` is their number. At one node each cell is logged at most
        once.
        """
        row_count: Long = len(solutions)
        target: Ints = solutions.reshape(-1)
        count: Long = 0
        cell: Int
        self.max_log_rows = self.logged_count = 0
        if log is not None:
            self.log_rows, self.max_log_rows = log.reshape(-1), len(log)
        with cython.nogil:
            while not self.is_over and count < limit and budget > 0:
                budget -= 1
                if not self.propagate():
                    self.retreat()
                    self.count_failure()
                elif self.choose_trial():
                    self.trial_cells[self.depth] = self.next_cell
                    self.trial_digits[self.depth] = self.next_digit
                    self.trial_starts[self.depth] = self.trail_length
                    self.depth += 1
                    self.keep_only_digit(self.next_cell, self.next_digit)
                else:
                    if count < row_count:
                        for cell in range(self.cell_count):
                            target[count * self.cell_count + cell] = lowest_bit(
                                self.candidates[cell]
                            )
                    count += 1
                    # From the first solution on, a restart would count solutions twice.
                    self.failures, self.max_failures, self.uses_weights = 0, ONE << 62, 0
                    self.retreat()
        return count

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def count_failure(self) -> Void:
        """Count a contradiction; after many, restart with the weights learned so far."""
        self.failures += 1
        # Weights cost time at every choice, so they are used only once a search proves hard.
        if self.learns_weights and self.failures == 10:
            self.uses_weights = 1
        if self.failures >= self.max_failures and self.depth:
            self.failures = 0
            # The limit grows, so that a search that needs many nodes finally ends.
            self.max_failures += self.max_failures >> 1
            self.undo_trials(0)

    @cfunc
    @final
    @cython.nogil
    @exceptval(check=False)
    def keep_only_digit(self, cell: Int, digit: Int) -> Int:
        """Strike out all other candidates of a cell; return 0 if it cannot contain this digit."""
        bits: Bits = self.candidates[cell]
        if not bits >> digit & 1:
            return 0
        return self.strike(cell, bits ^ ONE << digit)

    @cfunc
    @final
    @cython.nogil
    @exceptval(check=False)
    def strike(self, cell: Int, bits: Bits) -> Int:
        """Strike out candidates of a cell; return 0 if the cell or a digit loses its last one."""
        places: Numbers = self.place_counts
        is_lockable: Numbers = self.is_lockable
        place_starts: Numbers = self.unit_place_starts
        max_places: Int = self.max_locked_places
        first: Int = self.unit_offsets[cell]
        unit_stop: Int = self.unit_offsets[cell + 1]
        remaining_digits: Bits = self.candidates[cell] ^ bits
        is_consistent: Int = 1
        place: Int
        if not bits:
            return 1
        # The trail records the struck candidates, so that undoing is one bitwise or.
        self.candidates[cell] = remaining_digits
        self.trail_cells[self.trail_length] = cell
        self.trail_candidate_bits[self.trail_length] = bits
        self.trail_length += 1
        if not remaining_digits:
            is_consistent = 0
            self.cell_weights[cell] += 1
        elif not remaining_digits & (remaining_digits - 1):
            self.single_cells[self.single_cell_count] = cell
            self.single_cell_count += 1
        while bits:
            digit: Int = lowest_bit(bits)
            bits &= bits - 1
            # The counts are kept up to date, since searching for the places again would cost more.
            for place in range(first, unit_stop):
                place_number: Int = place_starts[place] + digit
                count: Int = places[place_number] - 1
                places[place_number] = count
                if count > max_places:
                    continue
                if count == 1:
                    self.single_places[self.single_place_count] = place_number
                    self.single_place_count += 1
                elif not count:
                    is_consistent = 0
                    self.place_weights[place_number] += 1
                elif not is_lockable[place_number]:
                    is_lockable[place_number] = 1
                    self.lockable_places[self.lockable_count] = place_number
                    self.lockable_count += 1
        if self.relation_count:
            for place in range(self.watch_offsets[cell], self.watch_offsets[cell + 1]):
                relation: Int = self.watching_relations[place]
                if not self.is_stacked[relation]:
                    self.is_stacked[relation] = 1
                    self.relation_stack[self.stack_size] = relation
                    self.stack_size += 1
        return is_consistent

    @cfunc
    @final
    @cython.nogil
    @exceptval(check=False)
    def propagate(self) -> Int:
        """Draw all conclusions, the cheapest first; return 0 if they contradict each other."""
        candidates: Sets = self.candidates
        cell: Int = 0
        place: Int
        number: Int
        while True:
            if self.single_cell_count:
                self.single_cell_count -= 1
                cell = self.single_cells[self.single_cell_count]
                bits: Bits = candidates[cell]
                if self.logged_count < self.max_log_rows:
                    self.log_rows[2 * self.logged_count] = cell
                    self.log_rows[2 * self.logged_count + 1] = lowest_bit(bits)
                    self.logged_count += 1
                for place in range(self.peer_offsets[cell], self.peer_offsets[cell + 1]):
                    peer: Int = self.peers[place]
                    if candidates[peer] & bits and not self.strike(peer, bits):
                        return 0
            elif self.single_place_count:
                self.single_place_count -= 1
                number = self.single_places[self.single_place_count]
                unit: Int = number // self.digit_count
                digit: Int = number - unit * self.digit_count
                for place in range(unit * self.digit_count, (unit + 1) * self.digit_count):
                    cell = self.units[place]
                    if candidates[cell] >> digit & 1:
                        break
                if not self.keep_only_digit(cell, digit):
                    return 0
            elif self.lockable_count:
                self.lockable_count -= 1
                number = self.lockable_places[self.lockable_count]
                self.is_lockable[number] = 0
                if not self.strike_locked_digit(
                    number // self.digit_count, number % self.digit_count
                ):
                    return 0
            elif self.stack_size:
                self.stack_size -= 1
                number = self.relation_stack[self.stack_size]
                self.is_stacked[number] = 0
                if not self.apply_relation(number):
                    return 0
            else:
                return 1

    @cfunc
    @final
    @cython.nogil
    @exceptval(check=False)
    def apply_relation(self, number: Int) -> Int:
        """Strike out candidates that a relation excludes; return 0 at a contradiction."""
        form: Int = self.relation_forms[number]
        if form == 0:
            return self.apply_pair(number)
        if form == 1:
            return self.apply_sets(number)
        if form == 2:
            return self.apply_total(number)
        return self.apply_automaton(number)

    @cfunc
    @final
    @inline
    @cython.nogil
    @exceptval(check=False)
    def keep_candidates(self, cell: Int, bits: Bits) -> Int:
        """Strike out all candidates of a cell except these."""
        return self.strike(cell, self.candidates[cell] & ~bits)

    @cfunc
    @final
    @cython.nogil
    @exceptval(check=False)
    def apply_pair(self, number: Int) -> Int:
        """Keep candidates that the relation allows with some candidate of the other cell."""
        place: Int = self.relation_cell_offsets[number]
        side: Int
        for side in range(2):
            bits: Bits = self.candidates[self.relation_cells[place + side]]
            start: Int = self.relation_data_offsets[number] + side * self.digit_count
            allowed_digits: Bits = 0
            while bits:
                allowed_digits |= self.relation_data[start + lowest_bit(bits)]
                bits &= bits - 1
            if not self.keep_candidates(self.relation_cells[place + 1 - side], allowed_digits):
                return 0
        return 1

    @cfunc
    @final
    @cython.nogil
    @exceptval(check=False)
    def apply_sets(self, number: Int) -> Int:
        """Keep digits of fitting sets; place a digit of all fitting sets if one cell is left."""
        first: Int = self.relation_cell_offsets[number]
        cell_stop: Int = self.relation_cell_offsets[number + 1]
        all_candidates: Bits = 0
        fitting_digits: Bits = 0
        common_digits: Bits = EVERY
        cell: Int = 0
        place: Int
        index: Int
        for place in range(first, cell_stop):
            all_candidates |= self.candidates[self.relation_cells[place]]
        for index in range(
            self.relation_data_offsets[number], self.relation_data_offsets[number + 1]
        ):
            digit_set: Bits = self.relation_data[index]
            if digit_set & ~all_candidates:
                continue
            for place in range(first, cell_stop):
                if not self.candidates[self.relation_cells[place]] & digit_set:
                    break
            else:
                fitting_digits |= digit_set
                common_digits &= digit_set
        if not fitting_digits:
            return 0
        for place in range(first, cell_stop):
            if not self.keep_candidates(self.relation_cells[place], fitting_digits):
                return 0
        # All fitting sets contain these digits, so a digit with one possible cell must be in it.
        while common_digits and cell_stop - first > 1:
            lowest_digit_bit: Bits = common_digits ^ (common_digits & (common_digits - 1))
            cell_count: Int = 0
            for place in range(first, cell_stop):
                if self.candidates[self.relation_cells[place]] & lowest_digit_bit:
                    cell_count += 1
                    cell = self.relation_cells[place]
            if not cell_count or (
                cell_count == 1 and not self.keep_candidates(cell, lowest_digit_bit)
            ):
                return 0
            common_digits ^= lowest_digit_bit
        return 1

    @cfunc
    @final
    @cython.nogil
    @exceptval(check=False)
    def apply_total(self, number: Int) -> Int:
        """Keep candidates that the least and the greatest sums of the other cells allow."""
        first: Int = self.relation_cell_offsets[number]
        cell_stop: Int = self.relation_cell_offsets[number + 1]
        least_sum: Long = 0
        greatest_sum: Long = 0
        place: Int
        bits: Bits
        low_bound: Long
        high_bound: Long
        weight: Long
        for place in range(first, cell_stop):
            bits, weight = self.candidates[self.relation_cells[place]], self.relation_factors[place]
            low_bound, high_bound = lowest_bit(bits) + 1, highest_bit(bits) + 1
            least_sum += weight * (low_bound if weight > 0 else high_bound)
            greatest_sum += weight * (high_bound if weight > 0 else low_bound)
        # Compute for each cell the range that the sums of the other cells leave.
        for place in range(first, cell_stop):
            bits, weight = self.candidates[self.relation_cells[place]], self.relation_factors[place]
            low_bound, high_bound = lowest_bit(bits) + 1, highest_bit(bits) + 1
            if weight < 0:
                low_bound, high_bound = high_bound, low_bound
            low_bound = self.relation_totals[number] - least_sum + weight * low_bound
            high_bound = self.relation_totals[number] - greatest_sum + weight * high_bound
            allowed_digits: Bits = 0
            while bits:
                digit: Long = lowest_bit(bits)
                if high_bound <= weight * (digit + 1) <= low_bound:
                    allowed_digits |= ONE << digit
                bits &= bits - 1
            if not self.keep_candidates(self.relation_cells[place], allowed_digits):
                return 0
        return 1

    @cfunc
    @final
    @cython.nogil
    @exceptval(check=False)
    def apply_automaton(self, number: Int) -> Int:
        """Keep candidates that lie on some path through the states to an accepted state."""
        first: Int = self.relation_cell_offsets[number]
        cell_count: Int = self.relation_cell_offsets[number + 1] - first
        start: Int = self.relation_data_offsets[number]
        width: Int = self.digit_count + 1
        state_count: Int = (self.relation_data_offsets[number + 1] - start) // width
        place: Int
        state: Int
        next_state: Int
        bits: Bits
        # Forward: find the states reachable before each cell, and accepted ones after the last.
        for place in range((cell_count + 1) * state_count):
            self.is_reachable[place] = place == 0
        for place in range(cell_count):
            for state in range(state_count):
                if self.is_reachable[place * state_count + state]:
                    bits = self.candidates[self.relation_cells[first + place]]
                    while bits:
                        next_state = self.relation_data[
                            start + state * width + lowest_bit(bits) + 1
                        ]
                        bits &= bits - 1
                        if next_state:
                            self.is_reachable[(place + 1) * state_count + next_state - 1] = 1
        for state in range(state_count):
            if not self.relation_data[start + state * width]:
                self.is_reachable[cell_count * state_count + state] = 0
        # Backward: a candidate remains if it leads from a reachable state to an accepted one.
        for place in range(cell_count - 1, -1, -1):
            allowed_digits: Bits = 0
            for state in range(state_count):
                if self.is_reachable[place * state_count + state]:
                    bits = self.candidates[self.relation_cells[first + place]]
                    has_continuation: Int = 0
                    while bits:
                        next_state = self.relation_data[
                            start + state * width + lowest_bit(bits) + 1
                        ]
                        if (
                            next_state
                            and self.is_reachable[(place + 1) * state_count + next_state - 1]
                        ):
                            allowed_digits |= bits ^ (bits & (bits - 1))
                            has_continuation = 1
                        bits &= bits - 1
                    self.is_reachable[place * state_count + state] = has_continuation
            if not self.keep_candidates(self.relation_cells[first + place], allowed_digits):
                return 0
        return 1

    @cfunc
    @final
    @cython.nogil
    @exceptval(check=False)
    def strike_locked_digit(self, unit: Int, digit: Int) -> Int:
        """Strike out a digit in cells that see all its places in a unit."""
        candidates: Sets = self.candidates
        peer_sets: Sets = self.peer_sets
        seen_cells: Sets = self.seen_cells
        cell_words: Int = self.cell_words
        unchecked_count: Int = self.place_counts[unit * self.digit_count + digit]
        is_first: Int = 1
        place: Int
        word: Int
        # `single_places` handles a single place.
        if unchecked_count == 1:
            return 1
        # Compute the set of cells that see all places; if it is empty, nothing follows.
        for place in range(unit * self.digit_count, (unit + 1) * self.digit_count):
            cell: Int = self.units[place]
            if candidates[cell] >> digit & 1:
                seen_union: Bits = 0
                for word in range(cell_words):
                    bits: Bits = peer_sets[cell * cell_words + word]
                    if not is_first:
                        bits &= seen_cells[word]
                    seen_cells[word] = bits
                    seen_union |= bits
                if not seen_union:
                    return 1
                is_first = 0
                unchecked_count -= 1
                if not unchecked_count:
                    break
        for word in range(cell_words):
            bits = seen_cells[word]
            while bits:
                cell = word * 64 + lowest_bit(bits)
                bits &= bits - 1
                if candidates[cell] >> digit & 1 and not self.strike(cell, ONE << digit):
                    return 0
        return 1

    @cfunc
    @cython.nogil
    @exceptval(check=False)
    def choose_trial(self) -> Int:
        """Set the next cell and digit to try; return 0 if every cell has one candidate."""
        fewest_options: Long = 1
        weight: Long = 0
        item_weight: Long = 1
        unit: Int = -1
        lowest_rank: Int = self.cell_count * self.digit_count
        place: Int
        number: Int
        digit: Int
        rank: Int
        # Find the cell with the fewest candidates per weight, comparing products, not fractions.
        for place in range(self.cell_count):
            number = place if self.is_strong else self.order[place]
            bits: Bits = self.candidates[number]
            if bits & (bits - 1):
                size = count_bits(bits)
                if self.uses_weights:
                    item_weight = self.cell_weights[number]
                if size * weight < fewest_options * item_weight:
                    fewest_options, weight, self.next_cell = size, item_weight, number
                    if fewest_options == 2 and not self.uses_weights:
                        break
        if not weight:
            return 0
        # Find a digit with even fewer places in a unit.
        if self.branches_on_places and (self.uses_weights or fewest_options > 2):
            for number in range(self.unit_count * self.digit_count):
                size = self.place_counts[number]
                if size > 1:
                    if self.uses_weights:
                        item_weight = self.place_weights[number]
                    if size * weight < fewest_options * item_weight:
                        fewest_options, weight = size, item_weight
                        unit = number // self.digit_count
                        self.next_digit = number % self.digit_count
                        if fewest_options == 2 and not self.uses_weights:
                            break
        if unit < 0:
            bits = self.candidates[self.next_cell]
            if self.is_strong:
                self.next_digit = lowest_bit(bits)
                return 1
            for digit in range(self.digit_count):
                if bits >> digit & 1:
                    rank = self.ranks[self.next_cell * self.digit_count + digit]
                    if rank < lowest_rank:
                        lowest_rank, self.next_digit = rank, digit
            return 1
        for place in range(unit * self.digit_count, (unit + 1) * self.digit_count):
            number = self.units[place]
            if self.candidates[number] >> self.next_digit & 1:
                if self.is_strong:  # a strong search has no ranks, so any cell will do
                    self.next_cell = number
                    break
                rank = self.ranks[number * self.digit_count + self.next_digit]
                if rank < lowest_rank:
                    lowest_rank, self.next_cell = rank, number
        return 1

    @cfunc
    @final
    @cython.nogil
    @exceptval(check=False)
    def undo_trials(self, depth: Long) -> Void:
        """Undo all trials except the first `depth`."""
        place: Int
        self.depth = depth
        self.single_cell_count = self.single_place_count = 0
        # Queued conclusions depend on the trials that are undone.
        while self.lockable_count:
            self.lockable_count -= 1
            self.is_lockable[self.lockable_places[self.lockable_count]] = 0
        while self.stack_size:
            self.stack_size -= 1
            self.is_stacked[self.relation_stack[self.stack_size]] = 0
        # Restore candidates and counts in reverse order.
        while self.trail_length > self.trial_starts[depth]:
            self.trail_length -= 1
            cell: Int = self.trail_cells[self.trail_length]
            bits: Bits = self.trail_candidate_bits[self.trail_length]
            self.candidates[cell] |= bits
            while bits:
                digit = lowest_bit(bits)
                for place in range(self.unit_offsets[cell], self.unit_offsets[cell + 1]):
                    self.place_counts[self.unit_place_starts[place] + digit] += 1
                bits &= bits - 1

    @cfunc
    @final
    @cython.nogil
    @exceptval(check=False)
    def retreat(self) -> Void:
        """Undo the last trial and strike out its digit, or finish if there is no trial."""
        if not self.depth:
            self.is_over = 1
            return
        self.undo_trials(self.depth - 1)
        # All solutions with the digit of this trial are known now.
        self.strike(self.trial_cells[self.depth], ONE << self.trial_digits[self.depth])
