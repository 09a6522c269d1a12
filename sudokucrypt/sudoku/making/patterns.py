"""Symmetric patterns: which cells of a sheet are given together or not at all."""

from collections.abc import Callable
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.sudoku.model.variant import Variant
from sudokucrypt.typing import IntArray

Position = tuple[int, int]

Pattern: TypeAlias = Literal["half-turn", "quarter-turn", "left-right", "top-bottom", "diagonal"]
"""A symmetry of the places of the givens.

Turns are about the middle of the sheet; ``left-right`` and ``top-bottom`` say which halves mirror
each other, and ``diagonal`` mirrors at the falling diagonal.
"""

PATTERNS: tuple[Pattern, ...] = get_args(Pattern)
"""All patterns, the usual one first."""

# Each takes row and column of a place, and the last row and column of the sheet.
_MOVES: dict[Pattern, Callable[[int, int, int, int], Position]] = {
    "half-turn": lambda r, c, bottom, right: (bottom - r, right - c),
    "quarter-turn": lambda r, c, bottom, _: (c, bottom - r),
    "left-right": lambda r, c, _, right: (r, right - c),
    "top-bottom": lambda r, c, bottom, _: (bottom - r, c),
    "diagonal": lambda r, c, *_: (c, r),
}


class Groups(NamedTuple):
    """Cells that are given together, as a table; a smaller group repeats its first cell."""

    members: IntArray
    sizes: IntArray


@lru_cache(maxsize=32)
def groups_of(variant: Variant, pattern: Pattern | None) -> Groups:
    """Return the cells of a sheet in groups that a pattern maps to themselves, or one by one.

    `InvalidParameterError` if the pattern is unknown or the sheet does not have it, as one that is
    no square has no quarter turn.
    """
    if pattern is not None and pattern not in PATTERNS:
        raise InvalidParameterError(
            f"unknown pattern {pattern!r}", hint=f"patterns are {', '.join(PATTERNS)}"
        )
    move = _MOVES[pattern] if pattern else None
    bottom, right = (side - 1 for side in variant.shape)
    cell_at = {position: cell for cell, position in enumerate(variant.cells)}
    groups: list[list[int]] = []
    seen: set[Position] = set()
    for position in variant.cells:
        if position in seen:
            continue
        group = [position]
        while move and (image := move(*group[-1], bottom, right)) != position:
            if image not in cell_at:
                raise InvalidParameterError(f"{variant.name} has no {pattern} pattern")
            group.append(image)
        seen.update(group)
        groups.append([cell_at[member] for member in group])
    largest = max(map(len, groups))
    members = np.array([group + group[:1] * (largest - len(group)) for group in groups])
    return Groups(members, np.array([len(group) for group in groups]))
