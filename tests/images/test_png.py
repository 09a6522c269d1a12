"""PNG: every mode is read exactly, and whatever would need a conversion is refused."""

from __future__ import annotations

import io
import re
import sys
import tracemalloc
import zlib
from dataclasses import replace
from typing import Any

import imagecodecs
import numpy as np
import pytest
from PIL import Image

from sudokucrypt.errors import FormatError, InvalidImageError, SudokucryptError, UnsupportedError
from sudokucrypt.images import (
    Frame,
    Palette,
    Picture,
    decode_picture,
    encode_picture,
    obstacle,
)
from sudokucrypt.images.header import HEADER_LIMIT
from sudokucrypt.images.png import inflate, lines, pack
from sudokucrypt.images.write import picture_parts
from tests.images.builders import (
    CHANNELS,
    DTYPES,
    HEADER,
    PNG_MODES,
    SIZES,
    encoded,
    noise,
    opened,
    png,
    png_chunk,
    png_noise,
    png_of,
    png_stream,
    saved,
)
from tests.images.builders import (
    png_lines as line_bytes,
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
        for raw in (
            b"".join(line_bytes(part) for part in parts),
            b"".join(_filtered(part) for part in parts),
        ):
            data = png(
                size[1],
                size[0],
                raw,
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
    ("changes", "reason"),
    [
        ({"mode": "cmyk", "pixels": noise(2, 2, 4)}, "cmyk"),
        ({"mode": "rgb"}, "shape"),
        ({"pixels": noise(2, 2, 1).astype(np.float32)}, "32-bit samples of type float32"),
        ({"pixels": noise(2, 2, 1).astype(np.int16)}, "int16"),
        ({"mode": "rgb", "pixels": noise(2, 2, 3) // 16, "bits": 4}, "4-bit"),
        ({"bits": 4}, "more than the 4 bits"),
        ({"bits": 4, "pixels": noise(2, 2, 1, "uint16") & 15}, "more than the 4 bits"),
        ({"mode": "palette"}, "without a palette"),
        ({"mode": "palette", "palette": Palette(colors=b"")}, "size"),
        ({"mode": "palette", "palette": Palette(colors=bytes(771))}, "size"),
        ({"mode": "palette", "palette": Palette(colors=b"abc", alphas=b"xy")}, "size"),
        ({"mode": "palette", "palette": Palette(colors=bytes(12), wide=True)}, "16 bits"),
        ({"palette": Palette(colors=b"abc")}, "with a palette"),
        ({"transparent": (256,)}, "transparent"),
        ({"transparent": (-1,)}, "transparent"),
        ({"transparent": (1, 2)}, "transparent"),
        ({"mode": "gray-alpha", "pixels": noise(2, 2, 2), "transparent": (1, 2)}, "transparent"),
    ],
)
def test_obstacles(changes: dict[str, Any], reason: str) -> None:
    """Frames that PNG cannot hold exactly are refused before anything is written."""
    fields: dict[str, Any] = {"pixels": noise(2, 2, 1) | 16, "mode": "gray"} | changes
    frame = Frame(**fields)
    picture = Picture(frames=(frame,), format="PNG")
    assert re.search(reason, obstacle(picture, "PNG") or "")
    with pytest.raises(UnsupportedError, match=f"PNG cannot hold .*{reason}"):
        encode_picture(picture, "PNG")


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
    """What stands behind the picture or must not be copied is named, each once."""
    chunks = [png_chunk(b"prVT", b"x"), png_chunk(b"dSIG"), png_chunk(b"tRNS", bytes(99))]
    data = png_of(noise(5, 3, 3), after=chunks) + b"more"
    assert decode_picture(data).left_out == ("other data", "transparency", "data after the picture")


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
        [png_chunk(b"iTXt", _OURS + HEADER + b" " * HEADER_LIMIT)],
    ],
)
def test_header_stored_another_way(chunks: list[bytes]) -> None:
    """A header that is there twice, compressed or not plain text raises `FormatError`."""
    with pytest.raises(FormatError) as raised:
        decode_picture(png_of(noise(2, 2, 1), before=chunks))
    assert raised.value.hint


def test_sides_that_libpng_refuses() -> None:
    """Lines of over a million pixels are written and read, with filters and without."""
    pixels = noise(1, 1_000_003, 1)
    assert np.array_equal(decode_picture(encoded(pixels, "PNG")).pixels, pixels)
    assert np.array_equal(decode_picture(encoded(pixels, "PNG", compress=1)).pixels, pixels)
    assert np.array_equal(decode_picture(encoded(pixels.T, "PNG", compress=1)).pixels, pixels.T)


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat any picture like a huge one: bands of one line, lines in parts of five pixels."""
    for module, name, value in (
        (inflate, "_WHOLE", 0),
        (inflate, "_SLICE", 7),
        (lines, "_BAND", 1),
        (lines, "_LIBPNG_SIDE", 5),
        (pack, "_WHOLE", 0),
        (pack, "_BLOCK", 100),
        (pack, "_PART", 64),
    ):
        monkeypatch.setattr(module, name, value)


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize("interlace", [0, 1])
@pytest.mark.parametrize(("color", "bits"), PNG_MODES)
def test_huge_pictures_are_read_alike(color: int, bits: int, interlace: int) -> None:
    """In bands, slices and parts, all filters are undone as they are in one piece."""
    pixels = png_noise(23, 18, color, bits)
    palette = [png_chunk(b"PLTE", bytes(768))] if color == 3 else []
    for kinds in ((0,), (1,), (2,), (3,), (4,), (4, 3, 0, 1, 2, 3)):
        lines = png_stream(pixels, color, bits, interlace=interlace, kinds=kinds)
        data = png(18, 23, lines, bits=bits, color=color, interlace=interlace, before=palette)
        assert np.array_equal(decode_picture(data).pixels, pixels)


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize("compress", [0, 1, 9])
@pytest.mark.parametrize("header", [None, HEADER])
@pytest.mark.parametrize(("color", "bits"), PNG_MODES)
def test_huge_pictures_are_written_alike(
    color: int, bits: int, header: bytes | None, compress: int
) -> None:
    """In many IDAT chunks, samples are one zlib stream that libpng reads."""
    pixels = png_noise(23, 90, color, bits)
    if color == 3:
        palette = Palette(colors=noise(1, 3 * 2**bits, 1).tobytes())
        frame = Frame(pixels=pixels, mode="palette", bits=bits if bits in (2, 4) else None,
                      palette=palette)  # fmt: skip
    else:
        frame = replace(Picture.plain(pixels).frames[0], bits=bits if bits in (2, 4) else None)
    data = encode_picture(Picture(frames=(frame,), format="PNG", header=header), "PNG",
                          compress=compress)  # fmt: skip
    assert compress or data.count(b"IDAT") > 1
    assert np.array_equal(decode_picture(data).pixels, pixels)
    if color == 3:
        assert np.array_equal(opened(data), pixels)
    elif bits >= 8:
        assert np.array_equal(imagecodecs.png_decode(data), pixels)


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize("compress", [0, 1])
def test_huge_damaged_pictures(compress: int) -> None:
    """Inflated bit by bit, a stream that is too short, too long or changed is refused too."""
    pixels = noise(9, 8, 1)
    good, idat = png_of(pixels), png_chunk(b"IDAT", zlib.compress(line_bytes(pixels)))
    stream = zlib.compress(line_bytes(pixels), compress)
    for changed in (
        *(stream[:length] for length in range(len(stream))),
        *(stream[:i] + bytes([stream[i] ^ 255]) + stream[i + 1 :] for i in range(len(stream))),
        zlib.compress(line_bytes(pixels)[:-1]),
        zlib.compress(line_bytes(pixels) + b"\0"),
        zlib.compress(line_bytes(pixels) + bytes(10**6)),
    ):
        data = good.replace(idat, png_chunk(b"IDAT", changed))
        with pytest.raises(InvalidImageError, match="damaged"):
            decode_picture(data)
    whole = good.replace(idat, png_chunk(b"IDAT", stream + b"behind"))
    assert np.array_equal(decode_picture(whole).pixels, pixels)


@pytest.mark.parametrize("compress", [0, 1])
def test_memory_for_a_huge_picture(compress: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture of 16 million samples, treated as huge, takes few MiB more than its samples."""
    monkeypatch.setattr(inflate, "_WHOLE", 0)
    monkeypatch.setattr(pack, "_WHOLE", 0)
    monkeypatch.setattr(pack, "_PART", 2**18)
    picture = Picture.plain(noise(4000, 4000, 1))
    data = encode_picture(picture, "PNG", compress=compress)
    tracemalloc.start()
    try:
        parts = sum(len(part) for part in picture_parts(picture, "PNG", compress=compress))
        _, writing = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        again = decode_picture(data).pixels
        _, reading = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert parts == len(data)
    assert np.array_equal(again, picture.pixels)
    assert writing < 2 * 2**20
    assert reading < again.nbytes + 4 * 2**20
