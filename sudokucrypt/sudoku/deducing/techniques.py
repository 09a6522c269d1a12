"""The techniques by which people solve Sudoku, the easiest first."""

from __future__ import annotations

from enum import IntEnum


class Technique(IntEnum):
    """A way to conclude something, in the order in which they are tried.

    Notes
    -----
    - Naked single: a cell has one candidate left. Hidden single: a digit has one place left in a
      house.
    - Locked candidates: all places of a digit in one house lie in a second one too, so that it
      stands nowhere else in the second. From box to line this is called pointing, from line to
      box claiming; here it is done for any two houses, diagonals and overlapping grids included.
    - Naked pair, triple, quad: so many cells of a house have no more candidates in all, which no
      other cell of the house can use. Hidden ones: so many digits have no more places in a house,
      which no other digit can use.
    - X-wing and swordfish: a digit's places in two or three rows lie in as many columns, so that
      it stands nowhere else in these columns; and the other way round.
    - XY-wing: one of two cells must hold a digit, because a third one that sees both of them
      takes the other candidate from one. No cell that sees both can hold that digit.
    - Trial: a candidate fails if it is supposed to be right, by singles alone where possible.

    Examples
    --------
    >>> Technique.X_WING.label, Technique.NAKED_PAIR < Technique.TRIAL
    ('X-wing', True)
    """

    NAKED_SINGLE = 0
    HIDDEN_SINGLE = 1
    LOCKED_CANDIDATES = 2
    NAKED_PAIR = 3
    HIDDEN_PAIR = 4
    NAKED_TRIPLE = 5
    HIDDEN_TRIPLE = 6
    X_WING = 7
    XY_WING = 8
    SWORDFISH = 9
    NAKED_QUAD = 10
    HIDDEN_QUAD = 11
    TRIAL = 12

    @property
    def label(self) -> str:
        """What texts call it."""
        words = self.name.lower().replace("_", " ")
        return words.replace("xy wing", "XY-wing").replace("x wing", "X-wing")
