"""The techniques of solving by hand, from singles to nested nets, on sets of candidates.

The parts of this kernel are in the package `deduction`. The same files run as Python and are
compiled, so both give the same steps.
"""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.forcing import ForcingSearch
    from sudokucrypt.sudoku._kernels.deduction.names import *

TECHNIQUE_FAMILIES: tuple[str, ...] = (
    "naked singles",
    "hidden singles",
    "direct locked",  # 1 if the first house is a row or a column, otherwise 0
    "direct subsets",  # the number of digits, and the technique of subsets that are not direct
    "locked",
    "naked subsets",  # the number of digits
    "hidden subsets",  # the number of digits
    "plain fish",  # the number of lines
    "finned fish",  # the number of lines
    "wings",  # the number of digits, and the most candidates that a cell outside the pair has
    "W-wings",
    "strong links",  # the number of houses, and the technique if some places are groups of cells
    "unique loops",  # the largest number of cells
    "graves",
    # The kind of links (all, by houses, by cells), the technique of chains that the search also
    # finds, their rating in tenths, and the technique of chains by cells only.
    "cycles",
    "nishios",
    "forcing chains",
    "forcing nets",  # 0 for singles only, 1 for subsets too, 2 for chains too
)
"""The families of techniques, in the order of the branches of `Deduction.try_technique`.

The comment of a family lists its arguments.
"""


@cclass
class Deduction(ForcingSearch):
    """A puzzle that is solved by hand: `find_step` finds a step, and `get_step` returns it.

    Techniques are the numbers of `Technique`. `techniques_by_rating` lists them by their lowest
    ratings, and `lowest_ratings` contains these ratings in tenths. `technique_table` contains
    `TECHNIQUE_ROW_SIZE` numbers for each technique: its family, its rating in tenths, and its
    arguments.
    """

    techniques_by_rating: Ints
    lowest_ratings: Ints
    technique_table: Ints

    def __init__(
        self, tables: Any, techniques_by_rating: Any, lowest_ratings: Any, technique_table: Any
    ):
        ForcingSearch.__init__(self, tables)
        self.technique_table = array("i", technique_table)
        self.techniques_by_rating = array("i", techniques_by_rating)
        self.lowest_ratings = array("i", lowest_ratings)

    def find_step(self) -> bool:
        """Find a step of the lowest rating, and return whether there is one."""
        return bool(self.find_easiest_step())

    def find_step_among(self, techniques: Ints) -> bool:
        """Find a step by the first of the techniques that gives one; return whether any does."""
        return bool(self.find_first_step(techniques))

    def rate(self, techniques: Ints) -> list[tuple[int, int]]:
        """Solve until no technique gives a step; return the technique and rating of each step.

        With `techniques`, the first of these that gives a step is used each time.
        """
        steps = []
        is_restricted: Int = len(techniques)
        while self.open_cell_count and (
            self.find_first_step(techniques) if is_restricted else self.find_easiest_step()
        ):
            steps.append((self.technique, self.rating))
            self.carry_out_step()
        return steps

    @cfunc
    def find_first_step(self, techniques: Ints) -> Int:
        self.forget_step()
        self.graph_state = 0
        for index in range(len(techniques)):
            self.try_technique(techniques[index])
            if self.technique >= 0:
                return 1
            if self.broken:
                break
        return 0

    @cfunc
    def find_easiest_step(self) -> Int:
        self.forget_step()
        self.graph_state = 0
        for index in range(len(self.techniques_by_rating)):
            # All later techniques have ratings at least as high.
            if self.rating <= self.lowest_ratings[index]:
                break
            self.try_technique(self.techniques_by_rating[index])
        return self.technique >= 0

    @cfunc
    def try_technique(self, technique: Int) -> Int:
        """Offer the steps of one technique."""
        row_start: Int = TECHNIQUE_ROW_SIZE * technique
        family: Int = self.technique_table[row_start]
        rating: Int = self.technique_table[row_start + 1]
        first_argument: Int = self.technique_table[row_start + 2]
        second_argument: Int = self.technique_table[row_start + 3]
        if family == 0:
            self.find_naked_single(technique, rating)
        elif family == 1:
            self.find_hidden_single(technique, rating)
        elif family == 2:
            self.find_direct_locked_digit(technique, rating, first_argument)
        elif family == 3:
            self.find_subsets(technique, rating, first_argument, DIRECT_SUBSET, second_argument)
        elif family == 4:
            self.find_locked_candidates(technique, rating)
        elif family == 5:
            self.find_subsets(technique, rating, first_argument, NAKED_SUBSET, -1)
        elif family == 6:
            self.find_subsets(technique, rating, first_argument, HIDDEN_SUBSET, -1)
        elif family == 7:
            self.find_fish(technique, rating, first_argument, 0)
        elif family == 8:
            self.find_fish(technique, rating, first_argument, 1)
        elif family == 9:
            self.find_wings(technique, rating, first_argument, second_argument)
        elif family == 10:
            self.find_w_wing(technique, rating)
        elif family == 11:
            self.find_strong_links(technique, rating, first_argument, second_argument)
        elif family == 12:
            self.find_unique_loops(technique, rating, first_argument)
        elif family == 13:
            self.find_bivalue_grave(technique, rating)
        elif family == 14:
            self.find_chains(
                first_argument,
                second_argument,
                self.technique_table[row_start + 4],
                technique,
                rating,
                self.technique_table[row_start + 5],
            )
        elif family == 15:
            self.find_nishio(technique, rating)
        elif family == 16:
            self.find_forcing_chains(technique, rating)
        elif family == 17:
            self.find_forcing_nets(technique, rating, first_argument)
        return 0
