"""The sizes of the coded pictures in an AVIF or HEIF, which decoders obey, whatever the file says.

libavif and libheif scale or crop a picture that is not of the size that the file gives for it. A
small claim would let a huge picture in, and its samples would not be those that were stored.

References
----------
.. [1] AOMedia, "AV1 Bitstream & Decoding Process Specification", 5.3 and 5.5,
   https://aomediacodec.github.io/av1-spec/
.. [2] ITU-T H.265, 7.3.1 and 7.3.2: units of HEVC, and sequence parameter sets.
.. [3] ISO/IEC 14496-15, 8.3.3: the configuration of HEVC.
.. [4] ISO/IEC 23008-12, "Image file format", 6.6.2.3: grids.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sudokucrypt.images.foreign.boxes import Bits, Numbers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sudokucrypt.images.foreign.items import Items
    from sudokucrypt.images.source import Source

_SEQUENCE: Final = 1
_HAS_EXTENSION, _HAS_SIZE = 0x04, 0x02
_PARAMETERS: Final = 33
# Color, alpha and a gain map may each be as large as the picture.
_MOST_LAYERS: Final = 3
_LONGEST: Final = 512


def picture_size(source: Source, items: Items, *, width: int) -> tuple[int, int]:
    """Return rows and columns of the picture, after a check of all that will be decoded.

    Parameters
    ----------
    source : Source
        The file.
    items : Items
        What it says of itself.
    width : int
        Bytes of a sample.

    Raises
    ------
    InvalidImageError
        If a coded picture has another size than the file says, or all are more than are read.
    UnsupportedError
        If the picture is not coded as AV1 or HEVC, whole or in tiles.
    """
    size = _claimed(source, items, items.primary)
    source.shape(*size, 4, width=width)
    coded, depths, drawn = 0, set(), items.drawn()
    for item, (kind, _) in items.kinds.items():
        if kind == b"grid":
            _require(source, _grid_size(source, items.content(item)), items, item)
        elif kind in _CODED:
            rows, columns, area, depth = _CODED[kind](source, items, item)
            _require(source, (rows, columns), items, item)
            coded += area
            depths |= {depth} if item in drawn else set()
    if len(depths) > 1:
        raise source.unsupported("a picture of which parts have other depths than the rest")
    if coded > _MOST_LAYERS * source.max_pixels:
        raise source.damaged("its tiles are larger than the picture")
    if items.kinds.get(items.primary, (b"", b""))[0] not in (*_CODED, b"grid"):
        raise source.unsupported("a picture that is made from others, or coded in a rare way,")
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


def _av1_size(source: Source, items: Items, item: int) -> tuple[int, int, int, int]:
    """Return rows and columns of the largest frame that a coded picture may hold, and its area."""
    numbers = Numbers(source, memoryview(items.content(item) or b""))
    found = set()
    while numbers.more:
        head = numbers.take(1)
        if head & _HAS_EXTENSION:
            numbers.take(1)
        size = _leb128(numbers) if head & _HAS_SIZE else len(numbers.view) - numbers.position
        body = numbers.rest(size)
        if head >> 3 & 15 == _SEQUENCE:
            found.add(_read_sequence(source, body))
    rows, columns = _only(source, found)
    # libavif sees for itself that all parts have one depth.
    return rows, columns, rows * columns, 8


def _only(source: Source, found: set[tuple[int, ...]]) -> tuple[int, ...]:
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


def _read_sequence(source: Source, body: memoryview) -> tuple[int, ...]:
    bits = Bits(source, bytes(body[:_LONGEST]))
    bits.take(4)
    if bits.take(1):
        bits.take(5)
    else:
        _skip_operation(source, bits)
    wide, high = bits.take(4) + 1, bits.take(4) + 1
    columns, rows = bits.take(wide) + 1, bits.take(high) + 1
    return rows, columns


def _skip_operation(source: Source, bits: Bits) -> None:
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


def _hevc_size(source: Source, items: Items, item: int) -> tuple[int, int, int, int]:
    """Return rows and columns that a coded picture shows, its area when decoded, and its depth."""
    found = {_read_parameters(source, unit) for unit in _units(source, items, item)}
    rows, columns, area, *kind = _only(source, found)
    said = items.property(item, b"hvcC") or memoryview(b"")
    # pi-heif 1.4 makes room for what the configuration says, and fills it with what is coded.
    if kind != [said[16] & 3, said[17] & 7, said[18] & 7] or kind[1] != kind[2]:
        raise source.damaged("a picture in it has other samples than it claims")
    return rows, columns, area, 8 + kind[1]


def _units(source: Source, items: Items, item: int) -> Iterator[bytes]:
    """Yield the sequence parameter sets of a coded picture, from its properties and itself."""
    said = items.property(item, b"hvcC")
    if said is None or len(said) < 23:
        raise source.damaged("a picture in it has no configuration")
    wide = (said[21] & 3) + 1
    numbers = Numbers(source, said, 22)
    for _ in range(numbers.take(1)):
        numbers.take(1)
        for _ in range(numbers.take(2)):
            unit = numbers.rest(numbers.take(2))
            if len(unit) > 1 and unit[0] >> 1 & 63 == _PARAMETERS:
                yield bytes(unit[:_LONGEST])
    numbers = Numbers(source, memoryview(items.content(item) or b""))
    while numbers.more:
        unit = numbers.rest(numbers.take(wide))
        if len(unit) > 1 and unit[0] >> 1 & 63 == _PARAMETERS:
            yield bytes(unit[:_LONGEST])


def _read_parameters(source: Source, unit: bytes) -> tuple[int, ...]:
    """Return rows and columns that are shown, the area that is decoded, and kind of samples.

    The kind is how color is subsampled, and how many bits beyond 8 luminance and color have.
    """
    # A three behind two zeros only keeps the bytes from looking like the start of a unit.
    bits = Bits(source, unit[2:].replace(b"\0\0\3", b"\0\0"))
    bits.take(4)
    layers = bits.take(3)
    bits.take(1 + 96)
    present = [(bits.take(1), bits.take(1)) for _ in range(layers)]
    bits.take(2 * (8 - layers) if layers else 0)
    for profile, level in present:
        bits.take(88 * profile + 8 * level)
    bits.exponential()
    chroma = bits.exponential()
    if chroma == 3:
        bits.take(1)
    columns, rows = bits.exponential(), bits.exponential()
    area = rows * columns
    if bits.take(1):
        across, down = 2 if chroma in (1, 2) else 1, 2 if chroma == 1 else 1
        columns -= across * (bits.exponential() + bits.exponential())
        rows -= down * (bits.exponential() + bits.exponential())
    return rows, columns, area, chroma, bits.exponential(), bits.exponential()


_CODED: Final = {b"av01": _av1_size, b"hvc1": _hevc_size}
