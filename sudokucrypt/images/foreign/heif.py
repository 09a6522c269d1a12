"""AVIF and HEIF: gray, RGB and RGBA with 8, 10 or 12 bits; stills, of one or several tiles.

imagecodecs decodes AVIF, pi-heif decodes HEIF. What they decode, and what stands beside it, is
read here: neither refuses a picture of another size than the file claims.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from sudokucrypt.images.bits import spread
from sudokucrypt.images.driver import Driver
from sudokucrypt.images.foreign.boxes import boxes, tiff_of
from sudokucrypt.images.foreign.coded import picture_size
from sudokucrypt.images.foreign.items import ALPHA_TYPES, Items
from sudokucrypt.images.foreign.results import (
    UPRIGHT,
    orientation_of,
    require_samples,
    still,
    with_orientation,
)
from sudokucrypt.images.metadata import Metadata
from sudokucrypt.images.picture import Picture
from sudokucrypt.images.source import Source
from sudokucrypt.typing import AnyArray

_XMP_TYPE: Final = b"application/rdf+xml"
_TURNING: Final = (b"irot", b"imir")
_LEFT_OUT: Final = {
    b"pasp": "shape of pixels",
    b"clli": "color space",
    b"mdcv": "color space",
    b"thmb": "previews",
}
_PICTURE_KINDS: Final = (b"av01", b"hvc1", b"grid")
_METADATA_KINDS: Final = ((b"Exif", b""), (b"mime", _XMP_TYPE))
_BOXES, _FREE = (b"ftyp", b"meta", b"mdat"), (b"free", b"skip")
# Primaries and transfer of sRGB, or unspecified, which is taken for it.
_PLAIN_PRIMARIES, _PLAIN_TRANSFERS = (1, 2), (1, 2, 6, 13)
_DEEP, _TWELVE = 0x40, 0x20
# Byte of the configuration of HEVC that says how many bits beyond 8 a sample has.
_DEPTH: Final = 17
_BRANDS_END: Final = 64
_AVIF_BRANDS: Final = (b"avif", b"avis")
_HEIF_BRANDS: Final = (b"heic", b"heix", b"heim", b"heis", b"mif1", b"msf1", b"hevc", b"hevx")


def _has_brand(data: bytes, brands: tuple[bytes, ...]) -> bool:
    if data[4:8] != b"ftyp":
        return False
    end = min(int.from_bytes(data[:4], "big"), _BRANDS_END)
    return any(data[start : start + 4] in brands for start in range(8, end, 4))


def _decode_avif(source: Source) -> Picture:
    """Read an AVIF; see `read_picture` for what is raised.

    Notes
    -----
    Samples of 10 or 12 bits are spread over 16, see `spread`. Rotation and mirroring are not
    applied: EXIF says them. Cropping is neither applied nor kept.
    """
    from imagecodecs import AVIF, avif_decode

    if not AVIF.available:
        raise source.unsupported("an AVIF, for which this installation has no codec,")
    items, top = _read_items(source, "AVIF", b"avis")
    flags = [config[2] for config in items.all_of(b"av1C") if len(config) > 2]
    bits = 12 if any(flag & _TWELVE for flag in flags) else 10
    size = picture_size(source, items, width=2 if any(flag & _DEEP for flag in flags) else 1)
    pixels = require_samples(source, source.call(avif_decode, source.data), size)
    if pixels.dtype != "uint8":
        pixels = spread(source, pixels, bits)
    turns = [(kind, bytes(body)[:1]) for kind, body in _said(items) if kind in _TURNING]
    orientation = orientation_of((kind, int.from_bytes(value, "big")) for kind, value in turns)
    left_out = [*_omitted(items), *_beside(items, top)]
    if items.property(items.primary, b"clap") is not None:
        left_out.insert(0, "crop")
    return still("AVIF", pixels, _metadata(items, orientation), left_out)


def _decode_heif(source: Source) -> Picture:
    """Read a HEIF picture that is coded as HEVC; see `read_picture` for what is raised.

    Notes
    -----
    Rotation, mirroring and crop are applied, and EXIF says that nothing is to be turned. Samples
    of 10 or 12 bits are spread over 16, see `spread`.
    """
    try:
        import pi_heif
    except ImportError as error:
        raise source.unsupported("a HEIF, for which this installation has no codec,") from error
    items, top = _read_items(source, "HEIF", b"hevc")
    deep = any(config[_DEPTH] & 7 for config in items.all_of(b"hvcC") if len(config) > _DEPTH)
    rows, columns = picture_size(source, items, width=2 if deep else 1)

    def decode(data: bytes) -> tuple[AnyArray, str, int]:
        images = pi_heif.open_heif(data, convert_hdr_to_8bit=False, hdr_to_16bit=False)
        image = images[images.primary_index]
        return np.array(image), image.mode, image.info["bit_depth"]

    pixels, mode, bits = source.call(decode, source.data)
    turned = sum(body[0] & 1 for kind, body in _said(items) if kind == b"irot" and body)
    if items.property(items.primary, b"clap") is None:
        size = (columns, rows) if turned % 2 else (rows, columns)
        require_samples(source, pixels, size)
    elif pixels.size > 4 * rows * columns:
        raise source.damaged("its crop is larger than the picture")
    if "a" in mode:
        raise source.unsupported("a HEIF with colors that are multiplied with their alpha")
    if pixels.dtype != "uint8":
        pixels = spread(source, pixels, bits)
    left_out = [*_omitted(items), *_beside(items, top)]
    return still("HEIF", pixels, _metadata(items, UPRIGHT), left_out)


def _read_items(
    source: Source, name: str, moving: bytes
) -> tuple[Items, list[tuple[bytes, memoryview]]]:
    """Return the items of the file, and the boxes that it is made of."""
    top = list(boxes(source, memoryview(source.data)))
    # Where there is a track, libavif decodes its frames, and imagecodecs 2026.3.6 writes beyond
    # its array if asked for one of them.
    if source.data[8:12] == moving or any(kind == b"moov" for kind, _ in top):
        raise source.unsupported(f"an animated {name}")
    meta = [body for kind, body in top if kind == b"meta"]
    if len(meta) != 1:
        raise source.damaged("it does not describe its picture")
    return Items.read(source, meta[0]), top


def _said(items: Items) -> list[tuple[bytes, memoryview]]:
    """Return kind and body of what is said of the picture."""
    return items.properties.get(items.primary, [])


def _metadata(items: Items, orientation: int) -> Metadata:
    profiles = [
        bytes(body[4:])
        for kind, body in _said(items)
        if kind == b"colr" and bytes(body[:4]) in (b"prof", b"rICC")
    ]
    exif = tiff_of(items.first(b"Exif") or b"")
    if exif is not None and exif.startswith(b"Exif\0\0"):
        exif = exif[6:]
    return Metadata(
        exif=with_orientation(exif, orientation),
        icc=profiles[0] if profiles else None,
        xmp=items.first(b"mime", _XMP_TYPE) or None,
    )


def _omitted(items: Items) -> Iterator[str]:
    """Yield what to call the things that are not kept."""
    for kind, body in _said(items):
        if kind in _LEFT_OUT:
            yield _LEFT_OUT[kind]
        if kind == b"colr" and bytes(body[:4]) == b"nclx":
            primaries, transfer = (int.from_bytes(body[i : i + 2], "big") for i in (4, 6))
            if primaries not in _PLAIN_PRIMARIES or transfer not in _PLAIN_TRANSFERS:
                yield "color space"
    for kind in sorted(items.references & _LEFT_OUT.keys()):
        yield _LEFT_OUT[kind]


def _beside(items: Items, top: Iterable[tuple[bytes, memoryview]]) -> Iterator[str]:
    """Yield what to call items and boxes that are neither the picture nor its metadata."""
    kinds = list(items.kinds.values())
    auxiliary = [bytes(body[4:]) for body in items.all_of(b"auxC")]
    alone = items.kinds.keys() - items.parts - {items.primary}
    if (
        b"tmap" in [kind for kind, _ in kinds]
        or any(not said.startswith(ALPHA_TYPES) for said in auxiliary)
        or any(items.kinds[item][0] in _PICTURE_KINDS for item in alone)
    ):
        yield "other pictures"
    known = {*_METADATA_KINDS, *((kind, b"") for kind in (*_PICTURE_KINDS, b"tmap"))}
    if not known.issuperset(kinds) or any(kinds.count(kind) > 1 for kind in _METADATA_KINDS):
        yield "other data"
    for kind, body in top:
        if kind not in _BOXES and not (kind in _FREE and not bytes(body).strip(b"\0")):
            yield "other data"


DRIVERS: Final = (
    Driver(
        name="AVIF",
        suffixes=(".avif",),
        matches=lambda data: _has_brand(data, _AVIF_BRANDS),
        decode=_decode_avif,
        lossy=True,
    ),
    Driver(
        name="HEIF",
        suffixes=(".heic", ".heif", ".hif"),
        matches=lambda data: _has_brand(data, _HEIF_BRANDS),
        decode=_decode_heif,
        lossy=True,
    ),
)
