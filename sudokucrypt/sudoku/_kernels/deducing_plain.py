"""The techniques of solving by hand, from singles to nested nets, on sets of candidates.

The parts of this kernel are in the package `deduction`. They run as they are, and are compiled as
well, so that both do the same.
"""

import sudokucrypt.sudoku._kernels.deduction.names as cython

if not cython.compiled:
    from sudokucrypt.sudoku._kernels.deduction.forcing import Forcing
    from sudokucrypt.sudoku._kernels.deduction.names import *


@cclass
class Deduction(Forcing):
    """A sheet that is solved by hand: `search` for a step, read it by `step`, and `apply` it.

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
        self.forget()
        self.built = 0
        for index in range(len(techniques)):
            self.look(techniques[index])
            if self.technique >= 0:
                return True
            if self.broken:
                break
        return False

    def rate(self, techniques: Ints) -> list[tuple[int, int]]:
        """Solve to the end or to where only trial helps; return technique and rating of steps.

        With `techniques`, the first of these that leads on is used each time, as by `first`.
        """
        steps = []
        some: Int = len(techniques)
        while self.left and (self.first(techniques) if some else self.easiest_step()):
            steps.append((self.technique, self.rating))
            self.carry_out()
        return steps

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
        if family == NAKED_SINGLES:
            self.naked_single(technique, rating)
        elif family == HIDDEN_SINGLES:
            self.hidden_single(technique, rating)
        elif family == DIRECT_LOCKED:
            self.direct_locked(technique, rating, size)
        elif family == DIRECT_SUBSETS:
            self.subsets(technique, rating, size, DIRECT)
        elif family == LOCKED:
            self.locked_candidates(technique, rating)
        elif family == NAKED_SUBSETS:
            self.subsets(technique, rating, size, NAKED)
        elif family == HIDDEN_SUBSETS:
            self.subsets(technique, rating, size, HIDDEN)
        elif family == PLAIN_FISH:
            self.fish(technique, rating, size, 0)
        elif family == FINNED_FISH:
            self.fish(technique, rating, size, 1)
        elif family == WINGS:
            self.wings(technique, rating, size, other)
        elif family == W_WINGS:
            self.w_wing(technique, rating)
        elif family == STRONG_LINKS:
            self.strong_links(technique, rating, size, other)
        elif family == UNIQUE_LOOPS:
            self.unique_loops(technique, rating, size)
        elif family == GRAVES:
            self.grave(technique, rating)
        elif family == CYCLES:
            self.chains(size, other, self.looks[row + 4], technique, rating, self.looks[row + 5])
        elif family == NISHIOS:
            self.nishio(technique, rating)
        elif family == FORCING_CHAINS:
            self.forcing_chains(technique, rating)
        elif family == FORCING_NETS:
            self.forcing_nets(technique, rating, size)
        return 0
