"""The techniques by which people solve Sudoku, the easiest first."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Self

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.sudoku.model.outside import place_name
from sudokucrypt.sudoku.model.text import symbol
from sudokucrypt.sudoku.model.variant import Variant


class Technique(IntEnum):
    """A way to conclude something, in the order in which they are tried.

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


class Level(IntEnum):
    """How hard a puzzle is, by the hardest technique that it needs.

    ========  ==============================================
    Level     Techniques
    ========  ==============================================
    beginner  naked singles alone
    easy      hidden singles too
    medium    locked candidates and pairs too
    hard      triples, quads, X-wing, swordfish, XY-wing too
    expert    trial, or techniques that are not known here
    ========  ==============================================

    The number of givens says little: among minimal puzzles its correlation with ratings of
    difficulty is about 0.12.

    Examples
    --------
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


@dataclass(frozen=True, slots=True)
class Step:
    """What is concluded, and from what. Cells, digits and houses are numbers from 0.

    Parameters
    ----------
    technique : Technique
        How it is concluded.
    cells, digits, houses : tuple of int
        The cells that the conclusion rests on, for a single the cell that is filled; the digits
        that it is about, lowest first; the houses, none for naked singles, wings and trials.
    struck : tuple of (cell, digit)
        The candidates that go. Those of a digit that is placed are in the cells that see it.

    Examples
    --------
    >>> from sudokucrypt.sudoku.model.variant import Variant
    >>> step = Step(Technique.HIDDEN_SINGLE, (3,), (8,), (0,), ((12, 8),), Variant.standard())
    >>> step.placed, str(step)
    ((3, 8), 'hidden single: 9 in r1c4 (row 1)')
    """

    technique: Technique
    cells: tuple[int, ...]
    digits: tuple[int, ...]
    houses: tuple[int, ...]
    struck: tuple[tuple[int, int], ...]
    variant: Variant = field(repr=False)

    @property
    def placed(self) -> tuple[int, int] | None:
        """The cell that is filled and its digit, or None if candidates are struck alone."""
        if self.technique > Technique.HIDDEN_SINGLE:
            return None
        return self.cells[0], self.digits[0]

    def __str__(self) -> str:
        """Return the text form, which counts rows, columns and houses from 1 as people do."""
        text = f"{self.technique.label}: {self._symbols(self.digits)} in {self._names(self.cells)}"
        if self.houses:
            names = ", ".join(self.variant.houses[house].name for house in self.houses)
            text += f" ({names})"
        if self.placed:
            return text
        if self.technique is Technique.TRIAL:
            return f"{text} fails"
        gone = (
            f"no {self._symbols((digit,))} in "
            + self._names(cell for cell, struck in self.struck if struck == digit)
            for digit in sorted({digit for _, digit in self.struck})
        )
        return f"{text}: {', '.join(gone)}"

    def _symbols(self, digits: Iterable[int]) -> str:
        return " ".join(symbol(digit, self.variant.digits) for digit in digits)

    def _names(self, cells: Iterable[int]) -> str:
        places = (self.variant.cells[cell] for cell in cells)
        return " ".join(place_name(*place) for place in places)
