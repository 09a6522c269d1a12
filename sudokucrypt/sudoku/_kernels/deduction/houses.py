"""Singles, locked candidates, subsets and fish: what houses and lines need and share."""

from array import array

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.board import Board
    from sudokucrypt.sudoku._kernels.deduction.names import (
        FINNED,
        FISH,
        HIDDEN,
        NAKED,
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
class Houses(Board):
    """What follows within a house, and from the lines that hold a digit."""

    sets: Words
    set_count: Int
    of_set: Ints  # the cell, digit or house of each
    picked: Ints
    house_now: Int
    digit_now: Int
    axis_now: Int
    technique_now: Int
    fins: Ints
    bases: Bits  # the lines of a fish, as bits across, where the sheet is simple
    cells_now: Ints

    def __init__(self, tables: Any):
        Board.__init__(self, tables)
        room: Int = self.cells + self.digits + self.houses
        self.sets = array("Q", [0]) * room
        self.of_set = array("i", [0]) * room
        self.picked = array("i", [0]) * 16
        self.fins = array("i", [0]) * room
        self.cells_now = array("i", [0]) * room

    @cfunc
    def single(self, technique: Int, rating: Int, cell: Int, digit: Int, house: Int) -> Int:
        slot: Int
        for slot in range(self.peer_ends[cell], self.peer_ends[cell + 1]):
            self.hit(self.peers[slot], digit)
        # A single without candidates to strike is a step too.
        if not self.hit_count:
            self.hits[0], self.hits[1], self.hit_count = cell, digit, 1
        if self.offer(technique, rating, 0):
            if self.struck[0] == cell:
                self.struck_count = 0
            self.base(cell)
            self.about = ONE << digit
            if house >= 0:
                self.house(house)
        return 0

    @cfunc
    def naked_single(self) -> Int:
        cell: Int
        bits: Bits
        for cell in range(self.cells):
            bits = self.candidates[cell]
            if not self.settled[cell] and not bits & (bits - 1):
                if not bits:
                    self.broken = 1
                    return 0
                return self.single(0, 23, cell, lowest_bit(bits), -1)
        return 0

    @cfunc
    def hidden_single(self) -> Int:
        """Look for a digit with one place in a house; boxes come first."""
        index: Int
        house: Int
        digit: Int
        slot: Int
        bits: Bits
        once: Bits
        twice: Bits
        fixed: Bits
        for index in range(self.houses):
            house = self.easiest[index]
            if not self.full[house] or self.is_old(1, house, self.house_changes[house]):
                continue
            once = twice = fixed = 0
            for slot in range(house * self.widest, (house + 1) * self.widest):
                if self.members[slot] >= 0:
                    bits = self.candidates[self.members[slot]]
                    if self.settled[self.members[slot]]:
                        fixed |= bits
                    else:
                        twice |= once & bits
                        once |= bits
            if count_bits(once | fixed) < self.digits:
                self.broken = 1
                return 0
            once &= ~(twice | fixed)
            if once:
                digit = lowest_bit(once)
                slot = house * self.widest + lowest_bit(self.places[house * self.digits + digit])
                return self.single(
                    1, 15 if self.axis[house] else 12, self.members[slot], digit, house
                )
            self.saw_nothing()
        return 0

    @cfunc
    def locked_candidates(self) -> Int:
        """Look for a digit whose places in one house all lie in a second one."""
        index: Int
        house: Int
        other: Int
        digit: Int
        slot: Int
        mask: Bits
        rest: Bits
        for index in range(self.houses):
            house = self.easiest[index]
            if not self.full[house] or self.is_old(2, house, self.house_changes[house]):
                continue
            for digit in range(self.digits):
                mask = self.places[house * self.digits + digit]
                if not mask & (mask - 1):
                    continue
                slot = self.members[house * self.widest + lowest_bit(mask)] * self.most
                for slot in range(slot, slot + self.most):
                    other = self.houses_of[slot]
                    if other < 0 or other == house:
                        continue
                    if mask & ~self.shared[house * self.houses + other]:
                        continue
                    rest = self.places[other * self.digits + digit]
                    rest &= ~self.shared[other * self.houses + house]
                    self.hit_house(other, rest, digit)
                    if self.offer(2, 28 if self.axis[house] else 26, 0):
                        self.base_house(house, mask)
                        self.about = ONE << digit
                        self.house(house)
                        self.house(other)
                        return 1
            self.saw_nothing()
        return 0

    @cfunc
    def hit_house(self, house: Int, mask: Bits, digit: Int) -> Int:
        while mask:
            self.hit(self.members[house * self.widest + lowest_bit(mask)], digit)
            mask &= mask - 1
        return 0

    @cfunc
    def base_house(self, house: Int, mask: Bits) -> Int:
        while mask:
            self.base(self.members[house * self.widest + lowest_bit(mask)])
            mask &= mask - 1
        return 0

    @cfunc
    @exceptval(check=False)
    def grow(self, kind: Int, size: Int, most: Int, depth: Int, start: Int, union: Bits) -> Int:
        """Choose `size` sets with at most `most` members in all, and see what follows.

        Choices come in lexicographic order. What has too many members before it is complete is
        not gone into, which matters for large houses.
        """
        index: Int
        wider: Bits
        if depth == size:
            if kind == NAKED or kind == HIDDEN:
                return self.subset_of(kind, size, union)
            if kind == FISH or kind == FINNED:
                return self.fish_of(kind, size, union)
            return self.others_of(kind, size, union)
        for index in range(start, self.set_count):
            wider = union | self.sets[index]
            if count_bits(wider) <= most:
                self.picked[depth] = index
                if self.grow(kind, size, most, depth + 1, index + 1, wider):
                    return 1
        return 0

    @cfunc
    @exceptval(check=False)
    def others_of(self, kind: Int, size: Int, union: Bits) -> Int:
        """Conclude what techniques of later classes do from a choice of sets."""
        return 0

    @cfunc
    @exceptval(check=False)
    def open_sets(self, house: Int, most: Int) -> Int:
        """Take the candidates of the open cells of a house as sets, if they are few; count all."""
        slot: Int
        cell: Int
        count: Int = 0
        self.set_count = 0
        for slot in range(house * self.widest, (house + 1) * self.widest):
            cell = self.members[slot]
            if cell >= 0 and not self.settled[cell]:
                count += 1
                if count_bits(self.candidates[cell]) <= most:
                    self.sets[self.set_count] = self.candidates[cell]
                    self.of_set[self.set_count] = cell
                    self.set_count += 1
        return count

    @cfunc
    def subsets(self, technique: Int, rating: Int, size: Int, hidden: Int) -> Int:
        """Look for cells of a house with as many candidates, or digits with as many cells."""
        house: Int
        digit: Int
        mask: Bits
        for house in range(self.houses):
            if self.is_old(technique, house, self.house_changes[house]):
                continue
            if hidden and not self.full[house]:
                continue
            self.house_now, self.technique_now, self.axis_now = house, technique, rating
            if self.open_sets(house, size) > size:
                if hidden:
                    self.set_count = 0
                    for digit in range(self.digits):
                        mask = self.places[house * self.digits + digit]
                        if mask and count_bits(mask) <= size:
                            self.sets[self.set_count] = mask
                            self.of_set[self.set_count] = digit
                            self.set_count += 1
                if self.grow(HIDDEN if hidden else NAKED, size, size, 0, 0, 0):
                    return 1
            self.saw_nothing()
        return 0

    @cfunc
    @exceptval(check=False)
    def subset_of(self, kind: Int, size: Int, union: Bits) -> Int:
        index: Int
        slot: Int
        cell: Int
        house: Int = self.house_now
        digits: Bits = union
        if kind == HIDDEN:
            digits = 0
            for index in range(size):
                digits |= ONE << self.of_set[self.picked[index]]
        for slot in range(self.widest):
            cell = self.members[house * self.widest + slot]
            if cell < 0 or self.settled[cell]:
                continue
            if kind == HIDDEN:
                if union >> slot & 1:
                    self.hit_bits(cell, ~digits)
            elif self.candidates[cell] & ~union:
                self.hit_bits(cell, union)
        if not self.offer(self.technique_now, self.axis_now, 0):
            return 0
        if kind == HIDDEN:
            self.base_house(house, union)
        else:
            for index in range(size):
                self.base(self.of_set[self.picked[index]])
        self.about = digits
        self.house(house)
        return 1

    @cfunc
    def fish(self, technique: Int, rating: Int, size: Int, finned: Int) -> Int:
        """Look for lines whose places of a digit lie in as many lines that cross them.

        A finned fish has places in one or two more lines, and what it strikes sees these.
        """
        digit: Int
        axis: Int
        house: Int
        slot: Int
        mask: Bits
        across: Bits
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
                    across = 0
                    while mask:
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
        first: Bits
        second: Bits
        rest: Bits = union
        index: Int
        other: Int
        for index in range(1, size):
            for other in range(index):
                # Rows of overlapping grids share cells, and one digit can serve both.
                if self.shared[
                    self.of_set[self.picked[index]] * self.houses + self.of_set[self.picked[other]]
                ]:
                    return 0
        if kind == FISH:
            return self.covered(size, union, 0)
        if count_bits(union) <= size or self.is_barren(size, union):
            return 0  # a plain fish is easier
        while rest:
            first = rest & -rest
            rest ^= first
            second = rest
            if count_bits(union) == size + 1:
                if self.covered(size, union ^ first, first):
                    return 1
                continue
            while second:
                other = lowest_bit(second)
                second &= second - 1
                if self.covered(size, union ^ first ^ ONE << other, first | ONE << other):
                    return 1
        return 0

    @cfunc
    @exceptval(check=False)
    def is_barren(self, size: Int, lines: Bits) -> Int:
        """Return whether nothing is left to strike in these lines, as can often be seen at once."""
        index: Int
        house: Int
        self.bases = 0
        for index in range(size if self.simple else 0):
            house = self.members[self.of_set[self.picked[index]] * self.widest]
            self.bases |= ONE << self.coordinates[2 * house + self.axis_now - 1]
        while lines and self.simple:
            house = self.line_at[(2 - self.axis_now) * self.span + lowest_bit(lines)]
            if self.places[house * self.digits + self.digit_now] & ~self.bases:
                return 0
            lines &= lines - 1
        return self.simple

    @cfunc
    @exceptval(check=False)
    def crossing(self, line: Int, size: Int) -> Int:
        """Return the house that holds all places of the fish at a line across, or -1."""
        index: Int
        slot: Int
        cell: Int
        count: Int = 0
        house: Int
        mask: Bits
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
        slot: Int
        for slot in range(cell * self.most, (cell + 1) * self.most):
            if self.houses_of[slot] == house:
                return 1
        return 0

    @cfunc
    @exceptval(check=False)
    def covered(self, size: Int, cover: Bits, beyond: Bits) -> Int:
        """Strike what is in the covers, in no base, and sees the places beyond."""
        index: Int
        house: Int
        cell: Int
        fins: Int = 0
        mask: Bits = 0
        rest: Bits = cover
        if self.is_barren(size, cover):
            return 0
        for index in range(size):
            house = self.of_set[self.picked[index]]
            mask = self.places[house * self.digits + self.digit_now] if beyond else 0
            while mask:
                cell = self.members[house * self.widest + lowest_bit(mask)]
                mask &= mask - 1
                if beyond >> self.coordinates[2 * cell + 2 - self.axis_now] & 1:
                    self.fins[fins] = cell
                    fins += 1
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
                    if self.sees_all(cell, self.fins, fins, self.digit_now):
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
