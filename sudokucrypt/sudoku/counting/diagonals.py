"""The number of 9x9 grids in which both diagonals hold every digit, by the boxes on them.

The diagonals go through the four corner boxes and the middle one. If these are filled, what is left
falls into two parts that do not touch. The upper and the lower box share columns with each other
and with the middle one, and a row of each is what the corner boxes beside it leave. So it only
matters which partitions of the digits the rows of both boxes and the columns of the middle one are;
the same goes for the left and the right box.
"""

from collections.abc import Iterator, Sequence
from itertools import permutations
from math import factorial

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.sudoku.counting.band_classes import ColumnSets, SetMasks, column_sets, masks_of
from sudokucrypt.typing import AnyArray, IntArray

Diagonal = tuple[int, ...]

_ALL = 511  # the mask of nine digits
_FLIP = np.arange(9)[::-1]
_TURNS = [[int(digit) for digit in text] for text in ("102345687", "021345768", "012543678")]
_TURNS.append([6, 7, 8, 3, 4, 5, 0, 1, 2])
"""Exchanges of lines that generate those which, done to rows and columns, keep both diagonals."""


def diagonal_classes() -> dict[Diagonal, int]:
    """Return one rising diagonal of each class and how many it has, the falling being 0, ..., 8.

    In row i the diagonal holds ``diagonal[i]``. Diagonals of a class are exchanged by symmetries
    that keep both, so that each is completed in the same number of ways.
    """
    waiting = {(*order[:4], 4, *order[4:]) for order in permutations((0, 1, 2, 3, 5, 6, 7, 8))}
    waiting = {diagonal for diagonal in waiting if _fits(diagonal)}
    classes = {}
    while waiting:
        first = min(waiting)
        orbit = {first}
        for diagonal in (following := [first]):
            fresh = set(_images(diagonal)) - orbit
            orbit |= fresh
            following += fresh
        classes[first] = len(orbit)
        waiting -= orbit
    return classes


def _fits(rising: Diagonal) -> bool:
    """Return whether no row, column or middle box holds a digit of both diagonals twice."""
    return {3, 5}.isdisjoint((rising[3], rising[5])) and all(
        digit not in (row, 8 - row) for row, digit in enumerate(rising) if row != 4
    )


def _images(rising: Diagonal) -> Iterator[Diagonal]:
    """Yield what exchanges make of a diagonal, relabelled so that the falling one is 0, ..., 8."""
    diagonal = np.array(rising)
    for turn in _TURNS:
        yield tuple(np.argsort(turn)[diagonal[turn]].tolist())
    yield tuple(np.argsort(diagonal).tolist())  # one diagonal for the other
    yield tuple(diagonal[_FLIP].tolist())  # rows for columns


class DiagonalTables:
    """What is the same for all diagonals (22 MB)."""

    sets: ColumnSets
    ways: NDArray[np.uint8]

    def __init__(self) -> None:
        self.sets = column_sets()
        meets = self.sets.meets.astype(np.float32)
        below, above = self.sets.mates[..., 0], self.sets.mates[..., 1]
        # At [P, Q, R] the number of ways to fill the two boxes beside one, P being the partition of
        # the lines that it shares with both, and Q and R those of their own other lines.
        self.ways = np.stack(
            [
                (meets[:, one] @ meets[:, other].T).astype(np.uint8)
                for one, other in zip(below, above, strict=True)
            ]
        )

    def count(self, rising: Diagonal) -> int:
        """Return how many grids have the falling diagonal 0, ..., 8 and this rising one."""
        falling = range(9)
        top_left, top_right = _corner(falling[:3], 1), _corner(rising[:3], -1)
        low_left, low_right = _corner(rising[6:], -1), _corner(falling[6:], 1)
        upper, lower = self._between(top_left, top_right, 0), self._between(low_left, low_right, 0)
        left, right = self._between(top_left, low_left, 1), self._between(top_right, low_right, 1)
        middle = _middle(rising)
        rows, columns = (self.sets.find(masks_of(box)) for box in (middle, middle.swapaxes(1, 2)))
        # Row by row the ways for all fillings of the middle box, so that they lie side by side.
        vertical, horizontal = (
            np.ascontiguousarray(self.ways[lines].transpose(1, 2, 0)) for lines in (columns, rows)
        )
        grids = 0
        fits = upper >= 0, lower >= 0, left >= 0, right >= 0
        for one in range(len(upper)):
            beside, under = np.flatnonzero(fits[0][one]), np.flatnonzero(fits[2][one])
            which, last = np.nonzero(fits[1][under])
            at, pair = np.nonzero(fits[3][beside][:, last])
            two, three, four = beside[at], under[which[pair]], last[pair]
            grids += int(
                np.einsum(
                    "ij,ij->",
                    vertical[upper[one, two], lower[three, four]],
                    horizontal[left[one, three], right[two, four]],
                    dtype=np.int32,
                )
            )
        return grids

    def _between(self, one: AnyArray, other: AnyArray, axis: int) -> IntArray:
        """Return the partitions that two corner boxes leave the lines between them, -1 for none."""
        lines, others = one[axis][:, None], other[axis]
        partitions = self.sets.find(_ALL ^ (lines | others)).astype(np.int64)
        partitions[((lines & others) != 0).any(axis=2)] = -1
        return partitions


def _corner(diagonal: Sequence[int], step: int) -> SetMasks:
    """Return the masks of rows and of columns of all corner boxes with this diagonal.

    The shape is (2, 720, 3). The diagonal falls with a step of 1, and rises with -1.
    """
    cells = np.zeros((factorial(6), 3, 3), dtype=np.int64)
    on_diagonal = np.eye(3, dtype=bool)[:, ::step]
    cells[:, on_diagonal] = diagonal
    cells[:, ~on_diagonal] = list(permutations(set(range(9)) - set(diagonal)))
    return np.stack([masks_of(cells), masks_of(cells.swapaxes(1, 2))])


def _middle(rising: Diagonal) -> IntArray:
    """Return all middle boxes between diagonals, shape (24, 3, 3)."""
    cells = np.zeros((factorial(4), 9), dtype=np.int64)
    cells[:, [0, 2, 4, 6, 8]] = 3, rising[3], 4, rising[5], 5
    cells[:, 1::2] = list(permutations(set(range(9)) - {3, 4, 5, rising[3], rising[5]}))
    return cells.reshape(-1, 3, 3)
