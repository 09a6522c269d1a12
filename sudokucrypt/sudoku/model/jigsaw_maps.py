"""Text of the regions of a jigsaw: letters for regions, or borders between the digits."""

from collections.abc import Iterable, Sequence
from math import isqrt
from string import ascii_lowercase, ascii_uppercase, digits
from typing import TypeAlias

import numpy as np

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.model.text import BORDER_LINE, SYMBOLS, get_symbol
from sudokucrypt.typing import AnyArray, IntArray

# A map of regions: a text, a text for each row, or rows of arbitrary labels, such as an array.
RegionMap: TypeAlias = Iterable[Iterable[object]]

# The label of the region of each cell, row by row.
RegionLabels: TypeAlias = tuple[tuple[str, ...], ...]

_REGION_SYMBOLS = ascii_uppercase + ascii_lowercase + digits + "+/"
_NO_BORDER, _BORDER = "   ", " | "


def read_map(regions: RegionMap) -> RegionLabels:
    """Return the labels of a map: a text, a text for each row, or an array of arbitrary labels.

    Each cell has one symbol, or one word if each row has as many words as there are rows. Blank
    lines and lines that begin with ``#`` are ignored. A single line is divided into equal rows.
    """
    if not isinstance(regions, str):
        try:
            rows = list(regions)
            row_texts = [row for row in rows if isinstance(row, str)]
            if len(row_texts) < len(rows):
                return tuple(tuple(map(str, row)) for row in rows)
        except TypeError:
            raise InvalidGridError(
                f"a map of regions is text or rows of labels, not {type(regions).__name__}"
            ) from None
        regions = "\n".join(row_texts)
    lines = [line.split() for line in regions.splitlines() if not line.lstrip().startswith("#")]
    lines = [words for words in lines if words]
    if not lines:
        raise InvalidGridError("the map of regions is empty")
    if len(lines) == 1:
        cells = "".join(lines[0])
        side = max(isqrt(len(cells)), 1)
        lines = [[cells[start : start + side]] for start in range(0, len(cells), side)]
    has_rows = len(lines) > 1
    return tuple(
        tuple(words if has_rows and len(words) == len(lines) else "".join(words)) for words in lines
    )


def label_regions(regions: IntArray) -> RegionLabels:
    """Return a letter for each cell's region, in order of first appearance."""
    names: dict[int, str] = {}
    for region in regions.ravel().tolist():
        names.setdefault(
            region, _REGION_SYMBOLS[len(names)] if len(names) < 64 else f"{len(names) + 1}"
        )
    return tuple(tuple(names[region] for region in row) for row in regions.tolist())


def draw_regions(rows: Sequence[Sequence[int]], regions: AnyArray) -> str:
    """Return digits, -1 in open cells, as lines of text with borders between the regions.

    `regions` is an array with a different value for each region.
    """
    order = len(rows)
    width = _measure_width(order)
    right_borders, lower_borders = (regions[:, 1:] != regions[:, :-1], regions[1:] != regions[:-1])
    lines: list[str] = []
    for row_number, row in enumerate(rows):
        if row_number and lower_borders[row_number - 1].any():
            border_row = lower_borders[row_number - 1]
            joint_flags = right_borders[row_number - 1] | right_borders[row_number]
            marks = np.where(border_row, "-", " ")
            text = marks[0] * width
            for left, mark, has_joint in zip(marks[:-1], marks[1:], joint_flags, strict=True):
                # Draw a corner where borders meet; elsewhere, continue the border or leave a gap.
                text += left + ("+" if has_joint else mark) + mark * (width + 1)
            lines.append(text.rstrip())
        text = get_symbol(row[0], order).rjust(width)
        for digit, border in zip(row[1:], right_borders[row_number], strict=True):
            text += (_BORDER if border else _NO_BORDER) + get_symbol(digit, order).rjust(width)
        lines.append(text)
    return "\n".join(lines)


def read_outlined_map(text: str) -> RegionLabels | None:
    """Read a map from the borders in a text of `draw_regions`; return None for other texts.

    Regions are connected cells without borders between them, so a region in several parts is read
    as several regions.
    """
    if "|" not in text:
        return None
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    rows = [line for line in lines if not BORDER_LINE.match(line)]
    order = len(rows)
    width = _measure_width(order)
    cell_width = width + len(_BORDER)
    gaps = [
        [row[start : start + 3] for start in range(width, len(row), cell_width)] for row in rows
    ]
    # Each row must consist of cells and gaps of equal width; otherwise it is another kind of text.
    has_equal_widths = all(len(row) == order * cell_width - 3 for row in rows)
    if not has_equal_widths or {_NO_BORDER, _BORDER} != {gap for row in gaps for gap in row}:
        return None
    regions = np.arange(order * order).reshape(order, order)
    right_borders = np.array([[gap == _BORDER for gap in row] for row in gaps])
    lower_borders = np.zeros((order - 1, order), dtype=bool)
    row = 0
    for line in lines:
        if not BORDER_LINE.match(line):
            row += 1
        elif 0 < row < order:
            marks = [
                line[start : start + 1] == "-" for start in range(0, order * cell_width, cell_width)
            ]
            lower_borders[row - 1] = marks
    while True:  # connected cells take the lower number of both
        previous_regions = regions.copy()
        for region, neighbor, border in (
            (regions[:, 1:], regions[:, :-1], right_borders),
            (regions[1:], regions[:-1], lower_borders),
        ):
            # Lowest numbers spread through each region until nothing changes.
            np.minimum(region, neighbor, out=region, where=~border)
            np.minimum(region, neighbor, out=neighbor, where=~border)
        if np.array_equal(previous_regions, regions):
            return label_regions(regions)


def _measure_width(order: int) -> int:
    return 1 if order <= len(SYMBOLS) else len(str(order))
