"""Techniques that look at one house, or at two that share cells.

Each takes a board and returns the first step that changes it, or None.
"""

from __future__ import annotations

from functools import reduce
from itertools import combinations
from operator import or_
from typing import TYPE_CHECKING

from sudokucrypt.sudoku.deducing.board import digits_of
from sudokucrypt.sudoku.deducing.steps import Step, Technique

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sudokucrypt.sudoku.deducing.board import Board


_NAKED = {2: Technique.NAKED_PAIR, 3: Technique.NAKED_TRIPLE, 4: Technique.NAKED_QUAD}
_HIDDEN = {2: Technique.HIDDEN_PAIR, 3: Technique.HIDDEN_TRIPLE, 4: Technique.HIDDEN_QUAD}


def naked_single(board: Board) -> Step | None:
    """Find a cell with one candidate left."""
    while board.singles and board.settled[board.singles[0]]:
        board.singles.popleft()
    if not board.singles:
        return None
    cell = board.singles[0]
    digit = board.candidates[cell].bit_length() - 1
    return _placing(board, Technique.NAKED_SINGLE, cell, digit, ())


def hidden_single(board: Board) -> Step | None:
    """Find a digit with one place left in a house."""
    everything = (1 << board.layout.variant.digits) - 1
    for house in sorted(board.stale):
        if not board.layout.full[house]:
            board.stale.discard(house)
            continue
        once = twice = fixed = 0
        for cell in board.layout.houses[house]:
            bits = board.candidates[cell]
            if board.settled[cell]:
                fixed |= bits
            else:
                twice |= once & bits
                once |= bits
        if once | fixed != everything:
            board.broken = True
            return None
        single = once & ~twice & ~fixed
        if single:
            digit = (single & -single).bit_length() - 1
            cell = board.places(house, digit)[0]
            return _placing(board, Technique.HIDDEN_SINGLE, cell, digit, (house,))
        board.stale.discard(house)
    return None


def locked_candidates(board: Board) -> Step | None:
    """Find a digit whose places in one house all lie in a second one, and strike it there."""
    layout = board.layout
    for house, full in enumerate(layout.full):
        if not full:
            continue
        open_cells = board.open_cells(layout.houses[house])
        bits = reduce(or_, (board.candidates[cell] for cell in open_cells), 0)
        for digit in digits_of(bits):
            places = board.places(house, digit)
            for other in sorted(layout.common(places)):
                if other != house:
                    rest = (cell for cell in layout.houses[other] if cell not in places)
                    if struck := board.holding(rest, 1 << digit):
                        return _striking(
                            board, Technique.LOCKED_CANDIDATES, places, 1 << digit,
                            (house, other), struck,
                        )  # fmt: skip
    return None


def naked_subset(board: Board, size: int) -> Step | None:
    """Find so many cells of a house with no more candidates, and strike these elsewhere."""
    for house, members in enumerate(board.layout.houses):
        open_cells = board.open_cells(members)
        if len(open_cells) <= size:
            continue
        small = [cell for cell in open_cells if board.candidates[cell].bit_count() <= size]
        for chosen, bits in tight([board.candidates[cell] for cell in small], size):
            cells = [small[number] for number in chosen]
            rest = (cell for cell in open_cells if cell not in cells)
            if struck := board.holding(rest, bits):
                return _striking(board, _NAKED[size], cells, bits, (house,), struck)
    return None


def hidden_subset(board: Board, size: int) -> Step | None:
    """Find so many digits with no more places in a house, and strike the others from these."""
    layout = board.layout
    for house, full in enumerate(layout.full):
        if not full:
            continue
        open_cells = board.open_cells(layout.houses[house])
        if len(open_cells) <= size:
            continue
        places: dict[int, int] = {}
        for number, cell in enumerate(open_cells):
            for digit in digits_of(board.candidates[cell]):
                places[digit] = places.get(digit, 0) | 1 << number
        rare = [digit for digit in sorted(places) if places[digit].bit_count() <= size]
        for chosen, bits in tight([places[digit] for digit in rare], size):
            cells = [open_cells[number] for number in digits_of(bits)]
            kept = sum(1 << rare[number] for number in chosen)
            if struck := board.holding(cells, ~kept):
                return _striking(board, _HIDDEN[size], cells, kept, (house,), struck)
    return None


def tight(sets: list[int], size: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield each choice of so many bit sets with no more members in all, and its union.

    Choices come in lexicographic order, as the numbers of the sets. What has too many members
    before it is complete is not gone into, which matters for large houses.

    Examples
    --------
    >>> list(tight([0b011, 0b110, 0b101, 0b1100], 3))
    [((0, 1, 2), 7)]
    """

    def grow(chosen: tuple[int, ...], union: int) -> Iterator[tuple[tuple[int, ...], int]]:
        if len(chosen) == size:
            yield chosen, union
            return
        for number in range(chosen[-1] + 1 if chosen else 0, len(sets)):
            wider = union | sets[number]
            if wider.bit_count() <= size:
                yield from grow((*chosen, number), wider)

    return grow((), 0)


def _placing(
    board: Board, technique: Technique, cell: int, digit: int, houses: tuple[int, ...]
) -> Step:
    """Return the step that fills a cell."""
    bit = 1 << digit
    peers = board.layout.peers[cell]
    struck = tuple((peer, digit) for peer in peers if board.candidates[peer] & bit)
    return Step(technique, (cell,), (digit,), houses, struck, board.layout.variant)


def _striking(
    board: Board, technique: Technique, cells: list[int] | tuple[int, ...], bits: int,
    houses: tuple[int, ...], struck: list[tuple[int, int]],
) -> Step:  # fmt: skip
    """Return the step that strikes candidates."""
    digits = tuple(digits_of(bits))
    return Step(technique, tuple(cells), digits, houses, tuple(struck), board.layout.variant)


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
