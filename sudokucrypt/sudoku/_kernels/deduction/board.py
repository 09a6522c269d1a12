"""The candidates of all cells, and the easiest step that the techniques have found so far."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.names import *


@cclass
class Board:
    """The candidates of a puzzle; `HouseTables` describes its houses.

    A step is a technique with a rating in tenths, a size that breaks ties between steps of equal
    rating, and the cells, digits, houses and chains that justify it. `offer_step` keeps the easiest
    step since the last `forget_step`.
    """

    cell_count: Int
    digit_count: Int
    house_count: Int
    max_house_size: Int  # number of cells of the largest house
    max_cell_houses: Int  # largest number of houses that contain one cell
    house_cells: Ints  # the cells of each house, padded with -1
    cell_houses: Ints  # the houses of each cell, padded with -1
    indexes_in_houses: Ints  # the index of each cell within each of its houses
    peer_offsets: Ints
    peers: Ints
    peer_matrix: Bytes  # for each pair of cells: whether they share a house
    needs_all_digits: Bytes  # for each house: whether it must contain every digit
    house_axes: Bytes  # for each house: 1 for a row, 2 for a column, otherwise 0
    cell_words: Int  # the number of 64-bit words of a set of cells
    peer_bits: Words  # for each cell: the set of its peers
    houses_by_ease: Ints  # houses, boxes first
    shared_cells: Words  # for each pair: cells of the first house in the second house
    coordinates: Ints  # row and column of each cell
    longest_side: Int  # the number of rows or of columns, the larger of the two
    has_plain_lines: Int  # whether each row and each column is a house, with its cells in order
    line_houses: Ints  # the houses of all rows, then of all columns

    initial_places: Words  # `places` of an empty puzzle
    candidates: Words
    is_settled: Bytes
    open_counts: Ints  # for each house: the number of its open cells
    one_open_house_count: Int  # the number of houses with exactly one open cell
    places: Words  # for each house and digit: the open cells that may contain the digit
    digit_cells: Words  # for each digit: the cells of the puzzle that may contain it
    cells_in_reach: Words  # cells from which the next conclusion would strike a digit
    open_cell_count: Int
    broken: Int
    clock: Int  # counts steps since `begin_puzzle`
    digit_change_times: Ints  # the value of `clock` when each digit last changed
    house_change_times: Ints
    cell_change_times: Ints
    fruitless_times: Ints  # the clock when a technique last found nothing in a house or for a digit
    link_listing_times: Ints  # the clock when the strong links of each digit were listed

    fruitless_index: Int
    offered_strike_count: Int  # candidates that all offered steps strike, kept or rejected
    earlier_strike_count: Int

    technique: Int
    rating: Int
    size: Int
    filled_cell: Int  # the cell that the step fills, or -1
    filled_digit: Int
    queued_strikes: Ints  # cells and digits that the next offered step would strike
    queued_strike_count: Int
    struck_candidates: Ints
    struck_candidate_count: Int
    reason_cells: Ints  # the cells that justify the step
    reason_cell_count: Int
    step_digits: Bits
    step_houses: Ints
    step_house_count: Int
    links: Ints
    links_length: Int

    def __init__(self, tables: Any) -> None:
        self.cell_count, self.digit_count = tables.cell_count, tables.digit_count
        self.house_count = tables.house_count
        self.max_house_size, self.max_cell_houses, self.longest_side = (
            tables.max_house_size,
            tables.max_cell_houses,
            tables.longest_side,
        )
        self.house_cells, self.cell_houses, self.indexes_in_houses = (
            tables.house_cells,
            tables.cell_houses,
            tables.indexes_in_houses,
        )
        self.peer_offsets, self.peers, self.peer_matrix = (
            tables.peer_offsets,
            tables.peers,
            tables.peer_matrix,
        )
        self.needs_all_digits, self.house_axes, self.houses_by_ease = (
            tables.needs_all_digits,
            tables.house_axes,
            tables.houses_by_ease,
        )
        self.shared_cells, self.coordinates = tables.shared_cells, tables.coordinates
        self.has_plain_lines, self.line_houses = tables.has_plain_lines, tables.line_houses
        self.initial_places = tables.initial_places
        self.cell_words, self.peer_bits = tables.cell_words, tables.peer_bits
        self.candidates = array("Q", [0]) * self.cell_count
        self.is_settled = array("B", [0]) * self.cell_count
        self.open_counts = array("i", [0]) * self.house_count
        self.places = array("Q", [0]) * (self.house_count * self.digit_count)
        self.digit_cells = array("Q", [0]) * (self.digit_count * self.cell_words)
        self.cells_in_reach = array("Q", [0]) * self.cell_words
        self.digit_change_times = array("i", [0]) * self.digit_count
        self.house_change_times = array("i", [0]) * self.house_count
        self.cell_change_times = array("i", [0]) * self.cell_count
        self.fruitless_times = array("i", [0]) * (64 * max(self.digit_count, self.house_count))
        self.link_listing_times = array("i", [0]) * self.digit_count
        self.queued_strikes = array("i", [0]) * (2 * self.cell_count * self.digit_count)
        self.struck_candidates = array("i", [0]) * (2 * self.cell_count * self.digit_count)
        self.reason_cells = array("i", [0]) * (self.cell_count + 64)
        self.step_houses = array("i", [0]) * (self.house_count + 64)
        self.links = array("i", [0]) * (8 * self.cell_count * self.digit_count + 64)
        self.offered_strike_count = self.earlier_strike_count = 0

    def begin_puzzle(self, givens: Any) -> None:
        """Begin a puzzle: `givens` contains the digit of each cell, or -1 for an open cell."""
        for index in range(self.cell_count):
            self.candidates[index] = EVERY >> (64 - self.digit_count)
            self.is_settled[index], self.cell_change_times[index] = 0, 1
        for index in range(self.house_count * self.digit_count):
            self.places[index] = self.initial_places[index]
        for index in range(self.digit_count * self.cell_words):
            is_last_word: Int = (index + 1) % self.cell_words == 0
            self.digit_cells[index] = EVERY >> (-self.cell_count & 63 if is_last_word else 0)
        # Times of an earlier puzzle must not make a technique skip a house of this one.
        self.clock = 1
        for index in range(64 * max(self.digit_count, self.house_count)):
            self.fruitless_times[index] = 0
        for index in range(self.digit_count):
            self.digit_change_times[index], self.link_listing_times[index] = 1, 0
        for index in range(self.house_count):
            self.house_change_times[index] = 1
            self.open_counts[index] = 0
        for index in range(self.cell_count * self.max_cell_houses):
            if self.cell_houses[index] >= 0:
                self.open_counts[self.cell_houses[index]] += 1
        self.one_open_house_count = 0
        for index in range(self.house_count):
            self.one_open_house_count += self.open_counts[index] == 1
        self.open_cell_count, self.broken = self.cell_count, 0
        self.forget_step()
        for index in range(self.cell_count):
            digit: Int = givens[index]
            if digit >= 0:
                self.place_digit(index, digit)

    def settle(self, cell: Int, digit: Int) -> None:
        """Place a digit in a cell, and strike it from the peers of the cell."""
        self.clock += 1
        self.place_digit(cell, digit)

    def strike(self, cell: Int, digit: Int) -> None:
        """Remove a candidate of a cell."""
        self.clock += 1
        self.remove_candidate(cell, digit)

    def list_candidate_bits(self) -> list[int]:
        """Return the candidates of all cells as bits."""
        return [int(bits) for bits in self.candidates]

    def list_open_cells(self) -> list[int]:
        """Return the cells that are not settled."""
        return [cell for cell in range(self.cell_count) if not self.is_settled[cell]]

    def is_broken(self) -> bool:
        """Return whether a cell has no candidates, or a digit has no place in a house."""
        return bool(self.broken)

    @cfunc
    @final
    @exceptval(check=False)
    def place_digit(self, cell: Int, digit: Int) -> Int:
        bits: Bits = self.candidates[cell]
        if not bits >> digit & 1:
            self.broken = 1
        # `places` and `digit_cells` contain open cells only, and this one is no longer open.
        while bits:
            removed_digit = lowest_bit(bits)
            bits &= bits - 1
            for slot in range(cell * self.max_cell_houses, (cell + 1) * self.max_cell_houses):
                house = self.cell_houses[slot]
                if house >= 0:
                    self.places[house * self.digit_count + removed_digit] &= ~(
                        ONE << self.indexes_in_houses[slot]
                    )
            self.digit_cells[removed_digit * self.cell_words + (cell >> 6)] &= ~(ONE << (cell & 63))
            self.digit_change_times[removed_digit] = self.clock
        self.candidates[cell] = ONE << digit
        self.is_settled[cell] = 1
        self.open_cell_count -= 1
        for slot in range(cell * self.max_cell_houses, (cell + 1) * self.max_cell_houses):
            house = self.cell_houses[slot]
            if house >= 0:
                self.house_change_times[house] = self.clock
                self.open_counts[house] -= 1
                self.one_open_house_count += self.open_counts[house] == 1
                self.one_open_house_count -= self.open_counts[house] == 0
        for slot in range(self.peer_offsets[cell], self.peer_offsets[cell + 1]):
            if self.candidates[self.peers[slot]] >> digit & 1:
                self.remove_candidate(self.peers[slot], digit)
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def remove_candidate(self, cell: Int, digit: Int) -> Int:
        bits: Bits = self.candidates[cell] & ~(ONE << digit)
        self.candidates[cell] = bits
        if not bits:
            self.broken = 1
        self.digit_cells[digit * self.cell_words + (cell >> 6)] &= ~(ONE << (cell & 63))
        self.digit_change_times[digit] = self.cell_change_times[cell] = self.clock
        for slot in range(cell * self.max_cell_houses, (cell + 1) * self.max_cell_houses):
            house = self.cell_houses[slot]
            if house >= 0:
                self.places[house * self.digit_count + digit] &= ~(
                    ONE << self.indexes_in_houses[slot]
                )
                self.house_change_times[house] = self.clock
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def is_known_fruitless(self, technique: Int, item: Int, last_change_time: Int) -> Int:
        """Return whether a technique found nothing here before, and nothing has changed since.

        `item` is the number of a house or digit, and `last_change_time` the clock of its last
        change.
        """
        self.fruitless_index = (
            technique
            * (self.digit_count if self.digit_count > self.house_count else self.house_count)
            + item
        )
        self.earlier_strike_count = self.offered_strike_count
        return self.fruitless_times[self.fruitless_index] >= last_change_time

    @cfunc
    @final
    @exceptval(check=False)
    def note_fruitless_search(self) -> Int:
        """If a search found nothing since the last `is_known_fruitless`, record this."""
        if self.offered_strike_count != self.earlier_strike_count:
            return 0
        self.fruitless_times[self.fruitless_index] = self.clock
        return 1

    @cfunc
    @final
    @exceptval(check=False)
    def forget_step(self) -> Int:
        """Discard the best step."""
        self.technique, self.rating, self.size = -1, 1000, 0
        self.queued_strike_count = self.struck_candidate_count = self.reason_cell_count = (
            self.step_house_count
        ) = 0
        self.step_digits, self.links_length = 0, 0
        self.filled_cell = self.filled_digit = -1
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def queue_strike(self, cell: Int, digit: Int) -> Int:
        """Add a candidate to those that the next offered step strikes, if it is still open."""
        if self.is_settled[cell] or not self.candidates[cell] >> digit & 1:
            return 0
        self.queued_strikes[2 * self.queued_strike_count] = cell
        self.queued_strikes[2 * self.queued_strike_count + 1] = digit
        self.queued_strike_count += 1
        return 1

    @cfunc
    @final
    @exceptval(check=False)
    def queue_strikes(self, cell: Int, bits: Bits) -> Int:
        """Add the given candidates of a cell to those that the next offered step strikes."""
        bits &= self.candidates[cell]
        while bits:
            self.queue_strike(cell, lowest_bit(bits))
            bits &= bits - 1
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def reset_reach(self, digit: Int) -> Int:
        """Set `cells_in_reach` to all open cells that may contain a digit."""
        for word in range(self.cell_words):
            self.cells_in_reach[word] = self.digit_cells[digit * self.cell_words + word]
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def limit_reach(self, cell: Int) -> Bits:
        """Keep only the peers of a cell in `cells_in_reach`; return nonzero if some remain."""
        remaining_cells: Bits = 0
        for word in range(self.cell_words):
            self.cells_in_reach[word] &= self.peer_bits[cell * self.cell_words + word]
            remaining_cells |= self.cells_in_reach[word]
        return remaining_cells

    @cfunc
    @final
    @exceptval(check=False)
    def queue_strikes_in_reach(self, digit: Int) -> Int:
        """Add a digit in all `cells_in_reach` to the candidates that the next step strikes."""
        for word in range(self.cell_words):
            bits = self.cells_in_reach[word]
            while bits:
                self.queue_strike((word << 6) + lowest_bit(bits), digit)
                bits &= bits - 1
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def offer_step(self, technique: Int, rating: Int, size: Int) -> Int:
        """Keep the queued strikes as the best step if they are easier than the step kept so far.

        Otherwise discard them. Returns whether the step was kept.
        """
        count: Int = self.queued_strike_count
        self.queued_strike_count = 0
        self.offered_strike_count += count
        if not count or rating > self.rating or (rating == self.rating and size >= self.size):
            return 0
        self.technique, self.rating, self.size = technique, rating, size
        self.struck_candidate_count = count
        for index in range(2 * count):
            self.struck_candidates[index] = self.queued_strikes[index]
        self.reason_cell_count = self.step_house_count = 0
        self.step_digits, self.links_length = 0, 0
        self.filled_cell = self.filled_digit = -1
        return 1

    @cfunc
    @exceptval(check=False)
    def add_reason_cell(self, cell: Int) -> Int:
        """Add a cell to those that justify the step, unless it is there already."""
        for index in range(self.reason_cell_count):
            if self.reason_cells[index] == cell:
                return 0
        self.reason_cells[self.reason_cell_count] = cell
        self.reason_cell_count += 1
        return 0

    @cfunc
    def add_step_house(self, house: Int) -> Int:
        """Add a house to the houses of the step, unless it is there already."""
        for index in range(self.step_house_count):
            if self.step_houses[index] == house:
                return 0
        self.step_houses[self.step_house_count] = house
        self.step_house_count += 1
        return 0

    def get_step(self) -> Any:
        """Return the best step, or None.

        A step is a tuple: technique, rating, cells, digits, houses, the filled cell with its digit
        (each -1 if the step fills none), struck candidates, and links.
        """
        if self.technique < 0:
            return None
        digits = [digit for digit in range(self.digit_count) if self.step_digits >> digit & 1]
        struck_candidates = [
            (self.struck_candidates[2 * index], self.struck_candidates[2 * index + 1])
            for index in range(self.struck_candidate_count)
        ]
        return (
            self.technique,
            self.rating,
            [self.reason_cells[index] for index in range(self.reason_cell_count)],
            digits,
            [self.step_houses[index] for index in range(self.step_house_count)],
            (self.filled_cell, self.filled_digit),
            struck_candidates,
            [self.links[index] for index in range(self.links_length)],
        )

    @cfunc
    def carry_out_step(self) -> Int:
        self.clock += 1
        if self.filled_cell >= 0:
            self.place_digit(self.filled_cell, self.filled_digit)
        else:
            for index in range(self.struck_candidate_count):
                self.remove_candidate(
                    self.struck_candidates[2 * index], self.struck_candidates[2 * index + 1]
                )
        self.forget_step()
        return 0
