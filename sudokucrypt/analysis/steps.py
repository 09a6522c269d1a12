"""Counting steps of long work."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar

T = TypeVar("T")

Progress: TypeAlias = Callable[[int, int], None]
"""Called with how many steps are done, and of how many."""


class Steps:
    """Counts steps, and reports how far a piece of work is.

    Parameters
    ----------
    total : int
        How many steps there are.
    progress : callable, optional
        Called after each step.

    Examples
    --------
    >>> steps = Steps(2, lambda done, total: print(done, "of", total))
    >>> steps.after("result")
    1 of 2
    'result'
    """

    def __init__(self, total: int, progress: Progress | None) -> None:
        self._done, self._total, self._progress = 0, total, progress

    def after(self, result: T) -> T:
        """Count one more step, and pass on its result."""
        self._done += 1
        if self._progress is not None:
            self._progress(self._done, self._total)
        return result
