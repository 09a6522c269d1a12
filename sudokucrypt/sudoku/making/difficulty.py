"""Ratings and techniques that puzzles are asked for."""

from dataclasses import dataclass

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.sudoku.deducing.levels import Technique
from sudokucrypt.sudoku.deducing.trace import Grade

LOWEST, HIGHEST = Technique.HIDDEN_SINGLE.rating, Technique.TRIAL.rating
"""The ends of the scale of ratings."""


@dataclass(frozen=True, kw_only=True)
class Difficulty:
    """How hard puzzles shall be; `InvalidParameterError` for what none can be."""

    rating: tuple[float, float] | None = None  # the lowest and the highest rating, from 1.2 to 11.0
    technique: Technique | None = None  # one of which the solution by hand takes a step

    def __post_init__(self) -> None:
        least, most = self.rating or (LOWEST, HIGHEST)
        if not LOWEST <= least <= most <= HIGHEST:
            raise InvalidParameterError(
                f"ratings are {LOWEST}..{HIGHEST}, the lower first, not {least}..{most}"
            )
        if self.technique is not None and self.technique.rating > most:
            raise InvalidParameterError(
                f"a step by {self.technique.label} is rated {self.technique.rating} at least, "
                f"so that no puzzle with one is rated {most} at most"
            )

    def suits(self, graded: Grade) -> bool:
        """Return whether a puzzle is so."""
        if self.technique is not None and self.technique not in graded.steps:
            return False
        least, most = self.rating or (LOWEST, HIGHEST)
        return round(10 * least) <= round(10 * graded.rating) <= round(10 * most)
