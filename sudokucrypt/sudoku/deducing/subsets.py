"""Subsets: digits and cells that need each other, within a house or where two cross."""

from collections.abc import Iterator
from functools import reduce
from operator import or_

from sudokucrypt.sudoku._kernels.search_plain import digits_of
from sudokucrypt.sudoku.deducing.board import CandidateBoard, Conclusion

_CLAIMING = 2.8  # the rating from a line to a box, which is harder to see than the other way


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


def naked_subset(board: CandidateBoard, size: int) -> Conclusion | None:
    """Find `size` cells of a house with no more candidates, and strike these elsewhere."""
    for house, members in enumerate(board.layout.houses):
        open_cells = board.open_cells(members)
        if len(open_cells) <= size:
            continue
        small = [cell for cell in open_cells if board.candidates[cell].bit_count() <= size]
        for chosen, bits in tight([board.candidates[cell] for cell in small], size):
            cells = [small[index] for index in chosen]
            rest = (cell for cell in open_cells if cell not in cells)
            if struck := board.holding(rest, bits):
                return Conclusion(cells, digits_of(bits), (house,), struck)
    return None


def hidden_subset(board: CandidateBoard, size: int) -> Conclusion | None:
    """Find `size` digits with no more places in a house, and strike the others from these."""
    layout = board.layout
    for house, full in enumerate(layout.full):
        open_cells = board.open_cells(layout.houses[house])
        if not full or len(open_cells) <= size:
            continue
        positions: dict[int, int] = {}
        for index, cell in enumerate(open_cells):
            for digit in digits_of(board.candidates[cell]):
                positions[digit] = positions.get(digit, 0) | 1 << index
        rare = [digit for digit in sorted(positions) if positions[digit].bit_count() <= size]
        for chosen, bits in tight([positions[digit] for digit in rare], size):
            cells = [open_cells[index] for index in digits_of(bits)]
            kept = [rare[index] for index in chosen]
            if struck := board.holding(cells, ~sum(1 << digit for digit in kept)):
                return Conclusion(cells, kept, (house,), struck)
    return None


def bent_subset(board: CandidateBoard, size: int) -> Conclusion | None:
    """Find `size` cells of two houses that cross, with as many candidates in all.

    If all but one of the digits are each in cells that see each other, the one must stand in one
    of the cells: without it they would have too few digits. It is struck from what sees them all.
    """
    layout, candidates = board.layout, board.candidates
    for one, two in layout.crossing:
        cells = board.open_cells(digits_of(layout.masks[one] | layout.masks[two]))
        small = [cell for cell in cells if candidates[cell].bit_count() <= size]
        for bent, loose in _bent(board, small, size, (), 0, 0):
            positions = [cell for cell in bent if candidates[cell] & loose]
            if struck := board.holding(layout.seeing(positions), loose):
                return Conclusion(bent, digits_of(loose), (), struck)
    return None


def _bent(
    board: CandidateBoard,
    cells: list[int],
    size: int,
    chosen: tuple[int, ...],
    union: int,
    loose: int,
) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield each choice of `size` cells that go with those chosen, and the bit of the one digit.

    `union` has the candidates of the chosen cells, `loose` those in cells that do not see each
    other.
    """
    if len(chosen) == size:
        if loose and union.bit_count() == size:
            yield chosen, loose
        return
    for index, cell in enumerate(cells):
        bits = board.candidates[cell]
        both = loose
        for other in chosen:
            if not board.layout.seen[cell] >> other & 1:
                both |= bits & board.candidates[other]
        if (union | bits).bit_count() <= size and not both & (both - 1):
            yield from _bent(board, cells[index + 1 :], size, (*chosen, cell), union | bits, both)


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
