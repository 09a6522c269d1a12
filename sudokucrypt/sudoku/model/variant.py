"""What a kind of Sudoku demands: its cells, and the houses in which no digit may repeat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.model.boxes import checked_box, checked_shape, members, regions
from sudokucrypt.typing import Box, IntArray

Table = NDArray[np.int32]


@dataclass(frozen=True)
class House:
    """Cells, by their numbers, in which no digit may stand twice, such as those of ``row 3``.

    If they are as many as the digits, each digit stands in one. Drawings may show it as `drawn`.
    """

    name: str
    cells: tuple[int, ...]
    drawn: Literal["", "border", "tint"] = field(default="", repr=False)


@dataclass(frozen=True, repr=False)
class Variant:
    """What a kind of Sudoku demands.

    `InvalidGridError` if cells are not in reading order, two houses have one name, or a house has
    unknown, repeated or too many cells.

    Parameters
    ----------
    name : str
        What messages call it.
    digits : int
        How many digits there are.
    box : tuple of int
        Rows p and columns q of the boxes that are ruled off in print.
    cells : tuple of (row, column)
        Where the sheet has cells, in reading order; their numbers are 0, 1, ... in this order.
    houses : tuple of House
        The rules, in the order in which broken ones are reported.

    Examples
    --------
    >>> Variant.x((2, 2))
    <Variant X, 4x4 with 2x2 boxes: 16 cells, 14 houses>
    """

    name: str
    digits: int
    box: Box
    cells: tuple[tuple[int, int], ...]
    houses: tuple[House, ...]

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

    def __repr__(self) -> str:
        return f"<Variant {self.name}: {len(self.cells)} cells, {len(self.houses)} houses>"

    @classmethod
    def standard(cls, box: Box = (3, 3)) -> Variant:
        """Return ordinary Sudoku with boxes of p rows and q columns, of any size."""
        p, q = checked_box(box)
        return _sheet(q, p, p, q)

    @classmethod
    def latin(cls, order: int) -> Variant:
        """Return Latin squares: rows and columns alone."""
        return cls.standard((1, order))

    @classmethod
    def x(cls, box: Box = (3, 3)) -> Variant:
        """Return X-Sudoku: each digit once in both diagonals too."""
        return _with_diagonals(checked_box(box))

    @classmethod
    def samurai(cls, box: Box = (3, 3)) -> Variant:
        """Return five grids that overlap in the corner boxes of one; sides of a box from 2 on."""
        return _samurai(checked_box(box))

    @classmethod
    def array(cls, shape: int | Sequence[int]) -> Variant:
        """Return the rules of `SudokuArray`, on the flat sheet; one number stands for all sides."""
        return _sheet(*checked_shape(shape))

    @cached_property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the sheet."""
        return self.cells[-1][0] + 1, max(column for _, column in self.cells) + 1

    @cached_property
    def positions(self) -> tuple[IntArray, IntArray]:
        """Rows and columns of all cells, two arrays that index a sheet."""
        rows, columns = np.array(self.cells, dtype=np.int64).T
        return rows, columns

    def drawn(self, how: Literal["border", "tint"]) -> IntArray:
        """Return the sheet with the number of the last house drawn so for each cell, else -1."""
        sheet = np.full(self.shape, -1)
        rows, columns = self.positions
        for number, house in enumerate(self.houses):
            if house.drawn == how:
                cells = list(house.cells)
                sheet[rows[cells], columns[cells]] = number
        return sheet

    @cached_property
    def memberships(self) -> tuple[IntArray, IntArray]:
        """Numbers of house and cell, one pair for each cell of each house."""
        sizes = [len(house.cells) for house in self.houses]
        houses = np.repeat(np.arange(len(sizes)), sizes)
        return houses, np.array([cell for house in self.houses for cell in house.cells], dtype=int)

    @cached_property
    def rules(self) -> Rules:
        """The houses as tables for a search."""
        near: list[set[int]] = [{cell} for cell in range(len(self.cells))]
        units: list[tuple[int, ...]] = []
        units_of: list[list[int]] = [[] for _ in self.cells]
        for house in self.houses:
            whole = len(house.cells) == self.digits
            for cell in house.cells:
                near[cell].update(house.cells)
                units_of[cell] += [len(units)] if whole else []
            units += [house.cells] if whole else []
        peers = [sorted(cells - {cell}) for cell, cells in enumerate(near)]
        table = np.array(units, dtype=np.int32).reshape(-1, self.digits)
        shared = Counter(pair for found in units_of for pair in combinations(found, 2))
        widest = max((number for number in shared.values() if number < self.digits), default=0)
        return Rules(self.digits, *_joined(peers), *_joined(units_of), table, widest)

    def peers(self, cell: int) -> Table:
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
    peer_ends: Table
    peers: Table
    unit_ends: Table
    units_of: Table
    units: Table
    widest: int


def _joined(lists: Sequence[Sequence[int]]) -> tuple[Table, Table]:
    """Return where each list ends, after a 0, and all of them one after the other."""
    ends = np.cumsum([0, *map(len, lists)], dtype=np.int32)
    return ends, np.array([number for part in lists for number in part], dtype=np.int32)


@lru_cache(maxsize=64)
def _sheet(bands: int, stacks: int, p: int, q: int) -> Variant:
    """Return a table of boxes with p rows and q columns, where rows and columns count too."""
    numbers = np.arange(bands * p * stacks * q).reshape(bands * p, stacks * q)
    digits = max(p * q, *numbers.shape)
    names = f"{len(numbers)}x{len(numbers[0])}"
    name = f"{names} with {p}x{q} boxes" if min(p, q) > 1 else f"{names} without boxes"
    cells = tuple((row, column) for row in range(bands * p) for column in range(stacks * q))
    return Variant(name, digits, (p, q), cells, tuple(_houses(numbers, (p, q))))


def _houses(numbers: IntArray, box: Box, of: str = "") -> Iterator[House]:
    """Yield the rows, columns and boxes of a rectangle of cells."""
    rows, columns = numbers.shape
    for kind, places in regions((rows, columns), box).items():
        if kind == "box" and box in ((1, columns), (rows, 1)):
            continue  # they are rows or columns
        for count, cells in enumerate(numbers.reshape(-1)[members(places)].tolist()):
            yield House(f"{kind} {count + 1}{of}", tuple(cells), "border" if kind == "box" else "")


@lru_cache(maxsize=64)
def _with_diagonals(box: Box) -> Variant:
    plain = Variant.standard(box)
    order = plain.digits
    falling = tuple(row * (order + 1) for row in range(order))
    rising = tuple((row + 1) * (order - 1) for row in range(order))
    diagonals = House("diagonal 1", falling, "tint"), House("diagonal 2", rising, "tint")
    return Variant(f"X, {plain.name}", order, box, plain.cells, plain.houses + diagonals)


@lru_cache(maxsize=16)
def _samurai(box: Box) -> Variant:
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
    houses: dict[tuple[int, ...], House] = {}
    for grid, (top, left) in enumerate(tops, 1):
        part = numbers[top : top + order, left : left + order]
        for house in _houses(part, box, f" of grid {grid}"):
            houses.setdefault(house.cells, house)
    name = f"Samurai of five {order}x{order} grids"
    return Variant(name, order, box, cells, tuple(houses.values()))
