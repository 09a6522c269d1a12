"""Counts and limits that callers give: whole numbers that are not too small."""

from __future__ import annotations

from operator import index

from sudokucrypt.errors import InvalidParameterError


def checked_count(name: str, value: int, *, least: int) -> int:
    """Return an integer of any type as a plain one; a truth value is none.

    Raises
    ------
    InvalidParameterError
        If it is below `least` or no integer; the message begins with `name`.

    Examples
    --------
    >>> checked_count("the limit", 3, least=1)
    3
    """
    try:
        number = least - 1 if isinstance(value, bool) else index(value)
    except TypeError:
        number = least - 1
    if number < least:
        raise InvalidParameterError(f"{name} is an integer of {least} or more, not {value!r}")
    return number
