"""Read and write TIFF directories: numbered tags and their values, in both byte orders.

::

    II 42 offset | ... | n, then n times: tag type count value-or-offset, then next offset | ...

BigTIFF has 43 instead of 42, and offsets and counts of eight bytes.

An EXIF block is a TIFF file without a picture: a header, a directory of tags about the file, and
below it directories about the photograph (EXIF) and the position (GPS)::

    II 42 8 | camera, orientation, time, EXIF -> , GPS -> | EXIF tags, interoperability -> | ...

The values are not interpreted. A maker's note is copied byte for byte. If it contains offsets, they
count from the start of the block that the camera wrote, and become wrong when any program moves the
note, as this package does.
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
SLICES: Final = 32997  # the number of slices of a volume, defined by Silicon Graphics
# Tags of metadata.
DESCRIPTION, ORIENTATION, XMP, PROFILE = 270, 274, 700, 34675
COLUMN_DENSITY, ROW_DENSITY, DENSITY_UNIT = 282, 283, 296

# Tags that describe how the samples are stored, or contain offsets.
STRUCTURE_TAGS: Final = frozenset(
    {
        *range(254, 263),
        *(266, 273, 277, 278, 279, 284, 288, 289, 292, 293, 317, 320, 338, 339, 347),
        *range(322, 326),
        *(330, *range(512, 522)),
    }
)

# Values of the tag for compression, including values of later supplements and of libtiff.
NOT_COMPRESSED, LZW, JPEG, DEFLATE = 1, 5, 7, 8
PACKBITS, OLD_DEFLATE, ZSTD = 32773, 32946, 50000
DIFFERENCES, FLOAT_DIFFERENCES = 2, 3  # predictors
# Compressions of the JPEG family, of which only `JPEG` is read.
LOSSY_COMPRESSIONS: Final = (6, JPEG, 33003, 33005, 34712, 34892)

WHITE_IS_ZERO, BLACK_IS_ZERO, RGB, PALETTE, CMYK, YCBCR = 0, 1, 2, 3, 5, 6
SAMPLE_KINDS: Final = {1: "u", 2: "i", 3: "f"}  # NumPy's letters for the values of `SAMPLE_FORMAT`
# The supported numbers of bits of a sample, by these letters.
DEPTHS: Final = {"u": (1, 8, 16, 32, 64), "i": (8, 16, 32, 64), "f": (16, 32, 64)}
# Values of `EXTRA_SAMPLES`: colors are multiplied by their alpha, or they are not.
MULTIPLIED_ALPHA, PLAIN_ALPHA = 1, 2


# Byte order in the notation of the struct module: little-endian or big-endian.
ByteOrder: TypeAlias = Literal["<", ">"]

SIGNATURES: Final = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
MAX_PAGES: Final = 10_000  # maximum number of directories in sequence
MAX_ENTRIES: Final = 65535  # maximum number of tags of a directory
BYTE, ASCII, SHORT, LONG, RATIONAL, UNDEFINED, LONG8 = 1, 2, 3, 4, 5, 7, 16
"""The TIFF numbers of the types of values that are used here."""

# The size in bytes of one value of each type, except types of offsets.
TYPE_SIZES: Final = {
    1: 1,
    2: 1,
    3: 2,
    4: 4,
    5: 8,
    6: 1,
    7: 1,
    8: 2,
    9: 4,
    10: 8,
    11: 4,
    12: 8,
    129: 1,
}

# Values of these types are offsets, which would be wrong in a copy. The second type, with offsets
# of eight bytes, occurs only in BigTIFF.
_OFFSET_TYPE, _OFFSET8_TYPE = 13, 18
_CLASSIC_TYPE_SIZES = TYPE_SIZES | {_OFFSET_TYPE: 4}
_BIG_TYPE_SIZES = _CLASSIC_TYPE_SIZES | {LONG8: 8, 17: 8, _OFFSET8_TYPE: 8}
_STRUCT_CODES = {
    BYTE: "B",
    SHORT: "H",
    LONG: "I",
    _OFFSET_TYPE: "I",
    LONG8: "Q",
    _OFFSET8_TYPE: "Q",
}
# Pages may share values, so bytes may be read several times. A file that needs more reads per byte
# than this is refused as hostile.
_MAX_READS_PER_BYTE = 4


class Field(NamedTuple):
    """The values of a tag: their type, and their bytes in the byte order of the file."""

    kind: int
    data: bytes


@dataclass(frozen=True)
class Tree:
    """The content of a directory: its fields, and the directories to which its tags point."""

    fields: dict[int, Field] = field(default_factory=dict)
    branches: "dict[int, Tree]" = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.fields or self.branches)


class TiffReader:
    """Reads numbers, bytes and directories of a file that begins with one of `SIGNATURES`."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.order: ByteOrder = "<" if source.data.startswith(b"II") else ">"
        is_bigtiff = source.data[:4] in SIGNATURES[2:]
        self.sizes = _BIG_TYPE_SIZES if is_bigtiff else _CLASSIC_TYPE_SIZES
        self.offset_code, self.count_code = ("Q", "Q") if is_bigtiff else ("I", "H")
        self._readable_byte_count = _MAX_READS_PER_BYTE * len(source.data)
        if is_bigtiff and self.unpack("HH", 4) != (8, 0):
            raise source.report_damage("its offsets have an unknown size")
        (self._first_directory_offset,) = self.unpack(self.offset_code, 8 if is_bigtiff else 4)

    def chain(self) -> "Iterator[Directory]":
        """Yield the first directory and all directories after it."""
        position, visited_positions = self._first_directory_offset, set[int]()
        while position:
            if position in visited_positions:
                raise self.source.report_damage("its pages form a ring")
            if len(visited_positions) == MAX_PAGES:
                raise self.source.refuse_kind(f"a TIFF with more than {MAX_PAGES} pages")
            visited_positions.add(position)
            directory = Directory(self, position)
            yield directory
            position = directory.next_offset

    def unpack(self, code: str, position: int) -> tuple[int, ...]:
        """Unpack numbers at a position of the file by `code`, a format of the struct module."""
        layout = struct.Struct(self.order + code)
        return layout.unpack(self.view_bytes(position, layout.size))

    def view_bytes(self, start: int, size: int) -> memoryview:
        """Return bytes of the file; raise an error if too many bytes have been read in total."""
        if start + size > len(self.source.data):
            raise self.source.report_cut()
        self._readable_byte_count -= size
        if self._readable_byte_count < 0:
            raise self.source.report_damage("its parts overlap")
        return memoryview(self.source.data)[start : start + size]


class Directory:
    """The directory at a position of a file; all its values are inside the file."""

    def __init__(self, reader: TiffReader, position: int) -> None:
        self._reader = reader
        self._value_locations: dict[int, list[tuple[int, int, int]]] = {}
        (count,) = reader.unpack(reader.count_code, position)
        if count > MAX_ENTRIES:
            raise reader.source.report_damage(f"it claims {count} tags")
        position += struct.calcsize(reader.count_code)
        inline_size = struct.calcsize(reader.offset_code)
        entry_format = struct.Struct(f"{reader.order}HH{reader.offset_code}{inline_size}s")
        entry_bytes = reader.view_bytes(position, count * entry_format.size)
        for tag, kind, length, value in entry_format.iter_unpack(entry_bytes):
            if kind not in reader.sizes:
                raise reader.source.report_damage(f"tag {tag} has an unknown type")
            size = length * reader.sizes[kind]
            value_offset = position + 4 + inline_size
            if size > inline_size:
                (value_offset,) = struct.unpack(reader.order + reader.offset_code, value)
            if value_offset + size > len(reader.source.data):
                raise reader.source.report_cut()
            self._value_locations.setdefault(tag, []).append((kind, value_offset, size))
            position += entry_format.size
        (self.next_offset,) = reader.unpack(reader.offset_code, position)

    def __contains__(self, tag: object) -> bool:
        return tag in self._value_locations

    def __iter__(self) -> Iterator[int]:
        return iter(self._value_locations)

    def fields(self, tag: int) -> list[Field]:
        """Return the field of each occurrence of a tag."""
        return [
            Field(kind, bytes(self._reader.view_bytes(start, size)))
            for kind, start, size in self._value_locations.get(tag, ())
        ]

    def get_integers(self, tag: int, default: tuple[int, ...] | None = None) -> tuple[int, ...]:
        """Return the integers of a tag, or `default` for a missing tag.

        `InvalidImageError` is raised if the tag is repeated, has no integers, or has no default.
        """
        fields = self.fields(tag)
        if not fields and default is not None:
            return default
        if len(fields) != 1 or fields[0].kind not in _STRUCT_CODES or not fields[0].data:
            raise self._reader.source.report_damage(
                f"tag {tag} is missing, repeated or not a number"
            )
        kind, data = fields[0]
        count = len(data) // self._reader.sizes[kind]
        return struct.unpack(f"{self._reader.order}{count}{_STRUCT_CODES[kind]}", data)

    def get_integer(self, tag: int, default: int | None = None) -> int:
        """Return the only integer of a tag, or `default` for a missing tag."""
        values = self.get_integers(tag, None if default is None else (default,))
        if len(values) != 1:
            raise self._reader.source.report_damage(f"tag {tag} has {len(values)} values, not one")
        return values[0]

    def read_sibling(self, position: int) -> "Directory":
        """Return the directory at another position of the same file."""
        return Directory(self._reader, position)


def numbers(kind: int, *values: int, order: ByteOrder) -> Field:
    """Return integers as the field of a tag."""
    return Field(kind, struct.pack(f"{order}{len(values)}{_STRUCT_CODES[kind]}", *values))


def serialize_tree(tree: Tree, start: int, *, order: ByteOrder, is_bigtiff: bool = False) -> bytes:
    """Serialize a directory, its values and its branches to an even number of bytes.

    `start` is their position in the file. The fields already have the byte order `order`.
    """
    offset_code, count_code = ("Q", "Q") if is_bigtiff else ("I", "H")
    inline_size = struct.calcsize(offset_code)
    tags = sorted(tree.fields.keys() | tree.branches.keys())
    lines = bytearray(struct.pack(order + count_code, len(tags)))
    body_start = start + len(lines) + len(tags) * (4 + 2 * inline_size) + inline_size
    body = bytearray()
    for tag in tags:
        value_position = body_start + len(body)
        if tag in tree.branches:
            kind, count = (_OFFSET8_TYPE if is_bigtiff else LONG), 1
            value = struct.pack(order + offset_code, value_position)
            body += serialize_tree(
                tree.branches[tag], value_position, order=order, is_bigtiff=is_bigtiff
            )
        else:
            kind, value = tree.fields[tag]
            count = len(value) // TYPE_SIZES.get(kind, 8)
            if len(value) > inline_size:
                body += value + b"\0" * (len(value) % 2)
                value = struct.pack(order + offset_code, value_position)
        lines += struct.pack(f"{order}HH{offset_code}", tag, kind, count)
        lines += value.ljust(inline_size, b"\0")
    lines += struct.pack(order + offset_code, 0)
    return bytes(lines + body)


Branches: TypeAlias = "Mapping[int, Branches]"
# Tags whose values are offsets of directories.
EXIF, GPS, INTEROPERABILITY = 34665, 34853, 40965
# The tags that point to directories. Each is mapped to the tags inside its directory that point to
# further directories.
BRANCHES: Final[Branches] = {EXIF: {INTEROPERABILITY: {}}, GPS: {}}

# The tags of a TIFF page that belong to EXIF, besides the directories.
EXIF_PAGE_TAGS: Final = frozenset(
    {
        *(271, 272, 274, 306, 316),  # make, model, orientation, time, computer
        *(529, 530, 531, 532),  # parameters of YCbCr colors
        *(18246, 18249, 40091, 40092, 40093, 40094, 40095),  # rating, title and more Windows tags
        50341,  # print image matching
    }
)


@dataclass(frozen=True)
class ExifBlock:
    """The content of an EXIF block, and whether it has a thumbnail."""

    order: ByteOrder
    tree: Tree
    has_thumbnail: bool

    @classmethod
    def parse(cls, data: bytes | None) -> "ExifBlock | None":
        """Return the content of an EXIF block, or None if it is missing or cannot be read."""
        if data is None or not data.startswith(SIGNATURES[:2]):
            return None
        try:
            reader = TiffReader(Source(data, "EXIF", 0))
            page = next(reader.chain(), None)
            if page is None:
                return None
            return cls(reader.order, read_tree(page, page, BRANCHES), bool(page.next_offset))
        except SudokucryptError:
            return None


def read_tree(directory: Directory, tags: Container[int], branches: Branches) -> Tree:
    """Return the given tags of a directory, and the directories to which `branches` point."""
    fields = {
        tag: first
        for tag in directory
        if tag in tags
        and tag not in branches
        # Offsets are left out, since they would be wrong in a copy.
        and (first := directory.fields(tag)[0]).kind in TYPE_SIZES
    }
    branch_trees = {}
    for tag, inner_branches in branches.items():
        if tag in directory:
            branch = directory.read_sibling(directory.get_integer(tag))
            branch_trees[tag] = read_tree(branch, branch, inner_branches)
    return Tree(fields, branch_trees)


def build_exif_block(order: ByteOrder, tree: Tree) -> bytes | None:
    """Return an EXIF block of these tags, or None if there are no tags."""
    if not tree:
        return None
    magic = SIGNATURES[0] if order == "<" else SIGNATURES[1]
    return magic + struct.pack(order + "I", 8) + serialize_tree(tree, 8, order=order)
