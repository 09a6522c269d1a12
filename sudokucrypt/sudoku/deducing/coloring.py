"""Coloring: places of a digit that are right or wrong in turn."""

from itertools import combinations

from sudokucrypt.sudoku.deducing.board import CandidateBoard, Conclusion


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
