"""Marks of constraints in pictures: strokes and labels, in units of cells.

The cell in row r and column c, from 0, has its corner at (r, c) and its middle half a unit further.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

INK: Final = "#16181d"
WHITE: Final = "#ffffff"
GRAY: Final = "#c9ccd3"
DARK_GRAY: Final = "#8b919d"
BLUE: Final = "#5b76a8"

Point: TypeAlias = tuple[float, float]


class MarkStroke(NamedTuple):
    """A line with round ends and corners through the given points; a single point is a disc."""

    points: tuple[Point, ...]
    width: float
    color: str


class Label(NamedTuple):
    """A text centered at a point; `size` is the font size."""

    point: Point
    size: float
    text: str


Mark: TypeAlias = MarkStroke | Label


def get_centers(positions: Sequence[tuple[int, int]]) -> tuple[Point, ...]:
    """Return the center points of cells."""
    return tuple((row + 0.5, column + 0.5) for row, column in positions)


def get_midpoint(first_cell: tuple[int, int], second_cell: tuple[int, int]) -> Point:
    """Return the point in the middle between two cells."""
    return (first_cell[0] + second_cell[0] + 1) / 2, (first_cell[1] + second_cell[1] + 1) / 2


def make_line(positions: Sequence[tuple[int, int]], *, width: float, color: str) -> MarkStroke:
    """Return a line through the centers of cells."""
    return MarkStroke(get_centers(positions), width, color)


def make_ring(
    point: Point, *, size: float, fill: str = WHITE, color: str = INK
) -> Iterator[MarkStroke]:
    """Yield a disc with a border."""
    yield MarkStroke((point,), size, color)
    yield MarkStroke((point,), size - 0.08, fill)


def make_square(position: tuple[int, int], *, color: str) -> MarkStroke:
    """Return a filled square with round corners inside a cell."""
    row, column = position[0] + 0.5, position[1] + 0.5
    corners = ((-1, -1), (-1, 1), (1, 1), (1, -1), (-1, -1))
    return MarkStroke(tuple((row + 0.2 * r, column + 0.2 * c) for r, c in corners), 0.4, color)


def make_outline(positions: Sequence[tuple[int, int]], *, color: str) -> Iterator[MarkStroke]:
    """Yield the border of a group of cells, slightly inside the cells."""
    cells, gap = {*positions}, 0.09
    for row, column in positions:
        for row_step, column_step in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            if (row + row_step, column + column_step) in cells:
                continue
            ends = []
            for direction in (-1, 1):  # to both ends of the edge
                step = (direction * column_step**2, direction * row_step**2)
                has_next_cell = (row + step[0], column + step[1]) in cells
                has_diagonal_cell = (
                    row + step[0] + row_step,
                    column + step[1] + column_step,
                ) in cells
                length = (
                    0.5 + gap
                    if has_diagonal_cell and has_next_cell
                    else 0.5
                    if has_next_cell
                    else 0.5 - gap
                )
                center_row = row + 0.5 + (0.5 - gap) * row_step
                center_column = column + 0.5 + (0.5 - gap) * column_step
                ends.append((center_row + length * step[0], center_column + length * step[1]))
            yield MarkStroke(tuple(ends), 0.035, color)
