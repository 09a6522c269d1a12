"""AVIF and HEIF: pictures as items in boxes, decoded by Pillow, imagecodecs and pi-heif."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from sudokucrypt.images.driver import Source
from sudokucrypt.images.foreign.adapter import (
    decode_claimed_samples,
    make_imagecodecs_finder,
    make_picture,
    make_pillow_finder,
    widen_samples,
)
from sudokucrypt.images.foreign.coded_sizes import read_claimed_size, read_picture_size
from sudokucrypt.images.foreign.codestreams import SampleClaim
from sudokucrypt.images.foreign.isobmff import (
    ALPHA_TYPES,
    Items,
    KindAndBody,
    boxes,
    get_exif_block,
)
from sudokucrypt.images.orientation import TURNS, combine_turns, set_orientation
from sudokucrypt.images.picture import Metadata, Picture, PicturePreview
from sudokucrypt.typing import AnyArray

_XMP_TYPE: Final = b"application/rdf+xml"
# The names of properties and references that are dropped.
_DROPPED_CONTENT_NAMES: Final = {
    b"clap": "crop",
    b"pasp": "shape of pixels",
    b"clli": "color space",
    b"mdcv": "color space",
    b"thmb": "previews",
}
_PICTURE_KINDS: Final = (b"av01", b"hvc1", b"grid")
_METADATA_KINDS: Final = ((b"Exif", b""), (b"mime", _XMP_TYPE))
_KNOWN_KINDS: Final = {*_METADATA_KINDS, *((kind, b"") for kind in (*_PICTURE_KINDS, b"tmap"))}
# Primaries and transfer functions of sRGB, or unspecified ones, which mean sRGB.
_SRGB_PRIMARIES, _SRGB_TRANSFERS = (1, 2), (1, 2, 6, 13)
_OVER_8_BITS_FLAG, _TWELVE_BITS_FLAG = (
    0x40,
    0x20,
)  # flags in the configuration of AV1: over 8 bits, 12 bits
_DEPTH_BYTE_INDEX: Final = 17  # byte of the configuration of HEVC: the bits of a sample minus 8
_MIN_SIDE_SHARE: Final = 0.6  # minimum ratio of the thumbnail's side to the requested side


def _read_items(source: Source, animation_brand: bytes) -> tuple[Items, list[KindAndBody]]:
    """Return the items of a file, and its outermost boxes; raise an error for an animation."""
    top_boxes = list(boxes(source, memoryview(source.data)))
    # If the file has a track, libavif decodes the frames of the track, and imagecodecs 2026.3.6
    # writes beyond its array.
    if source.data[8:12] == animation_brand or any(kind == b"moov" for kind, _ in top_boxes):
        raise source.refuse_several("an animation")
    meta_bodies = [body for kind, body in top_boxes if kind == b"meta"]
    if len(meta_bodies) != 1:
        raise source.report_damage("it does not describe its picture")
    return Items(source, meta_bodies[0]), top_boxes


def decode_avif(source: Source) -> Picture:
    """Read an AVIF; rotation and mirroring are copied into EXIF, and a crop is left out."""
    items, top_boxes = _read_items(source, b"avis")
    flags = [config[2] for config in items.list_properties(b"av1C") if len(config) > 2]
    bits = (
        (12 if any(flag & _TWELVE_BITS_FLAG for flag in flags) else 10)
        if any(flag & _OVER_8_BITS_FLAG for flag in flags)
        else 8
    )
    rows, columns = read_picture_size(source, items, width=2 if bits > 8 else 1)
    size_claim = SampleClaim(rows, columns, (1, 2, 3, 4), bits)
    codec_finder = (
        make_pillow_finder("Avif", "avif") if bits == 8 else make_imagecodecs_finder("AVIF")
    )
    pixels = decode_claimed_samples(replace(source), size_claim, codec_finder)
    metadata = _read_item_metadata(items, _find_orientation(items))
    return make_picture("AVIF", pixels, metadata, _list_dropped_content(items, top_boxes))


def decode_heif(source: Source) -> Picture:
    """Read a HEIF coded as HEVC; rotation and mirroring are copied into EXIF, a crop is applied.

    libheif turns the picture upright, and here it is turned back.
    """
    pi_heif = source.load_library("pi_heif")
    items, top_boxes = _read_items(source, b"hevc")
    configurations = items.list_properties(b"hvcC")
    has_over_8_bits = any(
        config[_DEPTH_BYTE_INDEX] & 7
        for config in configurations
        if len(config) > _DEPTH_BYTE_INDEX
    )
    size = read_picture_size(source, items, width=2 if has_over_8_bits else 1)

    def decode(data: bytes) -> tuple[AnyArray, str, int]:
        images = pi_heif.open_heif(data, convert_hdr_to_8bit=False, hdr_to_16bit=False)
        image = images[images.primary_index]
        return np.array(image), image.mode, image.info["bit_depth"]

    pixels, mode, bits = source.call(decode, source.data)
    orientation = _find_orientation(items)
    stored_pixels = np.ascontiguousarray(TURNS[orientation].turn_back(pixels))
    if items.find_property(items.primary_item, b"clap") is None:
        is_valid_size = stored_pixels.shape[:2] == size
    else:
        is_valid_size = stored_pixels.size <= 4 * size[0] * size[1]
    if (
        not is_valid_size
        or stored_pixels.ndim > 3
        or stored_pixels.dtype not in ("uint8", "uint16")
    ):
        raise source.report_damage("its samples do not have the claimed size and type")
    if "a" in mode:
        raise source.refuse_kind("a HEIF with premultiplied alpha")
    dropped_names = [name for name in _list_dropped_content(items, top_boxes) if name != "crop"]
    metadata = _read_item_metadata(items, orientation)
    return make_picture("HEIF", widen_samples(source, stored_pixels, bits), metadata, dropped_names)


def read_heif_preview(source: Source, side: int) -> PicturePreview | None:
    """Return the thumbnail in a HEIF, if its longer side has about `side` pixels, otherwise None.

    libheif cannot decode only the thumbnail, so it gets a copy of the file in which the thumbnail
    is the primary picture.
    """
    data = bytearray(source.data)
    _read_items(source, b"hevc")
    meta_bodies = [body for kind, body in boxes(source, memoryview(data)) if kind == b"meta"]
    items = Items(source, meta_bodies[0])
    rows, columns = read_claimed_size(source, items, items.primary_item)
    sizes = {
        item: max(read_claimed_size(source, items, item))
        for kind, item, targets in items.references
        if kind == b"thmb" and items.primary_item in targets
    }
    thumbnail_item = max(sizes, key=lambda item: sizes[item], default=None)
    if thumbnail_item is None or sizes[thumbnail_item] < _MIN_SIDE_SHARE * side:
        return None
    for kind, body in boxes(source, meta_bodies[0][4:]):
        if kind == b"pitm":
            # The item number of the thumbnail does not fit into the box.
            if thumbnail_item >> 8 * (len(body) - 4):
                return None
            body[4:] = thumbnail_item.to_bytes(len(body) - 4, "big")
        elif kind == b"iref":
            body[:] = bytes(body).replace(b"thmb", b"free")
    return PicturePreview(decode_heif(replace(source, data=bytes(data))), rows * columns)


def _find_orientation(items: Items) -> int:
    """Return the EXIF orientation that is equal to the rotation and mirroring of the picture."""
    turns = [part for part in items.properties[items.primary_item] if part[0] in (b"irot", b"imir")]
    return combine_turns((kind, body[0] if body else 0) for kind, body in turns)


def _read_item_metadata(items: Items, orientation: int) -> Metadata:
    profiles = (
        bytes(body[4:])
        for kind, body in items.properties[items.primary_item]
        if kind == b"colr" and bytes(body[:4]) in (b"prof", b"rICC")
    )
    exif = get_exif_block(items.find_content(b"Exif") or b"")
    return Metadata(
        exif=set_orientation(exif and exif.removeprefix(b"Exif\0\0"), orientation),
        icc=next(profiles, None),
        xmp=items.find_content(b"mime", _XMP_TYPE) or None,
    )


def _list_dropped_content(items: Items, top_boxes: list[KindAndBody]) -> Iterator[str]:
    """Yield the names of content that is left out, and of properties that viewers would apply."""
    for kind, body in items.properties[items.primary_item]:
        if kind in _DROPPED_CONTENT_NAMES:
            yield _DROPPED_CONTENT_NAMES[kind]
        if kind == b"colr" and bytes(body[:4]) == b"nclx":
            color_primaries, transfer_function = (
                int.from_bytes(body[i : i + 2], "big") for i in (4, 6)
            )
            if color_primaries not in _SRGB_PRIMARIES or transfer_function not in _SRGB_TRANSFERS:
                yield "color space"
    for kind in sorted({kind for kind, *_ in items.references} & _DROPPED_CONTENT_NAMES.keys()):
        yield _DROPPED_CONTENT_NAMES[kind]
    kinds = list(items.kinds.values())
    auxiliary_types = [bytes(body[4:]) for body in items.list_properties(b"auxC")]
    independent_items = items.kinds.keys() - items.find_part_items() - {items.primary_item}
    if (
        b"tmap" in [kind for kind, _ in kinds]
        or any(not auxiliary_type.startswith(ALPHA_TYPES) for auxiliary_type in auxiliary_types)
        or any(items.kinds[item][0] in _PICTURE_KINDS for item in independent_items)
    ):
        yield "other pictures"
    other_bodies = [body for kind, body in top_boxes if kind not in (b"ftyp", b"meta", b"mdat")]
    if (
        not _KNOWN_KINDS.issuperset(kinds)
        or any(kinds.count(kind) > 1 for kind in _METADATA_KINDS)
        or any(bytes(body).strip(b"\0") for body in other_bodies)
    ):
        yield "other data"
