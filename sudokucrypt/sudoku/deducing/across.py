"""Techniques that combine several lines, or cells that share no house.

Each takes a board and returns the first step that changes it, or None.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from sudokucrypt.sudoku.deducing.step import Step
from sudokucrypt.sudoku.deducing.techniques import Technique

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudokucrypt.sudoku.deducing.board import Board

_FISH = {2: Technique.X_WING, 3: Technique.SWORDFISH}


def fish(board: Board, size: int) -> Step | None:
    """Find a digit whose places in so many rows lie in as many columns, or the other way round."""
    layout = board.layout
    for axis, lines in enumerate(layout.lines):
        bases = [line for line in lines if layout.full[line]]
        for digit in range(layout.variant.digits):
            found = ((line, board.places(line, digit)) for line in bases)
            short = [(line, places) for line, places in found if 2 <= len(places) <= size]
            for chosen in combinations(short, size):
                places = [cell for _, cells in chosen for cell in cells]
                if step := _cover(board, digit, [line for line, _ in chosen], places, 1 - axis):
                    return step
    return None


def _cover(
    board: Board, digit: int, lines: Sequence[int], places: Sequence[int], axis: int
) -> Step | None:
    """Return what follows if these places lie in as many lines of the other direction."""
    layout = board.layout
    crossing: dict[int, list[int]] = {}
    for cell in places:
        crossing.setdefault(layout.variant.cells[cell][axis], []).append(cell)
    if len(crossing) > len(lines):
        return None
    members = [cell for line in lines for cell in layout.houses[line]]
    if len(set(members)) < len(members):
        return None  # rows of overlapping grids share cells, and one digit can serve both
    covers = [sorted(layout.common(cells) & set(layout.lines[axis])) for cells in crossing.values()]
    if not all(covers):
        return None
    every = tuple(sorted(cover for group in covers for cover in group))
    rest = sorted({cell for cover in every for cell in layout.houses[cover]} - set(places))
    struck = board.holding(rest, 1 << digit)
    if not struck:
        return None
    houses = (*lines, *every)
    technique = _FISH[len(lines)]
    return Step(technique, tuple(places), (digit,), houses, tuple(struck), layout.variant)


def xy_wing(board: Board) -> Step | None:
    """Find two cells, one of which must hold a digit because of a third one that sees both."""
    layout, candidates = board.layout, board.candidates
    pairs = [cell for cell, bits in enumerate(candidates) if bits.bit_count() == 2]
    for pivot in pairs:
        peers = set(layout.peers[pivot])
        wings = [cell for cell in pairs if cell in peers]
        for first, second in combinations(wings, 2):
            if candidates[first] ^ candidates[second] != candidates[pivot]:
                continue
            bit = candidates[first] & candidates[second]
            seen = sorted(set(layout.peers[first]) & set(layout.peers[second]))
            if struck := board.holding(seen, bit):
                cells, digits = (pivot, first, second), (bit.bit_length() - 1,)
                variant = layout.variant
                return Step(Technique.XY_WING, cells, digits, (), tuple(struck), variant)
    return None
