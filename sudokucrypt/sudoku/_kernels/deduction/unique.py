"""Unique loops and bivalue graves: what a puzzle with one solution cannot come down to."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.names import *
    from sudokucrypt.sudoku._kernels.deduction.wings import Wings


@cclass
class Unique(Wings):
    """Patterns that have two solutions or none, so that a candidate more is right.

    The candidates beyond a pattern are in `extra`, its cells that have some in `odd`.
    """

    loop: Ints
    extra: Words
    odd: Ints
    odd_count: Int
    loop_rating: Int
    visits: Ints
    pattern: Ints  # the cells that the conclusion names first
    pattern_count: Int
    about_now: Bits

    def __init__(self, tables: Any):
        Wings.__init__(self, tables)
        self.loop = array("i", [0]) * 32
        self.pattern = array("i", [0]) * self.cells
        self.extra = array("Q", [0]) * self.cells
        self.odd = array("i", [0]) * self.cells
        self.visits = array("i", [0]) * self.houses

    @cfunc
    def unique_loops(self, technique: Int, rating: Int, longest: Int) -> Int:
        """Look for loops of cells that two digits alone must not fill: rectangles, or longer."""
        self.technique_now, self.loop_rating = technique, rating
        self.take_pairs()
        for index in range(self.pair_count):
            self.loop[0] = self.pairs[index]
            self.walk(1, -1, self.candidates[self.pairs[index]], 0, 0, longest)
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def walk(self, length: Int, last: Int, pair: Bits, more: Bits, odd: Int, longest: Int) -> Int:
        """Go on with a loop whose last two cells share a house, to each cell that may follow."""
        cell: Int = self.loop[length - 1]
        for slot in range(cell * self.most, (cell + 1) * self.most):
            house = self.houses_of[slot]
            if house < 0 or house == last:
                continue
            # Both digits are open in the house: few cells hold the first of them.
            bits = self.places[house * self.digits + lowest_bit(pair)]
            bits &= self.places[house * self.digits + lowest_bit(pair & (pair - 1))]
            while bits:
                place = lowest_bit(bits)
                bits &= bits - 1
                following = self.members[house * self.widest + place]
                if following == self.loop[0]:
                    if length == longest or (length >= 6 and not length & 1):
                        self.close(length, pair)
                    continue
                if length == longest or self.is_in_loop(following, length):
                    continue
                beyond = self.candidates[following] & ~pair
                # Loops with an earlier pair were found from there.
                if not beyond and following < self.loop[0]:
                    continue
                if beyond and odd >= 2 and count_bits(more | beyond) > 1:
                    continue
                self.loop[length] = following
                self.walk(length + 1, house, pair, more | beyond, odd + (beyond != 0), longest)
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def is_in_loop(self, cell: Int, length: Int) -> Int:
        for index in range(length):
            if self.loop[index] == cell:
                return 1
        return 0

    @cfunc
    @exceptval(check=False)
    def close(self, length: Int, pair: Bits) -> Int:
        """See what follows if each house has as many cells of one half of a loop as of the other.

        Then the two digits could be exchanged, and no house would notice.
        """
        even: Int = 1
        rating: Int = self.loop_rating
        for index in range(length):
            for slot in range(self.loop[index] * self.most, (self.loop[index] + 1) * self.most):
                if self.houses_of[slot] >= 0:
                    self.visits[self.houses_of[slot]] += 1 - 2 * (index & 1)
        for index in range(length):
            for slot in range(self.loop[index] * self.most, (self.loop[index] + 1) * self.most):
                if self.houses_of[slot] >= 0:
                    even &= self.visits[self.houses_of[slot]] == 0
        for index in range(length):
            for slot in range(self.loop[index] * self.most, (self.loop[index] + 1) * self.most):
                if self.houses_of[slot] >= 0:
                    self.visits[self.houses_of[slot]] = 0
        if not even:
            return 0
        self.odd_count = 0
        for index in range(length):
            self.pattern[index] = self.loop[index]
            self.extra[self.loop[index]] = self.candidates[self.loop[index]] & ~pair
            if self.extra[self.loop[index]]:
                self.odd[self.odd_count] = self.loop[index]
                self.odd_count += 1
        self.pattern_count, self.about_now = length, pair
        if length >= 6:
            rating += 4 if length >= 10 else 1 if length >= 8 else 0
        return self.conclude(rating, rating, pair)

    @cfunc
    def grave(self, technique: Int, rating: Int) -> Int:
        """See whether all cells would have two candidates, and all digits two places, but for few.

        If all candidates beyond were wrong, exchanging the two in every cell would give a second
        solution.
        """
        self.odd_count = 0
        for cell in range(self.cells):
            self.extra[cell] = 0
            if not self.settled[cell] and count_bits(self.candidates[cell]) != 2:
                self.odd[self.odd_count] = cell
                self.odd_count += 1
                if self.odd_count > self.digits:
                    return 0
        if not self.odd_count:
            return 0
        for house in range(self.houses):
            if not self.full[house]:
                return 0
            for digit in range(self.digits):
                mask = self.places[house * self.digits + digit]
                if not mask or count_bits(mask) == 2:
                    continue
                rest, count = mask, 0
                while rest:
                    cell = self.members[house * self.widest + lowest_bit(rest)]
                    rest &= rest - 1
                    if count_bits(self.candidates[cell]) > 2:
                        count += 1
                        index = cell
                if not count:
                    return 0
                if count == 1:
                    self.extra[index] |= ONE << digit
        self.about_now = 0
        for index in range(self.odd_count):
            cell = self.odd[index]
            self.pattern[index] = cell
            self.about_now |= self.extra[cell]
            if count_bits(self.candidates[cell] & ~self.extra[cell]) != 2:
                return 0
        for house in range(self.houses):
            for digit in range(self.digits):
                rest = self.places[house * self.digits + digit]
                count = 0
                while rest:
                    cell = self.members[house * self.widest + lowest_bit(rest)]
                    rest &= rest - 1
                    count += not self.extra[cell] >> digit & 1
                if count and count != 2:
                    return 0
        self.pattern_count, self.technique_now = self.odd_count, technique
        return self.conclude(rating, rating + 1, 0)

    @cfunc
    def conclude(self, rating: Int, harder: Int, pair: Bits) -> Int:
        """Conclude from a pattern: one of its extra candidates is right.

        `pair` has the digits of a loop, of which one cell alone needs none.
        """
        more: Bits = 0
        for index in range(self.odd_count):
            more |= self.extra[self.odd[index]]
        if self.odd_count == 1:
            cell = self.odd[0]
            self.hit_bits(cell, ~self.extra[cell])
            return self.offer_pattern(rating, -1)
        if not more & (more - 1):
            self.reach_all(lowest_bit(more))
            for index in range(self.odd_count):
                self.see(self.odd[index])
            self.hit_reach(lowest_bit(more))
            self.offer_pattern(harder, -1)
        for slot in range(self.odd[0] * self.most, (self.odd[0] + 1) * self.most):
            if self.houses_of[slot] >= 0 and self.are_in(self.houses_of[slot]):
                if self.odd_count == 2 and self.full[self.houses_of[slot]]:
                    self.conclude_exchange(self.houses_of[slot], harder)
                if more & (more - 1):
                    self.with_subset(self.houses_of[slot], harder, more)
        return 0

    @cfunc
    def are_in(self, house: Int) -> Int:
        """Return whether all odd cells are in a house."""
        for index in range(self.odd_count):
            if not self.holds(house, self.odd[index]):
                return 0
        return 1

    @cfunc
    def conclude_exchange(self, house: Int, rating: Int) -> Int:
        """Conclude that two odd cells hold an extra digit and one that has no place but in them."""
        one: Int = self.odd[0]
        two: Int = self.odd[1]
        usual: Bits = self.candidates[one] & self.candidates[two]
        usual &= ~(self.extra[one] | self.extra[two])
        while usual:
            digit = lowest_bit(usual)
            usual &= usual - 1
            if count_bits(self.places[house * self.digits + digit]) == 2:
                self.hit_bits(one, ~(self.extra[one] | ONE << digit))
                self.hit_bits(two, ~(self.extra[two] | ONE << digit))
                self.offer_pattern(rating, house)
        return 0

    @cfunc
    def with_subset(self, house: Int, rating: Int, more: Bits) -> Int:
        """Take the odd cells as one cell with the extra digits, which may be part of a subset."""
        self.house_now, self.axis_now = house, rating
        for size in range(2, 5):
            self.set_count = 0
            if count_bits(more) > size:
                continue
            for slot in range(house * self.widest, (house + 1) * self.widest):
                cell = self.members[slot]
                if cell < 0 or self.settled[cell] or count_bits(self.candidates[cell]) > size:
                    continue
                for index in range(self.odd_count):
                    if self.odd[index] == cell:
                        break
                else:
                    self.sets[self.set_count] = self.candidates[cell]
                    self.of_set[self.set_count] = cell
                    self.set_count += 1
            if self.grow(BESIDE, size - 1, size, 0, 0, more):
                return 1
        return 0

    @cfunc
    @exceptval(check=False)
    def beside(self, size: Int, union: Bits) -> Int:
        for slot in range(self.house_now * self.widest, (self.house_now + 1) * self.widest):
            cell = self.members[slot]
            if cell < 0:
                continue
            for index in range(size):
                if self.of_set[self.picked[index]] == cell:
                    break
            else:
                for index in range(self.odd_count):
                    if self.odd[index] == cell:
                        break
                else:
                    self.hit_bits(cell, union)
        if not self.offer_pattern(self.axis_now + size, self.house_now):
            return 0
        for index in range(size):
            self.base(self.of_set[self.picked[index]])
        return 1

    @cfunc
    def offer_pattern(self, rating: Int, house: Int) -> Int:
        """Offer the candidates that the pattern strikes, with its cells and digits."""
        if not self.offer(self.technique_now, rating, self.pattern_count):
            return 0
        for index in range(self.pattern_count):
            self.base(self.pattern[index])
        if house >= 0:
            self.house(house)
        self.about = self.about_now
        return 1
