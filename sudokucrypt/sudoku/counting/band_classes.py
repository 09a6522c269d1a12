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

# There are 280 partitions of nine digits into three sets of three, each with 56 mate pairs.
PARTITION_COUNT, MATE_COUNT = 280, 56

# The six orders of three items, in lexicographic order.
ORDERS_OF_THREE = np.array(list(permutations(range(3))), dtype=np.uint8)

# The outer part of a grid's number can be chosen independently of the inner part.
OUTER_COUNT = PARTITION_COUNT * len(ORDERS_OF_THREE) ** 3
"""The number of choices of the first box's column sets and of column orders in band one."""


class ColumnSets(NamedTuple):
    """The tables of all partitions; sets of digits are bit masks."""

    parts: SetMasks  # (280, 3), ordered by their smallest digits; partition 0 is 012 | 345 | 678
    subset_numbers: DigitTable  # (512,): the number 0..83 of a set of three digits, otherwise 0
    lowest_digits: DigitTable  # (512,): the smallest digit of a mask, 9 for the empty mask
    partitions_by_parts: SetMasks  # (84, 84): the partition that contains two parts, in any order
    labels: DigitTable  # (280, 9): the relabeling that maps each partition to partition 0
    digits_by_label: DigitTable  # (280, 9): the inverse of `labels`
    relabeled_partitions: (
        SetMasks  # (280, 280): at [P, Q], the image of Q when P is mapped to partition 0
    )
    # (280, 280): whether every part of P has one digit in common with every part of Q, so that they
    # can be the columns and the rows of one box
    can_form_box: NDArray[np.bool_]
    mate_masks: SetMasks  # (280, 56, 2, 3): the mate pairs as sets in the order of the parts
    mates: SetMasks  # (280, 56, 2): the mate pairs as partitions

    def find_partitions(self, masks: AnyArray) -> SetMasks:
        """Return the partition with the given parts, in any order, along the last axis."""
        partitions: SetMasks = self.partitions_by_parts[
            self.subset_numbers[masks[..., 0]], self.subset_numbers[masks[..., 1]]
        ]
        return partitions


@cache
def get_column_sets() -> ColumnSets:
    """Return the tables of partitions: about 1 MB, built in a few hundredths of a second."""
    digits_by_label = _list_partitions()
    parts = make_masks(digits_by_label.reshape(-1, 3, 3))
    lowest_digits = np.full(512, 9, dtype=np.uint8)
    for digit in reversed(range(9)):
        lowest_digits[np.arange(512) >> digit & 1 == 1] = digit
    numbers = np.zeros(512, dtype=np.uint8)
    triple_masks = [sum(1 << digit for digit in triple) for triple in combinations(range(9), 3)]
    numbers[triple_masks] = np.arange(len(triple_masks))
    partitions_by_parts = np.zeros((len(triple_masks), len(triple_masks)), dtype=np.uint16)
    for first in range(3):
        for second in {0, 1, 2} - {first}:
            partitions_by_parts[numbers[parts[:, first]], numbers[parts[:, second]]] = np.arange(
                PARTITION_COUNT
            )
    labels = np.argsort(digits_by_label, axis=1).astype(np.uint8)
    can_form_box = ((parts[:, None, :, None] & parts[None, :, None, :]) != 0).all(axis=(2, 3))
    relabeled_masks = make_masks(
        labels[:, digits_by_label].reshape(PARTITION_COUNT, PARTITION_COUNT, 3, 3)
    )
    mate_masks = make_masks(digits_by_label[:, _list_base_mates()])
    relabeled_partitions, mates = (
        partitions_by_parts[numbers[masks[..., 0]], numbers[masks[..., 1]]]
        for masks in (relabeled_masks, mate_masks)
    )
    return ColumnSets(
        parts,
        numbers,
        lowest_digits,
        partitions_by_parts,
        labels,
        digits_by_label,
        relabeled_partitions,
        can_form_box,
        mate_masks,
        mates,
    )


def make_masks(digits: AnyArray) -> SetMasks:
    """Return the bit masks of the digits along the last axis."""
    bits = np.left_shift(np.uint16(1), digits.astype(np.uint16))
    masks: SetMasks = np.bitwise_or.reduce(bits, axis=-1)
    return masks


def _list_partitions() -> DigitTable:
    """Return the digits of every partition, part by part."""
    rows = []
    for first_part in combinations(range(1, 9), 2):
        remaining_digits = [digit for digit in range(1, 9) if digit not in first_part]
        for second_part in combinations(remaining_digits[1:], 2):
            third_part = [digit for digit in remaining_digits[1:] if digit not in second_part]
            rows.append([0, *first_part, remaining_digits[0], *second_part, *third_part])
    return np.array(rows, dtype=np.uint8)


def _list_base_mates() -> DigitTable:
    """Return the mate pairs of 012 | 345 | 678 as digits, shape (56, 2, 3, 3)."""
    columns = [{0, 1, 2}, {3, 4, 5}, {6, 7, 8}]
    all_digits = set(range(9))
    pairs = []
    for first_column in combinations(range(3, 9), 3):
        for second_column in combinations(sorted(all_digits - columns[1] - set(first_column)), 3):
            third_column = all_digits - set(first_column) - set(second_column)
            if third_column.isdisjoint(columns[2]):
                mate = [set(first_column), set(second_column), third_column]
                other_mate = [
                    all_digits - column_digits - mate_digits
                    for column_digits, mate_digits in zip(columns, mate, strict=True)
                ]
                pairs.append(
                    [[sorted(part) for part in pair_mate] for pair_mate in (mate, other_mate)]
                )
    return np.array(pairs, dtype=np.uint8)


class BandFillings(NamedTuple):
    """The ways to fill a band whose first box has the column sets of partition 0.

    Up to the order of its three rows, a band is one of 36 partitions of the first box into rows,
    and one of 56 mate pairs by rows for the other boxes. Of these 2016 candidates, those fit whose
    rows can be combined with the column sets of the second and of the third box.
    """

    row_partitions: SetMasks  # (36,): the partitions that can be combined with partition 0
    row_indexes: DigitTable  # (280,): the index of a partition in `row_partitions`, or 0
    # (280, 32): for each partition, one bit for each candidate whose second box fits it; the next
    # table is the same for the third box
    second_box_fits: NDArray[np.uint64]
    third_box_fits: NDArray[np.uint64]
    counts: SetMasks  # (280, 280): the number of fillings for column sets (0, P, Q) of the boxes


def make_band_fillings(sets: ColumnSets) -> BandFillings:
    """Return the tables of fillings: a filling is a candidate that fits, with an order of rows."""
    row_partitions = np.flatnonzero(sets.can_form_box[0]).astype(np.uint16)
    row_indexes = np.zeros(PARTITION_COUNT, dtype=np.uint8)
    row_indexes[row_partitions] = np.arange(len(row_partitions))
    pairs = sets.mates[row_partitions].reshape(-1, 2)
    second_fits, third_fits = sets.can_form_box[:, pairs[:, 0]], sets.can_form_box[:, pairs[:, 1]]
    fit_counts = second_fits.astype(np.float32) @ third_fits.astype(np.float32).T
    return BandFillings(
        row_partitions,
        row_indexes,
        _pack_bits(second_fits),
        _pack_bits(third_fits),
        (6 * fit_counts).astype(np.uint16),
    )


def _pack_bits(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Pack the last axis into 64-bit words, the first item as the lowest bit."""
    padded_bits = np.pad(bits, ((0, 0), (0, -bits.shape[1] % 64)))
    packed_bytes = np.packbits(np.ascontiguousarray(padded_bits), axis=1, bitorder="little")
    return packed_bytes.view("<u8").astype(np.uint64)


class BandClasses(NamedTuple):
    """The class of each pair of column sets (P2, P3), after P1 was relabeled to partition 0.

    A pair has the number 280 * P2 + P3; `members` lists the pairs class by class.
    """

    pair_classes: DigitTable  # (78400,): the class of each pair
    places: NDArray[np.uint16]  # (78400,): the place of each pair among the members of its class
    members: NDArray[np.int32]  # (78400,): the pairs class by class, increasing within a class
    # The relabeling, shape (78400, 9), and the order of the boxes, shape (78400, 3), that map a
    # pair to the representative of its class.
    relabelings: DigitTable
    box_orders: DigitTable
    representatives: NDArray[np.uint16]  # (c, 2): pair (P2, P3) of each class
    member_starts: IntArray  # (c + 1,): the index in `members` where each class starts


class GridTables(NamedTuple):
    """All tables to count, number and draw full 9x9 grids."""

    sets: ColumnSets
    fillings: BandFillings
    classes: BandClasses
    # (c, 3137): for each class and choice of mates in the first two boxes, the number of ways to
    # fill bands two and three with any earlier choice of mates. The last column has the total.
    ways_below: IntArray
    # (c + 1,): the number of grids in all earlier classes, divided by `OUTER_COUNT`
    class_starts: IntArray

    @property
    def total(self) -> int:
        """The number of all grids."""
        return OUTER_COUNT * int(self.class_starts[-1])


_lock = Lock()


def _renew_lock() -> None:
    """Replace the lock in a forked child, where a lock that the parent held is never released."""
    global _lock  # noqa: PLW0603 - it is the lock of the whole process
    _lock = Lock()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_renew_lock)


def get_grid_tables() -> GridTables:
    """Return the tables, built by the first call in a process (half a second, 4 MB)."""
    with _lock:  # only one thread should build the tables
        return _build_tables()


@cache
def _build_tables() -> GridTables:
    # The kernels need contiguous arrays, which fancy indexing does not guarantee.
    sets = ColumnSets(*map(np.ascontiguousarray, get_column_sets()))
    fillings = BandFillings(*map(np.ascontiguousarray, make_band_fillings(sets)))
    classes = BandClasses(*map(np.ascontiguousarray, find_band_classes(sets)))
    way_counts = [
        count_lower_bands(sets, fillings, pair) for pair in classes.representatives.tolist()
    ]
    ways_below = np.array([np.append(0, np.cumsum(counts.sum(axis=2))) for counts in way_counts])
    sizes = (
        fillings.counts[classes.representatives[:, 0], classes.representatives[:, 1]]
        * ways_below[:, -1]
    )
    class_starts = np.append(0, np.cumsum(sizes * np.diff(classes.member_starts)))
    return GridTables(sets, fillings, classes, ways_below, class_starts)


def count_lower_bands(sets: ColumnSets, fillings: BandFillings, pair: tuple[int, int]) -> IntArray:
    """Count the fillings of bands two and three, for column sets (0, *pair) of band one.

    The result has shape (56, 56, 56), by the mates of the three boxes.
    """
    way_counts = np.ones((MATE_COUNT, MATE_COUNT, MATE_COUNT), dtype=np.int64)
    for band in range(2):
        first_mates, second_mates, third_mates = sets.mates[[0, *pair], :, band]
        second_partitions = sets.relabeled_partitions[first_mates[:, None], second_mates]
        third_partitions = sets.relabeled_partitions[first_mates[:, None], third_mates]
        way_counts *= fillings.counts[second_partitions[:, :, None], third_partitions[:, None, :]]
    return way_counts


def find_band_classes(sets: ColumnSets) -> BandClasses:
    """Classify pairs of partitions by trying all orders of boxes and relabeling the first box."""
    orbit_minima, relabelings = _find_orbits(sets)
    all_pairs = np.arange(PARTITION_COUNT * PARTITION_COUNT)
    boxes = np.stack(
        [np.zeros_like(all_pairs), all_pairs // PARTITION_COUNT, all_pairs % PARTITION_COUNT]
    )
    options = []
    for order in ORDERS_OF_THREE:
        first_boxes, second_boxes, third_boxes = boxes[order]
        relabeled_pairs = (
            sets.relabeled_partitions[first_boxes, second_boxes].astype(np.intp) * PARTITION_COUNT
            + sets.relabeled_partitions[first_boxes, third_boxes]
        )
        options.append((orbit_minima[relabeled_pairs], relabeled_pairs, sets.labels[first_boxes]))
    best_orders = np.argmin([class_minima for class_minima, _, _ in options], axis=0)
    class_minima, relabeled_pairs, labels = (
        np.stack([option[field] for option in options])[best_orders, all_pairs]
        for field in range(3)
    )
    digits = np.take_along_axis(relabelings[relabeled_pairs], labels.astype(np.intp), axis=1)
    representatives, pair_classes, sizes = np.unique(
        class_minima, return_inverse=True, return_counts=True
    )
    members = np.argsort(pair_classes, kind="stable")
    member_starts = np.append(0, np.cumsum(sizes))
    places = np.empty_like(all_pairs)
    places[members] = all_pairs - np.repeat(member_starts[:-1], sizes)
    representative_pairs = np.stack(np.divmod(representatives, PARTITION_COUNT), axis=1).astype(
        np.uint16
    )
    member_tables = (
        pair_classes.astype(np.uint8),
        places.astype(np.uint16),
        members.astype(np.int32),
    )
    return BandClasses(
        *member_tables, digits, ORDERS_OF_THREE[best_orders], representative_pairs, member_starts
    )


def _find_orbits(sets: ColumnSets) -> tuple[IntArray, DigitTable]:
    """Return for each pair the least pair reachable by relabeling, and the relabeling used.

    Four exchanges of digits generate the relabelings that keep partition 0. Each pair repeatedly
    takes the smallest known pair of its images, until nothing changes.
    """
    orbit_minima = np.arange(PARTITION_COUNT * PARTITION_COUNT)
    relabelings = np.tile(np.arange(9, dtype=np.uint8), (len(orbit_minima), 1))
    digit_exchanges = []
    for text in ("102345678", "021345678", "345012678", "012678345"):
        digits = np.array([int(digit) for digit in text])
        partition_images = sets.find_partitions(
            make_masks(digits[sets.digits_by_label].reshape(PARTITION_COUNT, 3, 3))
        ).astype(np.intp)
        digit_exchanges.append(
            (digits, (partition_images[:, None] * PARTITION_COUNT + partition_images).ravel())
        )
    changed = True
    while changed:
        changed = False
        for digits, images in digit_exchanges:
            improved_pairs = np.flatnonzero(orbit_minima[images] < orbit_minima)
            if improved_pairs.size:
                orbit_minima[improved_pairs] = orbit_minima[images[improved_pairs]]
                relabelings[improved_pairs] = relabelings[images[improved_pairs]][:, digits]
                changed = True
    return orbit_minima, relabelings
