"""Chains, of which one end is right, and coloring: places of a digit that are right in turn."""

from collections.abc import Collection
from functools import lru_cache
from itertools import combinations

from sudokucrypt.sudoku._kernels.search_plain import digits_of
from sudokucrypt.sudoku.deducing.board import CandidateBoard, Conclusion, HouseTables
from sudokucrypt.sudoku.deducing.levels import Technique
from sudokucrypt.sudoku.deducing.links import (
    Links,
    Spread,
    concluded,
    grouped_links,
    longer,
    single_links,
)
from sudokucrypt.sudoku.deducing.steps import Link

# The rating of an X-chain of three houses, and what further ones and groups of cells add.
_THREE, _HOUSE, _GROUPED = 5.5, 0.4, 0.2

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
                rating = Technique.X_CHAIN.rating
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
    return _chain(board, cells_alone=True, base=Technique.XY_CHAIN.rating)


def chain(board: CandidateBoard) -> Conclusion | None:
    """Find a chain of cells with two candidates and houses with two places of a digit."""
    return _chain(board, cells_alone=False, base=Technique.CHAIN.rating)


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


def coloring(board: CandidateBoard) -> Conclusion | None:
    """Find a color of a digit that is wrong, or a cell that sees both colors."""
    for digit in range(board.layout.variant.digits):
        for colors, houses in _clusters(board, digit):
            if conclusion := _conclusion(board, digit, colors, houses):
                return conclusion
    return None


def _clusters(
    board: CandidateBoard, digit: int
) -> list[tuple[tuple[list[int], list[int]], list[int]]]:
    """Return the two colors of all places that houses with two places connect, and the houses."""
    linked: dict[int, list[tuple[int, int]]] = {}
    for house, full in enumerate(board.layout.full):
        positions = board.positions(house, digit) if full else []
        if len(positions) == 2:
            for cell, other in (positions, positions[::-1]):
                linked.setdefault(cell, []).append((other, house))
    clusters = []
    color: dict[int, int] = {}
    for start in linked:
        if start in color:
            continue
        color[start] = 0
        cells, houses = [start], set()
        for cell in cells:
            for other, house in linked[cell]:
                houses.add(house)
                if other not in color:
                    color[other] = 1 - color[cell]
                    cells.append(other)
        colors = tuple([cell for cell in cells if color[cell] == side] for side in (0, 1))
        clusters.append(((colors[0], colors[1]), sorted(houses)))
    return clusters


def _conclusion(
    board: CandidateBoard, digit: int, colors: tuple[list[int], list[int]], houses: list[int]
) -> Conclusion | None:
    layout = board.layout
    for wrong in colors:
        if any(cell in layout.peers[other] for cell, other in combinations(wrong, 2)):
            struck = [(cell, digit) for cell in wrong]
            return Conclusion((*colors[0], *colors[1]), (digit,), houses, struck)
    near = [{peer for cell in cells for peer in layout.peers[cell]} for cells in colors]
    seeing = sorted((near[0] & near[1]) - {*colors[0], *colors[1]})
    if struck := board.holding(seeing, 1 << digit):
        return Conclusion((*colors[0], *colors[1]), (digit,), houses, struck)
    return None
