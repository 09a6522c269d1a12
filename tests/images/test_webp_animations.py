"""Animated WebP: frames with their rectangles and timing; Pillow composes them to the same."""

import io
import struct
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from PIL import Image

from sudokucrypt import images
from sudokucrypt.errors import UnsupportedError
from sudokucrypt.images.webp.frames import chunk
from sudokucrypt.images.webp.frames import riff as webp_riff
from tests.images.builders import HEADER, meaning, noise, riff, saved, seen_in_pillow


def _drawn(mode: str = "RGBA", **options: Any) -> bytes:
    """An animation that Pillow writes: a colored rectangle on its way over noise."""
    frames = []
    for index in range(4):
        pixels = noise(30, 50, 4).copy()
        pixels[5 * index : 5 * index + 8, 7 * index : 7 * index + 9] = (90, 60 * index, 9, 200)
        frames.append(Image.fromarray(pixels).convert(mode))
    buffer = io.BytesIO()
    frames[0].save(buffer, "WEBP", save_all=True, append_images=frames[1:], **options)
    return buffer.getvalue()


_FILES = {
    "lossless": _drawn(lossless=True, duration=[10, 20, 30, 16777215], loop=3),
    "lossy": _drawn(duration=40, background=(1, 2, 3, 4)),
    "lossy RGB": _drawn("RGB", duration=40, kmin=3, kmax=5),
    "mixed": _drawn(allow_mixed=True, minimize_size=True, loop=65535),
    "metadata": _drawn(lossless=True, icc_profile=b"odd", exif=b"MM\0*", xmp=b"<x/>"),
}


@pytest.mark.parametrize("header", [None, HEADER])
@pytest.mark.parametrize("name", _FILES)
def test_pillow_sees_the_same(name: str, header: bytes | None) -> None:
    """A file that was read and written has the same frames, timing, loops and metadata."""
    data = _FILES[name]
    picture = images.decode_picture(data)
    assert images.unsupported_reason(picture, "WebP") is None
    again = images.encode_picture(replace(picture, header=header), "WebP")
    metadata = picture.frames[0].metadata
    if header is not None:
        metadata = replace(metadata, xmp=None)
    assert _without_xmp(again) == _without_xmp(data)
    back = images.decode_picture(again)
    assert (back.animation, back.header, back.dropped) == (picture.animation, header, ())
    first, *others = picture.frames
    kept = replace(picture, frames=(replace(first, metadata=metadata), *others))
    assert meaning(back) == meaning(kept)


def _without_xmp(data: bytes) -> list[tuple[Any, ...]]:
    """All that Pillow tells, but for the packet, whose place our header takes."""
    return [
        (*most, {name: info[name] for name in info.keys() - {"xmp"}})
        for *most, info in seen_in_pillow(data)
    ]


def test_frames_keep_their_rectangles() -> None:
    """What libwebp cut out stays cut out."""
    frames = images.decode_picture(_FILES["lossless"]).frames
    assert len(frames) == 4
    assert frames[1].pixels.size < frames[0].pixels.size
    assert (frames[2].row, frames[2].column) != (0, 0)
    assert [frame.showing.duration for frame in frames if frame.showing] == [
        Fraction(milliseconds, 1000) for milliseconds in (10, 20, 30, 16777215)
    ]


_VP8L = saved(noise(5, 3, 3), "WEBP", lossless=True)[12:]
_CANVAS = (b"VP8X", b"\2\0\0\0" + b"\2\0\0" + b"\4\0\0")
_ANIM = (b"ANIM", bytes(6))


def _frame(
    coded: bytes = _VP8L, *, column: int = 0, row: int = 0, columns: int = 3, rows: int = 5
) -> tuple[bytes, bytes]:
    numbers = b"".join(n.to_bytes(3, "little") for n in (column, row, columns - 1, rows - 1, 70))
    return b"ANMF", numbers + b"\1" + coded


def test_other_chunks_in_frames_are_named() -> None:
    """A frame may hold data of others."""
    data = riff(_CANVAS, _ANIM, _frame(_VP8L + b"abcd" + struct.pack("<I", 0)))
    picture = images.decode_picture(data)
    assert picture.dropped == ("other data",)
    assert np.array_equal(picture.pixels, noise(5, 3, 3))
    assert picture.frames[0].showing == images.FrameControl(duration=Fraction(7, 100), disposal=1)


def test_files_of_over_four_gigabytes() -> None:
    """Sizes have 32 bits; the bytes here are one that is repeated in the mind."""
    huge = np.broadcast_to(np.zeros(1, np.uint8), (2**32,)).data
    with pytest.raises(UnsupportedError, match="4294967295"):
        chunk(b"VP8L", huge)
    with pytest.raises(UnsupportedError, match="4294967295"):
        webp_riff([huge[4:]])
