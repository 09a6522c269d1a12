"""Pictures, sections 2 and 3: the canvas, and the pixels of a frame that are selected on it.

A pixel of the canvas has the number row * columns + column.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tests.kit.reference import RefusedError
from tests.kit.reference.units import rows_columns_channels

GROUP_BITS = 7
MORE = 128
MAX_GROUPS = 5
MAX_COVERS = 4
Region = tuple[int, int, int, int]


@dataclass(frozen=True, kw_only=True)
class Canvas:
    """Rows and columns of the canvas."""

    rows: int
    columns: int


def written_number(number: int) -> bytes:
    """The number in groups of 7 bits, lowest first, 128 added to all but the last."""
    groups = []
    while number >= MORE:
        groups.append(MORE + number % MORE)
        number //= MORE
    return bytes([*groups, number])


def read_numbers(data: bytes) -> list[int]:
    """Undo `written_number` for one number after the other; each in as few bytes as possible."""
    numbers = []
    number = shift = 0
    for byte in data:
        number += byte % MORE << shift
        shift += GROUP_BITS
        if byte < MORE:
            if shift > GROUP_BITS * MAX_GROUPS or GROUP_BITS * len(written_number(number)) != shift:
                raise RefusedError("mask: a length in more bytes than it needs, or than five")
            numbers.append(number)
            number = shift = 0
    if shift:
        raise RefusedError("mask: the last length is cut off")
    return numbers


def write_mask(runs: Sequence[int]) -> bytes:
    """The field `mask` for the lengths of its runs."""
    return b"".join(map(written_number, runs))


def read_mask(data: bytes) -> list[int]:
    """Lengths of the runs in the field `mask`; only the first may be 0."""
    runs = read_numbers(data)
    if not runs or 0 in runs[1:]:
        raise RefusedError("mask: an empty run")
    return runs


def selected_by_mask(runs: Sequence[int], canvas: Canvas) -> set[int]:
    """Pixels of the canvas that the runs select, not and then selected in turn."""
    if sum(runs) != canvas.rows * canvas.columns or sum(runs) == 0:
        raise RefusedError("mask: its runs do not end where the canvas does")
    selected: set[int] = set()
    first = 0
    for turn, length in enumerate(runs):
        if turn % 2:
            selected.update(range(first, first + length))
        first += length
    return selected


def selected_by_regions(regions: Sequence[Region], canvas: Canvas) -> set[int]:
    """Pixels of the canvas that lie in any of the rectangles."""
    area = sum(rows * columns for _, _, rows, columns in regions)
    if area > MAX_COVERS * canvas.rows * canvas.columns:
        raise RefusedError("regions: together larger than four times the canvas")
    selected: set[int] = set()
    for row, column, rows, columns in regions:
        if row + rows > canvas.rows or column + columns > canvas.columns:
            raise RefusedError("regions: a rectangle that goes beyond the canvas")
        for r in range(row, row + rows):
            first = r * canvas.columns + column
            selected.update(range(first, first + columns))
    return selected


def pixels_of_frame(
    shape: Sequence[int], position: tuple[int, int], *, canvas: Canvas, selected: set[int]
) -> list[int]:
    """Numbers of the pixels of a frame whose positions are selected, in C order of the frame."""
    m, n, _ = rows_columns_channels(shape)
    top, left = position
    return [
        r * n + c
        for r in range(m)
        for c in range(n)
        if top + r < canvas.rows
        and left + c < canvas.columns
        and (top + r) * canvas.columns + left + c in selected
    ]
