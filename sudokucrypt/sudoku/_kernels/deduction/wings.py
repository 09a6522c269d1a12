"""Wings: cells of a house and a pair elsewhere that need a digit between them."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.fish import Fish
    from sudokucrypt.sudoku._kernels.deduction.names import *


@cclass
class Wings(Fish):
    """Cells that see each other only in part, and have few candidates together."""

    pairs: Ints
    pair_count: Int
    partners: Ints  # the pairs to be considered with a house
    partner_count: Int

    def __init__(self, tables: Any):
        Fish.__init__(self, tables)
        self.pairs = array("i", [0]) * self.cells
        self.partners = array("i", [0]) * self.cells

    @cfunc
    def take_pairs(self) -> Int:
        """List the open cells with two candidates."""
        self.pair_count = 0
        for cell in range(self.cells):
            if not self.settled[cell] and count_bits(self.candidates[cell]) == 2:
                self.pairs[self.pair_count] = cell
                self.pair_count += 1
        return self.pair_count

    @cfunc
    def wings(self, technique: Int, rating: Int, size: Int, bits: Int) -> Int:
        """Look for `size - 1` cells of a house and a pair with `size` candidates in all.

        One of the two digits of the pair is, among the cells, only in those that see the pair. So
        the other digit is in the pair or in the cells: what sees all its places fails. The cells
        have at most `bits` candidates each.
        """
        self.take_pairs()
        self.technique_now, self.axis_now = technique, rating
        for house in range(self.houses):
            # With a house that is the same, pairs that are the same give nothing again.
            since = 0
            if self.is_old(technique, house, self.house_changes[house]):
                since = self.tried[self.slot]
            self.partner_count = 0
            for index in range(self.pair_count):
                if self.cell_changes[self.pairs[index]] > since:
                    self.partners[self.partner_count] = self.pairs[index]
                    self.partner_count += 1
            if self.partner_count:
                self.open_sets(house, bits)
                if self.grow(BENT, size - 1, size, 0, 0, 0):
                    return 1
            self.saw_nothing()
        return 0

    @cfunc
    @exceptval(check=False)
    def others_of(self, kind: Int, size: Int, union: Bits) -> Int:
        if kind != BENT:
            return self.beside(size, union)
        for index in range(self.partner_count):
            pair = self.partners[index]
            bits = self.candidates[pair]
            if bits & ~union:
                continue
            # No cell sees itself, so that the pair is none of the cells.
            unseen = 0
            for one in range(size):
                cell = self.of_set[self.picked[one]]
                if not self.near[pair * self.cells + cell]:
                    unseen |= self.candidates[cell]
            for one in range(2):
                digit = lowest_bit(bits & (bits - 1) if one else bits)
                if not unseen & bits & ~(ONE << digit) and self.wing_of(size, pair, digit):
                    return 1
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def wing_of(self, size: Int, pair: Int, digit: Int) -> Int:
        biggest: Int = 2
        rating: Int = self.axis_now
        self.reach_all(digit)
        self.see(pair)
        for index in range(size):
            cell = self.of_set[self.picked[index]]
            if self.candidates[cell] >> digit & 1 and not self.see(cell):
                return 0
            biggest = max(biggest, count_bits(self.candidates[cell]))
        self.hit_reach(digit)
        # Wings with cells of a middling number of candidates are harder to see, it is said.
        if size >= 3:
            rating += size - 2 - (3 - biggest if biggest < 3 else biggest - 3)
        if not self.offer(self.technique_now, rating, 0):
            return 0
        for index in range(size):
            self.base(self.of_set[self.picked[index]])
        self.base(pair)
        self.about = ONE << digit
        return 1

    @cfunc
    def w_wing(self, technique: Int, rating: Int) -> Int:
        """Look for two equal pairs, one of which needs a digit since it has no place else."""
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
                    linking = lowest_bit(self.candidates[cell] & ~(ONE << linking))
                    self.reach_all(linking)
                    self.see(cell)
                    self.see(other)
                    self.hit_reach(linking)
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
