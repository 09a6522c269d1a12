"""The techniques: each takes a board and finds the first conclusion that changes it.

A conclusion is the cells, digits, houses and struck candidates of a `Step`.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import combinations
from operator import or_
from typing import TypeAlias

from sudokucrypt.sudoku._kernels.search_plain import digits_of
from sudokucrypt.sudoku.deducing.board import Board

Found: TypeAlias = tuple[Iterable[int], Iterable[int], Iterable[int], Iterable[tuple[int, int]]]


def naked_single(board: Board) -> Found | None:
    """Find a cell with one candidate left."""
    while board.singles and board.settled[board.singles[0]]:
        board.singles.popleft()
    if not board.singles:
        return None
    cell = board.singles[0]
    return _placing(board, cell, board.candidates[cell].bit_length() - 1, ())


def hidden_single(board: Board) -> Found | None:
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
        for digit in digits_of(once & ~twice & ~fixed):
            return _placing(board, board.places(house, digit)[0], digit, (house,))
        board.stale.discard(house)
    return None


def _placing(board: Board, cell: int, digit: int, houses: Sequence[int]) -> Found:
    """Return the conclusion that fills a cell."""
    peers = board.layout.peers[cell]
    struck = [(peer, digit) for peer in peers if board.candidates[peer] >> digit & 1]
    return (cell,), (digit,), houses, struck


def locked_candidates(board: Board) -> Found | None:
    """Find a digit whose places in one house all lie in a second one, and strike it there."""
    layout = board.layout
    for house, full in enumerate(layout.full):
        if not full:
            continue
        open_cells = board.open_cells(layout.houses[house])
        bits = reduce(or_, (board.candidates[cell] for cell in open_cells), 0)
        for digit in digits_of(bits):
            places = board.places(house, digit)
            for other in sorted(layout.common(places) - {house}):
                rest = (cell for cell in layout.houses[other] if cell not in places)
                if struck := board.holding(rest, 1 << digit):
                    return places, (digit,), (house, other), struck
    return None


def naked_subset(board: Board, size: int) -> Found | None:
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
                return cells, digits_of(bits), (house,), struck
    return None


def hidden_subset(board: Board, size: int) -> Found | None:
    """Find so many digits with no more places in a house, and strike the others from these."""
    layout = board.layout
    for house, full in enumerate(layout.full):
        open_cells = board.open_cells(layout.houses[house])
        if not full or len(open_cells) <= size:
            continue
        places: dict[int, int] = {}
        for number, cell in enumerate(open_cells):
            for digit in digits_of(board.candidates[cell]):
                places[digit] = places.get(digit, 0) | 1 << number
        rare = [digit for digit in sorted(places) if places[digit].bit_count() <= size]
        for chosen, bits in tight([places[digit] for digit in rare], size):
            cells = [open_cells[number] for number in digits_of(bits)]
            kept = [rare[number] for number in chosen]
            if struck := board.holding(cells, ~sum(1 << digit for digit in kept)):
                return cells, kept, (house,), struck
    return None


def tight(sets: list[int], size: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield each choice of so many bit sets with no more members in all, and its union.

    Choices come in lexicographic order, as the numbers of the sets. What has too many members
    before it is complete is not gone into, which matters for large houses.
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


def fish(board: Board, size: int) -> Found | None:
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
) -> Found | None:
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
    covers = [layout.common(cells) & set(layout.lines[axis]) for cells in crossing.values()]
    if not all(covers):
        return None
    every = sorted(cover for group in covers for cover in group)
    rest = {cell for cover in every for cell in layout.houses[cover]} - set(places)
    struck = board.holding(sorted(rest), 1 << digit)
    return (places, (digit,), (*lines, *every), struck) if struck else None


def xy_wing(board: Board) -> Found | None:
    """Find two cells, one of which must hold a digit because of a third one that sees both."""
    peers, candidates = board.layout.peers, board.candidates
    pairs = [cell for cell, bits in enumerate(candidates) if bits.bit_count() == 2]
    for pivot in pairs:
        near = set(peers[pivot])
        for first, second in combinations([cell for cell in pairs if cell in near], 2):
            if candidates[first] ^ candidates[second] != candidates[pivot]:
                continue
            bit = candidates[first] & candidates[second]
            seen = sorted(set(peers[first]) & set(peers[second]))
            if struck := board.holding(seen, bit):
                return (pivot, first, second), digits_of(bit), (), struck
    return None
