"""GIF files: frames, palettes, timing and texts survive encoding and describing."""

from typing import Final

from tests.fuzz.pictures import check_files
from tests.images.builders import (
    HEADER,
    gif,
    gif_application,
    gif_blocks,
    gif_control,
    gif_image,
    noise,
    saved,
)

TARGET: Final = "gif"

_TWO = b"\0\0\0\xff\x80\0"
_PICTURE = noise(8, 8, 1) % 2
_SMALL = noise(3, 5, 1) % 2
_LOOP = gif_application(b"NETSCAPE2.0", b"\1\3\0")

SEEDS: Final = [
    gif(gif_image(_PICTURE, bits=2), palette=_TWO),
    gif(gif_image(_PICTURE, bits=2, palette=_TWO, interlaced=True), aspect=49),
    gif(gif_image(_PICTURE, bits=2)),
    gif(gif_control(7, flags=5, transparent=1), gif_image(_PICTURE, bits=2), palette=_TWO * 4),
    gif(
        _LOOP,
        gif_control(10, flags=8),
        gif_image(_PICTURE, bits=2),
        gif_control(flags=4),
        gif_image(_SMALL, bits=2, column=3, row=5, palette=_TWO),
        palette=_TWO,
        background=1,
    ),
    gif(gif_image(_SMALL, bits=2, column=9, row=1), palette=_TWO),
    gif(gif_application(b"SUDOKUCRYPT", HEADER), gif_image(_PICTURE, bits=2), palette=_TWO),
    gif(b"!\xfe" + gif_blocks(b"a comment"), gif_image(_PICTURE, bits=2), palette=_TWO),
    gif(b"!\x01" + gif_blocks(bytes(12)), gif_image(_PICTURE, bits=2), palette=_TWO),
    gif(gif_application(b"XMP DataXMP", b"<x/>"), gif_image(_PICTURE, bits=2), palette=_TWO),
    gif(gif_application(b"ICCRGBG1012", b"profile"), gif_image(_SMALL, bits=2), palette=_TWO),
    gif(gif_image(_PICTURE, bits=2), palette=_TWO, end=b""),
    gif(gif_image(_PICTURE, bits=2), palette=_TWO, end=b";behind"),
    gif(_LOOP, columns=1, rows=1),
    saved(_PICTURE * 255, "GIF"),
]


def check(data: bytes) -> None:
    """Decode, encode and describe a GIF."""
    if data.startswith(b"GIF8"):
        check_files([data])
