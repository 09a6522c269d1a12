"""Marks of constraints in pictures: strokes and labels, in units of cells.

The cell in row r and column c, from 0, has its corner at (r, c) and its middle half a unit further.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

INK: Final = "#16181d"
WHITE: Final = "#ffffff"
GRAY: Final = "#c9ccd3"
DARK: Final = "#8b919d"
BLUE: Final = "#5b76a8"

Point: TypeAlias = tuple[float, float]


class MarkStroke(NamedTuple):
    """A line of some width with round ends and corners; one point alone is a disc."""

    points: tuple[Point, ...]
    width: float
    color: str


class Label(NamedTuple):
    """A text with its middle at a point; `size` is that of the font."""

    point: Point
    size: float
    text: str


Mark: TypeAlias = MarkStroke | Label


def middles(positions: Sequence[tuple[int, int]]) -> tuple[Point, ...]:
    """Return the middles of cells."""
    return tuple((row + 0.5, column + 0.5) for row, column in positions)


def between(one: tuple[int, int], other: tuple[int, int]) -> Point:
    """Return the point in the middle of two cells."""
    return (one[0] + other[0] + 1) / 2, (one[1] + other[1] + 1) / 2


def line(positions: Sequence[tuple[int, int]], *, width: float, color: str) -> MarkStroke:
    """Return a line through the middles of cells."""
    return MarkStroke(middles(positions), width, color)


def ring(point: Point, *, size: float, fill: str = WHITE, color: str = INK) -> Iterator[MarkStroke]:
    """Yield a disc with a border."""
    yield MarkStroke((point,), size, color)
    yield MarkStroke((point,), size - 0.08, fill)


def square(position: tuple[int, int], *, color: str) -> MarkStroke:
    """Return a filled square with round corners inside of a cell."""
    row, column = position[0] + 0.5, position[1] + 0.5
    corners = ((-1, -1), (-1, 1), (1, 1), (1, -1), (-1, -1))
    return MarkStroke(tuple((row + 0.2 * r, column + 0.2 * c) for r, c in corners), 0.4, color)


def outline(positions: Sequence[tuple[int, int]], *, color: str) -> Iterator[MarkStroke]:
    """Yield the border of a group of cells, a little inside of it."""
    inside, gap = {*positions}, 0.09
    for row, column in positions:
        for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            if (row + down, column + right) in inside:
                continue
            ends = []
            for side in (-1, 1):  # along the edge, to either end of it
                along = (side * right**2, side * down**2)
                beside = (row + along[0], column + along[1]) in inside
                past = (row + along[0] + down, column + along[1] + right) in inside
                reach = 0.5 + gap if past and beside else 0.5 if beside else 0.5 - gap
                ends.append((row + 0.5 + (0.5 - gap) * down + reach * along[0],
                             column + 0.5 + (0.5 - gap) * right + reach * along[1]))  # fmt: skip
            yield MarkStroke(tuple(ends), 0.035, color)
