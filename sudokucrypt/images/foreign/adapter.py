"""Formats that libraries decode: Pillow, pi-heif and imagecodecs.

Each format has one function. It reads the size that the file claims, then lets a library decode
the file, and names the content that is left out. Files are refused if the library would convert
their samples, or invent samples that are missing.

References
----------
.. [1] Adobe, "Photoshop File Formats Specification", 2019: numbers of resources.
.. [2] Adobe, "XMP Specification Part 3", 1.1.2: XMP packets in boxes of JPEG 2000.
"""

import io
import struct
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, Final, TypeAlias

import numpy as np

from sudokucrypt.errors import InvalidImageError, UnsupportedError
from sudokucrypt.images.driver import Source
from sudokucrypt.images.foreign import codestreams
from sudokucrypt.images.foreign.codestreams import SampleClaim
from sudokucrypt.images.foreign.isobmff import KindAndBody, boxes, get_exif_block
from sudokucrypt.images.foreign.netpbm import read_netpbm
from sudokucrypt.images.orientation import set_orientation
from sudokucrypt.images.picture import DEFAULT_MODES, Metadata, Mode, Picture, Resolution
from sudokucrypt.images.png import file as png
from sudokucrypt.images.png.file import SIGNATURE as PNG_SIGNATURE
from sudokucrypt.images.tiff import file as tiff
from sudokucrypt.lazy import import_object
from sudokucrypt.typing import AnyArray

# Takes a file, and returns the codec for it, or raises an error that names the missing library.
CodecFinder: TypeAlias = Callable[[Source], Callable[[bytes], AnyArray]]


def widen_samples(source: Source, pixels: AnyArray, bits: int) -> AnyArray:
    """Return samples of `bits` bits scaled to 16 bits, by repeating the highest bits of each.

    An array of 8-bit samples is returned unchanged.
    """
    if pixels.dtype == np.uint8:
        return pixels
    if int(pixels.max()) >> bits:
        raise source.report_damage(f"it holds samples of more than {bits} bits")
    return (pixels << (16 - bits)) | (pixels >> (2 * bits - 16))


def make_picture(
    format: str,  # noqa: A002 - the word for it everywhere in this package
    pixels: AnyArray,
    metadata: Metadata | None = None,
    dropped_names: Iterable[str] = (),
    *,
    mode: Mode | None = None,
) -> Picture:
    """Return a picture, by default of the usual mode for its number of channels."""
    return Picture(
        pixels=pixels,
        mode=mode or DEFAULT_MODES[1 if pixels.ndim == 2 else pixels.shape[2]],
        format=format,
        metadata=metadata or Metadata(),
        dropped=tuple(dict.fromkeys(dropped_names)),
    )


def decode_claimed_samples(
    source: Source,
    size_claim: SampleClaim,
    find_codec: CodecFinder,
    *,
    bytes_per_sample: int = 0,
) -> AnyArray:
    """Return the samples of a file, after checking that their size and type are as claimed.

    `bytes_per_sample` is the memory that the codec needs for a sample, if that is more than the
    size of the sample. Samples of 9 to 15 bits are scaled to 16 bits.
    """
    dtype = np.dtype("uint8" if size_claim.bits <= 8 else "uint16")
    width = max(bytes_per_sample, dtype.itemsize)
    source.shape(size_claim.rows, size_claim.columns, max(size_claim.channels), width=width)
    pixels: AnyArray = source.call(find_codec(source), source.data)
    count = 1 if pixels.ndim == 2 else pixels.shape[-1]
    has_same_size = pixels.shape[:2] == (size_claim.rows, size_claim.columns) and pixels.ndim <= 3
    if not has_same_size or count not in size_claim.channels or pixels.dtype != dtype:
        raise source.report_damage("its samples do not have the claimed size and type")
    return widen_samples(source, pixels, size_claim.bits)


def make_imagecodecs_finder(name: str, **options: object) -> CodecFinder:
    """Return a function that finds a codec of imagecodecs, an optional library."""

    def find_codec(source: Source) -> Callable[[bytes], AnyArray]:
        imagecodecs = source.load_library("imagecodecs")
        if not getattr(imagecodecs, name).available:
            raise source.refuse_kind("a picture for which this installation has no codec")
        return partial(getattr(imagecodecs, f"{name.lower()}_decode"), **options)

    return find_codec


def make_pillow_finder(plugin_name: str, name: str) -> CodecFinder:
    """Return a function that finds a plugin of Pillow; `name` is the feature that it needs.

    The plugin must take no more memory than the samples.
    """

    def find_codec(source: Source) -> Callable[[bytes], AnyArray]:
        from PIL import features

        if not features.check(name):
            raise source.refuse_kind("a picture for which this installation has no codec")
        kind = import_object(f"PIL.{plugin_name}ImagePlugin", f"{plugin_name}ImageFile")
        return lambda data: np.array(kind(io.BytesIO(data)))

    return find_codec


def decode_webp(source: Source) -> Picture:
    """Read a WebP of one picture."""
    size_claim = codestreams.read_webp(source)
    names = {b"EXIF": "exif", b"ICCP": "icc", b"XMP ": "xmp"}
    known_kinds = (b"VP8 ", b"VP8L", b"VP8X", b"ALPH", *names)
    blocks: dict[bytes, bytes] = {}
    dropped_names = []
    for kind, body in codestreams.walk_webp_chunks(source):
        if kind not in known_kinds or kind in blocks:
            dropped_names.append("other data")
        elif kind in names:
            blocks[kind] = bytes(body)
    if len(source.data) > 8 + int.from_bytes(source.data[4:8], "little"):
        dropped_names.append("data after the picture")
    fields = {names[kind]: body or None for kind, body in blocks.items()}
    if exif := fields.get("exif"):
        fields["exif"] = exif.removeprefix(b"Exif\0\0") or None
    pixels = decode_claimed_samples(source, size_claim, make_pillow_finder("WebP", "webp"))
    return make_picture("WebP", pixels, Metadata(**fields), dropped_names)  # type: ignore[arg-type]


def is_webp_lossy(source: Source) -> bool:
    """Return whether the picture in a WebP, or any frame of an animation, is coded with loss."""
    return any(
        kind == b"VP8 " or (kind == b"ANMF" and b"VP8 " in bytes(body[:64]))
        for kind, body in codestreams.walk_webp_chunks(source)
    )


_QOI_HEADER: Final = struct.Struct(">4sIIBB")
# Every QOI file ends with these bytes, so a file without them was cut short.
_QOI_END: Final = b"\0" * 7 + b"\1"
# Two fillers that `decode_qoi` inserts before the end: codes that reduce red, and codes that
# reduce green. If a file was cut short, the codec reads them as pixels, so the two pictures
# differ.
_QOI_TEST_CODES: Final = (8 * b"\x4a", 8 * b"\x62")


def decode_qoi(source: Source) -> Picture:
    """Read a QOI.

    The codec repeats the last pixel where the file ends too early. So the file is decoded twice,
    with different codes inserted before its end. If the results differ, the file was cut short.
    """
    data = source.data
    if len(data) < _QOI_HEADER.size + len(_QOI_END) or not data.endswith(_QOI_END):
        raise source.report_cut()
    _, columns, rows, channels, color_space = _QOI_HEADER.unpack_from(data)
    if channels not in (3, 4) or color_space > 1:
        raise source.report_damage("its header names an unknown mode")
    size_claim = SampleClaim(rows, columns, (channels,))

    def decode(codes: bytes) -> AnyArray:
        extended_source = replace(source, data=data[: -len(_QOI_END)] + codes + _QOI_END)
        # The codec keeps two copies in memory.
        return decode_claimed_samples(
            extended_source, size_claim, make_imagecodecs_finder("QOI"), bytes_per_sample=2
        )

    end = decode(_QOI_TEST_CODES[0])[
        -1, -1
    ].copy()  # a copy, to keep one picture in memory at a time
    pixels = decode(_QOI_TEST_CODES[1])
    if not np.array_equal(end, pixels[-1, -1]):
        raise source.report_cut()
    return make_picture("QOI", pixels, dropped_names=["color space"] * color_space)


_JXL_CONTENT_NAMES: Final = {
    b"Exif": "EXIF",
    b"xml ": "XMP",
    b"jbrd": "the JPEG it was made of",
    b"jhgm": "other pictures",
}
_JXL_STRUCTURE_KINDS: Final = (b"JXL ", b"ftyp", b"jxll", b"jxli", b"jxlc", b"jxlp")


def _split_jxl(source: Source) -> tuple[bytes, list[KindAndBody]]:
    """Return the start of the codestream, which contains its heading, and all other boxes."""
    if source.data.startswith(codestreams.JXL_SIGNATURE):
        return source.data[: 2 + codestreams.MAX_HEADING_BYTES], []
    codestream, other_boxes = b"", []
    for kind, body in boxes(source, memoryview(source.data)):
        if kind in (b"jxlc", b"jxlp") and len(codestream) < codestreams.MAX_HEADING_BYTES:
            # A part of a codestream begins with its number in four bytes.
            content_start = 4 if kind == b"jxlp" else 0
            codestream += bytes(body[content_start : content_start + codestreams.MAX_HEADING_BYTES])
        elif kind not in _JXL_STRUCTURE_KINDS:
            other_boxes.append((kind, body))
    return codestream, other_boxes


def is_jxl_lossy(source: Source) -> bool:
    """Return whether a file was coded with loss or made from a JPEG; True for unsupported files."""
    codestream, other_boxes = _split_jxl(source)
    try:
        lossy = codestreams.read_jxl(source, codestream).lossy
    except UnsupportedError:
        return True
    return lossy or any(kind == b"jbrd" for kind, _ in other_boxes)


def decode_jxl(source: Source) -> Picture:
    """Read a JPEG XL; its orientation is copied into EXIF, and its color profile is left out."""
    codestream, other_boxes = _split_jxl(source)
    size_claim = codestreams.read_jxl(source, codestream)
    dropped_names, metadata_bodies = list(size_claim.dropped_names), dict[bytes, bytes]()
    for kind, body in other_boxes:
        if kind in (b"Exif", b"xml ") and kind not in metadata_bodies:
            metadata_bodies[kind] = bytes(body)
        else:
            inner_kind = bytes(body[:4]) if kind == b"brob" else kind
            dropped_names.append(_JXL_CONTENT_NAMES.get(inner_kind, "other data"))
    pixels = decode_claimed_samples(
        source, size_claim, make_imagecodecs_finder("JPEGXL", keeporientation=True)
    )
    exif = set_orientation(
        get_exif_block(metadata_bodies.get(b"Exif", b"")), size_claim.orientation
    )
    metadata = Metadata(exif=exif, xmp=metadata_bodies.get(b"xml ") or None)
    return make_picture("JPEG XL", pixels, metadata, dropped_names)


_XMP_UUID: Final = bytes.fromhex("be7acfcb97a942e89c71999491e3afac")
_EXIF_UUID: Final = b"JpgTiffExif->JP2"
_CMYK_COLOR_SPACE: Final = 12
_JPEG2000_COLOR_SPACES: Final = (_CMYK_COLOR_SPACE, 16, 17)
_JPEG2000_STRUCTURE_KINDS: Final = (b"jP  ", b"ftyp", b"rreq")


def decode_jpeg2000(source: Source) -> Picture:
    """Read a JPEG 2000, with boxes or without; samples of 1 to 7 bits are scaled to 8 bits."""
    codes: list[memoryview] = []
    bodies_by_uuid: dict[bytes, bytes] = {}
    dropped_names, color_space, profile = [], 0, None
    has_no_boxes = source.data.startswith(codestreams.JPEG2000_START)
    top_boxes = (
        [(b"jp2c", memoryview(source.data))]
        if has_no_boxes
        else boxes(source, memoryview(source.data))
    )
    for kind, body in top_boxes:
        name = bytes(body[:16])
        if kind == b"jp2c":
            codes.append(body)
        elif kind == b"jp2h":
            color_space, profile = _read_jpeg2000_head(source, body)
        elif kind == b"uuid" and name in (_XMP_UUID, _EXIF_UUID) and name not in bodies_by_uuid:
            bodies_by_uuid[name] = bytes(body[16:])
        elif kind not in _JPEG2000_STRUCTURE_KINDS:
            dropped_names.append("other data")
    if len(codes) != 1:
        raise source.refuse_kind("a JPEG 2000 of several pictures, or of none")
    size_claim = codestreams.read_jpeg2000(source, codes[0])
    if color_space == _CMYK_COLOR_SPACE and size_claim.channels != (4,):
        raise source.refuse_kind("a JPEG 2000 in CMYK that does not have exactly four channels")
    # Pillow would reduce deeper samples to 8 bits.
    codec_finder = (
        make_pillow_finder("Jpeg2K", "jpg_2000")
        if size_claim.bits == 8
        else make_imagecodecs_finder("JPEG2K")
    )
    # OpenJPEG takes four bytes for each sample, so only a gray picture may use the full limit.
    pixels = decode_claimed_samples(source, size_claim, codec_finder, bytes_per_sample=4)
    if size_claim.bits < 8:
        largest_sample = 2**size_claim.bits - 1
        if int(pixels.max()) > largest_sample:
            raise source.report_damage(f"it holds samples of more than {size_claim.bits} bits")
        pixels = (pixels.astype(np.uint16) * 255 // largest_sample).astype(np.uint8)
    exif, xmp = (bodies_by_uuid.get(name) or None for name in (_EXIF_UUID, _XMP_UUID))
    mode: Mode | None = "cmyk" if color_space == _CMYK_COLOR_SPACE else None
    metadata = Metadata(exif=exif, icc=profile, xmp=xmp)
    return make_picture("JPEG 2000", pixels, metadata, dropped_names, mode=mode)


def _read_jpeg2000_head(source: Source, header_box: memoryview) -> tuple[int, bytes | None]:
    """Return the number of the color space, or 0, and the color profile, or None."""
    color_space, profile = 0, None
    for kind, body in boxes(source, header_box):
        if kind in (b"pclr", b"cmap"):
            raise source.refuse_kind("a JPEG 2000 with a palette")
        if kind == b"colr" and len(body) >= 3 and not color_space and profile is None:
            if body[0] == 1:
                color_space = int.from_bytes(body[3:7], "big")
                if color_space not in _JPEG2000_COLOR_SPACES:
                    raise source.refuse_kind(f"a JPEG 2000 in color space {color_space}")
            elif body[0] in (2, 3):
                profile = bytes(body[3:]) or None
    return color_space, profile


def _open_with_pillow(source: Source, plugin: Callable[[Any], Any], kind: str) -> Any:
    """Open a file with a plugin of Pillow, and check that a picture of its size may be decoded.

    Pillow opens lazily, so the size is known before a sample is decoded. Pillow does not
    distinguish damaged files from unsupported ones, so both are reported as unsupported.
    """
    try:
        image = source.call(lambda data: plugin(io.BytesIO(data)), source.data)
    except InvalidImageError as error:
        raise source.refuse_kind(f"damaged, or {kind} of a rare kind") from error
    channels = len(image.getbands())
    source.shape(image.height, image.width, 4 if image.mode == "P" else channels)
    return image


def _get_samples(source: Source, image: Any) -> AnyArray:
    """Return the samples of a picture that Pillow opened; a palette is converted to RGB or RGBA."""

    def decode(_: bytes) -> AnyArray:
        image.load()
        is_transparent = "transparency" in image.info
        if image.mode == "P":
            return np.array(image.convert("RGBA" if is_transparent else "RGB"))
        return np.array(image.convert("LA") if image.mode == "L" and is_transparent else image)

    pixels: AnyArray = source.call(decode, b"")
    # Pillow stores 1-bit samples as bytes of 255, which are no valid booleans of NumPy.
    return pixels.view(np.uint8) != 0 if pixels.dtype == np.bool_ else pixels


# The maximum number of pixels of a GIF that one byte of compressed data can encode.
_MAX_PIXELS_PER_BYTE: Final = 4096


def decode_gif(source: Source) -> Picture:
    """Read a GIF of one picture, which must cover its canvas."""
    from PIL.GifImagePlugin import GifImageFile

    codestreams.require_few_gif_blocks(source)
    image = _open_with_pillow(source, GifImageFile, "a GIF")
    if image.width * image.height > _MAX_PIXELS_PER_BYTE * len(source.data):
        raise source.report_damage("it contains fewer samples than its size requires")
    if source.call(lambda _: image.is_animated, b""):
        raise source.refuse_several("an animation")
    image = _open_with_pillow(replace(source), GifImageFile, "a GIF")
    if image.tile[0][1] != (0, 0, *image.size):
        raise source.refuse_kind("a GIF that does not cover its canvas")
    info = image.info
    dropped_names = ["text"] * bool(info.get("comment")) + ["other data"] * bool(
        info.get("extension")
    )
    metadata = Metadata(icc=info.get("icc_profile"), xmp=info.get("xmp"))
    return make_picture("GIF", _get_samples(source, image), metadata, dropped_names)


# Sizes in bytes of the file header of a BMP, and of three versions of the bitmap header: the
# first one, of 1985, the usual one and the latest one.
_FILE_HEADER_SIZE, _CORE_HEADER_SIZE, _WINDOWS_HEADER_SIZE, _LATEST_HEADER_SIZE = 14, 12, 40, 124
_UNCOMPRESSED_CODE, _RUN_LENGTH_CODES = 0, (1, 2)  # compressions
# Color spaces that refer to a profile in this or another file.
_PROFILE_COLOR_SPACES: Final = (b"DEBM", b"KNIL")


def decode_bmp(source: Source) -> Picture:
    """Read a BMP without run lengths.

    Files with run lengths are refused, since Pillow replaces missing samples with black.
    """
    from PIL.BmpImagePlugin import BmpImageFile

    data = source.data
    if len(data) < _FILE_HEADER_SIZE + _CORE_HEADER_SIZE:
        raise source.report_cut()
    offset, size = struct.unpack_from("<II", data, 10)
    if offset < _FILE_HEADER_SIZE + size:
        raise source.report_damage("its samples overlap its header")
    if len(data) < _FILE_HEADER_SIZE + max(size, _CORE_HEADER_SIZE):
        raise source.report_cut()
    has_core_header = size < _WINDOWS_HEADER_SIZE
    (bits,) = struct.unpack_from("<H", data, 24 if has_core_header else 28)
    compression, columns_per_meter, rows_per_meter = (
        (_UNCOMPRESSED_CODE, 0, 0) if has_core_header else struct.unpack_from("<I4xii", data, 30)
    )
    if compression in _RUN_LENGTH_CODES:
        raise source.refuse_kind("a BMP with run lengths")
    image = _open_with_pillow(source, BmpImageFile, "a BMP")
    if {"1": 1, "L": 8}.get(image.mode, bits) != bits:
        # Pillow reduces a palette of grays to the fewest bits that its number of colors needs.
        raise source.refuse_kind(f"a BMP with {bits}-bit samples and a palette of fewer grays")
    pixels = _get_samples(source, image)
    dropped_names = []
    if len(data) > offset + image.height * ((image.width * bits + 31) // 32 * 4) + 3:
        # Up to three more bytes are padding of the file, which some programs write.
        dropped_names.append("data after the picture")
    if size == _LATEST_HEADER_SIZE and data[70:74] in _PROFILE_COLOR_SPACES:
        dropped_names.append("ICC profile")
    if bits == 32 and compression == _UNCOMPRESSED_CODE:
        # By the standard the fourth byte is unused, but many programs keep alpha there.
        fourth_bytes = np.frombuffer(data, np.uint8, 4 * image.width * image.height, offset)[3::4]
        dropped_names += ["undeclared alpha channel"] * bool(
            (fourth_bytes != fourth_bytes[0]).any()
        )
    resolution = None
    if min(columns_per_meter, rows_per_meter) > 0:
        resolution = Resolution(
            columns=Fraction(columns_per_meter), rows=Fraction(rows_per_meter), unit="meter"
        )
    return make_picture("BMP", pixels, Metadata(resolution=resolution), dropped_names)


_ICON_ENTRY: Final = struct.Struct("<BBBBHHII")
_ICON_START: Final = struct.pack("<HHH", 0, 1, 1)


def decode_ico(source: Source) -> Picture:
    """Read an icon of one size, as RGBA or as the PNG in it."""
    from PIL.IcoImagePlugin import IcoImageFile

    count = int.from_bytes(source.data[4:6], "little")
    if len(source.data) < 6 + _ICON_ENTRY.size or not count:
        raise source.report_cut()
    if count > 1:
        raise source.refuse_several("an icon of several sizes")
    entry = _ICON_ENTRY.unpack_from(source.data, 6)
    body_size, body_start = entry[6:]
    body = source.data[body_start : body_start + body_size]
    if len(body) < body_size or body_size < _WINDOWS_HEADER_SIZE:
        raise source.report_cut()
    if body.startswith(PNG_SIGNATURE):
        picture = png.decode(replace(source, data=body))
        if picture.header is not None:
            raise source.refuse_kind("an icon that contains a protected picture")
        return replace(picture, format="ICO")
    header, columns, doubled_rows, _, bits = struct.unpack_from("<IiiHH", body)
    # A side of 256 is written as zero. The header states twice the rows, since a mask follows.
    if (columns, doubled_rows) != (entry[0] or 256, 2 * (entry[1] or 256)):
        raise source.report_damage("the stated and the actual size of a picture in it differ")
    (used_color_count,) = struct.unpack_from("<I", body, 32)
    colors = min(used_color_count or 2**bits, 2**bits) if bits <= 8 else 0
    mask = (columns + 31) // 32 * 4 * doubled_rows // 2
    expected_size = header + 4 * colors + (columns * bits + 31) // 32 * 4 * doubled_rows // 2 + mask
    if len(body) < expected_size - mask * (bits == 32):
        raise source.report_cut()
    if len(body) != expected_size and bits != 32:  # Pillow expects the mask at the end
        raise source.refuse_kind("an icon whose mask differs in size from its picture")
    canonical_icon = (
        _ICON_START + _ICON_ENTRY.pack(*entry[:5], bits, len(body), 6 + _ICON_ENTRY.size) + body
    )
    image = _open_with_pillow(replace(source, data=canonical_icon), IcoImageFile, "an icon")
    pixels = _get_samples(source, image)
    if image.mode != "RGBA" or not pixels[..., 3].any():
        raise source.refuse_kind("an icon without visible pixels")
    return make_picture("ICO", pixels)


_PSD_HEADER: Final = struct.Struct(">4sH6xHIIHHI")
# For each mode, the numbers of channels that Pillow reads correctly. With more channels, it expects
# a shorter table of row lengths, and reads noise (Pillow 13.0).
_PSD_CHANNEL_COUNTS: Final = {1: (1,), 2: (1,), 3: (3, 4), 4: (4,), 8: (1,)}
_INDEXED_MODE, _PALETTE_BYTES = 2, 768
_IPTC_RESOURCE, _PROFILE_RESOURCE, _VERSION_RESOURCE, _EXIF_RESOURCE, _XMP_RESOURCE = (
    1028,
    1039,
    1057,
    1058,
    1060,
)
_THUMBNAIL_RESOURCES: Final = {1033, 1036}
_NO_COPY_START: Final = b"\0\0\0\1\0"


def decode_psd(source: Source) -> Picture:
    """Read the flattened copy in a Photoshop file.

    The fourth channel after RGB is interpreted as alpha. The layers are left out, and all resources
    except profile, EXIF and XMP.
    """
    from PIL.PsdImagePlugin import PsdImageFile

    if len(source.data) < _PSD_HEADER.size:
        raise source.report_cut()
    _, version, channels, *_, bits, kind, colors = _PSD_HEADER.unpack_from(source.data)
    if version != 1 or kind not in _PSD_CHANNEL_COUNTS or bits != 8:
        raise source.refuse_kind("a Photoshop picture that is not gray, RGB or CMYK of 8 bits")
    if channels < min(_PSD_CHANNEL_COUNTS[kind]):
        raise source.report_damage("it has fewer channels than its mode needs")
    if channels not in _PSD_CHANNEL_COUNTS[kind]:
        raise source.refuse_kind("a Photoshop picture with extra channels")
    if kind == _INDEXED_MODE and colors != _PALETTE_BYTES:
        raise source.report_damage("its palette has another size than its samples need")
    image = _open_with_pillow(source, PsdImageFile, "a Photoshop picture")
    resources = {resource_id: data for resource_id, _, data in reversed(image.resources)}
    if resources.get(_VERSION_RESOURCE, b"").startswith(_NO_COPY_START):
        raise source.refuse_kind("a Photoshop picture without a flattened copy of its layers")
    # The section of layers follows colors and resources.
    layers = _PSD_HEADER.size + colors
    layers += 4 + int.from_bytes(source.data[layers : layers + 4], "big")
    has_layers = any(source.data[layers : layers + 4]) and any(source.data[layers + 4 : layers + 8])
    pixels = _get_samples(source, image)
    exif, icc, xmp = (
        resources.get(resource_id) or None
        for resource_id in (_EXIF_RESOURCE, _PROFILE_RESOURCE, _XMP_RESOURCE)
    )
    dropped_names = ["layers"] * has_layers
    dropped_names += ["previews"] * bool(resources.keys() & _THUMBNAIL_RESOURCES) + ["IPTC"] * (
        _IPTC_RESOURCE in resources
    )
    metadata = Metadata(exif=exif, icc=icc, xmp=xmp)
    mode: Mode | None = "cmyk" if image.mode == "CMYK" else None
    return make_picture("PSD", pixels, metadata, dropped_names, mode=mode)


_TGA_DEPTHS: Final = {1: (8,), 2: (16, 24, 32), 3: (8, 16), 9: (8,), 10: (16, 24, 32), 11: (8, 16)}


def matches_tga(data: bytes) -> bool:
    """Return whether these bytes can be the start of a TGA, which has no signature."""
    if len(data) < 18:
        return False
    has_palette, kind, first_color, count, bits, *sides, depth, flags = struct.unpack_from(
        "<xBBHHBxxxxHHBB", data
    )
    if has_palette != (kind in (1, 9)):
        return False
    has_valid_palette = bits in (16, 24, 32) and 0 < first_color + count <= 256
    has_no_palette = not (first_color or count or bits)
    return (
        depth in _TGA_DEPTHS.get(kind, ())
        and (has_valid_palette if has_palette else has_no_palette)
        and all(sides)
        and not flags & 0xC0
    )


def decode_tga(source: Source) -> Picture:
    """Read a TGA."""
    from PIL.TgaImagePlugin import TgaImageFile

    image = _open_with_pillow(source, TgaImageFile, "a TGA")
    text = bytes(image.info.get("id_section", b"")).strip(b"\0")
    return make_picture("TGA", _get_samples(source, image), dropped_names=["text"] * bool(text))


def decode_netpbm(source: Source) -> Picture:
    """Read a PBM, PGM, PPM or PFM."""
    pixels, dropped_names = read_netpbm(source)
    return make_picture("PPM", pixels, dropped_names=dropped_names)


# The plugins of Pillow that decode the first of several pictures, by the name of the format in
# this package. The plugin of Netpbm is not used, since it reads comments byte by byte.
_PLUGIN_NAMES: Final = {
    **{name: name.capitalize() for name in ("PNG", "GIF", "BMP", "ICO", "PSD", "TGA")},
    "WebP": "WebP",
}


def decode_first_picture(source: Source, name: str) -> Picture | None:
    """Decode the first picture in a file of this format for display, or return None.

    It is the first frame, page or size, perhaps in converted colors. It is for display only, and is
    never protected.
    """
    if name == "TIFF":
        return tiff.decode(source, takes_first_page=True)
    if name not in _PLUGIN_NAMES:
        return None
    if name == "WebP":  # Pillow reserves memory for the canvas when it opens a WebP
        chunk_body = next(codestreams.walk_webp_chunks(source), (b"", b""))[1]
        columns, rows = (int.from_bytes(chunk_body[i : i + 3], "little") + 1 for i in (4, 7))
        source.shape(rows, columns, 1)

    def decode_first_frame(data: bytes) -> AnyArray | None:
        # The plugin is called, since Image.open prints warnings about large pictures.
        plugin_name = _PLUGIN_NAMES[name]
        image = import_object(f"PIL.{plugin_name}ImagePlugin", f"{plugin_name}ImageFile")(
            io.BytesIO(data)
        )
        source.shape(image.height, image.width, 1)
        is_exact_mode = image.mode in ("1", "L", "LA", "RGB", "RGBA", "I;16", "F")
        return np.array(image if is_exact_mode else image.convert("RGBA"))

    try:
        pixels = source.call(decode_first_frame, source.data)
    except InvalidImageError:
        return None
    return make_picture(name, pixels)
