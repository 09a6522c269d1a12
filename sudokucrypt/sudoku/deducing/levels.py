"""The techniques by which people solve Sudoku, and the levels of difficulty that follow."""

import re
from enum import IntEnum
from functools import cached_property
from typing import Self

from sudokucrypt.errors import InvalidParameterError

# Why steps are right. What is filled in: cells, digits and houses of a step, its chains, and what
# goes.
_NAKED = "{cells} hold only {digits}, so that no other cell of {first} can hold them: {gone}."
_HIDDEN = "In {first}, {digits} can only go into {cells}, which hold nothing else: {gone}."
_DIRECT_LOCKED = (
    "In {first}, {digits} can only go into {cells}, which are all in {second}, so that in {last} "
    "only {filled} is left for {placed}."
)
_DIRECT_HIDDEN = (
    "In {first}, {set} can only go into {cells}, which hold nothing else, so that only {filled} "
    "is left for {placed}."
)
_FISH = "In {bases}, {digits} can only go into {cells}, which lie in {covers}: {gone}."
_FINNED = (
    "In {bases}, {digits} can only go into {covers} or into {fins}. Without {fins}, no other cell "
    "of {covers} holds it; what lies there and sees {fins} fails either way: {gone}."
)
_BENT = (
    "If {pair} does not hold {digits}, it holds its other candidate, which leaves {others} as many "
    "candidates as cells, so that one of them holds {digits}. What sees each of {cells} that can "
    "hold it fails either way: {gone}."
)
_CYCLE = "The chain closes a cycle, of which every second candidate is right ({reason}): {gone}."
_NET = "What follows leaves nothing else ({reason}): {gone}."
_CHAIN = "Either the first or the last candidate of the chain is right ({reason}): {gone}."
_RULE = "{rule}: {gone}."


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

    # A rating, a sentence that says why a step is right, and how steps are looked for: a family of
    # the kernel and its arguments, as in `FAMILIES` there. Without a family, others find them too.
    NAKED_SINGLE = 2.3, "{digits} is the only candidate left in {cells}.", "naked singles"
    HIDDEN_SINGLE = 1.0, "In {first}, {digits} can only go into {cells}.", "hidden singles"
    DIRECT_POINTING = 1.7, _DIRECT_LOCKED, "direct locked", 0
    DIRECT_CLAIMING = 1.9, _DIRECT_LOCKED, "direct locked", 1
    CAGE = 2.4, _RULE
    THERMOMETER = 2.4, _RULE
    LOCKED_CANDIDATES = (
        2.6,
        "In {first}, {digits} can only go into {cells}, which are all in {last}, so that it "
        "stands nowhere else there: {gone}.",
        "locked",
    )
    CONSTRAINT = 2.7, _RULE
    CAGE_TOTAL = 2.9, _RULE
    NAKED_PAIR = 3.0, _NAKED, "naked subsets", 2
    DIRECT_HIDDEN_PAIR = 2.0, _DIRECT_HIDDEN, "direct subsets", 2, "HIDDEN_PAIR"
    HIDDEN_PAIR = 3.4, _HIDDEN, "hidden subsets", 2
    NAKED_TRIPLE = 3.6, _NAKED, "naked subsets", 3
    DIRECT_HIDDEN_TRIPLE = 2.5, _DIRECT_HIDDEN, "direct subsets", 3, "HIDDEN_TRIPLE"
    HIDDEN_TRIPLE = 4.0, _HIDDEN, "hidden subsets", 3
    X_WING = 3.2, _FISH, "plain fish", 2
    XY_WING = (
        4.2,
        "Whatever the first of {cells} holds, one of the other two holds {digits}: {gone}.",
        "wings",
        3,
        2,
    )
    SWORDFISH = 3.8, _FISH, "plain fish", 3
    NAKED_QUAD = 5.0, _NAKED, "naked subsets", 4
    HIDDEN_QUAD = 5.4, _HIDDEN, "hidden subsets", 4
    TURBOT_FISH = 4.0, _CHAIN, "strong links", 2, "X_CHAIN"
    FINNED_X_WING = 4.3, _FINNED, "finned fish", 2
    XYZ_WING = 4.4, _BENT, "wings", 3, 3
    W_WING = (
        7.1,
        "{cells} hold the same pair, and {first} needs one of its digits in a cell that sees "
        "one of them, so that one of the two holds the other digit: {gone}.",
        "W-wings",
    )
    UNIQUE_RECTANGLE = (
        4.5,
        "If {cells} came down to {digits} in the corners of a rectangle, these could be "
        "exchanged, and there would be two solutions: {gone}.",
        "unique loops",
        4,
    )
    JELLYFISH = 5.2, _FISH, "plain fish", 4
    UNIQUE_LOOP = (
        4.6,
        "If {cells} came down to {digits} in a loop, these could be exchanged, and there would "
        "be two solutions: {gone}.",
        "unique loops",
        14,
    )
    WXYZ_WING = 5.5, _BENT, "wings", 4, 4
    FINNED_SWORDFISH = 7.8, _FINNED, "finned fish", 3
    X_CHAIN = 4.3, _CHAIN, "strong links", 3, "X_CHAIN"
    FINNED_JELLYFISH = 7.9, _FINNED, "finned fish", 4
    VWXYZ_WING = 6.2, _BENT, "wings", 5, 5
    XY_CHAIN = 7.0, _CHAIN
    CHAIN = 7.0, _CHAIN
    BIVALUE_GRAVE = (
        5.6,
        "If {cells} came down to two candidates as all other cells have, each digit would have "
        "two places everywhere, and there would be two solutions: {gone}.",
        "graves",
    )
    X_CYCLE = 6.5, _CYCLE, "cycles", 1, "X_CHAIN", 66, -1
    XY_CYCLE = 6.5, _CYCLE, "cycles", 2, "CHAIN", 70, "XY_CHAIN"
    CYCLE = 7.0, _CYCLE, "cycles", 0, "CHAIN", 70, "XY_CHAIN"
    NISHIO = 7.5, "Supposing the candidate leaves its digit no cell ({reason}): {gone}.", "nishios"
    FORCING_CHAINS = 8.0, "Each possibility leads to the same ({reason}): {gone}.", "forcing chains"
    FORCING_NET = 8.5, _NET, "forcing nets", 0
    FORCING_NET_WITH_SUBSETS = 9.0, _NET, "forcing nets", 1
    NESTED_NET = 9.5, _NET, "forcing nets", 2
    TRIAL = 11.0, "A search finds no solution with {digits} in {cells}."

    rating: float
    sentence: str
    look: tuple[str | int, ...]

    def __new__(cls, rating: float, sentence: str = "", *look: str | int) -> Self:
        """Make a member with the next number, from 0."""
        value = len(cls.__members__)
        member = int.__new__(cls, value)
        member._value_ = value
        member.rating, member.sentence, member.look = rating, sentence, look
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
