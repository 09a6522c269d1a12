"""Strong links of one digit: two places, or groups of places, of which exactly one is right."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.names import *
    from sudokucrypt.sudoku._kernels.deduction.unique import UniquenessSearch


@cclass
class StrongLinkSearch(UniquenessSearch):
    """Chains of two or three strong links, such as skyscrapers, kites and empty rectangles.

    A link goes from its near end to its far end, and is stored in both directions.
    """

    max_links: Int
    link_count: Int
    grouped_technique: Int  # the technique of chains with groups of cells
    link_houses: Ints
    near_end_places: Words  # the places of the near end in the house of the link
    far_end_places: Words
    near_end_cells: Words  # the cells of the near end
    near_end_peers: Words  # the cells that see all cells of the near end
    following_link_counts: Ints
    link_ends: Ints  # for each digit: the index after its last link
    following_links: Ints
    chain_so_far: Ints

    def __init__(self, tables: Any):
        UniquenessSearch.__init__(self, tables)
        self.max_links = 4 * self.house_count + 2
        capacity: Int = self.digit_count * self.max_links
        self.link_houses = array("i", [0]) * capacity
        self.near_end_places = array("Q", [0]) * capacity
        self.far_end_places = array("Q", [0]) * capacity
        self.near_end_cells = array("Q", [0]) * (capacity * self.cell_words)
        self.near_end_peers = array("Q", [0]) * (capacity * self.cell_words)
        self.following_link_counts = array("i", [0]) * capacity
        self.following_links = array("i", [0]) * (MAX_NEXT_LINKS * capacity)
        self.link_ends = array("i", [0]) * self.digit_count
        self.chain_so_far = array("i", [0]) * 8

    @cfunc
    def find_strong_links(
        self, technique: Int, rating: Int, length: Int, grouped_technique: Int
    ) -> Int:
        """Offer chains of `length` strong links in which each far end sees the next near end.

        Either the first or the last end of such a chain is right. If an end is a group of cells,
        the step is reported as `grouped_technique`.
        """
        for digit in range(self.digit_count):
            if self.is_known_fruitless(technique, digit, self.digit_change_times[digit]):
                continue
            if self.link_listing_times[digit] < self.digit_change_times[digit]:
                self.link_listing_times[digit] = self.clock
                self.list_links(digit)
            self.current_technique, self.current_rating, self.current_digit = (
                technique,
                rating,
                digit,
            )
            self.grouped_technique = grouped_technique
            for first_link in range(digit * self.max_links, self.link_ends[digit]):
                self.chain_so_far[0] = first_link
                for word in range(self.cell_words):
                    self.cells_in_reach[word] = self.near_end_peers[
                        first_link * self.cell_words + word
                    ]
                    self.cells_in_reach[word] &= self.digit_cells[digit * self.cell_words + word]
                self.extend_chain(1, length)
            self.note_fruitless_search()
        return 0

    @cfunc
    def list_links(self, digit: Int) -> Int:
        """List the links of a digit, and for each link the links that can follow it."""
        first_link: Int = digit * self.max_links
        self.link_count = first_link
        for house in range(self.house_count):
            places = self.places[house * self.digit_count + digit]
            if not places & (places - 1) or not self.needs_all_digits[house]:
                continue
            if count_bits(places) == 2:
                self.add_link(house, places & -places, places & (places - 1))
            else:
                self.add_group_links(house, places)
        self.link_ends[digit] = self.link_count
        for link in range(first_link, self.link_count):
            self.following_link_counts[link] = 0
        for link in range(first_link, self.link_count):
            # If two ends see each other, either link can follow the other.
            for other_link in range(link + 1 + (not link & 1), self.link_count):
                if self.can_follow(link, other_link):
                    self.add_next_link(link ^ 1, other_link)
                    self.add_next_link(other_link ^ 1, link)
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def add_next_link(self, link: Int, next_link: Int) -> Int:
        if self.following_link_counts[link] < MAX_NEXT_LINKS:
            self.following_links[link * MAX_NEXT_LINKS + self.following_link_counts[link]] = (
                next_link
            )
            self.following_link_counts[link] += 1
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def can_follow(self, link: Int, other_link: Int) -> Int:
        """Return whether the near ends of two links see each other."""
        for word in range(self.cell_words):
            if (
                self.near_end_cells[other_link * self.cell_words + word]
                & ~self.near_end_peers[link * self.cell_words + word]
            ):
                return 0
        return 1

    @cfunc
    def add_group_links(self, house: Int, places: Bits) -> Int:
        """Add links that split places into two groups, each one cell or within another house."""
        cell: Int = self.house_cells[house * self.max_house_size + lowest_bit(places)]
        for slot in range(cell * self.max_cell_houses, (cell + 1) * self.max_cell_houses):
            other_house = self.cell_houses[slot]
            if other_house < 0:
                continue
            group = (
                places & -places
                if other_house == house
                else places & self.shared_cells[house * self.house_count + other_house]
            )
            if other_house == house or group & (group - 1):
                if places ^ group and self.is_group(house, places, places ^ group):
                    self.add_link(house, group, places ^ group)
        return 0

    @cfunc
    def is_group(self, house: Int, places: Bits, group: Bits) -> Int:
        """Return whether `group` is one cell, or all of the places that lie in another house."""
        cell: Int = self.house_cells[house * self.max_house_size + lowest_bit(group)]
        if not group & (group - 1):
            return 1
        for slot in range(cell * self.max_cell_houses, (cell + 1) * self.max_cell_houses):
            other_house = self.cell_houses[slot]
            if other_house >= 0 and other_house != house:
                if places & self.shared_cells[house * self.house_count + other_house] == group:
                    return 1
        return 0

    @cfunc
    @exceptval(check=False)
    def add_link(self, house: Int, near_places: Bits, far_places: Bits) -> Int:
        """Add a link in both directions, whose numbers differ in the lowest bit."""
        if self.link_count % self.max_links + 2 > self.max_links:
            return 0
        for is_reversed in range(2):
            places = far_places if is_reversed else near_places
            self.near_end_places[self.link_count] = places
            self.far_end_places[self.link_count] = near_places if is_reversed else far_places
            self.link_houses[self.link_count] = house
            offset = self.link_count * self.cell_words
            for word in range(self.cell_words):
                self.near_end_cells[offset + word] = 0
                self.near_end_peers[offset + word] = EVERY
            while places:
                cell = self.house_cells[house * self.max_house_size + lowest_bit(places)]
                places &= places - 1
                self.near_end_cells[offset + (cell >> 6)] |= ONE << (cell & 63)
                for word in range(self.cell_words):
                    self.near_end_peers[offset + word] &= self.peer_bits[
                        cell * self.cell_words + word
                    ]
            self.link_count += 1
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def sees_cells_in_reach(self, link: Int) -> Int:
        """Return whether the near end of a link sees one of the `cells_in_reach`."""
        for word in range(self.cell_words):
            if self.cells_in_reach[word] & self.near_end_peers[link * self.cell_words + word]:
                return 1
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def extend_chain(self, length: Int, wanted_length: Int) -> Int:
        """Extend the chain by each link that can follow its last link."""
        first_link: Int = self.chain_so_far[0]
        last_link: Int = self.chain_so_far[length - 1]
        for slot in range(self.following_link_counts[last_link]):
            link = self.following_links[last_link * MAX_NEXT_LINKS + slot]
            self.chain_so_far[length] = link
            if length + 1 < wanted_length:
                if link >> 1 != first_link >> 1:
                    self.extend_chain(length + 1, wanted_length)
            # Each chain is also found in reverse, so only one direction is offered.
            elif (
                first_link < link ^ 1 and self.sees_cells_in_reach(link ^ 1) and link != first_link
            ):
                self.offer_chain(wanted_length)
        return 0

    @cfunc
    @exceptval(check=False)
    def offer_chain(self, length: Int) -> Int:
        """Offer to strike the digit from cells that both ends of the chain see.

        `cells_in_reach` contains the cells that the first end sees.
        """
        house_kinds: Int = 0  # the sum of 1 for boxes, 2 for rows, 4 for columns
        has_groups: Int = 0
        rating: Int = self.current_rating
        first: Int = self.chain_so_far[0]
        last_node: Int = self.chain_so_far[length - 1] ^ 1
        for index in range(self.cell_words):
            bits = (
                self.cells_in_reach[index]
                & self.near_end_peers[last_node * self.cell_words + index]
            )
            while bits:
                self.queue_strike((index << 6) + lowest_bit(bits), self.current_digit)
                bits &= bits - 1
        for index in range(length):
            house_kinds |= 1 << self.house_axes[self.link_houses[self.chain_so_far[index]]]
            bits = (
                self.near_end_places[self.chain_so_far[index]]
                | self.far_end_places[self.chain_so_far[index]]
            )
            has_groups |= count_bits(bits) > 2
        if has_groups:
            rating += 3
        elif house_kinds == 7 or ((house_kinds == 5 or house_kinds == 3) and length == 2):
            rating += 2
        elif house_kinds != 2 and house_kinds != 4:
            rating += 1
        if not self.offer_step(
            self.grouped_technique if has_groups else self.current_technique, rating, 1
        ):
            return 0
        self.add_group_to_chain(self.link_houses[first], self.near_end_places[first], -1)
        for index in range(length):
            link = self.chain_so_far[index]
            self.add_reason_cells(self.link_houses[link], self.near_end_places[link])
            self.add_group_to_chain(
                self.link_houses[link], self.far_end_places[link], self.link_houses[link]
            )
        return self.end_chain()

    @cfunc
    def add_group_to_chain(self, house: Int, places: Bits, named_house: Int) -> Int:
        """Add a group of places to the chain of the step: its cells, the digit and a house."""
        self.links[self.links_length] = count_bits(places)
        self.links_length += 1
        self.add_reason_cells(house, places)
        while places:
            self.links[self.links_length] = self.house_cells[
                house * self.max_house_size + lowest_bit(places)
            ]
            self.links_length += 1
            places &= places - 1
        return self.end_link(self.current_digit, named_house)

    @cfunc
    def end_link(self, digit: Int, house: Int) -> Int:
        """Complete a link: add its digit and the house that makes the digit right (-1: none)."""
        self.links[self.links_length] = digit
        self.links[self.links_length + 1] = house
        self.links_length += 2
        self.step_digits |= ONE << digit
        if house >= 0:
            self.add_step_house(house)
        return 0

    @cfunc
    def end_chain(self) -> Int:
        """End a chain of the step."""
        self.links[self.links_length] = -1
        self.links_length += 1
        return 0
