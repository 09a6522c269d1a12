"""Classes of bands of 9x9 grids by their column sets, and the tables that number all grids.

Column sets (P1, P2, P3) of a band can be moved onto each other by relabelling the digits and by
exchanging boxes. Neither changes in how many ways the band is filled, nor in how many ways bands
two and three go with it, so both numbers are needed for one representative of each class only.
"""

from __future__ import annotations

from functools import cache
from itertools import permutations
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.sudoku.counting.column_sets import (
    MATES,
    PARTITIONS,
    BandFillings,
    Bytes,
    ColumnSets,
    band_fillings,
    column_sets,
    masks_of,
)
from sudokucrypt.typing import IntArray

ORDERS = np.array(list(permutations(range(3))), dtype=np.uint8)
"""The six orders of three things, in lexicographic order."""

OUTER = PARTITIONS * len(ORDERS) ** 3
"""Column sets of the first box, and orders of the columns in the three boxes of band one."""


class BandClasses(NamedTuple):
    """Where each pair of column sets (P2, P3) belongs, after P1 was relabelled to partition 0.

    A pair has the number 280 * P2 + P3; `members` lists the pairs class by class.

    Parameters
    ----------
    of, place : ndarray of shape (78400,), dtype uint8 and uint16
        Class of each pair, and its place among the members of the class.
    members : ndarray of shape (78400,), dtype int32
        The pairs, class by class and rising within a class.
    digits : ndarray of shape (78400, 9), dtype uint8
        The relabelling that takes the boxes of a pair to the representative of its class.
    boxes : ndarray of shape (78400, 3), dtype uint8
        Which box becomes the first, the second and the third of the representative.
    pairs : ndarray of shape (c, 2), dtype uint16
        The representatives: column sets of the second and third box, those of the first are 0.
    first : ndarray of shape (c + 1,), dtype int64
        Where the members of each class start.
    """

    of: Bytes
    place: NDArray[np.uint16]
    members: NDArray[np.int32]
    digits: Bytes
    boxes: Bytes
    pairs: NDArray[np.uint16]
    first: IntArray


class GridTables(NamedTuple):
    """All that is needed to count, number and draw full 9x9 grids.

    Parameters
    ----------
    sets, fillings, classes : ColumnSets, BandFillings, BandClasses
        The tables of which these are made.
    below : ndarray of shape (c, 3137), dtype int64
        For each class, bands two and three together: the number of ways with a choice of mates
        in the first two boxes before the given one, the last being the number of all ways.
    start : ndarray of shape (c + 1,), dtype int64
        The number of grids in the classes before, divided by `OUTER`.
    """

    sets: ColumnSets
    fillings: BandFillings
    classes: BandClasses
    below: IntArray
    start: IntArray

    @property
    def total(self) -> int:
        """The number of all grids."""
        return OUTER * int(self.start[-1])


_lock = Lock()


def grid_tables() -> GridTables:
    """Return the tables, built by the first call in a process (half a second, 4 MB).

    Examples
    --------
    >>> tables = grid_tables()
    >>> len(tables.classes.pairs), tables is grid_tables()
    (44, True)
    """
    with _lock:  # two threads must not both do the work
        return _tables()


@cache
def _tables() -> GridTables:
    # The kernels read lines of memory, which arrays from fancy indexing need not be.
    sets = ColumnSets(*map(np.ascontiguousarray, column_sets()))
    fillings = BandFillings(*map(np.ascontiguousarray, band_fillings(sets)))
    classes = BandClasses(*map(np.ascontiguousarray, band_classes(sets)))
    ways = [lower_bands(sets, fillings, pair) for pair in classes.pairs.tolist()]
    below = np.array([np.append(0, np.cumsum(each.sum(axis=2))) for each in ways])
    sizes = fillings.number[classes.pairs[:, 0], classes.pairs[:, 1]] * below[:, -1]
    start = np.append(0, np.cumsum(sizes * np.diff(classes.first)))
    return GridTables(sets, fillings, classes, below, start)


def lower_bands(sets: ColumnSets, fillings: BandFillings, pair: tuple[int, int]) -> IntArray:
    """Count bands two and three under column sets (0, *pair) of band one.

    Returns
    -------
    ndarray of shape (56, 56, 56), dtype int64
        For each choice of mates in the three boxes: fillings of band two times those of band three.
    """
    ways = np.ones((MATES, MATES, MATES), dtype=np.int64)
    for band in range(2):
        one, two, three = sets.mates[[0, *pair], :, band]
        second = sets.relabel[one[:, None], two]
        third = sets.relabel[one[:, None], three]
        ways *= fillings.number[second[:, :, None], third[:, None, :]]
    return ways


def band_classes(sets: ColumnSets) -> BandClasses:
    """Find the classes of column sets.

    Notes
    -----
    The relabellings that keep partition 0 are generated by four exchanges. Every pair takes over
    the smallest pair that an exchange makes of it until nothing changes. Then the best of the six
    orders of the boxes is chosen, with the first of them relabelled to partition 0.
    """
    leaders, relabelling = _orbits(sets)
    every = np.arange(PARTITIONS * PARTITIONS)
    triple = np.stack([np.zeros_like(every), every // PARTITIONS, every % PARTITIONS])
    options = []
    for order in ORDERS:
        one, two, three = triple[order]
        turned = sets.relabel[one, two].astype(np.intp) * PARTITIONS + sets.relabel[one, three]
        options.append((leaders[turned], turned, sets.label[one]))
    best = np.argmin([leader for leader, _, _ in options], axis=0)
    leader, turned, label = (
        np.stack([option[part] for option in options])[best, every] for part in range(3)
    )
    digits = np.take_along_axis(relabelling[turned], label.astype(np.intp), axis=1)
    chosen, of, sizes = np.unique(leader, return_inverse=True, return_counts=True)
    members = np.argsort(of, kind="stable")
    first = np.append(0, np.cumsum(sizes))
    place = np.empty_like(every)
    place[members] = every - np.repeat(first[:-1], sizes)
    return BandClasses(
        of=of.astype(np.uint8),
        place=place.astype(np.uint16),
        members=members.astype(np.int32),
        digits=digits,
        boxes=ORDERS[best],
        pairs=np.stack(np.divmod(chosen, PARTITIONS), axis=1).astype(np.uint16),
        first=first,
    )


def _orbits(sets: ColumnSets) -> tuple[IntArray, Bytes]:
    """Return the smallest pair that each pair can be relabelled to, and the relabelling."""
    leaders = np.arange(PARTITIONS * PARTITIONS)
    relabelling = np.tile(np.arange(9, dtype=np.uint8), (len(leaders), 1))
    exchanges = []
    for text in ("102345678", "021345678", "345012678", "012678345"):
        digits = np.array([int(digit) for digit in text])
        moved = sets.find(masks_of(digits[sets.unlabel].reshape(PARTITIONS, 3, 3))).astype(np.intp)
        exchanges.append((digits, (moved[:, None] * PARTITIONS + moved).ravel()))
    changed = True
    while changed:
        changed = False
        for digits, turned in exchanges:
            better = np.flatnonzero(leaders[turned] < leaders)
            if better.size:
                leaders[better] = leaders[turned[better]]
                relabelling[better] = relabelling[turned[better]][:, digits]
                changed = True
    return leaders, relabelling
