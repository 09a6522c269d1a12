"""The techniques by which people solve Sudoku, and the levels of difficulty that follow."""

import re
from enum import IntEnum
from functools import cached_property
from typing import Self

from sudokucrypt.errors import InvalidParameterError

# Sentences that explain steps, with places for the cells, digits, houses and chains of a step, and
# for the candidates that it strikes.
_NAKED_SENTENCE = (
    "{cells} hold only {digits}, so that no other cell of {first} can hold them: {gone}."
)
_HIDDEN_SENTENCE = "In {first}, {digits} can only go into {cells}, which hold nothing else: {gone}."
_DIRECT_LOCKED_SENTENCE = (
    "In {first}, {digits} can only go into {cells}, which are all in {second}, so that in {last} "
    "only {filled} is left for {placed}."
)
_DIRECT_HIDDEN_SENTENCE = (
    "In {first}, {set} can only go into {cells}, which hold nothing else, so that only {filled} "
    "is left for {placed}."
)
_FISH_SENTENCE = "In {bases}, {digits} can only go into {cells}, which lie in {covers}: {gone}."
_FINNED_SENTENCE = (
    "In {bases}, {digits} can only go into {covers} or into {fins}. Without {fins}, no other cell "
    "of {covers} holds it; what lies there and sees {fins} fails either way: {gone}."
)
_WING_SENTENCE = (
    "If {pair} does not hold {digits}, it holds its other candidate, which leaves {others} as many "
    "candidates as cells, so that one of them holds {digits}. What sees each of {cells} that can "
    "hold it fails either way: {gone}."
)
_CYCLE_SENTENCE = (
    "The chain closes a cycle, of which every second candidate is right ({reason}): {gone}."
)
_NET_SENTENCE = "What follows leaves nothing else ({reason}): {gone}."
_CHAIN_SENTENCE = "Either the first or the last candidate of the chain is right ({reason}): {gone}."
_RULE_SENTENCE = "{rule}: {gone}."


class Technique(IntEnum):
    """A technique of solving by hand. Members are in the order of levels, not of ratings.

    The attribute `rating` is the lowest rating of a step of this technique, on the scale of Sudoku
    Explainer (N. Juillerat, 2006) in the version of its successor Sukaku Explainer.

    - Naked single: a cell has only one candidate. Hidden single: a digit has only one place in a
      house. The rating is 1.0 if it is the last open cell, 1.2 in a box, 1.5 in a row or column.
    - Direct pointing, claiming, hidden pair and hidden triple: locked candidates or a hidden subset
      leave a digit only one place in a house, which is filled at once.
    - Locked candidates: all places of a digit in one house are also in a second house, so the
      other cells of the second house cannot contain it. From box to line this is called pointing,
      from line to box claiming; here it applies to any two houses.
    - Cage: a candidate of a cage remains if some set of digits with the sum of the cage uses it.
      Thermometer: digits rise, so each cell has a lowest and a highest digit. Constraint: a
      candidate remains if it is possible by some other rule. Cage total: the sum is known of the
      cells by which cages differ from one to three houses. These ratings do not come from Sukaku
      Explainer, which has no constraints.
    - Naked pair, triple, quad: n cells of a house have only n candidates in all, so other cells of
      the house cannot contain them. Hidden pair, triple, quad: n digits have only n places in a
      house, so other digits cannot use these places.
    - X-wing, swordfish, jellyfish: the places of a digit in n = 2, 3 or 4 rows lie in n columns,
      so other cells of these columns cannot contain it; also with rows and columns exchanged. A
      finned fish has additional places, the fins; it strikes only candidates that see all fins.
    - XY-wing: one of two cells must contain a certain digit, because a third cell that sees both
      takes the other candidate from one of them. No cell that sees both can contain that digit.
    - W-wing: two cells have the same two candidates, and one of these digits has in some house only
      places that see one of the two cells. No cell that sees both can contain the other digit.
    - XYZ-, WXYZ- and VWXYZ-wing: two, three or four cells of a house and a pair elsewhere have
      three, four or five candidates in all, and all cells with one digit of the pair see the pair.
      So the other digit is in the pair or in one of the cells, and cells that see all these places
      cannot contain it.
    - Unique rectangle: four cells in two rows, two columns and two boxes cannot all have the same
      two candidates, since the puzzle would have a second solution. Unique loop: the same with
      more cells, of which each house contains two or none.
    - Bivalue grave: all cells except a few have two candidates, and all digits have two places in
      each house. If the few cells had only such candidates too, there would be two solutions.
    - Turbot fish: a digit has two places in each of two houses, and one place of the first house
      sees one place of the second, so one of the two other places is right. Skyscrapers and
      two-string kites are turbot fish.
    - X-chain: like a turbot fish, but with more houses, or with several cells of a house as one
      place (an empty rectangle). XY-chain: a chain of cells with two candidates each. Chain: a
      combination of both. A cycle is a chain that returns to its start, so of each two successive
      candidates that exclude each other, one is right.
    - Nishio: a candidate is wrong, since the singles of its digit that follow contradict each
      other.
    - Forcing chains: for each candidate of a cell, or each place of a digit in a house, a chain
      strikes the same candidate.
    - Forcing net: a candidate is wrong since the singles that follow from it contradict each other,
      or since all candidates of a cell, or all places in a house, lead to this conclusion. With
      subsets, locked candidates, pairs and X-wings are followed too; in nested nets also chains.
    - Trial: a candidate is wrong, as a search for a solution shows.
    """

    # The rating, the sentence that explains a step, and the search: a family of the kernel, as in
    # its `FAMILIES`, and arguments. Techniques without a family are found by the searches for
    # other techniques.
    NAKED_SINGLE = 2.3, "{digits} is the only candidate left in {cells}.", "naked singles"
    HIDDEN_SINGLE = 1.0, "In {first}, {digits} can only go into {cells}.", "hidden singles"
    DIRECT_POINTING = 1.7, _DIRECT_LOCKED_SENTENCE, "direct locked", 0
    DIRECT_CLAIMING = 1.9, _DIRECT_LOCKED_SENTENCE, "direct locked", 1
    CAGE = 2.4, _RULE_SENTENCE
    THERMOMETER = 2.4, _RULE_SENTENCE
    LOCKED_CANDIDATES = (
        2.6,
        "In {first}, {digits} can only go into {cells}, which are all in {last}, so that it "
        "stands nowhere else there: {gone}.",
        "locked",
    )
    CONSTRAINT = 2.7, _RULE_SENTENCE
    CAGE_TOTAL = 2.9, _RULE_SENTENCE
    NAKED_PAIR = 3.0, _NAKED_SENTENCE, "naked subsets", 2
    DIRECT_HIDDEN_PAIR = 2.0, _DIRECT_HIDDEN_SENTENCE, "direct subsets", 2, "HIDDEN_PAIR"
    HIDDEN_PAIR = 3.4, _HIDDEN_SENTENCE, "hidden subsets", 2
    NAKED_TRIPLE = 3.6, _NAKED_SENTENCE, "naked subsets", 3
    DIRECT_HIDDEN_TRIPLE = 2.5, _DIRECT_HIDDEN_SENTENCE, "direct subsets", 3, "HIDDEN_TRIPLE"
    HIDDEN_TRIPLE = 4.0, _HIDDEN_SENTENCE, "hidden subsets", 3
    X_WING = 3.2, _FISH_SENTENCE, "plain fish", 2
    XY_WING = (
        4.2,
        "Whatever the first of {cells} holds, one of the other two holds {digits}: {gone}.",
        "wings",
        3,
        2,
    )
    SWORDFISH = 3.8, _FISH_SENTENCE, "plain fish", 3
    NAKED_QUAD = 5.0, _NAKED_SENTENCE, "naked subsets", 4
    HIDDEN_QUAD = 5.4, _HIDDEN_SENTENCE, "hidden subsets", 4
    TURBOT_FISH = 4.0, _CHAIN_SENTENCE, "strong links", 2, "X_CHAIN"
    FINNED_X_WING = 4.3, _FINNED_SENTENCE, "finned fish", 2
    XYZ_WING = 4.4, _WING_SENTENCE, "wings", 3, 3
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
    JELLYFISH = 5.2, _FISH_SENTENCE, "plain fish", 4
    UNIQUE_LOOP = (
        4.6,
        "If {cells} came down to {digits} in a loop, these could be exchanged, and there would "
        "be two solutions: {gone}.",
        "unique loops",
        14,
    )
    WXYZ_WING = 5.5, _WING_SENTENCE, "wings", 4, 4
    FINNED_SWORDFISH = 7.8, _FINNED_SENTENCE, "finned fish", 3
    X_CHAIN = 4.3, _CHAIN_SENTENCE, "strong links", 3, "X_CHAIN"
    FINNED_JELLYFISH = 7.9, _FINNED_SENTENCE, "finned fish", 4
    VWXYZ_WING = 6.2, _WING_SENTENCE, "wings", 5, 5
    XY_CHAIN = 7.0, _CHAIN_SENTENCE
    CHAIN = 7.0, _CHAIN_SENTENCE
    BIVALUE_GRAVE = (
        5.6,
        "If {cells} came down to two candidates as all other cells have, each digit would have "
        "two places everywhere, and there would be two solutions: {gone}.",
        "graves",
    )
    X_CYCLE = 6.5, _CYCLE_SENTENCE, "cycles", 1, "X_CHAIN", 66, -1
    XY_CYCLE = 6.5, _CYCLE_SENTENCE, "cycles", 2, "CHAIN", 70, "XY_CHAIN"
    CYCLE = 7.0, _CYCLE_SENTENCE, "cycles", 0, "CHAIN", 70, "XY_CHAIN"
    NISHIO = 7.5, "Supposing the candidate leaves its digit no cell ({reason}): {gone}.", "nishios"
    FORCING_CHAINS = 8.0, "Each possibility leads to the same ({reason}): {gone}.", "forcing chains"
    FORCING_NET = 8.5, _NET_SENTENCE, "forcing nets", 0
    FORCING_NET_WITH_SUBSETS = 9.0, _NET_SENTENCE, "forcing nets", 1
    NESTED_NET = 9.5, _NET_SENTENCE, "forcing nets", 2
    TRIAL = 11.0, "A search finds no solution with {digits} in {cells}."

    rating: float
    sentence: str
    search_arguments: tuple[str | int, ...]

    def __new__(cls, rating: float, sentence: str = "", *search_arguments: str | int) -> Self:
        """Make a member with the next number, from 0."""
        value = len(cls.__members__)
        member = int.__new__(cls, value)
        member._value_ = value
        member.rating, member.sentence, member.search_arguments = rating, sentence, search_arguments
        return member

    @property
    def places(self) -> bool:
        """Whether steps of the technique fill a cell, rather than only strike candidates."""
        return self <= Technique.HIDDEN_SINGLE or self.name.startswith("DIRECT")

    @property
    def rests_on_rules(self) -> bool:
        """Whether steps of the technique follow from constraints rather than from houses."""
        return self in (self.CAGE, self.THERMOMETER, self.CONSTRAINT, self.CAGE_TOTAL)

    @cached_property
    def label(self) -> str:
        """The name of the technique in texts."""
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
    """The difficulty of a puzzle, by the hardest technique that it needs.

    ========  ==============================================
    Level     Techniques
    ========  ==============================================
    beginner  only naked singles
    easy      also hidden singles
    medium    also locked candidates and pairs
    hard      also triples, quads, X-wing, swordfish, XY-wing
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
        """The name of the level in texts."""
        return self.name.lower()

    @property
    def hardest(self) -> Technique:
        """The hardest technique of the level."""
        return _HARDEST_TECHNIQUES[self]

    @classmethod
    def of(cls, technique: Technique) -> Self:
        """Return the lowest level that includes a technique."""
        return next(level for level in cls if technique <= level.hardest)

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Return the level of this name in any case, or raise `InvalidParameterError`."""
        if text.upper() in cls.__members__:
            return cls[text.upper()]
        labels = ", ".join(level.label for level in cls)
        raise InvalidParameterError(f"unknown level {text!r}", hint=f"levels are {labels}")


_HARDEST_TECHNIQUES = {
    Level.BEGINNER: Technique.NAKED_SINGLE,
    Level.EASY: Technique.HIDDEN_SINGLE,
    Level.MEDIUM: Technique.HIDDEN_PAIR,
    Level.HARD: Technique.HIDDEN_QUAD,
    Level.EXPERT: Technique.TRIAL,
}
