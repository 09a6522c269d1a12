"""Wings of cells with two candidates."""

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
