"""TIFF directories: numbered tags and their values, read and written, in both byte orders.

::

    II 42 offset | ... | n, then n times: tag type count value-or-offset, then next offset | ...

BigTIFF is the same with 43 for 42 and eight bytes for four.

An EXIF block is a TIFF file without a picture: a header, a directory of tags about the file, and
below it directories about the shot (EXIF) and the place (GPS)::

    II 42 8 | camera, orientation, time, EXIF -> , GPS -> | EXIF tags, interoperability -> | ...

Blocks are not interpreted. A maker's note stays as it is, byte for byte; where it holds offsets,
they count from the start of the block that the camera wrote, and are wrong as soon as any program
moves the note, as this one does.
"""

import struct
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias

from sudokucrypt.errors import SudokucryptError
from sudokucrypt.images.driver import Source

# Tags of TIFF 6.0 and its supplements that say how samples are stored.
COLUMNS, ROWS, BITS, COMPRESSION, PHOTOMETRIC, FILL_ORDER = 256, 257, 258, 259, 262, 266
STRIP_OFFSETS, CHANNELS, ROWS_PER_STRIP, STRIP_SIZES, PLANES = 273, 277, 278, 279, 284
PREDICTOR, COLOR_MAP, EXTRA_SAMPLES, SAMPLE_FORMAT = 317, 320, 338, 339
TILE_COLUMNS, TILE_ROWS, TILE_OFFSETS, TILE_SIZES = 322, 323, 324, 325
INK_SET, JPEG_TABLES = 332, 347
SUBFILE, OLD_SUBFILE, SUB_DIRECTORIES = 254, 255, 330
THUMBNAIL, THUMBNAIL_SIZE = 513, 514
SLICES: Final = 32997  # of a volume, as Silicon Graphics has it
# Tags that say what the picture is; they are metadata.
DESCRIPTION, ORIENTATION, XMP, PROFILE = 270, 274, 700, 34675
COLUMN_DENSITY, ROW_DENSITY, DENSITY_UNIT = 282, 283, 296

# Tags that say how the samples are stored, or where something is.
STRUCTURE: Final = frozenset(
    {
        *range(254, 263),
        *(266, 273, 277, 278, 279, 284, 288, 289, 292, 293, 317, 320, 338, 339, 347),
        *range(322, 326),
        *(330, *range(512, 522)),
    }
)

# Values of the tag for compression, with those of later supplements and libtiff.
NOT_COMPRESSED, LZW, JPEG, DEFLATE = 1, 5, 7, 8
PACKBITS, OLD_DEFLATE, ZSTD = 32773, 32946, 50000
DIFFERENCES, FLOAT_DIFFERENCES = 2, 3  # predictors
# Compressions of the JPEG family; only one of them is read.
LOSSY: Final = (6, JPEG, 33003, 33005, 34712, 34892)

WHITE_IS_ZERO, BLACK_IS_ZERO, RGB, PALETTE, CMYK, YCBCR = 0, 1, 2, 3, 5, 6
KINDS: Final = {1: "u", 2: "i", 3: "f"}  # NumPy's letters for the kinds of samples
# Bits of a sample that are kept as they are, by those letters.
DEPTHS: Final = {"u": (1, 8, 16, 32, 64), "i": (8, 16, 32, 64), "f": (16, 32, 64)}
# What extra samples are that colors are multiplied with, or not.
MULTIPLIED_ALPHA, PLAIN_ALPHA = 1, 2


# Byte order as the struct module writes it: lower or higher byte first.
ByteOrder: TypeAlias = Literal["<", ">"]

SIGNATURES: Final = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
MAX_PAGES: Final = 10_000  # most directories in a row that are read or written
MAX_ENTRIES: Final = 65535  # tags of a directory
BYTE, ASCII, SHORT, LONG, RATIONAL, UNDEFINED, LONG8 = 1, 2, 3, 4, 5, 7, 16
"""Types of values by their TIFF numbers; those in use here."""

# Bytes of one value by type, of those that mean the same at any offset.
SIZES: Final = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 129: 1}

# Offsets mean something at their place only; BigTIFF alone has types of eight bytes.
_OFFSET, _OFFSET8 = 13, 18
_CLASSIC_SIZES = SIZES | {_OFFSET: 4}
_BIG_SIZES = _CLASSIC_SIZES | {LONG8: 8, 17: 8, _OFFSET8: 8}
_CODES = {BYTE: "B", SHORT: "H", LONG: "I", _OFFSET: "I", LONG8: "Q", _OFFSET8: "Q"}
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
            raise source.report_damage("its offsets have an unknown size")
        (self._first,) = self.unpack(self.offset_code, 8 if big else 4)

    def chain(self) -> "Iterator[Directory]":
        """Yield the first directory and all that follow it."""
        position, seen = self._first, set[int]()
        while position:
            if position in seen:
                raise self.source.report_damage("its pages form a ring")
            if len(seen) == MAX_PAGES:
                raise self.source.refuse_kind(f"a TIFF with more than {MAX_PAGES} pages")
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
            raise self.source.report_cut()
        self._readable -= size
        if self._readable < 0:
            raise self.source.report_damage("its parts overlap")
        return memoryview(self.source.data)[start : start + size]


class Directory:
    """The tags of the directory at a position, checked to lie inside the file."""

    def __init__(self, reader: TiffReader, position: int) -> None:
        self._reader = reader
        self._places: dict[int, list[tuple[int, int, int]]] = {}
        (count,) = reader.unpack(reader.count_code, position)
        if count > MAX_ENTRIES:
            raise reader.source.report_damage(f"it claims {count} tags")
        position += struct.calcsize(reader.count_code)
        room = struct.calcsize(reader.offset_code)
        entry = struct.Struct(f"{reader.order}HH{reader.offset_code}{room}s")
        lines = reader.view(position, count * entry.size)
        for tag, kind, length, value in entry.iter_unpack(lines):
            if kind not in reader.sizes:
                raise reader.source.report_damage(f"tag {tag} has an unknown type")
            size = length * reader.sizes[kind]
            start = position + 4 + room
            if size > room:
                (start,) = struct.unpack(reader.order + reader.offset_code, value)
            if start + size > len(reader.source.data):
                raise reader.source.report_cut()
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
        """Return the whole numbers of a tag; `InvalidImageError` if the tag is repeated."""
        fields = self.fields(tag)
        if not fields and default is not None:
            return default
        if len(fields) != 1 or fields[0].kind not in _CODES or not fields[0].data:
            raise self._reader.source.report_damage(
                f"tag {tag} is missing, repeated or not a number"
            )
        kind, data = fields[0]
        count = len(data) // self._reader.sizes[kind]
        return struct.unpack(f"{self._reader.order}{count}{_CODES[kind]}", data)

    def integer(self, tag: int, default: int | None = None) -> int:
        """Return the only number of a tag."""
        values = self.integers(tag, None if default is None else (default,))
        if len(values) != 1:
            raise self._reader.source.report_damage(f"tag {tag} has {len(values)} values, not one")
        return values[0]

    def at(self, position: int) -> "Directory":
        """Return another directory of the file."""
        return Directory(self._reader, position)


def numbers(kind: int, *values: int, order: ByteOrder) -> Field:
    """Return whole numbers as the field of a tag."""
    return Field(kind, struct.pack(f"{order}{len(values)}{_CODES[kind]}", *values))


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


Branches: TypeAlias = "Mapping[int, Branches]"
# Tags whose values are offsets of directories.
EXIF, GPS, INTEROPERABILITY = 34665, 34853, 40965
# The tags that lead to directories, and those below them.
BRANCHES: Final[Branches] = {EXIF: {INTEROPERABILITY: {}}, GPS: {}}

# The tags of a TIFF page that belong to EXIF, besides the directories.
PAGE_TAGS: Final = frozenset(
    {
        *(271, 272, 274, 306, 316),  # make, model, orientation, time, computer
        *(529, 530, 531, 532),  # how a JPEG mixes colors
        *(18246, 18249, 40091, 40092, 40093, 40094, 40095),  # rating, title and such of Windows
        50341,  # print image matching
    }
)


@dataclass(frozen=True)
class Block:
    """The content of an EXIF block, and whether a thumbnail follows it."""

    order: ByteOrder
    tree: Tree
    thumbnail: bool

    @classmethod
    def parse(cls, data: bytes | None) -> "Block | None":
        """Return the content of a block, or None if there is no block or it cannot be read."""
        if data is None or not data.startswith(SIGNATURES[:2]):
            return None
        try:
            reader = TiffReader(Source(data, "EXIF", 0))
            top = next(reader.chain(), None)
            if top is None:
                return None
            return cls(reader.order, read_tree(top, top, BRANCHES), bool(top.following))
        except SudokucryptError:
            return None


def read_tree(directory: Directory, tags: Container[int], branches: Branches) -> Tree:
    """Return these tags of a directory, and the directories below it."""
    fields = {
        tag: first
        for tag in directory
        if tag in tags
        and tag not in branches
        # Offsets would lead nowhere.
        and (first := directory.fields(tag)[0]).kind in SIZES
    }
    below = {}
    for tag, deeper in branches.items():
        if tag in directory:
            branch = directory.at(directory.integer(tag))
            below[tag] = read_tree(branch, branch, deeper)
    return Tree(fields, below)


def build(order: ByteOrder, tree: Tree) -> bytes | None:
    """Return the block of these tags, or none if there are none."""
    if not tree:
        return None
    magic = SIGNATURES[0] if order == "<" else SIGNATURES[1]
    return magic + struct.pack(order + "I", 8) + serialize(tree, 8, order=order)
