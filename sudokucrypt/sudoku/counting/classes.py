"""Count the classes of equivalent grids by Burnside's lemma.

The symmetries of the rules move the cells and relabel the digits. Grids are equivalent if a
symmetry maps one to the other. The number of classes is the average number of grids that a symmetry
leaves unchanged (G. F. Royle; E. Russell and F. Jarvis, "Mathematics of Sudoku II", 2006).
Conjugate symmetries leave the same number of grids unchanged, so one of each kind is enough.

A grid that a movement of cells together with a relabeling of digits leaves unchanged is determined
by one cell of each orbit of the movement; a search fills these cells in all ways.
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
from sudokucrypt.sudoku.model.boxes import check_box
from sudokucrypt.sudoku.model.symmetry import can_transpose
from sudokucrypt.typing import Box, IntArray, ProgressCallback
from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from sudokucrypt.sudoku._kernels import orbits_plain as _kernels
else:
    _kernels = load_kernels("sudokucrypt.sudoku._kernels", "orbits")

# The largest order of Latin squares, and the largest number of cells, that take only minutes.
_MAX_LATIN_ORDER, _MAX_CELLS = 7, 81

# A search with more nodes is divided into parts, for progress and Ctrl-C; most are far shorter.
_SHORT = 100_000
_CUT, _PARTS = 18, 128  # the depth at which a search is divided, and the number of parts

CycleLengths = tuple[int, ...]
Masks = NDArray[np.uint32]
Int32Array = NDArray[np.int32]
# The first arguments of the kernel.
OrbitSearch = tuple[Int32Array, Int32Array, Masks, NDArray[np.uint8], Masks, int]
SearchPart = tuple[int, OrbitSearch, int]  # the number of movements, the search, the part


class MovementKind(NamedTuple):
    """A kind of conjugate movements: one of them, as a map of cells, and their number."""

    movement: IntArray
    size: int


def count_classes(box: Box, *, progress: ProgressCallback | None = None) -> int:
    """Return the number of essentially different grids with boxes of a shape.

    Grids are essentially the same if a `Symmetry` maps one to the other. Supported boxes are 1x1 to
    1x7, 2x2 to 2x4 in either order, and 3x3; for others it raises `UnsupportedError`. 2x4 and 3x3
    take a minute or two on two cores with the kernels, and days without; the others take a second.

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
    p, q = check_box(box)
    n = p * q
    if not (n <= _MAX_LATIN_ORDER if 1 in (p, q) else n * n <= _MAX_CELLS):
        raise UnsupportedError(
            f"essentially different grids with {p}x{q} boxes cannot be counted in minutes",
            hint=f"those with 1x1 to 1x{_MAX_LATIN_ORDER}, 2x2 to 2x4 and 3x3 boxes can",
        )
    kinds = _list_kinds(p, q)
    searches = [
        (kind.size, search) for kind in kinds for search in _iterate_searches(kind.movement, (p, q))
    ]
    # The movement of no cell leaves all grids unchanged, up to relabeling.
    identity_count = sum(kind.size for kind in kinds if _moves_nothing(kind.movement))
    unchanged = identity_count * count_grids((p, q)) // factorial(n)
    tasks: list[SearchPart] = []
    for size, search in searches:
        grids = _count_part(search, nodes=_SHORT)
        unchanged += size * max(0, grids)
        tasks += [(size, search, part) for part in range(_PARTS if grids < 0 else 0)]
    tell = progress or (lambda *_: None)
    # One more step stands for the short searches, which are done already.
    tell(0, len(tasks) + 1)
    with Workers() as workers:
        for done, ways in enumerate(workers.each(_search_part, tasks), 1):
            unchanged += ways
            tell(done, len(tasks) + 1)
    tell(len(tasks) + 1, len(tasks) + 1)
    return unchanged // sum(kind.size for kind in kinds)


def _list_kinds(p: int, q: int) -> list[MovementKind]:
    """Return all kinds of movements of the cells."""
    rows, columns = _list_line_kinds(p, q), _list_line_kinds(q, p)
    down, across = np.divmod(np.arange((p * q) ** 2), p * q)
    kinds = []
    for one, (row_moves, row_size) in enumerate(rows):
        for other, (column_moves, column_size) in enumerate(columns):
            # A transposition exchanges movements of rows with movements of columns.
            multiplicity = 2 if can_transpose((p, q)) and other != one else 1
            if other >= one or multiplicity == 1:
                movement = row_moves[down] * p * q + column_moves[across]
                kinds.append(MovementKind(movement, row_size * column_size * multiplicity))
    if can_transpose((p, q)):
        # The kind of a transposition depends on the movement of rows by its square.
        everything = sum(size for _, size in rows)
        kinds += [
            MovementKind(moves[across] * p * q + down, size * everything) for moves, size in rows
        ]
    return kinds


def _list_line_kinds(p: int, q: int) -> list[MovementKind]:
    """Return the kinds of movements of q groups of p lines, which keep each group together.

    A kind is given by the cycles of the groups and, for each of these, by the cycles of lines in
    the movement that returns to the first group of the cycle.
    """
    total_count = factorial(p) ** q * factorial(q)
    kinds = []
    for groups in _iterate_partitions(q):
        for cycles in product(_iterate_partitions(p), repeat=len(groups)):
            parts = list(zip(groups, cycles, strict=True))
            if parts != sorted(parts, reverse=True):
                continue  # the same kind in another order
            moves: list[int] = []
            for length, lines in parts:
                start = len(moves)
                stop = start + p * (length - 1)
                moves += range(start + p, stop + p)
                moves += [start + line for line in _make_permutation(lines)]
            part_counts = Counter(parts).items()
            commuting = prod(
                factorial(count) * (length * _count_commuting(lines)) ** count
                for (length, lines), count in part_counts
            )
            kinds.append(MovementKind(np.array(moves), total_count // commuting))
    return kinds


def _iterate_searches(movement: IntArray, box: Box) -> Iterator[OrbitSearch]:
    """Yield the arguments of the kernel for each kind of relabeling that fits a movement."""
    p, q = box
    n = p * q
    if _moves_nothing(movement):
        return
    orbits = _list_orbits(movement.tolist())
    row, column = np.divmod(np.concatenate(orbits), n)
    houses = np.stack([row, n + column, 2 * n + row // p * p + column // q], axis=1)
    ends = np.cumsum([0, *map(len, orbits)])
    # For each orbit: its length, and the steps after which it meets a house of its first cell, when
    # the digit must have changed.
    meets = [
        (len(orbit), np.flatnonzero((orbit_houses == orbit_houses[0]).any(axis=1))[1:])
        for orbit, orbit_houses in zip(orbits, np.split(houses, ends[1:-1]), strict=True)
    ]
    for cycles in _iterate_partitions(n):
        fits = np.array(
            [
                [length % cycle == 0 and (steps % cycle != 0).all() for length, steps in meets]
                for cycle in cycles
            ]
        )
        if not fits.any(axis=0).all():
            continue  # an orbit without a digit
        firsts = np.cumsum([0, *cycles[:-1]]).tolist()
        cycle_masks = [
            (1 << cycle) - 1 << first for cycle, first in zip(cycles, firsts, strict=True)
        ]
        # Cycles of equal length are interchangeable, and so are the digits of an unused cycle.
        allowed_now, allowed_after = 0, []
        for index, cycle in enumerate(cycles):
            following = index + 1 < len(cycles) and cycles[index + 1] == cycle
            allowed_after.append(cycle_masks[index] | (1 << firsts[index + 1] if following else 0))
            allowed_now |= 1 << firsts[index] if cycle not in cycles[:index] else 0
        images = [np.arange(n)]
        for _ in range(max(length for length, _ in meets) - 1):
            images.append(np.array(_make_permutation(cycles))[images[-1]])
        yield (
            ends.astype(np.int32),
            houses.astype(np.int32),
            (np.array(cycle_masks) @ fits).astype(np.uint32),
            np.array(images, dtype=np.uint8),
            np.repeat(allowed_after, cycles).astype(np.uint32),
            allowed_now,
        )


def _moves_nothing(movement: IntArray) -> bool:
    return bool((movement == np.arange(len(movement))).all())


def _search_part(task: SearchPart) -> int:
    """Return how many grids a part of a search finds, multiplied by the movements of its kind."""
    size, search, part = task
    return size * _count_part(search, part, _PARTS)


def _count_part(search: OrbitSearch, part: int = 0, parts: int = 1, nodes: int = 1 << 62) -> int:
    """Return the number of grids that a part of a search finds, or -1 if it takes more nodes."""
    orbits = len(search[0]) - 1
    used = np.zeros(3 * len(search[4]), dtype=np.uint32)
    order = np.arange(orbits, dtype=np.int32)
    return _kernels.count(*search, used, order, min(_CUT, orbits), part, parts, nodes)


def _list_orbits(movement: list[int]) -> list[list[int]]:
    """Return the orbits of a movement: lists of cells, each mapped to the next one."""
    orbits = []
    remaining = set(range(len(movement)))
    while remaining:
        orbit = [min(remaining)]
        while movement[orbit[-1]] != orbit[0]:
            orbit.append(movement[orbit[-1]])
        remaining -= set(orbit)
        orbits.append(orbit)
    return orbits


def _iterate_partitions(total: int, largest: int | None = None) -> Iterator[CycleLengths]:
    """Yield all ways to write a number as a sum of numbers that do not increase."""
    if total == 0:
        yield ()
    for term in range(min(total, largest or total), 0, -1):
        for terms in _iterate_partitions(total - term, term):
            yield (term, *terms)


def _make_permutation(cycles: CycleLengths) -> list[int]:
    """Return a permutation with cycles of these lengths."""
    moves: list[int] = []
    for cycle in cycles:
        start = len(moves)
        moves += [*range(start + 1, start + cycle), start]
    return moves


def _count_commuting(cycles: CycleLengths) -> int:
    """Return how many permutations commute with a permutation with cycles of these lengths."""
    return prod(factorial(count) * length**count for length, count in Counter(cycles).items())
