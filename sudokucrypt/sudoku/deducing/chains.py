"""Chains: one of their two ends is right, so that what sees both fails."""

from collections.abc import Collection
from functools import lru_cache

from sudokucrypt.sudoku._kernels.search_plain import digits_of
from sudokucrypt.sudoku.deducing.board import CandidateBoard, Conclusion, HouseTables
from sudokucrypt.sudoku.deducing.levels import Technique
from sudokucrypt.sudoku.deducing.links import (
    Links,
    Spread,
    concluded,
    grouped_links,
    single_links,
)
from sudokucrypt.sudoku.deducing.scale import RATINGS, longer
from sudokucrypt.sudoku.deducing.steps import Link

_THREE, _HOUSE, _GROUPED = 5.5, 0.4, 0.2
"""The rating of an X-chain of three houses, and what further ones and groups of cells add."""

_EMPTY_RECTANGLE = 2  # houses


def turbot_fish(board: CandidateBoard) -> Conclusion | None:
    """Find two houses with two places of a digit each, one of which sees one of the other two."""
    chain_found = _x_chain(board, 2, grouped=False)
    return chain_found and chain_found[1]


def x_chain(board: CandidateBoard) -> Conclusion | None:
    """Find a chain of one digit, in which cells of a house may stand together."""
    best = None
    for grouped in (False, True):
        if chain_found := _x_chain(board, len(board.candidates), grouped=grouped):
            houses, step = chain_found
            rating = _THREE + _HOUSE * (houses - 3) + _GROUPED * grouped
            if houses <= _EMPTY_RECTANGLE:
                rating = RATINGS[Technique.X_CHAIN]
            if best is None or rating < (best.rating or 0):
                best = step._replace(rating=rating)
    return best


def _x_chain(board: CandidateBoard, most: int, *, grouped: bool) -> tuple[int, Conclusion] | None:
    """Return the shortest chain of one digit, and its number of houses, at most `most`."""
    best = None
    for digit in range(board.layout.variant.digits):
        links, spread = _shortest_of(board.layout, digit, board.mask(digit), grouped=grouped)
        if spread and len(spread.right) - 1 <= most:
            best = links, spread
            most = len(spread.right) - 2
    return best and (len(best[1].right) - 1, _found(*best))


@lru_cache(maxsize=256)  # most steps change few digits
def _shortest_of(
    layout: HouseTables, digit: int, positions: int, *, grouped: bool
) -> tuple[Links, Spread | None]:
    links = grouped_links(layout, digit, positions, grouped=grouped)
    alone = [node for node, (cells, _) in links.nodes.items() if len(cells) == 1]
    return links, _shortest(links, alone)


def xy_chain(board: CandidateBoard) -> Conclusion | None:
    """Find a chain of cells with two candidates each."""
    return _chain(board, cells_alone=True, base=RATINGS[Technique.XY_CHAIN])


def chain(board: CandidateBoard) -> Conclusion | None:
    """Find a chain of cells with two candidates and houses with two places of a digit."""
    return _chain(board, cells_alone=False, base=RATINGS[Technique.CHAIN])


def _chain(board: CandidateBoard, base: float, *, cells_alone: bool) -> Conclusion | None:
    links = single_links(board)
    if links and cells_alone:
        groups = [group for group in links.groups if group[1] is None]
        links = Links(links.nodes, links.excluded, groups)
    spread = links and _shortest(links, links.nodes)
    if not links or not spread:
        return None
    rating = base + longer(2 * len(spread.right))
    return _found(links, spread)._replace(rating=rating)


def _shortest(links: Links, starts: Collection[int]) -> Spread | None:
    """Return the first of the shortest spreads in which the start fails."""
    best, most = None, len(starts)
    for start in starts:
        spread = links.chains(start, most)
        # The next chain must be shorter than this one to be better.
        if spread.wrong[-1] >> start & 1:
            best = spread
            most = len(spread.right) - 2
    return best


def _found(links: Links, spread: Spread) -> Conclusion:
    """Return what a chain strikes: the start and all else that sees both of its ends."""
    reason = links.reason(spread, 1 << spread.start, single=True)
    ends = reason.wrong[0], reason.right[-1]
    seeing = links.excluded[ends[0]] & links.excluded[ends[1]]
    struck = {
        (cells[0], digit)
        for cells, digit in map(links.nodes.__getitem__, digits_of(seeing))
        if len(cells) == 1
    }
    chain = (Link(*links.nodes[ends[0]], None), *reason.links[1:])
    failing = [node for node in reason.wrong if node != spread.start]
    cells = {cell for node in failing for cell in links.nodes[node][0]}
    return concluded(sorted(struck), [chain], cells=cells)
