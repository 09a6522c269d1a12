"""Puzzles in arrays of NumPy (.npy), read row by row."""

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

import numpy as np

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.datasets.columns import COLUMNS, Pair
from sudokucrypt.typing import AnyArray

NUMPY = b"\x93NUMPY"
"""The first bytes of such a file."""

_CELLS = 81
_TOGETHER = 1 << 22  # bytes
_SHAPES = ((_CELLS,), (9, 9))
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


class _Layout(NamedTuple):
    """How many rows there are, of which type, and the fields of puzzle and solution."""

    rows: int
    dtype: np.dtype[np.void]
    fields: list[str | None]


def array_pairs(file: BinaryIO, name: str) -> Iterator[Pair]:
    """Yield the puzzles and solutions of an array of digits, 0 in open cells.

    It has the shape (N, 81) or (N, 9, 9), or is a record array with such fields.
    `InvalidGridError` for other arrays, which messages call `name`.
    """
    layout = _layout(file, name)
    size = max(1, _TOGETHER // layout.dtype.itemsize)
    for start in range(0, layout.rows, size):
        count = min(size, layout.rows - start)
        data = file.read(count * layout.dtype.itemsize)
        if len(data) < count * layout.dtype.itemsize:
            raise InvalidGridError(f"'{name}' ends before its last row")
        part = np.frombuffer(data, dtype=layout.dtype)
        texts = [
            [None] * count if field is None else _texts(part[field]) for field in layout.fields
        ]
        yield from map(Pair, *texts)


def _layout(file: BinaryIO, name: str) -> _Layout:
    """Read the header."""
    try:
        shape, turned, dtype = _HEADERS[np.lib.format.read_magic(file)](file)
        if dtype.names is None:
            dtype = np.dtype([("puzzle", dtype, shape[1:])])
    except (ValueError, KeyError):
        raise InvalidGridError(f"'{name}' is a damaged array") from None
    digits = {
        field: part
        for field, (part, *_) in (dtype.fields or {}).items()
        if part.shape in _SHAPES and part.base.kind in "iu"
    }
    fields = [
        next((field for field in (dtype.names or ()) if field in digits and field in names), None)
        for names in ((*COLUMNS["givens"], *COLUMNS["grid"]), COLUMNS["solution"])
    ]
    # In Fortran order a row is not in one piece.
    rows = len(shape) > 0 and (len(shape) == 1 or not turned)
    if not rows or fields[0] is None or dtype.itemsize > _TOGETHER:
        raise InvalidGridError(
            f"'{name}' is no array of puzzles",
            hint="one has the shape (N, 81), or is a record array with fields of this shape",
        )
    return _Layout(shape[0], dtype, fields)


def _texts(digits: AnyArray) -> list[str]:
    """Write rows of digits as lines, with ? for what is no digit."""
    cells = digits.reshape(-1, _CELLS)
    symbols = np.where((cells >= 0) & (cells <= 9), cells + ord("0"), ord("?")).astype(np.uint8)
    text = symbols.tobytes().decode("ascii")
    return [text[start : start + _CELLS] for start in range(0, len(text), _CELLS)]
