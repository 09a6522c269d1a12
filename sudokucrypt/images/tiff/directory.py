"""TIFF directories: numbered tags and their values, read and written, in both byte orders.

::

    II 42 offset | ... | n, then n times: tag type count value-or-offset, then next offset | ...

BigTIFF is the same with 43 for 42 and eight bytes for four. An EXIF block has this form too.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from sudokucrypt.images.source import Source

# Byte order as the struct module writes it: lower or higher byte first.
ByteOrder: TypeAlias = Literal["<", ">"]

SIGNATURES: Final = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
MAX_PAGES: Final = 10_000  # most directories in a row that are read or written
BYTE, ASCII, SHORT, LONG, RATIONAL, UNDEFINED, LONG8 = 1, 2, 3, 4, 5, 7, 16
"""Types of values by their TIFF numbers; those in use here."""

# Bytes of one value by type, of those that mean the same at any offset.
SIZES: Final = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 129: 1}

# Offsets mean something at their place only; BigTIFF alone has types of eight bytes.
_OFFSET, _OFFSET8 = 13, 18
_CLASSIC_SIZES = SIZES | {_OFFSET: 4}
_BIG_SIZES = _CLASSIC_SIZES | {LONG8: 8, 17: 8, _OFFSET8: 8}
_CODES = {BYTE: "B", SHORT: "H", LONG: "I", _OFFSET: "I", LONG8: "Q", _OFFSET8: "Q"}
_RATIONALS = (5, 10)
_MAX_ENTRIES = 65535
# Pages may share tags; a file that is read over and over again is a bomb.
_MOST_READINGS = 4


class Field(NamedTuple):
    """The values of a tag: their type, and their bytes in the order of the file."""

    kind: int
    data: bytes


@dataclass(frozen=True)
class Tree:
    """A directory by itself: its fields, and the directories that its tags lead to."""

    fields: dict[int, Field] = field(default_factory=dict)
    branches: "dict[int, Tree]" = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.fields or self.branches)


class TiffReader:
    """Finds the directories in a file that begins with one of `SIGNATURES`."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.order: ByteOrder = "<" if source.data.startswith(b"II") else ">"
        big = source.data[:4] in SIGNATURES[2:]
        self.sizes = _BIG_SIZES if big else _CLASSIC_SIZES
        self.offset_code, self.count_code = ("Q", "Q") if big else ("I", "H")
        self._readable = _MOST_READINGS * len(source.data)
        if big and self.unpack("HH", 4) != (8, 0):
            raise source.damaged("its offsets have an unknown size")
        (self._first,) = self.unpack(self.offset_code, 8 if big else 4)

    def chain(self) -> "Iterator[Directory]":
        """Yield the first directory and all that follow it."""
        position, seen = self._first, set[int]()
        while position:
            if position in seen:
                raise self.source.damaged("its pages form a ring")
            if len(seen) == MAX_PAGES:
                raise self.source.unsupported(f"a TIFF with more than {MAX_PAGES} pages")
            seen.add(position)
            directory = Directory(self, position)
            yield directory
            position = directory.following

    def unpack(self, code: str, position: int) -> tuple[int, ...]:
        """Return numbers that are somewhere in the file."""
        layout = struct.Struct(self.order + code)
        return layout.unpack(self.view(position, layout.size))

    def view(self, start: int, size: int) -> memoryview:
        """Return bytes of the file, and count them."""
        if start + size > len(self.source.data):
            raise self.source.cut_short()
        self._readable -= size
        if self._readable < 0:
            raise self.source.damaged("its parts overlap")
        return memoryview(self.source.data)[start : start + size]


class Directory:
    """The tags of the directory at a position, checked to lie inside the file."""

    def __init__(self, reader: TiffReader, position: int) -> None:
        self._reader = reader
        self._places: dict[int, list[tuple[int, int, int]]] = {}
        (count,) = reader.unpack(reader.count_code, position)
        if count > _MAX_ENTRIES:
            raise reader.source.damaged(f"it claims {count} tags")
        position += struct.calcsize(reader.count_code)
        room = struct.calcsize(reader.offset_code)
        entry = struct.Struct(f"{reader.order}HH{reader.offset_code}{room}s")
        lines = reader.view(position, count * entry.size)
        for tag, kind, length, value in entry.iter_unpack(lines):
            if kind not in reader.sizes:
                raise reader.source.damaged(f"tag {tag} has an unknown type")
            size = length * reader.sizes[kind]
            start = position + 4 + room
            if size > room:
                (start,) = struct.unpack(reader.order + reader.offset_code, value)
            if start + size > len(reader.source.data):
                raise reader.source.cut_short()
            self._places.setdefault(tag, []).append((kind, start, size))
            position += entry.size
        (self.following,) = reader.unpack(reader.offset_code, position)

    def __contains__(self, tag: object) -> bool:
        return tag in self._places

    def __iter__(self) -> Iterator[int]:
        return iter(self._places)

    def fields(self, tag: int) -> list[Field]:
        """Return the values of a tag, once for each time that it is there."""
        return [
            Field(kind, bytes(self._reader.view(start, size)))
            for kind, start, size in self._places.get(tag, ())
        ]

    def integers(self, tag: int, default: tuple[int, ...] | None = None) -> tuple[int, ...]:
        """Return the whole numbers of a tag that may be there once at most."""
        fields = self.fields(tag)
        if not fields and default is not None:
            return default
        if len(fields) != 1 or fields[0].kind not in _CODES or not fields[0].data:
            raise self._reader.source.damaged(f"tag {tag} is missing, repeated or not a number")
        kind, data = fields[0]
        count = len(data) // self._reader.sizes[kind]
        return struct.unpack(f"{self._reader.order}{count}{_CODES[kind]}", data)

    def integer(self, tag: int, default: int | None = None) -> int:
        """Return the only number of a tag."""
        values = self.integers(tag, None if default is None else (default,))
        if len(values) != 1:
            raise self._reader.source.damaged(f"tag {tag} has {len(values)} values, not one")
        return values[0]

    def at(self, position: int) -> "Directory":
        """Return another directory of the file."""
        return Directory(self._reader, position)


def numbers(kind: int, *values: int, order: ByteOrder) -> Field:
    """Return whole numbers as the field of a tag."""
    return Field(kind, struct.pack(f"{order}{len(values)}{_CODES[kind]}", *values))


def reordered(value: Field, before: ByteOrder, after: ByteOrder) -> Field:
    """Return a field for a file of another byte order; bytes of type `UNDEFINED` stay."""
    if before == after:
        return value
    size = SIZES[value.kind] // (2 if value.kind in _RATIONALS else 1)
    return Field(value.kind, np.frombuffer(value.data, f"u{size}").byteswap().tobytes())


def serialize(tree: Tree, start: int, *, order: ByteOrder, big: bool = False) -> bytes:
    """Return a directory, its values and its branches, of an even number of bytes.

    They go to `start` in the file. The fields have the byte order already.
    """
    offset_code, count_code = ("Q", "Q") if big else ("I", "H")
    room = struct.calcsize(offset_code)
    tags = sorted(tree.fields.keys() | tree.branches.keys())
    lines = bytearray(struct.pack(order + count_code, len(tags)))
    behind = start + len(lines) + len(tags) * (4 + 2 * room) + room
    body = bytearray()
    for tag in tags:
        position_of_value = behind + len(body)
        if tag in tree.branches:
            kind, count = (_OFFSET8 if big else LONG), 1
            value = struct.pack(order + offset_code, position_of_value)
            body += serialize(tree.branches[tag], position_of_value, order=order, big=big)
        else:
            kind, value = tree.fields[tag]
            count = len(value) // SIZES.get(kind, 8)
            if len(value) > room:
                body += value + b"\0" * (len(value) % 2)
                value = struct.pack(order + offset_code, position_of_value)
        lines += struct.pack(f"{order}HH{offset_code}", tag, kind, count) + value.ljust(room, b"\0")
    lines += struct.pack(order + offset_code, 0)
    return bytes(lines + body)
