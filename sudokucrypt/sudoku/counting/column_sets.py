"""Column sets of 3x3 boxes: the three columns of a box without the order in them.

Everything about full 9x9 grids that can be counted is counted over these partitions of the nine
digits into three 3-sets. There are 280. A *mate pair* of a partition says which digits lie below
or above its parts: in each column the other two boxes of a stack hold the digits that are missing,
and 56 ways of dealing them out leave a partition in either box. Rows of a box form partitions
too, and the boxes of a band are mates of each other by rows.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.typing import AnyArray

Bytes = NDArray[np.uint8]
Words = NDArray[np.uint16]

PARTITIONS = 280
MATES = 56
WORD_BITS = 64


class ColumnSets(NamedTuple):
    """The tables of all partitions; sets of digits are bit masks.

    Parameters
    ----------
    parts : ndarray of shape (280, 3), dtype uint16
        The parts, ordered by their smallest digits. Partition 0 is 012 | 345 | 678.
    subset : ndarray of shape (512,), dtype uint8
        The number 0..83 of a 3-set; 0 for other masks.
    lowest : ndarray of shape (512,), dtype uint8
        The smallest digit of a mask; 9 for the empty one.
    of_parts : ndarray of shape (84, 84), dtype uint16
        The partition with these two parts, in any order.
    label, unlabel : ndarray of shape (280, 9), dtype uint8
        The relabelling that takes each partition to partition 0, and its inverse.
    relabel : ndarray of shape (280, 280), dtype uint16
        Entry [P, Q] is Q under the relabelling that takes P to partition 0.
    meets : ndarray of shape (280, 280), dtype bool
        Whether every part of P has one digit in common with every part of Q: then they can be the
        columns and the rows of one box.
    mate_masks : ndarray of shape (280, 56, 2, 3), dtype uint16
        The mate pairs of a partition, each set below the part that it goes with.
    mates : ndarray of shape (280, 56, 2), dtype uint16
        The same as partitions.
    """

    parts: Words
    subset: Bytes
    lowest: Bytes
    of_parts: Words
    label: Bytes
    unlabel: Bytes
    relabel: Words
    meets: NDArray[np.bool_]
    mate_masks: Words
    mates: Words

    def find(self, masks: AnyArray) -> Words:
        """Return the partition with the given parts, in any order, along the last axis."""
        found: Words = self.of_parts[self.subset[masks[..., 0]], self.subset[masks[..., 1]]]
        return found


def column_sets() -> ColumnSets:
    """Build the tables.

    Returns
    -------
    ColumnSets
        About 1 MB, in a few hundredths of a second.

    Examples
    --------
    >>> sets = column_sets()
    >>> sets.parts.shape, int(sets.meets[0].sum())
    ((280, 3), 36)
    """
    members = _partitions()
    parts = masks_of(members.reshape(-1, 3, 3))
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
    label = np.argsort(members, axis=1).astype(np.uint8)
    moved = masks_of(label[:, members].reshape(PARTITIONS, PARTITIONS, 3, 3))
    mate_masks = masks_of(members[:, _base_mates()])
    meets = (parts[:, None, :, None] & parts[None, :, None, :]) != 0
    sets = ColumnSets(
        parts=parts,
        subset=subset,
        lowest=lowest,
        of_parts=of_parts,
        label=label,
        unlabel=members,
        relabel=moved[..., 0],
        meets=meets.all(axis=(2, 3)),
        mate_masks=mate_masks,
        mates=mate_masks[..., 0],
    )
    return sets._replace(relabel=sets.find(moved), mates=sets.find(mate_masks))


def masks_of(digits: AnyArray) -> Words:
    """Return the bit masks of the digits along the last axis."""
    bits = np.left_shift(np.uint16(1), digits.astype(np.uint16))
    masks: Words = np.bitwise_or.reduce(bits, axis=-1)
    return masks


def _partitions() -> Bytes:
    """Return the digits of every partition, part by part."""
    rows = []
    for first in combinations(range(1, 9), 2):
        rest = [digit for digit in range(1, 9) if digit not in first]
        for second in combinations(rest[1:], 2):
            third = [digit for digit in rest[1:] if digit not in second]
            rows.append([0, *first, rest[0], *second, *third])
    return np.array(rows, dtype=np.uint8)


def _base_mates() -> Bytes:
    """Return the mate pairs of 012 | 345 | 678 as digits, shape (56, 2, 3, 3)."""
    own = [{0, 1, 2}, {3, 4, 5}, {6, 7, 8}]
    every = set(range(9))
    pairs = []
    for first in combinations(sorted(every - own[0]), 3):
        for second in combinations(sorted(every - own[1] - set(first)), 3):
            third = every - set(first) - set(second)
            if third & own[2]:
                continue
            one = [set(first), set(second), third]
            other = [every - above - below for above, below in zip(own, one, strict=True)]
            pairs.append([[sorted(part) for part in mate] for mate in (one, other)])
    return np.array(pairs, dtype=np.uint8)


class BandFillings(NamedTuple):
    """How a band is filled whose first box has the column sets of partition 0.

    Up to the order of its three rows a band is a partition of the first box into rows, one of
    36, with a mate pair by rows for the other boxes, one of 56: 2016 candidates, of which those
    count that meet the column sets of the second and of the third box.

    Parameters
    ----------
    rows : ndarray of shape (36,), dtype uint16
        The partitions that meet partition 0.
    place : ndarray of shape (280,), dtype uint8
        Where a partition stands in `rows`; 0 for those that are not there.
    second, third : ndarray of shape (280, 32), dtype uint64
        For each partition the candidates whose second (third) box it meets, one bit each.
    number : ndarray of shape (280, 280), dtype uint16
        The number of fillings for column sets (0, P, Q) of the three boxes.
    """

    rows: Words
    place: Bytes
    second: NDArray[np.uint64]
    third: NDArray[np.uint64]
    number: Words


def band_fillings(sets: ColumnSets) -> BandFillings:
    """Build the tables of fillings from the partitions.

    Notes
    -----
    The count is 6 times the number of candidates that meet both. Its sum, times 280 partitions of
    the first box and 6**3 orders of columns, is the number of bands.

    Examples
    --------
    >>> counts = band_fillings(column_sets()).number
    >>> int(counts.min()), int(counts.max()), int(counts.sum(dtype=int))
    (96, 1728, 15676416)
    """
    rows = np.flatnonzero(sets.meets[0]).astype(np.uint16)
    place = np.zeros(PARTITIONS, dtype=np.uint8)
    place[rows] = np.arange(len(rows))
    pairs = sets.mates[rows].reshape(-1, 2)
    second, third = sets.meets[:, pairs[:, 0]], sets.meets[:, pairs[:, 1]]
    both = second.astype(np.float32) @ third.astype(np.float32).T
    return BandFillings(rows, place, _packed(second), _packed(third), (6 * both).astype(np.uint16))


def _packed(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Pack the last axis into words, the first bit lowest."""
    padded = np.pad(bits, ((0, 0), (0, -bits.shape[1] % WORD_BITS)))
    values = padded.reshape(len(bits), -1, WORD_BITS).astype(np.uint64)
    values <<= np.arange(WORD_BITS, dtype=np.uint64)
    words: NDArray[np.uint64] = np.bitwise_or.reduce(values, axis=-1)
    return words
