"""The candidates of all cells, and the step that a technique has found."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.names import *


@cclass
class Board:
    """The candidates of a sheet, whose tables are those of `HouseTables`.

    A step is a technique with a rating in tenths, a size that decides between steps of one rating,
    and lists of what it rests on. `offer` keeps the best step since `forget`.
    """

    cells: Int
    digits: Int
    houses: Int
    widest: Int  # cells of the largest house
    most: Int  # houses of a cell
    members: Ints  # the cells of each house, then -1
    houses_of: Ints  # the houses of each cell, then -1
    index_in: Ints  # where in each of them the cell is
    peer_ends: Ints
    peers: Ints
    near: Bytes  # whether two cells see each other
    full: Bytes  # houses that hold every digit
    axis: Bytes  # of a house that is a row 1, a column 2, else 0
    cell_words: Int
    seen_by: Words  # the cells that see each
    easiest: Ints  # houses, boxes first
    shared: Words  # which cells of one house are in another
    coordinates: Ints  # row and column of each cell
    span: Int  # rows or columns, whichever are more
    simple: Int  # whether each row and each column is a house, with its cells in order
    line_at: Ints  # then these houses

    everywhere: Words  # where each digit can be in each house at first
    candidates: Words
    settled: Bytes
    open_counts: Ints  # the open cells of each house
    nearly_full: Int  # how many houses have one open cell
    places: Words  # the open cells of each house that may hold each digit
    positions: Words  # those of the sheet
    reach: Words  # those of them that a conclusion would strike
    left: Int
    broken: Int
    clock: Int  # counts steps from `restart` on
    digit_changes: Ints  # when each last changed
    house_changes: Ints
    cell_changes: Ints
    tried: Ints  # when a technique last saw nothing in a house, or of a digit
    linked: Ints  # when the strong links of each digit were listed

    slot: Int
    seen: Int  # hits of all conclusions, also of those that were not kept
    seen_before: Int

    technique: Int
    rating: Int
    size: Int
    filled: Int  # the cell that the step fills, or -1
    digit_placed: Int
    hits: Ints  # cells and digits that a conclusion would strike
    hit_count: Int
    struck: Ints
    struck_count: Int
    based: Ints  # cells
    based_count: Int
    about: Bits  # digits
    housed: Ints
    housed_count: Int
    links: Ints
    links_end: Int

    def __init__(self, tables: Any) -> None:
        self.cells, self.digits, self.houses = tables.cells, tables.digits, tables.houses
        self.widest, self.most, self.span = tables.widest, tables.most, tables.span
        self.members, self.houses_of, self.index_in = (
            tables.members,
            tables.houses_of,
            tables.index_in,
        )
        self.peer_ends, self.peers, self.near = tables.peer_ends, tables.peers, tables.near
        self.full, self.axis, self.easiest = tables.full, tables.axis, tables.easiest
        self.shared, self.coordinates = tables.shared, tables.coordinates
        self.simple, self.line_at = tables.simple, tables.line_at
        self.everywhere = tables.everywhere
        self.cell_words, self.seen_by = tables.cell_words, tables.seen_by
        self.candidates = array("Q", [0]) * self.cells
        self.settled = array("B", [0]) * self.cells
        self.open_counts = array("i", [0]) * self.houses
        self.places = array("Q", [0]) * (self.houses * self.digits)
        self.positions = array("Q", [0]) * (self.digits * self.cell_words)
        self.reach = array("Q", [0]) * self.cell_words
        self.digit_changes = array("i", [0]) * self.digits
        self.house_changes = array("i", [0]) * self.houses
        self.cell_changes = array("i", [0]) * self.cells
        self.tried = array("i", [0]) * (64 * max(self.digits, self.houses))
        self.linked = array("i", [0]) * self.digits
        self.hits = array("i", [0]) * (2 * self.cells * self.digits)
        self.struck = array("i", [0]) * (2 * self.cells * self.digits)
        self.based = array("i", [0]) * (self.cells + 64)
        self.housed = array("i", [0]) * (self.houses + 64)
        self.links = array("i", [0]) * (8 * self.cells * self.digits + 64)
        self.seen = self.seen_before = 0

    def restart(self, givens: Any) -> None:
        """Begin with a digit in each cell, or -1 where it is open."""
        for index in range(self.cells):
            self.candidates[index] = EVERY >> (64 - self.digits)
            self.settled[index], self.cell_changes[index] = 0, 1
        for index in range(self.houses * self.digits):
            self.places[index] = self.everywhere[index]
        for index in range(self.digits * self.cell_words):
            last: Int = (index + 1) % self.cell_words == 0
            self.positions[index] = EVERY >> (-self.cells & 63 if last else 0)
        # Nothing of another puzzle is taken for old.
        self.clock = 1
        for index in range(64 * max(self.digits, self.houses)):
            self.tried[index] = 0
        for index in range(self.digits):
            self.digit_changes[index], self.linked[index] = 1, 0
        for index in range(self.houses):
            self.house_changes[index] = 1
            self.open_counts[index] = 0
        for index in range(self.cells * self.most):
            if self.houses_of[index] >= 0:
                self.open_counts[self.houses_of[index]] += 1
        self.nearly_full = 0
        for index in range(self.houses):
            self.nearly_full += self.open_counts[index] == 1
        self.left, self.broken = self.cells, 0
        self.forget()
        for index in range(self.cells):
            digit: Int = givens[index]
            if digit >= 0:
                self.put(index, digit)

    def settle(self, cell: Int, digit: Int) -> None:
        """Put a digit in a cell, and strike it from the cells that see it."""
        self.clock += 1
        self.put(cell, digit)

    def strike(self, cell: Int, digit: Int) -> None:
        """Remove a candidate of a cell."""
        self.clock += 1
        self.remove(cell, digit)

    def marks(self) -> list[int]:
        """Return the candidates of all cells as bits."""
        return [int(bits) for bits in self.candidates]

    def open_cells(self) -> list[int]:
        """Return the cells that are not settled."""
        return [cell for cell in range(self.cells) if not self.settled[cell]]

    def is_broken(self) -> bool:
        """Return whether a cell or a house was seen to have no candidate."""
        return bool(self.broken)

    @cfunc
    @final
    @exceptval(check=False)
    def put(self, cell: Int, digit: Int) -> Int:
        bits: Bits = self.candidates[cell]
        if not bits >> digit & 1:
            self.broken = 1
        # The cell is no longer open, so that its house counts none of its candidates.
        while bits:
            other = lowest_bit(bits)
            bits &= bits - 1
            for slot in range(cell * self.most, (cell + 1) * self.most):
                house = self.houses_of[slot]
                if house >= 0:
                    self.places[house * self.digits + other] &= ~(ONE << self.index_in[slot])
            self.positions[other * self.cell_words + (cell >> 6)] &= ~(ONE << (cell & 63))
            self.digit_changes[other] = self.clock
        self.candidates[cell] = ONE << digit
        self.settled[cell] = 1
        self.left -= 1
        for slot in range(cell * self.most, (cell + 1) * self.most):
            house = self.houses_of[slot]
            if house >= 0:
                self.house_changes[house] = self.clock
                self.open_counts[house] -= 1
                self.nearly_full += self.open_counts[house] == 1
                self.nearly_full -= self.open_counts[house] == 0
        for slot in range(self.peer_ends[cell], self.peer_ends[cell + 1]):
            if self.candidates[self.peers[slot]] >> digit & 1:
                self.remove(self.peers[slot], digit)
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def remove(self, cell: Int, digit: Int) -> Int:
        bits: Bits = self.candidates[cell] & ~(ONE << digit)
        self.candidates[cell] = bits
        if not bits:
            self.broken = 1
        self.positions[digit * self.cell_words + (cell >> 6)] &= ~(ONE << (cell & 63))
        self.digit_changes[digit] = self.cell_changes[cell] = self.clock
        for slot in range(cell * self.most, (cell + 1) * self.most):
            house = self.houses_of[slot]
            if house >= 0:
                self.places[house * self.digits + digit] &= ~(ONE << self.index_in[slot])
                self.house_changes[house] = self.clock
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def is_old(self, technique: Int, kind: Int, changes: Int) -> Int:
        """Return whether a technique saw nothing in a house, or of a digit, that is the same."""
        self.slot = technique * (self.digits if self.digits > self.houses else self.houses) + kind
        self.seen_before = self.seen
        return self.tried[self.slot] >= changes

    @cfunc
    @final
    @exceptval(check=False)
    def saw_nothing(self) -> Int:
        """Note that there is nothing where `is_old` asked last, unless there was something."""
        if self.seen != self.seen_before:
            return 0
        self.tried[self.slot] = self.clock
        return 1

    @cfunc
    @final
    @exceptval(check=False)
    def forget(self) -> Int:
        """Forget the step."""
        self.technique, self.rating, self.size = -1, 1000, 0
        self.hit_count = self.struck_count = self.based_count = self.housed_count = 0
        self.about, self.links_end = 0, 0
        self.filled = self.digit_placed = -1
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def hit(self, cell: Int, digit: Int) -> Int:
        """Strike a candidate if the conclusion that follows is kept."""
        if self.settled[cell] or not self.candidates[cell] >> digit & 1:
            return 0
        self.hits[2 * self.hit_count] = cell
        self.hits[2 * self.hit_count + 1] = digit
        self.hit_count += 1
        return 1

    @cfunc
    @final
    @exceptval(check=False)
    def hit_bits(self, cell: Int, bits: Bits) -> Int:
        bits &= self.candidates[cell]
        while bits:
            self.hit(cell, lowest_bit(bits))
            bits &= bits - 1
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def reach_all(self, digit: Int) -> Int:
        """Take all open cells that may hold a digit as those within reach."""
        for word in range(self.cell_words):
            self.reach[word] = self.positions[digit * self.cell_words + word]
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def see(self, cell: Int) -> Bits:
        """Leave what a cell sees within reach; return whether that is anything."""
        left: Bits = 0
        for word in range(self.cell_words):
            self.reach[word] &= self.seen_by[cell * self.cell_words + word]
            left |= self.reach[word]
        return left

    @cfunc
    @final
    @exceptval(check=False)
    def hit_reach(self, digit: Int) -> Int:
        """Strike a digit in all cells within reach."""
        for word in range(self.cell_words):
            bits = self.reach[word]
            while bits:
                self.hit((word << 6) + lowest_bit(bits), digit)
                bits &= bits - 1
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def offer(self, technique: Int, rating: Int, size: Int) -> Int:
        """Keep the hits as a step if there are any, and none is easier; forget them else."""
        count: Int = self.hit_count
        self.hit_count = 0
        self.seen += count
        if not count or rating > self.rating or (rating == self.rating and size >= self.size):
            return 0
        self.technique, self.rating, self.size = technique, rating, size
        self.struck_count = count
        for index in range(2 * count):
            self.struck[index] = self.hits[index]
        self.based_count = self.housed_count = 0
        self.about, self.links_end = 0, 0
        self.filled = self.digit_placed = -1
        return 1

    @cfunc
    @exceptval(check=False)
    def base(self, cell: Int) -> Int:
        """Name a cell that the step rests on, once."""
        for index in range(self.based_count):
            if self.based[index] == cell:
                return 0
        self.based[self.based_count] = cell
        self.based_count += 1
        return 0

    @cfunc
    def house(self, house: Int) -> Int:
        """Name a house of the step, once."""
        for index in range(self.housed_count):
            if self.housed[index] == house:
                return 0
        self.housed[self.housed_count] = house
        self.housed_count += 1
        return 0

    def step(self) -> Any:
        """Return the step, or None.

        It is technique, rating, cells, digits, houses, the cell that is filled and its digit (or
        -1), struck candidates and links.
        """
        if self.technique < 0:
            return None
        digits = [digit for digit in range(self.digits) if self.about >> digit & 1]
        struck = [
            (self.struck[2 * index], self.struck[2 * index + 1])
            for index in range(self.struck_count)
        ]
        return (
            self.technique,
            self.rating,
            [self.based[index] for index in range(self.based_count)],
            digits,
            [self.housed[index] for index in range(self.housed_count)],
            (self.filled, self.digit_placed),
            struck,
            [self.links[index] for index in range(self.links_end)],
        )

    @cfunc
    def carry_out(self) -> Int:
        self.clock += 1
        if self.filled >= 0:
            self.put(self.filled, self.digit_placed)
        else:
            for index in range(self.struck_count):
                self.remove(self.struck[2 * index], self.struck[2 * index + 1])
        self.forget()
        return 0
