"""Singles and subsets: digits and cells that need each other within a house."""

from collections.abc import Iterator, Sequence
from functools import reduce
from operator import or_

from sudokucrypt.sudoku._kernels.search_plain import digits_of
from sudokucrypt.sudoku.deducing.board import CandidateBoard, Conclusion

_IN_LINE = 1.5  # the rating in a row or column, which is harder to see than one in a box
_CLAIMING = 2.8  # the rating from a line to a box, which is harder to see than the other way


def naked_single(board: CandidateBoard) -> Conclusion | None:
    """Find a cell with one candidate left."""
    while board.singles and board.settled[board.singles[0]]:
        board.singles.popleft()
    if not board.singles:
        return None
    cell = board.singles[0]
    return _placing(board, cell, board.candidates[cell].bit_length() - 1, ())


def hidden_single(board: CandidateBoard) -> Conclusion | None:
    """Find a digit with one place left in a house, boxes first."""
    layout = board.layout
    everything = (1 << layout.variant.digits) - 1
    for house in [house for house in layout.by_ease if house in board.stale]:
        if not layout.full[house]:
            board.stale.discard(house)
            continue
        once = twice = fixed = 0
        for cell in layout.houses[house]:
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
            conclusion = _placing(board, board.positions(house, digit)[0], digit, (house,))
            return conclusion._replace(rating=_IN_LINE) if layout.is_line[house] else conclusion
        board.stale.discard(house)
    return None


def _placing(board: CandidateBoard, cell: int, digit: int, houses: Sequence[int]) -> Conclusion:
    """Return the conclusion that fills a cell."""
    peers = board.layout.peers[cell]
    struck = [(peer, digit) for peer in peers if board.candidates[peer] >> digit & 1]
    return Conclusion((cell,), (digit,), houses, struck)


def locked_candidates(board: CandidateBoard) -> Conclusion | None:
    """Find a digit whose places in one house all lie in a second one, and strike it there."""
    layout = board.layout
    # From boxes first: people see pointing more easily than claiming.
    for house in layout.by_ease:
        if not layout.full[house]:
            continue
        open_cells = board.open_cells(layout.houses[house])
        bits = reduce(or_, (board.candidates[cell] for cell in open_cells), 0)
        for digit in digits_of(bits):
            positions = board.positions(house, digit)
            for other in sorted(layout.common(positions) - {house}):
                rest = (cell for cell in layout.houses[other] if cell not in positions)
                if struck := board.holding(rest, 1 << digit):
                    rating = _CLAIMING if layout.is_line[house] else None
                    return Conclusion(positions, (digit,), (house, other), struck, rating)
    return None


def subset(board: CandidateBoard, size: int, *, hidden: bool = False) -> Conclusion | None:
    """Find `size` cells of a house with no more candidates, and strike these elsewhere.

    A hidden one is `size` digits with no more cells, from which the other digits are struck.
    """
    layout = board.layout
    for house, members in enumerate(layout.houses):
        cells = board.open_cells(members)
        if len(cells) <= size or (hidden and not layout.full[house]):
            continue
        sets = [board.candidates[cell] for cell in cells]
        if hidden:  # the cells of each digit in place of the digits of each cell
            sets = _transposed(sets, layout.variant.digits)
        small = [index for index, bits in enumerate(sets) if 0 < bits.bit_count() <= size]
        for chosen, union in tight([sets[index] for index in small], size):
            sides = [small[index] for index in chosen], [*digits_of(union)]
            digits, indices = sides if hidden else sides[::-1]
            used = [cells[index] for index in indices]
            if hidden:
                struck = board.holding(used, ~sum(1 << digit for digit in digits))
            else:
                struck = board.holding([cell for cell in cells if cell not in used], union)
            if struck:
                return Conclusion(used, digits, (house,), struck)
    return None


def _transposed(sets: list[int], digits: int) -> list[int]:
    """Return for each digit the indices of the sets that have it, as bits."""
    columns = [0] * digits
    for index, bits in enumerate(sets):
        for digit in digits_of(bits):
            columns[digit] |= 1 << index
    return columns


def tight(
    sets: list[int], size: int, most: int | None = None
) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield each choice of `size` bit sets with at most `most` members in all, and its union.

    `most` is `size` by default. Choices come in lexicographic order, as the numbers of the sets.
    What has too many members before it is complete is not gone into, which matters for large
    houses.
    """
    bound = size if most is None else most

    def grow(chosen: tuple[int, ...], union: int) -> Iterator[tuple[tuple[int, ...], int]]:
        if len(chosen) == size:
            yield chosen, union
            return
        for index in range(chosen[-1] + 1 if chosen else 0, len(sets)):
            wider = union | sets[index]
            if wider.bit_count() <= bound:
                yield from grow((*chosen, index), wider)

    return grow((), 0)
