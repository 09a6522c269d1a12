"""Wings: cells of a house and a pair elsewhere, one of which must contain a certain digit."""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.fish import Fish
    from sudokucrypt.sudoku._kernels.deduction.names import *


@cclass
class Wings(Fish):
    """The search for wings: cells with few candidates, not all of which see each other."""

    pairs: Ints  # the open cells with two candidates
    pair_count: Int
    partners: Ints  # the pairs that the search combines with the cells of one house
    partner_count: Int

    def __init__(self, tables: Any):
        Fish.__init__(self, tables)
        self.pairs = array("i", [0]) * self.cells
        self.partners = array("i", [0]) * self.cells

    @cfunc
    def list_pairs(self) -> Int:
        """List the open cells with two candidates."""
        self.pair_count = 0
        for cell in range(self.cells):
            if not self.settled[cell] and count_bits(self.candidates[cell]) == 2:
                self.pairs[self.pair_count] = cell
                self.pair_count += 1
        return self.pair_count

    @cfunc
    def find_wings(self, technique: Int, rating: Int, size: Int, most_candidates: Int) -> Int:
        """Offer wings: `size - 1` cells of a house and a pair elsewhere with `size` digits in all.

        All cells that may contain one digit of the pair see the pair. So the other digit is in the
        pair or in one of the cells, and can be struck where all these places are seen. Each cell
        has at most `most_candidates` candidates.
        """
        self.list_pairs()
        self.current_technique, self.current_rating = technique, rating
        for house in range(self.houses):
            # In an unchanged house, only pairs that have changed since then can give a wing.
            since = 0
            if self.is_unchanged(technique, house, self.house_changes[house]):
                since = self.fruitless_at[self.fruitless_slot]
            self.partner_count = 0
            for index in range(self.pair_count):
                if self.cell_changes[self.pairs[index]] > since:
                    self.partners[self.partner_count] = self.pairs[index]
                    self.partner_count += 1
            if self.partner_count:
                self.take_cell_sets(house, most_candidates)
                if self.choose_sets(BENT, size - 1, size, 0, 0, 0):
                    return 1
            self.note_fruitless()
        return 0

    @cfunc
    @exceptval(check=False)
    def conclude_other(self, kind: Int, size: Int, union: Bits) -> Int:
        if kind != BENT:
            return self.conclude_odd_subset(size, union)
        for index in range(self.partner_count):
            pair = self.partners[index]
            bits = self.candidates[pair]
            if bits & ~union:
                continue
            # No cell sees itself, so the pair cannot be one of the cells.
            unseen = 0
            for one in range(size):
                cell = self.set_labels[self.chosen_sets[one]]
                if not self.peer_matrix[pair * self.cells + cell]:
                    unseen |= self.candidates[cell]
            for one in range(2):
                digit = lowest_bit(bits & (bits - 1) if one else bits)
                if not unseen & bits & ~(ONE << digit) and self.offer_wing(size, pair, digit):
                    return 1
        return 0

    @cfunc
    @final
    @exceptval(check=False)
    def offer_wing(self, size: Int, pair: Int, digit: Int) -> Int:
        """Offer to strike a digit from cells that see the pair and all chosen cells with it."""
        biggest: Int = 2
        rating: Int = self.current_rating
        self.reach_digit(digit)
        self.limit_reach(pair)
        for index in range(size):
            cell = self.set_labels[self.chosen_sets[index]]
            if self.candidates[cell] >> digit & 1 and not self.limit_reach(cell):
                return 0
            biggest = max(biggest, count_bits(self.candidates[cell]))
        self.hit_reach(digit)
        # The usual ratings count wings whose cells have three candidates as the hardest.
        if size >= 3:
            rating += size - 2 - (3 - biggest if biggest < 3 else biggest - 3)
        if not self.offer_step(self.current_technique, rating, 0):
            return 0
        for index in range(size):
            self.add_base_cell(self.set_labels[self.chosen_sets[index]])
        self.add_base_cell(pair)
        self.step_digits = ONE << digit
        return 1

    @cfunc
    def find_w_wing(self, technique: Int, rating: Int) -> Int:
        """Offer W-wings: two equal pairs, one of which must contain a digit of a linking house."""
        self.list_pairs()
        for first in range(self.pair_count):
            for second in range(first + 1, self.pair_count):
                cell, other = self.pairs[first], self.pairs[second]
                bits = self.candidates[cell]
                if self.candidates[other] != bits or self.peer_matrix[cell * self.cells + other]:
                    continue
                while bits:
                    linking = lowest_bit(bits)
                    bits &= bits - 1
                    house = self.find_linking_house(cell, other, linking)
                    if house < 0:
                        continue
                    linking = lowest_bit(self.candidates[cell] & ~(ONE << linking))
                    self.reach_digit(linking)
                    self.limit_reach(cell)
                    self.limit_reach(other)
                    self.hit_reach(linking)
                    if self.offer_step(technique, rating, 0):
                        self.add_base_cell(cell)
                        self.add_base_cell(other)
                        self.step_digits = self.candidates[cell]
                        self.add_house(house)
                        return 1
        return 0

    @cfunc
    def find_linking_house(self, cell: Int, other: Int, digit: Int) -> Int:
        """Return a house in which all places of a digit see one of two cells, or -1."""
        for house in range(self.houses):
            mask = self.places[house * self.digits + digit]
            if not mask or not self.is_complete[house]:
                continue
            while mask:
                place = self.house_cells[house * self.max_house_size + lowest_bit(mask)]
                if not (
                    self.peer_matrix[cell * self.cells + place]
                    or self.peer_matrix[other * self.cells + place]
                ):
                    break
                mask &= mask - 1
            if not mask:
                return house
        return -1

    @cfunc
    @exceptval(check=False)
    def conclude_odd_subset(self, size: Int, union: Bits) -> Int:
        """Offer a subset with the cells of a unique pattern; the class `Unique` implements it."""
        return 0
