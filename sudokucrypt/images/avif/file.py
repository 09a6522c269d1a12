"""AVIF: gray, RGB and RGBA with 8, 10 or 12 bits, read only; stills, of one or several tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sudokucrypt.images.avif.coded import picture_size
from sudokucrypt.images.avif.items import Items
from sudokucrypt.images.boxes import boxes
from sudokucrypt.images.metadata import Metadata
from sudokucrypt.images.picture import NATURAL_MODES, Frame, Picture
from sudokucrypt.images.sixteen_bits import spread

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sudokucrypt.images.source import Source
    from sudokucrypt.typing import AnyArray

FORMAT: Final = "AVIF"

_XMP_TYPE = b"application/rdf+xml"
_LEFT_OUT = {
    b"irot": "orientation",
    b"imir": "orientation",
    b"clap": "crop",
    b"pasp": "shape of pixels",
    b"clli": "color space",
    b"mdcv": "color space",
    b"thmb": "previews",
}
_PICTURE_KINDS, _METADATA_KINDS = (b"av01", b"grid"), ((b"Exif", b""), (b"mime", _XMP_TYPE))
_ALPHA_TYPES = (
    b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0",
    b"urn:mpeg:hevc:2015:auxid:1\0",
)
_BOXES, _FREE = (b"ftyp", b"meta", b"mdat"), (b"free", b"skip")
# Primaries and transfer of sRGB, or unspecified, which is taken for it.
_PLAIN_PRIMARIES, _PLAIN_TRANSFERS = (1, 2), (1, 2, 6, 13)
_TWELVE = 0x20
_BRANDS_END = 64


def matches(data: bytes) -> bool:
    """Tell whether these bytes begin like an AVIF, or an animated one."""
    if data[4:8] != b"ftyp":
        return False
    end = min(int.from_bytes(data[:4], "big"), _BRANDS_END)
    return any(data[start : start + 4] in (b"avif", b"avis") for start in range(8, end, 4))


def decode(source: Source) -> Picture:
    """Read an AVIF; see `read_picture` for what is raised.

    Notes
    -----
    Samples of 10 or 12 bits are spread over 16, see `spread`. Rotation, mirroring and crop are
    not applied, neither by libavif nor here; they are named among what is left out.
    """
    from imagecodecs import AVIF

    if not AVIF.available:
        raise source.unsupported("an AVIF, for which this installation has no codec,")
    top = list(boxes(source, memoryview(source.data)))
    # Where there is a track, libavif decodes its frames, and imagecodecs 2026.3.6 writes beyond
    # its array if asked for one of them.
    if source.data[8:12] == b"avis" or any(kind == b"moov" for kind, _ in top):
        raise source.unsupported("an animated AVIF")
    meta = [body for kind, body in top if kind == b"meta"]
    if len(meta) != 1:
        raise source.damaged("it does not describe its picture")
    items = Items.read(source, meta[0])
    pixels = _pixels(source, items)
    mode = NATURAL_MODES[1 if pixels.ndim == 2 else pixels.shape[2]]
    frame = Frame(pixels=pixels, mode=mode, metadata=_metadata(items))
    left_out = [*_omitted(items), *_beside(items, top)]
    return Picture(frames=(frame,), format=FORMAT, left_out=tuple(dict.fromkeys(left_out)))


def _pixels(source: Source, items: Items) -> AnyArray:
    from imagecodecs import avif_decode

    rows, columns = picture_size(source, items)
    pixels: AnyArray = source.call(avif_decode, source.data)
    channels = 1 if pixels.ndim == 2 else pixels.shape[-1]
    if pixels.shape[:2] != (rows, columns) or pixels.ndim > 3 or channels not in NATURAL_MODES:
        raise source.damaged("its samples are not what they promise to be")
    if pixels.dtype == "uint8":
        return pixels
    flags = [config[2] for config in items.all_of(b"av1C") if len(config) > 2]
    return spread(source, pixels, 12 if any(flag & _TWELVE for flag in flags) else 10)


def _metadata(items: Items) -> Metadata:
    profiles = [
        bytes(body[4:])
        for kind, body in items.properties.get(items.primary, [])
        if kind == b"colr" and bytes(body[:4]) in (b"prof", b"rICC")
    ]
    exif = items.first(b"Exif")
    # Four bytes say how far behind them the TIFF file begins.
    start = 4 + int.from_bytes((exif or b"")[:4], "big")
    return Metadata(
        exif=(exif or b"")[start:] or None,
        icc=profiles[0] if profiles else None,
        xmp=items.first(b"mime", _XMP_TYPE) or None,
    )


def _omitted(items: Items) -> Iterator[str]:
    """Yield what to call the things that are not kept."""
    for kind, body in items.properties.get(items.primary, []):
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
    if b"tmap" in [kind for kind, _ in kinds] or any(
        not said.startswith(_ALPHA_TYPES) for said in auxiliary
    ):
        yield "other pictures"
    known = {*_METADATA_KINDS, *((kind, b"") for kind in (*_PICTURE_KINDS, b"tmap"))}
    if not known.issuperset(kinds) or any(kinds.count(kind) > 1 for kind in _METADATA_KINDS):
        yield "other data"
    for kind, body in top:
        if kind not in _BOXES and not (kind in _FREE and not bytes(body).strip(b"\0")):
            yield "other data"
