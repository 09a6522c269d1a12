"""Strong links of one digit: two places, or groups of places, of which exactly one is right."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.names import *
    from sudokucrypt.sudoku._kernels.deduction.unique import Unique


@cclass
class Strong(Unique):
    """Chains of two or three strong links, such as skyscrapers, kites and empty rectangles.

    A link goes from its near end to its far end, and is stored in both directions.
    """

    most_links: Int
    link_count: Int
    grouped_technique: Int  # the technique of chains with groups of cells
    link_house: Ints
    near_end: Words  # the places of the near end in the house of the link
    far_end: Words
    near_cells: Words  # the cells of the near end
    near_seen: Words  # the cells that see all cells of the near end
    following_counts: Ints
    link_ends: Ints  # for each digit: the end of its links, which begin at fixed places
    following_links: Ints
    chain_so_far: Ints

    def __init__(self, tables: Any):
        Unique.__init__(self, tables)
        self.most_links = 4 * self.houses + 2
        room: Int = self.digits * self.most_links
        self.link_house = array("i", [0]) * room
        self.near_end = array("Q", [0]) * room
        self.far_end = array("Q", [0]) * room
        self.near_cells = array("Q", [0]) * (room * self.cell_words)
        self.near_seen = array("Q", [0]) * (room * self.cell_words)
        self.following_counts = array("i", [0]) * room
        self.following_links = array("i", [0]) * (MAX_NEXT_LINKS * room)
        self.link_ends = array("i", [0]) * self.digits
        self.chain_so_far = array("i", [0]) * 8

    @cfunc
    def find_strong_links(
        self, technique: Int, rating: Int, count: Int, grouped_technique: Int
    ) -> Int:
        """Offer chains of `count` strong links in which each far end sees the next near end.

        Either the first or the last end of such a chain is right. If an end is a group of cells,
        the step is reported as `grouped_technique`.
        """
        for digit in range(self.digits):
            if self.is_unchanged(technique, digit, self.digit_changes[digit]):
                continue
            if self.links_listed_at[digit] < self.digit_changes[digit]:
                self.links_listed_at[digit] = self.clock
                self.list_links(digit)
            self.current_technique, self.current_rating, self.current_digit = (
                technique,
                rating,
                digit,
            )
            self.grouped_technique = grouped_technique
            for first in range(digit * self.most_links, self.link_ends[digit]):
                self.chain_so_far[0] = first
                for word in range(self.cell_words):
                    self.cells_in_reach[word] = self.near_seen[first * self.cell_words + word]
                    self.cells_in_reach[word] &= self.digit_cells[digit * self.cell_words + word]
                self.extend_chain(1, count)
            self.note_fruitless()
        return 0

    @cfunc
    def list_links(self, digit: Int) -> Int:
        """List the links of a digit, and for each link the links that can follow it."""
        start: Int = digit * self.most_links
        self.link_count = start
        for house in range(self.houses):
            mask = self.places[house * self.digits + digit]
            if not mask & (mask - 1) or not self.is_complete[house]:
                continue
            if count_bits(mask) == 2:
                self.add_link(house, mask & -mask, mask & (mask - 1))
            else:
                self.add_group_links(house, mask)
        self.link_ends[digit] = self.link_count
        for index in range(start, self.link_count):
            self.following_counts[index] = 0
        for index in range(start, self.link_count):
            # If two ends see each other, either link can follow the other.
            for other in range(index + 1 + (not index & 1), self.link_count):
                if self.can_follow(index, other):
                    self.add_next(index ^ 1, other)
                    self.add_next(other ^ 1, index)
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def add_next(self, link: Int, following: Int) -> Int:
        if self.following_counts[link] < MAX_NEXT_LINKS:
            self.following_links[link * MAX_NEXT_LINKS + self.following_counts[link]] = following
            self.following_counts[link] += 1
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def can_follow(self, far: Int, near: Int) -> Int:
        """Return whether the near ends of two links see each other."""
        for word in range(self.cell_words):
            if (
                self.near_cells[near * self.cell_words + word]
                & ~self.near_seen[far * self.cell_words + word]
            ):
                return 0
        return 1

    @cfunc
    def add_group_links(self, house: Int, mask: Bits) -> Int:
        """Add links between two groups of places: each is one cell, or lies in another house."""
        cell: Int = self.house_cells[house * self.max_house_size + lowest_bit(mask)]
        for slot in range(cell * self.max_cell_houses, (cell + 1) * self.max_cell_houses):
            other = self.cell_houses[slot]
            if other < 0:
                continue
            part = (
                mask & -mask
                if other == house
                else mask & self.shared_cells[house * self.houses + other]
            )
            if other == house or part & (part - 1):
                if mask ^ part and self.is_group(house, mask, mask ^ part):
                    self.add_link(house, part, mask ^ part)
        return 0

    @cfunc
    def is_group(self, house: Int, mask: Bits, part: Bits) -> Int:
        """Return whether a part of the places is one cell, or all places within another house."""
        cell: Int = self.house_cells[house * self.max_house_size + lowest_bit(part)]
        if not part & (part - 1):
            return 1
        for slot in range(cell * self.max_cell_houses, (cell + 1) * self.max_cell_houses):
            other = self.cell_houses[slot]
            if other >= 0 and other != house:
                if mask & self.shared_cells[house * self.houses + other] == part:
                    return 1
        return 0

    @cfunc
    @exceptval(check=False)
    def add_link(self, house: Int, near: Bits, far: Bits) -> Int:
        """Add a link in both directions, whose numbers differ in the lowest bit."""
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
                cell = self.house_cells[house * self.max_house_size + lowest_bit(mask)]
                mask &= mask - 1
                self.near_cells[base + (cell >> 6)] |= ONE << (cell & 63)
                for word in range(self.cell_words):
                    self.near_seen[base + word] &= self.peer_bits[cell * self.cell_words + word]
            self.link_count += 1
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def sees_reach(self, link: Int) -> Int:
        """Return whether the near end of a link sees one of the `cells_in_reach`."""
        for word in range(self.cell_words):
            if self.cells_in_reach[word] & self.near_seen[link * self.cell_words + word]:
                return 1
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def extend_chain(self, length: Int, count: Int) -> Int:
        """Extend the chain by each link that can follow its last link."""
        first: Int = self.chain_so_far[0]
        last: Int = self.chain_so_far[length - 1]
        for slot in range(self.following_counts[last]):
            index = self.following_links[last * MAX_NEXT_LINKS + slot]
            self.chain_so_far[length] = index
            if length + 1 < count:
                if index >> 1 != first >> 1:
                    self.extend_chain(length + 1, count)
            # Each chain is also found in reverse, so only one direction is offered.
            elif first < index ^ 1 and self.sees_reach(index ^ 1) and index != first:
                self.strike_between(count)
        return 0

    @cfunc
    @exceptval(check=False)
    def strike_between(self, count: Int) -> Int:
        """Offer to strike the digit from cells that both ends of the chain see.

        `cells_in_reach` contains the cells that the first end sees.
        """
        kinds: Int = 0  # the sum of 1 for boxes, 2 for rows, 4 for columns
        grouped: Int = 0
        first: Int = self.chain_so_far[0]
        last: Int = self.chain_so_far[count - 1] ^ 1
        for index in range(self.cell_words):
            bits = self.cells_in_reach[index] & self.near_seen[last * self.cell_words + index]
            while bits:
                self.hit_candidate((index << 6) + lowest_bit(bits), self.current_digit)
                bits &= bits - 1
        for index in range(count):
            kinds |= 1 << self.axis[self.link_house[self.chain_so_far[index]]]
            bits = self.near_end[self.chain_so_far[index]] | self.far_end[self.chain_so_far[index]]
            grouped |= count_bits(bits) > 2
        index = self.current_rating
        if grouped:
            index += 3
        elif kinds == 7 or ((kinds == 5 or kinds == 3) and count == 2):
            index += 2
        elif kinds != 2 and kinds != 4:
            index += 1
        if not self.offer_step(
            self.grouped_technique if grouped else self.current_technique, index, 1
        ):
            return 0
        self.add_group_to_chain(self.link_house[first], self.near_end[first], -1)
        for index in range(count):
            last = self.chain_so_far[index]
            self.add_base_cells(self.link_house[last], self.near_end[last])
            self.add_group_to_chain(
                self.link_house[last], self.far_end[last], self.link_house[last]
            )
        return self.end_chain()

    @cfunc
    def add_group_to_chain(self, house: Int, mask: Bits, named_house: Int) -> Int:
        """Add a group of places to the chain of the step: its cells, the digit and a house."""
        self.links[self.links_end] = count_bits(mask)
        self.links_end += 1
        self.add_base_cells(house, mask)
        while mask:
            self.links[self.links_end] = self.house_cells[
                house * self.max_house_size + lowest_bit(mask)
            ]
            self.links_end += 1
            mask &= mask - 1
        return self.end_link(self.current_digit, named_house)

    @cfunc
    def end_link(self, digit: Int, house: Int) -> Int:
        """End a link of the chain with its digit and the house that makes it right (-1: none)."""
        self.links[self.links_end] = digit
        self.links[self.links_end + 1] = house
        self.links_end += 2
        self.step_digits |= ONE << digit
        if house >= 0:
            self.add_house(house)
        return 0

    @cfunc
    def end_chain(self) -> Int:
        """End a chain of the step."""
        self.links[self.links_end] = -1
        self.links_end += 1
        return 0
