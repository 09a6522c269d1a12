"""GIF files: frames, palettes, timing and texts survive encoding and describing."""

from typing import Final

from tests.fuzz.pictures import check_files
from tests.images import builders as b

TARGET: Final = "gif"

_TWO = b"\0\0\0\xff\x80\0"
_PICTURE = b.noise(8, 8, 1) % 2
_SMALL = b.noise(3, 5, 1) % 2
_LOOP = b.gif_application(b"NETSCAPE2.0", b"\1\3\0")

SEEDS: Final = [
    b.gif(b.gif_image(_PICTURE, bits=2), palette=_TWO),
    b.gif(b.gif_image(_PICTURE, bits=2, palette=_TWO, interlaced=True), aspect=49),
    b.gif(b.gif_image(_PICTURE, bits=2)),
    b.gif(
        b.gif_control(7, flags=5, transparent=1), b.gif_image(_PICTURE, bits=2), palette=_TWO * 4
    ),
    b.gif(
        _LOOP, b.gif_control(10, flags=8), b.gif_image(_PICTURE, bits=2), b.gif_control(flags=4),
        b.gif_image(_SMALL, bits=2, column=3, row=5, palette=_TWO), palette=_TWO, background=1,
    ),
    b.gif(b.gif_image(_SMALL, bits=2, column=9, row=1), palette=_TWO),
    b.gif(b.gif_application(b"SUDOKUCRYPT", b.HEADER), b.gif_image(_PICTURE, bits=2), palette=_TWO),
    b.gif(b"!\xfe" + b.gif_blocks(b"a comment"), b.gif_image(_PICTURE, bits=2), palette=_TWO),
    b.gif(b"!\x01" + b.gif_blocks(bytes(12)), b.gif_image(_PICTURE, bits=2), palette=_TWO),
    b.gif(b.gif_application(b"XMP DataXMP", b"<x/>"), b.gif_image(_PICTURE, bits=2), palette=_TWO),
    b.gif(b.gif_application(b"ICCRGBG1012", b"profile"), b.gif_image(_SMALL, bits=2), palette=_TWO),
    b.gif(b.gif_image(_PICTURE, bits=2), palette=_TWO, end=b""),
    b.gif(b.gif_image(_PICTURE, bits=2), palette=_TWO, end=b";behind"),
    b.gif(_LOOP, columns=1, rows=1),
    b.saved(_PICTURE * 255, "GIF"),
]  # fmt: skip


def check(data: bytes) -> None:
    """Decode, encode and describe a GIF."""
    if data.startswith(b"GIF8"):
        check_files([data])
