"""Boxes: the containers of AVIF, HEIF, JPEG XL and JPEG 2000, and what the first two keep in them.

::

    length kind body        a length of 1: 64 bits of it behind the kind; of 0: to the end

    meta: pitm primary | iinf kinds | iloc places | iref references | iprp: ipco properties,
          ipma which item has which | idat data

Items are pictures, EXIF and XMP: what they are and where they lie.

References
----------
.. [1] ISO/IEC 14496-12, "ISO base media file format", 4.2 and 8.11.
.. [2] ISO/IEC 23008-12, "Image file format", 6.5 and 9.3.
"""

from collections.abc import Iterator
from typing import Final, TypeAlias

from sudokucrypt.images.driver import Source, limit_parts

BoxPart: TypeAlias = tuple[bytes, memoryview]  # kind and body
# How properties of auxiliary pictures begin that are the opacity of another.
ALPHA_TYPES: Final = (
    b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0",
    b"urn:mpeg:hevc:2015:auxid:1\0",
)

# Places, properties and references of all items: some thousands for 200 million pixels.
_MOST_ENTRIES: Final = 2**18


def boxes(source: Source, view: memoryview) -> Iterator[BoxPart]:
    """Yield every box in these bytes; one that ends beyond them is damage."""
    position = 0
    for _ in range(limit_parts(len(source.data))):
        if position == len(view):
            return
        numbers = ByteReader(source, view[position:])
        size, kind = numbers.take(4), bytes(numbers.rest(4))
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
    """Return the EXIF block of an item or box, whose first four bytes give the gap before it."""
    return item[4 + int.from_bytes(item[:4], "big") :] or None


class ByteReader:
    """Big-endian numbers one after the other."""

    def __init__(self, source: Source, view: memoryview, position: int = 0) -> None:
        self._source, self.view, self.position = source, view, position

    def take(self, size: int) -> int:
        """Return the next number, of this many bytes."""
        return int.from_bytes(self.rest(size), "big")

    def version(self) -> int:
        """Return the version at the start of a box, which flags follow."""
        return self.take(4) >> 24

    def rest(self, size: int) -> memoryview:
        """Return the next bytes as they are."""
        start = self.position
        self.position += size
        if self.position > len(self.view):
            raise self._source.report_cut()
        return self.view[start : self.position]

    def word(self) -> bytes:
        """Return the bytes up to the next zero, which is skipped."""
        word = bytes(self.view[self.position :]).partition(b"\0")[0]
        self.position += len(word) + 1
        return word

    @property
    def left(self) -> int:
        """How many bytes are left."""
        return max(0, len(self.view) - self.position)


class BitReader:
    """Numbers of a few bits one after the other, in at most some kilobytes.

    Each begins with its highest bit in the highest one left of a byte; or, for `lowest_first`,
    with its lowest in the lowest.
    """

    def __init__(self, source: Source, data: bytes, *, lowest_first: bool = False) -> None:
        self._source, self._lowest_first = source, lowest_first
        self._value = int.from_bytes(data, "little" if lowest_first else "big")
        self._size, self._position = 8 * len(data), 0

    def take(self, count: int) -> int:
        """Return the next `count` bits."""
        start, self._position = self._position, self._position + count
        if self._position > self._size:
            raise self._source.report_cut()
        shift = start if self._lowest_first else self._size - self._position
        return self._value >> shift & (1 << count) - 1

    def flag(self) -> bool:
        """Return whether the next bit is one."""
        return bool(self.take(1))

    def exponential(self) -> int:
        """Return an Exp-Golomb number of HEVC: n zeros, a one, and n bits."""
        zeros = 0
        while not self.take(1):
            zeros += 1
        return (1 << zeros | self.take(zeros)) - 1


class Items:
    """The items that the body of a meta box describes."""

    def __init__(self, source: Source, meta: memoryview) -> None:
        self._source, self._entries = source, 0
        # The item that is the picture; four letters and content type, and properties of each.
        self.primary = 0
        self.kinds: dict[int, tuple[bytes, bytes]] = {}
        self.properties: dict[int, list[BoxPart]] = {}
        # The references: kind, which item refers, and to which.
        self.links: list[tuple[bytes, int, list[int]]] = []
        self._places: dict[int, tuple[int, list[tuple[int, int]]]] = {}
        self._data = memoryview(b"")
        readers = {b"iinf": self._read_kinds, b"iloc": self._read_places, b"iref": self._read_links}
        for kind, body in boxes(source, meta[4:]):
            numbers = ByteReader(source, body)
            if kind == b"idat":
                self._data = body
            elif kind == b"iprp":
                properties: list[BoxPart] = []
                for part, view in boxes(source, body):
                    if part == b"ipco":
                        properties += boxes(source, view)
                    elif part == b"ipma":
                        self._associate(ByteReader(source, view), properties)
            elif kind == b"pitm":
                self.primary = numbers.take(4 if numbers.version() else 2)
            elif kind in readers:
                readers[kind](numbers, numbers.version())

    def property(self, item: int, kind: bytes) -> memoryview | None:
        """Return the first property of this kind, or none."""
        return next((body for name, body in self.properties.get(item, []) if name == kind), None)

    def all_of(self, kind: bytes) -> list[memoryview]:
        """Return the properties of this kind of all items."""
        return [body for held in self.properties.values() for name, body in held if name == kind]

    def first(self, kind: bytes, content_type: bytes = b"") -> bytes | None:
        """Return the bytes of the first item of a kind, or None."""
        items = (item for item, name in self.kinds.items() if name == (kind, content_type))
        return self.content(next(items, -1))

    def content(self, item: int) -> bytes | None:
        """Return the bytes of an item, or None if it is missing or stored elsewhere."""
        method, extents = self._places.get(item, (0, []))
        whole = (memoryview(self._source.data), self._data)
        if method >= len(whole) or sum(length for _, length in extents) > len(whole[method]):
            return None
        pieces = [whole[method][start : start + length] for start, length in extents]
        if [len(piece) for piece in pieces] != [length for _, length in extents]:
            raise self._source.report_cut()
        return b"".join(pieces)

    def parts(self) -> set[int]:
        """Return the items that are no pictures of their own: tiles, previews, channels."""
        groups = [others if kind == b"dimg" else [item] for kind, item, others in self.links]
        return set().union(*groups)

    def find_drawn(self) -> set[int]:
        """Return the items that are decoded with the picture: itself, its tiles, their alpha."""
        shown = {self.primary}
        for kind, item, others in self.links:
            if kind == b"dimg" and item == self.primary:
                shown.update(others)
        return shown.union(
            item
            for kind, item, others in self.links
            if kind == b"auxl"
            and shown & {*others}
            and bytes((self.property(item, b"auxC") or b"")[4:]).startswith(ALPHA_TYPES)
        )

    def _count(self, entries: int) -> int:
        """Add to the number of entries, and return `entries`; refuse a file that has too many."""
        self._entries += entries
        if self._entries > _MOST_ENTRIES:
            raise self._source.refuse_many_parts("entries of items", _MOST_ENTRIES)
        return entries

    def _read_kinds(self, numbers: ByteReader, version: int) -> None:
        numbers.take(4 if version else 2)
        for kind, body in boxes(self._source, numbers.rest(numbers.left)):
            entry = ByteReader(self._source, body)
            version = entry.version()
            if kind != b"infe":
                continue
            if version not in (2, 3):
                raise self._source.refuse_kind("a file of an older kind")
            item = entry.take(2 if version == 2 else 4)
            entry.take(2)
            four = bytes(entry.rest(4))
            entry.word()
            content_type = entry.word() if four == b"mime" else b""
            # pi-heif 1.4 makes text of both, and crashes where they are none.
            if not (four + content_type).isascii():
                raise self._source.report_damage("an item in it has no kind")
            self.kinds[item] = (four, content_type)

    def _read_links(self, numbers: ByteReader, version: int) -> None:
        wide = 4 if version else 2
        for kind, body in boxes(self._source, numbers.rest(numbers.left)):
            link = ByteReader(self._source, body)
            item = link.take(wide)
            count = self._count(link.take(2))
            self.links.append((kind, item, [link.take(wide) for _ in range(count)]))

    def _read_places(self, numbers: ByteReader, version: int) -> None:
        sizes = numbers.take(2)
        offset, length, base, index = (sizes >> shift & 15 for shift in (12, 8, 4, 0))
        wide = 4 if version == 2 else 2
        for _ in range(self._count(numbers.take(wide))):
            item = numbers.take(wide)
            method = numbers.take(2) & 15 if version else 0
            numbers.take(2)
            start = numbers.take(base)
            extents = []
            count = numbers.take(2)
            if not (offset or length):  # numbers of no bytes are free
                count = min(count, 1)
            for _ in range(self._count(count)):
                numbers.take(index if version else 0)
                extents.append((start + numbers.take(offset), numbers.take(length)))
            self._places[item] = (method, extents)

    def _associate(self, numbers: ByteReader, properties: list[BoxPart]) -> None:
        version, flags = numbers.take(1), numbers.take(3)
        for _ in range(self._count(numbers.take(4))):
            item = numbers.take(4 if version else 2)
            held = self.properties.setdefault(item, [])
            for _ in range(self._count(numbers.take(1))):
                index = numbers.take(2) & 0x7FFF if flags & 1 else numbers.take(1) & 0x7F
                if index > len(properties):
                    raise self._source.report_damage("an item has a property that is not there")
                if index:
                    held.append(properties[index - 1])
