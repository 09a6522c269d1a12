"""BMP: every kind of pixel as Pillow sees it, in headers of all lengths."""

from __future__ import annotations

import io
import struct
from contextlib import suppress
from fractions import Fraction

import imagecodecs
import numpy as np
import pytest
from PIL import Image

from sudokucrypt.errors import InvalidImageError, SudokucryptError, UnsupportedError
from sudokucrypt.images import decode_picture
from sudokucrypt.images.metadata import Metadata, Resolution
from tests.images.builders import SIZES, bmp, noise, opened, saved

_COLORS = b"".join(bytes([n, 255 - n, 7 * n % 256, 0]) for n in range(256))
_WIDE = struct.pack("<III", 0x3FF, 0xFFC00, 0x3FF00000)
_MASKS = struct.pack("<III", 0xFF0000, 0xFF00, 0xFF)
_ALPHA = struct.pack("<I", 0xFF000000)


def _bgra(pixels: np.ndarray) -> bytes:
    return pixels[::-1, :, [2, 1, 0, 3]].tobytes()


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("size", [*SIZES, (3, 2), (2, 4)])
def test_reads_what_others_write(size: tuple[int, int], channels: int) -> None:
    """Files of Pillow and imagecodecs come back exactly, whatever the padding."""
    pixels = noise(*size, channels)
    for data in (saved(pixels, "BMP"), bytes(imagecodecs.bmp_encode(pixels))):
        picture = decode_picture(data)
        assert np.array_equal(picture.pixels, pixels)
        assert picture.pixels.flags.c_contiguous
        assert (picture.header, picture.format, picture.left_out) == (None, "BMP", ())


@pytest.mark.parametrize("header_size", [56, 108, 124])
def test_declared_alpha(header_size: int) -> None:
    """An alpha channel that the header declares is kept."""
    pixels = noise(5, 3, 4)
    extra = (_MASKS + _ALPHA).ljust(header_size - 40, b"\0")
    data = bmp(
        32, _bgra(pixels), columns=3, rows=5, compression=3, extra=extra, header_size=header_size
    )
    assert np.array_equal(decode_picture(data).pixels, pixels)
    if header_size > 56:
        assert np.array_equal(opened(data), pixels)


@pytest.mark.parametrize("filling", [0, 255])
def test_fourth_byte_without_meaning(filling: int) -> None:
    """A constant fourth byte that no header calls alpha is left out."""
    pixels = noise(5, 3, 4)
    pixels[..., 3] = filling
    for options in ({}, {"compression": 3, "extra": _MASKS}):
        data = bmp(32, _bgra(pixels), columns=3, rows=5, **options)  # type: ignore[arg-type]
        assert np.array_equal(decode_picture(data).pixels, pixels[..., :3])


def test_top_down_and_old_header() -> None:
    """Negative heights stand upright, and the header of 1985 is read."""
    pixels = noise(5, 4, 3)
    down = bmp(24, pixels[..., ::-1].tobytes(), columns=4, rows=-5)
    assert np.array_equal(decode_picture(down).pixels, pixels)
    gray = bmp(8, noise(5, 4, 1).tobytes(), columns=4, rows=-5, extra=_COLORS)
    assert decode_picture(gray).pixels.flags.writeable
    head = struct.pack("<IHHHH", 12, 4, 5, 1, 24)
    lines = pixels[::-1, :, ::-1].tobytes()
    old = b"BM" + struct.pack("<IHHI", 26 + len(lines), 0, 0, 26) + head + lines
    assert np.array_equal(decode_picture(old).pixels, pixels)
    assert np.array_equal(opened(old), pixels)


def test_data_after_the_picture_are_named() -> None:
    """A profile at the end is left out."""
    assert decode_picture(saved(noise(5, 3, 3), "BMP") + b"data").left_out == (
        "data after the picture",
    )


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB"])
@pytest.mark.parametrize("size", [(1, 1), (5, 9), (8, 33)])
def test_modes_of_pillow(size: tuple[int, int], mode: str) -> None:
    """Bitmaps, palettes, gray and color come back as Pillow wrote them."""
    image = Image.effect_noise(size, 90).convert("RGB").convert(mode)
    buffer = io.BytesIO()
    image.save(buffer, "BMP", dpi=(300, 150))
    frame = decode_picture(buffer.getvalue()).frames[0]
    assert np.array_equal(frame.pixels, np.asarray(image))
    assert frame.mode == {"P": "palette", "RGB": "rgb"}.get(mode, "gray")
    assert frame.metadata.resolution == Resolution(
        columns=Fraction(11811), rows=Fraction(5906), unit="meter"
    )
    if frame.palette is not None:
        with Image.open(buffer) as read:
            colors = np.array(read.getpalette(), np.uint8).reshape(-1, 3)
            ours = np.frombuffer(frame.palette.colors, np.uint8).reshape(-1, 3)
            assert np.array_equal(colors[frame.pixels], ours[frame.pixels])


@pytest.mark.parametrize("bits", [1, 2, 4, 8])
@pytest.mark.parametrize("missing", [0, 1])
def test_palettes(missing: int, bits: int) -> None:
    """Colors are kept as far as they are there; others are black, as Pillow shows them."""
    colors = _COLORS[: 4 * (2**bits - missing)]
    levels = np.random.default_rng(bits).integers(0, 2**bits, (5, 13), dtype=np.uint8)
    levels[0, 0] = 2**bits - 1
    padded = np.pad(levels[::-1], ((0, 0), (0, -13 % 32)))
    planes = (padded[..., np.newaxis] >> np.arange(bits - 1, -1, -1)) & 1
    lines = np.packbits(planes.reshape(5, -1).astype(np.uint8), axis=1)
    lines = lines[:, : (13 * bits + 31) // 32 * 4]
    data = bytearray(bmp(bits, lines.tobytes(), columns=13, rows=5, extra=colors))
    struct.pack_into("<I", data, 46, 2**bits - missing)
    frame = decode_picture(bytes(data)).frames[0]
    assert (frame.mode, frame.depth) == ("palette", bits)
    assert np.array_equal(frame.pixels, levels)
    assert frame.palette is not None
    ours = np.frombuffer(frame.palette.colors, np.uint8).reshape(-1, 3)
    assert len(ours) == 2**bits
    assert ours[-1].any() != bool(missing)
    if bits != 2:
        with Image.open(io.BytesIO(data)) as image:
            assert np.array_equal(np.asarray(image.convert("RGB")), ours[levels])


@pytest.mark.parametrize(
    "masks",
    [(0x7C00, 0x3E0, 0x1F), (0xF800, 0x7E0, 0x1F), (0xF00, 0xF0, 0xF), (0xF00, 0xF0, 0xF, 0xF000)],
)
def test_sixteen_bits(masks: tuple[int, ...]) -> None:
    """Every pixel of 16 bits has the channels that Pillow gives it."""
    values = np.arange(2**16, dtype="<u2").reshape(256, 256)
    header_size = 56 if len(masks) == 4 else 40
    extra = struct.pack(f"<{len(masks)}I", *masks)
    options = {"columns": 256, "rows": -256, "header_size": header_size}
    data = bmp(16, values.tobytes(), compression=3, extra=extra, **options)
    pixels = decode_picture(data).pixels
    if masks[0] >= 0x7C00:
        assert np.array_equal(pixels, opened(data))
    else:
        nibbles = np.stack([(values & m) // (m & -m) for m in masks], axis=-1)
        assert np.array_equal(pixels, nibbles * 17)
    if masks[0] == 0x7C00:
        plain = bmp(16, values.tobytes(), columns=256, rows=-256)
        assert np.array_equal(decode_picture(plain).pixels, opened(plain))


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (3, 2, 1), (1, 0, 3)])
def test_other_orders_of_channels(order: tuple[int, ...]) -> None:
    """The masks say where a channel is."""
    pixels = noise(5, 3, 3)
    stored = np.zeros((5, 3, 4), np.uint8)
    stored[..., list(order)] = pixels
    extra = struct.pack("<III", *(0xFF << 8 * place for place in order))
    data = bmp(32, stored[::-1].tobytes(), columns=3, rows=5, compression=3, extra=extra)
    assert np.array_equal(decode_picture(data).pixels, pixels)


def test_undeclared_alpha_is_named() -> None:
    """A fourth byte that no header calls alpha is left out, as Pillow leaves it out."""
    pixels = noise(5, 3, 4)
    data = bmp(32, _bgra(pixels), columns=3, rows=5)
    picture = decode_picture(data)
    assert np.array_equal(picture.pixels, opened(data))
    assert picture.left_out == ("undeclared alpha channel",)


def test_profiles() -> None:
    """The profile of a header of 124 bytes is kept, one in another file is named."""
    pixels, profile = noise(5, 4, 3), b"profile" * 5
    lines = pixels[::-1, :, ::-1].tobytes()
    space = struct.pack("<4s", b"DEBM").rjust(56 - 40 + 4, b"\0")
    where = struct.pack("<II", 124 + len(lines), len(profile))
    extra = space.ljust(112 - 40, b"\0") + where + bytes(4)
    picture = decode_picture(
        bmp(24, lines, columns=4, rows=5, extra=extra, header_size=124) + profile
    )
    assert np.array_equal(picture.pixels, pixels)
    assert picture.frames[0].metadata == Metadata(icc=profile)
    assert picture.left_out == ()
    linked = extra.replace(b"DEBM", b"KNIL")
    other = decode_picture(bmp(24, lines, columns=4, rows=5, extra=linked, header_size=124))
    assert (other.frames[0].metadata.icc, other.left_out) == (None, ("ICC profile",))


@pytest.mark.parametrize("header_size", [16, 64])
def test_headers_of_os2(header_size: int) -> None:
    """The longer headers of OS/2 are read; Pillow knows one of them."""
    pixels = noise(5, 4, 3)
    lines = pixels[::-1, :, ::-1].tobytes()
    head = struct.pack("<IiiHHI", header_size, 4, 5, 1, 24, 0).ljust(64, b"\0")[:header_size]
    offset = 14 + header_size
    data = b"BM" + struct.pack("<IHHI", offset + len(lines), 0, 0, offset) + head + lines
    assert np.array_equal(decode_picture(data).pixels, pixels)
    if header_size == 64:
        assert np.array_equal(opened(data), pixels)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (bmp(24, b"\0" * 12, columns=3, rows=1, compression=4), "compression 4"),
        (bmp(0, b"\0" * 12, columns=3, rows=1, compression=5), "compression 5"),
        (
            bmp(32, b"\0" * 12, columns=3, rows=1, compression=3, extra=_WIDE),
            "channels of more than 8 bits",
        ),
    ],
)
def test_refuses_what_it_would_have_to_convert(data: bytes, reason: str) -> None:
    """Other compressions and deep channels raise `UnsupportedError`."""
    with pytest.raises(UnsupportedError, match=reason):
        decode_picture(data)


@pytest.mark.parametrize("name", ["1", "P", "RGB", "16", "RGBA"])
def test_flipped_and_cut(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Whatever byte is changed or missing, no foreign error, warning or message comes out."""
    if name in ("16", "RGBA"):
        bits = 16 if name == "16" else 32
        lines = noise(5, 3, bits // 8).tobytes().ljust(60, b"\0")
        extra = struct.pack("<III", 0xF00, 0xF0, 0xF) + _ALPHA
        data = bmp(bits, lines, columns=3, rows=5, compression=3, extra=extra)
    else:
        buffer = io.BytesIO()
        Image.effect_noise((5, 3), 90).convert("RGB").convert(name).save(buffer, "BMP")
        data = buffer.getvalue()
    changed = bytearray(data)
    for position in range(min(len(data), 150)):
        for value in (data[position] ^ 0xFF, data[position] ^ 1, 0):
            changed[position] = value
            with suppress(SudokucryptError):
                decode_picture(bytes(changed), max_pixels=2**16)
        changed[position] = data[position]
        with suppress(SudokucryptError):
            decode_picture(data[:position])
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "data",
    [
        bmp(24, b"\0" * 12, columns=0, rows=1),
        bmp(24, b"\0" * 12, columns=-3, rows=1),
        bmp(24, b"\0" * 12, columns=3, rows=0),
        bmp(24, b"\0" * 12, columns=3, rows=2),
        bmp(24, b"\0" * 12, columns=3, rows=-(2**31)),
        bmp(7, b"\0" * 12, columns=3, rows=1),
        bmp(24, b"\0" * 12, columns=3, rows=1, compression=1),
        bmp(32, b"\0" * 12, columns=3, rows=1, compression=3, extra=_MASKS[:4] * 3),
        bmp(32, b"\0" * 12, columns=3, rows=1, compression=3, extra=bytes(12)),
        bmp(16, b"\0" * 12, columns=3, rows=1, compression=3, extra=_MASKS),
        bmp(24, b"\0" * 12, columns=3, rows=1, header_size=41),
        saved(noise(1, 1, 3), "BMP")[:10] + b"\0\0\0\0" + saved(noise(1, 1, 3), "BMP")[14:],
    ],
)
def test_refuses_damage(data: bytes) -> None:
    """Headers that make no picture raise `InvalidImageError`."""
    with pytest.raises(InvalidImageError):
        decode_picture(data)


@pytest.mark.parametrize("offset", [54, 54 + 16, 54 + 1024])
def test_palettes_that_reach_into_the_samples(offset: int) -> None:
    """Colors are read wherever the samples are said to begin, as Pillow does."""
    colors = noise(256, 4, 1).tobytes()
    lines = (noise(9, 12, 1) % 20).tobytes()
    data = bytearray(bmp(8, lines, columns=11, rows=9, extra=colors))
    data[10:14] = offset.to_bytes(4, "little")
    picture = decode_picture(bytes(data))
    palette = picture.frames[0].palette
    assert palette is not None
    shown = np.frombuffer(palette.colors, np.uint8).reshape(-1, 3)[picture.pixels]
    with Image.open(io.BytesIO(data)) as image:
        assert np.array_equal(np.asarray(image.convert("RGB")), shown)
