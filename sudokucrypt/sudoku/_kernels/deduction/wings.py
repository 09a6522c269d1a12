"""Wings: cells of a house and a pair elsewhere that need a digit between them."""

from array import array

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.fish import Fish
    from sudokucrypt.sudoku._kernels.deduction.names import (
        BENT,
        ONE,
        Any,
        Bits,
        Int,
        Ints,
        Words,
        cclass,
        cfunc,
        count_bits,
        exceptval,
        lowest_bit,
    )


@cclass
class Wings(Fish):
    """Cells that see each other only in part, and have few candidates together."""

    pairs: Ints
    pair_count: Int
    wing: Ints
    holding: Words  # the cells of a wing that may hold each digit

    def __init__(self, tables: Any):
        Fish.__init__(self, tables)
        self.pairs = array("i", [0]) * self.cells
        self.wing = array("i", [0]) * 16
        self.holding = array("Q", [0]) * (self.digits * self.cell_words)

    @cfunc
    def take_pairs(self) -> Int:
        """List the open cells with two candidates."""
        cell: Int
        self.pair_count = 0
        for cell in range(self.cells):
            if not self.settled[cell] and count_bits(self.candidates[cell]) == 2:
                self.pairs[self.pair_count] = cell
                self.pair_count += 1
        return self.pair_count

    @cfunc
    def wings(self, technique: Int, rating: Int, size: Int) -> Int:
        """Look for `size - 1` cells of a house and a pair with `size` candidates in all.

        One of the two digits of the pair is, among the cells, only in those that see the pair. So
        the other digit is in the pair or in the cells: what sees all its places fails.
        """
        house: Int
        if not self.take_pairs():
            return 0
        self.technique_now, self.axis_now = technique, rating
        for house in range(self.houses):
            self.open_sets(house, 2 if technique == 8 else size)
            if self.set_count >= size - 1 and self.grow(BENT, size - 1, size, 0, 0, 0):
                return 1
        return 0

    @cfunc
    @exceptval(check=False)
    def others_of(self, kind: Int, size: Int, union: Bits) -> Int:
        index: Int
        other: Int
        word: Int
        pair: Int
        digit: Int
        biggest: Int = 2
        bits: Bits
        if kind != BENT:
            return self.beside(size, union)
        if count_bits(union) != size + 1:
            return 0
        bits = union
        while bits:
            for word in range(self.cell_words):
                self.holding[lowest_bit(bits) * self.cell_words + word] = 0
            bits &= bits - 1
        for index in range(size):
            pair = self.wing[index] = self.of_set[self.picked[index]]
            bits = self.candidates[pair]
            other = count_bits(bits)
            biggest = other if other > biggest else biggest
            while bits:
                word = lowest_bit(bits) * self.cell_words + (pair >> 6)
                self.holding[word] |= ONE << (pair & 63)
                bits &= bits - 1
        for index in range(self.pair_count):
            pair = self.pairs[index]
            bits = self.candidates[pair]
            if bits & ~union:
                continue
            for digit in range(2):
                other = lowest_bit(bits if digit else bits & (bits - 1))
                # No cell sees itself, so that the pair is none of the cells.
                for word in range(self.cell_words):
                    if (
                        self.holding[other * self.cell_words + word]
                        & ~self.seen_by[pair * self.cell_words + word]
                    ):
                        break
                else:
                    if self.wing_of(size, pair, lowest_bit(bits & ~(ONE << other)), biggest):
                        return 1
        return 0

    @cfunc
    @exceptval(check=False)
    def is_picked(self, cell: Int, size: Int) -> Int:
        index: Int
        for index in range(size):
            if self.wing[index] == cell:
                return 1
        return 0

    @cfunc
    @exceptval(check=False)
    def wing_of(self, size: Int, pair: Int, digit: Int, biggest: Int) -> Int:
        index: Int
        slot: Int
        cell: Int
        rating: Int = self.axis_now
        for slot in range(self.peer_ends[pair], self.peer_ends[pair + 1]):
            cell = self.peers[slot]
            if self.candidates[cell] >> digit & 1 and not self.is_picked(cell, size):
                if self.sees_all(cell, self.wing, size, digit):
                    self.hit(cell, digit)
        # Wings with cells of a middling number of candidates are harder to see, it is said.
        if size >= 3:
            rating += size - 2 - (3 - biggest if biggest < 3 else biggest - 3)
        if not self.offer(self.technique_now, rating, 0):
            return 0
        for index in range(size):
            self.base(self.wing[index])
        self.base(pair)
        self.about = ONE << digit
        return 1

    @cfunc
    def w_wing(self, technique: Int, rating: Int) -> Int:
        """Look for two equal pairs, one of which needs a digit since it has no place else."""
        first: Int
        second: Int
        linking: Int
        house: Int
        slot: Int
        cell: Int
        other: Int
        bits: Bits
        self.take_pairs()
        for first in range(self.pair_count):
            for second in range(first + 1, self.pair_count):
                cell, other = self.pairs[first], self.pairs[second]
                bits = self.candidates[cell]
                if self.candidates[other] != bits or self.near[cell * self.cells + other]:
                    continue
                while bits:
                    linking = lowest_bit(bits)
                    bits &= bits - 1
                    house = self.between(cell, other, linking)
                    if house < 0:
                        continue
                    self.wing[0] = other
                    linking = lowest_bit(self.candidates[cell] & ~(ONE << linking))
                    for slot in range(self.peer_ends[cell], self.peer_ends[cell + 1]):
                        if self.near[other * self.cells + self.peers[slot]]:
                            self.hit(self.peers[slot], linking)
                    if self.offer(technique, rating, 0):
                        self.base(cell)
                        self.base(other)
                        self.about = self.candidates[cell]
                        self.house(house)
                        return 1
        return 0

    @cfunc
    def between(self, cell: Int, other: Int, digit: Int) -> Int:
        """Return a house in which all places of a digit see one of two cells, or -1."""
        house: Int
        place: Int
        mask: Bits
        for house in range(self.houses):
            mask = self.places[house * self.digits + digit]
            if not mask or not self.full[house]:
                continue
            while mask:
                place = self.members[house * self.widest + lowest_bit(mask)]
                if not (
                    self.near[cell * self.cells + place] or self.near[other * self.cells + place]
                ):
                    break
                mask &= mask - 1
            if not mask:
                return house
        return -1

    @cfunc
    @exceptval(check=False)
    def beside(self, size: Int, union: Bits) -> Int:
        """Conclude what a later class does from cells beside a pattern."""
        return 0
