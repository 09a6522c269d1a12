"""Fish: the lines that hold a digit, and lines that cross them in its places."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.houses import Houses
    from sudokucrypt.sudoku._kernels.deduction.names import *


@cclass
class Fish(Houses):
    """What follows from the lines that hold a digit."""

    bases: Bits  # the lines of a fish, as bits across, where the sheet is simple
    live: Bits  # the lines that cross them in which something is left to strike
    cells_now: Ints

    def __init__(self, tables: Any):
        Houses.__init__(self, tables)
        room: Int = self.cells + self.digits + self.houses
        self.cells_now = array("i", [0]) * room

    @cfunc
    def fish(self, technique: Int, rating: Int, size: Int, finned: Int) -> Int:
        """Look for lines whose places of a digit lie in as many lines that cross them.

        A finned fish has places in one or two more lines, and what it strikes sees these.
        """
        if self.span > 64:
            return 0
        for digit in range(self.digits):
            if self.is_old(technique, digit, self.digit_changes[digit]):
                continue
            for axis in range(1, 3):
                self.set_count = 0
                for house in range(self.houses):
                    mask = self.places[house * self.digits + digit]
                    if self.axis[house] != axis or not self.full[house] or not mask & (mask - 1):
                        continue
                    across = mask if self.simple else 0
                    while mask and not self.simple:
                        slot = self.members[house * self.widest + lowest_bit(mask)]
                        across |= ONE << self.coordinates[2 * slot + 2 - axis]
                        mask &= mask - 1
                    self.sets[self.set_count] = across
                    self.of_set[self.set_count] = house
                    self.set_count += 1
                self.digit_now, self.axis_now, self.technique_now = digit, axis, technique
                self.house_now = rating
                # Fins lie in one box of 3x3: two lines at most beside the covers.
                if self.grow(FINNED if finned else FISH, size, size + 2 * finned, 0, 0, 0):
                    return 1
            self.saw_nothing()
        return 0

    @cfunc
    @exceptval(check=False)
    def fish_of(self, kind: Int, size: Int, union: Bits) -> Int:
        rest: Bits = union
        self.bases = 0
        for index in range(size):
            house = self.of_set[self.picked[index]]
            if self.simple:
                other = self.members[house * self.widest]
                self.bases |= ONE << self.coordinates[2 * other + self.axis_now - 1]
            # Rows of overlapping grids share cells, and one digit can serve both.
            for other in range(0 if self.simple else index):
                if self.shared[house * self.houses + self.of_set[self.picked[other]]]:
                    return 0
        self.live = self.alive(union)
        if kind == FISH:
            return self.strike_covered(size, union, 0)
        if count_bits(union) <= size:
            return 0  # a plain fish is easier
        while rest:
            first = rest & -rest
            rest ^= first
            second = rest
            if count_bits(union) == size + 1:
                if self.strike_covered(size, union ^ first, first):
                    return 1
                continue
            while second:
                other = lowest_bit(second)
                second &= second - 1
                if self.strike_covered(size, union ^ first ^ ONE << other, first | ONE << other):
                    return 1
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def alive(self, lines: Bits) -> Bits:
        """Return the lines in which something is left to strike, as can often be seen at once."""
        left: Bits = 0
        while lines and self.simple:
            house = self.line_at[(2 - self.axis_now) * self.span + lowest_bit(lines)]
            if self.places[house * self.digits + self.digit_now] & ~self.bases:
                left |= lines & -lines
            lines &= lines - 1
        return left | lines

    @cfunc
    @final
    @exceptval(check=False)
    def crossing(self, line: Int, size: Int) -> Int:
        """Return the house that holds all places of the fish at a line across, or -1."""
        count: Int = 0
        if self.simple:
            return self.line_at[(2 - self.axis_now) * self.span + line]
        for index in range(size):
            house = self.of_set[self.picked[index]]
            mask = self.places[house * self.digits + self.digit_now]
            while mask:
                cell = self.members[house * self.widest + lowest_bit(mask)]
                mask &= mask - 1
                if self.coordinates[2 * cell + 2 - self.axis_now] == line:
                    self.cells_now[count] = cell
                    count += 1
        for slot in range(self.cells_now[0] * self.most, (self.cells_now[0] + 1) * self.most):
            house = self.houses_of[slot]
            if house < 0 or self.axis[house] != 3 - self.axis_now:
                continue
            for index in range(1, count):
                if not self.holds(house, self.cells_now[index]):
                    break
            else:
                return house
        return -1

    @cfunc
    @exceptval(check=False)
    def holds(self, house: Int, cell: Int) -> Int:
        """Return whether a house has a cell."""
        for slot in range(cell * self.most, (cell + 1) * self.most):
            if self.houses_of[slot] == house:
                return 1
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def strike_covered(self, size: Int, cover: Bits, beyond: Bits) -> Int:
        """Strike candidates in the covers, outside the bases, that see all fins."""
        mask: Bits = 0
        rest: Bits = cover & self.live
        if not rest:
            return 0
        self.reach_all(self.digit_now)
        for index in range(size):
            house = self.of_set[self.picked[index]]
            mask = self.places[house * self.digits + self.digit_now] if beyond else 0
            if self.simple:
                mask &= beyond
            while mask:
                cell = self.members[house * self.widest + lowest_bit(mask)]
                mask &= mask - 1
                if beyond >> self.coordinates[2 * cell + 2 - self.axis_now] & 1:
                    if not self.see(cell):
                        return 0
        while rest:
            house = self.crossing(lowest_bit(rest), size)
            rest &= rest - 1
            if house < 0:
                self.hit_count = 0
                return 0
            mask = self.places[house * self.digits + self.digit_now] & ~self.bases
            while mask:
                cell = self.members[house * self.widest + lowest_bit(mask)]
                mask &= mask - 1
                for index in range(0 if self.simple else size):
                    if self.holds(self.of_set[self.picked[index]], cell):
                        break
                else:
                    if self.reach[cell >> 6] >> (cell & 63) & 1:
                        self.hit(cell, self.digit_now)
        if not self.offer(self.technique_now, self.house_now, 0):
            return 0
        for index in range(size):
            house = self.of_set[self.picked[index]]
            self.base_house(house, self.places[house * self.digits + self.digit_now])
            self.house(house)
        while cover:
            self.house(self.crossing(lowest_bit(cover), size))
            cover &= cover - 1
        self.about = ONE << self.digit_now
        return 1
