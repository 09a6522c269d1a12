"""Singles: a cell with one candidate, a digit with one place."""

from collections.abc import Sequence

from sudokucrypt.sudoku._kernels.search_plain import digits_of
from sudokucrypt.sudoku.deducing.board import CandidateBoard, Conclusion

_IN_LINE = 1.5  # the rating in a row or column, which is harder to see than one in a box


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
