"""Formats of one flat picture: TGA, QOI, and the flattened copy in a Photoshop file.

::

    "8BPS" 1 ... channels rows columns bits mode | colors | resources | layers | samples

Pillow decodes TGA and Photoshop, imagecodecs QOI.

References
----------
.. [1] Adobe, "Photoshop File Formats Specification", 2019.
"""

import struct
from typing import Final

import numpy as np

from sudokucrypt.images.foreign.conversion import (
    codec,
    opened_by_pillow,
    palette_of,
    require_samples,
    samples_of,
    still,
)
from sudokucrypt.images.picture import Metadata, Mode, Picture
from sudokucrypt.images.source import Source
from sudokucrypt.typing import AnyArray

_QOI: Final = struct.Struct(">4sIIBB")
# Every QOI file ends so, which shows one that was cut.
_QOI_END: Final = b"\0" * 7 + b"\1"
_QOI_COPIES: Final = 2  # of all samples, which the codec holds at a time
# Less red, and less green: whatever a cut code takes of them, the two give different pixels.
_QOI_CODES: Final = (b"\x4a", b"\x62")
_TGA_KINDS: Final = {1: (8,), 2: (16, 24, 32), 3: (8, 16), 9: (8,), 10: (16, 24, 32), 11: (8, 16)}
_TGA_NUMBERED: Final = (1, 9)
_HEADER: Final = struct.Struct(">4sH6xHIIHHI")
# By mode: the channels that Pillow reads right. It takes the table of row lengths for shorter than
# it is where there are more, and reads noise (Pillow 13.0).
_CHANNELS: Final = {1: (1,), 2: (1,), 3: (3, 4), 4: (4,), 8: (1,)}
_INDEXED: Final = 2
_PALETTE: Final = 768
# Numbers of resources, as the specification of Photoshop files lists them.
_IPTC, _PROFILE, _VERSION, _EXIF, _XMP = 1028, 1039, 1057, 1058, 1060
_THUMBNAILS: Final = {1033, 1036}
_NO_COPY: Final = b"\0\0\0\1\0"


def matches_tga(data: bytes) -> bool:
    """Return whether these bytes can be the start of a TGA, which has no signature."""
    if len(data) < 18:
        return False
    numbered, kind, first, count, bits, *sides, depth, flags = struct.unpack_from(
        "<xBBHHBxxxxHHBB", data
    )
    if numbered != (kind in _TGA_NUMBERED):
        return False
    palette = bits in (16, 24, 32) and 0 < first + count <= 256
    none = not (first or count or bits)
    return (
        depth in _TGA_KINDS.get(kind, ())
        and (palette if numbered else none)
        and all(sides)
        and not flags & 0xC0
    )


def decode_tga(source: Source) -> Picture:
    """Read a TGA."""
    from PIL.TgaImagePlugin import TgaImageFile

    image = opened_by_pillow(source, TgaImageFile, "a TGA")
    pixels = samples_of(source, image)
    text = bytes(image.info.get("id_section", b"")).rstrip(b"\0").decode("latin-1")
    metadata = Metadata(texts=(("Comment", text),) if text else ())
    if image.mode != "P":
        return still("TGA", pixels, metadata)
    return still("TGA", pixels, metadata, mode="palette", palette=palette_of(image, pixels))


def decode_qoi(source: Source) -> Picture:
    """Read a QOI.

    The decoder repeats the last pixel where the file ends too early. So it decodes twice, with
    different codes in front of the end: if they are seen, those of the file did not suffice.
    """
    qoi_decode = codec(source, "QOI", "a QOI")
    if len(source.data) < _QOI.size + len(_QOI_END) or not source.data.endswith(_QOI_END):
        raise source.cut_short()
    _, columns, rows, channels, space = _QOI.unpack_from(source.data)
    if channels not in (3, 4) or space > 1:
        raise source.damaged("its header names an unknown mode")
    source.shape(rows, columns, channels, width=_QOI_COPIES)

    def decoded(more: bytes) -> AnyArray:
        data = source.data[: -len(_QOI_END)] + more + _QOI_END
        pixels = source.call(qoi_decode, data)
        return require_samples(source, pixels, (rows, columns), channels=(channels,), dtype="uint8")

    first, other = (8 * code for code in _QOI_CODES)
    end = decoded(first)[
        -1, -1
    ].copy()  # and no more, so that two pictures are never held at a time
    pixels = decoded(other)
    if not np.array_equal(end, pixels[-1, -1]):
        raise source.cut_short()
    return still("QOI", pixels, Metadata(), ("color space",) if space else ())


def decode_psd(source: Source) -> Picture:
    """Read the flattened copy in a Photoshop file.

    The fourth channel after RGB is taken for alpha. The layers and all resources but profile,
    EXIF and XMP are left out.
    """
    from PIL.PsdImagePlugin import PsdImageFile

    if len(source.data) < _HEADER.size:
        raise source.cut_short()
    _, version, channels, *_, bits, kind, colors = _HEADER.unpack_from(source.data)
    if version != 1 or kind not in _CHANNELS or bits != 8:
        raise source.unsupported("a Photoshop picture that is not gray, RGB or CMYK of 8 bits")
    if channels < min(_CHANNELS[kind]):
        raise source.damaged("it has fewer channels than its mode")
    if channels not in _CHANNELS[kind]:
        raise source.unsupported("a Photoshop picture with extra channels")
    if kind == _INDEXED and colors != _PALETTE:
        raise source.damaged("its palette has another size than its samples need")
    image = opened_by_pillow(source, PsdImageFile, "a Photoshop picture")
    resources = {resource: data for resource, _, data in reversed(image.resources)}
    if resources.get(_VERSION, b"").startswith(_NO_COPY):
        raise source.unsupported("a Photoshop picture without a flattened copy of its layers")
    has_layers = _has_layers(source.data, colors)
    pixels = samples_of(source, image)
    exif, icc, xmp = (resources.get(resource) or None for resource in (_EXIF, _PROFILE, _XMP))
    dropped = ["layers"] * has_layers
    dropped += ["previews"] * bool(resources.keys() & _THUMBNAILS) + ["IPTC"] * (_IPTC in resources)
    metadata = Metadata(exif=exif, icc=icc, xmp=xmp)
    mode: Mode | None = {"CMYK": "cmyk", "P": "palette"}.get(image.mode)  # type: ignore[assignment]
    palette = palette_of(image, pixels) if mode == "palette" else None
    return still("PSD", pixels, metadata, dropped, mode=mode, palette=palette)


def _has_layers(data: bytes, colors: int) -> bool:
    """Return whether the section behind colors and resources holds layers; Pillow has read it."""
    start = _HEADER.size + colors
    start += 4 + int.from_bytes(data[start : start + 4], "big")
    return any(data[start : start + 4]) and any(data[start + 4 : start + 8])
