"""Permutations by number: the anagram index is a permutation's place in lexicographic order."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import factorial

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import InvalidParameterError, UnsupportedError
from sudokucrypt.options import checked_integer
from sudokucrypt.typing import IntArray, RandomSource

DescentTrace = Callable[[tuple[int, ...], int], object]
LARGEST = 9  # all permutations of this many digits are held at once


def anagram_index(digits: Sequence[int]) -> int:
    """Return the number of a permutation of 0..n-1 in lexicographic order, from 0.

    `InvalidParameterError` if `digits` is no such permutation.

    Parameters
    ----------
    digits : sequence of int
        The permutation of 0..n-1.

    Examples
    --------
    >>> anagram_index([0, 1, 2]), anagram_index([2, 1, 0])
    (0, 5)
    """
    left = sorted(digits)
    if left != list(range(len(digits))):
        raise InvalidParameterError(f"{list(digits)} is not a permutation of 0..{len(digits) - 1}")
    index = 0
    for digit in digits:
        position = left.index(digit)
        del left[position]
        index += position * factorial(len(left))
    return index


@lru_cache(maxsize=2)
def anagrams(order: int) -> NDArray[np.uint8]:
    """Return all permutations of 0..order-1 as rows, in lexicographic order: row k has index k.

    The table has shape (order!, order), uint8, read-only; `UnsupportedError` above order 9.

    Parameters
    ----------
    order : int
        The number of things that change places, 1..9.

    Examples
    --------
    >>> anagrams(9)[138690].tolist()
    [3, 4, 5, 6, 7, 8, 0, 1, 2]
    """
    order = checked_integer("the order", order, least=0)
    if order > LARGEST:
        raise UnsupportedError(
            f"all permutations are listed up to order {LARGEST}, not {order}",
            hint="the minimum-candidates search makes larger grids",
        )
    table = np.zeros((1, 0), dtype=np.uint8)
    for size in range(1, order + 1):
        digits = np.arange(size, dtype=np.uint8)[:, None, None]
        # Behind a first digit come the others in the order of the next smaller table.
        others = table + (table >= digits)
        first = np.broadcast_to(digits, (size, len(table), 1))
        table = np.concatenate([first, others], axis=2).reshape(-1, size)
    table.flags.writeable = False
    return table


def set_masks(parts: NDArray[np.uint8], order: int) -> IntArray:
    """Return the sets of digits in each row of `parts`, side by side as the bits of a word.

    `parts` has shape (m, sets, size); sets * order is at most 63.
    """
    shifts = parts + order * np.arange(parts.shape[1])[:, None]
    masks: IntArray = np.left_shift(np.int64(1), shifts).sum(axis=(1, 2))
    return masks


def random_descent(
    fitting: Callable[[tuple[int, ...]], IntArray],
    depth: int,
    source: RandomSource,
    *,
    trace: DescentTrace | None = None,
) -> tuple[int, ...]:
    """Make `depth` choices one after the other at random, going back where none is left.

    `fitting` says which choices are open after those made. One is drawn below their number; a
    choice that leads nowhere is not made again. Some sequence must lead to the end. `trace` is
    called with the choices made so far, and among how many the last one was made.
    """
    path: tuple[int, ...] = ()
    waiting = [fitting(path)]
    while len(path) < depth:
        if not len(waiting[-1]):
            waiting.pop()
            path = path[:-1]
            continue
        choices = waiting.pop()
        choice = source.below(len(choices))
        path = (*path, int(choices[choice]))
        if trace is not None:
            trace(path, len(choices))
        # What was drawn is not drawn again at this depth if it leads nowhere.
        waiting += [np.delete(choices, choice), fitting(path)]
    return path
