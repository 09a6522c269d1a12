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

# The limits for counting in minutes: the order of Latin squares, and the cells of other grids.
_MAX_LATIN_ORDER, _MAX_CELLS = 7, 81

# A search with more nodes is divided into parts, so that it can report progress and notice Ctrl-C.
# Most searches are far shorter.
_MAX_SHORT_NODES = 100_000
# The depth at which a search is divided, and the number of parts.
_DIVISION_DEPTH, _SEARCH_PART_COUNT = (18, 128)

CycleLengths = tuple[int, ...]
Masks = NDArray[np.uint32]
Int32Array = NDArray[np.int32]
# The arguments of the kernel's function `count` that describe a search.
SearchArguments = tuple[Int32Array, Int32Array, Masks, NDArray[np.uint8], Masks, int]
SearchPart = tuple[int, SearchArguments, int]  # the number of movements, the search, the part


class MovementKind(NamedTuple):
    """A class of conjugate movements: a representative, as a map of cells, and the class size."""

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
    rows, columns = check_box(box)
    order = rows * columns
    if not (order <= _MAX_LATIN_ORDER if 1 in (rows, columns) else order**2 <= _MAX_CELLS):
        raise UnsupportedError(
            f"essentially different grids with {rows}x{columns} boxes cannot be counted in minutes",
            hint=f"those with 1x1 to 1x{_MAX_LATIN_ORDER}, 2x2 to 2x4 and 3x3 boxes can",
        )
    kinds = _list_movement_kinds(rows, columns)
    searches = [
        (kind.size, search)
        for kind in kinds
        for search in _iterate_searches(kind.movement, (rows, columns))
    ]
    # The identity movement leaves all grids unchanged; they are counted up to relabeling.
    identity_count = sum(kind.size for kind in kinds if _is_identity(kind.movement))
    unchanged_grid_count = identity_count * count_grids((rows, columns)) // factorial(order)
    tasks: list[SearchPart] = []
    for size, search in searches:
        grids = _count_grids_of_part(search, max_nodes=_MAX_SHORT_NODES)
        unchanged_grid_count += size * max(0, grids)
        tasks += [(size, search, part) for part in range(_SEARCH_PART_COUNT if grids < 0 else 0)]
    report_progress = progress or (lambda *_: None)
    # One extra step of progress represents the short searches, which are already done.
    report_progress(0, len(tasks) + 1)
    with Workers() as workers:
        for done_count, grids in enumerate(workers.each(_count_weighted_grids, tasks), 1):
            unchanged_grid_count += grids
            report_progress(done_count, len(tasks) + 1)
    report_progress(len(tasks) + 1, len(tasks) + 1)
    return unchanged_grid_count // sum(kind.size for kind in kinds)


def _list_movement_kinds(rows: int, columns: int) -> list[MovementKind]:
    """Return the conjugacy classes of the movements: the symmetries that permute the cells."""
    row_kinds, column_kinds = (
        _list_line_movements(rows, columns),
        _list_line_movements(columns, rows),
    )
    order = rows * columns
    cell_rows, cell_columns = np.divmod(np.arange(order**2), order)
    kinds = []
    for row_index, (row_movement, row_kind_size) in enumerate(row_kinds):
        for column_index, (column_movement, column_kind_size) in enumerate(column_kinds):
            # A transposition exchanges movements of rows with movements of columns.
            multiplicity = 2 if can_transpose((rows, columns)) and column_index != row_index else 1
            if column_index >= row_index or multiplicity == 1:
                movement = row_movement[cell_rows] * order + column_movement[cell_columns]
                kinds.append(
                    MovementKind(movement, row_kind_size * column_kind_size * multiplicity)
                )
    if can_transpose((rows, columns)):
        # The conjugacy class of a movement that transposes depends only on how its square (the
        # movement applied twice) moves the rows.
        row_movement_count = sum(size for _, size in row_kinds)
        kinds += [
            MovementKind(moves[cell_columns] * order + cell_rows, size * row_movement_count)
            for moves, size in row_kinds
        ]
    return kinds


def _list_line_movements(lines_per_group: int, group_count: int) -> list[MovementKind]:
    """Return the conjugacy classes of line permutations that keep each group of lines together.

    A kind is given by the cycles of the groups and, for each of these, by the cycles of lines in
    the movement that returns to the first group of the cycle.
    """
    movement_count = factorial(lines_per_group) ** group_count * factorial(group_count)
    kinds = []
    for groups in _iterate_partitions(group_count):
        for cycles in product(_iterate_partitions(lines_per_group), repeat=len(groups)):
            cycle_pairs = list(zip(groups, cycles, strict=True))
            if cycle_pairs != sorted(cycle_pairs, reverse=True):
                continue  # the same kind in another order
            moves: list[int] = []
            for length, lines in cycle_pairs:
                start = len(moves)
                last_group_start = start + lines_per_group * (length - 1)
                moves += range(start + lines_per_group, last_group_start + lines_per_group)
                moves += [start + line for line in _make_permutation(lines)]
            cycle_pair_counts = Counter(cycle_pairs).items()
            commuting_count = prod(
                factorial(count) * (length * _count_commuting_permutations(lines)) ** count
                for (length, lines), count in cycle_pair_counts
            )
            kinds.append(MovementKind(np.array(moves), movement_count // commuting_count))
    return kinds


def _iterate_searches(movement: IntArray, box: Box) -> Iterator[SearchArguments]:
    """Yield the arguments of a search for each kind of relabeling that can undo a movement."""
    rows, columns = box
    order = rows * columns
    if _is_identity(movement):
        return
    orbits = _list_orbits(movement.tolist())
    row, column = np.divmod(np.concatenate(orbits), order)
    houses = np.stack(
        [row, order + column, 2 * order + row // rows * rows + column // columns], axis=1
    )
    orbit_ends = np.cumsum([0, *map(len, orbits)])
    # For each orbit: its length, and the numbers of steps after which its cell shares a house with
    # the first cell, so that the two digits must differ.
    orbit_meetings = [
        (len(orbit), np.flatnonzero((orbit_houses == orbit_houses[0]).any(axis=1))[1:])
        for orbit, orbit_houses in zip(orbits, np.split(houses, orbit_ends[1:-1]), strict=True)
    ]
    for cycles in _iterate_partitions(order):
        allows_cycle = np.array(
            [
                [
                    length % cycle_length == 0 and (steps % cycle_length != 0).all()
                    for length, steps in orbit_meetings
                ]
                for cycle_length in cycles
            ]
        )
        if not allows_cycle.any(axis=0).all():
            continue  # some orbit has no possible digit
        first_digits = np.cumsum([0, *cycles[:-1]]).tolist()
        cycle_masks = [
            (1 << cycle_length) - 1 << first
            for cycle_length, first in zip(cycles, first_digits, strict=True)
        ]
        # Cycles of equal length are interchangeable, and so are the digits of an unused cycle, so
        # only the first digit of the first unused cycle of each length is tried.
        allowed_digits_now, allowed_digits_after = 0, []
        for index, cycle_length in enumerate(cycles):
            next_is_equal = index + 1 < len(cycles) and cycles[index + 1] == cycle_length
            allowed_digits_after.append(
                cycle_masks[index] | (1 << first_digits[index + 1] if next_is_equal else 0)
            )
            allowed_digits_now |= (
                1 << first_digits[index] if cycle_length not in cycles[:index] else 0
            )
        images = [np.arange(order)]
        for _ in range(max(length for length, _ in orbit_meetings) - 1):
            images.append(np.array(_make_permutation(cycles))[images[-1]])
        yield (
            orbit_ends.astype(np.int32),
            houses.astype(np.int32),
            (np.array(cycle_masks) @ allows_cycle).astype(np.uint32),
            np.array(images, dtype=np.uint8),
            np.repeat(allowed_digits_after, cycles).astype(np.uint32),
            allowed_digits_now,
        )


def _is_identity(movement: IntArray) -> bool:
    return bool((movement == np.arange(len(movement))).all())


def _count_weighted_grids(task: SearchPart) -> int:
    """Return the number of grids that a search part finds, times the number of movements."""
    size, search, part = task
    return size * _count_grids_of_part(search, part, _SEARCH_PART_COUNT)


def _count_grids_of_part(
    search: SearchArguments, part: int = 0, part_count: int = 1, max_nodes: int = 1 << 62
) -> int:
    """Return the number of grids that a part of a search finds, or -1 if it takes more nodes."""
    orbit_count = len(search[0]) - 1
    used_digits = np.zeros(3 * len(search[4]), dtype=np.uint32)
    order = np.arange(orbit_count, dtype=np.int32)
    return _kernels.count(
        *search, used_digits, order, min(_DIVISION_DEPTH, orbit_count), part, part_count, max_nodes
    )


def _list_orbits(movement: list[int]) -> list[list[int]]:
    """Return the orbits of a movement: lists of cells, each mapped to the next one."""
    orbits = []
    remaining_cells = set(range(len(movement)))
    while remaining_cells:
        orbit = [min(remaining_cells)]
        while movement[orbit[-1]] != orbit[0]:
            orbit.append(movement[orbit[-1]])
        remaining_cells -= set(orbit)
        orbits.append(orbit)
    return orbits


def _iterate_partitions(total: int, max_term: int | None = None) -> Iterator[CycleLengths]:
    """Yield the partitions of a number: the terms of each sum, in non-increasing order."""
    if total == 0:
        yield ()
    for term in range(min(total, max_term or total), 0, -1):
        for terms in _iterate_partitions(total - term, term):
            yield (term, *terms)


def _make_permutation(cycles: CycleLengths) -> list[int]:
    """Return a permutation with cycles of these lengths."""
    permutation: list[int] = []
    for cycle_length in cycles:
        start = len(permutation)
        permutation += [*range(start + 1, start + cycle_length), start]
    return permutation


def _count_commuting_permutations(cycles: CycleLengths) -> int:
    """Return how many permutations commute with a permutation with cycles of these lengths."""
    return prod(factorial(count) * length**count for length, count in Counter(cycles).items())
