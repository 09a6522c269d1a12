"""TIFF files: pages, palettes, compressions and tags survive encoding and describing."""

import io
from typing import Final

import numpy as np
from PIL import Image

from sudokucrypt.images import Picture, encode_picture
from tests.fuzz.pictures import check_files
from tests.images.builders import HEADER, encoded, noise, saved, tiff

TARGET: Final = "tiff"

_RGB, _GRAY = noise(4, 5, 3), noise(3, 7, 1)
_BITS = _GRAY > 127


def _pages() -> bytes:
    buffer = io.BytesIO()
    first, *others = [Image.fromarray(pixels) for pixels in (_BITS, _GRAY)]
    first.save(buffer, "TIFF", save_all=True, append_images=others, dpi=(72, 90))
    return buffer.getvalue()


SEEDS: Final = [
    tiff(pixels=_RGB),
    tiff(pixels=_GRAY, big=True, order=">"),
    tiff(pixels=noise(3, 2, 4, "uint16"), order=">", more=[(34675, 7, b"profile")]),
    tiff(pixels=_GRAY.astype("int64"), changes={339: (3, [2])}),
    tiff(pixels=_GRAY.astype("float32"), changes={339: (3, [3])}),
    tiff({262: (3, [3]), 320: (3, range(48)), 258: (3, [4]), 256: (4, [14])}, pixels=_GRAY),
    tiff({262: (3, [0]), 258: (3, [2]), 256: (4, [28])}, pixels=_GRAY),
    tiff({262: (3, [5]), 338: None}, pixels=noise(2, 3, 4)),
    tiff(pixels=_GRAY, more=[(282, 5, b"\x48\0\0\0\1\0\0\0"), (305, 2, b"by hand\0")]),
    encoded(_RGB, "TIFF", header=HEADER),
    encode_picture(Picture.plain(noise(4, 5, 2, "uint16")), "TIFF"),
    _pages(),
    *(saved(_GRAY, "TIFF", compression=name) for name in ("tiff_lzw", "packbits")),
    saved(np.repeat(_GRAY, 9, axis=0), "TIFF", compression="tiff_adobe_deflate"),
    *(saved(_BITS, "TIFF", compression=name) for name in ("group3", "group4")),
]  # fmt: skip


def check(data: bytes) -> None:
    """Decode, encode and describe a TIFF."""
    if data.startswith((b"II", b"MM")):
        check_files([data])
