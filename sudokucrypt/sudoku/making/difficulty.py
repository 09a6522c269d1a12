"""Ratings and techniques that puzzles are asked for."""

from dataclasses import dataclass

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.sudoku.deducing.levels import Level, Technique
from sudokucrypt.sudoku.deducing.trace import Grade

LOWEST, HIGHEST = Technique.HIDDEN_SINGLE.rating, Technique.TRIAL.rating
"""The ends of the scale of ratings."""


def ratings_of(level: Level | None) -> tuple[float, float]:
    """Return bounds of the ratings that puzzles of a level can have.

    The techniques of a level lead on at each step, so that none is rated above the hardest of them.
    A puzzle of the level expert needs one that no other level knows.
    """
    if not isinstance(level, Level):  # what is no level is refused elsewhere
        return LOWEST, HIGHEST
    if level is Level.EXPERT:
        beyond = (one.rating for one in Technique if Level.of(one) is Level.EXPERT)
        return min(beyond), HIGHEST
    return LOWEST, max(one.rating for one in Technique if Level.of(one) <= level)


@dataclass(frozen=True, kw_only=True)
class Difficulty:
    """How hard puzzles shall be; `InvalidParameterError` for what none can be."""

    rating: tuple[float, float] | None = None  # the lowest and the highest rating, from 1.0 to 11.0
    technique: Technique | None = None  # one of which the solution by hand takes a step
    level: Level | None = None  # which puzzles are made at; it bounds their ratings

    def __post_init__(self) -> None:
        least, most = self.rating or (LOWEST, HIGHEST)
        if not LOWEST <= least <= most <= HIGHEST:
            raise InvalidParameterError(
                f"ratings are {LOWEST}..{HIGHEST}, the lower first, not {least}..{most}"
            )
        low, high = ratings_of(self.level)
        if least > high or most < low:
            raise InvalidParameterError(
                f"puzzles of the level {self.level and self.level.label} are rated "
                f"{low} to {high}, not {least}..{most}",
                hint="ask for other ratings, or for no level",
            )
        if self.technique is not None and self.technique.rating > min(most, high):
            raise InvalidParameterError(
                f"a step by {self.technique.label} is rated {self.technique.rating} at least, "
                f"so that no puzzle with one is rated {min(most, high)} at most"
            )

    @property
    def rated(self) -> bool:
        """Whether a rating decides what suits."""
        return self.rating is not None or self.technique is not None

    def suits(self, graded: Grade) -> bool:
        """Return whether a puzzle is so."""
        if self.technique is not None and self.technique not in graded.steps:
            return False
        least, most = self.rating or (LOWEST, HIGHEST)
        return round(10 * least) <= round(10 * graded.rating) <= round(10 * most)
