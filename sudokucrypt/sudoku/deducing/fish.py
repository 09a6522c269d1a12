"""Fish: a digit whose places in some rows lie in as many columns, or the other way round."""

from functools import reduce
from itertools import combinations
from operator import or_

from sudokucrypt.sudoku._kernels.search_plain import digits_of
from sudokucrypt.sudoku.deducing.board import CandidateBoard, Conclusion
from sudokucrypt.sudoku.deducing.subsets import tight

_MORE = 2  # lines beside the covers: fins are in one box of 3x3


def fish(board: CandidateBoard, size: int, *, finned: bool = False) -> Conclusion | None:
    """Find `size` lines whose candidates of a digit lie in as many lines that cross them.

    A finned fish has some more candidates, the fins; what it strikes sees all of them.
    """
    layout = board.layout
    for axis, lines in enumerate(layout.lines):
        across = layout.across[1 - axis]
        for digit in range(layout.variant.digits):
            positions = board.mask(digit)
            inside = [(line, layout.masks[line] & positions) for line in lines if layout.full[line]]
            bases = [base for base in inside if base[1].bit_count() > 1]
            sets = [
                sum(1 << index for index, line in enumerate(across) if line & mask)
                for _, mask in bases
            ]
            for chosen, crossed in tight(sets, size, size + finned * _MORE):
                # Without a fin it is a plain fish, which has a lower rating and came first.
                if finned and crossed.bit_count() <= size:
                    continue
                union = reduce(or_, [bases[index][1] for index in chosen])
                for covers in combinations([across[line] for line in digits_of(crossed)], size):
                    cover = reduce(or_, covers)
                    fins, rest = union & ~cover, cover & positions & ~union
                    for cell in digits_of(fins):
                        rest &= layout.seen[cell]
                    if rest:
                        lines_used = [bases[index][0] for index in chosen]
                        parts = [mask & union for mask in covers]
                        if conclusion := _found(board, axis, digit, lines_used, parts, union, rest):
                            return conclusion
    return None


def _found(
    board: CandidateBoard,
    axis: int,
    digit: int,
    bases: list[int],
    crossing: list[int],
    union: int,
    rest: int,
) -> Conclusion | None:
    """Return what follows if these parts of the union each lie in one line that crosses."""
    layout = board.layout
    every = reduce(or_, [layout.masks[line] for line in bases])
    if every.bit_count() < sum(layout.masks[line].bit_count() for line in bases):
        return None  # rows of overlapping grids share cells, and one digit can serve both
    lines = set(layout.lines[1 - axis])
    covers = [layout.common(digits_of(part)) & lines for part in crossing]
    if not all(covers):
        return None
    houses = sorted(house for group in covers for house in group)
    rest &= reduce(or_, [layout.masks[house] for house in houses])
    struck = [(cell, digit) for cell in digits_of(rest)]
    return Conclusion([*digits_of(union)], (digit,), (*bases, *houses), struck) if struck else None
