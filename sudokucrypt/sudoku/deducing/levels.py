"""The techniques by which people solve Sudoku, and the levels of difficulty that follow."""

import re
from enum import IntEnum
from functools import cached_property
from typing import Self

from sudokucrypt.errors import InvalidParameterError


class Technique(IntEnum):
    """A way to conclude something; levels are bounds in this order, ratings have their own.

    The attribute `rating` is the least that a step has on the scale of Sudoku Explainer
    (N. Juillerat, 2006), as its successor Sukaku Explainer has it.

    - Naked single: a cell has one candidate left. Hidden single: a digit has one place left in a
      house: 1.0 where it is the last open cell, 1.2 in a box, 1.5 in a row or column.
    - Direct pointing, claiming, hidden pair and hidden triple: locked candidates or a hidden subset
      that leave a digit one place in a house, which is filled at once.
    - Locked candidates: all places of a digit in one house lie in a second one too, so that it
      stands nowhere else in the second. From box to line this is called pointing, from line to
      box claiming; here it is done for any two houses, diagonals and overlapping grids included.
    - Cage: of the candidates in a cage those stay that a set of digits with its sum uses.
      Thermometer: digits rise, so that each cell has a lowest and a highest one. Constraint: the
      same for any other rule, by itself. Cage total: what cages leave of one to three houses, or
      have outside of these, has a sum. Their ratings are not Sukaku Explainer's, which knows none.
    - Naked pair, triple, quad: that many cells of a house have no more candidates in all, which no
      other cell of the house can use. Hidden ones: that many digits have no more places in a house,
      which no other digit can use.
    - X-wing, swordfish, jellyfish: a digit's places in two, three or four rows lie in as many
      columns, so that it stands nowhere else in these columns; and the other way round. Finned
      ones have further places, the fins: what is struck must see all of them too.
    - XY-wing: one of two cells must hold a digit, because a third one that sees both of them
      takes the other candidate from one. No cell that sees both can hold that digit.
    - W-wing: two cells have the same two candidates, and one of the two digits has places in a
      house that all see one of these cells or the other. No cell that sees both can hold the
      other digit.
    - XYZ-, WXYZ- and VWXYZ-wing: two, three or four cells of a house and a pair elsewhere have
      three, four or five candidates in all, and one digit of the pair is among the cells only in
      those that see it. So the other one is in the pair or the cells, and fails in what sees all
      its places there.
    - Unique rectangle: four cells in two rows, two columns and two boxes must not come down to the
      same two candidates, since the puzzle would have a second solution. Unique loop: the same of
      more cells, of which each house has two or none.
    - Bivalue grave: all cells but a few have two candidates, and all digits two places in each
      house. If the few had no other candidates than such, the puzzle would have two solutions.
    - Turbot fish: a digit has two places left in each of two houses, and one of the first sees one
      of the second, so that one of the two others is right. It is called a skyscraper or a
      two-string kite too.
    - X-chain: the same as a turbot fish with more houses, or with several cells of a house that
      stand for one (an empty rectangle). XY-chain: a chain of cells with two candidates each.
      Chain: both in turn. Cycles are chains that come back to their start, so that of each two of
      their candidates that exclude each other one is right.
    - Nishio: a candidate fails, as the singles that follow for its digit alone contradict each
      other.
    - Forcing chains: whichever candidate of a cell or place of a digit in a house is right, a
      chain strikes the same candidate.
    - Forcing net: a candidate fails because of all singles that follow, or is struck by all that
      follows, whichever candidate of a cell or place in a house is right. With subsets, locked
      candidates, pairs and X-wings follow too; in nested nets, chains do as well.
    - Trial: a candidate fails, as a search for a solution shows.
    """

    NAKED_SINGLE = 2.3
    HIDDEN_SINGLE = 1.0
    DIRECT_POINTING = 1.7
    DIRECT_CLAIMING = 1.9
    CAGE = 2.4
    THERMOMETER = 2.4
    LOCKED_CANDIDATES = 2.6
    CONSTRAINT = 2.7
    CAGE_TOTAL = 2.9
    NAKED_PAIR = 3.0
    DIRECT_HIDDEN_PAIR = 2.0
    HIDDEN_PAIR = 3.4
    NAKED_TRIPLE = 3.6
    DIRECT_HIDDEN_TRIPLE = 2.5
    HIDDEN_TRIPLE = 4.0
    X_WING = 3.2
    XY_WING = 4.2
    SWORDFISH = 3.8
    NAKED_QUAD = 5.0
    HIDDEN_QUAD = 5.4
    TURBOT_FISH = 4.0
    FINNED_X_WING = 4.3
    XYZ_WING = 4.4
    W_WING = 7.1
    UNIQUE_RECTANGLE = 4.5
    JELLYFISH = 5.2
    UNIQUE_LOOP = 4.6
    WXYZ_WING = 5.5
    FINNED_SWORDFISH = 7.8
    X_CHAIN = 4.3
    FINNED_JELLYFISH = 7.9
    VWXYZ_WING = 6.2
    XY_CHAIN = 7.0
    CHAIN = 7.0
    BIVALUE_GRAVE = 5.6
    X_CYCLE = 6.5
    XY_CYCLE = 6.5
    CYCLE = 7.0
    NISHIO = 7.5
    FORCING_CHAINS = 8.0
    FORCING_NET = 8.5
    FORCING_NET_WITH_SUBSETS = 9.0
    NESTED_NET = 9.5
    TRIAL = 11.0

    rating: float

    def __new__(cls, rating: float) -> Self:
        """Make a member with the next number, from 0."""
        value = len(cls.__members__)
        member = int.__new__(cls, value)
        member._value_ = value
        member.rating = rating
        return member

    @property
    def places(self) -> bool:
        """Whether its steps fill a cell, and do not only strike candidates."""
        return self <= Technique.HIDDEN_SINGLE or self.name.startswith("DIRECT")

    @property
    def rests_on_rules(self) -> bool:
        """Whether its steps follow from constraints, and not from houses."""
        return self in (self.CAGE, self.THERMOMETER, self.CONSTRAINT, self.CAGE_TOTAL)

    @cached_property
    def label(self) -> str:
        """What texts call it."""
        words = self.name.lower().replace("_", " ")
        return re.sub(r"\b([v-z]+) ", lambda match: f"{match[1].upper()}-", words)

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Return the technique of this name in any case, or raise `InvalidParameterError`.

        >>> Technique.from_text("x-wing"), Technique.from_text("Naked pair").label
        (<Technique.X_WING: 15>, 'naked pair')
        """
        name = re.sub(r"[\s_-]+", "_", text.strip()).upper()
        if name in cls.__members__:
            return cls[name]
        labels = ", ".join(technique.label for technique in cls)
        raise InvalidParameterError(f"unknown technique {text!r}", hint=f"they are {labels}")


class Level(IntEnum):
    """How hard a puzzle is, by the hardest technique that it needs.

    ========  ==============================================
    Level     Techniques
    ========  ==============================================
    beginner  only naked singles
    easy      hidden singles too
    medium    locked candidates and pairs too
    hard      triples, quads, X-wing, swordfish, XY-wing too
    expert    all others
    ========  ==============================================

    The number of givens says little: among minimal puzzles its correlation with ratings of
    difficulty is about 0.12.

    >>> Level.from_text("Hard").label, Level.of(Technique.HIDDEN_PAIR)
    ('hard', <Level.MEDIUM: 2>)
    """

    BEGINNER = 0
    EASY = 1
    MEDIUM = 2
    HARD = 3
    EXPERT = 4

    @property
    def label(self) -> str:
        """What texts call it."""
        return self.name.lower()

    @property
    def hardest(self) -> Technique:
        """The last of its techniques."""
        return _HARDEST[self]

    @classmethod
    def of(cls, technique: Technique) -> Self:
        """Return the lowest level that knows a technique."""
        return next(level for level in cls if technique <= level.hardest)

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Return the level of this name in any case, or raise `InvalidParameterError`."""
        if text.upper() in cls.__members__:
            return cls[text.upper()]
        labels = ", ".join(level.label for level in cls)
        raise InvalidParameterError(f"unknown level {text!r}", hint=f"levels are {labels}")


_HARDEST = {
    Level.BEGINNER: Technique.NAKED_SINGLE,
    Level.EASY: Technique.HIDDEN_SINGLE,
    Level.MEDIUM: Technique.HIDDEN_PAIR,
    Level.HARD: Technique.HIDDEN_QUAD,
    Level.EXPERT: Technique.TRIAL,
}
