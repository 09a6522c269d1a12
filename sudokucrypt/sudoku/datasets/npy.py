"""Puzzles in arrays of NumPy (.npy and .npz), read row by row."""

import struct
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import zip_longest
from tokenize import TokenError
from typing import BinaryIO, NamedTuple, cast
from zipfile import BadZipFile, ZipFile

import numpy as np

from sudokucrypt.errors import InvalidGridError
from sudokucrypt.sudoku.datasets.columns import Pair
from sudokucrypt.sudoku.formats.columns import COLUMNS, PUZZLES
from sudokucrypt.typing import AnyArray

NUMPY = b"\x93NUMPY"
"""The first bytes of such a file."""

ZIP = b"PK\x03\x04"
"""The first bytes of an archive."""

_CELLS = 81
_TOGETHER = 1 << 22  # bytes
_HIGHEST = 10  # of digits that are one too high
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


def array_pairs(file: BinaryIO, name: str, notes: list[str]) -> Iterator[Pair]:
    """Yield the puzzles and solutions of an array of digits, 0 in open cells.

    It has the shape (N, 81) or (N, 9, 9), or is a record array with such fields. Where the digits
    are one too high, as in the arrays of HRM and TRM, `notes` says so. `InvalidGridError` for other
    arrays, which messages call `name`.
    """
    layout = _layout(file, name)
    size = max(1, _TOGETHER // layout.dtype.itemsize)
    lowest: list[int] = []
    for start in range(0, layout.rows, size):
        count = min(size, layout.rows - start)
        data = file.read(count * layout.dtype.itemsize)
        if len(data) < count * layout.dtype.itemsize:
            raise InvalidGridError(f"'{name}' ends before its last row")
        part = np.frombuffer(data, dtype=layout.dtype)
        columns = [None if field is None else part[field] for field in layout.fields]
        # The first rows decide for all: they hold a cell that is open, and a 9.
        lowest = lowest or [0 if column is None else _lowest(column) for column in columns]
        if start == 0 and any(lowest):
            notes.append("the digits are one too high, as HRM and TRM write them")
        yield from map(Pair, *(
            [None] * count if column is None else _texts(column - low)
            for column, low in zip(columns, lowest, strict=True)
        ))  # fmt: skip


def _lowest(digits: AnyArray) -> int:
    """Return what stands for 0: 1 where the digits are 2 to 10, and 1 in open cells."""
    return int(bool(digits.size) and 1 <= digits.min() < digits.max() == _HIGHEST)


def archive_pairs(file: BinaryIO, name: str, notes: list[str]) -> Iterator[Pair]:
    """Yield the puzzles and solutions of arrays with known names in an archive (.npz)."""
    if not file.seekable():
        raise InvalidGridError(f"'{name}' is an archive, which is read from a file only")
    try:
        with ZipFile(file) as archive:
            members = {
                member.removesuffix(".npy").lower(): member
                for member in archive.namelist()
                if member.endswith(".npy")
            }
            names = (PUZZLES, COLUMNS["solution"])
            known = [next((members[n] for n in kind if n in members), None) for kind in names]
            if known[0] is None and len(members) == 1:
                known[0] = next(iter(members.values()))
            if known[0] is None:
                hint = "call one 'puzzles', as in np.savez" if members else "unpack it first"
                raise InvalidGridError(f"'{name}' has no array of puzzles", hint=hint)
            with ExitStack() as stack:
                files = [stack.enter_context(archive.open(one)) for one in known if one]
                parts = [array_pairs(cast("BinaryIO", one), name, notes) for one in files]
                if len(parts) == 1:
                    yield from parts[0]
                else:
                    yield from (
                        Pair(puzzle.puzzle, solution and solution.puzzle)
                        for puzzle, solution in zip_longest(*parts, fillvalue=Pair(None))
                    )
    except InvalidGridError:
        raise
    except (
        BadZipFile, zlib.error, struct.error, ValueError, KeyError, RuntimeError, EOFError, OSError,
    ) as error:  # fmt: skip
        raise InvalidGridError(f"'{name}' is a damaged archive") from error


def _layout(file: BinaryIO, name: str) -> _Layout:
    """Read the header."""
    try:
        shape, turned, dtype = _HEADERS[np.lib.format.read_magic(file)](file)
        if dtype.names is None:
            dtype = np.dtype([("puzzle", dtype, shape[1:])])
    except (ValueError, KeyError, TypeError, SyntaxError, TokenError, RecursionError, MemoryError):
        raise InvalidGridError(f"'{name}' is a damaged array") from None
    digits = {
        field: part
        for field, (part, *_) in (dtype.fields or {}).items()
        if part.shape in _SHAPES and part.base.kind in "iu"
    }
    fields = [
        next((field for field in (dtype.names or ()) if field in digits and field in names), None)
        for names in (PUZZLES, COLUMNS["solution"])
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
