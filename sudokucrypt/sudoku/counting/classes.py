"""How many essentially different grids there are, by Burnside's lemma.

The symmetries of the rules move the cells and relabel the digits. Grids that one of them maps to
each other are the same in essence, and there are as many classes of them as a symmetry leaves grids
unchanged on average (G. F. Royle; E. Russell and F. Jarvis, "Mathematics of Sudoku II", 2006).
Symmetries that are conjugate leave the same number unchanged, so that one of each kind will do.

A grid that a movement of the cells and a relabeling of the digits together leave unchanged is
known from one cell of each orbit of the movement, which a search fills in all ways.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import product
from math import factorial, prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.kernels import load_kernels
from sudokucrypt.sudoku.counting.totals import count_grids
from sudokucrypt.sudoku.model.boxes import checked_box
from sudokucrypt.sudoku.model.symmetry import can_transpose
from sudokucrypt.typing import Box, IntArray, ProgressCallback
from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from sudokucrypt.sudoku._kernels import orbits_plain as _kernels
else:
    _kernels = load_kernels("sudokucrypt.sudoku._kernels", "orbits")

# The largest order of Latin squares, and number of cells, that take minutes.
_LATIN, _CELLS = 7, 81
# Most searches end far below this.
_SHORT = 100_000  # nodes beyond which a search is shared out: for progress, and for Ctrl-C
_CUT, _PARTS = 18, 128

CycleLengths = tuple[int, ...]
Masks = NDArray[np.uint32]
Int32Array = NDArray[np.int32]
# What the kernel takes first.
OrbitSearch = tuple[Int32Array, Int32Array, Masks, NDArray[np.uint8], Masks, int]
SearchPart = tuple[int, OrbitSearch, int]  # for how many movements, and which part


class MovementKind(NamedTuple):
    """Movements that are conjugate: one of them, from cell to cell, and how many there are."""

    movement: IntArray
    size: int


def count_classes(box: Box, *, progress: ProgressCallback | None = None) -> int:
    """Return the number of essentially different grids; `progress` as in `count_grids`.

    Boxes of 1x1 to 1x7, 2x2 to 2x4 in either order, and 3x3 (else `UnsupportedError`). Grids are
    the same in essence if a `Symmetry` maps one to the other. 2x4 and 3x3 take a minute or two on
    two cores with the kernels, and days without; the others a second.

    Parameters
    ----------
    box : tuple of int
        Rows and columns of a box.
    progress : callable, optional
        Called with the number of steps done and the number of all steps. By default nothing is
        called.

    Examples
    --------
    >>> count_classes((2, 2)), count_classes((1, 5))
    (2, 2)
    """
    p, q = checked_box(box)
    n = p * q
    if not (n <= _LATIN if 1 in (p, q) else n * n <= _CELLS):
        raise UnsupportedError(
            f"essentially different grids with {p}x{q} boxes cannot be counted in minutes",
            hint=f"those with 1x1 to 1x{_LATIN}, 2x2 to 2x4 and 3x3 boxes can",
        )
    kinds = _kinds(p, q)
    searches = [
        (kind.size, search) for kind in kinds for search in _searches(kind.movement, (p, q))
    ]
    # What moves no cell leaves all grids unchanged, if the first row may be relabeled.
    still = sum(kind.size for kind in kinds if _moves_nothing(kind.movement))
    unchanged = still * count_grids((p, q)) // factorial(n)
    tasks: list[SearchPart] = []
    for size, search in searches:
        grids = _count_part(search, nodes=_SHORT)
        unchanged += size * max(0, grids)
        tasks += [(size, search, part) for part in range(_PARTS if grids < 0 else 0)]
    tell = progress or (lambda *_: None)
    # The step beyond the parts counts the short searches that are done already.
    tell(0, len(tasks) + 1)
    with Workers() as workers:
        for done, ways in enumerate(workers.each(_part, tasks), 1):
            unchanged += ways
            tell(done, len(tasks) + 1)
    tell(len(tasks) + 1, len(tasks) + 1)
    return unchanged // sum(kind.size for kind in kinds)


def _kinds(p: int, q: int) -> list[MovementKind]:
    """Return all kinds of movements of the cells."""
    rows, columns = _line_kinds(p, q), _line_kinds(q, p)
    down, across = np.divmod(np.arange((p * q) ** 2), p * q)
    kinds = []
    for one, (row_moves, row_size) in enumerate(rows):
        for other, (column_moves, column_size) in enumerate(columns):
            # A transposition exchanges what moves rows with what moves columns.
            twins = 2 if can_transpose((p, q)) and other != one else 1
            if other >= one or twins == 1:
                movement = row_moves[down] * p * q + column_moves[across]
                kinds.append(MovementKind(movement, row_size * column_size * twins))
    if can_transpose((p, q)):
        # Which kind a transposition is depends on what doing it twice makes of the rows.
        everything = sum(size for _, size in rows)
        kinds += [
            MovementKind(moves[across] * p * q + down, size * everything) for moves, size in rows
        ]
    return kinds


def _line_kinds(p: int, q: int) -> list[MovementKind]:
    """Return the kinds of movements of q groups of p lines, which keep each group together.

    They go by the cycles of the groups, and for each by the cycles of the lines that come back to
    their group when it does.
    """
    every = factorial(p) ** q * factorial(q)
    kinds = []
    for groups in _partitions(q):
        for cycles in product(_partitions(p), repeat=len(groups)):
            parts = list(zip(groups, cycles, strict=True))
            if parts != sorted(parts, reverse=True):
                continue  # the same in another order
            moves: list[int] = []
            for length, lines in parts:
                start = len(moves)
                stop = start + p * (length - 1)
                moves += range(start + p, stop + p)
                moves += [start + line for line in _make_permutation(lines)]
            alike = Counter(parts).items()
            commuting = prod(
                factorial(count) * (length * _commuting(lines)) ** count
                for (length, lines), count in alike
            )
            kinds.append(MovementKind(np.array(moves), every // commuting))
    return kinds


def _searches(movement: IntArray, box: Box) -> Iterator[OrbitSearch]:
    """Yield what the kernel takes, for each kind of relabeling that may go with a movement."""
    p, q = box
    n = p * q
    if _moves_nothing(movement):
        return
    orbits = _orbits(movement.tolist())
    row, column = np.divmod(np.concatenate(orbits), n)
    houses = np.stack([row, n + column, 2 * n + row // p * p + column // q], axis=1)
    ends = np.cumsum([0, *map(len, orbits)])
    # After how many steps an orbit comes to a house of its first cell: no digit may be back then.
    meets = [
        (len(orbit), np.flatnonzero((held == held[0]).any(axis=1))[1:])
        for orbit, held in zip(orbits, np.split(houses, ends[1:-1]), strict=True)
    ]
    for cycles in _partitions(n):
        fits = np.array(
            [
                [length % cycle == 0 and (steps % cycle != 0).all() for length, steps in meets]
                for cycle in cycles
            ]
        )
        if not fits.any(axis=0).all():
            continue  # an orbit without a digit
        firsts = np.cumsum([0, *cycles[:-1]]).tolist()
        whole = [(1 << cycle) - 1 << first for cycle, first in zip(cycles, firsts, strict=True)]
        # Cycles of the same length differ in name only, as do the digits of a new one.
        begun, opens = 0, []
        for index, cycle in enumerate(cycles):
            following = index + 1 < len(cycles) and cycles[index + 1] == cycle
            opens.append(whole[index] | (1 << firsts[index + 1] if following else 0))
            begun |= 1 << firsts[index] if cycle not in cycles[:index] else 0
        images = [np.arange(n)]
        for _ in range(max(length for length, _ in meets) - 1):
            images.append(np.array(_make_permutation(cycles))[images[-1]])
        yield (
            ends.astype(np.int32),
            houses.astype(np.int32),
            (np.array(whole) @ fits).astype(np.uint32),
            np.array(images, dtype=np.uint8),
            np.repeat(opens, cycles).astype(np.uint32),
            begun,
        )


def _moves_nothing(movement: IntArray) -> bool:
    return bool((movement == np.arange(len(movement))).all())


def _part(task: SearchPart) -> int:
    """Return how many grids a part of a long search finds, for all movements of its kind."""
    size, search, part = task
    return size * _count_part(search, part, _PARTS)


def _count_part(search: OrbitSearch, part: int = 0, parts: int = 1, nodes: int = 1 << 62) -> int:
    """Return what a search finds, or -1 if it takes more nodes."""
    orbits = len(search[0]) - 1
    used = np.zeros(3 * len(search[4]), dtype=np.uint32)
    order = np.arange(orbits, dtype=np.int32)
    return _kernels.count(*search, used, order, min(_CUT, orbits), part, parts, nodes)


def _orbits(movement: list[int]) -> list[list[int]]:
    """Return the cells that a movement takes to each other, in this order, for every cell once."""
    orbits = []
    waiting = set(range(len(movement)))
    while waiting:
        orbit = [min(waiting)]
        while movement[orbit[-1]] != orbit[0]:
            orbit.append(movement[orbit[-1]])
        waiting -= set(orbit)
        orbits.append(orbit)
    return orbits


def _partitions(total: int, most: int | None = None) -> Iterator[CycleLengths]:
    """Yield all ways to write a number as a sum of numbers that do not rise."""
    if total == 0:
        yield ()
    for first in range(min(total, most or total), 0, -1):
        for rest in _partitions(total - first, first):
            yield (first, *rest)


def _make_permutation(cycles: CycleLengths) -> list[int]:
    """Return a permutation with cycles of these lengths."""
    moves: list[int] = []
    for cycle in cycles:
        start = len(moves)
        moves += [*range(start + 1, start + cycle), start]
    return moves


def _commuting(cycles: CycleLengths) -> int:
    """Return how many permutations commute with one whose cycles have these lengths."""
    return prod(factorial(count) * length**count for length, count in Counter(cycles).items())
