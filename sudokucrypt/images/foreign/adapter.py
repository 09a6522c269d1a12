"""One adapter for formats that libraries read: Pillow, pi-heif and imagecodecs.

Each format has one function. It finds what the file claims, before a library decodes it, has it
decoded, and names what is left out. What a library would give in another form than it is stored,
or fill where it is missing, is refused.

References
----------
.. [1] Adobe, "Photoshop File Formats Specification", 2019: numbers of resources.
"""

import io
import math
import re
import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, Final

import numpy as np

from sudokucrypt.errors import InvalidImageError, UnsupportedError
from sudokucrypt.images.driver import Source
from sudokucrypt.images.foreign import codestreams
from sudokucrypt.images.foreign.coded_sizes import claimed_size, picture_size
from sudokucrypt.images.foreign.codestreams import Claim
from sudokucrypt.images.foreign.isobmff import ALPHA_TYPES, BoxPart, Items, boxes, tiff_of
from sudokucrypt.images.orientation import TURNS, combine_turns, set_orientation
from sudokucrypt.images.picture import (
    NATURAL_MODES,
    Glance,
    Metadata,
    Mode,
    Picture,
    Resolution,
    unpack_bits,
)
from sudokucrypt.images.tiff import file as tiff
from sudokucrypt.lazy import import_name
from sudokucrypt.typing import AnyArray


def spread(source: Source, pixels: AnyArray, bits: int) -> AnyArray:
    """Return samples that use all 16 bits, made by repeating the highest bits of each.

    Samples of 8 bits stay as they are.
    """
    if pixels.dtype == np.uint8:
        return pixels
    if int(pixels.max()) >> bits:
        raise source.report_damage(f"it holds samples of more than {bits} bits")
    return (pixels << (16 - bits)) | (pixels >> (2 * bits - 16))


def _picture(
    format: str,  # noqa: A002 - the word for it everywhere in this package
    pixels: AnyArray,
    metadata: Metadata | None = None,
    dropped: Iterable[str] = (),
    *,
    mode: Mode | None = None,
) -> Picture:
    """Return a picture: gray or RGB, with or without alpha, if no mode is named."""
    return Picture(
        pixels=pixels,
        mode=mode or NATURAL_MODES[1 if pixels.ndim == 2 else pixels.shape[2]],
        format=format,
        metadata=metadata or Metadata(),
        dropped=tuple(dict.fromkeys(dropped)),
    )


def _decode_claimed(
    source: Source,
    claim: Claim,
    find: Callable[[Source], Callable[[bytes], AnyArray]],
) -> AnyArray:
    """Return what a codec that is found makes of a file, if it is what was claimed.

    Samples of 9 to 15 bits are spread over 16.
    """
    dtype = np.dtype("uint8" if claim.bits <= 8 else "uint16")
    source.shape(claim.rows, claim.columns, max(claim.channels), width=dtype.itemsize)
    pixels: AnyArray = source.call(find(source), source.data)
    count = 1 if pixels.ndim == 2 else pixels.shape[-1]
    same = pixels.shape[:2] == (claim.rows, claim.columns) and pixels.ndim <= 3
    if not same or count not in claim.channels or pixels.dtype != dtype:
        raise source.report_damage("its samples are not what they promise to be")
    return spread(source, pixels, claim.bits)


def _imagecodecs(name: str, **options: object) -> Callable[[Source], Callable[[bytes], AnyArray]]:
    """Return what finds a codec of imagecodecs, which need not be installed."""

    def find(source: Source) -> Callable[[bytes], AnyArray]:
        try:
            import imagecodecs
        except ImportError as error:
            raise source.report_missing("imagecodecs") from error
        if not getattr(imagecodecs, name).available:
            raise source.refuse_kind("a picture for which this installation has no codec")
        return partial(getattr(imagecodecs, f"{name.lower()}_decode"), **options)

    return find


def _pillow(plugin: str, name: str) -> Callable[[Source], Callable[[bytes], AnyArray]]:
    """Return what finds a plugin of Pillow, which takes no more memory than the samples."""

    def find(source: Source) -> Callable[[bytes], AnyArray]:
        from PIL import features

        if not features.check(name):
            raise source.refuse_kind("a picture for which this installation has no codec")
        kind = import_name(f"PIL.{plugin}ImagePlugin", f"{plugin}ImageFile")
        return lambda data: np.array(kind(io.BytesIO(data)))

    return find


def decode_webp(source: Source) -> Picture:
    """Read a WebP of one picture."""
    claim = codestreams.read_webp(source)
    names = {b"EXIF": "exif", b"ICCP": "icc", b"XMP ": "xmp"}
    known = (b"VP8 ", b"VP8L", b"VP8X", b"ALPH", *names)
    blocks: dict[bytes, bytes] = {}
    dropped = []
    for kind, body in codestreams.walk_webp(source):
        if kind not in known or kind in blocks:
            dropped.append("other data")
        elif kind in names:
            blocks[kind] = bytes(body)
    if len(source.data) > 8 + int.from_bytes(source.data[4:8], "little"):
        dropped.append("data after the picture")
    fields = {names[kind]: body or None for kind, body in blocks.items()}
    if exif := fields.get("exif"):
        fields["exif"] = exif.removeprefix(b"Exif\0\0") or None
    pixels = _decode_claimed(source, claim, _pillow("WebP", "webp"))
    return _picture("WebP", pixels, Metadata(**fields), dropped)  # type: ignore[arg-type]


def webp_coded_lossily(source: Source) -> bool:
    """Return whether the picture in a WebP, or a frame, is coded with loss."""
    return any(
        kind == b"VP8 " or (kind == b"ANMF" and b"VP8 " in bytes(body[:64]))
        for kind, body in codestreams.walk_webp(source)
    )


_JXL_NAMES: Final = {
    b"Exif": "EXIF",
    b"xml ": "XMP",
    b"jbrd": "the JPEG it was made of",
    b"jhgm": "other pictures",
}
_JXL_STRUCTURE: Final = (b"JXL ", b"ftyp", b"jxll", b"jxli", b"jxlc", b"jxlp")


def _split_jxl(source: Source) -> tuple[bytes, list[BoxPart]]:
    """Return as much of the codestream as its heading needs, and the other boxes."""
    if source.data.startswith(codestreams.JXL_SIGNATURE):
        return source.data[: 2 + codestreams.HEADING_LIMIT], []
    codestream, others = b"", []
    for kind, body in boxes(source, memoryview(source.data)):
        if kind in (b"jxlc", b"jxlp") and len(codestream) < codestreams.HEADING_LIMIT:
            # A part of a codestream has four bytes of number.
            start = 4 if kind == b"jxlp" else 0
            codestream += bytes(body[start : start + codestreams.HEADING_LIMIT])
        elif kind not in _JXL_STRUCTURE:
            others.append((kind, body))
    return codestream, others


def jxl_coded_lossily(source: Source) -> bool:
    """Return whether a file was coded with loss, or made of a JPEG; of rare kinds, most were."""
    codestream, others = _split_jxl(source)
    try:
        lossy = codestreams.read_jxl(source, codestream).lossy
    except UnsupportedError:
        return True
    return lossy or any(kind == b"jbrd" for kind, _ in others)


def decode_jxl(source: Source) -> Picture:
    """Read a JPEG XL: its orientation is only said in EXIF, and its color profile is left out."""
    codestream, others = _split_jxl(source)
    claim = codestreams.read_jxl(source, codestream)
    dropped, first = list(claim.dropped), dict[bytes, bytes]()
    for kind, body in others:
        if kind in (b"Exif", b"xml ") and kind not in first:
            first[kind] = bytes(body)
        else:
            inner = bytes(body[:4]) if kind == b"brob" else kind
            dropped.append(_JXL_NAMES.get(inner, "other data"))
    pixels = _decode_claimed(source, claim, _imagecodecs("JPEGXL", keeporientation=True))
    exif = set_orientation(tiff_of(first.get(b"Exif", b"")), claim.orientation)
    return _picture("JPEG XL", pixels, Metadata(exif=exif, xmp=first.get(b"xml ") or None), dropped)


# AVIF and HEIF: pictures as items in boxes

_XMP_TYPE: Final = b"application/rdf+xml"
# What has no place in our pictures is named when it is dropped.
_LEFT_OUT: Final = {
    b"clap": "crop",
    b"pasp": "shape of pixels",
    b"clli": "color space",
    b"mdcv": "color space",
    b"thmb": "previews",
}
_PICTURE_KINDS: Final = (b"av01", b"hvc1", b"grid")
_METADATA_KINDS: Final = ((b"Exif", b""), (b"mime", _XMP_TYPE))
_KNOWN: Final = {*_METADATA_KINDS, *((kind, b"") for kind in (*_PICTURE_KINDS, b"tmap"))}
# Primaries and transfer of sRGB, or unspecified, which is taken for it.
_PLAIN_PRIMARIES, _PLAIN_TRANSFERS = (1, 2), (1, 2, 6, 13)
_DEEP, _TWELVE = 0x40, 0x20  # of the configuration of AV1
_DEPTH: Final = 17  # byte of the configuration of HEVC: how many bits beyond 8 a sample has
_NEARLY: Final = 0.6  # of the side that is asked for, to do without the picture itself


def _read_items(source: Source, moving: bytes) -> tuple[Items, list[BoxPart]]:
    top = list(boxes(source, memoryview(source.data)))
    # Where there is a track, libavif decodes its frames, and imagecodecs 2026.3.6 writes beyond
    # its array if asked for one of them.
    if source.data[8:12] == moving or any(kind == b"moov" for kind, _ in top):
        raise source.refuse_several("an animation")
    meta = [body for kind, body in top if kind == b"meta"]
    if len(meta) != 1:
        raise source.report_damage("it does not describe its picture")
    return Items(source, meta[0]), top


def decode_avif(source: Source) -> Picture:
    """Read an AVIF: rotation and mirroring are only said in EXIF, and a crop is left out."""
    items, top = _read_items(source, b"avis")
    flags = [config[2] for config in items.all_of(b"av1C") if len(config) > 2]
    bits = (
        (12 if any(flag & _TWELVE for flag in flags) else 10)
        if any(flag & _DEEP for flag in flags)
        else 8
    )
    rows, columns = picture_size(source, items, width=2 if bits > 8 else 1)
    claim = Claim(rows, columns, (1, 2, 3, 4), bits)
    codec = _pillow("Avif", "avif") if bits == 8 else _imagecodecs("AVIF")
    pixels = _decode_claimed(replace(source), claim, codec)
    metadata = _item_metadata(items, _orientation(items))
    return _picture("AVIF", pixels, metadata, _left_out(items, top))


def decode_heif(source: Source) -> Picture:
    """Read a HEIF coded as HEVC: rotation and mirroring are only said in EXIF, a crop is applied.

    libheif turns what it decodes; here it is turned back.
    """
    try:
        import pi_heif
    except ImportError as error:
        raise source.report_missing("pi-heif") from error
    items, top = _read_items(source, b"hevc")
    deep = any(config[_DEPTH] & 7 for config in items.all_of(b"hvcC") if len(config) > _DEPTH)
    size = picture_size(source, items, width=2 if deep else 1)

    def decode(data: bytes) -> tuple[AnyArray, str, int]:
        images = pi_heif.open_heif(data, convert_hdr_to_8bit=False, hdr_to_16bit=False)
        image = images[images.primary_index]
        return np.array(image), image.mode, image.info["bit_depth"]

    pixels, mode, bits = source.call(decode, source.data)
    orientation = _orientation(items)
    stored = np.ascontiguousarray(TURNS[orientation].undone(pixels))
    if items.property(items.primary, b"clap") is None:
        whole = stored.shape[:2] == size
    else:
        whole = stored.size <= 4 * size[0] * size[1]
    if not whole or stored.ndim > 3 or stored.dtype not in ("uint8", "uint16"):
        raise source.report_damage("its samples are not what they promise to be")
    if "a" in mode:
        raise source.refuse_kind("a HEIF with colors that are multiplied with their alpha")
    dropped = [name for name in _left_out(items, top) if name != "crop"]
    metadata = _item_metadata(items, orientation)
    return _picture("HEIF", spread(source, stored, bits), metadata, dropped)


def glance(source: Source, side: int) -> Glance | None:
    """Return the thumbnail in a HEIF, if it is about as large as asked for.

    libheif decodes no thumbnail by itself, so it gets a file of which that is the picture.
    """
    data = bytearray(source.data)
    _read_items(source, b"hevc")
    metas = [body for kind, body in boxes(source, memoryview(data)) if kind == b"meta"]
    items = Items(source, metas[0])
    rows, columns = claimed_size(source, items, items.primary)
    sizes = {
        item: max(claimed_size(source, items, item))
        for kind, item, others in items.links
        if kind == b"thmb" and items.primary in others
    }
    thumbnail = max(sizes, key=lambda item: sizes[item], default=None)
    if thumbnail is None or sizes[thumbnail] < _NEARLY * side:
        return None
    for kind, body in boxes(source, metas[0][4:]):
        if kind == b"pitm":
            body[4:] = thumbnail.to_bytes(len(body) - 4, "big")
        elif kind == b"iref":
            body[:] = bytes(body).replace(b"thmb", b"free")
    return Glance(decode_heif(replace(source, data=bytes(data))), rows * columns)


def _orientation(items: Items) -> int:
    turns = [part for part in items.properties[items.primary] if part[0] in (b"irot", b"imir")]
    return combine_turns((kind, body[0] if body else 0) for kind, body in turns)


def _item_metadata(items: Items, orientation: int) -> Metadata:
    profiles = (
        bytes(body[4:])
        for kind, body in items.properties[items.primary]
        if kind == b"colr" and bytes(body[:4]) in (b"prof", b"rICC")
    )
    exif = tiff_of(items.first(b"Exif") or b"")
    return Metadata(
        exif=set_orientation(exif and exif.removeprefix(b"Exif\0\0"), orientation),
        icc=next(profiles, None),
        xmp=items.first(b"mime", _XMP_TYPE) or None,
    )


def _left_out(items: Items, top: list[BoxPart]) -> Iterator[str]:
    for kind, body in items.properties[items.primary]:
        if kind in _LEFT_OUT:
            yield _LEFT_OUT[kind]
        if kind == b"colr" and bytes(body[:4]) == b"nclx":
            primaries, transfer = (int.from_bytes(body[i : i + 2], "big") for i in (4, 6))
            if primaries not in _PLAIN_PRIMARIES or transfer not in _PLAIN_TRANSFERS:
                yield "color space"
    for kind in sorted({kind for kind, *_ in items.links} & _LEFT_OUT.keys()):
        yield _LEFT_OUT[kind]
    kinds = list(items.kinds.values())
    auxiliary = [bytes(body[4:]) for body in items.all_of(b"auxC")]
    alone = items.kinds.keys() - items.parts() - {items.primary}
    if (
        b"tmap" in [kind for kind, _ in kinds]
        or any(not properties.startswith(ALPHA_TYPES) for properties in auxiliary)
        or any(items.kinds[item][0] in _PICTURE_KINDS for item in alone)
    ):
        yield "other pictures"
    others = [body for kind, body in top if kind not in (b"ftyp", b"meta", b"mdat")]
    if (
        not _KNOWN.issuperset(kinds)
        or any(kinds.count(kind) > 1 for kind in _METADATA_KINDS)
        or any(bytes(body).strip(b"\0") for body in others)
    ):
        yield "other data"


# Decoded by Pillow


def _open(source: Source, plugin: Callable[[Any], Any], kind: str) -> Any:
    """Return a picture whose header Pillow has read, if it may be decoded.

    Pillow opens lazily, so that the size is known before a sample is decoded. What it does not
    open is refused as a kind that it lacks: it does not tell that from damage.
    """
    try:
        image = source.call(lambda data: plugin(io.BytesIO(data)), source.data)
    except InvalidImageError as error:
        raise source.refuse_kind(f"damaged, or {kind} of a rare kind") from error
    channels = len(image.getbands())
    source.shape(image.height, image.width, 4 if image.mode == "P" else channels)
    return image


def _samples(source: Source, image: Any) -> AnyArray:
    """Return the samples of a picture that Pillow opened, a palette as RGB or RGBA."""

    def decode(_: bytes) -> AnyArray:
        image.load()
        clear = "transparency" in image.info
        if image.mode == "P":
            return np.array(image.convert("RGBA" if clear else "RGB"))
        return np.array(image.convert("LA") if image.mode == "L" and clear else image)

    pixels: AnyArray = source.call(decode, b"")
    # Pillow makes bits of bytes that are 255, which NumPy takes for true and does not write as 1.
    return pixels.view(np.uint8) != 0 if pixels.dtype == np.bool_ else pixels


_MOST_FROM_A_BYTE: Final = 4096  # pixels: a code of GIF has at most 12 bits, and no less than 3


def decode_gif(source: Source) -> Picture:
    """Read a GIF of one picture, which covers its canvas."""
    from PIL.GifImagePlugin import GifImageFile

    codestreams.require_few_gif_blocks(source)
    image = _open(source, GifImageFile, "a GIF")
    if image.width * image.height > _MOST_FROM_A_BYTE * len(source.data):
        raise source.report_damage("it holds fewer samples than it promises")
    if source.call(lambda _: image.is_animated, b""):
        raise source.refuse_several("an animation")
    image = _open(replace(source), GifImageFile, "a GIF")
    if image.tile[0][1] != (0, 0, *image.size):
        raise source.refuse_kind("a GIF that does not cover its canvas")
    info = image.info
    dropped = ["text"] * bool(info.get("comment")) + ["other data"] * bool(info.get("extension"))
    metadata = Metadata(icc=info.get("icc_profile"), xmp=info.get("xmp"))
    return _picture("GIF", _samples(source, image), metadata, dropped)


# Bytes in front of the header of a BMP proper, and of headers: of 1985, the usual one, the latest.
_FILE_HEADER, _CORE, _WINDOWS, _LONGEST = 14, 12, 40, 124
_RAW, _RUN_LENGTHS = 0, (1, 2)  # compressions
_PROFILES: Final = (b"DEBM", b"KNIL")  # color spaces of a profile in the file, or in another one


def decode_bmp(source: Source) -> Picture:
    """Read a BMP.

    Run lengths are not read: Pillow fills what such a file lacks with black and says nothing.
    """
    from PIL.BmpImagePlugin import BmpImageFile

    data = source.data
    if len(data) < _FILE_HEADER + _CORE:
        raise source.report_cut()
    offset, size = struct.unpack_from("<II", data, 10)
    if offset < _FILE_HEADER + size:
        raise source.report_damage("its samples overlap its header")
    if len(data) < _FILE_HEADER + max(size, _CORE):
        raise source.report_cut()
    core = size < _WINDOWS
    (bits,) = struct.unpack_from("<H", data, 24 if core else 28)
    compression, across, down = (_RAW, 0, 0) if core else struct.unpack_from("<I4xii", data, 30)
    if compression in _RUN_LENGTHS:
        raise source.refuse_kind("a BMP with run lengths")
    image = _open(source, BmpImageFile, "a BMP")
    if {"1": 1, "L": 8}.get(image.mode, bits) != bits:
        # If the palette is one of grays, Pillow takes samples for as long as that has colors.
        raise source.refuse_kind(f"a BMP with {bits}-bit samples and fewer shades of gray")
    pixels = _samples(source, image)
    dropped = []
    if len(data) > offset + image.height * ((image.width * bits + 31) // 32 * 4) + 3:
        # Some writers round the file up to a multiple of four bytes as well.
        dropped.append("data after the picture")
    if size == _LONGEST and data[70:74] in _PROFILES:
        dropped.append("ICC profile")
    if bits == 32 and compression == _RAW:
        # By the letter it means nothing; but many programs keep alpha there.
        fourth = np.frombuffer(data, np.uint8, 4 * image.width * image.height, offset)[3::4]
        dropped += ["undeclared alpha channel"] * bool((fourth != fourth[0]).any())
    resolution = None
    if min(across, down) > 0:
        resolution = Resolution(columns=Fraction(across), rows=Fraction(down), unit="meter")
    return _picture("BMP", pixels, Metadata(resolution=resolution), dropped)


_PSD: Final = struct.Struct(">4sH6xHIIHHI")
# By mode: the channels that Pillow reads right. It takes the table of row lengths for shorter than
# it is where there are more, and reads noise (Pillow 13.0).
_PSD_CHANNELS: Final = {1: (1,), 2: (1,), 3: (3, 4), 4: (4,), 8: (1,)}
_INDEXED, _PALETTE_BYTES = 2, 768
_IPTC, _PROFILE, _VERSION, _EXIF, _XMP = 1028, 1039, 1057, 1058, 1060
_THUMBNAILS: Final = {1033, 1036}
_NO_COPY: Final = b"\0\0\0\1\0"


def decode_psd(source: Source) -> Picture:
    """Read the flattened copy in a Photoshop file.

    The fourth channel after RGB is taken for alpha. The layers and all resources but profile,
    EXIF and XMP are left out.
    """
    from PIL.PsdImagePlugin import PsdImageFile

    if len(source.data) < _PSD.size:
        raise source.report_cut()
    _, version, channels, *_, bits, kind, colors = _PSD.unpack_from(source.data)
    if version != 1 or kind not in _PSD_CHANNELS or bits != 8:
        raise source.refuse_kind("a Photoshop picture that is not gray, RGB or CMYK of 8 bits")
    if channels < min(_PSD_CHANNELS[kind]):
        raise source.report_damage("it has fewer channels than its mode")
    if channels not in _PSD_CHANNELS[kind]:
        raise source.refuse_kind("a Photoshop picture with extra channels")
    if kind == _INDEXED and colors != _PALETTE_BYTES:
        raise source.report_damage("its palette has another size than its samples need")
    image = _open(source, PsdImageFile, "a Photoshop picture")
    resources = {resource: data for resource, _, data in reversed(image.resources)}
    if resources.get(_VERSION, b"").startswith(_NO_COPY):
        raise source.refuse_kind("a Photoshop picture without a flattened copy of its layers")
    # The section of layers is behind colors and resources.
    start = _PSD.size + colors
    start += 4 + int.from_bytes(source.data[start : start + 4], "big")
    has_layers = any(source.data[start : start + 4]) and any(source.data[start + 4 : start + 8])
    pixels = _samples(source, image)
    exif, icc, xmp = (resources.get(resource) or None for resource in (_EXIF, _PROFILE, _XMP))
    dropped = ["layers"] * has_layers
    dropped += ["previews"] * bool(resources.keys() & _THUMBNAILS) + ["IPTC"] * (_IPTC in resources)
    metadata = Metadata(exif=exif, icc=icc, xmp=xmp)
    return _picture("PSD", pixels, metadata, dropped, mode="cmyk" if image.mode == "CMYK" else None)


_GAP: Final = rb"(?:[ \t\n\v\f\r]|#[^\n\r]*[\n\r])+"
_SIDES: Final = _GAP + rb"(\d{1,9})" + _GAP + rb"(\d{1,9})"
_NETPBM: Final = re.compile(
    rb"P(?:4%b()|[56]%b%b(255|65535))[ \t\n\v\f\r]" % (_SIDES, _SIDES, _GAP)
)
_NETPBM_HEAD: Final = 2**16  # most bytes of it, comments included


def decode_netpbm(source: Source) -> Picture:
    """Read a binary PBM, PGM or PPM, which Pillow would bring from 16 bits of color down to 8."""
    head = _NETPBM.match(source.data[:_NETPBM_HEAD])
    if head is None:
        raise source.refuse_kind("a Netpbm file that is not binary, or not of 1, 8 or 16 bits")
    columns, rows, most = (part for part in head.groups() if part is not None)
    dtype = np.dtype(">u2" if most == b"65535" else "u1")
    channels = 3 if source.data[:2] == b"P6" else 1
    shape = source.shape(int(rows), int(columns), channels, width=dtype.itemsize)
    stored = shape if most else (shape[0], (shape[1] + 7) // 8)
    end = head.end() + math.prod(stored) * dtype.itemsize
    if end > len(source.data):
        raise source.report_cut()
    if end < len(source.data):
        # Either a second picture, or a line end too many before the samples shifted them all.
        raise source.refuse_kind("a Netpbm file with more bytes than one picture has")
    lines = np.frombuffer(source.data, dtype, offset=head.end()).reshape(stored)
    # In a bitmap one is black.
    pixels = lines.astype(dtype.newbyteorder("=")) if most else ~unpack_bits(lines, 1, shape[1])
    return _picture("PPM", pixels, dropped=["text"] * (b"#" in head[0]))


# The plugins of Pillow that show the first of several pictures, by our names of formats.
_PLUGINS: Final = {
    **{
        name: name for name in ("PNG", "GIF", "BMP", "ICO", "PSD")
    },  # Pillow reads comments of PPM letter by letter
    "WebP": "WEBP",
}


def first_picture(source: Source, name: str) -> Picture | None:
    """Return what libraries show of a file of this format, none if they show nothing.

    That is the first frame, page or size, perhaps in converted colors: to be looked at, and not to
    be protected.
    """
    from PIL import Image

    if name == "TIFF":
        return tiff.decode(source, first=True)
    if name not in _PLUGINS:
        return None
    if name == "WebP":  # for which Pillow makes room as it opens the file
        head = next(codestreams.walk_webp(source), (b"", b""))[1]
        columns, rows = (int.from_bytes(head[i : i + 3], "little") + 1 for i in (4, 7))
        source.shape(rows, columns, 1)

    def show(data: bytes) -> AnyArray | None:
        with Image.open(io.BytesIO(data), formats=[_PLUGINS[name]]) as image:
            source.shape(image.height, image.width, 1)
            exact = image.mode in ("1", "L", "LA", "RGB", "RGBA", "I;16", "F")
            return np.array(image if exact else image.convert("RGBA"))

    try:
        shown = source.call(show, source.data)
    except InvalidImageError:
        return None
    return _picture(name, shown)
