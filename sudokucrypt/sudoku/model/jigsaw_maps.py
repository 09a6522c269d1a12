"""Maps of regions, the rules of a jigsaw, as text: letters, or borders between the digits."""

from collections.abc import Iterable, Sequence
from math import isqrt
from string import ascii_lowercase, ascii_uppercase, digits
from typing import TypeAlias

import numpy as np

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.model.text import RULE, SYMBOLS, symbol
from sudokucrypt.typing import AnyArray, IntArray

# A map of regions: its text, the text of each row, or rows of any labels, such as an array.
RegionMap: TypeAlias = Iterable[Iterable[object]]

# The label of the region of each cell, by rows.
RegionLabels: TypeAlias = tuple[tuple[str, ...], ...]

_LETTERS = ascii_uppercase + ascii_lowercase + digits + "+/"
_NONE, _BORDER = "   ", " | "


def read_map(regions: RegionMap) -> RegionLabels:
    """Return the labels of a map: its text, the text of each row, or an array of any labels.

    Each cell has one symbol, or a word where each row has as many words as there are rows. Blank
    lines and those that begin with ``#`` are left out. A single line is cut into as many rows.
    """
    if not isinstance(regions, str):
        try:
            rows = list(regions)
            texts = [row for row in rows if isinstance(row, str)]
            if len(texts) < len(rows):
                return tuple(tuple(map(str, row)) for row in rows)
        except TypeError:
            raise InvalidGridError(
                f"a map of regions is text or rows of labels, not {type(regions).__name__}"
            ) from None
        regions = "\n".join(texts)
    lines = [line.split() for line in regions.splitlines() if not line.lstrip().startswith("#")]
    lines = [words for words in lines if words]
    if not lines:
        raise InvalidGridError("the map of regions is empty")
    if len(lines) == 1:
        cells = "".join(lines[0])
        side = max(isqrt(len(cells)), 1)
        lines = [[cells[start : start + side]] for start in range(0, len(cells), side)]
    many = len(lines) > 1
    return tuple(
        tuple(words if many and len(words) == len(lines) else "".join(words)) for words in lines
    )


def label_regions(regions: IntArray) -> RegionLabels:
    """Return a letter for each cell's region, in order of first appearance."""
    names: dict[int, str] = {}
    for index in regions.ravel().tolist():
        names.setdefault(index, _LETTERS[len(names)] if len(names) < 64 else f"{len(names) + 1}")
    return tuple(tuple(names[index] for index in row) for row in regions.tolist())


def draw_regions(rows: Sequence[Sequence[int]], regions: AnyArray) -> str:
    """Return digits, -1 in open cells, over lines with borders between the regions.

    `regions`, of the shape of the square, is anything that differs from region to region.
    """
    order = len(rows)
    width = _measure_width(order)
    beside, below = regions[:, 1:] != regions[:, :-1], regions[1:] != regions[:-1]
    lines: list[str] = []
    for index, row in enumerate(rows):
        if index and below[index - 1].any():
            rule = below[index - 1]
            joints = beside[index - 1] | beside[index]
            marks = np.where(rule, "-", " ")
            text = marks[0] * width
            for left, mark, joint in zip(marks[:-1], marks[1:], joints, strict=True):
                # Where lines meet; elsewhere the border goes on, or there is none.
                text += left + ("+" if joint else mark) + mark * (width + 1)
            lines.append(text.rstrip())
        text = symbol(row[0], order).rjust(width)
        for digit, border in zip(row[1:], beside[index], strict=True):
            text += (_BORDER if border else _NONE) + symbol(digit, order).rjust(width)
        lines.append(text)
    return "\n".join(lines)


def outlined_map(text: str) -> RegionLabels | None:
    """Return the map that the borders of a `draw_regions` text show, or None where it is another.

    Regions are what the borders leave together, so that one in several parts comes out as many.
    """
    if "|" not in text:
        return None
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    rows = [line for line in lines if not RULE.match(line)]
    order = len(rows)
    width = _measure_width(order)
    step = width + len(_BORDER)
    gaps = [[row[at : at + 3] for at in range(width, len(row), step)] for row in rows]
    # Each row must be cells and gaps of one width: else it is a sheet ruled in another way.
    fitting = all(len(row) == order * step - 3 for row in rows)
    if not fitting or {_NONE, _BORDER} != {gap for row in gaps for gap in row}:
        return None
    regions = np.arange(order * order).reshape(order, order)
    beside = np.array([[gap == _BORDER for gap in row] for row in gaps])
    below = np.zeros((order - 1, order), dtype=bool)
    row = 0
    for line in lines:
        if not RULE.match(line):
            row += 1
        elif 0 < row < order:
            marks = [line[at : at + 1] == "-" for at in range(0, order * step, step)]
            below[row - 1] = marks
    while True:  # what is joined takes the lowest number of both
        before = regions.copy()
        for one, other, border in (
            (regions[:, 1:], regions[:, :-1], beside),
            (regions[1:], regions[:-1], below),
        ):
            # Lowest numbers spread through each region until nothing changes.
            np.minimum(one, other, out=one, where=~border)
            np.minimum(one, other, out=other, where=~border)
        if np.array_equal(before, regions):
            return label_regions(regions)


def _measure_width(order: int) -> int:
    return 1 if order <= len(SYMBOLS) else len(str(order))
