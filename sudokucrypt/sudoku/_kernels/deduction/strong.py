"""Strong links of one digit: two places in a house, or groups of them, of which one is right."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.names import *
    from sudokucrypt.sudoku._kernels.deduction.unique import Unique


@cclass
class Strong(Unique):
    """Chains of two or three strong links: skyscrapers, kites, empty rectangles and their like.

    A link goes from its near to its far end, and is there in both directions. Of each end there
    are the places in its house, and the cells that see all of them.
    """

    most_links: Int
    link_count: Int
    grouped_now: Int  # the technique of chains with groups of cells
    link_house: Ints
    near_end: Words  # the places
    far_end: Words
    near_cells: Words  # the cells
    near_seen: Words
    next_counts: Ints
    link_ends: Ints  # those of each digit end here, and begin at fixed places
    next_links: Ints
    chosen: Ints

    def __init__(self, tables: Any):
        Unique.__init__(self, tables)
        self.most_links = 4 * self.houses + 2
        room: Int = self.digits * self.most_links
        self.link_house = array("i", [0]) * room
        self.near_end = array("Q", [0]) * room
        self.far_end = array("Q", [0]) * room
        self.near_cells = array("Q", [0]) * (room * self.cell_words)
        self.near_seen = array("Q", [0]) * (room * self.cell_words)
        self.next_counts = array("i", [0]) * room
        self.next_links = array("i", [0]) * (MOST_NEXT * room)
        self.link_ends = array("i", [0]) * self.digits
        self.chosen = array("i", [0]) * 8

    @cfunc
    def strong_links(self, technique: Int, rating: Int, count: Int, other: Int) -> Int:
        """Look for so many houses with two places of a digit, of which each sees one of the next.

        Of the first and the last place one is right. Places can be groups of cells, for which the
        step is of the `other` technique.
        """
        for digit in range(self.digits):
            if self.is_old(technique, digit, self.digit_changes[digit]):
                continue
            if self.linked[digit] < self.digit_changes[digit]:
                self.linked[digit] = self.clock
                self.take_links(digit)
            self.technique_now, self.axis_now, self.digit_now = technique, rating, digit
            self.grouped_now = other
            for first in range(digit * self.most_links, self.link_ends[digit]):
                self.chosen[0] = first
                for word in range(self.cell_words):
                    self.reach[word] = self.near_seen[first * self.cell_words + word]
                    self.reach[word] &= self.positions[digit * self.cell_words + word]
                self.extend(1, count)
            self.saw_nothing()
        return 0

    @cfunc
    def take_links(self, digit: Int) -> Int:
        """List the links of a digit, and which can follow which."""
        start: Int = digit * self.most_links
        self.link_count = start
        for house in range(self.houses):
            mask = self.places[house * self.digits + digit]
            if not mask & (mask - 1) or not self.full[house]:
                continue
            if count_bits(mask) == 2:
                self.add_link(house, mask & -mask, mask & (mask - 1))
            else:
                self.split(house, mask)
        self.link_ends[digit] = self.link_count
        for index in range(start, self.link_count):
            self.next_counts[index] = 0
        for index in range(start, self.link_count):
            # Of two ends that see each other, each can come after the other.
            for other in range(index + 1 + (not index & 1), self.link_count):
                if self.follows(index, other):
                    self.add_next(index ^ 1, other)
                    self.add_next(other ^ 1, index)
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def add_next(self, link: Int, following: Int) -> Int:
        if self.next_counts[link] < MOST_NEXT:
            self.next_links[link * MOST_NEXT + self.next_counts[link]] = following
            self.next_counts[link] += 1
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def follows(self, far: Int, near: Int) -> Int:
        """Return whether the near end of one link sees that of another."""
        for word in range(self.cell_words):
            if (
                self.near_cells[near * self.cell_words + word]
                & ~self.near_seen[far * self.cell_words + word]
            ):
                return 0
        return 1

    @cfunc
    def split(self, house: Int, mask: Bits) -> Int:
        """Add the links of two groups, each of one cell or of those in another house."""
        cell: Int = self.members[house * self.widest + lowest_bit(mask)]
        for slot in range(cell * self.most, (cell + 1) * self.most):
            other = self.houses_of[slot]
            if other < 0:
                continue
            part = (
                mask & -mask if other == house else mask & self.shared[house * self.houses + other]
            )
            if other == house or part & (part - 1):
                if mask ^ part and self.is_group(house, mask, mask ^ part):
                    self.add_link(house, part, mask ^ part)
        return 0

    @cfunc
    def is_group(self, house: Int, mask: Bits, part: Bits) -> Int:
        """Return whether a part of the places is one cell, or all those in another house."""
        cell: Int = self.members[house * self.widest + lowest_bit(part)]
        if not part & (part - 1):
            return 1
        for slot in range(cell * self.most, (cell + 1) * self.most):
            other = self.houses_of[slot]
            if other >= 0 and other != house:
                if mask & self.shared[house * self.houses + other] == part:
                    return 1
        return 0

    @cfunc
    @exceptval(check=False)
    def add_link(self, house: Int, near: Bits, far: Bits) -> Int:
        """Add a link in both directions, which differ in the lowest bit of their numbers."""
        if self.link_count % self.most_links + 2 > self.most_links:
            return 0
        for turn in range(2):
            mask = far if turn else near
            self.near_end[self.link_count] = mask
            self.far_end[self.link_count] = near if turn else far
            self.link_house[self.link_count] = house
            base = self.link_count * self.cell_words
            for word in range(self.cell_words):
                self.near_cells[base + word] = 0
                self.near_seen[base + word] = EVERY
            while mask:
                cell = self.members[house * self.widest + lowest_bit(mask)]
                mask &= mask - 1
                self.near_cells[base + (cell >> 6)] |= ONE << (cell & 63)
                for word in range(self.cell_words):
                    self.near_seen[base + word] &= self.seen_by[cell * self.cell_words + word]
            self.link_count += 1
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def is_seen(self, link: Int) -> Int:
        """Return whether a near end sees anything within reach."""
        for word in range(self.cell_words):
            if self.reach[word] & self.near_seen[link * self.cell_words + word]:
                return 1
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def extend(self, length: Int, count: Int) -> Int:
        """Go on with a chain by each link that can follow its last one."""
        first: Int = self.chosen[0]
        last: Int = self.chosen[length - 1]
        for slot in range(self.next_counts[last]):
            index = self.next_links[last * MOST_NEXT + slot]
            self.chosen[length] = index
            if length + 1 < count:
                if index >> 1 != first >> 1:
                    self.extend(length + 1, count)
            # Each chain is there backwards too.
            elif first < index ^ 1 and self.is_seen(index ^ 1) and index != first:
                self.strike_between(count)
        return 0

    @cfunc
    @exceptval(check=False)
    def strike_between(self, count: Int) -> Int:
        """Strike what both ends of a chain of strong links see: the first has it within reach."""
        kinds: Int = 0  # 1 a box, 2 a row, 4 a column
        grouped: Int = 0
        first: Int = self.chosen[0]
        last: Int = self.chosen[count - 1] ^ 1
        for index in range(self.cell_words):
            bits = self.reach[index] & self.near_seen[last * self.cell_words + index]
            while bits:
                self.hit((index << 6) + lowest_bit(bits), self.digit_now)
                bits &= bits - 1
        for index in range(count):
            kinds |= 1 << self.axis[self.link_house[self.chosen[index]]]
            bits = self.near_end[self.chosen[index]] | self.far_end[self.chosen[index]]
            grouped |= count_bits(bits) > 2
        index = self.axis_now
        if grouped:
            index += 3
        elif kinds == 7 or ((kinds == 5 or kinds == 3) and count == 2):
            index += 2
        elif kinds != 2 and kinds != 4:
            index += 1
        if not self.offer(self.grouped_now if grouped else self.technique_now, index, 1):
            return 0
        self.link_group(self.link_house[first], self.near_end[first], -1)
        for index in range(count):
            last = self.chosen[index]
            self.base_house(self.link_house[last], self.near_end[last])
            self.link_group(self.link_house[last], self.far_end[last], self.link_house[last])
        return self.end_chain()

    @cfunc
    def link_group(self, house: Int, mask: Bits, named: Int) -> Int:
        """Add a group of places to the chain of the step: its cells, digit and house."""
        self.links[self.links_end] = count_bits(mask)
        self.links_end += 1
        self.base_house(house, mask)
        while mask:
            self.links[self.links_end] = self.members[house * self.widest + lowest_bit(mask)]
            self.links_end += 1
            mask &= mask - 1
        return self.end_link(self.digit_now, named)

    @cfunc
    def end_link(self, digit: Int, house: Int) -> Int:
        """End a link of the chain with its digit, and the house that makes it right."""
        self.links[self.links_end] = digit
        self.links[self.links_end + 1] = house
        self.links_end += 2
        self.about |= ONE << digit
        if house >= 0:
            self.house(house)
        return 0

    @cfunc
    def end_chain(self) -> Int:
        """End a chain of the step."""
        self.links[self.links_end] = -1
        self.links_end += 1
        return 0
