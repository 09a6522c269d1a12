"""Singles, locked candidates and subsets."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.board import Board
    from sudokucrypt.sudoku._kernels.deduction.names import *


@cclass
class HouseSearch(Board):
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
        capacity: Int = self.cell_count + self.digit_count + self.house_count
        self.sets = array("Q", [0]) * capacity
        self.set_labels = array("i", [0]) * capacity
        self.chosen_sets = array("i", [0]) * 16
        self.box_count = list(tables.house_axes).count(0)

    @cfunc
    def offer_fill(self, technique: Int, rating: Int, cell: Int, digit: Int, house: Int) -> Int:
        """Offer to place a digit in a cell, its only place in `house` (-1 for none)."""
        self.reset_reach(digit)
        self.limit_reach(cell)
        self.queue_strikes_in_reach(digit)
        # A single that strikes no candidate is also a step.
        if not self.queued_strike_count:
            self.queued_strikes[0], self.queued_strikes[1], self.queued_strike_count = (
                cell,
                digit,
                1,
            )
        if not self.offer_step(technique, rating, 0):
            return 0
        if self.struck_candidates[0] == cell:
            self.struck_candidate_count = 0
        self.filled_cell, self.filled_digit = cell, digit
        self.step_digits = ONE << digit
        if house >= 0:
            self.add_step_house(house)
        return 1

    @cfunc
    def offer_single(self, technique: Int, rating: Int, cell: Int, digit: Int, house: Int) -> Int:
        if self.offer_fill(technique, rating, cell, digit, house):
            self.add_reason_cell(cell)
        return 0

    @cfunc
    def find_naked_single(self, technique: Int, rating: Int) -> Int:
        for cell in range(self.cell_count):
            bits = self.candidates[cell]
            if not self.is_settled[cell] and not bits & (bits - 1):
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
        for allow_several in range(0 if self.one_open_house_count else 1, 2):
            for index in range(self.house_count):
                house = self.houses_by_ease[index]
                if not self.needs_all_digits[house] or (
                    not allow_several and self.open_counts[house] != 1
                ):
                    continue
                if self.is_known_fruitless(technique, house, self.house_change_times[house]):
                    continue
                singles = self.find_singles(house)
                if self.broken:
                    return 0
                if singles:
                    digit = lowest_bit(singles)
                    slot = house * self.max_house_size + lowest_bit(
                        self.places[house * self.digit_count + digit]
                    )
                    added_tenths = 0 if not allow_several else 5 if self.house_axes[house] else 2
                    return self.offer_single(
                        technique, rating + added_tenths, self.house_cells[slot], digit, house
                    )
                self.note_fruitless_search()
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def find_singles(self, house: Int) -> Bits:
        """Return the digits with one place in a house; set `broken` if a digit has none."""
        singles: Bits = 0
        missing_count: Int = self.open_counts[house]
        # The loop has no branches, since no processor could predict them.
        for digit in range(self.digit_count):
            mask = self.places[house * self.digit_count + digit]
            missing_count -= mask != 0
            singles |= ONE * ((mask != 0) & (mask & (mask - 1) == 0)) << digit
        if missing_count > 0:
            self.broken = 1
        return singles

    @cfunc
    def find_direct_locked_digit(self, technique: Int, rating: Int, is_claiming: Int) -> Int:
        """Offer to place a digit that locked candidates leave only one place in some house.

        All places of the digit in a first house are in a second house; the digit then leaves the
        rest of the second house, which leaves it one place in a third house. The first and the
        third house are both boxes, both rows or both columns; if `is_claiming`, not boxes.
        """
        for digit in range(self.digit_count):
            if self.is_known_fruitless(technique, digit, self.digit_change_times[digit]):
                continue
            for index in range(
                self.box_count if is_claiming else 0,
                self.house_count if is_claiming else self.box_count,
            ):
                house = self.houses_by_ease[index]
                places = self.places[house * self.digit_count + digit]
                if not places & (places - 1) or not self.needs_all_digits[house]:
                    continue
                slot = (
                    self.house_cells[house * self.max_house_size + lowest_bit(places)]
                    * self.max_cell_houses
                )
                for slot in range(slot, slot + self.max_cell_houses):
                    other_house = self.cell_houses[slot]
                    if other_house < 0 or other_house == house:
                        continue
                    if places & ~self.shared_cells[house * self.house_count + other_house]:
                        continue
                    if self.offer_in_third_house(technique, rating, digit, house, other_house):
                        return 1
            self.note_fruitless_search()
        return 0

    @cfunc
    def offer_in_third_house(
        self, technique: Int, rating: Int, digit: Int, house: Int, second_house: Int
    ) -> Int:
        """Offer a digit's last place in a third house; the digit is locked in the first two."""
        remaining_places: Bits = self.places[second_house * self.digit_count + digit]
        remaining_places &= ~self.shared_cells[second_house * self.house_count + house]
        while remaining_places:
            cell = self.house_cells[
                second_house * self.max_house_size + lowest_bit(remaining_places)
            ]
            remaining_places &= remaining_places - 1
            for slot in range(cell * self.max_cell_houses, (cell + 1) * self.max_cell_houses):
                third_house = self.cell_houses[slot]
                if (
                    third_house < 0
                    or third_house == house
                    or third_house == second_house
                    or not self.needs_all_digits[third_house]
                ):
                    continue
                if self.house_axes[third_house] != self.house_axes[house]:
                    continue
                places = self.places[third_house * self.digit_count + digit]
                places &= ~self.shared_cells[third_house * self.house_count + second_house]
                if not places or places & (places - 1):
                    continue
                # The third house must not overlap the first, whose cells keep the digit.
                filled_cell = self.house_cells[
                    third_house * self.max_house_size + lowest_bit(places)
                ]
                if self.shared_cells[third_house * self.house_count + house]:
                    continue
                if self.offer_fill(technique, rating, filled_cell, digit, house):
                    self.add_step_house(second_house)
                    self.add_step_house(third_house)
                    self.add_reason_cells(house, self.places[house * self.digit_count + digit])
                    return 1
        return 0

    @cfunc
    def find_locked_candidates(self, technique: Int, rating: Int) -> Int:
        """Offer a digit whose places in one house all lie in a second house."""
        for index in range(self.house_count):
            house = self.houses_by_ease[index]
            if not self.needs_all_digits[house] or self.is_known_fruitless(
                technique, house, self.house_change_times[house]
            ):
                continue
            for digit in range(self.digit_count):
                places = self.places[house * self.digit_count + digit]
                if not places & (places - 1):
                    continue
                slot = (
                    self.house_cells[house * self.max_house_size + lowest_bit(places)]
                    * self.max_cell_houses
                )
                for slot in range(slot, slot + self.max_cell_houses):
                    other_house = self.cell_houses[slot]
                    if other_house < 0 or other_house == house:
                        continue
                    if places & ~self.shared_cells[house * self.house_count + other_house]:
                        continue
                    remaining_places = self.places[other_house * self.digit_count + digit]
                    remaining_places &= ~self.shared_cells[other_house * self.house_count + house]
                    self.queue_strikes_in_house(other_house, remaining_places, digit)
                    if self.offer_step(technique, rating + (2 if self.house_axes[house] else 0), 0):
                        self.add_reason_cells(house, places)
                        self.step_digits = ONE << digit
                        self.add_step_house(house)
                        self.add_step_house(other_house)
                        return 1
            self.note_fruitless_search()
        return 0

    @cfunc
    def queue_strikes_in_house(self, house: Int, places: Bits, digit: Int) -> Int:
        """Add a digit in cells of a house to the candidates that the next step strikes."""
        while places:
            self.queue_strike(
                self.house_cells[house * self.max_house_size + lowest_bit(places)], digit
            )
            places &= places - 1
        return 0

    @cfunc
    def add_reason_cells(self, house: Int, places: Bits) -> Int:
        """Add the given cells of a house to those that justify the step."""
        while places:
            self.add_reason_cell(self.house_cells[house * self.max_house_size + lowest_bit(places)])
            places &= places - 1
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def choose_sets(
        self, kind: Int, size: Int, max_members: Int, depth: Int, start: Int, union: Bits
    ) -> Int:
        """Choose `size` sets with at most `max_members` members in all, and offer the conclusions.

        Choices are tried in lexicographic order. A partial choice with too many members is
        abandoned at once, which matters for large houses.
        """
        has_step: Int = 0
        for index in range(start, self.set_count):
            new_union = union | self.sets[index]
            count = count_bits(new_union)
            if count > max_members:
                continue
            self.chosen_sets[depth] = index
            if depth + 1 < size:
                has_step = self.choose_sets(
                    kind, size, max_members, depth + 1, index + 1, new_union
                )
            elif kind == DIRECT_SUBSET:
                has_step = self.offer_direct_subset(size, new_union)
            elif kind == NAKED_SUBSET or kind == HIDDEN_SUBSET:
                has_step = self.offer_subset(kind, size, new_union)
            elif kind == FISH or kind == FINNED_FISH:
                has_step = self.offer_fish(kind, size, new_union)
            elif kind == EXTRA_SUBSET or count == max_members:
                has_step = self.offer_other_pattern(kind, size, new_union)
            if has_step:
                return 1
        return 0

    @cfunc
    @exceptval(check=False)
    def offer_fish(self, kind: Int, size: Int, union: Bits) -> Int:
        """Offer a fish of the chosen lines; the class `FishSearch` implements it."""
        return 0

    @cfunc
    @exceptval(check=False)
    def offer_other_pattern(self, kind: Int, size: Int, union: Bits) -> Int:
        """Offer a wing or a unique pattern from the chosen sets; subclasses implement it."""
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def take_cell_sets(self, house: Int, max_candidates: Int) -> Int:
        """Use the digits of each open cell with at most `max_candidates` candidates as a set."""
        count: Int = 0
        for slot in range(house * self.max_house_size, (house + 1) * self.max_house_size):
            cell = self.house_cells[slot]
            if cell >= 0:
                # A set that does not qualify is overwritten by the next one.
                self.sets[count] = self.candidates[cell]
                self.set_labels[count] = cell
                count += (count_bits(self.candidates[cell]) <= max_candidates) & (
                    self.is_settled[cell] == 0
                )
        self.set_count = count
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def take_place_sets(self, house: Int, max_places: Int) -> Int:
        """Use the places of each digit with at most `max_places` places in a house as a set."""
        count: Int = 0
        for digit in range(self.digit_count):
            places = self.places[house * self.digit_count + digit]
            self.sets[count] = places
            self.set_labels[count] = digit
            count += (places != 0) & (count_bits(places) <= max_places)
        self.set_count = count
        return 0

    @cfunc
    def find_subsets(
        self, technique: Int, rating: Int, size: Int, kind: Int, later_technique: Int
    ) -> Int:
        """Offer subsets: n cells of a house with n candidates, or n digits with n places.

        In houses without such digits, `later_technique` need not search for them again.
        """
        for index in range(self.house_count):
            house = self.houses_by_ease[index] if kind == DIRECT_SUBSET else index
            if self.is_known_fruitless(technique, house, self.house_change_times[house]):
                continue
            if kind != NAKED_SUBSET and not self.needs_all_digits[house]:
                continue
            self.current_house, self.current_technique, self.current_rating = (
                house,
                technique,
                rating,
            )
            if self.open_counts[house] > size:
                if kind == NAKED_SUBSET:
                    self.take_cell_sets(house, size)
                else:
                    self.take_place_sets(house, size)
                self.set_found = 0
                if self.set_count >= size and self.choose_sets(kind, size, size, 0, 0, 0):
                    return 1
                if later_technique >= 0 and not self.set_found:
                    self.is_known_fruitless(later_technique, house, 0)
                    self.note_fruitless_search()
                    self.is_known_fruitless(technique, house, 0)
            self.note_fruitless_search()
        return 0

    @cfunc
    @exceptval(check=False)
    def offer_subset(self, kind: Int, size: Int, union: Bits) -> Int:
        """Offer the naked or hidden subset of the chosen sets."""
        house: Int = self.current_house
        digits: Bits = union
        if kind == HIDDEN_SUBSET:
            digits = 0
            for index in range(size):
                digits |= ONE << self.set_labels[self.chosen_sets[index]]
        for slot in range(self.max_house_size):
            cell = self.house_cells[house * self.max_house_size + slot]
            if cell < 0 or self.is_settled[cell]:
                continue
            if kind == HIDDEN_SUBSET:
                if union >> slot & 1:
                    self.queue_strikes(cell, ~digits)
            elif self.candidates[cell] & ~union:
                self.queue_strikes(cell, union)
        if not self.offer_step(self.current_technique, self.current_rating, 0):
            return 0
        if kind == HIDDEN_SUBSET:
            self.add_reason_cells(house, union)
        else:
            for index in range(size):
                self.add_reason_cell(self.set_labels[self.chosen_sets[index]])
        self.step_digits = digits
        self.add_step_house(house)
        return 1

    @cfunc
    @exceptval(check=False)
    def offer_direct_subset(self, size: Int, union: Bits) -> Int:
        """Offer the only cell that a hidden subset leaves for another digit of its house."""
        house: Int = self.current_house
        subset: Bits = 0
        self.set_found = 1
        for index in range(size):
            subset |= ONE << self.set_labels[self.chosen_sets[index]]
        for digit in range(self.digit_count):
            places = self.places[house * self.digit_count + digit]
            free_places = places & ~union
            if (
                subset >> digit & 1
                or not places & (places - 1)
                or not free_places
                or free_places & (free_places - 1)
            ):
                continue
            filled_cell = self.house_cells[house * self.max_house_size + lowest_bit(free_places)]
            if self.offer_fill(
                self.current_technique, self.current_rating, filled_cell, digit, house
            ):
                self.add_reason_cells(house, union)
                self.step_digits |= subset
                return 1
        return 0
