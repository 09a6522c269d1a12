"""Unique loops and bivalue graves: patterns that would give a puzzle two solutions."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.names import *
    from sudokucrypt.sudoku._kernels.deduction.wings import Wings


@cclass
class Unique(Wings):
    """Patterns that have two solutions or none, so that one of their extra candidates is right."""

    loop_cells: Ints
    extra_digits: Words  # for each cell: its candidates that do not belong to the pattern
    odd_cells: Ints  # the cells with extra candidates
    odd_count: Int
    loop_rating: Int
    visits: Ints
    pattern: Ints  # the cells that the step lists first
    pattern_count: Int
    pattern_digits: Bits

    def __init__(self, tables: Any):
        Wings.__init__(self, tables)
        self.loop_cells = array("i", [0]) * 32
        self.pattern = array("i", [0]) * self.cells
        self.extra_digits = array("Q", [0]) * self.cells
        self.odd_cells = array("i", [0]) * self.cells
        self.visits = array("i", [0]) * self.houses

    @cfunc
    def find_unique_loops(self, technique: Int, rating: Int, longest: Int) -> Int:
        """Offer rectangles and longer loops of cells that must not contain only two digits."""
        self.current_technique, self.loop_rating = technique, rating
        self.list_pairs()
        for index in range(self.pair_count):
            self.loop_cells[0] = self.pairs[index]
            self.extend_loop(1, -1, self.candidates[self.pairs[index]], 0, 0, longest)
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def extend_loop(
        self,
        length: Int,
        last_house: Int,
        pair: Bits,
        extra_so_far: Bits,
        odd_so_far: Int,
        longest: Int,
    ) -> Int:
        """Extend a loop by each cell that may follow, in another house than `last_house`.

        `pair` contains the two digits of the loop, `extra_so_far` the extra candidates of its
        cells, and `odd_so_far` the number of cells that have some.
        """
        cell: Int = self.loop_cells[length - 1]
        for slot in range(cell * self.max_cell_houses, (cell + 1) * self.max_cell_houses):
            house = self.cell_houses[slot]
            if house < 0 or house == last_house:
                continue
            # Cells that may contain both digits, one bit for each cell of the house.
            bits = self.places[house * self.digits + lowest_bit(pair)]
            bits &= self.places[house * self.digits + lowest_bit(pair & (pair - 1))]
            while bits:
                place = lowest_bit(bits)
                bits &= bits - 1
                following = self.house_cells[house * self.max_house_size + place]
                if following == self.loop_cells[0]:
                    if length == longest or (length >= 6 and not length & 1):
                        self.close_loop(length, pair)
                    continue
                if length == longest or self.is_in_loop(following, length):
                    continue
                extra = self.candidates[following] & ~pair
                # Loops through an earlier cell without extra candidates were found from there.
                if not extra and following < self.loop_cells[0]:
                    continue
                if extra and odd_so_far >= 2 and count_bits(extra_so_far | extra) > 1:
                    continue
                self.loop_cells[length] = following
                self.extend_loop(
                    length + 1,
                    house,
                    pair,
                    extra_so_far | extra,
                    odd_so_far + (extra != 0),
                    longest,
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
    def close_loop(self, length: Int, pair: Bits) -> Int:
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
                    self.visits[self.cell_houses[slot]] += 1 - 2 * (index & 1)
        for index in range(length):
            for slot in range(
                self.loop_cells[index] * self.max_cell_houses,
                (self.loop_cells[index] + 1) * self.max_cell_houses,
            ):
                if self.cell_houses[slot] >= 0:
                    is_balanced &= self.visits[self.cell_houses[slot]] == 0
        for index in range(length):
            for slot in range(
                self.loop_cells[index] * self.max_cell_houses,
                (self.loop_cells[index] + 1) * self.max_cell_houses,
            ):
                if self.cell_houses[slot] >= 0:
                    self.visits[self.cell_houses[slot]] = 0
        if not is_balanced:
            return 0
        self.odd_count = 0
        for index in range(length):
            self.pattern[index] = self.loop_cells[index]
            self.extra_digits[self.loop_cells[index]] = (
                self.candidates[self.loop_cells[index]] & ~pair
            )
            if self.extra_digits[self.loop_cells[index]]:
                self.odd_cells[self.odd_count] = self.loop_cells[index]
                self.odd_count += 1
        self.pattern_count, self.pattern_digits = length, pair
        if length >= 6:
            rating += 4 if length >= 10 else 1 if length >= 8 else 0
        return self.conclude_pattern(rating, rating)

    @cfunc
    def find_grave(self, technique: Int, rating: Int) -> Int:
        """Offer a bivalue grave: without few extra candidates, each cell would have two.

        Each digit would then have two places in each house. If all extra candidates were wrong,
        exchanging the two digits of every cell would give a second solution.
        """
        self.odd_count = 0
        for cell in range(self.cells):
            self.extra_digits[cell] = 0
            if not self.settled[cell] and count_bits(self.candidates[cell]) != 2:
                self.odd_cells[self.odd_count] = cell
                self.odd_count += 1
                if self.odd_count > self.digits:
                    return 0
        if not self.odd_count:
            return 0
        for house in range(self.houses):
            if not self.is_complete[house]:
                return 0
            for digit in range(self.digits):
                mask = self.places[house * self.digits + digit]
                if not mask or count_bits(mask) == 2:
                    continue
                rest, count = mask, 0
                while rest:
                    cell = self.house_cells[house * self.max_house_size + lowest_bit(rest)]
                    rest &= rest - 1
                    if count_bits(self.candidates[cell]) > 2:
                        count += 1
                        index = cell
                if not count:
                    return 0
                if count == 1:
                    self.extra_digits[index] |= ONE << digit
        self.pattern_digits = 0
        for index in range(self.odd_count):
            cell = self.odd_cells[index]
            self.pattern[index] = cell
            self.pattern_digits |= self.extra_digits[cell]
            if count_bits(self.candidates[cell] & ~self.extra_digits[cell]) != 2:
                return 0
        for house in range(self.houses):
            for digit in range(self.digits):
                rest = self.places[house * self.digits + digit]
                count = 0
                while rest:
                    cell = self.house_cells[house * self.max_house_size + lowest_bit(rest)]
                    rest &= rest - 1
                    count += not self.extra_digits[cell] >> digit & 1
                if count and count != 2:
                    return 0
        self.pattern_count, self.current_technique = self.odd_count, technique
        return self.conclude_pattern(rating, rating + 1)

    @cfunc
    def conclude_pattern(self, rating: Int, harder: Int) -> Int:
        """Offer what follows since one of the extra candidates of a pattern is right.

        The rating is `harder` if several cells have extra candidates.
        """
        extra: Bits = 0
        for index in range(self.odd_count):
            extra |= self.extra_digits[self.odd_cells[index]]
        if self.odd_count == 1:
            cell = self.odd_cells[0]
            self.hit_candidates(cell, ~self.extra_digits[cell])
            return self.offer_pattern(rating, -1)
        if not extra & (extra - 1):
            self.reach_digit(lowest_bit(extra))
            for index in range(self.odd_count):
                self.limit_reach(self.odd_cells[index])
            self.hit_reach(lowest_bit(extra))
            self.offer_pattern(harder, -1)
        for slot in range(
            self.odd_cells[0] * self.max_cell_houses, (self.odd_cells[0] + 1) * self.max_cell_houses
        ):
            if self.cell_houses[slot] >= 0 and self.has_all_odd_cells(self.cell_houses[slot]):
                if self.odd_count == 2 and self.is_complete[self.cell_houses[slot]]:
                    self.conclude_exchange(self.cell_houses[slot], harder)
                if extra & (extra - 1):
                    self.find_subset_with_odd(self.cell_houses[slot], harder, extra)
        return 0

    @cfunc
    def has_all_odd_cells(self, house: Int) -> Int:
        """Return whether a house contains all odd cells."""
        for index in range(self.odd_count):
            if not self.has_cell(house, self.odd_cells[index]):
                return 0
        return 1

    @cfunc
    def conclude_exchange(self, house: Int, rating: Int) -> Int:
        """Offer to leave two odd cells only their extra digits and a digit that needs them."""
        one: Int = self.odd_cells[0]
        two: Int = self.odd_cells[1]
        common: Bits = self.candidates[one] & self.candidates[two]
        common &= ~(self.extra_digits[one] | self.extra_digits[two])
        while common:
            digit = lowest_bit(common)
            common &= common - 1
            if count_bits(self.places[house * self.digits + digit]) == 2:
                self.hit_candidates(one, ~(self.extra_digits[one] | ONE << digit))
                self.hit_candidates(two, ~(self.extra_digits[two] | ONE << digit))
                self.offer_pattern(rating, house)
        return 0

    @cfunc
    def find_subset_with_odd(self, house: Int, rating: Int, extra: Bits) -> Int:
        """Offer subsets in which the odd cells count as one cell with the extra digits."""
        self.current_house, self.current_rating = house, rating
        for size in range(2, 5):
            self.set_count = 0
            if count_bits(extra) > size:
                continue
            for slot in range(house * self.max_house_size, (house + 1) * self.max_house_size):
                cell = self.house_cells[slot]
                if cell < 0 or self.settled[cell] or count_bits(self.candidates[cell]) > size:
                    continue
                for index in range(self.odd_count):
                    if self.odd_cells[index] == cell:
                        break
                else:
                    self.sets[self.set_count] = self.candidates[cell]
                    self.set_labels[self.set_count] = cell
                    self.set_count += 1
            if self.choose_sets(WITH_ODD_CELLS, size - 1, size, 0, 0, extra):
                return 1
        return 0

    @cfunc
    @exceptval(check=False)
    def conclude_odd_subset(self, size: Int, union: Bits) -> Int:
        """Offer the naked subset of the chosen cells and the odd cells."""
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
                for index in range(self.odd_count):
                    if self.odd_cells[index] == cell:
                        break
                else:
                    self.hit_candidates(cell, union)
        if not self.offer_pattern(self.current_rating + size, self.current_house):
            return 0
        for index in range(size):
            self.add_base_cell(self.set_labels[self.chosen_sets[index]])
        return 1

    @cfunc
    def offer_pattern(self, rating: Int, house: Int) -> Int:
        """Offer the hits as a step with the cells and digits of the pattern."""
        if not self.offer_step(self.current_technique, rating, self.pattern_count):
            return 0
        for index in range(self.pattern_count):
            self.add_base_cell(self.pattern[index])
        if house >= 0:
            self.add_house(house)
        self.step_digits = self.pattern_digits
        return 1
