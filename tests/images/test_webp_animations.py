"""Animated WebP: frames with their rectangles and timing; Pillow composes them to the same."""

import io
import struct
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from sudokucrypt import images
from sudokucrypt.errors import UnsupportedError
from sudokucrypt.images.webp.frames import chunk
from sudokucrypt.images.webp.frames import riff as webp_riff
from tests.images.builders import HEADER, meaning, noise, riff, saved, seen_in_pillow


def _drawn(mode: str = "RGBA", **options: Any) -> bytes:
    """An animation that Pillow writes: a colored rectangle on its way over noise."""
    frames = []
    for number in range(4):
        pixels = noise(30, 50, 4).copy()
        pixels[5 * number : 5 * number + 8, 7 * number : 7 * number + 9] = (90, 60 * number, 9, 200)
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
    said = picture.frames[0].metadata
    if header is not None:
        said = replace(said, xmp=None)
    assert _without_xmp(again) == _without_xmp(data)
    back = images.decode_picture(again)
    assert (back.animation, back.header, back.dropped) == (picture.animation, header, ())
    first, *others = picture.frames
    kept = replace(picture, frames=(replace(first, metadata=said), *others))
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


@settings(max_examples=20)
@given(
    sizes=st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=3),
    channels=st.lists(st.sampled_from((3, 4)), min_size=3, max_size=3),
    opaque=st.booleans(),
    milliseconds=st.integers(0, 2**24 - 1),
    flags=st.tuples(st.integers(0, 1), st.integers(0, 1)),
    loops=st.integers(0, 65535),
    background=st.none() | st.binary(min_size=4, max_size=4).filter(any),
)
def test_law(
    sizes: list[tuple[int, int]],
    channels: list[int],
    opaque: bool,
    milliseconds: int,
    flags: tuple[int, int],
    loops: int,
    background: bytes | None,
) -> None:
    """decode(encode(p)) == p, and so it is for the bare frames."""
    frames = []
    for number, size in enumerate(sizes):
        pixels = noise(*size, channels[number])
        if opaque:
            pixels[..., 3:] = 255
        showing = images.FrameControl(
            duration=Fraction(milliseconds, 1000), disposal=flags[0], blend=flags[1]
        )
        mode: Any = {3: "rgb", 4: "rgba"}[channels[number]]
        frame = images.Frame(pixels=pixels, mode=mode, row=2 * number, column=4, showing=showing)
        frames.append(frame)
    said = images.Metadata(exif=b"exif", icc=b"icc")
    frames[0] = replace(frames[0], metadata=said)
    animation = images.Animation(rows=9, columns=16777216, loops=loops, background=background)
    picture = images.Picture(
        frames=tuple(frames), format="WebP", animation=animation, header=HEADER
    )
    for form in (picture, picture.samples_only()):
        assert images.unsupported_reason(form, "WebP") is None
        back = images.decode_picture(images.encode_picture(form, "WebP"))
        assert meaning(back) == meaning(form)
        assert (back.animation, back.header, back.dropped) == (form.animation, HEADER, ())


_SHOWING = images.FrameControl(duration=Fraction(1, 10))
_FRAME = images.Frame(pixels=noise(3, 4, 3), mode="rgb", showing=_SHOWING)
_SCREEN = images.Animation(rows=8, columns=8, loops=0)


@pytest.mark.parametrize(
    ("frame", "animation", "reason"),
    [
        (replace(_FRAME, row=1), _SCREEN, "odd"),
        (replace(_FRAME, column=1), _SCREEN, "odd"),
        (replace(_FRAME, row=6), _SCREEN, "canvas"),
        (replace(_FRAME, column=6), _SCREEN, "canvas"),
        (replace(_FRAME, showing=None), _SCREEN, "timing"),
        (replace(_FRAME, showing=images.FrameControl(duration=Fraction(1, 3))), _SCREEN, "1/3"),
        (replace(_FRAME, showing=images.FrameControl(duration=Fraction(16778))), _SCREEN, "16778"),
        (replace(_FRAME, showing=replace(_SHOWING, disposal=2)), _SCREEN, "disposal"),
        (replace(_FRAME, showing=replace(_SHOWING, blend=2)), _SCREEN, "disposal"),
        (replace(_FRAME, pixels=noise(3, 4, 1), mode="gray"), _SCREEN, "gray"),
        (replace(_FRAME, transparent=(1, 2, 3)), _SCREEN, "rgb"),
        (_FRAME, replace(_SCREEN, rows=2**24 + 1), "16777216"),
        (_FRAME, replace(_SCREEN, rows=2**24, columns=256), "4294967296"),
        (_FRAME, replace(_SCREEN, loops=65536), "65536"),
        (_FRAME, replace(_SCREEN, loops=None), "number of loops"),
        (_FRAME, replace(_SCREEN, background=bytes(4)), "background"),
        (_FRAME, replace(_SCREEN, background=b"abc"), "background"),
        (_FRAME, replace(_SCREEN, palette=images.Palette(colors=b"abc")), "palette"),
        (_FRAME, None, "pages"),
    ],
)  # fmt: skip
def test_refuses_what_it_cannot_hold(
    frame: images.Frame, animation: images.Animation | None, reason: str
) -> None:
    """Each thing that an animated WebP lacks is named."""
    picture = images.Picture(frames=(frame, frame), format="WebP", animation=animation)
    assert reason in (images.unsupported_reason(picture, "WebP") or "")


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
