"""TIFF: plain samples and the header are read exactly, what would be converted is refused."""

from __future__ import annotations

import io
import struct
from typing import Any, Literal

import imagecodecs
import numpy as np
import pytest
from PIL import TiffImagePlugin

from sudokucrypt.errors import FormatError, InvalidImageError, UnsupportedError
from sudokucrypt.images import Picture, decode_picture, encode_picture
from sudokucrypt.images.header import HEADER_LIMIT
from sudokucrypt.images.metadata import Metadata
from tests.images.builders import (
    CHANNELS,
    DTYPES,
    HEADER,
    SIZES,
    encoded,
    noise,
    opened,
    saved,
    tiff,
)

_DESCRIPTION = 270


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("channels", CHANNELS)
@pytest.mark.parametrize("size", SIZES)
def test_plain_strips(size: tuple[int, int], channels: int, dtype: str) -> None:
    """One strip in either byte order and offset size comes back exactly."""
    pixels = noise(*size, channels, dtype)
    orders: tuple[Literal["<", ">"], ...] = ("<", ">")
    for order in orders:
        for big in (False, True):
            picture = decode_picture(tiff(pixels=pixels, order=order, big=big))
            assert np.array_equal(picture.pixels, pixels)
            assert picture.pixels.dtype == dtype
            assert picture.pixels.flags.c_contiguous
            assert (picture.header, picture.format, picture.left_out) == (None, "TIFF", ())


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("channels", CHANNELS)
@pytest.mark.parametrize("compression", ["none", "lzw", "deflate", "packbits"])
def test_layouts_of_libtiff(compression: str, channels: int, dtype: str) -> None:
    """Strips, tiles, predictors and separate planes come back exactly."""
    pixels = noise(40, 37, channels, dtype)
    options: dict[str, Any] = {
        "compression": compression,
        "photometric": "rgb" if channels > 2 else "minisblack",
        "extrasample": "unassalpha" if channels in (2, 4) else None,
    }
    predictor = compression in ("lzw", "deflate")
    layouts: tuple[dict[str, Any], ...] = (
        {"rowsperstrip": 7},
        {"tile": (16, 32)},
        {"rowsperstrip": 5, "byteorder": ">"},
    )
    for layout in layouts:
        # A copy, because libtiff swaps the bytes of the array that it is given.
        data = imagecodecs.tiff_encode(
            pixels.copy(), planarconfig="contig", predictor=predictor, **options, **layout
        )
        assert np.array_equal(decode_picture(bytes(data)).pixels, pixels)
        if channels > 1:
            planes = np.moveaxis(pixels, -1, 0).copy()
            data = imagecodecs.tiff_encode(planes, planarconfig="separate", **options, **layout)
            assert np.array_equal(decode_picture(bytes(data)).pixels, pixels)


@pytest.mark.parametrize("mode", ["L", "LA", "RGB", "RGBA", "I;16"])
def test_agrees_with_pillow(mode: str) -> None:
    """What Pillow writes we read, and the other way round."""
    pixels = noise(13, 11, 1, "uint16") if mode == "I;16" else noise(13, 11, len(mode))
    for compression in (None, "tiff_lzw", "tiff_adobe_deflate", "packbits"):
        data = saved(pixels, "TIFF", compression=compression)
        assert np.array_equal(decode_picture(data).pixels, pixels)
    data = encoded(pixels, "TIFF", header=HEADER)
    assert np.array_equal(opened(data), pixels)
    with TiffImagePlugin.TiffImageFile(io.BytesIO(data)) as image:
        assert image.mode == mode
        tags = image.tag_v2
        assert tags[_DESCRIPTION] == HEADER.decode()
        assert tags[259] == 1
        assert tags.get(338) == ((2,) if mode in ("LA", "RGBA") else None)


def test_text_that_is_no_header() -> None:
    """Any other description is a text, even beside the header."""
    text = ("Description", "ImageJ=1.53")
    plain = decode_picture(tiff(more=[(_DESCRIPTION, 2, b"ImageJ=1.53\0")]))
    assert (plain.header, plain.frames[0].metadata) == (None, Metadata(texts=(text,)))
    both = decode_picture(tiff(more=[(_DESCRIPTION, 2, HEADER + b"\0ImageJ=1.53\0")]))
    assert (both.header, both.frames[0].metadata) == (HEADER, Metadata(texts=(text,)))


@pytest.mark.parametrize(
    "more",
    [
        [(_DESCRIPTION, 2, HEADER + b"\0" + HEADER + b"\0")],
        [(_DESCRIPTION, 2, HEADER + b"\0"), (_DESCRIPTION, 2, HEADER + b"\0")],
        [(_DESCRIPTION, 2, HEADER + b"\n\0")],
        [(_DESCRIPTION, 2, HEADER + b" " * HEADER_LIMIT)],
    ],
)
def test_header_stored_another_way(more: list[tuple[int, int, bytes]]) -> None:
    """A header that is there twice or not plain text raises `FormatError`."""
    with pytest.raises(FormatError):
        decode_picture(tiff(more=more))


def test_header_of_a_later_page() -> None:
    """Each page may hold the header, but one only."""
    data = encode_picture(
        Picture(frames=Picture.plain(noise(5, 3, 1)).frames * 2, format="TIFF", header=HEADER),
        "TIFF",
    )
    assert decode_picture(data).header == HEADER
    assert data.count(HEADER) == 1


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({258: (3, [24] * 3)}, "24-bit"),
        ({258: (3, [12] * 3), 259: (3, [5]), 317: (3, [2])}, "predictor 2"),
        ({258: (3, [8, 8, 16])}, "8/16-bit"),
        ({258: (3, [8] * 3), 339: (3, [3] * 3)}, "8-bit floating"),
        ({258: (3, [4] * 3), 339: (3, [2])}, "4-bit signed"),
        ({339: (3, [4])}, "plain numbers"),
        ({339: (3, [1, 1, 2])}, "plain numbers"),
        ({262: (3, [0]), 277: (3, [1]), 258: (3, [8]), 339: (3, [2])}, "white-is-zero"),
        ({262: (3, [3]), 277: (3, [1]), 258: (3, [32])}, "palette for 32-bit"),
        ({262: (3, [5])}, "channels"),
        ({262: (3, [5]), 277: (3, [4]), 258: (3, [8] * 4), 332: (3, [2])}, "inks"),
        ({262: (3, [6]), 258: (3, [16] * 3)}, "YCbCr"),
        ({262: (3, [8]), 258: (3, [32] * 3)}, "CIELab"),
        ({262: (3, [10])}, "ITULab"),
        ({262: (3, [32803])}, "raw sensor"),
        ({262: (3, [99])}, "photometric 99"),
        ({259: (3, [6])}, "compression 6"),
        ({259: (3, [50001])}, "compression 50001"),
        ({259: (3, [7]), 258: (3, [16] * 3)}, "JPEG compression"),
        ({259: (3, [7])}, "JPEG streams"),
        ({259: (3, [5]), 317: (3, [3])}, "predictor 3"),
        ({259: (3, [3]), 262: (3, [1]), 277: (3, [1]), 258: (3, [1]), 292: (4, [2])}, "fax"),
        ({259: (3, [4]), 262: (3, [1]), 277: (3, [1]), 258: (3, [1]), 293: (4, [2])}, "fax"),
        ({277: (3, [4]), 258: (3, [8] * 4), 338: (3, [3])}, "channels"),
        ({277: (3, [5]), 258: (3, [8] * 5), 338: (3, [2, 3])}, "channels"),
        ({254: (4, [1])}, "previews and raw data only"),
        ({255: (3, [2])}, "previews and raw data only"),
        ({270: (1, list(b"ImageJ=1.54f\nimages=2\nslices=2\n"))}, "ImageJ"),
    ],
)
def test_refuses_what_it_would_have_to_convert(
    changes: dict[int, tuple[int, list[int]] | None], reason: str
) -> None:
    """Other depths, colors, compressions and alphas raise `UnsupportedError`."""
    with pytest.raises(UnsupportedError, match=reason) as raised:
        decode_picture(tiff(changes))
    assert raised.value.hint


@pytest.mark.parametrize(("kind", "name"), [(1, "previews"), (4, "masks"), (5, "masks")])
def test_previews_and_masks_are_left_out(kind: int, name: str) -> None:
    """A small copy or a mask is no page, and the page beside it is."""
    pixels = noise(5, 3, 3)
    length = len(tiff(pixels=pixels))
    for page, position in (
        (tiff(pixels=pixels, following=length), length),
        (tiff({330: (4, [length + 12])}, pixels=pixels), length + 12),
    ):
        (start,) = struct.unpack_from("<I", page, 4)
        assert len(page) == position
        # The values in front of a directory are the same in both files, so it can be moved.
        directory = tiff({254: (4, [kind])}, pixels=pixels)[start:]
        picture = decode_picture(page + directory)
        assert len(picture.frames) == 1
        assert np.array_equal(picture.pixels, pixels)
        assert picture.left_out == (name,)


def test_pictures_inside_pictures_are_refused() -> None:
    """What hangs on a page and is as large may be what the file is about."""
    length = len(tiff({330: (4, [8])}))
    page = tiff({330: (4, [length])})
    (start,) = struct.unpack_from("<I", page, 4)
    with pytest.raises(UnsupportedError, match="inside pictures"):
        decode_picture(page + tiff()[start:])


@pytest.mark.parametrize(
    "data",
    [
        tiff({273: (4, [0])}),
        tiff({279: (4, [0])}),
        tiff({279: None}),
        tiff({273: (4, [8, 8]), 279: (4, [45, 45])}),
        tiff({273: (4, [4000])}),
        tiff({279: (4, [44])}),
        tiff({278: (4, [0])}),
        tiff({278: (4, [2])}),
        tiff({256: None}),
        tiff({256: (4, [0])}),
        tiff({256: (4, [4])}),
        tiff({257: (4, [6])}),
        tiff({259: (3, [5])}),
        tiff({259: (3, [8])}),
        tiff({322: (4, [0]), 323: (4, [16]), 324: (4, [8]), 325: (4, [45])}),
        tiff(more=[(256, 4, b"\3\0\0\0")]),
        tiff(more=[(60000, 99, b"x")]),
        tiff()[:4] + b"\xff\xff\xff\x00",
        tiff(big=True)[:4] + b"\4" + tiff(big=True)[5:],
    ],
)
def test_refuses_damage(data: bytes) -> None:
    """Tags that make no whole picture raise `InvalidImageError`; libtiff would guess."""
    with pytest.raises(InvalidImageError, match="is damaged"):
        decode_picture(data)


@pytest.mark.parametrize("compression", ["lzw", "deflate", "packbits"])
def test_cut_strips_are_seen(compression: str) -> None:
    """A compressed strip that is too short never gives a partly empty picture."""
    smooth = np.arange(48 * 64, dtype=np.uint8).reshape(48, 64) // 7
    data = bytes(imagecodecs.tiff_encode(smooth, compression=compression))
    size = data.rindex(b"\x17\x01")
    length = int.from_bytes(data[size + 8 : size + 12], "little")
    for shorter in range(1, length - 4, 3):
        cut = data[: size + 8] + shorter.to_bytes(4, "little") + data[size + 12 :]
        with pytest.raises(InvalidImageError):
            decode_picture(cut)
