"""BMP: every kind of pixel and run length as Pillow sees it, in headers of all lengths."""

import io
import struct
import time
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from sudokucrypt.errors import InvalidImageError, SudokucryptError, UnsupportedError
from sudokucrypt.images import decode_picture
from sudokucrypt.images.picture import Metadata, Resolution
from tests.images.builders import bmp, noise, opened
from tests.images.samples import colors_of, packed, shown

_COLORS = b"".join(bytes([n, 255 - n, 7 * n % 256, 0]) for n in range(256))
_WIDE = struct.pack("<III", 0x3FF, 0xFFC00, 0x3FF00000)
_MASKS = struct.pack("<III", 0xFF0000, 0xFF00, 0xFF)
_ALPHA = struct.pack("<I", 0xFF000000)


def _bgra(pixels: np.ndarray) -> bytes:
    return pixels[::-1, :, [2, 1, 0, 3]].tobytes()


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB"])
def test_reads_what_pillow_writes(mode: str) -> None:
    """Bitmaps, palettes, gray and color come back exactly, whatever the padding."""
    for size in ((1, 1), (7, 1), (3, 5), (2, 3), (4, 2), (64, 48)):
        image = Image.effect_noise(size, 90).convert("RGB").convert(mode)
        buffer = io.BytesIO()
        image.save(buffer, "BMP", dpi=(300, 150))
        data = buffer.getvalue()
        picture = decode_picture(data)
        frame = picture.frames[0]
        assert np.array_equal(frame.pixels, np.asarray(image))
        assert frame.mode == {"P": "palette", "RGB": "rgb"}.get(mode, "gray")
        density = Resolution(columns=Fraction(11811), rows=Fraction(5906), unit="meter")
        assert frame.metadata == Metadata(resolution=density)
        assert (picture.header, picture.format, picture.dropped) == (None, "BMP", ())
        if mode == "P":
            assert np.array_equal(colors_of(frame)[frame.pixels], shown(data))
        assert decode_picture(data + b"data").dropped == ("data after the picture",)


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


@pytest.mark.parametrize("filling", [None, 0, 255])
def test_fourth_byte_without_meaning(filling: int | None) -> None:
    """A fourth byte that no header calls alpha is left out, and named unless it is constant."""
    pixels = noise(5, 3, 4)
    if filling is not None:
        pixels[..., 3] = filling
    variants: tuple[dict[str, Any], ...] = ({}, {"compression": 3, "extra": _MASKS})
    for options in variants:
        picture = decode_picture(bmp(32, _bgra(pixels), columns=3, rows=5, **options))
        assert np.array_equal(picture.pixels, pixels[..., :3])
        assert picture.dropped == (("undeclared alpha channel",) if filling is None else ())


def test_top_down() -> None:
    """Negative heights stand upright."""
    pixels = noise(5, 4, 3)
    down = bmp(24, pixels[..., ::-1].tobytes(), columns=4, rows=-5)
    assert np.array_equal(decode_picture(down).pixels, pixels)
    gray = bmp(8, noise(5, 4, 1).tobytes(), columns=4, rows=-5, extra=_COLORS)
    assert decode_picture(gray).pixels.flags.writeable


@pytest.mark.parametrize("bits", [1, 2, 4, 8])
@pytest.mark.parametrize("missing", [0, 1])
def test_palettes(missing: int, bits: int) -> None:
    """Colors are kept as far as they are there; others are black, as Pillow shows them."""
    colors = _COLORS[: 4 * (2**bits - missing)]
    levels = np.random.default_rng(bits).integers(0, 2**bits, (5, 13), dtype=np.uint8)
    levels[0, 0] = 2**bits - 1
    lines = packed(levels[::-1], bits, size=4)
    data = bytearray(bmp(bits, lines, columns=13, rows=5, extra=colors))
    struct.pack_into("<I", data, 46, 2**bits - missing)
    frame = decode_picture(bytes(data)).frames[0]
    assert (frame.mode, frame.depth) == ("palette", bits)
    assert np.array_equal(frame.pixels, levels)
    ours = colors_of(frame)
    assert len(ours) == 2**bits
    assert ours[-1].any() != bool(missing)
    if bits != 2:
        assert np.array_equal(shown(bytes(data)), ours[levels])


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


@pytest.mark.parametrize("order", [(0, 1, 2), (3, 2, 1), (1, 0, 3)])
def test_other_orders_of_channels(order: tuple[int, ...]) -> None:
    """The masks say where a channel is."""
    pixels = noise(5, 3, 3)
    stored = np.zeros((5, 3, 4), np.uint8)
    stored[..., list(order)] = pixels
    extra = struct.pack("<III", *(0xFF << 8 * place for place in order))
    data = bmp(32, stored[::-1].tobytes(), columns=3, rows=5, compression=3, extra=extra)
    assert np.array_equal(decode_picture(data).pixels, pixels)


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
    assert picture.dropped == ()
    linked = extra.replace(b"DEBM", b"KNIL")
    other = decode_picture(bmp(24, lines, columns=4, rows=5, extra=linked, header_size=124))
    assert (other.frames[0].metadata.icc, other.dropped) == (None, ("ICC profile",))


@pytest.mark.parametrize("header_size", [12, 16, 64])
def test_headers_of_os2(header_size: int) -> None:
    """The header of 1985 and the longer ones are read; Pillow knows two of them."""
    pixels = noise(5, 4, 3)
    lines = pixels[::-1, :, ::-1].tobytes()
    head = struct.pack("<IiiHHI", header_size, 4, 5, 1, 24, 0).ljust(64, b"\0")[:header_size]
    if header_size == 12:
        head = struct.pack("<IHHHH", 12, 4, 5, 1, 24)
    offset = 14 + header_size
    data = b"BM" + struct.pack("<IHHI", offset + len(lines), 0, 0, offset) + head + lines
    assert np.array_equal(decode_picture(data).pixels, pixels)
    if header_size != 16:
        assert np.array_equal(opened(data), pixels)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"bits": 24, "compression": 4}, "compression 4"),
        ({"bits": 0, "compression": 5}, "compression 5"),
        ({"bits": 32, "compression": 3, "extra": _WIDE}, "channels of more than 8 bits"),
    ],
)
def test_refuses_what_it_would_have_to_convert(options: dict[str, Any], reason: str) -> None:
    """Other compressions and deep channels raise `UnsupportedError`."""
    with pytest.raises(UnsupportedError, match=reason):
        decode_picture(bmp(lines=bytes(12), columns=3, rows=1, **options))


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"columns": 0}, "no pixels"), ({"columns": -3}, "no pixels"), ({"rows": 0}, "no pixels"),
        ({"rows": 2}, "ends in the middle"), ({"rows": -(2**31)}, "more than"),
        ({"bits": 7}, "unknown mode"), ({"compression": 1}, "unknown mode"),
        ({"bits": 32, "compression": 3, "extra": _MASKS[:4] * 3}, "share bits"),
        ({"bits": 32, "compression": 3, "extra": bytes(12)}, "share bits"),
        ({"bits": 16, "compression": 3, "extra": _MASKS}, "share bits"),
        ({"header_size": 41}, "unknown size"), ({"header_size": 52}, "overlap its header"),
    ],
)  # fmt: skip
def test_refuses_damage(options: dict[str, Any], reason: str) -> None:
    """Headers that make no picture raise `InvalidImageError`."""
    with pytest.raises(InvalidImageError, match=reason):
        decode_picture(bmp(**{"bits": 24, "lines": bytes(12), "columns": 3, "rows": 1, **options}))


@pytest.mark.parametrize("offset", [54, 54 + 16, 54 + 1024])
def test_palettes_that_reach_into_the_samples(offset: int) -> None:
    """Colors are read wherever the samples are said to begin, as Pillow does."""
    colors = noise(256, 4, 1).tobytes()
    lines = (noise(9, 12, 1) % 20).tobytes()
    data = bytearray(bmp(8, lines, columns=11, rows=9, extra=colors))
    data[10:14] = offset.to_bytes(4, "little")
    frame = decode_picture(bytes(data)).frames[0]
    assert len(colors_of(frame)) == (frame.pixels.max() + 1 if offset == 54 + 16 else 256)
    assert np.array_equal(colors_of(frame)[frame.pixels], shown(bytes(data)))
    if offset != 54 + 16:  # a file that lacks its last byte is not read from an earlier one
        with pytest.raises(InvalidImageError, match="ends in the middle"):
            decode_picture(bytes(data[:-1]))


@pytest.mark.parametrize("bits", [1, 4, 8, 24])
def test_samples_inside_the_header(bits: int) -> None:
    """A file whose samples are said to begin inside its header is refused, not shown black."""
    data = bmp(bits, noise(9, 36, 1).tobytes(), columns=11, rows=9, extra=bytes(4 * 2**8))
    for offset in (0, 1, 14, 53):
        with pytest.raises(InvalidImageError, match="overlap its header"):
            decode_picture(data[:10] + offset.to_bytes(4, "little") + data[14:])


def _runs(codes: bytes, bits: int, columns: int, rows: int) -> bytes:
    kind, extra = 1 if bits == 8 else 2, _COLORS[: 4 * 2**bits]
    return bmp(bits, codes, columns=columns, rows=rows, compression=kind, extra=extra)


def _literal(samples: list[int], bits: int) -> bytes:
    """Pixels as they are, filled up to two bytes."""
    return bytes([0, len(samples)]) + packed(np.array([samples]), bits, size=2)


_PIECE = st.tuples(st.booleans(), st.lists(st.integers(0, 255), min_size=3, max_size=9))


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.lists(_PIECE, min_size=1, max_size=4), min_size=1, max_size=4),
    st.sampled_from([4, 8]),
)
def test_rows_come_back(rows: list[list[tuple[bool, list[int]]]], bits: int) -> None:
    """Runs and literal pixels in any mixture make the rows that Pillow makes."""
    codes = b""
    expected = np.zeros((len(rows), 36), np.uint8)
    for line, pieces in zip(expected[::-1], rows, strict=True):
        column = 0
        for literal, numbers in pieces:
            samples = [number % 2**bits for number in numbers]
            if literal:
                codes += _literal(samples, bits)
            else:
                color, size = numbers[0], len(numbers)
                samples = ([color >> 4, color & 15] * size if bits == 4 else [color] * size)[:size]
                codes += bytes([size, color])
            line[column : column + len(samples)] = samples
            column += len(samples)
        codes += b"\0\0"
    file = _runs(codes + b"\0\1", bits, 36, len(rows))
    frame = decode_picture(file).frames[0]
    assert np.array_equal(frame.pixels, expected)
    assert frame.depth == bits
    assert np.array_equal(frame.pixels, opened(file))


@pytest.mark.parametrize("bits", [4, 8])
def test_moves_and_short_rows(bits: int) -> None:
    """Pixels that are passed over are 0, and runs that leave a row are cut, as in Pillow."""
    for codes in (
        b"\1\x11\0\2\3\1\2\x22\0\0\1\x33\0\0\0\1",
        b"\0\2\0\2\5\x33\0\1",
        b"\7\x11\0\0\7\x22\0\0\7\x33\0\0\0\1",
        b"\1\x12\1\x34\1\x56\0\0" * 3,
    ):
        file = _runs(codes, bits, 5, 3)
        assert np.array_equal(decode_picture(file).pixels, opened(file))


def test_empty_rows() -> None:
    """A row may end before it began; Pillow takes such a row for none."""
    pixels = decode_picture(_runs(b"\2\x11\0\0\0\0\1\x11\0\0\0\1", 8, 5, 3)).pixels
    assert pixels.tolist() == [[17, 0, 0, 0, 0], [0] * 5, [17, 17, 0, 0, 0]]


@pytest.mark.parametrize("bits", [4, 8])
def test_codes_that_stop_too_early(bits: int) -> None:
    """A picture whose codes do not reach its last row is not filled up."""
    for codes in (b"", b"\5\1\0\1", b"\1", b"\1\1", b"\0", b"\0\5\1", b"\0\2\1", b"\5\1\0\0" * 2):
        with pytest.raises(InvalidImageError, match="damaged"):
            decode_picture(_runs(codes, bits, 5, 3))


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=60), st.sampled_from([4, 8]))
def test_any_codes(codes: bytes, bits: int) -> None:
    """No codes lead out of the picture or to a foreign error."""
    with suppress(SudokucryptError):
        assert decode_picture(_runs(codes, bits, 7, 5)).pixels.shape == (5, 7)


def test_endless_codes() -> None:
    """Codes that go nowhere are given up after as many as a picture can need."""
    started = time.perf_counter()
    with pytest.raises(InvalidImageError):
        decode_picture(_runs(b"\0\2\0\0" * 10**6, 8, 5, 3))
    assert time.perf_counter() - started < 1
