"""Read the size and kind of a picture from the start of a WebP, JPEG XL or JPEG 2000.

References
----------
.. [1] RFC 9649, "WebP Image Format", 2.
.. [2] ISO/IEC 18181-1:2024, "JPEG XL coding system", annexes D and E.
.. [3] ITU-T T.800, A.5.1: the size of a picture in JPEG 2000.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from sudokucrypt.images.driver import Source, get_part_limit
from sudokucrypt.images.foreign.isobmff import BitReader, KindAndBody
from sudokucrypt.images.orientation import UPRIGHT


@dataclass(frozen=True)
class SampleClaim:
    """The size and the kind of samples that a file claims, read before a library decodes it."""

    rows: int  # before the orientation is applied
    columns: int
    channels: tuple[int, ...]  # the possible numbers of channels
    bits: int = 8
    orientation: int = UPRIGHT
    dropped_names: tuple[str, ...] = ()
    lossy: bool = True


# WebP
_WEBP_PICTURE_KINDS: Final = (b"VP8 ", b"VP8L")
_ANIMATION_FLAG: Final = 0x02


def walk_webp_chunks(source: Source) -> Iterator[KindAndBody]:
    """Yield kind and body of every chunk of a WebP."""
    view, position = memoryview(source.data), 12
    file_end = 8 + int.from_bytes(view[4:8], "little")
    if file_end > len(view):
        raise source.report_cut()
    for _ in range(get_part_limit(len(view))):
        if position >= file_end:
            return
        kind, size = bytes(view[position : position + 4]), view[position + 4 : position + 8]
        chunk_start = position + 8
        position = chunk_start + int.from_bytes(size, "little")
        if position > file_end:
            raise source.report_cut()
        yield kind, view[chunk_start:position]
        position += position % 2
    raise source.refuse_many_parts("chunks")


# GIF
_GIF_HEAD_SIZE: Final = 13
_GIF_EXTENSION, _GIF_IMAGE = 0x21, 0x2C
_GIF_BLOCK_BYTES: Final = (
    128  # bytes; programs write blocks of 254 or 255 bytes, and a shorter last one
)


def require_few_gif_blocks(source: Source) -> None:
    """Raise an error if a GIF has very many blocks, since Pillow makes an object of each block.

    Damage of the file is left for Pillow to find.
    """
    data = source.data
    remaining_blocks = limit = get_part_limit(len(data)) + len(data) // _GIF_BLOCK_BYTES
    position = _GIF_HEAD_SIZE + _measure_gif_table(data, _GIF_HEAD_SIZE - 3)
    while data[position : position + 1] and data[position] in (_GIF_EXTENSION, _GIF_IMAGE):
        block_start = position + 2  # after the label of an extension
        if data[position] == _GIF_IMAGE:
            block_start = position + 11 + _measure_gif_table(data, position + 9)
        position, remaining_blocks = block_start, remaining_blocks - 1
        while size := data[position : position + 1]:
            position, remaining_blocks = position + 1 + size[0], remaining_blocks - 1
            if remaining_blocks < 0:
                raise source.refuse_many_parts("blocks", limit)
            if not size[0]:
                break


def _measure_gif_table(data: bytes, position: int) -> int:
    """Return the size in bytes of the color table that the flags at a position announce."""
    flags = int.from_bytes(data[position : position + 1], "big")
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def read_webp(source: Source) -> SampleClaim:
    """Return the size and kind of samples that a WebP of one picture claims."""
    chunks: dict[bytes, memoryview] = {}
    for kind, body in walk_webp_chunks(source):
        if kind in (*_WEBP_PICTURE_KINDS, b"VP8X") and kind in chunks:
            raise source.report_damage("it holds two pictures")
        chunks.setdefault(kind, body)
    canvas_body, (lossy_body, lossless_body) = (
        chunks.get(b"VP8X"),
        map(chunks.get, _WEBP_PICTURE_KINDS),
    )
    if b"ANMF" in chunks or b"ANIM" in chunks or (canvas_body and canvas_body[0] & _ANIMATION_FLAG):
        raise source.refuse_several("an animation")
    if lossless_body is not None and lossy_body is None and len(lossless_body) >= 5:
        bits = int.from_bytes(lossless_body[1:5], "little")
        rows, columns, has_alpha = (
            (bits >> 14 & 0x3FFF) + 1,
            (bits & 0x3FFF) + 1,
            bool(bits >> 28 & 1),
        )
    elif lossy_body is not None and lossless_body is None and len(lossy_body) >= 10:
        columns, rows = (int.from_bytes(lossy_body[i : i + 2], "little") & 0x3FFF for i in (6, 8))
        has_alpha = b"ALPH" in chunks
    else:
        raise source.report_damage("it does not contain exactly one picture")
    if canvas_body is not None:
        sides = tuple(int.from_bytes(canvas_body[i : i + 3], "little") + 1 for i in (4, 7))
        if len(canvas_body) != 10 or sides != (columns, rows):
            raise source.report_damage("the canvas and the picture in it differ in size")
    return SampleClaim(rows, columns, (4,) if has_alpha else (3,), lossy=lossy_body is not None)


# JPEG XL. Each number has one of four forms: a pair of a constant and the number of bits of the
# value that is added to it.
MAX_HEADING_BYTES: Final = (
    2048  # bytes; no heading is longer, and only the name of a channel is long
)
JXL_SIGNATURE: Final = b"\xff\x0a"
_SIDE_ENCODINGS: Final = ((1, 9), (1, 13), (1, 18), (1, 30))
_ENUM_ENCODINGS: Final = ((0, 0), (1, 0), (2, 4), (18, 6))
_DEPTH_ENCODINGS: Final = ((8, 0), (10, 0), (12, 0), (1, 6))
_EXTRA_COUNT_ENCODINGS: Final = ((0, 0), (1, 0), (2, 4), (1, 12))
_DOWNSAMPLING_ENCODINGS: Final = ((0, 0), (3, 0), (4, 0), (1, 3))
_NAME_LENGTH_ENCODINGS: Final = ((0, 0), (0, 4), (16, 5), (48, 10))
# The ratios of columns to rows that a heading can name.
_SIDE_RATIOS: Final = ((1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1))
_RGB_SPACE, _GRAY_SPACE = 0, 1
_D65_WHITE_POINT, _SRGB_PRIMARIES, _SRGB_TRANSFER = 1, 1, 13
_ALPHA_KIND: Final = 0


def read_jxl(source: Source, codestream: bytes) -> SampleClaim:
    """Return the size and kind of samples that a JPEG XL codestream claims.

    It must be a still picture of integers with no extra channel except plain alpha.
    """
    if not codestream.startswith(JXL_SIGNATURE):
        raise source.report_damage("its codestream does not begin with the signature")
    bits = BitReader(source, codestream[2 : 2 + MAX_HEADING_BYTES], lowest_bit_first=True)
    size_claim = SampleClaim(*_read_sides(bits), (1, 3))
    if bits.take_flag():
        return size_claim
    orientation = UPRIGHT
    if bits.take_flag():  # rare fields follow
        orientation += bits.take_bits(3)
        if bits.take_flag():
            _read_sides(bits)
        if bits.take_flag():
            raise source.refuse_kind("a JPEG XL with a preview")
        if bits.take_flag():
            raise source.refuse_several("an animation")
    depth = _read_depth(source, bits)
    bits.take_flag()
    count = _take_number(bits, _EXTRA_COUNT_ENCODINGS)
    if count > 1:
        raise source.refuse_kind(f"a JPEG XL with {count} extra channels")
    if count:
        _skip_plain_alpha(source, bits, depth)
    return replace(
        size_claim,
        channels=(2, 4) if count else (1, 3),
        bits=depth,
        orientation=orientation,
        lossy=bits.take_flag(),  # whether samples are XYB, the color space of lossy coding
        dropped_names=_read_colors(bits),
    )


def _take_number(bits: BitReader, encodings: tuple[tuple[int, int], ...]) -> int:
    base_value, bit_count = encodings[bits.take_bits(2)]
    return base_value + bits.take_bits(bit_count)


def _read_sides(bits: BitReader) -> tuple[int, int]:
    has_small_sides = bits.take_flag()

    def take_side() -> int:
        return (
            8 * (bits.take_bits(5) + 1) if has_small_sides else _take_number(bits, _SIDE_ENCODINGS)
        )

    rows = take_side()
    ratio_index = bits.take_bits(3)
    width, height = _SIDE_RATIOS[ratio_index - 1]
    return rows, rows * width // height if ratio_index else take_side()


def _read_depth(source: Source, bits: BitReader) -> int:
    if bits.take_flag():
        raise source.refuse_kind("a JPEG XL with float samples")
    depth = _take_number(bits, _DEPTH_ENCODINGS)
    if not 8 <= depth <= 16:
        raise source.refuse_kind(f"a JPEG XL with {depth}-bit samples")
    return depth


def _skip_plain_alpha(source: Source, bits: BitReader, depth: int) -> None:
    """Skip the description of the extra channel, which must be alpha of the same depth."""
    kind, alpha_depth, is_premultiplied = _ALPHA_KIND, 8, False
    if not bits.take_flag():
        kind = _take_number(bits, _ENUM_ENCODINGS)
        alpha_depth = _read_depth(source, bits)
        _take_number(bits, _DOWNSAMPLING_ENCODINGS)
        bits.take_bits(8 * _take_number(bits, _NAME_LENGTH_ENCODINGS))
        is_premultiplied = kind == _ALPHA_KIND and bits.take_flag()
    if kind != _ALPHA_KIND or is_premultiplied or alpha_depth != depth:
        raise source.refuse_kind("a JPEG XL with an extra channel that is not plain alpha")


def _read_colors(bits: BitReader) -> tuple[str, ...]:
    """Return the name of the color information that is left out, or no name for sRGB."""
    if bits.take_flag():
        return ()
    if bits.take_flag():
        return ("ICC profile",)
    color_space = _take_number(bits, _ENUM_ENCODINGS)
    is_srgb = (
        color_space in (_RGB_SPACE, _GRAY_SPACE)
        and _take_number(bits, _ENUM_ENCODINGS) == _D65_WHITE_POINT
        and (color_space == _GRAY_SPACE or _take_number(bits, _ENUM_ENCODINGS) == _SRGB_PRIMARIES)
        and not bits.take_flag()
        and _take_number(bits, _ENUM_ENCODINGS) == _SRGB_TRANSFER
    )
    return () if is_srgb else ("color space",)


# JPEG 2000
JPEG2000_START: Final = b"\xff\x4f\xff\x51"
_JPEG2000_END: Final = b"\xff\xd9"
_SIZE_SEGMENT: Final = struct.Struct(">HH8IH")
# The standard numbers tiles with 16 bits; damaged sizes could require billions of tiles.
_MAX_TILES: Final = 65535


def read_jpeg2000(source: Source, codestream: memoryview) -> SampleClaim:
    """Return the size and kind of samples that a JPEG 2000 codestream claims."""
    if bytes(codestream[:4]) != JPEG2000_START:
        raise source.report_damage("its codestream does not begin with the signature")
    # OpenJPEG decodes a file that was cut short, with missing parts.
    if len(codestream) < 4 + _SIZE_SEGMENT.size or bytes(codestream[-2:]) != _JPEG2000_END:
        raise source.report_cut()
    _, _, *sides, channels = _SIZE_SEGMENT.unpack_from(codestream, 4)
    right, bottom, left, top, tile_width, tile_height, tile_left, tile_top = sides
    kinds = bytes(codestream[4 + _SIZE_SEGMENT.size : 4 + _SIZE_SEGMENT.size + 3 * channels])
    if len(kinds) < 3 * channels or not channels:
        raise source.report_cut()
    if right <= left or bottom <= top or not tile_width or not tile_height:
        raise source.report_damage("it has no pixels")
    tile_columns = -(-(right - tile_left) // tile_width)
    if tile_columns * -(-(bottom - tile_top) // tile_height) > _MAX_TILES:
        raise source.report_damage("it has more tiles than can be numbered")
    depth = kinds[0]
    if channels > 4 or depth > 15 or any(kinds[n] != depth for n in range(0, len(kinds), 3)):
        raise source.refuse_kind("a JPEG 2000 with other than 1 to 4 equal channels of 1-16 bits")
    if any(step != 1 for n, step in enumerate(kinds) if n % 3):
        raise source.refuse_kind("a JPEG 2000 with channels of several sizes")
    return SampleClaim(bottom - top, right - left, (channels,), depth + 1)
