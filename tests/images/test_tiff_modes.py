"""TIFF in all modes, depths and layouts: what others write is read, what is written others read."""

import io
import itertools
import struct
from contextlib import suppress
from typing import Any

import imagecodecs
import numpy as np
import pytest
from PIL import Image, ImageSequence, TiffImagePlugin

from sudokucrypt.errors import InvalidImageError
from sudokucrypt.images import Frame, Picture, decode_picture, encode_picture
from sudokucrypt.images.picture import Palette
from sudokucrypt.images.tiff import file as tiff_format
from tests.images.builders import meaning, opened, saved, tiff
from tests.images.samples import packed, shown

_DTYPES = (
    *("uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"),
    *("float16", "float32", "float64"),
)
_LAYOUTS: tuple[dict[str, Any], ...] = (
    {"rowsperstrip": 7},
    {"tile": (16, 32)},
    {"rowsperstrip": 5, "byteorder": ">"},
    {"tile": (48, 16), "bigtiff": True},
)


def _samples(rows: int, columns: int, channels: int, dtype: str, seed: int = 0) -> np.ndarray:
    """Samples of every value that the type has, NaN aside."""
    shape = (rows, columns) if channels == 1 else (rows, columns, channels)
    generator = np.random.default_rng([rows, columns, channels, seed])
    kind = np.dtype(dtype)
    if kind.kind == "f":
        return generator.normal(size=shape).astype(kind)
    if kind.kind == "b":
        return generator.integers(0, 2, shape).astype(bool)
    limits = np.iinfo(kind)
    return generator.integers(limits.min, limits.max, shape, dtype=kind, endpoint=True)


_GRAY = _samples(3, 3, 1, "uint8")


def _frame(pixels: np.ndarray, mode: str, **options: Any) -> Picture:
    frame = Frame(pixels=pixels, mode=mode, **options)  # type: ignore[arg-type]
    return Picture(frames=(frame,), format="TIFF")


def _same(first: Frame, second: Frame) -> bool:
    one, other = (Picture(frames=(frame,), format="TIFF") for frame in (first, second))
    return meaning(one) == meaning(other)


@pytest.mark.parametrize(
    ("compression", "dtype", "channels"),
    [
        *itertools.product(["deflate"], _DTYPES, [3]),
        *((name, "uint16", 1) for name in ("none", "packbits", "lzw", "zstd")),
        *((name, "float32", 4) for name in ("none", "packbits", "lzw", "zstd")),
        ("lzma", "uint8", 2),
    ],
)
def test_reads_what_libtiff_writes(compression: str, dtype: str, channels: int) -> None:
    """Every type, compression, predictor and layout comes back, and goes out for libtiff."""
    pixels = _samples(20, 37, channels, dtype)
    options: dict[str, Any] = {
        "compression": compression,
        "photometric": "rgb" if channels > 2 else "minisblack",
        "extrasample": "unassalpha" if channels in (2, 4) else None,
    }
    predictors = [None, 2, *([3] if dtype.startswith("f") else [])]
    if compression in ("none", "packbits"):
        predictors = [None]
    planars = ("contig", "separate") if channels > 1 else ("contig",)
    for predictor, planar, layout in itertools.product(predictors, planars, _LAYOUTS):
        array = pixels if planar == "contig" else np.moveaxis(pixels, -1, 0)
        # A copy, because libtiff swaps the bytes of the array that it is given.
        data = imagecodecs.tiff_encode(
            array.copy(), planarconfig=planar, predictor=predictor, **options, **layout
        )
        picture = decode_picture(bytes(data))
        assert np.array_equal(picture.pixels, pixels)
        assert picture.pixels.dtype == dtype
    assert np.array_equal(imagecodecs.tiff_decode(encode_picture(picture, "TIFF")), pixels)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "I;16", "I", "F"])
def test_reads_what_pillow_writes(mode: str) -> None:
    """Every mode that Pillow has and TIFF can hold comes back, and goes out again for Pillow."""
    for compression in (None, "tiff_lzw", "tiff_adobe_deflate", "packbits"):
        source = Image.effect_noise((37, 29), 90).convert("RGBA")
        image = source.convert("L").convert(mode) if mode in "I;16 F" else source.convert(mode)
        buffer = io.BytesIO()
        image.save(buffer, "TIFF", compression=compression)
        picture = decode_picture(buffer.getvalue())
        frame = picture.frames[0]
        assert np.array_equal(frame.pixels, np.asarray(image))
        again = encode_picture(picture, "TIFF")
        assert _same(decode_picture(again).frames[0], frame)
        with Image.open(io.BytesIO(again)) as written:
            assert written.mode == mode
            assert np.array_equal(np.asarray(written), np.asarray(image))
            assert written.getpalette() == image.getpalette()


@pytest.mark.parametrize("compression", ["group3", "group4", "tiff_ccitt"])
@pytest.mark.parametrize("size", [(1, 1), (37, 53), (64, 8)])
def test_fax(compression: str, size: tuple[int, int]) -> None:
    """Fax compression of Pillow comes back exactly, and one that is cut is never filled up."""
    pixels = np.random.default_rng(3).random(size) > 0.8
    data = saved(pixels, "TIFF", compression=compression)
    assert np.array_equal(decode_picture(data).pixels, pixels)
    with Image.open(io.BytesIO(data)) as image:
        offset, length = image.tag_v2[273][0], image.tag_v2[279][0]  # type: ignore[attr-defined]
    strip = data[offset : offset + length]
    tags = {258: (3, [1]), 259: (3, [{"group3": 3, "group4": 4}.get(compression, 2)])}
    tags |= {256: (4, [size[1]]), 257: (4, [size[0]]), 278: (4, [size[0]])}
    for shorter in range(1, length, 3 if length > 99 else 1):
        stored = np.frombuffer(strip[:shorter], np.uint8)[np.newaxis]
        with suppress(InvalidImageError):
            assert np.array_equal(decode_picture(tiff(tags, pixels=stored)).pixels, pixels)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32"])
def test_white_is_zero(dtype: str) -> None:
    """Inverted samples are turned round, and Pillow sees the same picture."""
    pixels = _samples(9, 7, 1, dtype)
    data = tiff({262: (3, [0])}, pixels=np.iinfo(dtype).max - pixels)
    assert np.array_equal(decode_picture(data).pixels, pixels)
    if dtype == "uint8":
        assert np.array_equal(opened(data), pixels)


@pytest.mark.parametrize("bits", [1, 2, 4])
def test_few_bits(bits: int) -> None:
    """Samples of 1, 2 and 4 bits are unpacked as Pillow does, in both orders of bits."""
    for fill_order in (1, 2):
        for photometric in (0, 1):
            levels = np.random.default_rng(4).integers(0, 2**bits, (5, 11), dtype=np.uint8)
            lines = np.frombuffer(packed(levels, bits), np.uint8).reshape(5, -1)
            if fill_order == 2:
                lines = np.packbits(np.unpackbits(lines), bitorder="little").reshape(5, -1)
            changes = {
                256: (4, [11]),
                258: (3, [bits]),
                262: (3, [photometric]),
                266: (3, [fill_order]),
            }
            data = tiff(changes, pixels=lines)
            frame = decode_picture(data).frames[0]
            expected = levels if photometric else 2**bits - 1 - levels
            assert frame.depth == bits
            assert np.array_equal(frame.pixels, expected)
            scaled = frame.pixels.astype(int) * (255 // (2**bits - 1))
            shown = opened(data)
            assert np.array_equal(shown * 255 if shown.dtype == bool else shown, scaled)


def _palette(count: int, *, wide: bool) -> Palette:
    generator = np.random.default_rng(count)
    if wide:
        colors = generator.integers(0, 2**16, (count, 3), dtype=np.uint16)
        return Palette(colors=colors.astype(">u2").tobytes(), wide=True)
    return Palette(colors=generator.bytes(3 * count))


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("bits", [1, 2, 4, 8, 16])
def test_palettes(bits: int, wide: bool) -> None:
    """Samples and all 16 bits of the colors come back, and Pillow sees the same colors."""
    palette = _palette(2**bits, wide=wide)
    dtype = {1: np.bool_, 16: np.uint16}.get(bits, np.uint8)
    pixels: np.ndarray = np.random.default_rng(bits).integers(0, 2**bits, (6, 13)).astype(dtype)
    options = {"bits": bits} if bits in (2, 4) else {}
    picture = _frame(pixels, "palette", palette=palette, **options)
    data = encode_picture(picture, "TIFF")
    assert _same(decode_picture(data).frames[0], picture.frames[0])
    if bits in (4, 8):
        step = 2 if wide else 1
        colors = np.frombuffer(palette.colors, np.uint8)[::step].reshape(-1, 3)
        assert np.array_equal(shown(data), colors[pixels.astype(int)])


def test_pages_of_pillow() -> None:
    """Pages of several modes and sizes are the frames, in their order."""
    images = [
        Image.effect_noise((9 + n, 7 + n), 80).convert(mode)
        for n, mode in enumerate(["L", "RGB", "1", "P", "CMYK"])
    ]
    buffer = io.BytesIO()
    images[0].save(buffer, "TIFF", save_all=True, append_images=images[1:])
    picture = decode_picture(buffer.getvalue())
    with Image.open(io.BytesIO(encode_picture(picture, "TIFF"))) as result:
        pages = zip(ImageSequence.Iterator(result), picture.frames, images, strict=True)
        for page, frame, image in pages:
            assert page.mode == image.mode
            assert np.array_equal(np.asarray(page), np.asarray(image))
            assert np.array_equal(frame.pixels, np.asarray(image))


@pytest.mark.parametrize(("channels", "kinds"), [(2, [0]), (2, [1]), (4, []), (4, [0]), (4, [1])])
def test_other_extra_samples(channels: int, kinds: list[int]) -> None:
    """A channel that is no plain alpha keeps its samples and its tag."""
    pixels = _samples(5, 3, channels, "uint8")
    data = tiff({338: (3, kinds) if kinds else None}, pixels=pixels)
    picture = decode_picture(data)
    assert np.array_equal(picture.pixels, pixels)
    assert picture.frames[0].metadata.names() == ("TIFF extra samples",)
    again = encode_picture(picture, "TIFF")
    assert _same(decode_picture(again).frames[0], picture.frames[0])
    with TiffImagePlugin.TiffImageFile(io.BytesIO(again)) as image:
        assert image.tag_v2.get(338, ()) == tuple(kinds)
    assert not tiff_format.unsupported_metadata(picture.frames[0], header=True)


def test_large_files_become_big() -> None:
    """From 4 GiB on offsets have eight bytes; the samples here are one row, seen many times."""
    row = np.arange(2**16, dtype=np.uint8)
    small, *larger = (np.broadcast_to(row, (n, 2**16)) for n in (2**16 - 16, 2**16, 2**18))
    first = next(iter(tiff_format.encode(_frame(small, "gray"), 0)))
    assert bytes(first) == b"II*\0\x08\0\0\0"
    for large in larger:
        parts = iter(tiff_format.encode(_frame(large, "gray"), 0))
        start = bytes(next(parts)) + bytes(next(parts))
        assert start[:16] == struct.pack("<2sHHHQ", b"II", 43, 8, 0, 16)
        # Rows of 64 KiB make strips of 1 MiB, one behind the other.
        count = len(large) // 16
        offsets = struct.pack(f"<{count}Q", *(len(start) + n * 2**20 for n in range(count)))
        assert offsets in start
        assert len(next(parts)) == 2**20


def test_strips_are_views() -> None:
    """Writing native samples copies none of them."""
    pixels = _samples(40, 50, 3, "uint8")
    parts = list(tiff_format.encode(_frame(pixels, "rgb"), 0))
    views = [np.frombuffer(part, np.uint8) for part in parts[2:]]
    assert all(np.shares_memory(view, pixels) for view in views)
