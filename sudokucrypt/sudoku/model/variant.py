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
from sudokucrypt.sudoku.model.boxes import check_box, check_shape, default_box, get_cell_name
from sudokucrypt.sudoku.model.constraints import (
    CONSTRAINTS,
    Constraint,
    RelationTables,
    find_leftover_totals,
    make_relation_tables,
)
from sudokucrypt.sudoku.model.constraints.marks import Mark
from sudokucrypt.sudoku.model.jigsaw_maps import RegionLabels, RegionMap, read_map
from sudokucrypt.typing import Box, IntArray

# The prefix of the names of houses that are regions of a jigsaw; the label of the region follows.
REGION_PREFIX = "region "

_MAX_ROWS = 64  # with more rows there would be too many pairs, up to four for each cell


@dataclass(frozen=True)
class House:
    """Cells, by their numbers, in which no digit may occur twice, such as ``row 3``.

    A house with as many cells as there are digits contains each digit. `drawn` says whether
    pictures show the house by a border, by a tint or not at all.
    """

    name: str
    cells: tuple[int, ...]
    drawn: Literal["", "border", "tint"] = field(default="", repr=False)


def make_lines_and_boxes(numbers: IntArray, box: Box, suffix: str = "") -> Iterator[House]:
    """Yield the rows, columns and boxes of a rectangular array of cell numbers.

    `suffix` is added to the names of the houses.
    """
    rows, columns = numbers.shape
    for kind, region_numbers in boxes.number_regions((rows, columns), box).items():
        if kind == "box" and box in ((1, columns), (rows, 1)):
            continue  # such boxes are rows or columns
        for count, cells in enumerate(
            numbers.reshape(-1)[boxes.group_cells(region_numbers)].tolist()
        ):
            yield House(
                f"{kind} {count + 1}{suffix}", tuple(cells), "border" if kind == "box" else ""
            )


def make_diagonals(box: Box) -> Iterator[House]:
    """Yield the two diagonals of a grid: first from the top left, then from the bottom left."""
    order = box[0] * box[1]
    yield House("diagonal 1", tuple(row * (order + 1) for row in range(order)), "tint")
    yield House("diagonal 2", tuple((row + 1) * (order - 1) for row in range(order)), "tint")


def make_windows(box: Box) -> Iterator[House]:
    """Yield the windows of Windoku: areas of box size, one cell from each other and the edge."""
    side, other_side = box
    if side != other_side or side < 2:
        raise InvalidGridError(
            f"windows need square boxes with sides of 2 or more, not {side}x{other_side}"
        )
    order = side * side
    numbers = np.arange(order * order).reshape(order, order)
    tops = range(1, order - side, side + 1)
    for count, (top, left) in enumerate(((top, left) for top in tops for left in tops), 1):
        cells = numbers[top : top + side, left : left + side].ravel().tolist()
        yield House(f"window {count}", tuple(cells), "tint")


def make_knight_pairs(box: Box) -> Iterator[House]:
    """Yield each pair of cells that are a knight's move apart."""
    order = box[0] * box[1]
    if order > _MAX_ROWS:
        raise UnsupportedError(f"anti-knight grids have at most {_MAX_ROWS} rows, not {order}")
    for row, column in np.ndindex(order, order):
        for row_step, column_step in ((1, -2), (1, 2), (2, -1), (2, 1)):
            if row + row_step < order and 0 <= column + column_step < order:
                ends = (row, column), (row + row_step, column + column_step)
                name = "-".join(get_cell_name(*end) for end in ends)
                cells = tuple(end_row * order + end_column for end_row, end_column in ends)
                yield House(f"knight's move {name}", cells)


def make_king_pairs(box: Box) -> Iterator[House]:
    """Yield each pair of cells that touch at a corner."""
    order = box[0] * box[1]
    if order > _MAX_ROWS:
        raise UnsupportedError(f"anti-king grids have at most {_MAX_ROWS} rows, not {order}")
    for row, column in np.ndindex(order - 1, order):
        for other_column in (column - 1, column + 1):
            if 0 <= other_column < order:
                name = f"{get_cell_name(row, column)}-{get_cell_name(row + 1, other_column)}"
                yield House(
                    f"king's move {name}", (row * order + column, (row + 1) * order + other_column)
                )


def make_disjoint_groups(box: Box) -> Iterator[House]:
    """Yield the groups of cells that have the same place in their boxes."""
    (rows, columns), order = box, box[0] * box[1]
    numbers = np.arange(order * order).reshape(order, order)
    for count, (row, column) in enumerate(np.ndindex(rows, columns), 1):
        cells = numbers[row::rows, column::columns].ravel().tolist()
        yield House(f"disjoint group {count}", tuple(cells))


def make_regions(labels: Sequence[Sequence[str]]) -> Iterator[House]:
    """Yield the regions of a jigsaw, in the order of their first cells.

    Raises `InvalidGridError` unless n rows have n regions of n cells each. The cells of a region
    need not be connected.
    """
    order = len(labels)
    for index, row in enumerate(labels, 1):
        if len(row) != order:
            raise InvalidGridError(
                f"row {index} of the map of regions has {_format_cell_count(len(row))}, but the "
                f"map has {order} {'row' if order == 1 else 'rows'}",
                hint="a map is a square of letters, a row on each line and a letter for each cell",
            )
    regions: dict[str, list[int]] = {}
    for cell, label in enumerate(label for row in labels for label in row):
        regions.setdefault(label, []).append(cell)
    for label, cells in regions.items():
        if len(cells) != order:
            raise InvalidGridError(
                f"region {label[:20]} has {_format_cell_count(len(cells))}, not {order}",
                hint=f"a map of {order} rows has {order} regions of {order} cells each",
            )
        yield House(f"{REGION_PREFIX}{label}", tuple(cells), "border")


def _format_cell_count(count: int) -> str:
    return "1 cell" if count == 1 else f"{count} cells"


IndexTable = NDArray[np.int32]


@dataclass(frozen=True, repr=False)
class Variant:
    """The rules of a kind of Sudoku.

    Raises `InvalidGridError` if cells are not in reading order, two houses have the same name, or a
    house has unknown, repeated or too many cells.

    >>> Variant.x((2, 2))
    <Variant X, 4x4 with 2x2 boxes: 16 cells, 14 houses>
    """

    name: str  #: The name in messages.
    digits: int  #: The number of digits.
    box: Box  #: Rows p and columns q of the boxes that are separated by lines in print.
    #: Rows and columns of all cells, in reading order; the cells are numbered 0, 1, ...
    cells: tuple[tuple[int, int], ...]
    houses: tuple[House, ...]  #: The rules, in the order in which broken ones are reported.
    #: Sentences for players about rules that the drawn grid does not show; outputs contain them.
    rule: str = field(default="", compare=False)
    #: Rules in addition to the houses, such as cages; `with_constraints` adds them.
    constraints: tuple[Constraint, ...] = ()
    #: With constraints: the sentences of `rule` that are not about constraints.
    rule_of_houses: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not self.cells or list(self.cells) != sorted(set(self.cells)) or min(self.cells[0]) < 0:
            raise InvalidGridError("the cells of a variant must be given once, in reading order")
        if len({house.name for house in self.houses}) < len(self.houses):
            raise InvalidGridError("the houses of a variant must have different names")
        for house in self.houses:
            are_cells_known = all(0 <= cell < len(self.cells) for cell in house.cells)
            if (
                not are_cells_known
                or not 0 < len(set(house.cells)) == len(house.cells) <= self.digits
            ):
                raise InvalidGridError(
                    f"{house.name} does not consist of 1 to {self.digits} different cells"
                )

    def __hash__(self) -> int:
        # Hashing all houses takes longer than solving; most variants differ in the last house.
        return hash((self.digits, len(self.cells), self.houses[-1:], self.constraints))

    def __repr__(self) -> str:
        return f"<Variant {self.name}: {len(self.cells)} cells, {len(self.houses)} houses>"

    @classmethod
    def standard(cls, box: Box = (3, 3)) -> "Variant":
        """Return ordinary Sudoku with boxes of p rows and q columns, of any size."""
        rows, columns = check_box(box)
        return _make_array_variant(columns, rows, rows, columns)

    @classmethod
    def latin(cls, order: int) -> "Variant":
        """Return the rules of Latin squares: only rows and columns."""
        return cls.standard((1, order))

    @classmethod
    def x(cls, box: Box = (3, 3)) -> "Variant":
        """Return X-Sudoku, in which both diagonals also contain each digit once."""
        rule = "Both diagonals hold each digit once."
        return _add_houses("X", check_box(box), make_diagonals, rule)

    @classmethod
    def windoku(cls, box: Box = (3, 3)) -> "Variant":
        """Return Windoku (Hyper Sudoku), in which windows between boxes contain every digit too.

        Boxes must be square, with sides of 2 or more: 3x3 has four windows, 4x4 nine.
        """
        rule = "The windows between the boxes hold each digit once."
        return _add_houses("Windoku", check_box(box), make_windows, rule)

    @classmethod
    def anti_knight(cls, box: Box = (3, 3)) -> "Variant":
        """Return Sudoku of order up to 64 in which cells a knight's move apart also differ."""
        rule = "Cells a knight's move apart hold different digits."
        return _add_houses("Anti-knight", check_box(box), make_knight_pairs, rule)

    @classmethod
    def anti_king(cls, box: Box = (3, 3)) -> "Variant":
        """Return Sudoku of order up to 64 in which cells that touch at a corner also differ."""
        rule = "Cells that touch at a corner hold different digits."
        return _add_houses("Anti-king", check_box(box), make_king_pairs, rule)

    @classmethod
    def disjoint_groups(cls, box: Box = (3, 3)) -> "Variant":
        """Return Sudoku in which cells with the same place in their boxes also differ."""
        rule = "Cells in the same place of all boxes hold each digit once."
        return _add_houses("Disjoint groups", check_box(box), make_disjoint_groups, rule)

    @classmethod
    def jigsaw(cls, regions: RegionMap) -> "Variant":
        """Return a jigsaw: a square with regions of any shape instead of boxes.

        The map has a letter or another label for each cell. It is a text with a line for each row,
        a list of texts, or an array. There must be n regions of n cells each, not necessarily
        connected. Raises `InvalidGridError` if the map is not a square, or a region has too few or
        too many cells.

        >>> Variant.jigsaw(["AAAB", "CABB", "CCDB", "CDDD"])
        <Variant Jigsaw, 4x4: 16 cells, 12 houses>
        """
        return _make_jigsaw(read_map(regions))

    @classmethod
    def samurai(cls, box: Box = (3, 3)) -> "Variant":
        """Return Samurai: five grids, four of which overlap the corner boxes of the middle grid.

        The sides of a box are 2 or more.
        """
        return _make_samurai(check_box(box))

    @classmethod
    def array(cls, shape: int | Sequence[int]) -> "Variant":
        """Return the rules of a flat `SudokuArray`; one number stands for all four sides."""
        return _make_array_variant(*check_shape(shape))

    def with_houses(self, name: str, houses: Iterable[House], rule: str) -> "Variant":
        """Return these rules with more houses, and with a sentence about them."""
        return replace(
            self,
            name=f"{name}, {self.name}",
            houses=(*self.houses, *houses),
            rule=f"{self.rule} {rule}".strip(),
            rule_of_houses=f"{self.rule_of_houses} {rule}".strip(),
        )

    def with_constraints(self, *constraints: Constraint) -> "Variant":
        """Return these rules with more constraints.

        Raises `InvalidGridError` if a constraint has a cell that the grid lacks, or more cells than
        digits although no digit may occur twice.

        >>> variant = Variant.standard((2, 2)).with_constraints(Constraint("killer", (0, 1), 7))
        >>> variant.rule
        'r1c1 r1c2 sum to 7, no digit twice.'
        """
        constrained_variant = replace(
            self,
            name=self.name if self.constraints else f"Constraints, {self.name}",
            constraints=(*self.constraints, *constraints),
        )
        for constraint in constraints:
            constraint.check(constrained_variant)
        return replace(
            constrained_variant,
            houses=(*self.houses, *self._iterate_cages(constraints)),
            rule=" ".join(
                [self.rule, *(constraint.sentence(self) for constraint in constraints)]
            ).strip(),
            rule_of_houses=self.rule_of_houses if self.constraints else self.rule,
        )

    def _iterate_cages(self, constraints: Iterable[Constraint]) -> Iterator[House]:
        """Yield a house for each constraint on distinct digits that no house contains yet."""
        house_cells = [frozenset(house.cells) for house in self.houses]
        for number, constraint in enumerate(constraints, len(self.constraints) + 1):
            cells = frozenset(constraint.cells)
            is_in_house = any(cells <= house for house in house_cells)
            # A cage inside a house adds no rule, and every house slows a search down.
            if CONSTRAINTS[constraint.kind].distinct and len(cells) > 1 and not is_in_house:
                house_cells.append(cells)
                yield House(f"{constraint.kind} {number}", constraint.cells)

    @cached_property
    def legend(self) -> str:
        """The sentences below pictures: rules, and the meaning of the marks of constraints."""
        sentences = dict.fromkeys([self.rule_of_houses if self.constraints else self.rule])
        for kind in dict.fromkeys(constraint.kind for constraint in self.constraints):
            constraints = [constraint for constraint in self.constraints if constraint.kind == kind]
            legends = {
                CONSTRAINTS[kind].legend.format(value=constraint.value)
                for constraint in constraints
            }
            is_shared = len(legends) == 1 and "" not in legends
            sentences |= dict.fromkeys(
                legends if is_shared else [constraint.sentence(self) for constraint in constraints]
            )
        return " ".join(filter(None, sentences))

    @cached_property
    def marks(self) -> tuple[Mark, ...]:
        """The marks of all constraints in pictures; the outlines of cages cover other marks."""
        order = sorted(self.constraints, key=lambda constraint: constraint.kind == "killer")
        return tuple(mark for constraint in order for mark in constraint.marks(self))

    @cached_property
    def constraint_scopes(self) -> tuple[tuple[Constraint, frozenset[int]], ...]:
        """Each constraint with all the cells that it depends on."""
        scopes = (
            (
                constraint,
                frozenset(constraint.cells).union(
                    *(relation.cells for relation in constraint.relations(self))
                ),
            )
            for constraint in self.constraints
        )
        return tuple(scopes)

    @cached_property
    def relations(self) -> RelationTables | None:
        """The constraints as tables for a search, or None without constraints."""
        if not self.constraints:
            return None
        relations = [
            relation for constraint in self.constraints for relation in constraint.relations(self)
        ]
        full_houses = [house.cells for house in self.full_houses]
        relations += [
            constraint.relation
            for constraint in find_leftover_totals(self.constraints, full_houses, self.digits)
        ]
        return make_relation_tables(relations, len(self.cells))

    @cached_property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns of the grid, including gaps."""
        return self.cells[-1][0] + 1, max(column for _, column in self.cells) + 1

    @cached_property
    def positions(self) -> tuple[IntArray, IntArray]:
        """Rows and columns of all cells, as two arrays that index an array of the whole grid."""
        rows, columns = np.array(self.cells, dtype=np.int64).T
        return rows, columns

    def map_houses(self, style: Literal["border", "tint"]) -> IntArray:
        """Return for each cell the number of the last house that is drawn in this style, or -1."""
        house_numbers = np.full(self.shape, -1)
        rows, columns = self.positions
        for index, house in enumerate(self.houses):
            if house.drawn == style:
                cells = list(house.cells)
                house_numbers[rows[cells], columns[cells]] = index
        return house_numbers

    @cached_property
    def regions(self) -> tuple[str, ...]:
        """The map of a jigsaw, a text for each row, as `jigsaw` accepts it; otherwise empty."""
        region_numbers = self.map_houses("border")
        used_numbers = np.unique(region_numbers)
        names = [house.name for house in self.houses]
        if used_numbers[0] < 0 or not all(
            names[number].startswith(REGION_PREFIX) for number in used_numbers
        ):
            return ()
        labels = [name.removeprefix(REGION_PREFIX) for name in names]
        separator = "" if all(len(labels[number]) == 1 for number in used_numbers) else " "
        return tuple(
            separator.join(labels[number] for number in row) for row in region_numbers.tolist()
        )

    @cached_property
    def house_sets(self) -> frozenset[frozenset[int]]:
        """The sets of cells of all houses, independent of their names and order."""
        return frozenset(frozenset(house.cells) for house in self.houses)

    @property
    def full_houses(self) -> list[House]:
        """The houses with as many cells as there are digits, which contain each digit."""
        return [house for house in self.houses if len(house.cells) == self.digits]

    @cached_property
    def memberships(self) -> tuple[IntArray, IntArray]:
        """Two arrays with an item for each cell of each house: an index of counts, and the cell.

        Adding the digit of the cell to the index gives the place where the house counts this digit.
        Each house has a count for open cells, whose digit is -1, before the counts of its digits.
        """
        house_sizes = [len(house.cells) for house in self.houses]
        count_indices = np.repeat(np.arange(len(house_sizes)) * (self.digits + 1) + 1, house_sizes)
        return count_indices, np.array(
            [cell for house in self.houses for cell in house.cells], dtype=int
        )

    @cached_property
    def rules(self) -> "RuleTables":
        """The houses as tables for a search."""
        house_mates: list[set[int]] = [{cell} for cell in range(len(self.cells))]
        units: list[tuple[int, ...]] = []
        units_by_cell: list[list[int]] = [[] for _ in self.cells]
        # Only a house with as many cells as digits needs each digit, and has hidden singles.
        for house in self.houses:
            needs_all_digits = len(house.cells) == self.digits
            for cell in house.cells:
                house_mates[cell].update(house.cells)
                units_by_cell[cell] += [len(units)] if needs_all_digits else []
            units += [house.cells] if needs_all_digits else []
        peers = [sorted(cells - {cell}) for cell, cells in enumerate(house_mates)]
        table = np.array(units, dtype=np.int32).reshape(-1, self.digits)
        # All places of a locked digit in one unit are also in another, which limits their number.
        shared_cell_counts = Counter(
            pair for cell_units in units_by_cell for pair in combinations(cell_units, 2)
        )
        max_shared_cells = max(
            (count for count in shared_cell_counts.values() if count < self.digits), default=0
        )
        return RuleTables(
            self.digits, *_join_lists(peers), *_join_lists(units_by_cell), table, max_shared_cells
        )

    def peers(self, cell: int) -> IndexTable:
        """Return the numbers of all cells that share a house with `cell`, in order."""
        ends = self.rules.peer_offsets
        return self.rules.peers[ends[cell] : ends[cell + 1]]


class RuleTables(NamedTuple):
    """The houses as tables for a search; the lists of all cells are concatenated.

    The peers of cell c, which share a house with it, are ``peers[peer_ends[c]:peer_ends[c + 1]]``.
    Its units are given in the same way by `unit_offsets` and `cell_units`. A unit is a house with
    as many cells as there are digits, a row of `units`; two units share at most `max_shared_cells`.
    """

    digits: int
    peer_offsets: IndexTable
    peers: IndexTable
    unit_offsets: IndexTable
    cell_units: IndexTable
    units: IndexTable
    max_shared_cells: int


def _join_lists(lists: Sequence[Sequence[int]]) -> tuple[IndexTable, IndexTable]:
    """Return the ends of the lists, after a leading 0, and their concatenation."""
    list_ends = np.cumsum([0, *map(len, lists)], dtype=np.int32)
    return list_ends, np.array([item for items in lists for item in items], dtype=np.int32)


@lru_cache(maxsize=64)
def _make_array_variant(bands: int, stacks: int, rows: int, columns: int) -> Variant:
    """Return the rules of rows, columns and boxes on a table of boxes of p rows and q columns."""
    numbers = np.arange(bands * rows * stacks * columns).reshape(bands * rows, stacks * columns)
    digits = max(rows * columns, *numbers.shape)
    size_name = f"{len(numbers)}x{len(numbers[0])}"
    name = (
        f"{size_name} with {rows}x{columns} boxes"
        if min(rows, columns) > 1
        else f"{size_name} without boxes"
    )
    cells = tuple(
        (row, column) for row in range(bands * rows) for column in range(stacks * columns)
    )
    # The rule mentions missing boxes only if a grid of this order could have boxes.
    lacks_boxes = min(rows, columns) == 1 < min(default_box(digits))
    rule = "There are no boxes: rows and columns hold each digit once." if lacks_boxes else ""
    houses = tuple(make_lines_and_boxes(numbers, (rows, columns)))
    return Variant(name, digits, (rows, columns), cells, houses, rule)


@lru_cache(maxsize=64)
def _add_houses(
    name: str, box: Box, make_houses: Callable[[Box], Iterable[House]], rule: str
) -> Variant:
    return Variant.standard(box).with_houses(name, make_houses(box), rule)


@lru_cache(maxsize=64)
def _make_jigsaw(labels: RegionLabels) -> Variant:
    latin_variant = Variant.latin(len(labels))
    houses = (*latin_variant.houses, *make_regions(labels))
    name = f"Jigsaw, {len(labels)}x{len(labels)}"
    return Variant(name, latin_variant.digits, latin_variant.box, latin_variant.cells, houses)


@lru_cache(maxsize=16)
def _make_samurai(box: Box) -> Variant:
    rows, columns = box
    if min(box) < 2:
        raise InvalidGridError(
            f"Samurai grids need boxes with sides of 2 or more, not {rows}x{columns}"
        )
    order = rows * columns
    row_distance, column_distance = order - rows, order - columns
    corners = [
        (0, 0),
        (0, 2 * column_distance),
        (row_distance, column_distance),
        (2 * row_distance, 0),
        (2 * row_distance, 2 * column_distance),
    ]
    numbers = np.full((2 * row_distance + order, 2 * column_distance + order), -1)
    for top, left in corners:
        numbers[top : top + order, left : left + order] = 0
    cells = tuple((row, column) for row, column in np.argwhere(numbers == 0).tolist())
    numbers[numbers == 0] = np.arange(len(cells))
    houses: dict[tuple[int, ...], House] = {}
    for grid, (top, left) in enumerate(corners, 1):
        grid_numbers = numbers[top : top + order, left : left + order]
        for house in make_lines_and_boxes(grid_numbers, box, f" of grid {grid}"):
            # A corner box belongs to two grids but is one house.
            houses.setdefault(house.cells, house)
    name = f"Samurai of five {order}x{order} grids"
    return Variant(name, order, box, cells, tuple(houses.values()))
