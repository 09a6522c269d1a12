"""What Cython's names mean where the text of a kernel runs as plain Python.

A kernel includes the very file that is its fallback, so that there is one text of both. Where it is
compiled, these names are what ``names.pxi`` says, and nothing of this module is looked at.
"""

from array import array as array  # noqa: TC003 - the texts make arrays
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any as Any
from typing import TypeAlias, TypeVar

_Callable = TypeVar("_Callable", bound=Callable[..., object])
_Class = TypeVar("_Class", bound=type)

compiled = False

Void: TypeAlias = None
Int: TypeAlias = int  # int
Long: TypeAlias = int  # int64_t
Mask: TypeAlias = int  # uint32_t
Bits: TypeAlias = int  # uint64_t

Numbers: TypeAlias = list[int]  # int*, a part of a `Room`
Sets: TypeAlias = list[int]  # uint64_t*

# Memory of numbers. What is given to a kernel is an array of NumPy, or what `to_list` makes of it.
Bytes: TypeAlias = "array[int]"  # uint8_t[::1]
Ints: TypeAlias = "array[int]"  # int32_t[::1]
Words: TypeAlias = "array[int]"  # uint64_t[::1]
Shorts: TypeAlias = Any  # uint16_t[::1]
Longs: TypeAlias = Any  # int64_t[::1]
Masks: TypeAlias = Any  # uint32_t[::1]
GivenBytes: TypeAlias = Any  # const uint8_t[::1]
GivenShorts: TypeAlias = Any  # const uint16_t[::1]
GivenInts: TypeAlias = Any  # const int32_t[::1]
GivenMasks: TypeAlias = Any  # const uint32_t[::1]
GivenWords: TypeAlias = Any  # const uint64_t[::1]
GivenLongs: TypeAlias = Any  # const int64_t[::1]
# Those of two and more dimensions, which `view` makes.
ByteTable: TypeAlias = Any  # const uint8_t[:, ::1]
ShortTable: TypeAlias = Any  # const uint16_t[:, ::1]
ShortCube: TypeAlias = Any  # const uint16_t[:, :, ::1]
ShortTesseract: TypeAlias = Any  # const uint16_t[:, :, :, ::1]
WordTable: TypeAlias = Any  # const uint64_t[:, ::1]
LongTable: TypeAlias = Any  # const int64_t[:, ::1]

EVERY = (1 << 64) - 1
ONE = 1  # as wide as sets are, unlike a literal


def cfunc(function: _Callable) -> _Callable:
    """Return a function, which is one of C where it is compiled."""
    return function


def inline(function: _Callable) -> _Callable:
    """Return a function, which C puts into those that call it."""
    return function


def exceptval(*, check: bool) -> Callable[[_Callable], _Callable]:
    """Return a decorator for functions of which none fails, so that no caller asks."""
    return lambda function: function


class _WithoutLock(nullcontext[None]):
    """A block, or as a decorator a function, that C runs without the lock of the interpreter."""

    def __call__(self, function: _Callable) -> _Callable:
        return function


nogil = _WithoutLock()


def cclass(kind: _Class) -> _Class:
    """Return a class, which is an extension type where it is compiled, and whose numbers are 0."""
    for name, annotation in kind.__annotations__.items():
        if annotation is int:
            setattr(kind, name, 0)
    return kind


_Final = TypeVar("_Final", bound=Callable[..., object])


def final(item: _Final) -> _Final:
    """Return a class without subclasses, or a method that none overrides: C calls it directly."""
    return item


def cast(kind: object, value: int) -> int:
    """Return a number, which is of this type where it is compiled and known to fit."""
    return value


def to_list(values: Any) -> Any:
    """Return the numbers of an array as a list, which is quicker to read and write one by one."""
    return values.tolist()


def view(values: Any) -> Any:
    """Return the numbers of a large array, to read some of them by their indices."""
    return memoryview(values)


class Room:
    """Room for so many numbers and sets, of which parts are taken one after the other."""

    def __init__(self, numbers: int, sets: int = 0) -> None:
        pass

    def take(self, count: int) -> Numbers:
        """Return the next numbers, which are 0."""
        return [0] * count

    def take_sets(self, count: int) -> Sets:
        """Return the next sets, which are empty."""
        return [0] * count


def octets(count: int) -> Any:
    """Return so many zeros, which are bytes where it is compiled."""
    return [0] * count


def shorts(count: int) -> Any:
    """Return so many zeros, in 16 bits where it is compiled."""
    return [0] * count


def ints(count: int, value: int = 0) -> Any:
    """Return a number so many times, in 32 bits where it is compiled."""
    return [value] * count


def words(count: int, value: int = 0) -> Any:
    """Return a set so many times, in 64 bits where it is compiled."""
    return [value] * count


def lowest_bit(bits: int) -> int:
    """Return the index of the lowest bit that is set."""
    return (bits & -bits).bit_length() - 1


def highest_bit(bits: int) -> int:
    """Return the index of the highest bit that is set."""
    return bits.bit_length() - 1


def count_bits(bits: int) -> int:
    """Return how many bits are set."""
    return bits.bit_count()
