"""GIF: all frames as they are stored, timing, palettes and text; Pillow is the judge."""

import io
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from PIL import Image

from sudokucrypt.errors import InvalidImageError, UnsupportedError
from sudokucrypt.images import (
    Animation,
    Frame,
    FrameControl,
    Metadata,
    Palette,
    Picture,
    decode_picture,
    encode_picture,
    unsupported_metadata,
    unsupported_reason,
)
from tests.images import builders as b

_GRAYS = bytes(value for value in range(256) for _ in range(3))
_TWO = b"\0\0\0\xff\x80\0"
_PICTURE = np.arange(64, dtype=np.uint8).reshape(8, 8) % 2
_LOOP = b.gif_application(b"NETSCAPE2.0", b"\1\3\0")
_XMP = "<x:xmpmeta>ä " + "x" * 300 + "</x:xmpmeta>"
_PACKET = b"!\xff\x0bXMP DataXMP" + _XMP.encode() + b"\1" + bytes(range(255, -1, -1)) + b"\0"


def _drawn(**options: Any) -> bytes:
    """An animation that Pillow writes."""
    frames = []
    for index in range(4):
        pixels = np.zeros((30, 50, 3), np.uint8)
        pixels[5 * index : 5 * index + 8, 7 * index : 7 * index + 9] = (90, 60 * index, 200)
        frames.append(Image.fromarray(pixels).quantize(16))
    buffer = io.BytesIO()
    frames[0].save(buffer, "GIF", save_all=True, append_images=frames[1:], **options)
    return buffer.getvalue()


def _still(mode: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(b.noise(20, 30, 3)).convert(mode).save(buffer, "GIF", **options)
    return buffer.getvalue()


_FILES = {
    "drawn": _drawn(duration=[10, 20, 30, 40], loop=0),
    "disposal": _drawn(duration=70, loop=3, disposal=2, transparency=0),
    "restore": _drawn(duration=[0, 655350, 0, 10], disposal=[0, 1, 2, 3]),
    "comment": _drawn(comment=b"caf\xc3\xa9", optimize=True),
    "old comment": _drawn(comment=b"caf\xe9"),
    "gray still": _still("L"),
    "palette still": _still("P", transparency=5, background=7),
    "interlaced still": _still("P", interlace=True),
    "1-bit still": _still("1"),
    "no palette": b.gif(b.gif_image(_PICTURE)),
    "global palette": b.gif(
        b.gif_image(_PICTURE), b.gif_image(1 - _PICTURE), palette=_TWO, background=1
    ),
    "local palettes": b.gif(
        b.gif_control(5, flags=0b1001, transparent=1),
        b.gif_image(_PICTURE[:3, :5], row=2, column=1, palette=_GRAYS),
        b.gif_image(_PICTURE[1:4, :2], row=5, column=6, palette=_TWO[::-1]),
        b.gif_control(7, flags=0b11100), b.gif_image(_PICTURE), palette=_TWO, aspect=49,
    ),
    "beyond the canvas": b.gif(b.gif_image(_PICTURE, column=3), columns=9, rows=5, palette=_TWO),
    "extensions": b.gif(
        _LOOP, b.gif_application(b"ICCRGBG1012", b"p" * 255, b"q"), _PACKET,
        b.gif_application(b"ZGATEXTI5  ", b"abc", b"d"),
        b.gif_application(b"NETSCAPE2.0", b"\2\0\0\1\0"), b"!\xfe" + b.gif_blocks(b"x" * 300),
        b.gif_image(_PICTURE, palette=_TWO),
    ),
}  # fmt: skip


def _seen(data: bytes) -> list[tuple[Any, ...]]:
    """All that Pillow tells, but for version, and where in the file the last extension lies."""
    return [
        (*most, {name: info[name] for name in info.keys() - {"extension", "version"}})
        for *most, info in b.seen_in_pillow(data)
    ]


@pytest.mark.parametrize("name", _FILES)
def test_pillow_sees_the_same(name: str) -> None:
    """A file that was read and written has the same frames, timing, palettes, loop and text."""
    for header in (None, b.HEADER):
        data = _FILES[name]
        picture = decode_picture(data)
        assert unsupported_reason(picture, "GIF") is None
        again = encode_picture(replace(picture, header=header), "GIF")
        assert _seen(again) == _seen(data)
        back = decode_picture(again)
        assert b.meaning(back) == b.meaning(picture)
        assert (back.animation, back.header, back.dropped) == (picture.animation, header, ())


@pytest.mark.parametrize(
    ("size", "bits"),
    [
        *(((33, 41), bits) for bits in range(1, 9)),
        ((1, 1), 1),
        ((1, 300), 8),
        ((17, 1), 3),
        ((300, 200), 8),
    ],
)
def test_no_index_changes(size: tuple[int, int], bits: int) -> None:
    """Every index comes back as it was, whatever the palette, as Pillow confirms."""
    pixels = b.noise(*size, 1) >> (8 - bits)
    palette = Palette(colors=b.noise(1, 3 << bits, 1).tobytes())
    frame = Frame(pixels=pixels, mode="palette", palette=palette)
    data = encode_picture(Picture(frames=(frame,), format="GIF"), "GIF")
    assert np.array_equal(decode_picture(data).pixels, pixels)
    with Image.open(io.BytesIO(data)) as image:
        assert np.array_equal(np.asarray(image), pixels)
        assert bytes(image.getpalette("RGB") or ()) == palette.colors


def test_plain_codes_of_every_length() -> None:
    """Codes that another encoder wrote give the samples that it was given, interlaced or not."""
    for bits in range(2, 9):
        for size in ((1, 1), (2, 3), (9, 70), (40, 33)):
            pixels = b.noise(*size, 1) >> (8 - bits)
            for interlaced in (False, True):
                data = b.gif(b.gif_image(pixels, bits=bits, interlaced=interlaced), palette=_GRAYS)
                assert np.array_equal(decode_picture(data).pixels, pixels)


@pytest.mark.parametrize("count", [1, 3])
def test_bare_frames(count: int) -> None:
    """Gray noise of any value is written with a palette of grays and keeps its samples."""
    frames = tuple(
        Frame(
            pixels=b.noise(n + 20, 30, 1),
            mode="gray",
            row=n,
            showing=FrameControl(duration=Fraction(n, 100)),
        )
        for n in range(count)
    )
    animation = Animation(rows=25, columns=30, loops=2)
    picture = Picture(frames=frames, format="GIF", animation=animation, header=b.HEADER)
    back = decode_picture(encode_picture(picture, "GIF"))
    assert back.header == b.HEADER
    assert back.animation == replace(animation, palette=Palette(colors=_GRAYS))
    expected = [{**frame, "mode": "palette"} for frame in b.meaning(picture)]
    assert b.meaning(back) == expected
    assert back.samples_only().animation == animation


def test_stills_without_canvas_get_one() -> None:
    """A gray still of another format is a GIF of one frame."""
    back = decode_picture(encode_picture(Picture.plain(b.noise(5, 3, 1)), "GIF"))
    assert back.animation == Animation(rows=5, columns=3, palette=Palette(colors=_GRAYS))
    assert np.array_equal(back.pixels, b.noise(5, 3, 1))


def test_what_is_read() -> None:
    """Extensions become timing, transparency, loops, profile, XMP and text of their frame."""
    picture = decode_picture(_FILES["extensions"])
    assert picture.animation == Animation(rows=8, columns=8, loops=3)
    assert picture.frames[0].metadata == Metadata(
        icc=b"p" * 255 + b"q",
        xmp=_XMP.encode(),
        texts=(("Comment", "x" * 300),),
        native=(
            ("GIF application", b"\x0bZGATEXTI5  \3abc\1d\0"),
            ("GIF application", b"\x0bNETSCAPE2.0\5\2\0\0\1\0\0"),
        ),
    )
    first, second, third = decode_picture(_FILES["local palettes"]).frames
    assert first.showing == FrameControl(duration=Fraction(1, 20), disposal=2)
    assert (first.transparent, first.row, first.column) == ((1,), 2, 1)
    assert (second.showing, second.transparent) == (None, None)
    assert (third.showing, third.palette) == (
        FrameControl(duration=Fraction(7, 100), disposal=7),
        None,
    )


def test_what_is_left_out() -> None:
    """Letters, waiting, unknown labels and trailing data are named."""
    letters = b"!\x01" + b.gif_blocks(bytes(12)) + b"\0"
    data = b.gif(
        b.gif_control(9), letters, b"!\x42\0", b.gif_control(flags=2), b.gif_image(_PICTURE)
    )
    picture = decode_picture(data + b"more")
    assert set(picture.dropped) == {
        "letters drawn on the picture",
        "other data",
        "a wait for a key",
        "data after the picture",
    }
    assert picture.frames[0].showing == FrameControl(duration=Fraction(0))


def test_comments_behind_the_last_image() -> None:
    """They belong to it."""
    picture = decode_picture(b.gif(b.gif_image(_PICTURE), b"!\xfe\2hi\0"))
    assert picture.frames[0].metadata.texts == (("Comment", "hi"),)


def test_long_headers() -> None:
    """A header of many sub-blocks comes back in one piece, and stands before the first image."""
    header = b.HEADER + b"x" * 60000
    data = encode_picture(Picture.plain(b.noise(2, 2, 1), header=header), "GIF")
    assert decode_picture(data).header == header
    assert b"!\xff\x0bSUDOKUCRYPT\xff" + header[:255] in data


_FRAME = Frame(pixels=_PICTURE, mode="palette")


def test_xmp_and_native_data_that_would_not_come_back() -> None:
    """What would be read as something else is left over instead of written."""
    metadata = Metadata(xmp=b"a\0b", native=(("GIF application", b"\3abc"),))
    frame = replace(_FRAME, metadata=metadata)
    assert unsupported_metadata(frame, "GIF", header=False) == metadata
    back = decode_picture(encode_picture(Picture(frames=(frame,), format="GIF"), "GIF"))
    assert not back.frames[0].metadata


_IMAGE = b.gif_image(_PICTURE)


@pytest.mark.slow
def test_long_films() -> None:
    """As many frames as any animation may have are read; more are not called damage."""
    frame = b.gif_control(7) + b.gif_image(np.zeros((1, 1), np.uint8), bits=2)
    assert len(decode_picture(b.gif(frame * 65536)).frames) == 65536
    with pytest.raises(UnsupportedError, match="a GIF with more than 65536 frames"):
        decode_picture(b.gif(frame * 100_000))
    with pytest.raises(UnsupportedError, match="a GIF with more than 524288 blocks"):
        decode_picture(b.gif(b"!\xfe\0" * 2**19, _IMAGE))


def test_codes_that_end_early() -> None:
    """However many codes are missing, the image is refused and never partly empty."""
    pixels = b.noise(16, 16, 1)
    data = encode_picture(Picture.plain(pixels), "GIF")
    start = data.rindex(b",") if data.count(b",") == 1 else 13 + 768
    coded = data[start + 11 : -1]
    stream = b"".join(coded[position + 1 : position + 1 + coded[position]] for position in (0, 256))
    for length in range(len(stream) - 2):
        short = data[: start + 11] + b.gif_blocks(stream[:length]) + b";"
        with pytest.raises(InvalidImageError, match="damaged"):
            decode_picture(short)
