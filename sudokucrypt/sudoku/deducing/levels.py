"""Levels of difficulty: which techniques somebody must know."""

from __future__ import annotations

from enum import IntEnum

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.sudoku.deducing.techniques import Technique


class Level(IntEnum):
    """How hard a puzzle is, by the hardest technique that it needs.

    Notes
    -----
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
    def of(cls, technique: Technique) -> Level:
        """Return the lowest level that knows a technique."""
        return next(level for level in cls if technique <= level.hardest)

    @classmethod
    def from_text(cls, text: str) -> Level:
        """Return the level of this name, in capital or small letters.

        Raises
        ------
        InvalidParameterError
            If there is none.
        """
        try:
            return cls[text.upper()]
        except KeyError:
            labels = ", ".join(level.label for level in cls)
            raise InvalidParameterError(
                f"unknown level {text!r}", hint=f"levels are {labels}"
            ) from None


_HARDEST = {
    Level.BEGINNER: Technique.NAKED_SINGLE,
    Level.EASY: Technique.HIDDEN_SINGLE,
    Level.MEDIUM: Technique.HIDDEN_PAIR,
    Level.HARD: Technique.HIDDEN_QUAD,
    Level.EXPERT: Technique.TRIAL,
}
