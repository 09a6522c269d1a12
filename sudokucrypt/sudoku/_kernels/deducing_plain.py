"""The techniques of solving by hand, from singles to nested nets, on sets of candidates.

The parts of this kernel are in the package `deduction`. They run as they are, and are compiled as
well, so that both do the same.
"""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.forcing import Forcing
    from sudokucrypt.sudoku._kernels.deduction.names import *

FAMILIES: tuple[str, ...] = (
    "naked singles",
    "hidden singles",
    "direct locked",  # whether the first house is a row or a column
    "direct subsets",  # the number of digits, and the technique that finds others
    "locked",
    "naked subsets",  # the number of digits
    "hidden subsets",  # the number of digits
    "plain fish",  # the number of lines
    "finned fish",  # the number of lines
    "wings",  # the number of digits, and the most candidates of a cell other than the pair
    "W-wings",
    "strong links",  # the number of houses, and the technique if some places are groups of cells
    "unique loops",  # the most cells
    "graves",
    # Which links count (all, by houses, by cells), chains found as well with their rating in
    # tenths, and the technique of chains by cells only.
    "cycles",
    "nishios",
    "forcing chains",
    "forcing nets",  # what follows in addition to singles: nothing, subsets, chains too
)
"""What each branch of `Deduction.look` looks for, by its number, and which arguments it takes."""


@cclass
class Deduction(Forcing):
    """A sheet that is solved by hand: `search` for a step, and read it by `step`.

    Techniques are numbers of `Technique`; `order` has them by their lowest ratings, in tenths.
    `looks` says of each technique in `LOOK_SIZE` numbers how to look for it: its family, its
    rating, and arguments.
    """

    order: Ints
    lowest: Ints
    looks: Ints

    def __init__(self, tables: Any, order: Any, lowest: Any, looks: Any):
        Forcing.__init__(self, tables)
        self.looks = array("i", looks)
        self.order = array("i", order)
        self.lowest = array("i", lowest)

    def search(self) -> bool:
        """Look for a step of the lowest rating."""
        return bool(self.easiest_step())

    def first(self, techniques: Ints) -> bool:
        """Look for a step by techniques in turn, and end with the first that gives one."""
        return bool(self.first_step(techniques))

    def rate(self, techniques: Ints) -> list[tuple[int, int]]:
        """Solve to the end or to where only trial helps; return technique and rating of steps.

        With `techniques`, the first of these that leads on is used each time, as by `first`.
        """
        steps = []
        some: Int = len(techniques)
        while self.left and (self.first_step(techniques) if some else self.easiest_step()):
            steps.append((self.technique, self.rating))
            self.carry_out()
        return steps

    @cfunc
    def first_step(self, techniques: Ints) -> Int:
        self.forget()
        self.built = 0
        for index in range(len(techniques)):
            self.look(techniques[index])
            if self.technique >= 0:
                return 1
            if self.broken:
                break
        return 0

    @cfunc
    def easiest_step(self) -> Int:
        self.forget()
        self.built = 0
        for index in range(len(self.order)):
            # None that comes after this can be easier.
            if self.rating <= self.lowest[index]:
                break
            self.look(self.order[index])
        return self.technique >= 0

    @cfunc
    def look(self, technique: Int) -> Int:
        """Offer what a technique concludes."""
        row: Int = LOOK_SIZE * technique
        family: Int = self.looks[row]
        rating: Int = self.looks[row + 1]
        size: Int = self.looks[row + 2]
        other: Int = self.looks[row + 3]
        if family == 0:
            self.naked_single(technique, rating)
        elif family == 1:
            self.hidden_single(technique, rating)
        elif family == 2:
            self.direct_locked(technique, rating, size)
        elif family == 3:
            self.subsets(technique, rating, size, DIRECT, other)
        elif family == 4:
            self.locked_candidates(technique, rating)
        elif family == 5:
            self.subsets(technique, rating, size, NAKED, -1)
        elif family == 6:
            self.subsets(technique, rating, size, HIDDEN, -1)
        elif family == 7:
            self.fish(technique, rating, size, 0)
        elif family == 8:
            self.fish(technique, rating, size, 1)
        elif family == 9:
            self.wings(technique, rating, size, other)
        elif family == 10:
            self.w_wing(technique, rating)
        elif family == 11:
            self.strong_links(technique, rating, size, other)
        elif family == 12:
            self.unique_loops(technique, rating, size)
        elif family == 13:
            self.grave(technique, rating)
        elif family == 14:
            self.chains(size, other, self.looks[row + 4], technique, rating, self.looks[row + 5])
        elif family == 15:
            self.nishio(technique, rating)
        elif family == 16:
            self.forcing_chains(technique, rating)
        elif family == 17:
            self.forcing_nets(technique, rating, size)
        return 0
