"""The array interface of sheets: integer arrays in and out, and pictures in notebooks.

Outside, digits count from 1 and 0 is an open cell, unless `first` and `empty` say otherwise;
inside, digits count from 0 and -1 is an open cell.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from sudokucrypt.errors import InvalidGridError, InvalidParameterError
from sudokucrypt.options import checked_integer
from sudokucrypt.typing import AnyArray

if TYPE_CHECKING:
    from sudokucrypt.sudoku.model.sheet_picture import Panel

OPEN = -1  # in place of the digit of an open cell
_MOST_DRAWN = 64  # rows or columns beyond which a notebook shows the text form


def integers(cells: ArrayLike) -> AnyArray:
    """Return cells as an array of integers, or raise `InvalidGridError`."""
    try:
        array = np.asarray(cells)
    except ValueError:  # rows of different lengths
        raise InvalidGridError("cells must be integers, in rows of one length") from None
    if array.size and array.dtype.kind not in "iu":
        text = "from_text reads text" if array.dtype.kind in "SU" else None
        raise InvalidGridError(f"cells must be integers, not {array.dtype}", hint=text)
    return array


def from_outside(
    array: AnyArray,
    digits: int,
    name_of: Callable[[int], str],
    *,
    first: int,
    empty: int | None = None,
    dtype: DTypeLike = np.int32,
) -> AnyArray:
    """Return a copy of integers from outside in which digits count from 0 and -1 is open.

    `InvalidGridError` for an integer that is neither a digit nor `empty`; with None no cell may be
    open. `name_of` returns what the message calls a cell, by its number in reading order.
    `InvalidParameterError` if `first` is neither 0 nor 1, or `empty` is a digit or below -1.
    """
    first = checked_integer("first", first, least=0, most=1)
    last = first + digits - 1
    if empty is not None:
        empty = checked_integer("empty", empty, least=-1)
        if first <= empty <= last:
            raise InvalidParameterError(f"empty is {empty}, but the digits are {first} to {last}")
    given = (array >= first) & (array <= last)
    if not given.all():
        wrong = ~given if empty is None else ~given & (array != empty)
        if wrong.any():
            cell = int(wrong.argmax())
            expected = f"a digit {first} to {last}"
            hint = "say first=0 if the digits count from 0; a sheet with open cells is a puzzle"
            if empty is not None:
                expected += f", or {empty} for an open cell"
                hint = "the arguments first and empty say how the array counts"
            raise InvalidGridError(
                f"{name_of(cell)} holds {array.reshape(-1)[cell]}, not {expected}",
                hint=hint,
            )
    inside = array.astype(dtype)
    inside -= first
    if empty != first + OPEN:
        inside[~given] = OPEN
    return inside


class _Sheet(Protocol):
    @property
    def cells(self) -> NDArray[np.int32]: ...

    def panel(self) -> "Panel": ...


class Displayed:
    """How grids, puzzles and arrays appear in NumPy and notebooks.

    To NumPy they are arrays of the digits 1..n, with 0 in open cells and where a sheet has no cell.
    """

    __slots__ = ()

    def __array__(
        self: _Sheet, dtype: DTypeLike | None = None, *, copy: bool | None = None
    ) -> AnyArray:
        if copy is False:
            raise ValueError("an array of digits from 1 is always a copy")
        return np.add(self.cells, 1, dtype=np.int32).astype(dtype or np.int32, copy=False)

    def __getitem__(self: _Sheet, key: Any) -> Any:
        """Return digits as the array of this sheet has them."""
        digits = self.cells[key] + 1
        return digits if isinstance(digits, np.ndarray) else int(digits)

    def __len__(self: _Sheet) -> int:
        return len(self.cells)

    def _repr_svg_(self: _Sheet) -> str | None:
        """Return a picture for notebooks, or None where it would be too large."""
        if max(self.cells.shape) > _MOST_DRAWN:
            return None
        from sudokucrypt.sudoku.model.sheet_picture import draw_panel

        return draw_panel(self.panel())._repr_svg_()

    def _repr_html_(self) -> str | None:
        """Return the same picture for notebooks that prefer HTML."""
        picture = self._repr_svg_()  # type: ignore[misc] # each sheet has cells
        from html import escape

        return picture and f'<div role="img" aria-label="{escape(repr(self))}">\n{picture}</div>'
