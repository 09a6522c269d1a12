"""Counting steps of long work."""

from collections.abc import Callable
from typing import TypeAlias, TypeVar

T = TypeVar("T")

# Called with how many steps are done, and of how many.
ProgressCallback: TypeAlias = Callable[[int, int], None]


class Steps:
    """Counts the steps of a piece of work, and reports after each how far it is."""

    def __init__(self, total: int, progress: ProgressCallback | None) -> None:
        self._done, self._total, self._progress = 0, total, progress

    def after(self, result: T) -> T:
        """Count one more step, and pass on its result."""
        self._done += 1
        if self._progress is not None:
            self._progress(self._done, self._total)
        return result
