"""Section 2: numbers and permutations drawn from a stream; lists that stand for permutations.

Two kinds of list say where units go, and a name keeps them apart.
`sources` holds, at each position, the position from which a unit comes: new[i] = old[sources[i]].
`targets` holds, at each position, the position to which the unit goes: new[targets[i]] = old[i].
"""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from tests.kit.reference import RefusedError

T = TypeVar("T")
WORD_BITS = 32


def draw(bound: int, words: Iterator[int]) -> int:
    """draw(b): an integer in 0..bound - 1, for bound >= 1."""
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
    """shuffle(m): a permutation of 0..size - 1."""
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
    moved = list(units)
    for unit, target in zip(units, targets, strict=True):
        moved[target] = unit
    return moved


def inverse(permutation: Sequence[int]) -> list[int]:
    """Turn `sources` into `targets`, or back."""
    return move_to(range(len(permutation)), permutation)
