"""Wings: cells of a house and a two-candidate cell elsewhere; one of them has a certain digit."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.fish import FishSearch
    from sudokucrypt.sudoku._kernels.deduction.names import *


@cclass
class WingSearch(FishSearch):
    """The search for wings: cells with few candidates, not all of which see each other."""

    pairs: Ints  # the open cells with two candidates
    pair_count: Int
    partners: Ints  # the pairs that the search combines with the cells of one house
    partner_count: Int

    def __init__(self, tables: Any):
        FishSearch.__init__(self, tables)
        self.pairs = array("i", [0]) * self.cell_count
        self.partners = array("i", [0]) * self.cell_count

    @cfunc
    def list_pairs(self) -> Int:
        """List the open cells with two candidates."""
        self.pair_count = 0
        for cell in range(self.cell_count):
            if not self.is_settled[cell] and count_bits(self.candidates[cell]) == 2:
                self.pairs[self.pair_count] = cell
                self.pair_count += 1
        return self.pair_count

    @cfunc
    def find_wings(self, technique: Int, rating: Int, size: Int, max_candidates: Int) -> Int:
        """Offer wings: `size - 1` cells of a house and a pair elsewhere with `size` digits in all.

        All cells that may contain one digit of the pair see the pair. So the other digit is in the
        pair or in one of the cells, and can be struck where all these places are seen. Each cell
        has at most `max_candidates` candidates.
        """
        self.list_pairs()
        self.current_technique, self.current_rating = technique, rating
        for house in range(self.house_count):
            # In an unchanged house, only pairs changed since its last search can give a wing.
            last_search_time = 0
            if self.is_known_fruitless(technique, house, self.house_change_times[house]):
                last_search_time = self.fruitless_times[self.fruitless_index]
            self.partner_count = 0
            for index in range(self.pair_count):
                if self.cell_change_times[self.pairs[index]] > last_search_time:
                    self.partners[self.partner_count] = self.pairs[index]
                    self.partner_count += 1
            if self.partner_count:
                self.take_cell_sets(house, max_candidates)
                if self.choose_sets(WING, size - 1, size, 0, 0, 0):
                    return 1
            self.note_fruitless_search()
        return 0

    @cfunc
    @exceptval(check=False)
    def offer_other_pattern(self, kind: Int, size: Int, union: Bits) -> Int:
        if kind != WING:
            return self.offer_extra_subset(size, union)
        for index in range(self.partner_count):
            pair = self.partners[index]
            bits = self.candidates[pair]
            if bits & ~union:
                continue
            # No cell sees itself, so this test excludes a pair that is one of the chosen cells.
            unseen_digits = 0
            for chosen_index in range(size):
                cell = self.set_labels[self.chosen_sets[chosen_index]]
                if not self.peer_matrix[pair * self.cell_count + cell]:
                    unseen_digits |= self.candidates[cell]
            for is_second in range(2):
                digit = lowest_bit(bits & (bits - 1) if is_second else bits)
                if not unseen_digits & bits & ~(ONE << digit) and self.offer_wing(
                    size, pair, digit
                ):
                    return 1
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def offer_wing(self, size: Int, pair: Int, digit: Int) -> Int:
        """Offer to strike a digit from cells that see every wing cell with this digit."""
        max_candidates: Int = 2
        rating: Int = self.current_rating
        self.reset_reach(digit)
        self.limit_reach(pair)
        for index in range(size):
            cell = self.set_labels[self.chosen_sets[index]]
            if self.candidates[cell] >> digit & 1 and not self.limit_reach(cell):
                return 0
            max_candidates = max(max_candidates, count_bits(self.candidates[cell]))
        self.queue_strikes_in_reach(digit)
        # The usual ratings count wings whose cells have three candidates as the hardest.
        if size >= 3:
            rating += size - 2 - (3 - max_candidates if max_candidates < 3 else max_candidates - 3)
        if not self.offer_step(self.current_technique, rating, 0):
            return 0
        for index in range(size):
            self.add_reason_cell(self.set_labels[self.chosen_sets[index]])
        self.add_reason_cell(pair)
        self.step_digits = ONE << digit
        return 1

    @cfunc
    def find_w_wing(self, technique: Int, rating: Int) -> Int:
        """Offer W-wings: a linking house keeps two equal pairs from both containing one digit."""
        self.list_pairs()
        for index in range(self.pair_count):
            for other_index in range(index + 1, self.pair_count):
                first_cell, second_cell = self.pairs[index], self.pairs[other_index]
                bits = self.candidates[first_cell]
                if (
                    self.candidates[second_cell] != bits
                    or self.peer_matrix[first_cell * self.cell_count + second_cell]
                ):
                    continue
                while bits:
                    digit = lowest_bit(bits)
                    bits &= bits - 1
                    house = self.find_linking_house(first_cell, second_cell, digit)
                    if house < 0:
                        continue
                    digit = lowest_bit(self.candidates[first_cell] & ~(ONE << digit))
                    self.reset_reach(digit)
                    self.limit_reach(first_cell)
                    self.limit_reach(second_cell)
                    self.queue_strikes_in_reach(digit)
                    if self.offer_step(technique, rating, 0):
                        self.add_reason_cell(first_cell)
                        self.add_reason_cell(second_cell)
                        self.step_digits = self.candidates[first_cell]
                        self.add_step_house(house)
                        return 1
        return 0

    @cfunc
    def find_linking_house(self, first_cell: Int, second_cell: Int, digit: Int) -> Int:
        """Return a house in which all places of a digit see one of two cells, or -1."""
        for house in range(self.house_count):
            places = self.places[house * self.digit_count + digit]
            if not places or not self.needs_all_digits[house]:
                continue
            while places:
                place_cell = self.house_cells[house * self.max_house_size + lowest_bit(places)]
                if not (
                    self.peer_matrix[first_cell * self.cell_count + place_cell]
                    or self.peer_matrix[second_cell * self.cell_count + place_cell]
                ):
                    break
                places &= places - 1
            if not places:
                return house
        return -1

    @cfunc
    @exceptval(check=False)
    def offer_extra_subset(self, size: Int, union: Bits) -> Int:
        """Offer a subset with cells of a unique pattern; implemented by `UniquenessSearch`."""
        return 0
