"""The tables that count and number all 9x9 grids: column sets of boxes, and classes of bands.

The column sets of a 3x3 box are its three columns without their order: one of 280 partitions of the
nine digits into three sets of three. In each column of a stack, the other two boxes contain the six
missing digits. A *mate pair* of a partition is one of the 56 ways to distribute them so that both
other boxes have partitions. The rows of a box form partitions too, and the boxes of a band are
mates of each other by rows.

Column sets (P1, P2, P3) of a band are equivalent if relabeling digits and exchanging boxes can map
one to the other. Neither changes the number of ways to fill the band, or to fill bands two and
three, so both numbers are needed only for one representative of each class.
"""

import os
from functools import cache
from itertools import combinations, permutations
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.typing import AnyArray, IntArray

DigitTable = NDArray[np.uint8]
SetMasks = NDArray[np.uint16]

# Nine digits part into three sets of three in 280 ways, and each way has 56 mate pairs.
PARTITIONS, MATES = 280, 56

# The six orders of three items, in lexicographic order.
ORDERS = np.array(list(permutations(range(3))), dtype=np.uint8)

# This part of a grid is independent of the rest.
OUTER = PARTITIONS * len(ORDERS) ** 3
"""The number of choices of the first box's column sets and of column orders in band one."""


class ColumnSets(NamedTuple):
    """The tables of all partitions; sets of digits are bit masks."""

    parts: SetMasks  # (280, 3), ordered by their smallest digits; partition 0 is 012 | 345 | 678
    subset: DigitTable  # (512,): the number 0..83 of a set of three digits, 0 for other masks
    lowest: DigitTable  # (512,): the smallest digit of a mask, 9 for the empty mask
    of_parts: SetMasks  # (84, 84): the partition that contains two parts, in any order
    label: DigitTable  # (280, 9): the relabeling that maps each partition to partition 0
    unlabel: DigitTable  # (280, 9): the inverse of `label`
    relabel: SetMasks  # (280, 280): at [P, Q], the image of Q when P is mapped to partition 0
    # (280, 280): whether every part of P has one digit in common with every part of Q, so that they
    # can be the columns and the rows of one box
    meets: NDArray[np.bool_]
    mate_masks: SetMasks  # (280, 56, 2, 3): the mate pairs as sets in the order of the parts
    mates: SetMasks  # (280, 56, 2): the mate pairs as partitions

    def find(self, masks: AnyArray) -> SetMasks:
        """Return the partition with the given parts, in any order, along the last axis."""
        partitions: SetMasks = self.of_parts[self.subset[masks[..., 0]], self.subset[masks[..., 1]]]
        return partitions


@cache
def get_column_sets() -> ColumnSets:
    """Return the tables of partitions: about 1 MB, built in a few hundredths of a second."""
    unlabel = _list_partitions()
    parts = make_masks(unlabel.reshape(-1, 3, 3))
    lowest = np.full(512, 9, dtype=np.uint8)
    for digit in reversed(range(9)):
        lowest[np.arange(512) >> digit & 1 == 1] = digit
    subset = np.zeros(512, dtype=np.uint8)
    triples = [sum(1 << digit for digit in triple) for triple in combinations(range(9), 3)]
    subset[triples] = np.arange(len(triples))
    of_parts = np.zeros((len(triples), len(triples)), dtype=np.uint16)
    for one in range(3):
        for other in {0, 1, 2} - {one}:
            of_parts[subset[parts[:, one]], subset[parts[:, other]]] = np.arange(PARTITIONS)
    label = np.argsort(unlabel, axis=1).astype(np.uint8)
    meets = ((parts[:, None, :, None] & parts[None, :, None, :]) != 0).all(axis=(2, 3))
    relabeled = make_masks(label[:, unlabel].reshape(PARTITIONS, PARTITIONS, 3, 3))
    mate_masks = make_masks(unlabel[:, _list_base_mates()])
    relabel, mates = (
        of_parts[subset[masks[..., 0]], subset[masks[..., 1]]] for masks in (relabeled, mate_masks)
    )
    return ColumnSets(
        parts, subset, lowest, of_parts, label, unlabel, relabel, meets, mate_masks, mates
    )


def make_masks(digits: AnyArray) -> SetMasks:
    """Return the bit masks of the digits along the last axis."""
    bits = np.left_shift(np.uint16(1), digits.astype(np.uint16))
    masks: SetMasks = np.bitwise_or.reduce(bits, axis=-1)
    return masks


def _list_partitions() -> DigitTable:
    """Return the digits of every partition, part by part."""
    rows = []
    for first in combinations(range(1, 9), 2):
        rest = [digit for digit in range(1, 9) if digit not in first]
        for second in combinations(rest[1:], 2):
            third = [digit for digit in rest[1:] if digit not in second]
            rows.append([0, *first, rest[0], *second, *third])
    return np.array(rows, dtype=np.uint8)


def _list_base_mates() -> DigitTable:
    """Return the mate pairs of 012 | 345 | 678 as digits, shape (56, 2, 3, 3)."""
    columns = [{0, 1, 2}, {3, 4, 5}, {6, 7, 8}]
    all_digits = set(range(9))
    pairs = []
    for first in combinations(range(3, 9), 3):
        for second in combinations(sorted(all_digits - columns[1] - set(first)), 3):
            third = all_digits - set(first) - set(second)
            if third.isdisjoint(columns[2]):
                one = [set(first), set(second), third]
                other = [
                    all_digits - above - below for above, below in zip(columns, one, strict=True)
                ]
                pairs.append([[sorted(part) for part in mate] for mate in (one, other)])
    return np.array(pairs, dtype=np.uint8)


class BandFillings(NamedTuple):
    """The ways to fill a band whose first box has the column sets of partition 0.

    Up to the order of its three rows, a band is one of 36 partitions of the first box into rows,
    and one of 56 mate pairs by rows for the other boxes. Of these 2016 candidates, those fit whose
    rows can be combined with the column sets of the second and of the third box.
    """

    rows: SetMasks  # (36,): the partitions that can be combined with partition 0
    place: DigitTable  # (280,): the index of a partition in `rows`, 0 for other partitions
    # (280, 32): the candidates whose second (third) box fits a partition, one bit each
    second: NDArray[np.uint64]
    third: NDArray[np.uint64]
    number: SetMasks  # (280, 280): the number of fillings for column sets (0, P, Q) of the boxes


def make_band_fillings(sets: ColumnSets) -> BandFillings:
    """Return the tables of fillings: a filling is a candidate that fits, with an order of rows."""
    rows = np.flatnonzero(sets.meets[0]).astype(np.uint16)
    position = np.zeros(PARTITIONS, dtype=np.uint8)
    position[rows] = np.arange(len(rows))
    pairs = sets.mates[rows].reshape(-1, 2)
    second, third = sets.meets[:, pairs[:, 0]], sets.meets[:, pairs[:, 1]]
    both = second.astype(np.float32) @ third.astype(np.float32).T
    return BandFillings(
        rows, position, _pack_bits(second), _pack_bits(third), (6 * both).astype(np.uint16)
    )


def _pack_bits(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Pack the last axis into 64-bit words, the first item as the lowest bit."""
    padded = np.pad(bits, ((0, 0), (0, -bits.shape[1] % 64)))
    packed = np.packbits(np.ascontiguousarray(padded), axis=1, bitorder="little")
    return packed.view("<u8").astype(np.uint64)


class BandClasses(NamedTuple):
    """The class of each pair of column sets (P2, P3), after P1 was relabeled to partition 0.

    A pair has the number 280 * P2 + P3; `members` lists the pairs class by class.
    """

    of: DigitTable  # (78400,): the class of each pair
    place: NDArray[np.uint16]  # (78400,): the place of each pair among the members of its class
    members: NDArray[np.int32]  # (78400,): the pairs class by class, increasing within a class
    # The relabeling, shape (78400, 9), and the order of the boxes, shape (78400, 3), that map a
    # pair to the representative of its class.
    digits: DigitTable
    boxes: DigitTable
    pairs: NDArray[np.uint16]  # (c, 2): the representatives; the first box has column sets 0
    first: IntArray  # (c + 1,): the index in `members` where each class starts


class GridTables(NamedTuple):
    """All tables to count, number and draw full 9x9 grids."""

    sets: ColumnSets
    fillings: BandFillings
    classes: BandClasses
    # (c, 3137): for each class and choice of mates in the first two boxes, in how many ways bands
    # two and three can be filled with earlier choices; the last column contains the total.
    below: IntArray
    start: IntArray  # (c + 1,): the number of grids in all earlier classes, divided by `OUTER`

    @property
    def total(self) -> int:
        """The number of all grids."""
        return OUTER * int(self.start[-1])


_lock = Lock()


def _renew_lock() -> None:
    """Give a forked child a new lock, since a lock held in the parent is never released there."""
    global _lock  # noqa: PLW0603 - it is the lock of the whole process
    _lock = Lock()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_renew_lock)


def get_grid_tables() -> GridTables:
    """Return the tables, built by the first call in a process (half a second, 4 MB)."""
    with _lock:  # only one thread should build the tables
        return _get_tables()


@cache
def _get_tables() -> GridTables:
    # The kernels need contiguous arrays, which fancy indexing does not guarantee.
    sets = ColumnSets(*map(np.ascontiguousarray, get_column_sets()))
    fillings = BandFillings(*map(np.ascontiguousarray, make_band_fillings(sets)))
    classes = BandClasses(*map(np.ascontiguousarray, find_band_classes(sets)))
    ways = [count_lower_bands(sets, fillings, pair) for pair in classes.pairs.tolist()]
    below = np.array([np.append(0, np.cumsum(counts.sum(axis=2))) for counts in ways])
    sizes = fillings.number[classes.pairs[:, 0], classes.pairs[:, 1]] * below[:, -1]
    start = np.append(0, np.cumsum(sizes * np.diff(classes.first)))
    return GridTables(sets, fillings, classes, below, start)


def count_lower_bands(sets: ColumnSets, fillings: BandFillings, pair: tuple[int, int]) -> IntArray:
    """Count the fillings of bands two and three, for column sets (0, *pair) of band one.

    The result has shape (56, 56, 56), by the mates of the three boxes.
    """
    ways = np.ones((MATES, MATES, MATES), dtype=np.int64)
    for band in range(2):
        one, two, three = sets.mates[[0, *pair], :, band]
        second = sets.relabel[one[:, None], two]
        third = sets.relabel[one[:, None], three]
        ways *= fillings.number[second[:, :, None], third[:, None, :]]
    return ways


def find_band_classes(sets: ColumnSets) -> BandClasses:
    """Find the classes of pairs by trying all orders of the boxes and relabeling the first."""
    leaders, relabeling = _find_orbits(sets)
    all_pairs = np.arange(PARTITIONS * PARTITIONS)
    triple = np.stack([np.zeros_like(all_pairs), all_pairs // PARTITIONS, all_pairs % PARTITIONS])
    options = []
    for order in ORDERS:
        one, two, three = triple[order]
        relabeled = sets.relabel[one, two].astype(np.intp) * PARTITIONS + sets.relabel[one, three]
        options.append((leaders[relabeled], relabeled, sets.label[one]))
    best = np.argmin([leader for leader, _, _ in options], axis=0)
    leader, relabeled, label = (
        np.stack([option[part] for option in options])[best, all_pairs] for part in range(3)
    )
    digits = np.take_along_axis(relabeling[relabeled], label.astype(np.intp), axis=1)
    chosen, class_of, sizes = np.unique(leader, return_inverse=True, return_counts=True)
    members = np.argsort(class_of, kind="stable")
    first = np.append(0, np.cumsum(sizes))
    position = np.empty_like(all_pairs)
    position[members] = all_pairs - np.repeat(first[:-1], sizes)
    pairs = np.stack(np.divmod(chosen, PARTITIONS), axis=1).astype(np.uint16)
    numbers = class_of.astype(np.uint8), position.astype(np.uint16), members.astype(np.int32)
    return BandClasses(*numbers, digits, ORDERS[best], pairs, first)


def _find_orbits(sets: ColumnSets) -> tuple[IntArray, DigitTable]:
    """Return for each pair the smallest pair to which it can be relabeled, and the relabeling.

    Four exchanges of digits generate the relabelings that keep partition 0. Each pair repeatedly
    takes the smallest known pair of its images, until nothing changes.
    """
    leaders = np.arange(PARTITIONS * PARTITIONS)
    relabeling = np.tile(np.arange(9, dtype=np.uint8), (len(leaders), 1))
    exchanges = []
    for text in ("102345678", "021345678", "345012678", "012678345"):
        digits = np.array([int(digit) for digit in text])
        partition_images = sets.find(
            make_masks(digits[sets.unlabel].reshape(PARTITIONS, 3, 3))
        ).astype(np.intp)
        exchanges.append(
            (digits, (partition_images[:, None] * PARTITIONS + partition_images).ravel())
        )
    changed = True
    while changed:
        changed = False
        for digits, images in exchanges:
            improved = np.flatnonzero(leaders[images] < leaders)
            if improved.size:
                leaders[improved] = leaders[images[improved]]
                relabeling[improved] = relabeling[images[improved]][:, digits]
                changed = True
    return leaders, relabeling
