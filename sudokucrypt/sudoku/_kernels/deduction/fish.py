"""Fish: n lines whose places of one digit all lie in n lines that cross them."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.houses import HouseSearch
    from sudokucrypt.sudoku._kernels.deduction.names import *


@cclass
class FishSearch(HouseSearch):
    """The search for fish."""

    base_lines: Bits  # the chosen lines of a fish by coordinate, if `has_plain_lines`
    useful_lines: Bits  # crossing lines in which candidates can be struck
    crossing_cells: Ints

    def __init__(self, tables: Any):
        HouseSearch.__init__(self, tables)
        capacity: Int = self.cell_count + self.digit_count + self.house_count
        self.crossing_cells = array("i", [0]) * capacity

    @cfunc
    def find_fish(self, technique: Int, rating: Int, size: Int, is_finned: Int) -> Int:
        """Offer fish: `size` lines whose places of a digit lie in `size` lines that cross them.

        A finned fish has places in one or two more lines, its fins; it strikes only candidates
        that see all fins.
        """
        if self.longest_side > 64:
            return 0
        for digit in range(self.digit_count):
            if self.is_known_fruitless(technique, digit, self.digit_change_times[digit]):
                continue
            for axis in range(1, 3):
                self.set_count = 0
                for house in range(self.house_count):
                    places = self.places[house * self.digit_count + digit]
                    if (
                        self.house_axes[house] != axis
                        or not self.needs_all_digits[house]
                        or not places & (places - 1)
                    ):
                        continue
                    crossing_lines = places if self.has_plain_lines else 0
                    while places and not self.has_plain_lines:
                        cell = self.house_cells[house * self.max_house_size + lowest_bit(places)]
                        crossing_lines |= ONE << self.coordinates[2 * cell + 2 - axis]
                        places &= places - 1
                    self.sets[self.set_count] = crossing_lines
                    self.set_labels[self.set_count] = house
                    self.set_count += 1
                self.current_digit, self.current_axis, self.current_technique = (
                    digit,
                    axis,
                    technique,
                )
                self.current_rating = rating
                # All fins lie in one 3x3 box, so they add at most two lines to the cover lines.
                if self.choose_sets(
                    FINNED_FISH if is_finned else FISH, size, size + 2 * is_finned, 0, 0, 0
                ):
                    return 1
            self.note_fruitless_search()
        return 0

    @cfunc
    @exceptval(check=False)
    def offer_fish(self, kind: Int, size: Int, union: Bits) -> Int:
        """Offer a fish of the chosen lines; `union` contains the lines that cross its places."""
        remaining_fins: Bits = union
        self.base_lines = 0
        for index in range(size):
            house = self.set_labels[self.chosen_sets[index]]
            if self.has_plain_lines:
                other = self.house_cells[house * self.max_house_size]
                self.base_lines |= ONE << self.coordinates[2 * other + self.current_axis - 1]
            # In overlapping grids, two chosen lines may share a cell. A single digit in it would
            # serve both lines, so the pattern is not a fish.
            for other in range(0 if self.has_plain_lines else index):
                if self.shared_cells[
                    house * self.house_count + self.set_labels[self.chosen_sets[other]]
                ]:
                    return 0
        self.useful_lines = self.find_useful_lines(union)
        if kind == FISH:
            return self.strike_in_cover_lines(size, union, 0)
        if count_bits(union) <= size:
            return 0  # a plain fish is easier
        while remaining_fins:
            first_fin = remaining_fins & -remaining_fins
            remaining_fins ^= first_fin
            other_fins = remaining_fins
            if count_bits(union) == size + 1:
                if self.strike_in_cover_lines(size, union ^ first_fin, first_fin):
                    return 1
                continue
            while other_fins:
                other = lowest_bit(other_fins)
                other_fins &= other_fins - 1
                if self.strike_in_cover_lines(
                    size, union ^ first_fin ^ ONE << other, first_fin | ONE << other
                ):
                    return 1
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def find_useful_lines(self, lines: Bits) -> Bits:
        """Return the given lines that have candidates of the digit outside the base lines.

        Where lines are not plain, all lines are returned.
        """
        useful_lines: Bits = 0
        while lines and self.has_plain_lines:
            house = self.line_houses[
                (2 - self.current_axis) * self.longest_side + lowest_bit(lines)
            ]
            if self.places[house * self.digit_count + self.current_digit] & ~self.base_lines:
                useful_lines |= lines & -lines
            lines &= lines - 1
        return useful_lines | lines

    @cfunc
    @final
    @exceptval(check=False)
    def find_crossing_house(self, line: Int, size: Int) -> Int:
        """Return the house that contains all places of the fish in a crossing line, or -1."""
        count: Int = 0
        if self.has_plain_lines:
            return self.line_houses[(2 - self.current_axis) * self.longest_side + line]
        for index in range(size):
            house = self.set_labels[self.chosen_sets[index]]
            places = self.places[house * self.digit_count + self.current_digit]
            while places:
                cell = self.house_cells[house * self.max_house_size + lowest_bit(places)]
                places &= places - 1
                if self.coordinates[2 * cell + 2 - self.current_axis] == line:
                    self.crossing_cells[count] = cell
                    count += 1
        for slot in range(
            self.crossing_cells[0] * self.max_cell_houses,
            (self.crossing_cells[0] + 1) * self.max_cell_houses,
        ):
            house = self.cell_houses[slot]
            if house < 0 or self.house_axes[house] != 3 - self.current_axis:
                continue
            for index in range(1, count):
                if not self.has_cell(house, self.crossing_cells[index]):
                    break
            else:
                return house
        return -1

    @cfunc
    @exceptval(check=False)
    def has_cell(self, house: Int, cell: Int) -> Int:
        """Return whether a house contains a cell."""
        for slot in range(cell * self.max_cell_houses, (cell + 1) * self.max_cell_houses):
            if self.cell_houses[slot] == house:
                return 1
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def strike_in_cover_lines(self, size: Int, cover_lines: Bits, fin_lines: Bits) -> Int:
        """Strike candidates in `cover_lines`, outside the base lines, that see all fins."""
        places: Bits = 0
        remaining_lines: Bits = cover_lines & self.useful_lines
        if not remaining_lines:
            return 0
        self.reset_reach(self.current_digit)
        for index in range(size):
            house = self.set_labels[self.chosen_sets[index]]
            places = self.places[house * self.digit_count + self.current_digit] if fin_lines else 0
            if self.has_plain_lines:
                places &= fin_lines
            while places:
                cell = self.house_cells[house * self.max_house_size + lowest_bit(places)]
                places &= places - 1
                if fin_lines >> self.coordinates[2 * cell + 2 - self.current_axis] & 1:
                    if not self.limit_reach(cell):
                        return 0
        while remaining_lines:
            house = self.find_crossing_house(lowest_bit(remaining_lines), size)
            remaining_lines &= remaining_lines - 1
            if house < 0:
                self.queued_strike_count = 0
                return 0
            places = self.places[house * self.digit_count + self.current_digit] & ~self.base_lines
            while places:
                cell = self.house_cells[house * self.max_house_size + lowest_bit(places)]
                places &= places - 1
                for index in range(0 if self.has_plain_lines else size):
                    if self.has_cell(self.set_labels[self.chosen_sets[index]], cell):
                        break
                else:
                    if self.cells_in_reach[cell >> 6] >> (cell & 63) & 1:
                        self.queue_strike(cell, self.current_digit)
        if not self.offer_step(self.current_technique, self.current_rating, 0):
            return 0
        for index in range(size):
            house = self.set_labels[self.chosen_sets[index]]
            self.add_reason_cells(house, self.places[house * self.digit_count + self.current_digit])
            self.add_step_house(house)
        while cover_lines:
            self.add_step_house(self.find_crossing_house(lowest_bit(cover_lines), size))
            cover_lines &= cover_lines - 1
        self.step_digits = ONE << self.current_digit
        return 1
