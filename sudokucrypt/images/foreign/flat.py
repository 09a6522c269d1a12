"""TGA and QOI: formats of one plain picture, which Pillow and imagecodecs decode."""

import io
import struct
from typing import Any, Final

import numpy as np

from sudokucrypt.images.foreign.results import codec, require_samples, still
from sudokucrypt.images.picture import Metadata, Palette, Picture
from sudokucrypt.images.source import Source

_QOI: Final = struct.Struct(">4sIIBB")
_QOI_END: Final = b"\0" * 7 + b"\1"
# Less red, and less green: whatever a cut code takes of them, one of the two is seen.
_QOI_CODES: Final = (b"\x4a", b"\x62")
_TGA_KINDS: Final = {1: (8,), 2: (16, 24, 32), 3: (8, 16), 9: (8,), 10: (16, 24, 32), 11: (8, 16)}
_TGA_NUMBERED: Final = (1, 9)


def matches_tga(data: bytes) -> bool:
    """Tell whether these bytes can be the start of a TGA, which has no signature."""
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
    """Read a TGA, which Pillow decodes."""
    from PIL.TgaImagePlugin import TgaImageFile

    # Pillow opens lazily: the size is known before a sample is decoded.
    image = source.call(lambda data: TgaImageFile(io.BytesIO(data)), source.data)
    columns, rows = image.size
    source.shape(rows, columns, len(image.getbands()))
    pixels = source.call(lambda _: np.array(image), b"")
    text = bytes(image.info.get("id_section", b"")).rstrip(b"\0").decode("latin-1")
    metadata = Metadata(texts=(("Comment", text),) if text else ())
    if image.mode != "P":
        return still("TGA", pixels, metadata)
    palette = _palette(image, int(pixels.max()))
    return still("TGA", pixels, metadata, mode="palette", palette=palette)


def _palette(image: Any, largest: int) -> Palette:
    """Return the colors, black where the file has fewer than its samples number."""
    colors = bytes(image.getpalette("RGB") or b"").ljust(3 * (largest + 1), b"\0")
    alphas = bytes(image.getpalette("RGBA") or b"")[3::4]
    return Palette(colors=colors, alphas=alphas if alphas.strip(b"\xff") else b"")


def decode_qoi(source: Source) -> Picture:
    """Read a QOI.

    The decoder repeats the last pixel where the file ends too early. So it decodes again with
    other codes in front of the end: if they are seen, those of the file did not suffice.
    """
    qoi_decode = codec(source, "QOI", "a QOI")
    if len(source.data) < _QOI.size + len(_QOI_END) or not source.data.endswith(_QOI_END):
        raise source.cut_short()
    _, columns, rows, channels, space = _QOI.unpack_from(source.data)
    if channels not in (3, 4) or space > 1:
        raise source.damaged("its header names an unknown mode")
    source.shape(rows, columns, channels)
    pixels = source.call(qoi_decode, source.data)
    require_samples(source, pixels, (rows, columns), channels=(channels,), dtype="uint8")
    for code in _QOI_CODES:
        again = source.call(qoi_decode, source.data[: -len(_QOI_END)] + 8 * code + _QOI_END)
        if not np.array_equal(again[-1, -1], pixels[-1, -1]):
            raise source.cut_short()
    return still("QOI", pixels, Metadata(), ("color space",) if space else ())
