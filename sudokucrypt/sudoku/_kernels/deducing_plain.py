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
    """

    order: Ints
    lowest: Ints

    def __init__(self, tables: Any, order: Any, lowest: Any):
        Forcing.__init__(self, tables)
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
        if technique == 0:
            self.naked_single()
        elif technique == 1:
            self.hidden_single()
        elif technique == 2:
            self.locked_candidates()
        elif technique == 3:
            self.subsets(3, 30, 2, 0)
        elif technique == 4:
            self.subsets(4, 34, 2, 1)
        elif technique == 5:
            self.subsets(5, 36, 3, 0)
        elif technique == 6:
            self.subsets(6, 40, 3, 1)
        elif technique == 7:
            self.fish(7, 32, 2, 0)
        elif technique == 8:
            self.wings(8, 42, 3)
        elif technique == 9:
            self.fish(9, 38, 3, 0)
        elif technique == 10:
            self.subsets(10, 50, 4, 0)
        elif technique == 11:
            self.subsets(11, 54, 4, 1)
        elif technique == 12:
            self.strong_links(12, 40, 2)
        elif technique == 13:
            self.fish(13, 43, 2, 1)
        elif technique == 14:
            self.wings(14, 44, 3)
        elif technique == 15:
            self.w_wing(15, 71)
        elif technique == 16:
            self.unique_loops(4)
        elif technique == 17:
            self.fish(17, 52, 4, 0)
        elif technique == 18:
            self.unique_loops(14)
        elif technique == 19:
            self.wings(19, 55, 4)
        elif technique == 20:
            self.fish(20, 78, 3, 1)
        elif technique == 22:
            self.fish(22, 79, 4, 1)
        elif technique == 23:
            self.wings(23, 62, 5)
        elif technique == 25:
            self.chains(0, 25, 70, 29, 70)
        elif technique == 26:
            self.grave()
        elif technique == 27:
            self.chains(1, 21, 66, 27, 65)
        elif technique == 28:
            self.chains(2, 25, 70, 28, 65)
        elif technique == 30:
            self.nishio(30, 75)
        elif technique == 31:
            self.forcing_chains(31, 80)
        elif technique == 32:
            self.forcing_nets(32, 85, 0)
        elif technique == 33:
            self.forcing_nets(33, 90, 1)
        elif technique == 34:
            self.forcing_nets(34, 95, 2)
        elif technique == 21:
            self.strong_links(21, 54, 3)
        return 0
