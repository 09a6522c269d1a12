"""WebP files: stills and animations of either coding survive encoding and describing."""

import io
import struct
from typing import Final

from PIL import Image

from tests.fuzz.pictures import check_files
from tests.images.builders import HEADER, encoded, noise, riff, saved

TARGET: Final = "webp"

_RGB, _RGBA = noise(4, 3, 3), noise(3, 4, 4)
_EXACT = saved(_RGB, "WEBP", lossless=True)
_VP8L = _EXACT[20:]
_CANVAS = bytes(4) + b"\2\0\0" + b"\3\0\0"


def _animation() -> bytes:
    buffer = io.BytesIO()
    first, second = (Image.fromarray(pixels) for pixels in (_RGBA, _RGBA[::-1].copy()))
    first.save(buffer, "WEBP", save_all=True, append_images=[second], lossless=True, duration=40)
    return buffer.getvalue()


SEEDS: Final = [
    _EXACT, saved(_RGBA, "WEBP", lossless=True, exact=True), saved(_RGB, "WEBP", quality=10),
    saved(_RGBA, "WEBP", quality=10), encoded(_RGBA, "WebP", header=HEADER), _animation(),
    riff((b"VP8X", _CANVAS), (b"VP8L", _VP8L)),
    riff((b"VP8X", b"\x08" + _CANVAS[1:]), (b"VP8L", _VP8L), (b"EXIF", b"Exif\0\0II*\0")),
    riff((b"VP8X", b"\x20" + _CANVAS[1:]), (b"ICCP", b"odd"), (b"VP8L", _VP8L)),
    riff((b"VP8X", b"\x04" + _CANVAS[1:]), (b"VP8L", _VP8L), (b"XMP ", b"<x/>")),
    riff((b"VP8L", _VP8L), (b"more", b"unknown")), riff((b"VP8L", _VP8L)) + b"behind",
]  # fmt: skip


def check(data: bytes) -> None:
    """Decode, encode and describe a WebP, as it is and with the length of its file put right."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        check_files({data, data[:4] + struct.pack("<I", len(data) - 8) + data[8:]})
