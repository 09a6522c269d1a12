"""TGA and QOI: formats of one plain picture, which Pillow and imagecodecs decode."""

from __future__ import annotations

import io
import struct
from typing import TYPE_CHECKING, Final

import numpy as np

from sudokucrypt.images.driver import Driver
from sudokucrypt.images.foreign.results import require_samples, still
from sudokucrypt.images.metadata import Metadata
from sudokucrypt.images.picture import Frame, Palette, Picture

if TYPE_CHECKING:
    from PIL.TgaImagePlugin import TgaImageFile

    from sudokucrypt.images.picture import Mode
    from sudokucrypt.images.source import Source
    from sudokucrypt.typing import AnyArray

_MODES: Final[dict[str, Mode]] = {
    "L": "gray",
    "LA": "gray-alpha",
    "P": "palette",
    "RGB": "rgb",
    "RGBA": "rgba",
}
_QOI: Final = struct.Struct(">4sIIBB")
_QOI_END: Final = b"\0" * 7 + b"\1"
# Less red, and less green: whatever a cut code takes of them, one of the two is seen.
_QOI_CODES: Final = (b"\x4a", b"\x62")
_TGA_KINDS: Final = {1: (8,), 2: (16, 24, 32), 3: (8, 16), 9: (8,), 10: (16, 24, 32), 11: (8, 16)}
_TGA_NUMBERED: Final = (1, 9)


def _matches_tga(data: bytes) -> bool:
    """Tell whether these bytes can be the start of a TGA, which has no signature."""
    if len(data) < 18:
        return False
    numbered, kind, first, count, bits, *sides, depth, flags = struct.unpack_from(
        "<xBBHHBxxxxHHBB", data
    )
    return (
        depth in _TGA_KINDS.get(kind, ())
        and (numbered == 1 if kind in _TGA_NUMBERED else numbered == 0)
        and (bits in (16, 24, 32) and 0 < first + count <= 256
             if numbered else not (first or count or bits))
        and all(sides)
        and not flags & 0xC0
    )  # fmt: skip


def _decode_tga(source: Source) -> Picture:
    """Read a TGA, which Pillow decodes; see `read_picture` for what is raised."""
    from PIL.TgaImagePlugin import TgaImageFile

    def opened(data: bytes) -> TgaImageFile:
        return TgaImageFile(io.BytesIO(data))

    def loaded(_data: bytes) -> AnyArray:
        return np.array(image)

    # Pillow opens lazily: the size is known before a sample is decoded.
    image = source.call(opened, source.data)
    columns, rows = image.size
    source.shape(rows, columns, len(image.getbands()))
    pixels = source.call(loaded, b"")
    text = bytes(image.info.get("id_section", b"")).rstrip(b"\0").decode("latin-1")
    frame = Frame(
        pixels=pixels,
        mode=_MODES[image.mode],
        palette=_palette(image, int(pixels.max())) if image.mode == "P" else None,
        metadata=Metadata(texts=(("Comment", text),) if text else ()),
    )
    return Picture(frames=(frame,), format="TGA")


def _palette(image: TgaImageFile, largest: int) -> Palette:
    """Return the colors, black where the file has fewer than its samples number."""
    colors = bytes(image.getpalette("RGB") or b"").ljust(3 * (largest + 1), b"\0")
    alphas = bytes(image.getpalette("RGBA") or b"")[3::4]
    return Palette(colors=colors, alphas=alphas if alphas.strip(b"\xff") else b"")


def _decode_qoi(source: Source) -> Picture:
    """Read a QOI; see `read_picture` for what is raised.

    Notes
    -----
    The decoder repeats the last pixel where the file ends too early. So it decodes again with
    other codes in front of the end: if they are seen, those of the file did not suffice.
    """
    from imagecodecs import QOI, qoi_decode

    if not QOI.available:
        raise source.unsupported("a QOI, for which this installation has no codec,")
    if len(source.data) < _QOI.size + len(_QOI_END) or not source.data.endswith(_QOI_END):
        raise source.cut_short()
    _, columns, rows, channels, space = _QOI.unpack_from(source.data)
    if channels not in (3, 4) or space > 1:
        raise source.damaged("its header names an unknown mode")
    source.shape(rows, columns, channels)
    size = (rows, columns)
    pixels = require_samples(
        source, source.call(qoi_decode, source.data), size, channels=(channels,), dtype="uint8"
    )
    for code in _QOI_CODES:
        again = source.call(qoi_decode, source.data[: -len(_QOI_END)] + 8 * code + _QOI_END)
        if not np.array_equal(again[-1, -1], pixels[-1, -1]):
            raise source.cut_short()
    return still("QOI", pixels, Metadata(), ("color space",) if space else ())


DRIVERS: Final = (
    Driver(
        name="QOI",
        suffixes=(".qoi",),
        matches=lambda data: data.startswith(b"qoif"),
        decode=_decode_qoi,
    ),
    Driver(
        name="TGA",
        suffixes=(".tga", ".icb", ".vda", ".vst"),
        matches=_matches_tga,
        decode=_decode_tga,
    ),
)
