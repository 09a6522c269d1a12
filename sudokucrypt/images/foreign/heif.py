"""AVIF and HEIF: pictures as items in boxes, decoded by Pillow, imagecodecs and pi-heif."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from sudokucrypt.images.driver import Source
from sudokucrypt.images.foreign.adapter import (
    decode_claimed,
    find_imagecodecs,
    find_pillow,
    make_picture,
    spread,
)
from sudokucrypt.images.foreign.coded_sizes import read_claimed_size, read_picture_size
from sudokucrypt.images.foreign.codestreams import Claim
from sudokucrypt.images.foreign.isobmff import ALPHA_TYPES, BoxPart, Items, boxes, get_exif_block
from sudokucrypt.images.orientation import TURNS, combine_turns, set_orientation
from sudokucrypt.images.picture import Glance, Metadata, Picture
from sudokucrypt.typing import AnyArray

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
    rows, columns = read_picture_size(source, items, width=2 if bits > 8 else 1)
    claim = Claim(rows, columns, (1, 2, 3, 4), bits)
    codec = find_pillow("Avif", "avif") if bits == 8 else find_imagecodecs("AVIF")
    pixels = decode_claimed(replace(source), claim, codec)
    metadata = _read_item_metadata(items, _find_orientation(items))
    return make_picture("AVIF", pixels, metadata, _list_left_out(items, top))


def decode_heif(source: Source) -> Picture:
    """Read a HEIF coded as HEVC: rotation and mirroring are only said in EXIF, a crop is applied.

    libheif turns what it decodes; here it is turned back.
    """
    pi_heif = source.load_library("pi_heif")
    items, top = _read_items(source, b"hevc")
    deep = any(config[_DEPTH] & 7 for config in items.all_of(b"hvcC") if len(config) > _DEPTH)
    size = read_picture_size(source, items, width=2 if deep else 1)

    def decode(data: bytes) -> tuple[AnyArray, str, int]:
        images = pi_heif.open_heif(data, convert_hdr_to_8bit=False, hdr_to_16bit=False)
        image = images[images.primary_index]
        return np.array(image), image.mode, image.info["bit_depth"]

    pixels, mode, bits = source.call(decode, source.data)
    orientation = _find_orientation(items)
    stored = np.ascontiguousarray(TURNS[orientation].undone(pixels))
    if items.property(items.primary, b"clap") is None:
        whole = stored.shape[:2] == size
    else:
        whole = stored.size <= 4 * size[0] * size[1]
    if not whole or stored.ndim > 3 or stored.dtype not in ("uint8", "uint16"):
        raise source.report_damage("its samples are not what they promise to be")
    if "a" in mode:
        raise source.refuse_kind("a HEIF with colors that are multiplied with their alpha")
    dropped = [name for name in _list_left_out(items, top) if name != "crop"]
    metadata = _read_item_metadata(items, orientation)
    return make_picture("HEIF", spread(source, stored, bits), metadata, dropped)


def glance_heif(source: Source, side: int) -> Glance | None:
    """Return the thumbnail in a HEIF, if it is about as large as asked for.

    libheif decodes no thumbnail by itself, so it gets a copy of the file in which the thumbnail is
    the picture.
    """
    data = bytearray(source.data)
    _read_items(source, b"hevc")
    metas = [body for kind, body in boxes(source, memoryview(data)) if kind == b"meta"]
    items = Items(source, metas[0])
    rows, columns = read_claimed_size(source, items, items.primary)
    sizes = {
        item: max(read_claimed_size(source, items, item))
        for kind, item, others in items.links
        if kind == b"thmb" and items.primary in others
    }
    thumbnail = max(sizes, key=lambda item: sizes[item], default=None)
    if thumbnail is None or sizes[thumbnail] < _NEARLY * side:
        return None
    for kind, body in boxes(source, metas[0][4:]):
        if kind == b"pitm":
            if thumbnail >> 8 * (len(body) - 4):  # it has no place there
                return None
            body[4:] = thumbnail.to_bytes(len(body) - 4, "big")
        elif kind == b"iref":
            body[:] = bytes(body).replace(b"thmb", b"free")
    return Glance(decode_heif(replace(source, data=bytes(data))), rows * columns)


def _find_orientation(items: Items) -> int:
    """Return the EXIF orientation that rotation and mirroring of the picture amount to."""
    turns = [part for part in items.properties[items.primary] if part[0] in (b"irot", b"imir")]
    return combine_turns((kind, body[0] if body else 0) for kind, body in turns)


def _read_item_metadata(items: Items, orientation: int) -> Metadata:
    profiles = (
        bytes(body[4:])
        for kind, body in items.properties[items.primary]
        if kind == b"colr" and bytes(body[:4]) in (b"prof", b"rICC")
    )
    exif = get_exif_block(items.first(b"Exif") or b"")
    return Metadata(
        exif=set_orientation(exif and exif.removeprefix(b"Exif\0\0"), orientation),
        icc=next(profiles, None),
        xmp=items.first(b"mime", _XMP_TYPE) or None,
    )


def _list_left_out(items: Items, top: list[BoxPart]) -> Iterator[str]:
    """Yield the names of what else is in a file, or would be applied by viewers."""
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
