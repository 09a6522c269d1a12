"""Singles, locked candidates and subsets."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.board import Board
    from sudokucrypt.sudoku._kernels.deduction.names import *


@cclass
class Houses(Board):
    """The search for techniques that use one or two houses."""

    sets: Words
    set_count: Int
    set_labels: Ints  # for each set: the cell, digit or house that it belongs to
    chosen_sets: Ints
    set_found: Int  # whether `choose_sets` found a hidden subset, useful or not
    box_count: Int  # the number of houses that are neither rows nor columns
    current_house: Int
    current_digit: Int
    current_axis: Int
    current_rating: Int
    current_technique: Int

    def __init__(self, tables: Any):
        Board.__init__(self, tables)
        room: Int = self.cells + self.digits + self.houses
        self.sets = array("Q", [0]) * room
        self.set_labels = array("i", [0]) * room
        self.chosen_sets = array("i", [0]) * 16
        self.box_count = list(tables.axis).count(0)

    @cfunc
    def offer_fill(self, technique: Int, rating: Int, cell: Int, digit: Int, house: Int) -> Int:
        """Offer to place a digit in a cell, its only place in `house` (-1 for none)."""
        self.reach_digit(digit)
        self.limit_reach(cell)
        self.hit_reach(digit)
        # A single that strikes no candidate is also a step.
        if not self.hit_count:
            self.hits[0], self.hits[1], self.hit_count = cell, digit, 1
        if not self.offer_step(technique, rating, 0):
            return 0
        if self.struck[0] == cell:
            self.struck_count = 0
        self.filled_cell, self.filled_digit = cell, digit
        self.step_digits = ONE << digit
        if house >= 0:
            self.add_house(house)
        return 1

    @cfunc
    def offer_single(self, technique: Int, rating: Int, cell: Int, digit: Int, house: Int) -> Int:
        if self.offer_fill(technique, rating, cell, digit, house):
            self.add_base_cell(cell)
        return 0

    @cfunc
    def find_naked_single(self, technique: Int, rating: Int) -> Int:
        for cell in range(self.cells):
            bits = self.candidates[cell]
            if not self.settled[cell] and not bits & (bits - 1):
                if not bits:
                    self.broken = 1
                    return 0
                return self.offer_single(technique, rating, cell, lowest_bit(bits), -1)
        return 0

    @cfunc
    def find_hidden_single(self, technique: Int, rating: Int) -> Int:
        """Offer a digit that has only one place in a house.

        The last open cell of a house is easiest to see, then a single in a box.
        """
        for several in range(0 if self.one_open_count else 1, 2):
            for index in range(self.houses):
                house = self.houses_by_ease[index]
                if not self.is_complete[house] or (not several and self.open_counts[house] != 1):
                    continue
                if self.is_unchanged(technique, house, self.house_changes[house]):
                    continue
                singles = self.find_singles(house)
                if self.broken:
                    return 0
                if singles:
                    digit = lowest_bit(singles)
                    slot = house * self.max_house_size + lowest_bit(
                        self.places[house * self.digits + digit]
                    )
                    added = 0 if not several else 5 if self.axis[house] else 2
                    return self.offer_single(
                        technique, rating + added, self.house_cells[slot], digit, house
                    )
                self.note_fruitless()
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def find_singles(self, house: Int) -> Bits:
        """Return the digits with one place in a house; set `broken` if a digit has none."""
        singles: Bits = 0
        missing: Int = self.open_counts[house]
        # The loop has no branches, since no processor could predict them.
        for digit in range(self.digits):
            mask = self.places[house * self.digits + digit]
            missing -= mask != 0
            singles |= ONE * ((mask != 0) & (mask & (mask - 1) == 0)) << digit
        if missing > 0:
            self.broken = 1
        return singles

    @cfunc
    def find_direct_locked(self, technique: Int, rating: Int, claiming: Int) -> Int:
        """Offer to place a digit that locked candidates leave only one place in some house.

        All places of the digit in a first house are in a second house; the digit then leaves the
        rest of the second house, which leaves it one place in a third house. The first and the
        third house are both boxes, both rows or both columns; with `claiming` they are not boxes.
        """
        for digit in range(self.digits):
            if self.is_unchanged(technique, digit, self.digit_changes[digit]):
                continue
            for index in range(
                self.box_count if claiming else 0, self.houses if claiming else self.box_count
            ):
                house = self.houses_by_ease[index]
                mask = self.places[house * self.digits + digit]
                if not mask & (mask - 1) or not self.is_complete[house]:
                    continue
                slot = (
                    self.house_cells[house * self.max_house_size + lowest_bit(mask)]
                    * self.max_cell_houses
                )
                for slot in range(slot, slot + self.max_cell_houses):
                    other = self.cell_houses[slot]
                    if other < 0 or other == house:
                        continue
                    if mask & ~self.shared_cells[house * self.houses + other]:
                        continue
                    if self.fill_third(technique, rating, digit, house, other):
                        return 1
            self.note_fruitless()
        return 0

    @cfunc
    def fill_third(self, technique: Int, rating: Int, digit: Int, house: Int, other: Int) -> Int:
        """Offer the last place of a digit in a third house, if `other` has it only in `house`."""
        rest: Bits = self.places[other * self.digits + digit]
        rest &= ~self.shared_cells[other * self.houses + house]
        while rest:
            cell = self.house_cells[other * self.max_house_size + lowest_bit(rest)]
            rest &= rest - 1
            for slot in range(cell * self.max_cell_houses, (cell + 1) * self.max_cell_houses):
                third = self.cell_houses[slot]
                if third < 0 or third == house or third == other or not self.is_complete[third]:
                    continue
                if self.axis[third] != self.axis[house]:
                    continue
                mask = self.places[third * self.digits + digit]
                mask &= ~self.shared_cells[third * self.houses + other]
                if not mask or mask & (mask - 1):
                    continue
                # The third house must not overlap the first, whose cells keep the digit.
                filled = self.house_cells[third * self.max_house_size + lowest_bit(mask)]
                if self.shared_cells[third * self.houses + house]:
                    continue
                if self.offer_fill(technique, rating, filled, digit, house):
                    self.add_house(other)
                    self.add_house(third)
                    self.add_base_cells(house, self.places[house * self.digits + digit])
                    return 1
        return 0

    @cfunc
    def find_locked_candidates(self, technique: Int, rating: Int) -> Int:
        """Offer a digit whose places in one house all lie in a second house."""
        for index in range(self.houses):
            house = self.houses_by_ease[index]
            if not self.is_complete[house] or self.is_unchanged(
                technique, house, self.house_changes[house]
            ):
                continue
            for digit in range(self.digits):
                mask = self.places[house * self.digits + digit]
                if not mask & (mask - 1):
                    continue
                slot = (
                    self.house_cells[house * self.max_house_size + lowest_bit(mask)]
                    * self.max_cell_houses
                )
                for slot in range(slot, slot + self.max_cell_houses):
                    other = self.cell_houses[slot]
                    if other < 0 or other == house:
                        continue
                    if mask & ~self.shared_cells[house * self.houses + other]:
                        continue
                    rest = self.places[other * self.digits + digit]
                    rest &= ~self.shared_cells[other * self.houses + house]
                    self.hit_house(other, rest, digit)
                    if self.offer_step(technique, rating + (2 if self.axis[house] else 0), 0):
                        self.add_base_cells(house, mask)
                        self.step_digits = ONE << digit
                        self.add_house(house)
                        self.add_house(other)
                        return 1
            self.note_fruitless()
        return 0

    @cfunc
    def hit_house(self, house: Int, mask: Bits, digit: Int) -> Int:
        """Add a digit in cells of a house to the candidates that the next step strikes."""
        while mask:
            self.hit_candidate(
                self.house_cells[house * self.max_house_size + lowest_bit(mask)], digit
            )
            mask &= mask - 1
        return 0

    @cfunc
    def add_base_cells(self, house: Int, mask: Bits) -> Int:
        """Add the given cells of a house to those that justify the step."""
        while mask:
            self.add_base_cell(self.house_cells[house * self.max_house_size + lowest_bit(mask)])
            mask &= mask - 1
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def choose_sets(
        self, kind: Int, size: Int, most: Int, depth: Int, start: Int, union: Bits
    ) -> Int:
        """Choose `size` of the sets with at most `most` members in all, and offer the conclusions.

        Choices are tried in lexicographic order. A partial choice with too many members is
        abandoned at once, which matters for large houses.
        """
        found: Int = 0
        for index in range(start, self.set_count):
            wider = union | self.sets[index]
            count = count_bits(wider)
            if count > most:
                continue
            self.chosen_sets[depth] = index
            if depth + 1 < size:
                found = self.choose_sets(kind, size, most, depth + 1, index + 1, wider)
            elif kind == DIRECT:
                found = self.conclude_direct_subset(size, wider)
            elif kind == NAKED or kind == HIDDEN:
                found = self.conclude_subset(kind, size, wider)
            elif kind == FISH or kind == FINNED:
                found = self.conclude_fish(kind, size, wider)
            elif kind == WITH_ODD_CELLS or count == most:
                found = self.conclude_other(kind, size, wider)
            if found:
                return 1
        return 0

    @cfunc
    @exceptval(check=False)
    def conclude_fish(self, kind: Int, size: Int, union: Bits) -> Int:
        """Offer a fish of the chosen lines; the class `Fish` implements it."""
        return 0

    @cfunc
    @exceptval(check=False)
    def conclude_other(self, kind: Int, size: Int, union: Bits) -> Int:
        """Offer a wing or a unique pattern from the chosen sets; subclasses implement it."""
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def take_cell_sets(self, house: Int, most: Int) -> Int:
        """Use the open cells of a house with at most `most` candidates as sets of digits."""
        count: Int = 0
        for slot in range(house * self.max_house_size, (house + 1) * self.max_house_size):
            cell = self.house_cells[slot]
            if cell >= 0:
                # A set that does not qualify is overwritten by the next one.
                self.sets[count] = self.candidates[cell]
                self.set_labels[count] = cell
                count += (count_bits(self.candidates[cell]) <= most) & (self.settled[cell] == 0)
        self.set_count = count
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def take_place_sets(self, house: Int, most: Int) -> Int:
        """Use the digits of a house with at most `most` places as sets of places."""
        count: Int = 0
        for digit in range(self.digits):
            mask = self.places[house * self.digits + digit]
            self.sets[count] = mask
            self.set_labels[count] = digit
            count += (mask != 0) & (count_bits(mask) <= most)
        self.set_count = count
        return 0

    @cfunc
    def find_subsets(self, technique: Int, rating: Int, size: Int, kind: Int, later: Int) -> Int:
        """Offer subsets: n cells of a house with n candidates, or n digits with n places.

        In houses without such digits, the technique `later` need not search for them again.
        """
        for index in range(self.houses):
            house = self.houses_by_ease[index] if kind == DIRECT else index
            if self.is_unchanged(technique, house, self.house_changes[house]):
                continue
            if kind != NAKED and not self.is_complete[house]:
                continue
            self.current_house, self.current_technique, self.current_rating = (
                house,
                technique,
                rating,
            )
            if self.open_counts[house] > size:
                if kind == NAKED:
                    self.take_cell_sets(house, size)
                else:
                    self.take_place_sets(house, size)
                self.set_found = 0
                if self.set_count >= size and self.choose_sets(kind, size, size, 0, 0, 0):
                    return 1
                if later >= 0 and not self.set_found:
                    self.is_unchanged(later, house, 0)
                    self.note_fruitless()
                    self.is_unchanged(technique, house, 0)
            self.note_fruitless()
        return 0

    @cfunc
    @exceptval(check=False)
    def conclude_subset(self, kind: Int, size: Int, union: Bits) -> Int:
        """Offer the naked or hidden subset of the chosen sets."""
        house: Int = self.current_house
        digits: Bits = union
        if kind == HIDDEN:
            digits = 0
            for index in range(size):
                digits |= ONE << self.set_labels[self.chosen_sets[index]]
        for slot in range(self.max_house_size):
            cell = self.house_cells[house * self.max_house_size + slot]
            if cell < 0 or self.settled[cell]:
                continue
            if kind == HIDDEN:
                if union >> slot & 1:
                    self.hit_candidates(cell, ~digits)
            elif self.candidates[cell] & ~union:
                self.hit_candidates(cell, union)
        if not self.offer_step(self.current_technique, self.current_rating, 0):
            return 0
        if kind == HIDDEN:
            self.add_base_cells(house, union)
        else:
            for index in range(size):
                self.add_base_cell(self.set_labels[self.chosen_sets[index]])
        self.step_digits = digits
        self.add_house(house)
        return 1

    @cfunc
    @exceptval(check=False)
    def conclude_direct_subset(self, size: Int, union: Bits) -> Int:
        """Offer the only cell that a hidden subset leaves for another digit of its house."""
        house: Int = self.current_house
        taken: Bits = 0
        self.set_found = 1
        for index in range(size):
            taken |= ONE << self.set_labels[self.chosen_sets[index]]
        for digit in range(self.digits):
            mask = self.places[house * self.digits + digit]
            rest = mask & ~union
            if taken >> digit & 1 or not mask & (mask - 1) or not rest or rest & (rest - 1):
                continue
            filled = self.house_cells[house * self.max_house_size + lowest_bit(rest)]
            if self.offer_fill(self.current_technique, self.current_rating, filled, digit, house):
                self.add_base_cells(house, union)
                self.step_digits |= taken
                return 1
        return 0
