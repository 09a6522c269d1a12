"""Check that coded pictures in an AVIF or HEIF have the sizes that the container states.

A container states a size for each picture. If the coded picture has another size, libavif and
libheif scale or crop it. So a small claim could hide a huge picture, and the samples would not be
the stored ones.

References
----------
.. [1] AOMedia, "AV1 Bitstream & Decoding Process Specification", 5.3 and 5.5,
   https://aomediacodec.github.io/av1-spec/
.. [2] ITU-T H.265, 7.3.1 and 7.3.2: units of HEVC, and sequence parameter sets.
.. [3] ISO/IEC 14496-15, 8.3.3: the configuration of HEVC.
.. [4] ISO/IEC 23008-12, "Image file format", 6.6.2.3: grids.
"""

from collections.abc import Iterator
from typing import Final, TypeAlias

from sudokucrypt.images.driver import Source
from sudokucrypt.images.foreign.isobmff import BitReader, ByteReader, Items

_SEQUENCE_HEADER_TYPE: Final = 1  # the type of a unit of AV1 that is a sequence header
_EXTENSION_FLAG, _SIZE_FLAG = 0x04, 0x02  # flags of such a unit
_PARAMETER_SET_TYPE: Final = 33  # the type of a unit of HEVC that is a sequence parameter set
# Color, alpha and a gain map may each be as large as the picture.
_MAX_LAYERS: Final = 3
_MAX_HEADER_BYTES: Final = 512  # bytes of a sequence header or parameter set that are read
# Rows and columns, decoded area in pixels, and bits of a sample.
_CodedSize: TypeAlias = tuple[tuple[int, int], int, int]


def read_picture_size(source: Source, items: Items, *, width: int) -> tuple[int, int]:
    """Return rows and columns of the picture, after checking all coded pictures in the file.

    A sample takes `width` bytes.
    """
    size = read_claimed_size(source, items, items.primary_item)
    source.shape(*size, 4, width=width)
    total_area, depths, decoded_items = 0, set(), items.find_decoded_items()
    for item, (kind, _) in items.kinds.items():
        if kind == b"grid":
            numbers = ByteReader(source, memoryview(items.content(item) or b""))
            number_size = 4 if numbers.take_number(2) & 1 else 2
            numbers.take_number(2)
            columns, rows = numbers.take_number(number_size), numbers.take_number(number_size)
            coded_size = rows, columns
        elif kind in _SIZE_READERS:
            coded_size, area, depth = _SIZE_READERS[kind](source, items, item)
            total_area += area
            depths |= {depth} if item in decoded_items else set()
        else:
            continue
        if coded_size != read_claimed_size(source, items, item):
            raise source.report_damage("the stated and the actual size of a picture in it differ")
    if len(depths) > 1:
        raise source.refuse_kind("a picture whose parts differ in bit depth")
    if total_area > _MAX_LAYERS * source.max_pixels:
        raise source.report_damage("its tiles are larger than the picture")
    if items.kinds.get(items.primary_item, (b"", b""))[0] not in (*_SIZE_READERS, b"grid"):
        raise source.refuse_kind("a picture that is made from others, or coded in a rare way")
    return size


def read_claimed_size(source: Source, items: Items, item: int) -> tuple[int, int]:
    """Return rows and columns that a file states for an item, which may be wrong."""
    size = items.find_property(item, b"ispe")
    if size is None:
        raise source.report_damage("a picture in it has no size")
    numbers = ByteReader(source, size, 4)
    columns, rows = numbers.take_number(4), numbers.take_number(4)
    return rows, columns


def _read_av1_size(source: Source, items: Items, item: int) -> _CodedSize:
    """Return the size, area and depth of a picture coded with AV1, from its sequence header."""
    numbers = ByteReader(source, memoryview(items.content(item) or b""))
    sizes = set()
    while numbers.unread_byte_count:
        unit_header = numbers.take_number(1)
        if unit_header & _EXTENSION_FLAG:
            numbers.take_number(1)
        length = _read_leb128(numbers) if unit_header & _SIZE_FLAG else numbers.unread_byte_count
        body = numbers.take_bytes(length)
        if unit_header >> 3 & 15 == _SEQUENCE_HEADER_TYPE:
            sizes.add(_read_sequence_size(source, body))
    rows, columns = _get_single_size(source, sizes)
    # The depth is not read, since libavif checks that all parts have the same depth.
    return (rows, columns), rows * columns, 8


def _get_single_size(source: Source, sizes: set[tuple[int, ...]]) -> tuple[int, ...]:
    if len(sizes) != 1:
        raise source.report_damage("a picture in it states no size, or several sizes")
    return sizes.pop()


def _read_leb128(numbers: ByteReader) -> int:
    """Return a number in groups of seven bits, the lowest first."""
    value = 0
    for shift in range(0, 56, 7):
        byte = numbers.take_number(1)
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
    return value


def _read_sequence_size(source: Source, body: memoryview) -> tuple[int, ...]:
    """Return rows and columns in a sequence header of AV1."""
    bits = BitReader(source, bytes(body[:_MAX_HEADER_BYTES]))
    bits.take_bits(4)
    if bits.take_flag():
        bits.take_bits(5)
    else:  # skip the fields between profile and size
        if bits.take_flag():
            raise source.refuse_kind("an AVIF with timing information for video")
        has_display_delay = bits.take_flag()
        for _ in range(bits.take_bits(5) + 1):
            bits.take_bits(12)
            if bits.take_bits(5) > 7:
                bits.take_bits(1)
            if has_display_delay and bits.take_flag():
                bits.take_bits(4)
    width_bits, height_bits = bits.take_bits(4) + 1, bits.take_bits(4) + 1
    columns, rows = bits.take_bits(width_bits) + 1, bits.take_bits(height_bits) + 1
    return rows, columns


def _read_hevc_size(source: Source, items: Items, item: int) -> _CodedSize:
    """Return the visible size, decoded area and depth of a picture coded with HEVC."""
    configuration = items.find_property(item, b"hvcC")
    if configuration is None or len(configuration) < 23:
        raise source.report_damage("a picture in it has no configuration")
    coded_picture = memoryview(items.content(item) or b"")
    sizes = {
        # A byte 3 after two zeros is no data; it was inserted to avoid the start code of a unit.
        _read_parameter_set(
            BitReader(source, bytes(unit[2:_MAX_HEADER_BYTES]).replace(b"\0\0\3", b"\0\0"))
        )
        for unit in _iterate_units(source, configuration, coded_picture)
        if len(unit) > 1 and unit[0] >> 1 & 63 == _PARAMETER_SET_TYPE
    }
    rows, columns, area, *kind = _get_single_size(source, sizes)
    # pi-heif 1.4 reserves memory for the samples that the configuration states, but writes the
    # samples that are coded.
    if (
        kind != [configuration[16] & 3, configuration[17] & 7, configuration[18] & 7]
        or kind[1] != kind[2]
    ):
        raise source.report_damage(
            "the stated and the actual sample type of a picture in it differ"
        )
    return (rows, columns), area, 8 + kind[1]


def _iterate_units(
    source: Source, configuration: memoryview, coded_picture: memoryview
) -> Iterator[memoryview]:
    """Yield the units of HEVC in the configuration, then the units in the coded picture."""
    numbers = ByteReader(source, configuration, 22)
    for _ in range(numbers.take_number(1)):
        numbers.take_number(1)
        for _ in range(numbers.take_number(2)):
            yield numbers.take_bytes(numbers.take_number(2))
    length_size = (configuration[21] & 3) + 1
    numbers = ByteReader(source, coded_picture)
    while numbers.unread_byte_count:
        yield numbers.take_bytes(numbers.take_number(length_size))


def _read_parameter_set(bits: BitReader) -> tuple[int, ...]:
    """Return visible rows and columns, the decoded area, and the kind of the samples.

    The kind is three numbers: the subsampling of color, and how many bits more than 8 a sample of
    luminance and a sample of color have.
    """
    bits.take_bits(4)
    layers = bits.take_bits(3)
    bits.take_bits(1 + 96)
    layer_flags = [(bits.take_bits(1), bits.take_bits(1)) for _ in range(layers)]
    bits.take_bits(2 * (8 - layers) if layers else 0)
    for profile, level in layer_flags:
        bits.take_bits(88 * profile + 8 * level)
    bits.take_exp_golomb()
    chroma_format = bits.take_exp_golomb()
    if chroma_format == 3:
        bits.take_bits(1)
    columns, rows = bits.take_exp_golomb(), bits.take_exp_golomb()
    area = rows * columns
    if bits.take_flag():
        horizontal_factor, vertical_factor = (
            2 if chroma_format in (1, 2) else 1,
            2 if chroma_format == 1 else 1,
        )
        columns -= horizontal_factor * (bits.take_exp_golomb() + bits.take_exp_golomb())
        rows -= vertical_factor * (bits.take_exp_golomb() + bits.take_exp_golomb())
    return rows, columns, area, chroma_format, bits.take_exp_golomb(), bits.take_exp_golomb()


_SIZE_READERS: Final = {b"av01": _read_av1_size, b"hvc1": _read_hevc_size}
