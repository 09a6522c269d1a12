"""Houses: the groups of cells in which no digit may stand twice, of every kind of Sudoku."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from sudokucrypt.errors import InvalidGridError, UnsupportedError
from sudokucrypt.sudoku.model import boxes
from sudokucrypt.sudoku.model.boxes import cell_name
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


def regions_of(labels: Sequence[Sequence[str]]) -> Iterator[House]:
    """Yield the regions of a jigsaw, in the order of their first cells.

    `InvalidGridError` if they are not as many as rows, of as many cells each. Their cells need not
    hang together.
    """
    order = len(labels)
    for index, row in enumerate(labels, 1):
        if len(row) != order:
            raise InvalidGridError(
                f"row {index} of the map of regions has {_cells(len(row))}, but the map has "
                f"{order} {'row' if order == 1 else 'rows'}",
                hint="a map is a square of letters, a row on each line and a letter for each cell",
            )
    regions: dict[str, list[int]] = {}
    for cell, label in enumerate(label for row in labels for label in row):
        regions.setdefault(label, []).append(cell)
    for label, cells in regions.items():
        if len(cells) != order:
            raise InvalidGridError(
                f"region {label[:20]} has {_cells(len(cells))}, not {order}",
                hint=f"a map of {order} rows has {order} regions of {order} cells each",
            )
        yield House(f"{REGION}{label}", tuple(cells), "border")


def _cells(index: int) -> str:
    return "1 cell" if index == 1 else f"{index} cells"
