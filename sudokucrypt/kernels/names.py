"""Define the names of Cython and of C types for kernel sources that run as plain Python.

A compiled kernel includes the file of its fallback, so both have one source. In the compiled
kernel ``names.pxi`` defines these names, and this module is not imported.
"""

from array import array as array  # noqa: TC003 - kernels import it from here
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

# Arrays of numbers. The arguments of a kernel are NumPy arrays, or lists that `to_list` makes from
# NumPy arrays.
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
# Arrays of two and more dimensions, which `view` makes.
ByteTable: TypeAlias = Any  # const uint8_t[:, ::1]
ShortTable: TypeAlias = Any  # const uint16_t[:, ::1]
ShortCube: TypeAlias = Any  # const uint16_t[:, :, ::1]
ShortTesseract: TypeAlias = Any  # const uint16_t[:, :, :, ::1]
WordTable: TypeAlias = Any  # const uint64_t[:, ::1]
LongTable: TypeAlias = Any  # const int64_t[:, ::1]

EVERY = (1 << 64) - 1
ONE = 1  # has 64 bits in C, unlike a literal


def cfunc(function: _Callable) -> _Callable:
    """Return the function unchanged; Cython compiles it to a C function."""
    return function


def inline(function: _Callable) -> _Callable:
    """Return the function unchanged; Cython inlines it into its callers."""
    return function


def exceptval(*, check: bool) -> Callable[[_Callable], _Callable]:
    """Return a decorator of functions that never raise; in C, callers do not check for errors."""
    return lambda function: function


class _WithoutLock(nullcontext[None]):
    """A context manager and decorator of code that runs without the interpreter lock in C."""

    def __call__(self, function: _Callable) -> _Callable:
        return function


nogil = _WithoutLock()


def cclass(kind: _Class) -> _Class:
    """Return the class, with integer fields set to 0; Cython compiles it to an extension type."""
    for name, annotation in kind.__annotations__.items():
        if annotation is int:
            setattr(kind, name, 0)
    return kind


_Final = TypeVar("_Final", bound=Callable[..., object])


def final(item: _Final) -> _Final:
    """Mark a class as never subclassed, or a method as never overridden, for direct calls in C."""
    return item


def cast(kind: object, value: int) -> int:
    """Return the number; in Cython, convert it to the type `kind`, which must be large enough."""
    return value


def to_list(values: Any) -> Any:
    """Return the numbers of an array as a list, whose items Python reads and writes faster."""
    return values.tolist()


def view(values: Any) -> Any:
    """Return a view of a large array, for reading single items."""
    return memoryview(values)


class Room:
    """A block of memory for integers and sets; its parts are handed out one after the other."""

    def __init__(self, number_count: int, set_count: int = 0) -> None:
        pass

    def take(self, count: int) -> Numbers:
        """Return the next `count` integers, all 0."""
        return [0] * count

    def take_sets(self, count: int) -> Sets:
        """Return the next `count` sets, all empty."""
        return [0] * count


def octets(count: int) -> Any:
    """Return `count` zeros, as bytes when compiled."""
    return [0] * count


def shorts(count: int) -> Any:
    """Return `count` zeros, as 16-bit integers when compiled."""
    return [0] * count


def ints(count: int, value: int = 0) -> Any:
    """Return `count` copies of a number, as 32-bit integers when compiled."""
    return [value] * count


def words(count: int, value: int = 0) -> Any:
    """Return `count` copies of a set, as 64-bit integers when compiled."""
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
