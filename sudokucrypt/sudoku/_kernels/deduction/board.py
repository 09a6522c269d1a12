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

    cells: Int
    digits: Int
    houses: Int
    max_house_size: Int  # number of cells of the largest house
    max_cell_houses: Int  # largest number of houses that contain one cell
    house_cells: Ints  # the cells of each house, padded with -1
    cell_houses: Ints  # the houses of each cell, padded with -1
    cell_indexes: Ints  # the index of each cell within each of its houses
    peer_ends: Ints
    peers: Ints
    peer_matrix: Bytes  # for each pair of cells: whether they share a house
    is_complete: Bytes  # for each house: whether it must contain every digit
    axis: Bytes  # for each house: 1 for a row, 2 for a column, otherwise 0
    cell_words: Int  # 64-bit words of a set of cells
    peer_bits: Words  # for each cell: the set of its peers
    houses_by_ease: Ints  # houses, boxes first
    shared_cells: Words  # for each pair of houses: the cells of the first that are in the second
    coordinates: Ints  # row and column of each cell
    longest_side: Int  # the number of rows or of columns, the larger of the two
    has_plain_lines: Int  # whether each row and each column is a house, with its cells in order
    line_houses: Ints  # the houses of all rows, then of all columns

    initial_places: Words  # `places` of an empty puzzle
    candidates: Words
    settled: Bytes
    open_counts: Ints  # for each house: the number of its open cells
    one_open_count: Int  # the number of houses with exactly one open cell
    places: Words  # for each house and digit: the open cells that may contain the digit
    digit_cells: Words  # for each digit: the cells of the puzzle that may contain it
    cells_in_reach: Words  # cells from which the next conclusion would strike a digit
    open_cell_count: Int
    broken: Int
    clock: Int  # counts steps since `restart`
    digit_changes: Ints  # the value of `clock` when each digit last changed
    house_changes: Ints
    cell_changes: Ints
    fruitless_at: Ints  # the clock when a technique last found nothing in a house or for a digit
    links_listed_at: Ints  # the clock when the strong links of each digit were listed

    fruitless_slot: Int
    hits_seen: Int  # struck candidates of all offered steps, including the rejected ones
    hits_before: Int

    technique: Int
    rating: Int
    size: Int
    filled_cell: Int  # the cell that the step fills, or -1
    filled_digit: Int
    hits: Ints  # cells and digits that the next offered step would strike
    hit_count: Int
    struck: Ints
    struck_count: Int
    base_cells: Ints  # the cells that justify the step
    base_count: Int
    step_digits: Bits
    step_houses: Ints
    step_house_count: Int
    links: Ints
    links_end: Int

    def __init__(self, tables: Any) -> None:
        self.cells, self.digits, self.houses = tables.cells, tables.digits, tables.houses
        self.max_house_size, self.max_cell_houses, self.longest_side = (
            tables.max_house_size,
            tables.max_cell_houses,
            tables.longest_side,
        )
        self.house_cells, self.cell_houses, self.cell_indexes = (
            tables.house_cells,
            tables.cell_houses,
            tables.cell_indexes,
        )
        self.peer_ends, self.peers, self.peer_matrix = (
            tables.peer_ends,
            tables.peers,
            tables.peer_matrix,
        )
        self.is_complete, self.axis, self.houses_by_ease = (
            tables.is_complete,
            tables.axis,
            tables.houses_by_ease,
        )
        self.shared_cells, self.coordinates = tables.shared_cells, tables.coordinates
        self.has_plain_lines, self.line_houses = tables.has_plain_lines, tables.line_houses
        self.initial_places = tables.initial_places
        self.cell_words, self.peer_bits = tables.cell_words, tables.peer_bits
        self.candidates = array("Q", [0]) * self.cells
        self.settled = array("B", [0]) * self.cells
        self.open_counts = array("i", [0]) * self.houses
        self.places = array("Q", [0]) * (self.houses * self.digits)
        self.digit_cells = array("Q", [0]) * (self.digits * self.cell_words)
        self.cells_in_reach = array("Q", [0]) * self.cell_words
        self.digit_changes = array("i", [0]) * self.digits
        self.house_changes = array("i", [0]) * self.houses
        self.cell_changes = array("i", [0]) * self.cells
        self.fruitless_at = array("i", [0]) * (64 * max(self.digits, self.houses))
        self.links_listed_at = array("i", [0]) * self.digits
        self.hits = array("i", [0]) * (2 * self.cells * self.digits)
        self.struck = array("i", [0]) * (2 * self.cells * self.digits)
        self.base_cells = array("i", [0]) * (self.cells + 64)
        self.step_houses = array("i", [0]) * (self.houses + 64)
        self.links = array("i", [0]) * (8 * self.cells * self.digits + 64)
        self.hits_seen = self.hits_before = 0

    def restart(self, givens: Any) -> None:
        """Begin a puzzle: `givens` contains the digit of each cell, or -1 for an open cell."""
        for index in range(self.cells):
            self.candidates[index] = EVERY >> (64 - self.digits)
            self.settled[index], self.cell_changes[index] = 0, 1
        for index in range(self.houses * self.digits):
            self.places[index] = self.initial_places[index]
        for index in range(self.digits * self.cell_words):
            last: Int = (index + 1) % self.cell_words == 0
            self.digit_cells[index] = EVERY >> (-self.cells & 63 if last else 0)
        # Times of an earlier puzzle must not make a technique skip a house of this one.
        self.clock = 1
        for index in range(64 * max(self.digits, self.houses)):
            self.fruitless_at[index] = 0
        for index in range(self.digits):
            self.digit_changes[index], self.links_listed_at[index] = 1, 0
        for index in range(self.houses):
            self.house_changes[index] = 1
            self.open_counts[index] = 0
        for index in range(self.cells * self.max_cell_houses):
            if self.cell_houses[index] >= 0:
                self.open_counts[self.cell_houses[index]] += 1
        self.one_open_count = 0
        for index in range(self.houses):
            self.one_open_count += self.open_counts[index] == 1
        self.open_cell_count, self.broken = self.cells, 0
        self.forget_step()
        for index in range(self.cells):
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

    def candidate_bits(self) -> list[int]:
        """Return the candidates of all cells as bits."""
        return [int(bits) for bits in self.candidates]

    def open_cells(self) -> list[int]:
        """Return the cells that are not settled."""
        return [cell for cell in range(self.cells) if not self.settled[cell]]

    def is_broken(self) -> bool:
        """Return whether a cell without candidates, or a digit without place in a house, exists."""
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
            other = lowest_bit(bits)
            bits &= bits - 1
            for slot in range(cell * self.max_cell_houses, (cell + 1) * self.max_cell_houses):
                house = self.cell_houses[slot]
                if house >= 0:
                    self.places[house * self.digits + other] &= ~(ONE << self.cell_indexes[slot])
            self.digit_cells[other * self.cell_words + (cell >> 6)] &= ~(ONE << (cell & 63))
            self.digit_changes[other] = self.clock
        self.candidates[cell] = ONE << digit
        self.settled[cell] = 1
        self.open_cell_count -= 1
        for slot in range(cell * self.max_cell_houses, (cell + 1) * self.max_cell_houses):
            house = self.cell_houses[slot]
            if house >= 0:
                self.house_changes[house] = self.clock
                self.open_counts[house] -= 1
                self.one_open_count += self.open_counts[house] == 1
                self.one_open_count -= self.open_counts[house] == 0
        for slot in range(self.peer_ends[cell], self.peer_ends[cell + 1]):
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
        self.digit_changes[digit] = self.cell_changes[cell] = self.clock
        for slot in range(cell * self.max_cell_houses, (cell + 1) * self.max_cell_houses):
            house = self.cell_houses[slot]
            if house >= 0:
                self.places[house * self.digits + digit] &= ~(ONE << self.cell_indexes[slot])
                self.house_changes[house] = self.clock
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def is_unchanged(self, technique: Int, kind: Int, changes: Int) -> Int:
        """Return whether a technique found nothing here before, and nothing has changed since.

        `kind` is the number of a house or digit, and `changes` the clock of its last change.
        """
        self.fruitless_slot = (
            technique * (self.digits if self.digits > self.houses else self.houses) + kind
        )
        self.hits_before = self.hits_seen
        return self.fruitless_at[self.fruitless_slot] >= changes

    @cfunc
    @final
    @exceptval(check=False)
    def note_fruitless(self) -> Int:
        """Record that the search since the last `is_unchanged` found nothing, if that is so."""
        if self.hits_seen != self.hits_before:
            return 0
        self.fruitless_at[self.fruitless_slot] = self.clock
        return 1

    @cfunc
    @final
    @exceptval(check=False)
    def forget_step(self) -> Int:
        """Discard the best step."""
        self.technique, self.rating, self.size = -1, 1000, 0
        self.hit_count = self.struck_count = self.base_count = self.step_house_count = 0
        self.step_digits, self.links_end = 0, 0
        self.filled_cell = self.filled_digit = -1
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def hit_candidate(self, cell: Int, digit: Int) -> Int:
        """Add a candidate to those that the next offered step strikes, if it is still open."""
        if self.settled[cell] or not self.candidates[cell] >> digit & 1:
            return 0
        self.hits[2 * self.hit_count] = cell
        self.hits[2 * self.hit_count + 1] = digit
        self.hit_count += 1
        return 1

    @cfunc
    @final
    @exceptval(check=False)
    def hit_candidates(self, cell: Int, bits: Bits) -> Int:
        """Add the given candidates of a cell to those that the next offered step strikes."""
        bits &= self.candidates[cell]
        while bits:
            self.hit_candidate(cell, lowest_bit(bits))
            bits &= bits - 1
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def reach_digit(self, digit: Int) -> Int:
        """Set `cells_in_reach` to all open cells that may contain a digit."""
        for word in range(self.cell_words):
            self.cells_in_reach[word] = self.digit_cells[digit * self.cell_words + word]
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def limit_reach(self, cell: Int) -> Bits:
        """Keep only the peers of a cell in `cells_in_reach`; return nonzero if some remain."""
        remaining: Bits = 0
        for word in range(self.cell_words):
            self.cells_in_reach[word] &= self.peer_bits[cell * self.cell_words + word]
            remaining |= self.cells_in_reach[word]
        return remaining

    @cfunc
    @final
    @exceptval(check=False)
    def hit_reach(self, digit: Int) -> Int:
        """Add a digit in all `cells_in_reach` to the candidates that the next step strikes."""
        for word in range(self.cell_words):
            bits = self.cells_in_reach[word]
            while bits:
                self.hit_candidate((word << 6) + lowest_bit(bits), digit)
                bits &= bits - 1
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def offer_step(self, technique: Int, rating: Int, size: Int) -> Int:
        """Keep the hits as the best step if there are any and no kept step is as easy.

        Otherwise discard the hits. Returns whether the step was kept.
        """
        count: Int = self.hit_count
        self.hit_count = 0
        self.hits_seen += count
        if not count or rating > self.rating or (rating == self.rating and size >= self.size):
            return 0
        self.technique, self.rating, self.size = technique, rating, size
        self.struck_count = count
        for index in range(2 * count):
            self.struck[index] = self.hits[index]
        self.base_count = self.step_house_count = 0
        self.step_digits, self.links_end = 0, 0
        self.filled_cell = self.filled_digit = -1
        return 1

    @cfunc
    @exceptval(check=False)
    def add_base_cell(self, cell: Int) -> Int:
        """Add a cell to those that justify the step, unless it is there already."""
        for index in range(self.base_count):
            if self.base_cells[index] == cell:
                return 0
        self.base_cells[self.base_count] = cell
        self.base_count += 1
        return 0

    @cfunc
    def add_house(self, house: Int) -> Int:
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
        digits = [digit for digit in range(self.digits) if self.step_digits >> digit & 1]
        struck = [
            (self.struck[2 * index], self.struck[2 * index + 1])
            for index in range(self.struck_count)
        ]
        return (
            self.technique,
            self.rating,
            [self.base_cells[index] for index in range(self.base_count)],
            digits,
            [self.step_houses[index] for index in range(self.step_house_count)],
            (self.filled_cell, self.filled_digit),
            struck,
            [self.links[index] for index in range(self.links_end)],
        )

    @cfunc
    def carry_out_step(self) -> Int:
        self.clock += 1
        if self.filled_cell >= 0:
            self.place_digit(self.filled_cell, self.filled_digit)
        else:
            for index in range(self.struck_count):
                self.remove_candidate(self.struck[2 * index], self.struck[2 * index + 1])
        self.forget_step()
        return 0
