"""The first directory of a TIFF: numbered tags and their values, in both byte orders.

::

    II 42 offset | ... | n, then n times: tag type count value-or-offset, then next offset

BigTIFF is the same with 43 for 42 and eight bytes for four.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sudokucrypt.images.source import Source

SIGNATURES: Final = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")

# Bytes of one value, by TIFF type number; and the struct code of those that are whole numbers.
_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4}
_BIG_SIZES = {16: 8, 17: 8, 18: 8}
_CODES = {1: "B", 3: "H", 4: "I", 13: "I", 16: "Q", 18: "Q"}


class Directory:
    """The tags of the first picture in a TIFF, checked to lie inside the file.

    Parameters
    ----------
    source : Source
        The file; it begins with one of `SIGNATURES`.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._order = "<" if source.data.startswith(b"II") else ">"
        big = source.data[:4] in SIGNATURES[2:]
        self._sizes = _SIZES | _BIG_SIZES if big else _SIZES
        self._values: dict[int, list[tuple[int, bytes]]] = {}
        number, count_code, header = ("Q", "Q", 8) if big else ("I", "H", 4)
        if big and self._unpack("HH", 4) != (8, 0):
            raise source.damaged("its offsets have an unknown size")
        (position,) = self._unpack(number, header)
        (count,) = self._unpack(count_code, position)
        position += struct.calcsize(count_code)
        entry = struct.calcsize(f"={'HH' + 2 * number}")
        for start in range(position, position + count * entry, entry):
            self._read_entry(start, number)
        (self.next_directory,) = self._unpack(number, position + count * entry)

    def __contains__(self, tag: int) -> bool:
        return tag in self._values

    def __iter__(self) -> Iterator[int]:
        return iter(self._values)

    def integers(self, tag: int, default: tuple[int, ...] | None = None) -> tuple[int, ...]:
        """Return the whole numbers of a tag that may be there once at most."""
        values = self._values.get(tag, [])
        if not values and default is not None:
            return default
        if len(values) != 1 or values[0][0] not in _CODES or not values[0][1]:
            raise self._source.damaged(f"tag {tag} is missing, repeated or not a number")
        kind, data = values[0]
        return struct.unpack(f"{self._order}{len(data) // self._sizes[kind]}{_CODES[kind]}", data)

    def integer(self, tag: int, default: int | None = None) -> int:
        """Return the only number of a tag."""
        values = self.integers(tag, None if default is None else (default,))
        if len(values) != 1:
            raise self._source.damaged(f"tag {tag} has {len(values)} values, not one")
        return values[0]

    def texts(self, tag: int) -> list[bytes]:
        """Return the texts of a tag; TIFF lets one tag hold several, with zero bytes between."""
        joined = b"\0".join(data for _, data in self._values.get(tag, []))
        return [text for text in joined.split(b"\0") if text]

    def _read_entry(self, start: int, number: str) -> None:
        source = self._source
        tag, kind, count = self._unpack(f"HH{number}", start)
        if kind not in self._sizes:
            raise source.damaged(f"tag {tag} has an unknown type")
        size = count * self._sizes[kind]
        position = start + struct.calcsize(f"=HH{number}")
        if size > struct.calcsize(number):
            (position,) = self._unpack(number, position)
        if position + size > len(source.data):
            raise source.cut_short()
        data = source.data[position : position + size]
        self._values.setdefault(tag, []).append((kind, data))

    def _unpack(self, code: str, position: int) -> tuple[int, ...]:
        layout = struct.Struct(self._order + code)
        if position + layout.size > len(self._source.data):
            raise self._source.cut_short()
        return layout.unpack_from(self._source.data, position)
