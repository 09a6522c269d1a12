"""The array interface of grids and puzzles: conversion of integer arrays, pictures in notebooks.

In arrays of users, digits count from 1 and 0 is an open cell, unless `first` and `empty` say
otherwise; internally, digits count from 0 and -1 is an open cell.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from sudokucrypt.errors import InvalidGridError, InvalidParameterError
from sudokucrypt.options import check_integer
from sudokucrypt.typing import AnyArray

if TYPE_CHECKING:
    from sudokucrypt.sudoku.model.sheet_picture import Panel

OPEN = -1  # the internal value of an open cell
_MAX_DRAWN_SIDE = 64  # for more rows or columns, a notebook shows text instead of a picture


def convert_to_integers(cells: ArrayLike) -> AnyArray:
    """Return cells as an array of integers, or raise `InvalidGridError`."""
    try:
        array = np.asarray(cells)
    except ValueError:  # rows of different lengths
        raise InvalidGridError("cells must be integers, in rows of one length") from None
    if array.size and array.dtype.kind not in "iu":
        hint = "from_text reads text" if array.dtype.kind in "SU" else None
        raise InvalidGridError(f"cells must be integers, not {array.dtype}", hint=hint)
    return array


def convert_digits(
    array: AnyArray,
    digits: int,
    name_cell: Callable[[int], str],
    *,
    first: int,
    empty: int | None = None,
    dtype: DTypeLike = np.int32,
) -> AnyArray:
    """Return a copy of a user's array in which digits count from 0 and -1 is an open cell.

    Raises `InvalidGridError` for an integer that is neither a digit nor `empty`; if `empty` is
    None, no cell may be open. `name_cell` returns the name of a cell in that message, given its
    number in reading order. Raises `InvalidParameterError` if `first` is neither 0 nor 1, or
    `empty` is a digit or below -1.
    """
    first = check_integer("first", first, least=0, most=1)
    last_digit = first + digits - 1
    if empty is not None:
        empty = check_integer("empty", empty, least=-1)
        if first <= empty <= last_digit:
            raise InvalidParameterError(
                f"empty is {empty}, but the digits are {first} to {last_digit}"
            )
    is_digit = (array >= first) & (array <= last_digit)
    if not is_digit.all():
        is_invalid = ~is_digit if empty is None else ~is_digit & (array != empty)
        if is_invalid.any():
            cell = int(is_invalid.argmax())
            expected = f"a digit {first} to {last_digit}"
            hint = "set first=0 if the digits count from 0; a grid with open cells is a puzzle"
            if empty is not None:
                expected += f", or {empty} for an open cell"
                hint = "set first and empty to the lowest digit and the value of open cells"
            raise InvalidGridError(
                f"{name_cell(cell)} holds {array.reshape(-1)[cell]}, not {expected}", hint=hint
            )
    converted_digits = array.astype(dtype)
    converted_digits -= first
    if empty != first + OPEN:
        converted_digits[~is_digit] = OPEN
    return converted_digits


class _HasCells(Protocol):
    @property
    def cells(self) -> NDArray[np.int32]: ...

    def panel(self) -> "Panel": ...


class ArrayInterface:
    """The behavior of grids, puzzles and arrays in NumPy and notebooks.

    NumPy converts them to arrays of the digits 1..n, with 0 in open cells and in gaps of the grid.
    """

    __slots__ = ()

    def __array__(
        self: _HasCells, dtype: DTypeLike | None = None, *, copy: bool | None = None
    ) -> AnyArray:
        if copy is False:
            raise ValueError("an array of digits from 1 is always a copy")
        return np.add(self.cells, 1, dtype=np.int32).astype(dtype or np.int32, copy=False)

    def __getitem__(self: _HasCells, key: Any) -> Any:
        """Return the digits at an index of the array of this object."""
        digits = self.cells[key] + 1
        return digits if isinstance(digits, np.ndarray) else int(digits)

    def __len__(self: _HasCells) -> int:
        return len(self.cells)

    def _repr_svg_(self: _HasCells) -> str | None:
        """Return a picture for notebooks, or None if it would be too large."""
        if max(self.cells.shape) > _MAX_DRAWN_SIDE:
            return None
        from sudokucrypt.sudoku.model.sheet_picture import draw_panel

        return draw_panel(self.panel())._repr_svg_()

    def _repr_html_(self) -> str | None:
        """Return the same picture for notebooks that prefer HTML."""
        picture = self._repr_svg_()  # type: ignore[misc] # subclasses have cells
        from html import escape

        return picture and f'<div role="img" aria-label="{escape(repr(self))}">\n{picture}</div>'
