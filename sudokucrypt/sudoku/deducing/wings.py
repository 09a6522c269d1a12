"""Wings: cells that see each other only in part, and have few candidates together."""

from collections.abc import Iterator
from itertools import combinations

from sudokucrypt.sudoku._kernels.search_plain import digits_of
from sudokucrypt.sudoku.deducing.board import CandidateBoard, Conclusion


def xy_wing(board: CandidateBoard) -> Conclusion | None:
    """Find two cells, one of which must hold a digit because of a third one that sees both."""
    layout, candidates = board.layout, board.candidates
    pairs = [cell for cell, bits in enumerate(candidates) if bits.bit_count() == 2]
    for pivot in pairs:
        near = set(layout.peers[pivot])
        for first, second in combinations([cell for cell in pairs if cell in near], 2):
            if candidates[first] ^ candidates[second] != candidates[pivot]:
                continue
            bit = candidates[first] & candidates[second]
            if struck := board.holding(layout.seeing((first, second)), bit):
                return Conclusion((pivot, first, second), digits_of(bit), (), struck)
    return None


def w_wing(board: CandidateBoard) -> Conclusion | None:
    """Find two equal pairs, one of which must hold a digit since the other has no place else."""
    layout, candidates = board.layout, board.candidates
    pairs = [cell for cell, bits in enumerate(candidates) if bits.bit_count() == 2]
    for first, second in combinations(pairs, 2):
        bits = candidates[first]
        if candidates[second] != bits or second in layout.peers[first]:
            continue
        for linking in digits_of(bits):
            struck = board.holding(layout.seeing((first, second)), bits ^ 1 << linking)
            if not struck:
                continue
            seen = {*layout.peers[first], *layout.peers[second]}
            for house, full in enumerate(layout.full):
                positions = board.positions(house, linking) if full else []
                if positions and seen.issuperset(positions):
                    return Conclusion((first, second), digits_of(bits), (house,), struck)
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
