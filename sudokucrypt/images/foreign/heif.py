"""AVIF and HEIF: gray, RGB and RGBA with 8, 10 or 12 bits; stills, of one or several tiles.

imagecodecs decodes AVIF, pi-heif decodes HEIF. What they decode, and what comes with it, is
read here: neither refuses a picture of another size than the file claims. Samples of 10 or 12 bits
are spread over 16.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from sudokucrypt.images.bits import spread
from sudokucrypt.images.foreign import conversion
from sudokucrypt.images.foreign.coded_sizes import claimed_size, picture_size
from sudokucrypt.images.foreign.isobmff import ALPHA_TYPES, BoxPart, Items, boxes, tiff_of
from sudokucrypt.images.orientation import TURNS
from sudokucrypt.images.picture import Glance, Metadata, Picture
from sudokucrypt.images.source import Source
from sudokucrypt.typing import AnyArray

_XMP_TYPE: Final = b"application/rdf+xml"
_TURNING: Final = (b"irot", b"imir")
# What has no place in our pictures is named when it is dropped.
_LEFT_OUT: Final = {
    b"pasp": "shape of pixels",
    b"clli": "color space",
    b"mdcv": "color space",
    b"thmb": "previews",
}
_PICTURE_KINDS: Final = (b"av01", b"hvc1", b"grid")
_METADATA_KINDS: Final = ((b"Exif", b""), (b"mime", _XMP_TYPE))
_KNOWN: Final = {*_METADATA_KINDS, *((kind, b"") for kind in (*_PICTURE_KINDS, b"tmap"))}
_BOXES, _FREE = (b"ftyp", b"meta", b"mdat"), (b"free", b"skip")
# Primaries and transfer of sRGB, or unspecified, which is taken for it.
_PLAIN_PRIMARIES, _PLAIN_TRANSFERS = (1, 2), (1, 2, 6, 13)
_DEEP, _TWELVE = 0x40, 0x20
# Byte of the configuration of HEVC that says how many bits beyond 8 a sample has.
_DEPTH: Final = 17
_NEARLY: Final = 0.6  # of the side that is asked for, to do without the picture itself


def decode_avif(source: Source) -> Picture:
    """Read an AVIF: rotation and mirroring are only said in EXIF, and a crop is left out."""
    avif_decode = conversion.codec(source, "AVIF", "an AVIF")
    items, top = _read_items(source, "AVIF", b"avis")
    flags = [config[2] for config in items.all_of(b"av1C") if len(config) > 2]
    bits = 12 if any(flag & _TWELVE for flag in flags) else 10
    size = picture_size(source, items, width=2 if any(flag & _DEEP for flag in flags) else 1)
    pixels = conversion.require_samples(source, source.call(avif_decode, source.data), size)
    pixels = spread(source, pixels, bits)
    cropped = items.property(items.primary, b"clap") is not None
    dropped = ["crop"] * cropped + [*_left_out(items, top)]
    return conversion.still("AVIF", pixels, _metadata(items, _orientation(items)), dropped)


def decode_heif(source: Source) -> Picture:
    """Read a HEIF coded as HEVC: rotation and mirroring are only said in EXIF, a crop is applied.

    libheif turns what it decodes; here it is turned back.
    """
    try:
        import pi_heif
    except ImportError as error:
        raise source.unsupported("a HEIF, for which this installation has no codec") from error
    items, top = _read_items(source, "HEIF", b"hevc")
    deep = any(config[_DEPTH] & 7 for config in items.all_of(b"hvcC") if len(config) > _DEPTH)
    rows, columns = picture_size(source, items, width=2 if deep else 1)

    def decode(data: bytes) -> tuple[AnyArray, str, int]:
        images = pi_heif.open_heif(data, convert_hdr_to_8bit=False, hdr_to_16bit=False)
        image = images[images.primary_index]
        return np.array(image), image.mode, image.info["bit_depth"]

    pixels, mode, bits = source.call(decode, source.data)
    properties = items.properties[items.primary]
    if items.property(items.primary, b"clap") is None:
        turned = sum(body[0] & 1 for kind, body in properties if kind == b"irot" and body)
        conversion.require_samples(
            source, pixels, (columns, rows) if turned % 2 else (rows, columns)
        )
    elif pixels.size > 4 * rows * columns:
        raise source.damaged("its crop is larger than the picture")
    if "a" in mode:
        raise source.unsupported("a HEIF with colors that are multiplied with their alpha")
    orientation = _orientation(items)
    stored = np.ascontiguousarray(TURNS[orientation].undone(pixels))
    pixels = spread(source, stored, bits)
    return conversion.still("HEIF", pixels, _metadata(items, orientation), _left_out(items, top))


def glance(source: Source, side: int) -> Glance | None:
    """Return the thumbnail in a HEIF, if it is about as large as asked for.

    libheif decodes no thumbnail by itself, so it gets a file of which that is the picture.
    """
    data = bytearray(source.data)
    _read_items(source, "HEIF", b"hevc")
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


def _read_items(source: Source, name: str, moving: bytes) -> tuple[Items, list[BoxPart]]:
    top = list(boxes(source, memoryview(source.data)))
    # Where there is a track, libavif decodes its frames, and imagecodecs 2026.3.6 writes beyond
    # its array if asked for one of them.
    if source.data[8:12] == moving or any(kind == b"moov" for kind, _ in top):
        raise source.unsupported(f"an animated {name}")
    meta = [body for kind, body in top if kind == b"meta"]
    if len(meta) != 1:
        raise source.damaged("it does not describe its picture")
    return Items(source, meta[0]), top


def _orientation(items: Items) -> int:
    properties = items.properties[items.primary]
    return conversion.orientation_of(
        (kind, body[0] if body else 0) for kind, body in properties if kind in _TURNING
    )


def _metadata(items: Items, orientation: int) -> Metadata:
    profiles = (
        bytes(body[4:])
        for kind, body in items.properties[items.primary]
        if kind == b"colr" and bytes(body[:4]) in (b"prof", b"rICC")
    )
    exif = tiff_of(items.first(b"Exif") or b"")
    return Metadata(
        exif=conversion.with_orientation(exif and exif.removeprefix(b"Exif\0\0"), orientation),
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
    if not _KNOWN.issuperset(kinds) or any(kinds.count(kind) > 1 for kind in _METADATA_KINDS):
        yield "other data"
    for kind, body in top:
        if kind not in _BOXES and not (kind in _FREE and not bytes(body).strip(b"\0")):
            yield "other data"
