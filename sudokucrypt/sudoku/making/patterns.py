"""Symmetric patterns: which cells of a sheet are given together or not at all."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.typing import IntArray

Place = tuple[int, int]

Pattern: TypeAlias = Literal[
    "half-turn",
    "quarter-turn",
    "left-right",
    "top-bottom",
    "both-sides",
    "diagonal",
    "antidiagonal",
]
"""A symmetry of the places of the givens.

Turns are about the middle of the sheet; ``left-right`` and ``top-bottom`` say which halves mirror
each other and ``both-sides`` is both; the others mirror at the falling or the rising diagonal.
"""

PATTERNS: tuple[Pattern, ...] = get_args(Pattern)
"""All patterns, the usual one first."""

# Each takes a place and the last row and column of the sheet.
_MOVES: dict[Pattern, tuple[Callable[[Place, Place], Place], ...]] = {
    "half-turn": (lambda place, last: (last[0] - place[0], last[1] - place[1]),),
    "quarter-turn": (lambda place, last: (place[1], last[0] - place[0]),),
    "left-right": (lambda place, last: (place[0], last[1] - place[1]),),
    "top-bottom": (lambda place, last: (last[0] - place[0], place[1]),),
    "both-sides": (
        lambda place, last: (place[0], last[1] - place[1]),
        lambda place, last: (last[0] - place[0], place[1]),
    ),
    "diagonal": (lambda place, _: (place[1], place[0]),),
    "antidiagonal": (lambda place, last: (last[1] - place[1], last[0] - place[0]),),
}


class Groups(NamedTuple):
    """Cells that are given together, as a table.

    Parameters
    ----------
    members : ndarray of shape (groups, largest), dtype int64
        The cells of each group; a smaller group repeats its first cell.
    sizes : ndarray of shape (groups,), dtype int64
        How many cells each has.
    """

    members: IntArray
    sizes: IntArray


@lru_cache(maxsize=32)
def groups_of(variant: Variant, pattern: Pattern | None) -> Groups:
    """Return the cells of a sheet in groups that a pattern maps to themselves.

    Parameters
    ----------
    variant : Variant
        What the sheet is.
    pattern : Pattern, optional
        Without one, each cell is a group of its own.

    Raises
    ------
    InvalidParameterError
        If the pattern is unknown or the sheet does not have it, as one that is no square has no
        quarter turn.

    Examples
    --------
    >>> from sudokucrypt.sudoku.model.variant import Variant
    >>> groups = groups_of(Variant.standard((2, 2)), "quarter-turn")
    >>> groups.members.tolist(), groups.sizes.tolist()
    ([[0, 3, 15, 12], [1, 7, 14, 8], [2, 11, 13, 4], [5, 6, 10, 9]], [4, 4, 4, 4])
    """
    if pattern is not None and pattern not in PATTERNS:
        raise InvalidParameterError(
            f"unknown pattern {pattern!r}", hint=f"patterns are {', '.join(PATTERNS)}"
        )
    moves = _MOVES[pattern] if pattern else ()
    last = (variant.shape[0] - 1, variant.shape[1] - 1)
    numbers = {place: number for number, place in enumerate(variant.cells)}
    groups, seen = [], set()
    for place in variant.cells:
        if place in seen:
            continue
        group = {place: None}  # a dict keeps the order
        for found in (waiting := [place]):
            images = [move(found, last) for move in moves]
            if not all(image in numbers for image in images):
                raise InvalidParameterError(f"{variant.name} has no {pattern} pattern")
            waiting += [image for image in images if image not in group]
            group |= dict.fromkeys(images)
        seen |= set(group)
        groups.append([numbers[member] for member in group])
    largest = max(map(len, groups))
    members = np.array([group + group[:1] * (largest - len(group)) for group in groups])
    return Groups(members, np.array([len(group) for group in groups]))
