"""Rules of Sudoku: cells, and the houses in which no digit may repeat."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import InvalidGridError, UnsupportedError
from sudokucrypt.sudoku.model import boxes
from sudokucrypt.sudoku.model.boxes import cell_name, checked_box, checked_shape, default_box
from sudokucrypt.sudoku.model.constraints import (
    CONSTRAINTS,
    Constraint,
    RelationTables,
    leftovers,
    make_tables,
)
from sudokucrypt.sudoku.model.constraints.marks import Mark
from sudokucrypt.sudoku.model.jigsaw_maps import RegionLabels, RegionMap, read_map
from sudokucrypt.typing import Box, IntArray

# What the name of a house begins with that is a region of a jigsaw; its label follows.
REGION = "region "

_MOST_ROWS = 64  # each cell has up to four pairs of its own


@dataclass(frozen=True)
class House:
    """Cells, by their numbers, in which no digit may stand twice, such as those of ``row 3``.

    If they are as many as the digits, each digit stands in one. Drawings may show it as `drawn`.
    """

    name: str
    cells: tuple[int, ...]
    drawn: Literal["", "border", "tint"] = field(default="", repr=False)


def lines_and_boxes(numbers: IntArray, box: Box, of: str = "") -> Iterator[House]:
    """Yield the rows, columns and boxes of a rectangle of cells."""
    rows, columns = numbers.shape
    for kind, region_of in boxes.regions((rows, columns), box).items():
        if kind == "box" and box in ((1, columns), (rows, 1)):
            continue  # they are rows or columns
        for count, cells in enumerate(numbers.reshape(-1)[boxes.members(region_of)].tolist()):
            yield House(f"{kind} {count + 1}{of}", tuple(cells), "border" if kind == "box" else "")


def diagonal_houses(box: Box) -> Iterator[House]:
    """Yield the falling and the rising diagonal of a grid."""
    order = box[0] * box[1]
    yield House("diagonal 1", tuple(row * (order + 1) for row in range(order)), "tint")
    yield House("diagonal 2", tuple((row + 1) * (order - 1) for row in range(order)), "tint")


def window_houses(box: Box) -> Iterator[House]:
    """Yield the windows of Windoku: boxes one cell apart, and one cell from the edge."""
    side, other = box
    if side != other or side < 2:
        raise InvalidGridError(
            f"windows need square boxes with sides of 2 or more, not {side}x{other}"
        )
    order = side * side
    numbers = np.arange(order * order).reshape(order, order)
    tops = range(1, order - side, side + 1)
    for count, (top, left) in enumerate(((top, left) for top in tops for left in tops), 1):
        cells = numbers[top : top + side, left : left + side].ravel().tolist()
        yield House(f"window {count}", tuple(cells), "tint")


def knight_houses(box: Box) -> Iterator[House]:
    """Yield each pair of cells that a knight's move joins."""
    order = box[0] * box[1]
    if order > _MOST_ROWS:
        raise UnsupportedError(f"anti-knight grids have at most {_MOST_ROWS} rows, not {order}")
    for row, column in np.ndindex(order, order):
        for down, right in ((1, -2), (1, 2), (2, -1), (2, 1)):
            if row + down < order and 0 <= column + right < order:
                ends = (row, column), (row + down, column + right)
                name = "-".join(cell_name(*end) for end in ends)
                cells = tuple(r * order + c for r, c in ends)
                yield House(f"knight's move {name}", cells)


def king_houses(box: Box) -> Iterator[House]:
    """Yield each pair of cells that touch at a corner."""
    order = box[0] * box[1]
    if order > _MOST_ROWS:
        raise UnsupportedError(f"anti-king grids have at most {_MOST_ROWS} rows, not {order}")
    for row, column in np.ndindex(order - 1, order):
        for other in (column - 1, column + 1):
            if 0 <= other < order:
                name = f"{cell_name(row, column)}-{cell_name(row + 1, other)}"
                yield House(
                    f"king's move {name}", (row * order + column, (row + 1) * order + other)
                )


def disjoint_houses(box: Box) -> Iterator[House]:
    """Yield the cells that have one place in their boxes."""
    (p, q), order = box, box[0] * box[1]
    numbers = np.arange(order * order).reshape(order, order)
    for count, (down, right) in enumerate(np.ndindex(p, q), 1):
        cells = numbers[down::p, right::q].ravel().tolist()
        yield House(f"disjoint group {count}", tuple(cells))


def iterate_regions(labels: Sequence[Sequence[str]]) -> Iterator[House]:
    """Yield the regions of a jigsaw, in the order of their first cells.

    `InvalidGridError` if they are not as many as rows, of as many cells each. Their cells need not
    hang together.
    """
    order = len(labels)
    for index, row in enumerate(labels, 1):
        if len(row) != order:
            raise InvalidGridError(
                f"row {index} of the map of regions has {_list_cells(len(row))}, but the map has "
                f"{order} {'row' if order == 1 else 'rows'}",
                hint="a map is a square of letters, a row on each line and a letter for each cell",
            )
    regions: dict[str, list[int]] = {}
    for cell, label in enumerate(label for row in labels for label in row):
        regions.setdefault(label, []).append(cell)
    for label, cells in regions.items():
        if len(cells) != order:
            raise InvalidGridError(
                f"region {label[:20]} has {_list_cells(len(cells))}, not {order}",
                hint=f"a map of {order} rows has {order} regions of {order} cells each",
            )
        yield House(f"{REGION}{label}", tuple(cells), "border")


def _list_cells(index: int) -> str:
    return "1 cell" if index == 1 else f"{index} cells"


IndexTable = NDArray[np.int32]


@dataclass(frozen=True, repr=False)
class Variant:
    """The rules of a kind of Sudoku.

    `InvalidGridError` if cells are not in reading order, two houses have one name, or a house has
    unknown, repeated or too many cells.

    >>> Variant.x((2, 2))
    <Variant X, 4x4 with 2x2 boxes: 16 cells, 14 houses>
    """

    name: str  #: What messages call it.
    digits: int  #: How many digits there are.
    box: Box  #: Rows p and columns q of the boxes that are ruled off in print.
    #: Where the sheet has cells, in reading order; their numbers are 0, 1, ... in this order.
    cells: tuple[tuple[int, int], ...]
    houses: tuple[House, ...]  #: The rules, in the order in which broken ones are reported.
    #: Sentences that say to players what no line of a sheet shows; outputs carry them.
    rule: str = field(default="", compare=False)
    #: What must hold besides the houses, such as cages; `with_constraints` adds them.
    constraints: tuple[Constraint, ...] = ()
    #: Those of them that are not about constraints; only where there are some.
    rule_of_houses: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not self.cells or list(self.cells) != sorted(set(self.cells)) or min(self.cells[0]) < 0:
            raise InvalidGridError("the cells of a variant must be given once, in reading order")
        if len({house.name for house in self.houses}) < len(self.houses):
            raise InvalidGridError("the houses of a variant must have different names")
        for house in self.houses:
            known = all(0 <= cell < len(self.cells) for cell in house.cells)
            if not known or not 0 < len(set(house.cells)) == len(house.cells) <= self.digits:
                raise InvalidGridError(
                    f"{house.name} does not consist of 1 to {self.digits} different cells"
                )

    def __hash__(self) -> int:
        # All houses would take longer than a puzzle takes to solve; the last one differs in most.
        return hash((self.digits, len(self.cells), self.houses[-1:], self.constraints))

    def __repr__(self) -> str:
        return f"<Variant {self.name}: {len(self.cells)} cells, {len(self.houses)} houses>"

    @classmethod
    def standard(cls, box: Box = (3, 3)) -> "Variant":
        """Return ordinary Sudoku with boxes of p rows and q columns, of any size."""
        p, q = checked_box(box)
        return _make_sheet(q, p, p, q)

    @classmethod
    def latin(cls, order: int) -> "Variant":
        """Return Latin squares: rows and columns alone."""
        return cls.standard((1, order))

    @classmethod
    def x(cls, box: Box = (3, 3)) -> "Variant":
        """Return X-Sudoku: each digit once in both diagonals too."""
        rule = "Both diagonals hold each digit once."
        return _add_houses("X", checked_box(box), diagonal_houses, rule)

    @classmethod
    def windoku(cls, box: Box = (3, 3)) -> "Variant":
        """Return Windoku, also called Hyper Sudoku: windows between the boxes hold every digit too.

        Boxes are square, with sides of 2 or more: 3x3 has four windows, 4x4 nine.
        """
        rule = "The windows between the boxes hold each digit once."
        return _add_houses("Windoku", checked_box(box), window_houses, rule)

    @classmethod
    def anti_knight(cls, box: Box = (3, 3)) -> "Variant":
        """Return Sudoku in which cells a knight's move apart differ too, of orders up to 64."""
        rule = "Cells a knight's move apart hold different digits."
        return _add_houses("Anti-knight", checked_box(box), knight_houses, rule)

    @classmethod
    def anti_king(cls, box: Box = (3, 3)) -> "Variant":
        """Return Sudoku in which cells that touch at a corner differ too, of orders up to 64."""
        rule = "Cells that touch at a corner hold different digits."
        return _add_houses("Anti-king", checked_box(box), king_houses, rule)

    @classmethod
    def disjoint_groups(cls, box: Box = (3, 3)) -> "Variant":
        """Return Sudoku in which cells with one place in their boxes differ too."""
        rule = "Cells in the same place of all boxes hold each digit once."
        return _add_houses("Disjoint groups", checked_box(box), disjoint_houses, rule)

    @classmethod
    def jigsaw(cls, regions: RegionMap) -> "Variant":
        """Return a square whose regions, of any form, take the place of boxes.

        Raises `InvalidGridError` if it is not a square, or a region has too few or too many cells.
        The map is a line, a text or a row of an array for each row of the square, and a letter or
        any other label for each cell. There are n regions of n cells each; the cells of one need
        not hang together.

        >>> Variant.jigsaw(["AAAB", "CABB", "CCDB", "CDDD"])
        <Variant Jigsaw, 4x4: 16 cells, 12 houses>
        """
        return _make_jigsaw(read_map(regions))

    @classmethod
    def samurai(cls, box: Box = (3, 3)) -> "Variant":
        """Return five grids that overlap in the corner boxes of one; sides of a box from 2 on."""
        return _make_samurai(checked_box(box))

    @classmethod
    def array(cls, shape: int | Sequence[int]) -> "Variant":
        """Return the rules of `SudokuArray`, on the flat sheet; one number means all sides."""
        return _make_sheet(*checked_shape(shape))

    def with_houses(self, name: str, more: Iterable[House], rule: str) -> "Variant":
        """Return these rules and further ones, with a sentence about them."""
        return replace(
            self,
            name=f"{name}, {self.name}",
            houses=(*self.houses, *more),
            rule=f"{self.rule} {rule}".strip(),
            rule_of_houses=f"{self.rule_of_houses} {rule}".strip(),
        )

    def with_constraints(self, *constraints: Constraint) -> "Variant":
        """Return these rules with more constraints.

        `InvalidGridError` if one of them has a cell that the sheet lacks, or more cells than digits
        where no digit may occur twice.

        >>> variant = Variant.standard((2, 2)).with_constraints(Constraint("killer", (0, 1), 7))
        >>> variant.rule
        'r1c1 r1c2 sum to 7, no digit twice.'
        """
        together = replace(
            self,
            name=self.name if self.constraints else f"Constraints, {self.name}",
            constraints=(*self.constraints, *constraints),
        )
        for it in constraints:
            it.check(together)
        return replace(
            together,
            houses=(*self.houses, *self._iterate_cages(constraints)),
            rule=" ".join([self.rule, *(it.sentence(self) for it in constraints)]).strip(),
            rule_of_houses=self.rule_of_houses if self.constraints else self.rule,
        )

    def _iterate_cages(self, constraints: Iterable[Constraint]) -> Iterator[House]:
        """Yield houses of constraints that allow no digit twice, where no house says so yet."""
        known = [frozenset(house.cells) for house in self.houses]
        for number, it in enumerate(constraints, len(self.constraints) + 1):
            cells = frozenset(it.cells)
            inside = any(cells <= house for house in known)
            # A cage inside of a house adds nothing, and a search looks at every house.
            if CONSTRAINTS[it.kind].distinct and len(cells) > 1 and not inside:
                known.append(cells)
                yield House(f"{it.kind} {number}", it.cells)

    @cached_property
    def legend(self) -> str:
        """The rules that pictures need in words, where marks show most constraints."""
        sentences = dict.fromkeys([self.rule_of_houses if self.constraints else self.rule])
        for kind in dict.fromkeys(it.kind for it in self.constraints):
            alike = [it for it in self.constraints if it.kind == kind]
            legends = {CONSTRAINTS[kind].legend.format(value=it.value) for it in alike}
            same = len(legends) == 1 and "" not in legends
            sentences |= dict.fromkeys(legends if same else [it.sentence(self) for it in alike])
        return " ".join(filter(None, sentences))

    @cached_property
    def marks(self) -> tuple[Mark, ...]:
        """What pictures show of constraints; thin outlines of cages are above lines."""
        order = sorted(self.constraints, key=lambda it: it.kind == "killer")
        return tuple(mark for it in order for mark in it.marks(self))

    @cached_property
    def constraint_scopes(self) -> tuple[tuple[Constraint, frozenset[int]], ...]:
        """Each constraint with all the cells that it depends on."""
        parts = (
            (it, frozenset(it.cells).union(*(one.cells for one in it.relations(self))))
            for it in self.constraints
        )
        return tuple(parts)

    @cached_property
    def relations(self) -> RelationTables | None:
        """The constraints as tables for a search; None if there are none."""
        if not self.constraints:
            return None
        relations = [one for it in self.constraints for one in it.relations(self)]
        full = [house.cells for house in self.full_houses]
        relations += [it.relation for it in leftovers(self.constraints, full, self.digits)]
        return make_tables(relations, len(self.cells))

    @cached_property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the sheet."""
        return self.cells[-1][0] + 1, max(column for _, column in self.cells) + 1

    @cached_property
    def positions(self) -> tuple[IntArray, IntArray]:
        """Rows and columns of all cells, two arrays that index a sheet."""
        rows, columns = np.array(self.cells, dtype=np.int64).T
        return rows, columns

    def map_houses(self, style: Literal["border", "tint"]) -> IntArray:
        """Return the number of the last house drawn in this style for each cell, else -1."""
        sheet = np.full(self.shape, -1)
        rows, columns = self.positions
        for index, house in enumerate(self.houses):
            if house.drawn == style:
                cells = list(house.cells)
                sheet[rows[cells], columns[cells]] = index
        return sheet

    @cached_property
    def regions(self) -> tuple[str, ...]:
        """The map of a jigsaw, a text for each row, which `jigsaw` takes; for others nothing."""
        borders = self.map_houses("border")
        used = np.unique(borders)
        names = [house.name for house in self.houses]
        if used[0] < 0 or not all(names[index].startswith(REGION) for index in used):
            return ()
        labels = [name.removeprefix(REGION) for name in names]
        mark = "" if all(len(labels[index]) == 1 for index in used) else " "
        return tuple(mark.join(labels[index] for index in row) for row in borders.tolist())

    @cached_property
    def demands(self) -> frozenset[frozenset[int]]:
        """The cells of the houses, whatever the names and the order of these."""
        return frozenset(frozenset(house.cells) for house in self.houses)

    @property
    def full_houses(self) -> list[House]:
        """The houses with as many cells as there are digits, which need each of them."""
        return [house for house in self.houses if len(house.cells) == self.digits]

    @cached_property
    def memberships(self) -> tuple[IntArray, IntArray]:
        """One pair for each cell of each house: where its digits are counted, and the cell.

        Each house has a place for open cells, whose digit is -1, and then one for each digit.
        """
        sizes = [len(house.cells) for house in self.houses]
        places = np.repeat(np.arange(len(sizes)) * (self.digits + 1) + 1, sizes)
        return places, np.array([cell for house in self.houses for cell in house.cells], dtype=int)

    @cached_property
    def rules(self) -> "Rules":
        """The houses as tables for a search."""
        near: list[set[int]] = [{cell} for cell in range(len(self.cells))]
        units: list[tuple[int, ...]] = []
        units_of: list[list[int]] = [[] for _ in self.cells]
        # Only a house with as many cells as digits needs each digit, and has hidden singles.
        for house in self.houses:
            whole = len(house.cells) == self.digits
            for cell in house.cells:
                near[cell].update(house.cells)
                units_of[cell] += [len(units)] if whole else []
            units += [house.cells] if whole else []
        peers = [sorted(cells - {cell}) for cell, cells in enumerate(near)]
        table = np.array(units, dtype=np.int32).reshape(-1, self.digits)
        # A digit is locked if a unit has it only in cells of another one: this many at most.
        shared = Counter(pair for units_here in units_of for pair in combinations(units_here, 2))
        widest = max((index for index in shared.values() if index < self.digits), default=0)
        return Rules(self.digits, *_join_lists(peers), *_join_lists(units_of), table, widest)

    def peers(self, cell: int) -> IndexTable:
        """Return the numbers of all cells that share a house with this one, in order."""
        ends = self.rules.peer_ends
        return self.rules.peers[ends[cell] : ends[cell + 1]]


class Rules(NamedTuple):
    """The houses as the tables that a search reads; the lists of all cells are joined.

    The peers of cell c, which share a house with it, are ``peers[peer_ends[c]:peer_ends[c + 1]]``,
    and so are its units: the houses with as many cells as digits, one a row of `units`. Two of them
    share up to `widest` cells.
    """

    digits: int
    peer_ends: IndexTable
    peers: IndexTable
    unit_ends: IndexTable
    units_of: IndexTable
    units: IndexTable
    widest: int


def _join_lists(lists: Sequence[Sequence[int]]) -> tuple[IndexTable, IndexTable]:
    """Return the ends of the lists, after a leading 0, and their concatenation."""
    ends = np.cumsum([0, *map(len, lists)], dtype=np.int32)
    return ends, np.array([index for part in lists for index in part], dtype=np.int32)


@lru_cache(maxsize=64)
def _make_sheet(bands: int, stacks: int, p: int, q: int) -> Variant:
    """Return a table of boxes with p rows and q columns, where rows and columns count too."""
    numbers = np.arange(bands * p * stacks * q).reshape(bands * p, stacks * q)
    digits = max(p * q, *numbers.shape)
    names = f"{len(numbers)}x{len(numbers[0])}"
    name = f"{names} with {p}x{q} boxes" if min(p, q) > 1 else f"{names} without boxes"
    cells = tuple((row, column) for row in range(bands * p) for column in range(stacks * q))
    # Where no boxes are possible their absence goes without saying.
    missed = min(p, q) == 1 < min(default_box(digits))
    rule = "There are no boxes: rows and columns hold each digit once." if missed else ""
    every = tuple(lines_and_boxes(numbers, (p, q)))
    return Variant(name, digits, (p, q), cells, every, rule)


@lru_cache(maxsize=64)
def _add_houses(name: str, box: Box, more: Callable[[Box], Iterable[House]], rule: str) -> Variant:
    return Variant.standard(box).with_houses(name, more(box), rule)


@lru_cache(maxsize=64)
def _make_jigsaw(labels: RegionLabels) -> Variant:
    plain = Variant.latin(len(labels))
    every = (*plain.houses, *iterate_regions(labels))
    name = f"Jigsaw, {len(labels)}x{len(labels)}"
    return Variant(name, plain.digits, plain.box, plain.cells, every)


@lru_cache(maxsize=16)
def _make_samurai(box: Box) -> Variant:
    p, q = box
    if min(box) < 2:
        raise InvalidGridError(f"Samurai grids need boxes with sides of 2 or more, not {p}x{q}")
    order = p * q
    down, right = order - p, order - q
    tops = [(0, 0), (0, 2 * right), (down, right), (2 * down, 0), (2 * down, 2 * right)]
    numbers = np.full((2 * down + order, 2 * right + order), -1)
    for top, left in tops:
        numbers[top : top + order, left : left + order] = 0
    cells = tuple((row, column) for row, column in np.argwhere(numbers == 0).tolist())
    numbers[numbers == 0] = np.arange(len(cells))
    every: dict[tuple[int, ...], House] = {}
    for grid, (top, left) in enumerate(tops, 1):
        part = numbers[top : top + order, left : left + order]
        for house in lines_and_boxes(part, box, f" of grid {grid}"):
            # The corner boxes belong to two grids, and are one house.
            every.setdefault(house.cells, house)
    name = f"Samurai of five {order}x{order} grids"
    return Variant(name, order, box, cells, tuple(every.values()))
