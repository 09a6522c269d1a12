"""Singles, locked candidates and subsets: what houses need and share."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.board import Board
    from sudokucrypt.sudoku._kernels.deduction.names import *


@cclass
class Houses(Board):
    """What follows within a house."""

    sets: Words
    set_count: Int
    of_set: Ints  # the cell, digit or house of each
    picked: Ints
    set_found: Int  # whether `grow` came upon a hidden subset, of use or not
    boxes: Int  # how many houses, the first of `easiest`, are no rows and no columns
    house_now: Int
    digit_now: Int
    axis_now: Int
    technique_now: Int

    def __init__(self, tables: Any):
        Board.__init__(self, tables)
        room: Int = self.cells + self.digits + self.houses
        self.sets = array("Q", [0]) * room
        self.of_set = array("i", [0]) * room
        self.picked = array("i", [0]) * 16
        self.boxes = list(tables.axis).count(0)

    @cfunc
    def fill(self, technique: Int, rating: Int, cell: Int, digit: Int, house: Int) -> Int:
        """Offer to put a digit in a cell, its only place in a house if one is given."""
        self.reach_all(digit)
        self.see(cell)
        self.hit_reach(digit)
        # A single without candidates to strike is a step too.
        if not self.hit_count:
            self.hits[0], self.hits[1], self.hit_count = cell, digit, 1
        if not self.offer(technique, rating, 0):
            return 0
        if self.struck[0] == cell:
            self.struck_count = 0
        self.filled, self.digit_placed = cell, digit
        self.about = ONE << digit
        if house >= 0:
            self.house(house)
        return 1

    @cfunc
    def single(self, technique: Int, rating: Int, cell: Int, digit: Int, house: Int) -> Int:
        if self.fill(technique, rating, cell, digit, house):
            self.base(cell)
        return 0

    @cfunc
    def naked_single(self, technique: Int, rating: Int) -> Int:
        for cell in range(self.cells):
            bits = self.candidates[cell]
            if not self.settled[cell] and not bits & (bits - 1):
                if not bits:
                    self.broken = 1
                    return 0
                return self.single(technique, rating, cell, lowest_bit(bits), -1)
        return 0

    @cfunc
    def hidden_single(self, technique: Int, rating: Int) -> Int:
        """Look for a digit with one place in a house.

        The last open cell of a house is easiest to see, then what a box shows.
        """
        for several in range(0 if self.nearly_full else 1, 2):
            for index in range(self.houses):
                house = self.easiest[index]
                if not self.full[house] or (not several and self.open_counts[house] != 1):
                    continue
                if self.is_old(technique, house, self.house_changes[house]):
                    continue
                once = self.find_singles(house)
                if self.broken:
                    return 0
                if once:
                    digit = lowest_bit(once)
                    slot = house * self.widest + lowest_bit(
                        self.places[house * self.digits + digit]
                    )
                    more = 0 if not several else 5 if self.axis[house] else 2
                    return self.single(technique, rating + more, self.members[slot], digit, house)
                self.saw_nothing()
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def find_singles(self, house: Int) -> Bits:
        """Return the digits with one place in a house, and note whether one has none."""
        once: Bits = 0
        missing: Int = self.open_counts[house]
        # Without branches, which no processor could predict here.
        for digit in range(self.digits):
            mask = self.places[house * self.digits + digit]
            missing -= mask != 0
            once |= ONE * ((mask != 0) & (mask & (mask - 1) == 0)) << digit
        if missing > 0:
            self.broken = 1
        return once

    @cfunc
    def direct_locked(self, technique: Int, rating: Int, claiming: Int) -> Int:
        """Look for a digit whose places in a house, all in a second one, leave one in a third.

        The first and the third are both boxes, or both rows, or both columns; with `claiming` they
        are not boxes.
        """
        for digit in range(self.digits):
            if self.is_old(technique, digit, self.digit_changes[digit]):
                continue
            for index in range(
                self.boxes if claiming else 0, self.houses if claiming else self.boxes
            ):
                house = self.easiest[index]
                mask = self.places[house * self.digits + digit]
                if not mask & (mask - 1) or not self.full[house]:
                    continue
                slot = self.members[house * self.widest + lowest_bit(mask)] * self.most
                for slot in range(slot, slot + self.most):
                    other = self.houses_of[slot]
                    if other < 0 or other == house:
                        continue
                    if mask & ~self.shared[house * self.houses + other]:
                        continue
                    if self.fill_third(technique, rating, digit, house, other):
                        return 1
            self.saw_nothing()
        return 0

    @cfunc
    def fill_third(self, technique: Int, rating: Int, digit: Int, house: Int, other: Int) -> Int:
        """Fill the last place of a digit in a third house, if the second loses all outside one."""
        rest: Bits = self.places[other * self.digits + digit]
        rest &= ~self.shared[other * self.houses + house]
        while rest:
            cell = self.members[other * self.widest + lowest_bit(rest)]
            rest &= rest - 1
            for slot in range(cell * self.most, (cell + 1) * self.most):
                third = self.houses_of[slot]
                if third < 0 or third == house or third == other or not self.full[third]:
                    continue
                if self.axis[third] != self.axis[house]:
                    continue
                mask = self.places[third * self.digits + digit]
                mask &= ~self.shared[third * self.houses + other]
                if not mask or mask & (mask - 1):
                    continue
                # A cell of the first house keeps the digit, wherever houses overlap.
                filled = self.members[third * self.widest + lowest_bit(mask)]
                if self.shared[third * self.houses + house]:
                    continue
                if self.fill(technique, rating, filled, digit, house):
                    self.house(other)
                    self.house(third)
                    self.base_house(house, self.places[house * self.digits + digit])
                    return 1
        return 0

    @cfunc
    def locked_candidates(self, technique: Int, rating: Int) -> Int:
        """Look for a digit whose places in one house all lie in a second one."""
        for index in range(self.houses):
            house = self.easiest[index]
            if not self.full[house] or self.is_old(technique, house, self.house_changes[house]):
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
                    if self.offer(technique, rating + (2 if self.axis[house] else 0), 0):
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
    @final
    @exceptval(check=False)
    def grow(self, kind: Int, size: Int, most: Int, depth: Int, start: Int, union: Bits) -> Int:
        """Choose `size` sets with at most `most` members in all, and see what follows.

        Choices come in lexicographic order. What has too many members before it is complete is
        not gone into, which matters for large houses.
        """
        found: Int = 0
        for index in range(start, self.set_count):
            wider = union | self.sets[index]
            count = count_bits(wider)
            if count > most:
                continue
            self.picked[depth] = index
            if depth + 1 < size:
                found = self.grow(kind, size, most, depth + 1, index + 1, wider)
            elif kind == DIRECT:
                found = self.direct_subset(size, wider)
            elif kind == NAKED or kind == HIDDEN:
                found = self.subset_of(kind, size, wider)
            elif kind == FISH or kind == FINNED:
                found = self.fish_of(kind, size, wider)
            elif kind == BESIDE or count == most:
                found = self.others_of(kind, size, wider)
            if found:
                return 1
        return 0

    @cfunc
    @exceptval(check=False)
    def fish_of(self, kind: Int, size: Int, union: Bits) -> Int:
        """Conclude what fish do, which a later class knows, from a choice of lines."""
        return 0

    @cfunc
    @exceptval(check=False)
    def others_of(self, kind: Int, size: Int, union: Bits) -> Int:
        """Conclude what techniques of later classes do from a choice of sets."""
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def open_sets(self, house: Int, most: Int) -> Int:
        """Take the candidates of the open cells of a house as sets, if they are few."""
        count: Int = 0
        for slot in range(house * self.widest, (house + 1) * self.widest):
            cell = self.members[slot]
            if cell >= 0:
                # The next set overwrites one that is not wanted.
                self.sets[count] = self.candidates[cell]
                self.of_set[count] = cell
                count += (count_bits(self.candidates[cell]) <= most) & (self.settled[cell] == 0)
        self.set_count = count
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def place_sets(self, house: Int, most: Int) -> Int:
        """Take the places of the digits of a house as sets, if they are few."""
        count: Int = 0
        for digit in range(self.digits):
            mask = self.places[house * self.digits + digit]
            self.sets[count] = mask
            self.of_set[count] = digit
            count += (mask != 0) & (count_bits(mask) <= most)
        self.set_count = count
        return 0

    @cfunc
    def subsets(self, technique: Int, rating: Int, size: Int, kind: Int, later: Int) -> Int:
        """Look for cells of a house with as many candidates, or digits with as many cells.

        Where there are no such digits at all, the technique `later` need not look for them again.
        """
        for index in range(self.houses):
            house = self.easiest[index] if kind == DIRECT else index
            if self.is_old(technique, house, self.house_changes[house]):
                continue
            if kind != NAKED and not self.full[house]:
                continue
            self.house_now, self.technique_now, self.axis_now = house, technique, rating
            if self.open_counts[house] > size:
                if kind == NAKED:
                    self.open_sets(house, size)
                else:
                    self.place_sets(house, size)
                self.set_found = 0
                if self.set_count >= size and self.grow(kind, size, size, 0, 0, 0):
                    return 1
                if later >= 0 and not self.set_found:
                    self.is_old(later, house, 0)
                    self.saw_nothing()
                    self.is_old(technique, house, 0)
            self.saw_nothing()
        return 0

    @cfunc
    @exceptval(check=False)
    def subset_of(self, kind: Int, size: Int, union: Bits) -> Int:
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
    @exceptval(check=False)
    def direct_subset(self, size: Int, union: Bits) -> Int:
        """Fill the only cell that a hidden subset leaves to another digit of its house."""
        house: Int = self.house_now
        taken: Bits = 0
        self.set_found = 1
        for index in range(size):
            taken |= ONE << self.of_set[self.picked[index]]
        for digit in range(self.digits):
            mask = self.places[house * self.digits + digit]
            rest = mask & ~union
            if taken >> digit & 1 or not mask & (mask - 1) or not rest or rest & (rest - 1):
                continue
            filled = self.members[house * self.widest + lowest_bit(rest)]
            if self.fill(self.technique_now, self.axis_now, filled, digit, house):
                self.base_house(house, union)
                self.about |= taken
                return 1
        return 0
