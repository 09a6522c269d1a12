"""Forcing chains and nets: what fails whichever candidate of a group is right, or by itself."""

from sudokucrypt.sudoku._kernels.search_plain import digits_of
from sudokucrypt.sudoku.deducing.board import CandidateBoard, Conclusion
from sudokucrypt.sudoku.deducing.levels import Technique
from sudokucrypt.sudoku.deducing.links import (
    MOST_CANDIDATES,
    Derivation,
    Links,
    Spread,
    concluded,
    longer,
    single_links,
)
from sudokucrypt.sudoku.deducing.steps import Link

_SHORTEST = 10  # reasons that promise to be short and are measured
_MANY = 350  # among more candidates, which 9x9 hardly has, the first net that fails will do


def nishio(board: CandidateBoard) -> Conclusion | None:
    """Find a candidate that leaves its digit no place in a house, by singles of this digit."""
    best = None
    for digit in range(board.layout.variant.digits):
        links = single_links(board, digit)
        conclusions = links and _failing(links, [links.net(node) for node in links.nodes])
        if conclusions and (best is None or conclusions[0] < best[0]):
            best = conclusions
    return best and best[1]._replace(rating=Technique.NISHIO.rating + longer(best[0]))


def forcing_chains(board: CandidateBoard) -> Conclusion | None:
    """Find what fails by a chain from each candidate of a cell, or place of a digit in a house."""
    links = single_links(board)
    if links is None:
        return None
    spreads = {node: links.chains(node, MOST_CANDIDATES) for node in links.nodes}
    best = _shared(links, spreads, single=True)
    return best and best[1]._replace(rating=Technique.FORCING_CHAINS.rating + longer(best[0] + 2))


def forcing_net(board: CandidateBoard) -> Conclusion | None:
    """Find what fails by all singles that follow from it, or from each node of a group."""
    links = single_links(board)
    if links is None:
        return None
    spreads: dict[int, Spread] = {}
    sizes = {
        node: board.candidates[cells[0]].bit_count() for node, (cells, _) in links.nodes.items()
    }
    for node in sorted(sizes, key=sizes.__getitem__):
        spreads[node] = links.net(node)
        if spreads[node].dead is not None and len(links.nodes) > _MANY:
            break
    alive = {node: spread for node, spread in spreads.items() if spread.dead is None}
    conclusions = (_failing(links, list(spreads.values())), _shared(links, alive, single=False))
    best = min((each for each in conclusions if each), key=lambda each: each[0], default=None)
    return best and best[1]._replace(rating=Technique.FORCING_NET.rating + longer(best[0]))


def _failing(links: Links, spreads: list[Spread]) -> tuple[int, Conclusion] | None:
    """Return the shortest reason why a node is wrong: its size, and the conclusion."""
    # Measuring a reason is dear; the spreads with the fewest rounds promise the shortest.
    dead = sorted((s for s in spreads if s.dead is not None), key=lambda s: len(s.wrong))
    best: tuple[Spread, Derivation] | None = None
    for spread in dead[: 2 * _SHORTEST]:
        reason = links.reason(spread, spread.dead or 0, single=False)
        if best is None or reason.nodes < best[1].nodes:
            best = spread, reason
    if best is None:
        return None
    spread, reason = best
    house = dict(links.groups)[spread.dead or 0]
    cells, digit = links.nodes[next(digits_of(spread.dead or 0))]
    end = Link(cells, None, None) if house is None else Link((), digit, house)
    struck = links.nodes[spread.start]
    return reason.nodes, concluded([(struck[0][0], struck[1])], [(*reason.links, end)])


def _shared(
    links: Links, spreads: dict[int, Spread], *, single: bool
) -> tuple[int, Conclusion] | None:
    """Return the shortest reason why a node fails whichever of a group is right."""
    conclusions = []
    wrong = {node: sum(spread.wrong) for node, spread in spreads.items()}
    for group, house in links.groups:
        members = [*digits_of(group)]
        if len(members) < 2 or any(node not in wrong for node in members):
            continue
        shared = -1
        for node in members:
            shared &= wrong[node]
        for target in digits_of(shared):
            rounds = sum(spreads[node].round_of(target) for node in members)
            conclusions.append((2 * rounds + len(members) + 1, target, members, house))
    # Estimates first: only the most promising are measured.
    conclusions.sort(key=lambda each: each[0])
    best: tuple[int, Conclusion] | None = None
    for length, target, members, house in conclusions[: 1 if single else _SHORTEST]:
        reasons = [links.reason(spreads[node], 1 << target, single=single) for node in members]
        size = length if single else sum(reason.nodes for reason in reasons)
        if best is None or size < best[0]:
            cells, digit = links.nodes[target]
            chains = [reason.links for reason in reasons]
            best = size, concluded([(cells[0], digit)], chains, house=house)
    return best
