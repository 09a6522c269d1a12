"""Boxes, the containers of AVIF, HEIF, JPEG XL and JPEG 2000; and the items of AVIF and HEIF.

::

    length kind body        length 1: a 64-bit length follows the kind; length 0: up to the end

    meta: pitm primary | iinf kinds | iloc places | iref references | iprp: ipco properties,
          ipma which item has which property | idat data

Items are pictures, EXIF and XMP. The boxes state the kind, position and properties of each.

References
----------
.. [1] ISO/IEC 14496-12, "ISO base media file format", 4.2 and 8.11.
.. [2] ISO/IEC 23008-12, "Image file format", 6.5 and 9.3.
"""

from collections.abc import Iterator
from typing import Final, TypeAlias

from sudokucrypt.images.driver import Source, limit_parts

BoxPart: TypeAlias = tuple[bytes, memoryview]  # kind and body
# The first bytes of the property that marks an auxiliary picture as the alpha of another picture.
ALPHA_TYPES: Final = (
    b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0",
    b"urn:mpeg:hevc:2015:auxid:1\0",
)

# The limit of positions, properties and references of all items together. A picture of 200 million
# pixels needs some thousands.
_MOST_ENTRIES: Final = 2**18


def boxes(source: Source, view: memoryview) -> Iterator[BoxPart]:
    """Yield every box in these bytes; raise an error for a box that ends beyond them."""
    position = 0
    for _ in range(limit_parts(len(source.data))):
        if position == len(view):
            return
        numbers = ByteReader(source, view[position:])
        size, kind = numbers.take(4), bytes(numbers.take_bytes(4))
        if size == 1:
            size = numbers.take(8)
        elif size == 0:
            size = len(view) - position
        if not numbers.position <= size <= len(view) - position:
            raise source.report_cut()
        yield kind, view[position + numbers.position : position + size]
        position += size
    raise source.refuse_many_parts("boxes")


def get_exif_block(item: bytes) -> bytes | None:
    """Return the EXIF block of an item or box, which begins with the length of a prefix."""
    return item[4 + int.from_bytes(item[:4], "big") :] or None


class ByteReader:
    """Reads big-endian numbers in sequence."""

    def __init__(self, source: Source, view: memoryview, position: int = 0) -> None:
        self._source, self.view, self.position = source, view, position

    def take(self, size: int) -> int:
        """Return the next number, of `size` bytes."""
        return int.from_bytes(self.take_bytes(size), "big")

    def take_version(self) -> int:
        """Return the version at the start of a box, and skip the flags after it."""
        return self.take(4) >> 24

    def take_bytes(self, size: int) -> memoryview:
        """Return the next `size` bytes."""
        start_position = self.position
        self.position += size
        if self.position > len(self.view):
            raise self._source.report_cut()
        return self.view[start_position : self.position]

    def take_word(self) -> bytes:
        """Return the bytes before the next zero byte, and skip it."""
        word = bytes(self.view[self.position :]).partition(b"\0")[0]
        self.position += len(word) + 1
        return word

    @property
    def bytes_left(self) -> int:
        """The number of bytes that were not taken."""
        return max(0, len(self.view) - self.position)


class BitReader:
    """Reads numbers of a few bits in sequence, from at most some kilobytes.

    The highest bit of a number is first, in the highest unread bit of a byte. With `lowest_first`,
    the lowest bit of a number is first, in the lowest unread bit.
    """

    def __init__(self, source: Source, data: bytes, *, lowest_first: bool = False) -> None:
        self._source, self._lowest_first = source, lowest_first
        self._value = int.from_bytes(data, "little" if lowest_first else "big")
        self._size, self._position = 8 * len(data), 0

    def take(self, count: int) -> int:
        """Return the number in the next `count` bits."""
        start_position, self._position = self._position, self._position + count
        if self._position > self._size:
            raise self._source.report_cut()
        shift = start_position if self._lowest_first else self._size - self._position
        return self._value >> shift & (1 << count) - 1

    def take_flag(self) -> bool:
        """Return whether the next bit is one."""
        return bool(self.take(1))

    def take_exponential(self) -> int:
        """Return an Exp-Golomb number of HEVC: n zeros, a one, and n bits."""
        zeros = 0
        while not self.take(1):
            zeros += 1
        return (1 << zeros | self.take(zeros)) - 1


class Items:
    """The items that the body of a ``meta`` box describes."""

    def __init__(self, source: Source, meta: memoryview) -> None:
        self._source, self._entries = source, 0
        self.primary = 0  # the item that is the main picture
        # For each item, its kind in four letters with its content type, and its properties.
        self.kinds: dict[int, tuple[bytes, bytes]] = {}
        self.properties: dict[int, list[BoxPart]] = {}
        # The references: kind, the item that refers, and the items to which it refers.
        self.links: list[tuple[bytes, int, list[int]]] = []
        self._extents: dict[int, tuple[int, list[tuple[int, int]]]] = {}
        self._data = memoryview(b"")
        readers = {b"iinf": self._read_kinds, b"iloc": self._read_places, b"iref": self._read_links}
        for kind, body in boxes(source, meta[4:]):
            numbers = ByteReader(source, body)
            if kind == b"idat":
                self._data = body
            elif kind == b"iprp":
                properties: list[BoxPart] = []
                for box_kind, box_body in boxes(source, body):
                    if box_kind == b"ipco":
                        properties += boxes(source, box_body)
                    elif box_kind == b"ipma":
                        self._associate(ByteReader(source, box_body), properties)
            elif kind == b"pitm":
                self.primary = numbers.take(4 if numbers.take_version() else 2)
            elif kind in readers:
                readers[kind](numbers, numbers.take_version())

    def property(self, item: int, kind: bytes) -> memoryview | None:
        """Return the first property of an item of this kind, or None."""
        return next((body for name, body in self.properties.get(item, []) if name == kind), None)

    def list_properties(self, kind: bytes) -> list[memoryview]:
        """Return the properties of this kind of all items."""
        properties = (part for parts in self.properties.values() for part in parts)
        return [body for name, body in properties if name == kind]

    def find_content(self, kind: bytes, content_type: bytes = b"") -> bytes | None:
        """Return the bytes of the first item of this kind, or None."""
        items = (item for item, name in self.kinds.items() if name == (kind, content_type))
        return self.content(next(items, -1))

    def content(self, item: int) -> bytes | None:
        """Return the bytes of an item, or None if it is missing or stored elsewhere."""
        method, extents = self._extents.get(item, (0, []))
        storages = (memoryview(self._source.data), self._data)
        if method >= len(storages) or sum(length for _, length in extents) > len(storages[method]):
            return None
        extent_contents = [storages[method][start : start + length] for start, length in extents]
        if [len(piece) for piece in extent_contents] != [length for _, length in extents]:
            raise self._source.report_cut()
        return b"".join(extent_contents)

    def find_parts(self) -> set[int]:
        """Return the items that are parts of other pictures: tiles, previews and channels."""
        groups = [targets if kind == b"dimg" else [item] for kind, item, targets in self.links]
        return set().union(*groups)

    def find_decoded(self) -> set[int]:
        """Return the items that are decoded: the main picture, its tiles, and their alpha."""
        colors = {self.primary}
        for kind, item, targets in self.links:
            if kind == b"dimg" and item == self.primary:
                colors.update(targets)
        return colors.union(
            item
            for kind, item, targets in self.links
            if kind == b"auxl"
            and colors & {*targets}
            and bytes((self.property(item, b"auxC") or b"")[4:]).startswith(ALPHA_TYPES)
        )

    def _count(self, entries: int) -> int:
        """Add `entries` to the total, and return them; raise an error if the total is too large."""
        self._entries += entries
        if self._entries > _MOST_ENTRIES:
            raise self._source.refuse_many_parts("entries of items", _MOST_ENTRIES)
        return entries

    def _read_kinds(self, numbers: ByteReader, version: int) -> None:
        numbers.take(4 if version else 2)
        for kind, body in boxes(self._source, numbers.take_bytes(numbers.bytes_left)):
            entry = ByteReader(self._source, body)
            version = entry.take_version()
            if kind != b"infe":
                continue
            if version not in (2, 3):
                raise self._source.refuse_kind("a file of an older kind")
            item = entry.take(2 if version == 2 else 4)
            entry.take(2)
            name = bytes(entry.take_bytes(4))
            entry.take_word()
            content_type = entry.take_word() if name == b"mime" else b""
            # pi-heif 1.4 decodes both as text, and crashes if they are not.
            if not (name + content_type).isascii():
                raise self._source.report_damage("the type of an item in it is not ASCII")
            self.kinds[item] = (name, content_type)

    def _read_links(self, numbers: ByteReader, version: int) -> None:
        size = 4 if version else 2
        for kind, body in boxes(self._source, numbers.take_bytes(numbers.bytes_left)):
            link = ByteReader(self._source, body)
            item = link.take(size)
            count = self._count(link.take(2))
            self.links.append((kind, item, [link.take(size) for _ in range(count)]))

    def _read_places(self, numbers: ByteReader, version: int) -> None:
        sizes = numbers.take(2)
        offset, length, base, index = (sizes >> shift & 15 for shift in (12, 8, 4, 0))
        size = 4 if version == 2 else 2
        for _ in range(self._count(numbers.take(size))):
            item = numbers.take(size)
            method = numbers.take(2) & 15 if version else 0
            numbers.take(2)
            extent_offset = numbers.take(base)
            extents = []
            count = numbers.take(2)
            if not (offset or length):  # a million entries of no bytes would take no space
                count = min(count, 1)
            for _ in range(self._count(count)):
                numbers.take(index if version else 0)
                extents.append((extent_offset + numbers.take(offset), numbers.take(length)))
            self._extents[item] = (method, extents)

    def _associate(self, numbers: ByteReader, properties: list[BoxPart]) -> None:
        version, flags = numbers.take(1), numbers.take(3)
        for _ in range(self._count(numbers.take(4))):
            item = numbers.take(4 if version else 2)
            item_properties = self.properties.setdefault(item, [])
            for _ in range(self._count(numbers.take(1))):
                index = numbers.take(2) & 0x7FFF if flags & 1 else numbers.take(1) & 0x7F
                if index > len(properties):
                    raise self._source.report_damage("an item has a property that is not there")
                if index:
                    item_properties.append(properties[index - 1])
