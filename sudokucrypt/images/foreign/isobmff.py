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

from sudokucrypt.images.driver import Source, get_part_limit

KindAndBody: TypeAlias = tuple[bytes, memoryview]  # kind and body
# The first bytes of the property that marks an auxiliary picture as the alpha of another picture.
ALPHA_TYPES: Final = (
    b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0",
    b"urn:mpeg:hevc:2015:auxid:1\0",
)

# The maximum number of positions, properties and references of all items together. A picture of
# 200 million pixels needs some thousands.
_MAX_ENTRIES: Final = 2**18


def boxes(source: Source, view: memoryview) -> Iterator[KindAndBody]:
    """Yield every box in these bytes; raise an error for a box that ends beyond them."""
    position = 0
    for _ in range(get_part_limit(len(source.data))):
        if position == len(view):
            return
        numbers = ByteReader(source, view[position:])
        size, kind = numbers.take_number(4), bytes(numbers.take_bytes(4))
        if size == 1:
            size = numbers.take_number(8)
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

    def take_number(self, size: int) -> int:
        """Return the next number, of `size` bytes."""
        return int.from_bytes(self.take_bytes(size), "big")

    def take_version(self) -> int:
        """Return the version at the start of a box, and skip the flags after it."""
        return self.take_number(4) >> 24

    def take_bytes(self, size: int) -> memoryview:
        """Return the next `size` bytes."""
        start_position = self.position
        self.position += size
        if self.position > len(self.view):
            raise self._source.report_cut()
        return self.view[start_position : self.position]

    def take_string(self) -> bytes:
        """Return the bytes before the next zero byte, and skip it."""
        word = bytes(self.view[self.position :]).partition(b"\0")[0]
        self.position += len(word) + 1
        return word

    @property
    def unread_byte_count(self) -> int:
        """The number of bytes that were not taken."""
        return max(0, len(self.view) - self.position)


class BitReader:
    """Reads numbers of a few bits in sequence, from at most some kilobytes.

    The highest bit of a number is first, in the highest unread bit of a byte. With
    `lowest_bit_first`, the lowest bit of a number is first, in the lowest unread bit.
    """

    def __init__(self, source: Source, data: bytes, *, lowest_bit_first: bool = False) -> None:
        self._source, self._lowest_bit_first = source, lowest_bit_first
        self._all_bits = int.from_bytes(data, "little" if lowest_bit_first else "big")
        self._bit_count, self._position = 8 * len(data), 0

    def take_bits(self, count: int) -> int:
        """Return the number in the next `count` bits."""
        start_position, self._position = self._position, self._position + count
        if self._position > self._bit_count:
            raise self._source.report_cut()
        shift = start_position if self._lowest_bit_first else self._bit_count - self._position
        return self._all_bits >> shift & (1 << count) - 1

    def take_flag(self) -> bool:
        """Return whether the next bit is one."""
        return bool(self.take_bits(1))

    def take_exp_golomb(self) -> int:
        """Return an Exp-Golomb number of HEVC: n zeros, a one, and n bits."""
        zero_count = 0
        while not self.take_bits(1):
            zero_count += 1
        return (1 << zero_count | self.take_bits(zero_count)) - 1


class Items:
    """The items that the body of a ``meta`` box describes."""

    def __init__(self, source: Source, meta_body: memoryview) -> None:
        self._source, self._entry_count = source, 0
        self.primary_item = 0  # the item that is the main picture
        # For each item, its kind in four letters with its content type, and its properties.
        self.kinds: dict[int, tuple[bytes, bytes]] = {}
        self.properties: dict[int, list[KindAndBody]] = {}
        # The references: kind, the item that refers, and the items to which it refers.
        self.references: list[tuple[bytes, int, list[int]]] = []
        self._extents: dict[int, tuple[int, list[tuple[int, int]]]] = {}
        self._item_data = memoryview(b"")
        readers = {
            b"iinf": self._read_kinds,
            b"iloc": self._read_locations,
            b"iref": self._read_references,
        }
        for kind, body in boxes(source, meta_body[4:]):
            numbers = ByteReader(source, body)
            if kind == b"idat":
                self._item_data = body
            elif kind == b"iprp":
                properties: list[KindAndBody] = []
                for box_kind, box_body in boxes(source, body):
                    if box_kind == b"ipco":
                        properties += boxes(source, box_body)
                    elif box_kind == b"ipma":
                        self._associate_properties(ByteReader(source, box_body), properties)
            elif kind == b"pitm":
                self.primary_item = numbers.take_number(4 if numbers.take_version() else 2)
            elif kind in readers:
                readers[kind](numbers, numbers.take_version())

    def find_property(self, item: int, kind: bytes) -> memoryview | None:
        """Return the first property of this kind that an item has, or None."""
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
        storages = (memoryview(self._source.data), self._item_data)
        if method >= len(storages) or sum(length for _, length in extents) > len(storages[method]):
            return None
        extent_contents = [storages[method][start : start + length] for start, length in extents]
        if [len(piece) for piece in extent_contents] != [length for _, length in extents]:
            raise self._source.report_cut()
        return b"".join(extent_contents)

    def find_part_items(self) -> set[int]:
        """Return the items that are parts of other pictures: tiles, previews and channels."""
        groups = [targets if kind == b"dimg" else [item] for kind, item, targets in self.references]
        return set().union(*groups)

    def find_decoded_items(self) -> set[int]:
        """Return the items that are decoded: the main picture, its tiles, and their alpha."""
        colors = {self.primary_item}
        for kind, item, targets in self.references:
            if kind == b"dimg" and item == self.primary_item:
                colors.update(targets)
        return colors.union(
            item
            for kind, item, targets in self.references
            if kind == b"auxl"
            and colors & {*targets}
            and bytes((self.find_property(item, b"auxC") or b"")[4:]).startswith(ALPHA_TYPES)
        )

    def _add_to_entry_count(self, entries: int) -> int:
        """Add `entries` to the total, and return them; raise an error if the total is too large."""
        self._entry_count += entries
        if self._entry_count > _MAX_ENTRIES:
            raise self._source.refuse_many_parts("entries of items", _MAX_ENTRIES)
        return entries

    def _read_kinds(self, numbers: ByteReader, version: int) -> None:
        numbers.take_number(4 if version else 2)
        for kind, body in boxes(self._source, numbers.take_bytes(numbers.unread_byte_count)):
            entry = ByteReader(self._source, body)
            version = entry.take_version()
            if kind != b"infe":
                continue
            if version not in (2, 3):
                raise self._source.refuse_kind("a file whose items are described in an older form")
            item = entry.take_number(2 if version == 2 else 4)
            entry.take_number(2)
            name = bytes(entry.take_bytes(4))
            entry.take_string()
            content_type = entry.take_string() if name == b"mime" else b""
            # pi-heif 1.4 decodes the name and the content type as text, and crashes if they are
            # invalid.
            if not (name + content_type).isascii():
                raise self._source.report_damage("the type of an item in it is not ASCII")
            self.kinds[item] = (name, content_type)

    def _read_references(self, numbers: ByteReader, version: int) -> None:
        size = 4 if version else 2
        for kind, body in boxes(self._source, numbers.take_bytes(numbers.unread_byte_count)):
            link = ByteReader(self._source, body)
            item = link.take_number(size)
            count = self._add_to_entry_count(link.take_number(2))
            self.references.append((kind, item, [link.take_number(size) for _ in range(count)]))

    def _read_locations(self, numbers: ByteReader, version: int) -> None:
        sizes = numbers.take_number(2)
        offset_size, length_size, base_size, index_size = (
            sizes >> shift & 15 for shift in (12, 8, 4, 0)
        )
        size = 4 if version == 2 else 2
        for _ in range(self._add_to_entry_count(numbers.take_number(size))):
            item = numbers.take_number(size)
            method = numbers.take_number(2) & 15 if version else 0
            numbers.take_number(2)
            base_offset = numbers.take_number(base_size)
            extents = []
            count = numbers.take_number(2)
            # A million empty entries would take no space in the file.
            if not (offset_size or length_size):
                count = min(count, 1)
            for _ in range(self._add_to_entry_count(count)):
                numbers.take_number(index_size if version else 0)
                extents.append(
                    (
                        base_offset + numbers.take_number(offset_size),
                        numbers.take_number(length_size),
                    )
                )
            self._extents[item] = (method, extents)

    def _associate_properties(self, numbers: ByteReader, properties: list[KindAndBody]) -> None:
        version, flags = numbers.take_number(1), numbers.take_number(3)
        for _ in range(self._add_to_entry_count(numbers.take_number(4))):
            item = numbers.take_number(4 if version else 2)
            item_properties = self.properties.setdefault(item, [])
            for _ in range(self._add_to_entry_count(numbers.take_number(1))):
                index = (
                    numbers.take_number(2) & 0x7FFF if flags & 1 else numbers.take_number(1) & 0x7F
                )
                if index > len(properties):
                    raise self._source.report_damage("an item refers to a missing property")
                if index:
                    item_properties.append(properties[index - 1])
