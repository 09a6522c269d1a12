"""Section 2: numbers and permutations drawn from a stream; two kinds of lists for permutations.

A list `sources` contains for each position the old position of its unit:
new[i] = old[sources[i]]. A list `targets` contains for each old position the new position of its
unit: new[targets[i]] = old[i].
"""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from tests.kit.reference import RefusedError

T = TypeVar("T")
WORD_BITS = 32


def draw(bound: int, word_stream: Iterator[int]) -> int:
    """Return draw(b), an integer in 0..bound - 1, for bound >= 1."""
    if bound < 1:
        raise RefusedError("draw takes a bound of at least 1")
    bits = (bound - 1).bit_length()
    count = max(1, (bits + WORD_BITS - 1) // WORD_BITS)
    word_range = 2 ** (WORD_BITS * count)
    while True:
        number = 0
        for index in range(count):
            number += next(word_stream) * 2 ** (WORD_BITS * index)
        if number >= word_range - word_range % bound:
            continue
        return number % bound


def shuffle(size: int, word_stream: Iterator[int]) -> list[int]:
    """Return shuffle(m), a permutation of 0..size - 1."""
    order = list(range(size))
    for position in range(size - 1, 0, -1):
        partner = draw(position + 1, word_stream)
        order[position], order[partner] = order[partner], order[position]
    return order


def move_from(units: Sequence[T], sources: Sequence[int]) -> list[T]:
    """Move the unit at position sources[i] to position i."""
    return [units[source] for source in sources]


def move_to(units: Sequence[T], targets: Sequence[int]) -> list[T]:
    """Move the unit at position i to position targets[i]."""
    result = list(units)
    for unit, target in zip(units, targets, strict=True):
        result[target] = unit
    return result


def inverse(permutation: Sequence[int]) -> list[int]:
    """Convert `sources` to `targets`, or `targets` to `sources`."""
    return move_to(range(len(permutation)), permutation)
