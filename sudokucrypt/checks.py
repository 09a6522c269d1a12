"""Checks of the numbers that callers pass in: one home for each, and one form of message."""

from operator import index

from sudokucrypt.errors import InvalidParameterError


def checked_integer(name: str, value: object, *, least: int = 1, most: int | None = None) -> int:
    """Return `value` as an int of at least `least` and at most `most`.

    Parameters
    ----------
    name : str
        What the message calls it, such as ``rounds``.
    value : object
        Whatever the caller gave; NumPy integers count, booleans and floats do not.
    least, most : int, optional
        The range; without `most` it has no upper end.

    Raises
    ------
    InvalidParameterError
        If `value` is anything else.

    Examples
    --------
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
