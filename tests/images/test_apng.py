"""Animated PNG: frames, places, delays and loops come back, and Pillow sees the same animation."""

import io
import struct
import zlib
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from PIL import Image

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.images import (
    Animation,
    FrameControl,
    Picture,
    decode_picture,
    encode_picture,
)
from tests.images import builders as b

CANVAS, SECOND, THIRD = b.noise(3, 4, 1), b.noise(2, 3, 1), b.noise(1, 1, 1)
SHOWN = (
    b.png_control(0, 4, 3, delay=(1, 0), disposal=2),
    b.png_frame(CANVAS),
    b.png_control(1, 3, 2, column=1, row=1, delay=(3, 7), disposal=1, blend=1),
    b.png_frame(SECOND, 2),
    b.png_control(3, 1, 1, column=3, delay=(0, 9)),
    b.png_frame(THIRD, 4),
)
HIDDEN = (b.png_frame(CANVAS), b.png_control(0, 1, 1), b.png_frame(THIRD, 1))
FILES = {
    "shown": b.apng(*SHOWN, frames=3, loops=5),
    "hidden": b.apng(*HIDDEN, frames=1),
    "one frame": b.apng(*SHOWN[:2], frames=1, loops=1),
}


def same(first: Picture, second: Picture) -> bool:
    return first.animation == second.animation and all(
        vars(one) | {"pixels": 0} == vars(other) | {"pixels": 0}
        and np.array_equal(one.pixels, other.pixels)
        for one, other in zip(first.frames, second.frames, strict=True)
    )


def test_what_is_read() -> None:
    """Each frame has its samples, place, delay, disposal and blend; 0 stands for hundredths."""
    picture = decode_picture(FILES["shown"])
    assert picture.animation == Animation(rows=3, columns=4, loops=5)
    assert [frame.showing for frame in picture.frames] == [
        FrameControl(duration=Fraction(1, 100), disposal=2),
        FrameControl(duration=Fraction(3, 7), disposal=1, blend=1),
        FrameControl(duration=Fraction(0)),
    ]
    assert [(frame.row, frame.column) for frame in picture.frames] == [(0, 0), (1, 1), (0, 3)]
    for frame, pixels in zip(picture.frames, (CANVAS, SECOND, THIRD), strict=True):
        assert np.array_equal(frame.pixels, pixels)
    hidden = decode_picture(FILES["hidden"])
    assert [frame.showing is None for frame in hidden.frames] == [True, False]


@pytest.mark.parametrize("header", [None, b.HEADER])
@pytest.mark.parametrize("compress", [0, 6])
@pytest.mark.parametrize("name", FILES)
def test_round_trip(name: str, compress: int, header: bytes | None) -> None:
    """What is written again reads the same, here and in Pillow."""
    picture = replace(decode_picture(FILES[name]), header=header)
    data = encode_picture(picture, "PNG", compress=compress)
    assert same(decode_picture(data), picture)
    assert decode_picture(data).header == header
    if header is None:
        assert b.seen_in_pillow(data) == b.seen_in_pillow(FILES[name])


def test_pillows_animations() -> None:
    """An animation that Pillow wrote, of palette frames and others, is read as Pillow reads it."""
    for mode, disposal in (("L", 0), ("RGB", 1), ("RGBA", 2), ("P", 0)):
        bands = len(mode) if mode != "P" else 1
        images = [
            Image.frombytes(mode, (9, 7), (b.noise(7, 9, bands) + index).tobytes())
            for index in range(4)
        ]
        if mode == "P":
            for image in images:
                image.putpalette(b.noise(1, 768, 1).tobytes())
        buffer = io.BytesIO()
        images[0].save(
            buffer,
            "PNG",
            save_all=True,
            append_images=images[1:],
            loop=3,
            duration=[10, 20, 30, 40],
            disposal=disposal,
            blend=0,
        )
        picture = decode_picture(buffer.getvalue())
        assert len(picture.frames) == 4
        assert np.array_equal(picture.pixels, np.asarray(images[0]))
        again = encode_picture(picture, "PNG")
        assert b.seen_in_pillow(again) == b.seen_in_pillow(buffer.getvalue())


def test_streams_in_pieces() -> None:
    """A frame may lie in many fdAT chunks, some of them empty."""
    stream = zlib.compress(b.png_lines(SECOND))
    pieces = [b"", *(stream[i : i + 1] for i in range(len(stream))), b""]
    chunks = [
        b.png_chunk(b"fdAT", struct.pack(">I", 2 + i) + piece) for i, piece in enumerate(pieces)
    ]
    picture = decode_picture(b.apng(*SHOWN[:3], *chunks, frames=2))
    assert np.array_equal(picture.frames[1].pixels, SECOND)


def test_interlaced_frames() -> None:
    """Every frame of an interlaced file is interlaced."""
    chunks = [
        b.png_chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 3, 8, 0, 0, 0, 1)),
        b.png_chunk(b"acTL", struct.pack(">II", 2, 0)),
        SHOWN[0],
        b.png_chunk(b"IDAT", zlib.compress(b.png_stream(CANVAS, 0, 8, interlace=1))),
        SHOWN[2],
        b.png_chunk(b"fdAT", b"\0\0\0\2" + zlib.compress(b.png_stream(SECOND, 0, 8, interlace=1))),
        b.png_chunk(b"IEND"),
    ]
    first, second = decode_picture(FILES["shown"][:8] + b"".join(chunks)).frames
    assert np.array_equal(first.pixels, CANVAS)
    assert np.array_equal(second.pixels, SECOND)


def test_chunks_without_a_plan() -> None:
    """Without acTL before the samples the file is a still; the rest is named."""
    chunks = (b.png_chunk(b"acTL", bytes(8)), *HIDDEN[1:])
    picture = decode_picture(b.png_of(CANVAS, after=chunks))
    assert (picture.animation, picture.dropped) == (None, ("animation",))


def test_the_number_of_frames_is_limited() -> None:
    """A plan of more than 65536 frames is refused, whatever follows."""
    with pytest.raises(UnsupportedError, match="65536 frames"):
        decode_picture(b.apng(*SHOWN, frames=65537))
