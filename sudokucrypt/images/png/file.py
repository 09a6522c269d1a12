"""Read and write PNG files, whose chunks have a length, a kind, a body and a checksum.

::

    signature | 13 IHDR ... crc | n IDAT ... crc | ... | 0 IEND crc

Our header is in an iTXt chunk.
"""

import math
import re
import struct
import zlib
from collections.abc import Iterable, Iterator
from functools import partial
from io import BytesIO
from typing import Any, BinaryIO, Final, TypeAlias

import numpy as np

from sudokucrypt.errors import make_version_error
from sudokucrypt.images.driver import STORED_HEADER_LIMIT, Source, get_part_limit
from sudokucrypt.images.picture import (
    DEFAULT_MODES,
    METADATA_NAMES,
    Metadata,
    Picture,
    Resolution,
    channels,
    take_rows,
)
from sudokucrypt.images.png import samples
from sudokucrypt.images.png.samples import PALETTE_TYPE, SampleFormat, pack_samples, store_samples
from sudokucrypt.images.png.scanlines import unpack_samples
from sudokucrypt.typing import AnyArray, Buffer

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
# The kind under which a chunk with a wrong checksum is reported.
WRONG_CHECKSUM_KIND: Final = b"unsound"

HEADER_KEYWORD: Final = b"sudokucrypt\0"  # the first bytes of the iTXt chunk with our header

# Lower-case kinds of chunks that are needed, since they mark animations, transparency or a header.
_NEEDED_KINDS: Final = (b"acTL", b"fcTL", b"fdAT", b"tRNS", b"iTXt")
MAX_BODY_BYTES: Final = 2**31 - 1  # maximum number of bytes of the body of a chunk

_MAX_COPIED_BYTES: Final = 1 << 14  # bytes; smaller parts of a file are joined, which copies them
_CHUNK_HEAD = struct.Struct(">I4s")
_CHECKSUM_FORMAT = struct.Struct(">I")
_CHUNK_OVERHEAD = _CHUNK_HEAD.size + _CHECKSUM_FORMAT.size


def walk_chunks(source: Source) -> Iterator[tuple[bytes, memoryview]]:
    """Yield kind and body of every chunk; then the bytes after IEND, with the kind ``b""``.

    A chunk with a wrong checksum has the kind `WRONG_CHECKSUM_KIND` if viewers do not need it.
    If viewers need it, `InvalidImageError` is raised.
    """
    file_view, file = memoryview(source.data), BytesIO(source.data)
    for kind, length in walk_chunk_heads(source, file, len(file_view)):
        body_start = file.tell()
        end = body_start + length
        body, checksum = file_view[body_start:end], file_view[end : end + _CHECKSUM_FORMAT.size]
        if not has_checksum(source, kind, body, checksum):
            yield WRONG_CHECKSUM_KIND, body
            continue
        yield kind, body
        if kind == b"IEND":
            yield b"", file_view[end + _CHECKSUM_FORMAT.size :]


def walk_chunk_heads(source: Source, file: BinaryIO, size: int) -> Iterator[tuple[bytes, int]]:
    """Yield kind and length of every chunk of an open file of `size` bytes.

    After each, the position of the file is the body of the chunk. Bodies are not read.
    """
    position = len(SIGNATURE)
    limit = get_part_limit(size)
    for _ in range(limit):
        if size - position < _CHUNK_OVERHEAD:
            raise source.report_cut()
        file.seek(position)
        chunk_head = file.read(_CHUNK_HEAD.size)
        if len(chunk_head) < _CHUNK_HEAD.size:  # the file became shorter while it was read
            raise source.report_cut()
        length, kind = _CHUNK_HEAD.unpack(chunk_head)
        if not kind.isalpha() or length > MAX_BODY_BYTES:
            raise source.report_damage(f"there is no chunk at byte {position}")
        position += _CHUNK_OVERHEAD + length
        if position > size:
            raise source.report_cut()
        yield kind, length
        if kind == b"IEND":
            return
    raise source.refuse_many_parts("chunks", limit)


def has_checksum(source: Source, kind: bytes, body: Buffer, checksum: Buffer) -> bool:
    """Return whether a chunk has this checksum.

    Raises `InvalidImageError` if the checksum is wrong and viewers need the chunk.
    """
    from zlib_ng.zlib_ng import crc32  # several times as fast as zlib's crc32

    is_correct = _CHECKSUM_FORMAT.pack(crc32(body, crc32(kind))) == checksum
    is_header = bytes(body[: len(HEADER_KEYWORD)]) == HEADER_KEYWORD
    if not is_correct and (is_header or kind[:1].isupper() or kind in _NEEDED_KINDS):
        raise source.report_damage(f"its {kind.decode()} chunk has a wrong checksum")
    return is_correct


def assemble_file(chunks: Iterable[tuple[bytes, Buffer]]) -> Iterator[Buffer]:
    """Yield the parts of a PNG file; a body that is too long for a chunk is split into several."""
    from zlib_ng.zlib_ng import crc32

    joined_bytes = bytearray(SIGNATURE)  # joined small parts, so that fewer parts are written
    for kind, body in chunks:
        body_view = memoryview(body)
        for start in range(0, max(len(body_view), 1), MAX_BODY_BYTES):
            part = body_view[start : start + MAX_BODY_BYTES]
            checksum = crc32(part, crc32(kind))
            joined_bytes += _CHUNK_HEAD.pack(len(part), kind)
            if len(joined_bytes) + len(part) > _MAX_COPIED_BYTES:
                yield bytes(joined_bytes)
                yield part
                joined_bytes.clear()
            else:
                joined_bytes += part
            joined_bytes += _CHECKSUM_FORMAT.pack(checksum)
    yield bytes(joined_bytes)


def encode_samples(
    samples: Iterable[AnyArray], shape: tuple[int, int], header: bytes
) -> Iterator[Buffer]:
    """Yield the parts of a gray PNG of 8 bits with a header.

    The samples are stored without compression, as they are noise.

    Parameters
    ----------
    samples : iterable of numpy.ndarray of uint8
        Arrays of any length, together rows x columns samples in reading order. An array may be
        overwritten when the next one is requested.
    shape : tuple of int
        The numbers of rows and columns, each at least 1.
    header : bytes
        The text of the header, which is written into an iTXt chunk.
    """
    layout = SampleFormat(*shape, bits=8, color_type=0)

    def iterate_chunks() -> Iterator[tuple[bytes, Buffer]]:
        yield b"IHDR", layout.to_bytes()
        yield b"iTXt", b"".join([HEADER_KEYWORD, ITXT_FIELDS, header])
        for data_part in store_samples(samples, layout):
            yield b"IDAT", data_part
        yield b"IEND", b""

    return assemble_file(iterate_chunks())


Chunk: TypeAlias = tuple[bytes, bytes]  # kind and body

XMP_START: Final = b"XML:com.adobe.xmp\0"  # the first bytes of an iTXt chunk with an XMP packet
ITXT_FIELDS: Final = b"\0\0\0\0"
"""Bytes after the keyword: not compressed, method 0, no language, no translated keyword."""

PROFILE_LIMIT: Final = 16 * 2**20  # maximum number of bytes of a color profile
_PROFILE_START = b"ICC profile\0\0"
# Pillow fails for other starts.
_EXIF_START_PATTERN = re.compile(rb"(II\*\0|MM\0\*).{4}", re.DOTALL)
# The names of chunks that are left out.
_DROPPED_CHUNK_NAMES: Final = {
    b"bKGD": "background color",
    b"eXIf": "EXIF",
    b"iCCP": "ICC profile",
    b"pHYs": "resolution",
    **dict.fromkeys((b"iTXt", b"tEXt", b"zTXt"), "text"),
    **dict.fromkeys((b"cHRM", b"cICP", b"cLLI", b"gAMA", b"mDCV"), "color space"),
}
# Chunks that are ignored, since they state the default colors of sRGB.
_SRGB_CHUNK_BODIES: Final = {
    b"gAMA": (struct.pack(">I", 45455),),
    b"cHRM": (struct.pack(">8I", 31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000),),
    b"sRGB": tuple(bytes([intent]) for intent in range(4)),
}


class ChunkMetadata:
    """Collects the metadata in the chunks of a PNG; of two chunks for a field, the first counts."""

    def __init__(self) -> None:
        self._fields: dict[str, Any] = {}

    def take_chunk(self, kind: bytes, body: bytes, *, is_after_samples: bool) -> str | None:
        """Collect the metadata in a chunk, or return the name of metadata that are left out."""
        if body in _SRGB_CHUNK_BODIES.get(kind, ()):
            return None
        field, value = _read_chunk(kind, body, is_after_samples=is_after_samples)
        if value is None or field in self._fields:
            return (
                METADATA_NAMES["xmp"]
                if field == "xmp"
                else _DROPPED_CHUNK_NAMES.get(kind, "other data")
            )
        self._fields[field] = value
        return None

    def metadata(self) -> Metadata:
        """Return the collected metadata."""
        return Metadata(**self._fields)


def make_metadata_chunks(metadata: Metadata) -> tuple[list[Chunk], list[Chunk], tuple[str, ...]]:
    """Return the chunks of metadata, and the names of metadata that PNG cannot contain.

    The first list is the chunks before the position of a palette, the second the chunks after it.
    """
    chunks_before_palette, chunks_after_palette, lost_names = [], [], []
    if metadata.icc is not None:
        if len(metadata.icc) <= PROFILE_LIMIT:
            chunks_before_palette.append((b"iCCP", _PROFILE_START + zlib.compress(metadata.icc)))
        else:
            lost_names.append("icc")
    if metadata.exif is not None:
        if _EXIF_START_PATTERN.match(metadata.exif) and len(metadata.exif) <= MAX_BODY_BYTES:
            chunks_after_palette.append((b"eXIf", metadata.exif))
        else:
            lost_names.append("exif")
    if metadata.resolution is not None:
        if density := _encode_density(metadata.resolution):
            chunks_after_palette.append((b"pHYs", density))
        else:
            lost_names.append("resolution")
    if metadata.xmp is not None:
        chunks_after_palette.append((b"iTXt", XMP_START + ITXT_FIELDS + metadata.xmp))
    return (
        chunks_before_palette,
        chunks_after_palette,
        tuple(METADATA_NAMES.get(name, name) for name in lost_names),
    )


def _read_chunk(kind: bytes, body: bytes, *, is_after_samples: bool) -> tuple[str, Any]:
    """Return the field of `Metadata` for a chunk, and its value or None.

    Resolution and profile in chunks after the samples are ignored, as in other programs.
    """
    if kind == b"eXIf":
        return "exif", body if _EXIF_START_PATTERN.match(body) else None
    if kind == b"iTXt" and body.startswith(XMP_START + ITXT_FIELDS):
        return "xmp", body[len(XMP_START + ITXT_FIELDS) :]
    if kind == b"iCCP" and not is_after_samples:
        return "icc", _inflate_profile(body)
    if kind == b"pHYs" and not is_after_samples:
        return "resolution", _read_resolution(body)
    return "", None


def _inflate_profile(body: bytes) -> bytes | None:
    """Return the color profile in an iCCP chunk, or None if it is damaged; its name is ignored."""
    name, _, compressed_part = body.partition(b"\0")
    if not 0 < len(name) < 80 or compressed_part[:1] != b"\0":
        return None
    decompressor = zlib.decompressobj()
    try:
        profile = decompressor.decompress(compressed_part[1:], PROFILE_LIMIT + 1)
    except zlib.error:
        return None
    return profile if decompressor.eof and len(profile) <= PROFILE_LIMIT else None


def _read_resolution(body: bytes) -> Resolution | None:
    if len(body) != 9:
        return None
    columns, rows, unit = struct.unpack(">IIB", body)
    if not (0 < columns <= MAX_BODY_BYTES and 0 < rows <= MAX_BODY_BYTES and unit <= 1):
        return None
    from fractions import Fraction

    return Resolution(
        columns=Fraction(columns), rows=Fraction(rows), unit="meter" if unit else None
    )


def _encode_density(resolution: Resolution) -> bytes | None:
    """Return the body of a pHYs chunk, or None for a resolution that is out of range.

    It contains whole pixels per meter, or a ratio of whole numbers.
    """
    from fractions import Fraction

    columns, rows = resolution.columns, resolution.rows
    if resolution.unit is None:
        scale = Fraction(math.lcm(columns.denominator, rows.denominator))
    else:
        # An inch has 25.4 mm exactly: fractions keep resolutions exact.
        scale = Fraction(10000, 254) if resolution.unit == "inch" else Fraction(1)
    values = round(columns * scale), round(rows * scale)
    if not all(0 < value <= MAX_BODY_BYTES for value in values):
        return None
    return struct.pack(">IIB", *values, resolution.unit is not None)


_FRAME_KINDS = (b"fcTL", b"fdAT")
_SINGLE_CHUNK_NAMES = {b"acTL": "animation", b"PLTE": "palette", b"tRNS": "transparency"}

_PSEUDO_CHUNK_NAMES = {b"": "data after the picture", WRONG_CHECKSUM_KIND: "damaged data"}

unsupported_reasons = samples.unsupported_reasons


def decode(source: Source) -> Picture:
    """Read a PNG; errors are those of `read_picture`."""
    return _read_contents(source).decode_picture()


def decode_redacted_png(source: Source) -> tuple[Picture, bool]:
    """Decode a PNG, with its samples in the form that redactions of version 1.1 authenticated.

    In this form, palettes are RGBA, grays of 2 and 4 bits are numbers up to 3 and 15, and a
    transparent color is ignored. The second result is whether one of the last two applies, so that
    `decode` gives other samples.
    """
    return _read_contents(source).decode_redaction()


def _read_contents(source: Source) -> "PngContents":
    chunks = walk_chunks(source)
    png_contents = PngContents(source, SampleFormat.read(source, *next(chunks)))
    for kind, body in chunks:
        png_contents.take_chunk(kind, body)
    return png_contents


def extract_header(source: Source) -> bytes | None:
    """Return the header in a file, or None without a header; samples are not decoded."""
    return read_header_in_pieces(source, BytesIO(source.data), len(source.data))


def read_header_in_pieces(source: Source, file: BinaryIO, size: int) -> bytes | None:
    """Return the header in an open PNG of `size` bytes, or None; samples are not read."""
    headers: list[bytes] = []
    for kind, length in walk_chunk_heads(source, file, size):
        body_prefix = file.read(min(length, len(HEADER_KEYWORD))) if kind == b"iTXt" else b""
        if body_prefix == HEADER_KEYWORD:
            # A header that is too long, or a second header, is an error, so it need not be read.
            read_limit = len(HEADER_KEYWORD + ITXT_FIELDS) + (
                0 if headers else STORED_HEADER_LIMIT + 1
            )
            body = body_prefix + file.read(min(length, read_limit) - len(body_prefix))
            if length == len(body):
                has_checksum(source, kind, body, file.read(4))
            headers.append(_parse_header_chunk(source, body))
    return source.header(headers)


def _parse_header_chunk(source: Source, body: bytes) -> bytes:
    """Return the header in the body of an iTXt chunk that begins with `HEADER_KEYWORD`."""
    if not body.startswith(HEADER_KEYWORD + ITXT_FIELDS):
        # Only the form of the chunk that this module writes is accepted.
        raise source.refuse_header("it is compressed or has a language tag")
    return body[len(HEADER_KEYWORD + ITXT_FIELDS) :]


def lost_metadata(picture: Picture) -> tuple[str, ...]:
    """Return the names of the metadata of a picture that PNG cannot contain."""
    return make_metadata_chunks(picture.metadata)[2]


def encode(
    picture: Picture, rows_below: AnyArray, compress: int, threads: int | None = None
) -> Iterator[Buffer]:
    """Yield the parts of a PNG file with the samples of a picture and, below them, `rows_below`.

    `compress` is the level of compression, 0..9.
    """
    return assemble_file(_iterate_chunks(picture, rows_below, compress, threads))


def _iterate_chunks(
    picture: Picture, rows_below: AnyArray, compress: int, threads: int | None
) -> Iterator[tuple[bytes, Buffer]]:
    header, layout = picture.header, SampleFormat.from_picture(picture, len(rows_below))
    chunks_before_palette, chunks_after_palette, _ = make_metadata_chunks(picture.metadata)
    yield b"IHDR", layout.to_bytes()
    if header is not None:
        yield b"iTXt", b"".join([HEADER_KEYWORD, ITXT_FIELDS, header])
    yield from chunks_before_palette
    yield from chunks_after_palette
    # A picture with a header is scrambled, so filters, which predict samples from neighbors, would
    # enlarge it.
    is_smooth = header is None
    rows = partial(take_rows, picture.pixels, rows_below)
    for part in pack_samples(rows, layout, compress=compress, is_smooth=is_smooth, threads=threads):
        yield b"IDAT", part
    yield b"IEND", b""


class PngContents:
    """The chunks of a PNG, sorted by their purpose, before samples are decoded.

    A chunk in a wrong position or of a wrong length is ignored, as in libpng, if the samples can be
    decoded without it; `Picture.dropped` names it.
    """

    def __init__(self, source: Source, layout: SampleFormat) -> None:
        self._source = source
        self._layout = layout
        self._previous_kind = b"IHDR"
        self._is_after_samples = False
        self._sample_bodies: list[memoryview] = []
        # The kinds of the chunks of an animation, and whether its first frame is the still picture.
        self._animation_chunk_kinds: list[bytes] = []
        self._first_frame_is_still = False
        self._single_chunks: dict[bytes, memoryview] = {}
        self._headers: list[bytes] = []
        self._metadata = ChunkMetadata()
        self._dropped_names: dict[str, None] = {}

    def take_chunk(self, kind: bytes, body: memoryview) -> None:
        """Add the next chunk after IHDR."""
        dropped_name = None
        if kind == b"IDAT":
            if self._is_after_samples and self._previous_kind != b"IDAT":
                raise self._source.report_damage("its IDAT chunks are not consecutive")
            self._is_after_samples = True
            self._sample_bodies.append(body)
        elif kind in _FRAME_KINDS:
            self._first_frame_is_still |= not self._is_after_samples
            self._animation_chunk_kinds.append(kind)
        elif kind in (b"acTL", b"tRNS") or (
            kind == b"PLTE" and self._layout.color_type == PALETTE_TYPE
        ):
            dropped_name = self._take_single_chunk(kind, body)
        elif kind == b"iTXt" and bytes(body[: len(HEADER_KEYWORD)]) == HEADER_KEYWORD:
            self._headers.append(_parse_header_chunk(self._source, bytes(body)))
        elif kind in _PSEUDO_CHUNK_NAMES:
            dropped_name = _PSEUDO_CHUNK_NAMES[kind] if body else None
        elif kind[:1].islower() or kind == b"PLTE":
            dropped_name = self._metadata.take_chunk(
                kind, bytes(body), is_after_samples=self._is_after_samples
            )
        elif kind != b"IEND":
            raise self._source.report_damage(f"it has an unexpected {kind.decode()} chunk")
        if dropped_name is not None:
            self._dropped_names[dropped_name] = None
        self._previous_kind = kind

    def decode_picture(
        self,
        blank_samples: AnyArray | None = None,
        packed_bodies: tuple[Iterable[Buffer], int] | None = None,
    ) -> Picture:
        """Return the picture, with `blank_samples` instead of decoded samples if they are given.

        `packed_bodies` replaces the bodies of the IDAT chunks that were taken: the bodies, and the
        number of bytes of all of them.
        """
        header = self._source.header(self._headers)
        self._require_still_picture(header)
        if blank_samples is not None:
            return self._make_picture(blank_samples, header)
        palette, transparency = map(self._single_chunks.get, (b"PLTE", b"tRNS"))
        # A palette becomes RGBA, and a transparent color becomes an alpha channel.
        has_palette = self._layout.color_type == PALETTE_TYPE
        count = 4 if has_palette else self._layout.channels + (transparency is not None)
        stored_samples = unpack_samples(
            self._source, *(packed_bodies or self._packed_bodies), self._layout, count
        )
        pixels = samples.expand_samples(stored_samples, self._layout, palette, transparency)
        return self._make_picture(pixels, header)

    def decode_redaction(self) -> tuple[Picture, bool]:
        """Return the result of the function `decode_redaction`."""
        self._require_still_picture(None)
        layout, palette, alphas = self._layout, *map(self._single_chunks.get, (b"PLTE", b"tRNS"))
        has_palette = layout.color_type == PALETTE_TYPE
        count = 4 if has_palette else layout.channels
        pixels = unpack_samples(self._source, *self._packed_bodies, layout, count)
        if has_palette:
            pixels = samples.make_color_table(palette or b"", alphas or b"")[
                pixels.astype(np.uint8)
            ]
        has_other_samples = not has_palette and (layout.bits in (2, 4) or alphas is not None)
        return self._make_picture(pixels), has_other_samples

    @property
    def _packed_bodies(self) -> tuple[Iterable[Buffer], int]:
        return self._sample_bodies, sum(map(len, self._sample_bodies))

    def _make_picture(self, pixels: AnyArray, header: bytes | None = None) -> Picture:
        return Picture(
            pixels=pixels,
            mode=DEFAULT_MODES[channels(pixels)],
            format="PNG",
            metadata=self._metadata.metadata(),
            header=header,
            dropped=tuple(self._dropped_names),
        )

    def _require_still_picture(self, header: bytes | None) -> None:
        """Raise an error for an animation, and for a file that lacks its palette."""
        if self._layout.color_type == PALETTE_TYPE and b"PLTE" not in self._single_chunks:
            raise self._source.report_damage("its palette is missing")
        animation_body = self._single_chunks.get(b"acTL")
        if animation_body is None:
            self._dropped_names |= {"animation": None} if self._animation_chunk_kinds else {}
            return
        if len(animation_body) != 8:
            raise self._source.report_damage("its acTL chunk has a wrong length")
        (frame_count,) = struct.unpack_from(">I", animation_body)
        if (
            frame_count != 1
            or self._animation_chunk_kinds != [b"fcTL"]
            or not self._first_frame_is_still
        ):
            raise (
                make_version_error("an animation")
                if header
                else self._source.refuse_several("an animation")
            )

    def _take_single_chunk(self, kind: bytes, body: memoryview) -> str | None:
        """Store a chunk that must be unique and precede samples; if ignored, return its name."""
        chunks, is_repeated = self._single_chunks, kind in self._single_chunks
        is_valid = samples.is_transparency(self._layout, chunks.get(b"PLTE"), body)
        if self._is_after_samples or (kind == b"tRNS" and (is_repeated or not is_valid)):
            return _SINGLE_CHUNK_NAMES[kind]
        if kind == b"PLTE" and (is_repeated or not samples.is_palette(body)):
            raise self._source.report_damage("its palette occurs twice, or has a wrong length")
        if is_repeated:
            raise self._source.report_damage("it has two acTL chunks")
        chunks[kind] = body
        return None
