"""What Cython's names mean where the parts of `deducing` run as plain Python.

The kernel includes the very files of this package, so that there is one text of each technique.
Where it is compiled, these names are types of C instead, and nothing of this module is looked at.
"""

from array import array as array  # noqa: TC003 - the parts make arrays
from collections.abc import Callable
from typing import Any as Any
from typing import TypeAlias, TypeVar

_Callable = TypeVar("_Callable", bound=Callable[..., object])
_Class = TypeVar("_Class", bound=type)

compiled = False

Int: TypeAlias = int  # int
Bits: TypeAlias = int  # uint64_t
Bytes: TypeAlias = "array[int]"  # uint8_t[::1]
Ints: TypeAlias = "array[int]"  # int32_t[::1]
Words: TypeAlias = "array[int]"  # uint64_t[::1]


EVERY = (1 << 64) - 1
ONE = 1  # as wide as sets are, unlike a literal
# What is grown from sets that have few members together.
NAKED, HIDDEN, FISH, FINNED, BENT, BESIDE = range(6)
# The nodes that are considered, in words of 64: chains go through all of them in turn.
MOST_WORDS = 12
# How many strong links that can follow one are considered.
MOST_NEXT = 32
# How many reasons that promise to be short are measured.
MEASURED = 16
# Among more candidates, which 9x9 hardly has, the first net that fails will do.
MANY = 350
# Stands beside the number of cells of a link that is supposed wrong.
WRONG = 1 << 20


def cfunc(function: _Callable) -> _Callable:
    """Return a function, which is one of C where it is compiled."""
    return function


def exceptval(*, check: bool) -> Callable[[_Callable], _Callable]:
    """Return a decorator for functions of which none fails, so that no caller asks."""
    return lambda function: function


def cclass(kind: _Class) -> _Class:
    """Return a class, which is an extension type where it is compiled, and whose numbers are 0."""
    for name, annotation in kind.__annotations__.items():
        if annotation is int:
            setattr(kind, name, 0)
    return kind


def final(function: _Callable) -> _Callable:
    """Return a method that no later class overrides, so that C calls it directly."""
    return function


def lowest_bit(bits: int) -> int:
    """Return the index of the lowest bit that is set."""
    return (bits & -bits).bit_length() - 1


def count_bits(bits: int) -> int:
    """Return how many bits are set."""
    return bits.bit_count()
