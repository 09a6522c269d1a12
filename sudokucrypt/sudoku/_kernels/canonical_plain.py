"""The fallback: the smallest image of a grid when rows, columns and digits are exchanged."""

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

GridBytes = NDArray[np.uint8]
Positions = NDArray[Any]
# A head, the columns that have a place, else -1, and what follows each.
Candidate: TypeAlias = tuple[int, list[int], list[int]]


def smallest(
    cells: GridBytes,
    box_rows: int,
    heads: GridBytes,
    best: GridBytes,
    orders: GridBytes,
    *,
    known: bool,
) -> tuple[int, bool]:
    """Write the smallest image, in reading order, to `best`, unless a smaller one is `known` there.

    Each candidate is the rows of the first band in order, one of `heads`, and an order of the
    columns that keeps stacks together. It fixes the rest: the first row is relabelled to 0, 1,
    2, ..., other rows of a band and bands rise in their first column. Returned are how many
    candidates give what then is in `best`, and whether that is new. Rows and columns of the first
    of them, by head and then by columns, are written to the rows of `orders`.

    The second row alone leaves few orders of columns. Let one follow another if there the first
    row has the digit that the second row has here. Where a column has a place, the second row gets
    the place of the one that follows it, which is best the first that is free in its stack.
    """
    images = _images(cells, box_rows, heads)
    lowest = min(images)
    if known and best.tobytes() < lowest:
        return 0, False
    smaller = not known or lowest < best.tobytes()
    best[...] = np.frombuffer(lowest, dtype=np.uint8).reshape(best.shape)
    _, columns, rows = min(images[lowest], key=lambda image: image[:2])
    orders[...] = rows, columns
    return len(images[lowest]), smaller


def smallest_puzzles(
    cells: GridBytes,
    shown: GridBytes,
    box_rows: int,
    heads: GridBytes,
    best: GridBytes,
    given: GridBytes,
    start: int,
    stop: int,
) -> None:
    """Write the smallest images of puzzles whose solutions are `cells`, all of shape (N, n, n).

    Of the grids and their transposes the smallest image is written to `best`, for the puzzles from
    `start` to `stop`. Of all orders that lead to it the smallest image of `shown`, 1 in cells that
    the puzzle gives and else 0, is written to `given`.
    """
    for index in range(start, stop):
        images: dict[bytes, list[bytes]] = {}
        for grid, mask in ((cells[index], shown[index]), (cells[index].T, shown[index].T)):
            for image, candidates in _images(grid, box_rows, heads).items():
                images.setdefault(image, []).extend(
                    mask[np.ix_(rows, columns)].tobytes() for _, columns, rows in candidates
                )
        lowest = min(images)
        for result, part in ((best, lowest), (given, min(images[lowest]))):
            result[index] = np.frombuffer(part, dtype=np.uint8).reshape(best.shape[1:])


def _images(
    cells: GridBytes, box_rows: int, heads: GridBytes
) -> dict[bytes, list[tuple[int, list[int], list[int]]]]:
    """Return images, the smallest among them, with head, columns and rows of their candidates."""
    n, q = len(cells), len(cells) // box_rows
    states: list[Candidate] = []
    for head_index, head in enumerate(heads.tolist()):
        own = head[1:2] or [row for row in range(n) if row != head[0] or n == 1]
        follows = np.argsort(cells[head[0]])[cells[own]].tolist()
        states += [(head_index, [-1] * n, line) for line in follows]
    for position in range(n):
        # All candidates grow together, and only the least go on: few are left soon.
        grown = [more for state in states for more in _grown(state, position, q)]
        least = min(value for value, _ in grown)
        states = [state for value, state in grown if value == least]
    images: dict[bytes, list[tuple[int, list[int], list[int]]]] = {}
    for head_index, columns, _ in states:
        image, rows = _places(cells, box_rows, heads[head_index], np.array(columns))
        images.setdefault(image.tobytes(), []).append((head_index, columns, rows.tolist()))
    return images


def _grown(state: Candidate, position: int, q: int) -> Iterator[tuple[int, Candidate]]:
    """Yield the second row's digit in a place, for each column that may stand there."""
    head_index, columns, follows = state
    free = [c for c in range(len(columns)) if c not in columns and _room(columns, c, q) == position]
    for column in free or [columns[position]]:
        more = columns.copy()
        more[position] = column
        following = follows[column]
        if following not in more:
            more[_room(more, following, q)] = following
        yield more.index(following), (head_index, more, follows)


def _room(columns: list[int], column: int, q: int) -> int:
    """Return the first free place for a column."""
    stacks = [first // q for first in columns[::q]]
    slot = stacks.index(column // q if column // q in stacks else -1)
    return columns.index(-1, slot * q)


def _places(
    cells: GridBytes, box_rows: int, head: GridBytes, columns: Positions
) -> tuple[Positions, Positions]:
    """Return the image that the rows of the first band and the columns fix, and all its rows."""
    moved = np.argsort(cells[head[0], columns]).astype(np.uint8)[cells[:, columns]]
    first, bands = moved[:, 0], np.arange(len(cells)).reshape(-1, box_rows)
    # Sorted by the first column within bands, and so the bands: only one order is the least.
    others = np.delete(bands, head[0] // box_rows, axis=0)
    others = np.take_along_axis(others, np.argsort(first[others], axis=1), axis=1)
    others = others[np.argsort(first[others[:, 0]])]
    rows = np.concatenate([head.astype(np.intp), others.ravel()])
    return moved[rows], rows
