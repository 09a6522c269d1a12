"""Pictures, section 4: the kinds of values in the line of a description."""

import math
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from tests.kit.reference import require

MAX_NUMBER = 4294967295
MAX_SIDE = 2147483647
UNITS = ("inch", "meter", None)
READABLE = ("exif", "icc", "resolution", "xmp")
_FRACTION = re.compile("(0|[1-9][0-9]{0,19})(?:/([1-9][0-9]{0,19}))?")


@dataclass(frozen=True)
class Blob:
    """Bytes among the blobs."""


@dataclass(frozen=True)
class Value:
    """A value that stands in the line as it is."""

    fits: Callable[[Any], bool]


@dataclass(frozen=True)
class Many:
    """A list of at least one thing."""

    of: Any


@dataclass(frozen=True)
class Pair:
    """A text and a thing."""

    second: Any


@dataclass(frozen=True)
class Optional:
    """A thing that may be absent."""

    of: Any


def is_text(value: object) -> bool:
    """Whether `value` is a text."""
    return isinstance(value, str)


def is_number(value: object) -> bool:
    """Whether `value` is a number of a description."""
    return type(value) is int and 0 <= value <= MAX_NUMBER


def is_side(value: object) -> bool:
    """Whether `value` is a length or a position on a canvas."""
    return type(value) is int and 0 <= value <= MAX_SIDE


def is_fraction(value: object) -> bool:
    """Whether `value` is the text of a fraction in lowest terms."""
    match = _FRACTION.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return False
    return match[2] != "1" and math.gcd(int(match[1]), int(match[2] or 1)) == 1


def _is_list(value: object, *members: Callable[[Any], bool]) -> bool:
    """Whether `value` is a list of members of which each fits."""
    return (
        isinstance(value, list)
        and len(value) == len(members)
        and all(fits(member) for fits, member in zip(members, value, strict=True))
    )


def is_showing(value: object) -> bool:
    """Whether `value` is a duration, a disposal and a blend."""
    return _is_list(value, is_fraction, is_number, is_number)


def is_resolution(value: object) -> bool:
    """Whether `value` is a resolution of columns and of rows with their unit."""
    return _is_list(value, is_fraction, is_fraction, lambda unit: unit in UNITS)


def is_place(value: object) -> bool:
    """Whether `value` is another position than the first one."""
    return _is_list(value, is_side, is_side) and value != [0, 0]


def is_shape(value: object) -> bool:
    """Whether `value` is the shape of a frame."""
    # Assumed: the lengths are those of the field `shape` of a header, 1..2147483647.
    sides = [lambda side: is_side(side) and side != 0]
    return _is_list(value, *sides * 2) or _is_list(value, *sides * 3)


def is_readable(value: object) -> bool:
    """Whether `value` lists some kinds of metadata, at least one, in their order."""
    if not isinstance(value, list) or not value:
        return False
    return value == [name for name in READABLE if name in value]


def one_of(names: Collection[str]) -> Value:
    """One of the names."""
    return Value(lambda value: isinstance(value, str) and value in names)


def converted(kind: Any, value: Any, blob: Callable[[Any], Any]) -> Any:
    """`value`, checked against its kind, with `blob` applied to blobs in the order of the line."""
    match kind:
        case Blob():
            return blob(value)
        case Value(fits):
            require(fits(value), f"a value of the wrong kind: {value!r:.60}")
            return value
        case Many(of):
            require(isinstance(value, list) and len(value) > 0, "no list of at least one")
            return [converted(of, member, blob) for member in value]
        case Pair(second):
            require(isinstance(value, list) and len(value) == 2, "no pair")
            require(is_text(value[0]), "no text")
            return [value[0], converted(second, value[1], blob)]
        case Optional(of):
            return converted(of, value, blob)
    require(isinstance(value, dict) and value.keys() <= kind.keys(), "unknown fields")
    needed = {name for name, of in kind.items() if not isinstance(of, Optional)}
    require(needed <= value.keys(), "a field is missing")
    return {name: converted(kind[name], value[name], blob) for name in kind if name in value}
