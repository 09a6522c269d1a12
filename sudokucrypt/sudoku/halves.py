"""Grids with boxes of q rows and two columns, by the halves of the digits in their columns.

Such a grid has two bands of q boxes. The left column of a box holds half of the digits, the right
column the others, and the box below it the same two halves exchanged. Hence both bands are filled
in the same number of ways. For each digit a *word* of q bits says in which boxes of the upper band
it stands on the left; how a band can be filled depends only on the words, whoever has which, and
not on the order of the boxes or on which column of a box comes first.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import permutations, product
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.sudoku.factorizations import count_factorizations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from sudokucrypt.typing import IntArray

    Words = tuple[int, ...]


def halves_graph(words: Words, boxes: int) -> NDArray[np.bool_]:
    """Return which digit goes into which column: column 2j + b of box j for bit b of its word."""
    bits = np.array(words)[:, None] >> np.arange(boxes) & 1
    return np.stack([bits == 0, bits == 1], axis=2).reshape(len(words), 2 * boxes)


@cache
def count_fillings(words: Words, boxes: int) -> int:
    """Return in how many ways a band is filled whose digits have these words."""
    return count_factorizations(halves_graph(words, boxes))


def word_classes(boxes: int) -> dict[Words, int]:
    """Return one choice of words for each class, and the number of choices of halves in it.

    Notes
    -----
    Built box by box: only the number of digits with each word matters for what may follow.

    Examples
    --------
    >>> word_classes(2)
    {(0, 0, 3, 3): 12, (0, 1, 2, 3): 24}
    """
    digits = 2 * boxes
    classes = {(0,) * digits: 1}
    for done in range(boxes):
        following: Counter[Words] = Counter()
        for words, number in classes.items():
            for longer, ways in _extensions(words):
                following[normal_words(longer, done + 1)] += number * ways
        classes = dict(following)
    return classes


def _extensions(words: Words) -> Iterator[tuple[Words, int]]:
    """Yield the words with one more bit, set for half of the digits, and the number of ways."""
    counts = sorted(Counter(words).items())
    for ones in product(*(range(count + 1) for _, count in counts)):
        if sum(ones) * 2 != len(words):
            continue
        longer: list[int] = []
        ways = 1
        for (word, count), one in zip(counts, ones, strict=True):
            longer += [2 * word] * (count - one) + [2 * word + 1] * one
            ways *= comb(count, one)
        yield tuple(longer), ways


def normal_words(words: Words, length: int) -> Words:
    """Return the smallest sorted words under exchanges of boxes and of columns in boxes.

    Exchanging the columns of boxes flips bits in all words; the smallest choice has a word 0.
    """
    shuffled = _bit_orders(length)[:, np.array(words) ^ np.array(sorted(set(words)))[:, None]]
    shuffled = np.sort(shuffled.reshape(-1, len(words)), axis=1)
    return tuple(shuffled[np.lexsort(shuffled.T[::-1])[0]].tolist())


@cache
def _bit_orders(length: int) -> IntArray:
    """Return each word with its bits in every order, shape (length!, 2**length)."""
    words = np.arange(2**length)
    orders = np.array(list(permutations(range(length))))
    moved = np.zeros((len(orders), len(words)), dtype=np.int64)
    for old in range(length):
        moved |= (words >> old & 1) << orders[:, old, None]
    return moved
