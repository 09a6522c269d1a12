"""Checks of whole numbers that callers pass in."""

from __future__ import annotations

from operator import index

from sudokucrypt.errors import InvalidParameterError


def checked_integer(name: str, value: object, top: int) -> int:
    """Return `value` as an int in 1..top, or raise `InvalidParameterError` naming it."""
    try:
        number = 0 if isinstance(value, bool) else index(value)  # type: ignore[arg-type]
    except TypeError:
        number = 0
    if not 1 <= number <= top:
        raise InvalidParameterError(f"{name} must be an integer in 1..{top}, not {value!r}")
    return number
