"""Unique rectangles: what a puzzle with one solution cannot come down to."""

from collections.abc import Iterator
from functools import reduce
from itertools import combinations
from operator import or_

from sudokucrypt.sudoku._kernels.search_plain import digits_of
from sudokucrypt.sudoku.deducing.board import CandidateBoard, Conclusion
from sudokucrypt.sudoku.deducing.levels import Technique
from sudokucrypt.sudoku.deducing.subsets import tight

_MORE = 0.1  # what a subset adds to the rating, and again for each of its cells
_MOST = 3  # cells of a subset beside the rectangle


def unique_rectangle(board: CandidateBoard) -> Conclusion | None:
    """Find four cells that two digits alone must not fill; the puzzle must have one solution."""
    rectangles = list(_rectangles(board))
    # Type 1 in all rectangles before type 2 in any: easier conclusions first.
    for judge in (_one_corner, _one_digit, _one_way, _subset):
        for corners, bits in rectangles:
            rest = [cell for cell in corners if board.candidates[cell] != bits]
            if conclusion := judge(board, corners, bits, rest):
                return conclusion
    return None


def _rectangles(board: CandidateBoard) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield four open cells that have two digits, which could be exchanged, and the digits.

    The first and the third cell are opposite, as are the second and the fourth. Each house must
    have as many of one pair as of the other, so that it does not notice the exchange.
    """
    layout, candidates = board.layout, board.candidates
    for first, bits in enumerate(candidates):
        if bits.bit_count() != 2:
            continue
        near = [c for c in layout.peers[first] if candidates[c] & bits == bits]
        for second, fourth in combinations(near, 2):
            for third in layout.seeing((second, fourth)):
                corners = (first, second, third, fourth)
                if third == first or candidates[third] & bits != bits:
                    continue
                sides = [sorted(n for c in pair for n in layout.houses_of[c])
                         for pair in (corners[::2], corners[1::2])]  # fmt: skip
                if sides[0] == sides[1]:
                    yield corners, bits


def _one_corner(
    board: CandidateBoard, corners: tuple[int, ...], bits: int, rest: list[int]
) -> Conclusion | None:
    """Conclude that the only corner with more candidates holds one of them."""
    if len(rest) != 1:
        return None
    return Conclusion(corners, digits_of(bits), (), board.holding(rest, bits))


def _one_digit(
    board: CandidateBoard, corners: tuple[int, ...], bits: int, rest: list[int]
) -> Conclusion | None:
    """Conclude that one of the corners holds the only other digit, and strike what sees them."""
    more = reduce(or_, (board.candidates[cell] for cell in rest), 0) & ~bits
    if more.bit_count() != 1:
        return None
    struck = board.holding(board.layout.seeing(rest), more)
    return Conclusion(corners, digits_of(bits), (), struck) if struck else None


def _one_way(
    board: CandidateBoard, corners: tuple[int, ...], bits: int, rest: list[int]
) -> Conclusion | None:
    """Conclude that two corners that need one of the digits between them do not hold the other."""
    if len(rest) != 2:
        return None
    for house in sorted(board.layout.common(rest)):
        for digit in digits_of(bits) if board.layout.full[house] else ():
            if len(board.positions(house, digit)) == 2:
                struck = board.holding(rest, bits ^ 1 << digit)
                return Conclusion(corners, digits_of(bits), (house,), struck)
    return None


def _subset(
    board: CandidateBoard, corners: tuple[int, ...], bits: int, rest: list[int]
) -> Conclusion | None:
    """Take two corners as one cell with the other digits, one of which they hold."""
    if len(rest) != 2:
        return None
    more = reduce(or_, (board.candidates[cell] for cell in rest)) & ~bits
    for size in range(1, _MOST + 1):
        for house in sorted(board.layout.common(rest)):
            others = [c for c in board.open_cells(board.layout.houses[house]) if c not in rest]
            sets = [more, *(board.candidates[cell] for cell in others)]
            for chosen, union in tight(sets, size + 1):
                if chosen[0]:
                    break  # the choices with the two corners are over
                cells = [others[index - 1] for index in chosen[1:]]
                free = [cell for cell in others if cell not in cells]
                if struck := board.holding(free, union):
                    conclusion = Conclusion((*corners, *cells), digits_of(bits), (house,), struck)
                    return conclusion._replace(
                        rating=Technique.UNIQUE_RECTANGLE.rating + _MORE * (1 + size)
                    )
    return None
