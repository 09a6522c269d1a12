"""PNG: every mode is read exactly, and whatever would need a conversion is refused."""

from __future__ import annotations

import io
import sys
import zlib

import imagecodecs
import numpy as np
import pytest
from PIL import Image, PngImagePlugin

from sudokucrypt.errors import FormatError, InvalidImageError, SudokucryptError, UnsupportedError
from sudokucrypt.images import decode_picture
from tests.images.builders import (
    CHANNELS,
    DTYPES,
    HEADER,
    SIZES,
    encoded,
    noise,
    opened,
    png,
    png_chunk,
    png_lines,
    png_of,
    saved,
)

_OURS = b"sudokucrypt\0\0\0\0\0"
_ADAM7 = ((0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2),
          (1, 0, 2, 1))  # fmt: skip


def _filtered(pixels: np.ndarray) -> bytes:
    """Lines with the filters that libpng chooses."""
    data = imagecodecs.png_encode(pixels, level=1, filter=0xF8)
    stream, position = b"", 8
    while position < len(data):
        length = int.from_bytes(data[position : position + 4], "big")
        if data[position + 4 : position + 8] == b"IDAT":
            stream += data[position + 8 : position + 8 + length]
        position += 12 + length
    return zlib.decompress(stream)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("channels", CHANNELS)
@pytest.mark.parametrize("size", SIZES)
def test_reads_what_libpng_and_we_ourselves_write(
    size: tuple[int, int], channels: int, dtype: str
) -> None:
    """With filters of every type, and without any, samples come back exactly."""
    pixels = noise(*size, channels, dtype)
    smooth = np.cumsum(pixels, axis=0, dtype=dtype)
    for data in (
        png_of(pixels),
        imagecodecs.png_encode(pixels, level=0, filter=0),
        imagecodecs.png_encode(pixels, level=6, filter=0xF8),
    ):
        picture = decode_picture(bytes(data))
        assert np.array_equal(picture.pixels, pixels)
        assert picture.pixels.dtype == dtype
        assert picture.pixels.flags.c_contiguous
        assert (picture.header, picture.format, picture.left_out) == (None, "PNG", ())
    assert np.array_equal(decode_picture(bytes(imagecodecs.png_encode(smooth))).pixels, smooth)


@pytest.mark.parametrize("mode", ["L", "LA", "RGB", "RGBA"])
def test_reads_what_pillow_writes(mode: str) -> None:
    """Pillow's 8-bit files come back exactly."""
    pixels = noise(13, 11, len(mode))
    assert np.array_equal(decode_picture(saved(pixels, "PNG")).pixels, pixels)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [*SIZES, (9, 10), (2, 5), (33, 4)])
def test_interlaced(size: tuple[int, int], dtype: str) -> None:
    """The seven pictures of an interlaced PNG come together, with and without filters."""
    for channels in CHANNELS:
        pixels = noise(*size, channels, dtype)
        parts = [pixels[r::down, c::right] for r, c, down, right in _ADAM7]
        parts = [part.copy() for part in parts if part.size]
        for lines in (
            b"".join(png_lines(part) for part in parts),
            b"".join(_filtered(part) for part in parts),
        ):
            data = png(
                size[1],
                size[0],
                lines,
                bits=8 * pixels.dtype.itemsize,
                color={1: 0, 2: 4, 3: 2, 4: 6}[channels],
                interlace=1,
            )
            assert np.array_equal(decode_picture(data).pixels, pixels)
            if dtype == "uint8":
                assert np.array_equal(opened(data), pixels)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("channels", CHANNELS)
def test_others_read_what_we_write(channels: int, dtype: str) -> None:
    """libpng reads our files exactly, and Pillow finds the header."""
    pixels = noise(5, 3, channels, dtype)
    data = encoded(pixels, "PNG", header=HEADER)
    assert np.array_equal(imagecodecs.png_decode(data), pixels)
    with Image.open(io.BytesIO(data)) as image:
        assert image.info["sudokucrypt"] == HEADER.decode()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (saved(noise(4, 4, 1) // 64, "PNG", bits=2), "2-bit"),
        (png(8, 1, b"\0\0", bits=1), "1-bit"),
        (png(8, 1, b"\0" * 5, bits=4), "4-bit"),
        (png(2, 1, b"\0\0\1", color=3, before=[png_chunk(b"PLTE", b"abcdef")]), "palette"),
        (png(2, 1, b"\0\0\1", before=[png_chunk(b"tRNS", b"\0\1")]), "transparent"),
        (png(2, 1, b"\0\0\1", before=[png_chunk(b"acTL", b"\0\0\0\1\0\0\0\0")]), "animated"),
        (png(1_000_001, 1, b"\1" + b"\0" * 1_000_001), "1000000"),
    ],
)
def test_refuses_what_it_would_have_to_convert(data: bytes, reason: str) -> None:
    """Palettes, few bits, transparent colors and animations raise `UnsupportedError`."""
    with pytest.raises(UnsupportedError, match=reason) as raised:
        decode_picture(data)
    assert raised.value.hint


@pytest.mark.parametrize(
    "data",
    [
        png(0, 1, b"\0"),
        png(2, 1, b"\0\0"),
        png(2, 1, b"\0\0\0\0"),
        png(2, 1, b"\5\0\0"),
        png(2, 1, b"\0\0\0", color=1),
        png(2, 1, b"\0\0\0", bits=3),
        png(2, 1, b"\0\0\0", interlace=2),
        png(2, 1, b"\0\0\0", before=[png_chunk(b"IHDR", b"\0" * 13)]),
        png(2, 1, b"\0\0\0", before=[png_chunk(b"ABCD")]),
        png(2, 1, b"\0\0\0", before=[png_chunk(b"a1cd")]),
        png(2, 1, b"\0\0\0", before=[png_chunk(b"IDAT", b"x"), png_chunk(b"tIME")]),
        b"\x89PNG\r\n\x1a\n" + png_chunk(b"IEND"),
        b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", b"\0\0\0\1\0\0\0\1\x08\0\0\0\0")
        + png_chunk(b"IEND"),
        png(2, 1, b"\0\0\0").replace(b"IDAT", b"IDAt"),
    ],
)  # fmt: skip
def test_refuses_damage(data: bytes) -> None:
    """Chunks that make no picture raise `InvalidImageError` with one line."""
    with pytest.raises(InvalidImageError, match=r"^'the picture' is damaged: [^\n]+[^.]$"):
        decode_picture(data)


def test_many_damaged_files_do_no_harm() -> None:
    """Failing to decode does not eat references to None, as `imagecodecs.png_decode` does."""
    bad = [png(2, 1, b"\0\0"), png(2, 1, b"\5\0\0"), png(2, 1, b"\1\0\0").replace(b"x\x9c", b"yy")]
    before = sys.getrefcount(None)
    for data in bad * 100:
        with pytest.raises(InvalidImageError):
            decode_picture(data)
    assert sys.getrefcount(None) > before - 100


def test_every_flipped_byte_is_seen() -> None:
    """One changed byte anywhere either raises our error or changes nothing."""
    pixels = noise(5, 3, 3)
    good = encoded(pixels, "PNG", header=HEADER)
    for position in range(len(good)):
        for flip in (0x01, 0x20, 0xFF):
            data = bytearray(good)
            data[position] ^= flip
            with pytest.raises(SudokucryptError):
                decode_picture(bytes(data))


def test_left_out_names_what_is_not_kept() -> None:
    """Text, EXIF, profile, XMP and more are named, each once."""
    text = PngImagePlugin.PngInfo()
    text.add_text("Comment", "hello")
    text.add_text("Comment", "again", zip=True)
    exif = Image.Exif()
    exif[0x010E] = "a description"
    data = saved(
        noise(5, 3, 3), "PNG", pnginfo=text, exif=exif, icc_profile=b"profile", dpi=(72, 72)
    )
    assert set(decode_picture(data).left_out) == {"text", "EXIF", "ICC profile", "resolution"}
    xmp = png_chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0<x/>")
    data = png_of(noise(5, 3, 3), before=[xmp], after=[png_chunk(b"prVt", b"x")]) + b"more"
    assert decode_picture(data).left_out == ("XMP", "other data", "data after the picture")


def test_header_position_does_not_matter() -> None:
    """The header is found before and after the samples."""
    chunk = png_chunk(b"iTXt", _OURS + HEADER)
    for data in (png_of(noise(2, 2, 1), before=[chunk]), png_of(noise(2, 2, 1), after=[chunk])):
        picture = decode_picture(data)
        assert (picture.header, picture.left_out) == (HEADER, ())


@pytest.mark.parametrize(
    "chunks",
    [
        [png_chunk(b"iTXt", _OURS + HEADER)] * 2,
        [png_chunk(b"iTXt", b"sudokucrypt\0\1\0\0\0" + zlib.compress(HEADER))],
        [png_chunk(b"iTXt", b"sudokucrypt\0\0\0en\0\0" + HEADER)],
        [png_chunk(b"iTXt", b"sudokucrypt\0\0")],
        [png_chunk(b"iTXt", _OURS)],
        [png_chunk(b"iTXt", _OURS + HEADER + b"\n")],
        [png_chunk(b"iTXt", _OURS + HEADER + b" " * 65536)],
    ],
)
def test_header_stored_another_way(chunks: list[bytes]) -> None:
    """A header that is there twice, compressed or not plain text raises `FormatError`."""
    with pytest.raises(FormatError) as raised:
        decode_picture(png_of(noise(2, 2, 1), before=chunks))
    assert raised.value.hint


def test_sides_that_libpng_refuses() -> None:
    """Lines of over a million pixels are written and read."""
    pixels = noise(1, 1_000_003, 1)
    assert np.array_equal(decode_picture(encoded(pixels, "PNG")).pixels, pixels)
