"""Checks of the numbers that callers pass in: one home for each, and one form of message."""

from operator import index

from sudokucrypt.errors import InvalidParameterError


def checked_integer(name: str, value: object, *, least: int = 1, most: int | None = None) -> int:
    """Return `value` as an int of at least `least` and at most `most`, or without an upper end.

    Integers of NumPy count, booleans and floats do not. Raises `InvalidParameterError` if `value`
    is anything else, with its `name`, such as ``rounds``.

    >>> checked_integer("rounds", 3, most=255)
    3
    """
    try:
        number = None if isinstance(value, bool) else index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None or number < least or (most is not None and number > most):
        allowed = f"of {least} or more" if most is None else f"in {least}..{most}"
        raise InvalidParameterError(f"{name} must be an integer {allowed}, not {value!r}")
    return number
