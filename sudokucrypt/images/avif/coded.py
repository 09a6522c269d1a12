"""The sizes of an AVIF's coded pictures, which the decoder obeys, whatever the file claims.

libavif scales a picture that is not of the size that the file gives for it. A small claim would
let a huge picture in, and its samples would not be those that were stored.

References
----------
.. [1] AOMedia, "AV1 Bitstream & Decoding Process Specification", 5.3 and 5.5,
   https://aomediacodec.github.io/av1-spec/
.. [2] ISO/IEC 23008-12, "Image file format", 6.6.2.3: grids.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudokucrypt.images.boxes import Numbers

if TYPE_CHECKING:
    from sudokucrypt.images.avif.items import Items
    from sudokucrypt.images.source import Source

_SEQUENCE = 1
_HAS_EXTENSION, _HAS_SIZE = 0x04, 0x02
# Color, alpha and a gain map may each be as large as the picture.
_MOST_LAYERS = 3


def picture_size(source: Source, items: Items) -> tuple[int, int]:
    """Return rows and columns of the picture, after a check of all that will be decoded.

    Raises
    ------
    InvalidImageError
        If a coded picture has another size than the file says, or all are more than are read.
    """
    size = _claimed(source, items, items.primary)
    source.shape(*size, 1)
    coded = 0
    for item, (kind, _) in items.kinds.items():
        if kind == b"grid":
            _require(source, _grid_size(source, items.content(item)), items, item)
        elif kind == b"av01":
            rows, columns = _sequence_size(source, items.content(item))
            _require(source, (rows, columns), items, item)
            coded += rows * columns
    if coded > _MOST_LAYERS * source.max_pixels:
        raise source.damaged("its tiles are larger than the picture")
    if items.kinds.get(items.primary, (b"", b""))[0] not in (b"av01", b"grid"):
        raise source.unsupported("an AVIF whose picture is made from others")
    return size


def _require(source: Source, found: tuple[int, int], items: Items, item: int) -> None:
    if found != _claimed(source, items, item):
        raise source.damaged("a picture in it has another size than it claims")


def _claimed(source: Source, items: Items, item: int) -> tuple[int, int]:
    size = items.property(item, b"ispe")
    if size is None:
        raise source.damaged("a picture in it has no size")
    numbers = Numbers(source, size, 4)
    columns, rows = numbers.take(4), numbers.take(4)
    return rows, columns


def _grid_size(source: Source, content: bytes | None) -> tuple[int, int]:
    """Return rows and columns of the picture that tiles make."""
    numbers = Numbers(source, memoryview(content or b""))
    numbers.take(1)
    wide = 4 if numbers.take(1) & 1 else 2
    numbers.take(2)
    columns, rows = numbers.take(wide), numbers.take(wide)
    return rows, columns


def _sequence_size(source: Source, content: bytes | None) -> tuple[int, int]:
    """Return rows and columns of the largest frame that a coded picture may hold."""
    numbers = Numbers(source, memoryview(content or b""))
    found = set()
    while numbers.more:
        head = numbers.take(1)
        if head & _HAS_EXTENSION:
            numbers.take(1)
        size = _leb128(numbers) if head & _HAS_SIZE else len(numbers.view) - numbers.position
        body = numbers.rest(size)
        if head >> 3 & 15 == _SEQUENCE:
            found.add(_read_sequence(source, body))
    if len(found) != 1:
        raise source.damaged("a picture in it has no size, or several")
    return found.pop()


def _leb128(numbers: Numbers) -> int:
    """Return a number in groups of seven bits, the lowest first."""
    value = 0
    for shift in range(0, 56, 7):
        byte = numbers.take(1)
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
    return value


def _read_sequence(source: Source, body: memoryview) -> tuple[int, int]:
    bits = _Bits(source, body)
    bits.take(4)
    if bits.take(1):
        bits.take(5)
    else:
        _skip_operation(source, bits)
    wide, high = bits.take(4) + 1, bits.take(4) + 1
    columns, rows = bits.take(wide) + 1, bits.take(high) + 1
    return rows, columns


def _skip_operation(source: Source, bits: _Bits) -> None:
    """Pass over what a full heading says between profile and size."""
    if bits.take(1):
        raise source.unsupported("an AVIF with the timing of a film")
    delayed = bits.take(1)
    for _ in range(bits.take(5) + 1):
        bits.take(12)
        if bits.take(5) > 7:
            bits.take(1)
        if delayed and bits.take(1):
            bits.take(4)


class _Bits:
    """Numbers one after the other, each beginning with its highest bit."""

    def __init__(self, source: Source, body: memoryview) -> None:
        head = bytes(body[:256])
        self._source, self._value, self._left = source, int.from_bytes(head, "big"), 8 * len(head)

    def take(self, count: int) -> int:
        """Return the next so many bits."""
        self._left -= count
        if self._left < 0:
            raise self._source.cut_short()
        return self._value >> self._left & (1 << count) - 1
