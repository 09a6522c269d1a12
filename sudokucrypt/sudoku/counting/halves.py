"""Grids with boxes of q rows and two columns, by the halves of the digits in their columns.

Such a grid has two bands of q boxes. The left column of a box holds half of the digits, the right
column the others, and the box below it the same two halves exchanged. Hence both bands are filled
in the same number of ways. For each digit a *word* of q bits says in which boxes of the upper band
it stands on the left; how a band can be filled depends only on the words, whoever has which, and
not on the order of the boxes or on which column of a box comes first.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import combinations, permutations, product
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.sudoku.counting.factorizations import count_factorizations, list_factorizations
from sudokucrypt.typing import AnyArray, IntArray

BoxWords = tuple[int, ...]


def halves_graph(words: BoxWords, boxes: int) -> NDArray[np.bool_]:
    """Return which digit goes into which column: column 2j + b of box j for bit b of its word."""
    bits = np.array(words)[:, None] >> np.arange(boxes) & 1
    return np.stack([bits == 0, bits == 1], axis=2).reshape(len(words), 2 * boxes)


@cache
def count_fillings(words: BoxWords, boxes: int) -> int:
    """Return in how many ways a band is filled whose digits have these words."""
    return count_factorizations(halves_graph(words, boxes))


def word_classes(boxes: int) -> dict[BoxWords, int]:
    """Return one choice of words for each class, and the number of choices of halves in it."""
    # Box by box: only the number of digits with each word matters for what may follow.
    digits = 2 * boxes
    classes = {(0,) * digits: 1}
    for done in range(boxes):
        following: Counter[BoxWords] = Counter()
        for words, count in classes.items():
            for longer, ways in _extensions(words):
                following[normal_words(longer, done + 1)] += count * ways
        classes = dict(following)
    return classes


def _extensions(words: BoxWords) -> Iterator[tuple[BoxWords, int]]:
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


def normal_words(words: BoxWords, length: int) -> BoxWords:
    """Return the smallest sorted words under exchanges of boxes and of columns in boxes."""
    # Exchanging the columns of boxes flips bits in all words; the smallest choice has a word 0.
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


MAX_HALVES = 4  # the most boxes in a band whose grids are numbered


class HalvesTables(NamedTuple):
    """What numbers the grids with q boxes in a band."""

    halves: list[tuple[int, ...]]  # for each way to halve the digits the half with digit 0
    number: dict[tuple[int, ...], int]  # the index of a half in `halves`
    # With the halves of the first box and the sides in all boxes given: how many grids come before
    # those with these halves in the second and following boxes, shape (h**(q - 1) + 1,).
    below: IntArray


def halves_total(q: int) -> int:
    """Return the number of all grids."""
    tables = halves_tables(q)
    return (len(tables.halves) << q) * int(tables.below[-1])


def unrank_halves(number: int, q: int) -> IntArray:
    """Return the grid with this number, 0 <= number < total, as cells of shape (2q, 2q)."""
    tables = halves_tables(q)
    outer, inner = divmod(number, int(tables.below[-1]))
    first, sides = divmod(outer, 1 << q)
    others = int(np.searchsorted(tables.below, inner, side="right")) - 1
    fillings, orders = _fillings(others, q), _orders(q)
    ways = len(fillings) * len(orders)
    digits = _halved(tables.halves[first], q)
    cells = np.empty((2, q, 2 * q), dtype=np.int64)
    for band, filling in enumerate(divmod(inner - int(tables.below[others]), ways)):
        table, order = divmod(filling, len(orders))
        columns = _exchanged(fillings[table][orders[order]], sides) ^ band
        np.put_along_axis(cells[band], columns, digits[None, :], axis=1)
    return cells.reshape(2 * q, 2 * q)


def rank_halves(cells: AnyArray, q: int) -> int:
    """Return the number of a full grid of q x 2 boxes, given as cells of shape (2q, 2q)."""
    tables = halves_tables(q)
    homes = np.argsort(cells, axis=1).reshape(2, q, 2 * q)  # band, row, digit: its column
    sides: int = sum(column % 2 << column // 2 for column in homes[0, :, 0].tolist())
    halves = [np.sort(cells[:q, 2 * box + (sides >> box & 1)]).tolist() for box in range(q)]
    first = tables.number[tuple(halves[0])]
    digits = _halved(tables.halves[first], q)
    label = np.argsort(digits)
    others = 0
    for half in halves[1:]:
        others *= len(tables.halves)
        others += tables.number[tuple(sorted(label[half].tolist()))]
    fillings, orders = _fillings(others, q), _orders(q)
    inner = 0
    for band in range(2):
        columns = _exchanged(homes[band][:, digits] ^ band, sides)
        order = np.argsort(np.argsort(columns[:, 0]))
        table = (fillings == columns[np.argsort(order)]).all(axis=(1, 2)).argmax()
        inner = (inner * len(fillings) + int(table)) * len(orders)
        inner += int((orders == order).all(axis=1).argmax())
    outer = (first << q) + sides
    return outer * int(tables.below[-1]) + int(tables.below[others]) + inner


@cache
def halves_tables(q: int) -> HalvesTables:
    """Return the tables for q boxes in a band, built by the first call in a process."""
    halves = [(0, *rest) for rest in combinations(range(1, 2 * q), q - 1)]
    words = _words(np.arange(len(halves) ** (q - 1)), halves, q)
    # Many choices of halves have the same words: each is counted once.
    kinds, which = np.unique(np.sort(words, axis=1), axis=0, return_inverse=True)
    ways = np.array([count_fillings(normal_words(tuple(kind), q), q) for kind in kinds.tolist()])
    below = np.append(0, np.cumsum(ways[which.reshape(-1)] ** 2))
    return HalvesTables(halves, {half: index for index, half in enumerate(halves)}, below)


def _words(others: IntArray, halves: list[tuple[int, ...]], q: int) -> IntArray:
    """Return the words of all digits for numbers of halves in the boxes after the first."""
    bits = np.ones((len(halves), 2 * q), dtype=np.int64)
    np.put_along_axis(bits, np.array(halves), 0, axis=1)
    words = np.tile(bits[0], (len(others), 1))
    for box in range(1, q):
        words |= bits[others // len(halves) ** (q - 1 - box) % len(halves)] << box
    return words


@lru_cache(maxsize=256)
def _fillings(others: int, q: int) -> IntArray:
    """Return the columns of the digits in all bands with these halves, up to the order of rows."""
    words = tuple(_words(np.array([others]), halves_tables(q).halves, q)[0].tolist())
    return list_factorizations(halves_graph(words, q))


@cache
def _orders(q: int) -> IntArray:
    return np.array(list(permutations(range(q))))


def _exchanged(columns: IntArray, sides: int) -> IntArray:
    """Exchange the two columns of each box whose bit is set."""
    return columns ^ (sides >> columns // 2 & 1)


def _halved(half: tuple[int, ...], q: int) -> IntArray:
    """Return the digits of a half and then the others."""
    return np.array([*half, *(digit for digit in range(2 * q) if digit not in half)])
