"""The items of an AVIF or HEIF: pictures, EXIF and XMP, what they are and where they lie.

::

    meta: pitm primary | iinf kinds | iloc places | iref references | iprp: ipco properties,
          ipma which item has which | idat data

References
----------
.. [1] ISO/IEC 14496-12, "ISO base media file format", 8.11.
.. [2] ISO/IEC 23008-12, "Image file format", 6.5 and 9.3.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sudokucrypt.images.foreign.boxes import Numbers, boxes

if TYPE_CHECKING:
    from sudokucrypt.images.source import Source


ALPHA_TYPES: Final = (
    b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0",
    b"urn:mpeg:hevc:2015:auxid:1\0",
)
"""How properties of auxiliary pictures begin that are the opacity of another."""


@dataclass
class Items:
    """What the meta box says.

    Parameters
    ----------
    source : Source
        The file.
    primary : int
        Number of the item that is the picture.
    kinds : dict of int to (bytes, bytes)
        Four letters and content type of each item.
    properties : dict of int to list of (bytes, memoryview)
        Kind and body of each property of each item.
    references : set of bytes
        Kinds of the references between items.
    parts : set of int
        Items that are no pictures of their own: tiles, previews, channels of others.
    links : list of (bytes, int, list of int)
        The references: kind, which item refers, and to which.
    """

    source: Source
    primary: int = 0
    kinds: dict[int, tuple[bytes, bytes]] = field(default_factory=dict)
    properties: dict[int, list[tuple[bytes, memoryview]]] = field(default_factory=dict)
    references: set[bytes] = field(default_factory=set)
    parts: set[int] = field(default_factory=set)
    links: list[tuple[bytes, int, list[int]]] = field(default_factory=list)
    _places: dict[int, tuple[int, list[tuple[int, int]]]] = field(default_factory=dict)
    _data: memoryview = field(default_factory=lambda: memoryview(b""))

    @classmethod
    def read(cls, source: Source, meta: memoryview) -> Items:
        """Return what the body of a meta box says."""
        items = cls(source)
        for kind, body in boxes(source, meta[4:]):
            numbers = Numbers(source, body)
            if kind == b"idat":
                items._data = body
            elif kind == b"iprp":
                items._read_properties(body)
            elif kind in (b"pitm", b"iinf", b"iloc", b"iref"):
                version = numbers.take(1)
                numbers.take(3)
                if kind == b"pitm":
                    items.primary = numbers.take(4 if version else 2)
                elif kind == b"iinf":
                    numbers.take(4 if version else 2)
                    items._read_kinds(body[numbers.position :])
                elif kind == b"iloc":
                    items._read_places(numbers, version)
                else:
                    items._read_references(body[4:], 4 if version else 2)
        return items

    def property(self, item: int, kind: bytes) -> memoryview | None:
        """Return the first property of this kind, or none."""
        return next((body for name, body in self.properties.get(item, []) if name == kind), None)

    def all_of(self, kind: bytes) -> list[memoryview]:
        """Return the properties of this kind of all items."""
        return [body for held in self.properties.values() for name, body in held if name == kind]

    def first(self, kind: bytes, content_type: bytes = b"") -> bytes | None:
        """Return the bytes of the first item of a kind, or none if there are none to be had."""
        found = (item for item, name in self.kinds.items() if name == (kind, content_type))
        return self.content(next(found, -1))

    def content(self, item: int) -> bytes | None:
        """Return the bytes of an item, or none if they are not to be had."""
        method, extents = self._places.get(item, (0, []))
        whole = (memoryview(self.source.data), self._data)
        if method >= len(whole) or sum(length for _, length in extents) > len(whole[method]):
            return None
        pieces = [whole[method][start : start + length] for start, length in extents]
        if [len(piece) for piece in pieces] != [length for _, length in extents]:
            raise self.source.cut_short()
        return b"".join(pieces)

    def _read_kinds(self, view: memoryview) -> None:
        for kind, body in boxes(self.source, view):
            numbers = Numbers(self.source, body)
            version = numbers.take(1)
            numbers.take(3)
            if kind != b"infe":
                continue
            if version not in (2, 3):
                raise self.source.unsupported("a file of an older kind")
            item = numbers.take(2 if version == 2 else 4)
            numbers.take(2)
            four = bytes(numbers.rest(4))
            numbers.word()
            said = numbers.word() if four == b"mime" else b""
            # pi-heif 1.4 makes text of both, and crashes where they are none.
            if not (four + said).isascii():
                raise self.source.damaged("an item in it has no kind")
            self.kinds[item] = (four, said)

    def _read_references(self, view: memoryview, wide: int) -> None:
        for kind, body in boxes(self.source, view):
            self.references.add(kind)
            numbers = Numbers(self.source, body)
            item = numbers.take(wide)
            others = [numbers.take(wide) for _ in range(numbers.take(2))]
            self.parts.update(others if kind == b"dimg" else [item])
            self.links.append((kind, item, others))

    def drawn(self) -> set[int]:
        """Return the items that are decoded with the picture: itself, its tiles, their alpha."""
        shown = {self.primary}
        for kind, item, others in self.links:
            if kind == b"dimg" and item == self.primary:
                shown.update(others)
        channels = (
            item for kind, item, others in self.links if kind == b"auxl" and shown & {*others}
        )
        return shown.union(
            item
            for item in channels
            if bytes((self.property(item, b"auxC") or b"")[4:]).startswith(ALPHA_TYPES)
        )

    def _read_places(self, numbers: Numbers, version: int) -> None:
        sizes = numbers.take(2)
        offset, length, base, index = (sizes >> shift & 15 for shift in (12, 8, 4, 0))
        wide = 4 if version == 2 else 2
        for _ in range(numbers.take(wide)):
            item = numbers.take(wide)
            method = numbers.take(2) & 15 if version else 0
            numbers.take(2)
            start = numbers.take(base)
            extents = []
            for _ in range(numbers.take(2)):
                numbers.take(index if version else 0)
                extents.append((start + numbers.take(offset), numbers.take(length)))
                # Numbers of no bytes are free: a file could ask for any number of them.
                if not (offset or length):
                    break
            self._places[item] = (method, extents)

    def _read_properties(self, view: memoryview) -> None:
        all_properties: list[tuple[bytes, memoryview]] = []
        for kind, body in boxes(self.source, view):
            if kind == b"ipco":
                all_properties += boxes(self.source, body)
            elif kind == b"ipma":
                self._associate(Numbers(self.source, body), all_properties)

    def _associate(self, numbers: Numbers, found: list[tuple[bytes, memoryview]]) -> None:
        version = numbers.take(1)
        flags = numbers.take(3)
        for _ in range(numbers.take(4)):
            item = numbers.take(4 if version else 2)
            held = self.properties.setdefault(item, [])
            for _ in range(numbers.take(1)):
                number = numbers.take(2) & 0x7FFF if flags & 1 else numbers.take(1) & 0x7F
                if number > len(found):
                    raise self.source.damaged("an item has a property that is not there")
                if number:
                    held.append(found[number - 1])
