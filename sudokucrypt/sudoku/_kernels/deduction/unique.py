"""Unique loops and bivalue graves: patterns that would give a puzzle two solutions."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.names import *
    from sudokucrypt.sudoku._kernels.deduction.wings import WingSearch


@cclass
class UniquenessSearch(WingSearch):
    """Patterns that have two solutions or none, unless one of their extra candidates is right."""

    loop_cells: Ints
    extra_digits: Words  # for each cell: its candidates that do not belong to the pattern
    extra_cells: Ints  # the cells with extra candidates
    extra_cell_count: Int
    loop_rating: Int
    house_balances: Ints  # by house: cells at even places of the loop minus cells at odd places
    pattern_cells: Ints  # the cells that the step lists first
    pattern_size: Int
    pattern_digits: Bits

    def __init__(self, tables: Any):
        WingSearch.__init__(self, tables)
        self.loop_cells = array("i", [0]) * 32
        self.pattern_cells = array("i", [0]) * self.cell_count
        self.extra_digits = array("Q", [0]) * self.cell_count
        self.extra_cells = array("i", [0]) * self.cell_count
        self.house_balances = array("i", [0]) * self.house_count

    @cfunc
    def find_unique_loops(self, technique: Int, rating: Int, max_length: Int) -> Int:
        """Offer rectangles and longer loops of cells that must not contain only two digits."""
        self.current_technique, self.loop_rating = technique, rating
        self.list_pairs()
        for index in range(self.pair_count):
            self.loop_cells[0] = self.pairs[index]
            self.extend_loop(1, -1, self.candidates[self.pairs[index]], 0, 0, max_length)
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def extend_loop(
        self,
        length: Int,
        last_house: Int,
        pair: Bits,
        extra_digits_so_far: Bits,
        extra_count_so_far: Int,
        max_length: Int,
    ) -> Int:
        """Extend a loop by each cell that can follow in a house other than `last_house`.

        `pair` contains the two digits of the loop, `extra_digits_so_far` the extra candidates of
        its cells, and `extra_count_so_far` the number of cells that have some.
        """
        cell: Int = self.loop_cells[length - 1]
        for slot in range(cell * self.max_cell_houses, (cell + 1) * self.max_cell_houses):
            house = self.cell_houses[slot]
            if house < 0 or house == last_house:
                continue
            # Cells that may contain both digits, one bit for each cell of the house.
            bits = self.places[house * self.digit_count + lowest_bit(pair)]
            bits &= self.places[house * self.digit_count + lowest_bit(pair & (pair - 1))]
            while bits:
                place = lowest_bit(bits)
                bits &= bits - 1
                next_cell = self.house_cells[house * self.max_house_size + place]
                if next_cell == self.loop_cells[0]:
                    if length == max_length or (length >= 6 and not length & 1):
                        self.offer_loop(length, pair)
                    continue
                if length == max_length or self.is_in_loop(next_cell, length):
                    continue
                extra_candidates = self.candidates[next_cell] & ~pair
                # Skip earlier cells without extra candidates: searches from them found such loops.
                if not extra_candidates and next_cell < self.loop_cells[0]:
                    continue
                if (
                    extra_candidates
                    and extra_count_so_far >= 2
                    and count_bits(extra_digits_so_far | extra_candidates) > 1
                ):
                    continue
                self.loop_cells[length] = next_cell
                self.extend_loop(
                    length + 1,
                    house,
                    pair,
                    extra_digits_so_far | extra_candidates,
                    extra_count_so_far + (extra_candidates != 0),
                    max_length,
                )
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def is_in_loop(self, cell: Int, length: Int) -> Int:
        for index in range(length):
            if self.loop_cells[index] == cell:
                return 1
        return 0

    @cfunc
    @exceptval(check=False)
    def offer_loop(self, length: Int, pair: Bits) -> Int:
        """Offer the conclusions of a loop if its two digits could be exchanged.

        They could if each house contains equally many cells at even and at odd places of the loop.
        """
        is_balanced: Int = 1
        rating: Int = self.loop_rating
        for index in range(length):
            for slot in range(
                self.loop_cells[index] * self.max_cell_houses,
                (self.loop_cells[index] + 1) * self.max_cell_houses,
            ):
                if self.cell_houses[slot] >= 0:
                    self.house_balances[self.cell_houses[slot]] += 1 - 2 * (index & 1)
        for index in range(length):
            for slot in range(
                self.loop_cells[index] * self.max_cell_houses,
                (self.loop_cells[index] + 1) * self.max_cell_houses,
            ):
                if self.cell_houses[slot] >= 0:
                    is_balanced &= self.house_balances[self.cell_houses[slot]] == 0
        for index in range(length):
            for slot in range(
                self.loop_cells[index] * self.max_cell_houses,
                (self.loop_cells[index] + 1) * self.max_cell_houses,
            ):
                if self.cell_houses[slot] >= 0:
                    self.house_balances[self.cell_houses[slot]] = 0
        if not is_balanced:
            return 0
        self.extra_cell_count = 0
        for index in range(length):
            self.pattern_cells[index] = self.loop_cells[index]
            self.extra_digits[self.loop_cells[index]] = (
                self.candidates[self.loop_cells[index]] & ~pair
            )
            if self.extra_digits[self.loop_cells[index]]:
                self.extra_cells[self.extra_cell_count] = self.loop_cells[index]
                self.extra_cell_count += 1
        self.pattern_size, self.pattern_digits = length, pair
        if length >= 6:
            rating += 4 if length >= 10 else 1 if length >= 8 else 0
        return self.offer_conclusions(rating, rating)

    @cfunc
    def find_bivalue_grave(self, technique: Int, rating: Int) -> Int:
        """Offer a bivalue grave: each open cell has two candidates, except for a few extra ones.

        Each digit would then have two places in each house. If all extra candidates were wrong,
        exchanging the two digits of every cell would give a second solution.
        """
        self.extra_cell_count = 0
        for cell in range(self.cell_count):
            self.extra_digits[cell] = 0
            if not self.is_settled[cell] and count_bits(self.candidates[cell]) != 2:
                self.extra_cells[self.extra_cell_count] = cell
                self.extra_cell_count += 1
                if self.extra_cell_count > self.digit_count:
                    return 0
        if not self.extra_cell_count:
            return 0
        for house in range(self.house_count):
            if not self.needs_all_digits[house]:
                return 0
            for digit in range(self.digit_count):
                places = self.places[house * self.digit_count + digit]
                if not places or count_bits(places) == 2:
                    continue
                unchecked_places, count = places, 0
                while unchecked_places:
                    cell = self.house_cells[
                        house * self.max_house_size + lowest_bit(unchecked_places)
                    ]
                    unchecked_places &= unchecked_places - 1
                    if count_bits(self.candidates[cell]) > 2:
                        count += 1
                        extra_cell = cell
                if not count:
                    return 0
                if count == 1:
                    self.extra_digits[extra_cell] |= ONE << digit
        self.pattern_digits = 0
        for index in range(self.extra_cell_count):
            cell = self.extra_cells[index]
            self.pattern_cells[index] = cell
            self.pattern_digits |= self.extra_digits[cell]
            if count_bits(self.candidates[cell] & ~self.extra_digits[cell]) != 2:
                return 0
        for house in range(self.house_count):
            for digit in range(self.digit_count):
                unchecked_places = self.places[house * self.digit_count + digit]
                count = 0
                while unchecked_places:
                    cell = self.house_cells[
                        house * self.max_house_size + lowest_bit(unchecked_places)
                    ]
                    unchecked_places &= unchecked_places - 1
                    count += not self.extra_digits[cell] >> digit & 1
                if count and count != 2:
                    return 0
        self.pattern_size, self.current_technique = self.extra_cell_count, technique
        return self.offer_conclusions(rating, rating + 1)

    @cfunc
    def offer_conclusions(self, rating: Int, harder_rating: Int) -> Int:
        """Offer the conclusions of a pattern, one of whose extra candidates must be right.

        The rating is `harder_rating` if several cells have extra candidates.
        """
        extra_candidates: Bits = 0
        for index in range(self.extra_cell_count):
            extra_candidates |= self.extra_digits[self.extra_cells[index]]
        if self.extra_cell_count == 1:
            cell = self.extra_cells[0]
            self.queue_strikes(cell, ~self.extra_digits[cell])
            return self.offer_pattern(rating, -1)
        if not extra_candidates & (extra_candidates - 1):
            self.reset_reach(lowest_bit(extra_candidates))
            for index in range(self.extra_cell_count):
                self.limit_reach(self.extra_cells[index])
            self.queue_strikes_in_reach(lowest_bit(extra_candidates))
            self.offer_pattern(harder_rating, -1)
        for slot in range(
            self.extra_cells[0] * self.max_cell_houses,
            (self.extra_cells[0] + 1) * self.max_cell_houses,
        ):
            if self.cell_houses[slot] >= 0 and self.has_all_extra_cells(self.cell_houses[slot]):
                if self.extra_cell_count == 2 and self.needs_all_digits[self.cell_houses[slot]]:
                    self.offer_exchange(self.cell_houses[slot], harder_rating)
                if extra_candidates & (extra_candidates - 1):
                    self.find_subset_with_extras(
                        self.cell_houses[slot], harder_rating, extra_candidates
                    )
        return 0

    @cfunc
    def has_all_extra_cells(self, house: Int) -> Int:
        """Return whether a house contains all cells with extra candidates."""
        for index in range(self.extra_cell_count):
            if not self.has_cell(house, self.extra_cells[index]):
                return 0
        return 1

    @cfunc
    def offer_exchange(self, house: Int, rating: Int) -> Int:
        """Offer to reduce two `extra_cells` to extra digits and a digit with no other place."""
        first: Int = self.extra_cells[0]
        second: Int = self.extra_cells[1]
        common_digits: Bits = self.candidates[first] & self.candidates[second]
        common_digits &= ~(self.extra_digits[first] | self.extra_digits[second])
        while common_digits:
            digit = lowest_bit(common_digits)
            common_digits &= common_digits - 1
            if count_bits(self.places[house * self.digit_count + digit]) == 2:
                self.queue_strikes(first, ~(self.extra_digits[first] | ONE << digit))
                self.queue_strikes(second, ~(self.extra_digits[second] | ONE << digit))
                self.offer_pattern(rating, house)
        return 0

    @cfunc
    def find_subset_with_extras(self, house: Int, rating: Int, extra_candidates: Bits) -> Int:
        """Offer subsets in which the cells with extra candidates count as one cell."""
        self.current_house, self.current_rating = house, rating
        for size in range(2, 5):
            self.set_count = 0
            if count_bits(extra_candidates) > size:
                continue
            for slot in range(house * self.max_house_size, (house + 1) * self.max_house_size):
                cell = self.house_cells[slot]
                if cell < 0 or self.is_settled[cell] or count_bits(self.candidates[cell]) > size:
                    continue
                for index in range(self.extra_cell_count):
                    if self.extra_cells[index] == cell:
                        break
                else:
                    self.sets[self.set_count] = self.candidates[cell]
                    self.set_labels[self.set_count] = cell
                    self.set_count += 1
            if self.choose_sets(EXTRA_SUBSET, size - 1, size, 0, 0, extra_candidates):
                return 1
        return 0

    @cfunc
    @exceptval(check=False)
    def offer_extra_subset(self, size: Int, union: Bits) -> Int:
        """Offer the naked subset of the chosen cells and the cells with extra candidates."""
        for slot in range(
            self.current_house * self.max_house_size, (self.current_house + 1) * self.max_house_size
        ):
            cell = self.house_cells[slot]
            if cell < 0:
                continue
            for index in range(size):
                if self.set_labels[self.chosen_sets[index]] == cell:
                    break
            else:
                for index in range(self.extra_cell_count):
                    if self.extra_cells[index] == cell:
                        break
                else:
                    self.queue_strikes(cell, union)
        if not self.offer_pattern(self.current_rating + size, self.current_house):
            return 0
        for index in range(size):
            self.add_reason_cell(self.set_labels[self.chosen_sets[index]])
        return 1

    @cfunc
    def offer_pattern(self, rating: Int, house: Int) -> Int:
        """Offer the queued strikes as a step with the cells and digits of the pattern."""
        if not self.offer_step(self.current_technique, rating, self.pattern_size):
            return 0
        for index in range(self.pattern_size):
            self.add_reason_cell(self.pattern_cells[index])
        if house >= 0:
            self.add_step_house(house)
        self.step_digits = self.pattern_digits
        return 1
