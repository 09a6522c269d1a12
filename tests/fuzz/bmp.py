"""BMP files: what is read of any of their kinds survives encoding and describing."""

import struct
from typing import Final

from tests.fuzz.pictures import check_files
from tests.images.builders import bmp, noise, saved

TARGET: Final = "bmp"

_COLORS = b"".join(bytes([n, 255 - n, 7 * n % 256, 0]) for n in range(16))
_MASKS = struct.pack("<III", 0xF800, 0x07E0, 0x001F)
_WIDE = struct.pack("<IIII", 0xFF0000, 0xFF00, 0xFF, 0xFF000000)
_LINES = noise(3, 8, 1).tobytes()

SEEDS: Final = [
    *(saved(noise(3, 5, channels), "BMP") for channels in (1, 3)),
    bmp(1, _LINES, columns=5, rows=3, extra=b"\0\0\0\0\xff\xff\xff\0"),
    bmp(1, _LINES, columns=32, rows=-3, extra=_COLORS[:8]),
    bmp(2, _LINES, columns=9, rows=3, extra=_COLORS[:16]),
    bmp(4, _LINES, columns=9, rows=3, extra=_COLORS),
    bmp(16, _LINES, columns=4, rows=3),
    bmp(16, _LINES, columns=4, rows=3, compression=3, extra=_MASKS),
    bmp(24, _LINES, columns=2, rows=3),
    bmp(32, _LINES, columns=2, rows=3),
    bmp(32, _LINES, columns=2, rows=3, compression=3, extra=_WIDE, header_size=56),
    bmp(32, _LINES, columns=2, rows=3, compression=3, extra=_WIDE.ljust(68, b"\0"),
        header_size=108),
    bmp(8, b"\4\1\0\0\2\2\0\3\5\6\7\0\0\1", columns=5, rows=2, compression=1, extra=_COLORS),
    bmp(4, b"\4\x12\0\0\0\2\1\1\2\x34\0\1", columns=5, rows=3, compression=2, extra=_COLORS),
    b"BM" + struct.pack("<IHHIIHHHH", 32, 0, 0, 26, 12, 2, 1, 1, 24) + bytes(8),
]  # fmt: skip


def check(data: bytes) -> None:
    """Decode, encode and describe a BMP."""
    if data.startswith(b"BM"):
        check_files([data])
