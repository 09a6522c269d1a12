"""Which candidates fail if one is right, and which are then the last ones of a cell or house."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_

from sudokucrypt.sudoku._kernels.search_plain import digits_of
from sudokucrypt.sudoku.deducing.board import CandidateBoard, Conclusion, HouseTables
from sudokucrypt.sudoku.deducing.steps import Link

# Chains are looked for among at most this many candidates, as all of them take turns.
MOST_CANDIDATES = 729


@dataclass
class Spread:
    """What follows from one node: round by round which nodes are right, and which fail then.

    Sets of nodes are the bits of one number. `dead` is what is left without a right node in the
    last round: a group of nodes, or None.
    """

    start: int
    right: list[int] = field(default_factory=list)
    wrong: list[int] = field(default_factory=list)
    dead: int | None = None

    def round_of(self, node: int) -> int:
        """Return the round in which a node fails."""
        return next(index for index, bits in enumerate(self.wrong) if bits >> node & 1)


@dataclass
class Derivation:
    """The part of a spread that a conclusion needs, in order."""

    links: tuple[Link, ...]  # what is right
    right: list[int]
    wrong: list[int]

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return len(self.right) + len(self.wrong)


class Links:
    """Nodes, the nodes that cannot be right beside each, and groups of which one is right.

    A node is a digit in a cell, or in one of several cells. A group is a set of nodes and the house
    that needs one of them, or None for a cell.
    """

    def __init__(
        self,
        nodes: dict[int, tuple[tuple[int, ...], int]],
        excluded: dict[int, int],
        groups: list[tuple[int, int | None]],
    ) -> None:
        self.nodes = nodes
        self.excluded = excluded
        self.groups = groups
        self._all = sum(1 << node for node in nodes)
        self._forced: dict[int, int] = {}
        for group, _ in groups:
            if group.bit_count() == 2:
                first, second = digits_of(group)
                self._forced[first] = self._forced.get(first, 0) | 1 << second
                self._forced[second] = self._forced.get(second, 0) | 1 << first
        self._forcing = sum(1 << node for node in self._forced)

    def chains(self, start: int, most: int) -> Spread:
        """Return what follows in at most `most` rounds if each has one cause.

        It ends when the start itself fails.
        """
        spread = Spread(start)
        right = new = 1 << start
        wrong = 0
        while True:
            failing = self._failing(new) & ~wrong
            spread.right.append(new)
            spread.wrong.append(failing)
            wrong |= failing
            if failing >> start & 1 or len(spread.wrong) > most:
                return spread
            # What fails forces the other member of each group of two.
            new = 0
            for node in digits_of(failing & self._forcing):
                new |= self._forced[node]
            new &= ~right
            if not new:
                return spread
            right |= new

    def net(self, start: int) -> Spread:
        """Return what follows by all singles, until a group is dead."""
        spread = Spread(start)
        right = new = 1 << start
        left = self._all
        while new:
            failing = self._failing(new) & left
            spread.right.append(new)
            spread.wrong.append(failing)
            left &= ~failing
            new = 0
            # A group whose members failed but one has a new right node; with none left it is dead.
            for group, _ in self.groups:
                rest = group & left
                if not rest & (rest - 1):
                    if not rest:
                        spread.dead = group
                        return spread
                    new |= rest
            new &= ~right
            right |= new
        return spread

    def _failing(self, right: int) -> int:
        excluded = self.excluded
        return reduce(or_, [excluded[node] for node in digits_of(right)])

    def reason(self, spread: Spread, target: int, *, single: bool) -> Derivation:
        """Return why all nodes of `target` fail; with `single`, each by one cause alone."""
        rounds = {
            node: index for index, bits in enumerate(spread.right) for node in digits_of(bits)
        }
        failed = {
            node: index for index, bits in enumerate(spread.wrong) for node in digits_of(bits)
        }
        right: dict[int, int | None] = {}
        wrong: set[int] = set()
        waiting = [*digits_of(target)]
        while waiting:
            node = waiting.pop()
            if node in wrong:
                continue
            wrong.add(node)
            causes = [
                cause
                for cause in digits_of(spread.right[failed[node]])
                if self.excluded[cause] >> node & 1
            ]
            # A cause that is in the reason already makes it no longer.
            if any(cause in right for cause in causes):
                continue
            cause = causes[0]
            right[cause] = None
            if cause == spread.start:
                continue
            least: list[int] | None = None
            for group, house in self.groups:
                if not group >> cause & 1 or (single and group.bit_count() > 2):
                    continue
                others = [*digits_of(group ^ 1 << cause)]
                if all(failed.get(other, len(rounds)) < rounds[cause] for other in others):
                    more = [other for other in others if other not in wrong]
                    if least is None or len(more) < len(least):
                        least, right[cause] = more, house
            waiting += least or []
        order = sorted(right, key=rounds.__getitem__)
        links = tuple(Link(*self.nodes[node], right[node]) for node in order)
        return Derivation(links, order, sorted(wrong, key=failed.__getitem__))


def single_links(board: CandidateBoard, digit: int | None = None) -> Links | None:
    """Return the links of all candidates, or of those of one digit in houses."""
    layout = board.layout
    count, digits = len(board.candidates), range(layout.variant.digits)
    chosen = digits if digit is None else (digit,)
    nodes: dict[int, tuple[tuple[int, ...], int]] = {
        value * count + cell: ((cell,), value)
        for cell in board.open_cells(range(count))
        for value in digits_of(board.candidates[cell])
        if value in chosen
    }
    if len(nodes) > MOST_CANDIDATES:
        return None
    every = sum(1 << node for node in nodes)
    column = sum(1 << value * count for value in digits)
    excluded = {
        node: (layout.seen[cell] << value * count | column << cell) & every & ~(1 << node)
        for node, ((cell, *_), value) in nodes.items()
    }
    groups: list[tuple[int, int | None]] = []
    if digit is None:
        groups = [(column << cell & every, None) for cell in range(count)]
    groups += [
        (layout.masks[house] << value * count & every, house)
        for house, full in enumerate(layout.full)
        for value in chosen
        if full
    ]
    return Links(nodes, excluded, [group for group in groups if group[0]])


def grouped_links(layout: HouseTables, digit: int, positions: int, *, grouped: bool) -> Links:
    """Return the links of one digit between houses; with `grouped`, cells can stand together."""
    masks = [1 << cell for cell in digits_of(positions)]
    if grouped:
        shared = {layout.masks[one] & layout.masks[two] & positions for one, two in layout.crossing}
        masks += sorted(mask for mask in shared if mask.bit_count() > 1)
    nodes_by_mask = {mask: node for node, mask in enumerate(masks)}
    seen = [reduce(int.__and__, [layout.seen[cell] for cell in digits_of(mask)]) for mask in masks]
    excluded = {
        node: sum(1 << other for other, mask in enumerate(masks) if not mask & ~near)
        for node, near in enumerate(seen)
    }
    groups: list[tuple[int, int | None]] = []
    for house, full in enumerate(layout.full):
        inside = layout.masks[house] & positions
        for node, mask in enumerate(masks) if full else ():
            other = nodes_by_mask.get(inside ^ mask, -1)
            if not mask & ~inside and other > node:
                groups.append((1 << node | 1 << other, house))
    nodes = {node: (tuple(digits_of(mask)), digit) for node, mask in enumerate(masks)}
    return Links(nodes, excluded, groups)


def longer(nodes: int) -> float:
    """Return what chains of this many candidates add: more at 7, 9, 11, 15, 19, 27, 35, ..."""
    # The bounds grow by a half and by a third in turn, as 6, 8, 10, 14, 18, 26 do.
    added, bound, thirds = 0.0, 6, False
    while nodes > bound:
        added += 0.1
        bound = 2 + ((bound - 2) * 4 // 3 if thirds else (bound - 2) * 3 // 2)
        thirds = not thirds
    return added


def concluded(
    struck: list[tuple[int, int]],
    chains: Sequence[tuple[Link, ...]],
    *,
    house: int | None = None,
    cells: Iterable[int] = (),
) -> Conclusion:
    """Return the conclusion of chains, with all that they, a house and cells beside, rest on."""
    links = [link for chain in chains for link in chain]
    houses = {link.house for link in links} | {house}
    return Conclusion(
        sorted({*cells, *(cell for link in links for cell in link.cells)}),
        sorted({link.digit for link in links if link.digit is not None}),
        sorted(each for each in houses if each is not None),
        struck,
        chains=tuple(chains),
    )
