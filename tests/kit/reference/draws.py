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


def draw(bound: int, words: Iterator[int]) -> int:
    """Return draw(b), an integer in 0..bound - 1, for bound >= 1."""
    if bound < 1:
        raise RefusedError("draw takes a bound of at least 1")
    bits = (bound - 1).bit_length()
    count = max(1, (bits + WORD_BITS - 1) // WORD_BITS)
    span = 2 ** (WORD_BITS * count)
    while True:
        x = 0
        for i in range(count):
            x += next(words) * 2 ** (WORD_BITS * i)
        if x >= span - span % bound:
            continue
        return x % bound


def shuffle(size: int, words: Iterator[int]) -> list[int]:
    """Return shuffle(m), a permutation of 0..size - 1."""
    f = list(range(size))
    for i in range(size - 1, 0, -1):
        j = draw(i + 1, words)
        f[i], f[j] = f[j], f[i]
    return f


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
