"""TIFF in all modes, depths and layouts: what others write is read, what is written others read."""

from __future__ import annotations

import io
import struct
from dataclasses import replace
from fractions import Fraction
from typing import Any

import imagecodecs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, TiffImagePlugin

from sudokucrypt.errors import InvalidImageError, UnsupportedError
from sudokucrypt.images import Frame, Picture, decode_picture, encode_picture
from sudokucrypt.images.metadata import Metadata
from sudokucrypt.images.picture import Animation, Palette, Showing
from sudokucrypt.images.tiff import file as tiff_format
from tests.images.builders import HEADER, opened, saved, tiff

_DTYPES = (
    *("uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"),
    *("float16", "float32", "float64"),
)
_PREDICTED = ("lzw", "deflate", "zstd", "lzma")
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


def _frame(pixels: np.ndarray, mode: str, **options: Any) -> Picture:
    frame = Frame(pixels=pixels, mode=mode, **options)  # type: ignore[arg-type]
    return Picture(frames=(frame,), format="TIFF")


def _same(first: Frame, second: Frame) -> bool:
    return (
        first.pixels.dtype == second.pixels.dtype
        and np.array_equal(first.pixels, second.pixels)
        and replace(first, pixels=np.zeros(1)).__dict__.keys() == second.__dict__.keys()
        and all(
            getattr(first, name) == getattr(second, name)
            for name in ("mode", "bits", "palette", "transparent", "metadata")
        )
    )


@pytest.mark.parametrize("dtype", _DTYPES)
@pytest.mark.parametrize("compression", ["none", "packbits", *_PREDICTED])
def test_reads_what_libtiff_writes(compression: str, dtype: str) -> None:
    """Every type, compression, predictor and layout of libtiff comes back exactly."""
    for channels in (1, 2, 3, 4) if compression in ("none", "deflate") else (3,):
        pixels = _samples(40, 37, channels, dtype)
        options: dict[str, Any] = {
            "compression": compression,
            "photometric": "rgb" if channels > 2 else "minisblack",
            "extrasample": "unassalpha" if channels in (2, 4) else None,
        }
        predictors = [None, 2, *([3] if dtype.startswith("f") else [])]
        for predictor in predictors if compression in _PREDICTED else [None]:
            for layout in _LAYOUTS:
                for planar in ("contig", "separate") if channels > 1 else ("contig",):
                    # A copy, because libtiff swaps the bytes of the array that it is given.
                    array = pixels if planar == "contig" else np.moveaxis(pixels, -1, 0)
                    data = imagecodecs.tiff_encode(
                        array.copy(), planarconfig=planar, predictor=predictor, **options, **layout
                    )
                    picture = decode_picture(bytes(data))
                    assert np.array_equal(picture.pixels, pixels)
                    assert picture.pixels.dtype == dtype


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "I;16", "I", "F"])
@pytest.mark.parametrize("compression", [None, "tiff_lzw", "tiff_adobe_deflate", "packbits"])
def test_reads_what_pillow_writes(compression: str | None, mode: str) -> None:
    """Every mode that Pillow has and TIFF can hold comes back, and goes out again for Pillow."""
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
    for shorter in range(1, length):
        changes = {
            **tags,
            256: (4, [size[1]]),
            257: (4, [size[0]]),
            278: (4, [size[0]]),
            279: (4, [shorter]),
        }
        stored = np.frombuffer(strip[:shorter], np.uint8)[np.newaxis]
        try:
            cut = decode_picture(tiff(changes, pixels=stored))
        except InvalidImageError:
            continue
        assert np.array_equal(cut.pixels, pixels)


@pytest.mark.parametrize("mode", ["L", "RGB"])
@pytest.mark.parametrize("quality", [30, 95])
def test_jpeg_streams(mode: str, quality: int) -> None:
    """JPEG inside TIFF decodes to what Pillow shows."""
    noise = Image.merge("RGB", [Image.effect_noise((67, 45), 60) for _ in range(3)])
    smooth = Image.blend(noise, Image.radial_gradient("L").resize((67, 45)).convert("RGB"), 0.7)
    buffer = io.BytesIO()
    smooth.convert(mode).save(buffer, "TIFF", compression="jpeg", quality=quality)
    data = buffer.getvalue()
    picture = decode_picture(data)
    assert np.array_equal(picture.pixels, opened(data))
    assert picture.frames[0].mode == mode.lower().replace("l", "gray")


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32"])
def test_white_is_zero(dtype: str) -> None:
    """Inverted samples are turned round, and Pillow sees the same picture."""
    pixels = _samples(9, 7, 1, dtype)
    data = tiff({262: (3, [0])}, pixels=np.iinfo(dtype).max - pixels)
    assert np.array_equal(decode_picture(data).pixels, pixels)
    if dtype == "uint8":
        assert np.array_equal(opened(data), pixels)


@pytest.mark.parametrize("bits", [1, 2, 4])
@pytest.mark.parametrize("fill_order", [1, 2])
@pytest.mark.parametrize("photometric", [0, 1])
def test_few_bits(photometric: int, fill_order: int, bits: int) -> None:
    """Samples of 1, 2 and 4 bits are unpacked as Pillow does, in both orders of bits."""
    levels = np.random.default_rng(4).integers(0, 2**bits, (5, 11), dtype=np.uint8)
    padded = np.pad(levels, ((0, 0), (0, -11 % (8 // bits))))
    planes = (padded[..., np.newaxis] >> np.arange(bits - 1, -1, -1)) & 1
    order: Any = "little" if fill_order == 2 else "big"
    packed = np.packbits(planes.reshape(5, -1).astype(np.uint8), axis=1, bitorder=order)
    changes = {
        256: (4, [11]),
        258: (3, [bits]),
        262: (3, [photometric]),
        266: (3, [fill_order]),
    }
    data = tiff(changes, pixels=packed)
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
        with Image.open(io.BytesIO(data)) as image:
            assert np.array_equal(np.asarray(image.convert("RGB")), colors[pixels.astype(int)])


_MODES = {"gray": 1, "gray-alpha": 2, "rgb": 3, "rgba": 4, "cmyk": 4}


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(sorted(_MODES)),
            st.sampled_from(["bool", "bits2", "bits4", *_DTYPES]),
            st.integers(1, 17),
            st.integers(1, 17),
        ),
        min_size=1,
        max_size=3,
    ),
    st.sampled_from([None, HEADER]),
)
def test_any_pages_come_back(pages: list[tuple[str, str, int, int]], header: bytes | None) -> None:
    """decode(encode(p)) == p for pages of any mode and type."""
    frames = []
    for mode, dtype, rows, columns in pages:
        bits = int(dtype[4:]) if dtype.startswith("bits") else None
        pixels = _samples(rows, columns, _MODES[mode], "uint8" if bits else dtype)
        if bits:
            pixels = pixels >> (8 - bits)
        frames.append(Frame(pixels=pixels, mode=mode, bits=bits))  # type: ignore[arg-type]
    picture = Picture(frames=tuple(frames), format="TIFF", header=header)
    assert tiff_format.obstacle(picture) is None
    result = decode_picture(b"".join(tiff_format.encode(picture, 0)))
    assert (result.header, result.format, result.left_out) == (header, "TIFF", ())
    assert len(result.frames) == len(frames)
    assert all(_same(*pair) for pair in zip(result.frames, frames, strict=True))


@pytest.mark.parametrize("dtype", _DTYPES)
@pytest.mark.parametrize("channels", [1, 3])
def test_libtiff_reads_what_is_written(channels: int, dtype: str) -> None:
    """An independent reader gets the same samples of every type."""
    pixels = _samples(31, 23, channels, dtype)
    data = encode_picture(_frame(pixels, "gray" if channels == 1 else "rgb"), "TIFF")
    assert np.array_equal(imagecodecs.tiff_decode(data), pixels)


def test_pages_of_pillow() -> None:
    """Pages of several modes and sizes are the frames, in their order."""
    images = [
        Image.effect_noise((9 + n, 7 + n), 80).convert(mode)
        for n, mode in enumerate(["L", "RGB", "1", "P", "CMYK"])
    ]
    buffer = io.BytesIO()
    images[0].save(buffer, "TIFF", save_all=True, append_images=images[1:])
    picture = decode_picture(buffer.getvalue())
    again = encode_picture(picture, "TIFF")
    with Image.open(io.BytesIO(again)) as result:
        assert result.n_frames == len(images)  # type: ignore[attr-defined]
        for index, image in enumerate(images):
            result.seek(index)
            assert result.mode == image.mode
            assert np.array_equal(np.asarray(result), np.asarray(image))
            assert np.array_equal(picture.frames[index].pixels, np.asarray(image))


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
    assert not tiff_format.leftover(picture.frames[0], header=True)


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


@pytest.mark.parametrize(
    ("picture", "reason"),
    [
        (_frame(_samples(3, 3, 1, "uint8"), "gray", transparent=(3,)), "a transparent color"),
        (_frame(_samples(3, 3, 1, "uint8"), "gray", row=1), "a frame of an animation"),
        (
            _frame(_samples(3, 3, 1, "uint8"), "gray", showing=Showing(duration=Fraction(1))),
            "a frame of an animation",
        ),
        (
            replace(
                _frame(_samples(3, 3, 1, "uint8"), "gray"), animation=Animation(rows=3, columns=3)
            ),
            "an animation",
        ),
        (_frame(_samples(3, 3, 1, "longdouble"), "gray"), "-bit samples of type"),
        (_frame(_samples(3, 3, 1, "uint8"), "palette"), "without its palette"),
        (
            _frame(_samples(3, 3, 1, "uint8"), "palette", palette=_palette(17, wide=False)),
            "a palette of 17 colors for 8-bit samples",
        ),
        (
            _frame(
                _samples(3, 3, 1, "uint8"),
                "palette",
                palette=replace(_palette(256, wide=False), alphas=b"\0"),
            ),
            "transparency",
        ),
        (
            _frame(
                _samples(3, 3, 1, "bool"), "palette", palette=Palette(colors=bytes(12), wide=True)
            ),
            "8 bits are enough",
        ),
    ],
)
def test_refuses_what_would_not_come_back(picture: Picture, reason: str) -> None:
    """What a TIFF cannot give back the same is named."""
    assert reason in str(tiff_format.obstacle(picture))
    with pytest.raises(UnsupportedError, match="TIFF cannot hold"):
        encode_picture(picture, "TIFF")


def test_frames_need_no_metadata() -> None:
    """A picture read from plain strips says nothing beside its samples."""
    assert decode_picture(tiff()).frames[0].metadata == Metadata()
