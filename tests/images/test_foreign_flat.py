"""BMP, Netpbm and PSD: known samples, those of Pillow, and clear refusals."""

import io
import struct
from fractions import Fraction

import numpy as np
import pytest
from PIL import Image

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.images import Metadata, Resolution, decode_picture
from tests.images.builders import SIZES, bmp, noise, opened, saved
from tests.images.samples import pack_samples, psd, psd_resource, show_colors

_RGB = noise(9, 11, 3)
_COLORS = b"".join(bytes([n, 255 - n, 7 * n % 256, 0]) for n in range(256))
_MASKS = struct.pack("<III", 0xFF0000, 0xFF00, 0xFF)
_ALPHA = struct.pack("<I", 0xFF000000)


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB"])
def test_resolution_of_bmp(mode: str) -> None:
    """The density of pixels is kept, and data after the picture are named, whatever the padding."""
    for size in ((1, 1), (7, 1), (3, 5), (2, 3), (4, 2), (64, 48)):
        image = Image.effect_noise(size, 90).convert("RGB").convert(mode)
        buffer = io.BytesIO()
        image.save(buffer, "BMP", dpi=(300, 150))
        data = buffer.getvalue()
        picture = decode_picture(data)
        density = Resolution(columns=Fraction(11811), rows=Fraction(5906), unit="meter")
        assert picture.metadata == Metadata(resolution=density)
        assert (picture.header, picture.format, picture.dropped) == (None, "BMP", ())
        assert decode_picture(data + b"data").dropped == ("data after the picture",)


@pytest.mark.parametrize("filling", [None, 0, 255])
def test_bmp_fourth_byte(filling: int | None) -> None:
    """Alpha is kept if the header declares it, left out if not, and named unless it is constant."""
    pixels = noise(5, 3, 4)
    if filling is not None:
        pixels[..., 3] = filling
    lines = pixels[::-1, :, [2, 1, 0, 3]].tobytes()
    picture = decode_picture(bmp(32, lines, columns=3, rows=5))
    assert np.array_equal(picture.pixels, pixels[..., :3])
    assert picture.dropped == (("undeclared alpha channel",) if filling is None else ())
    for size in (56, 108, 124):
        extra = (_MASKS + _ALPHA).ljust(size - 40, b"\0")
        data = bmp(32, lines, columns=3, rows=5, compression=3, extra=extra, header_size=size)
        assert np.array_equal(decode_picture(data).pixels, pixels)


@pytest.mark.parametrize("bits", [1, 4, 8])
@pytest.mark.parametrize("missing", [0, 1])
def test_bmp_palettes(missing: int, bits: int) -> None:
    """Colors are kept as far as they are there, from the top down too; others are black."""
    levels = np.random.default_rng(bits).integers(0, 2**bits, (5, 13), dtype=np.uint8)
    levels[0, 0] = 2**bits - 1
    lines = pack_samples(levels, bits, size=4)
    data = bytearray(
        bmp(bits, lines, columns=13, rows=-5, extra=_COLORS[: 4 * (2**bits - missing)])
    )
    struct.pack_into("<I", data, 46, 2**bits - missing)
    pixels = decode_picture(bytes(data)).pixels
    colors = np.frombuffer(_COLORS, np.uint8).reshape(-1, 4)[: 2**bits, 2::-1].copy()
    colors[2**bits - missing :] = 0
    assert np.array_equal(pixels, colors[levels])
    assert np.array_equal(pixels, show_colors(bytes(data)))
    assert pixels.flags.writeable


def test_bmp_profiles_are_named() -> None:
    """A profile in the header or in another file is left out, and named."""
    lines = noise(5, 4, 3).tobytes()
    for space in (b"DEBM", b"KNIL"):
        extra = space.rjust(20, b"\0").ljust(84, b"\0")
        data = bmp(24, lines, columns=4, rows=5, extra=extra, header_size=124)
        assert decode_picture(data).dropped == ("ICC profile",)


def _netpbm(pixels: np.ndarray, kind: int, largest: int = 255, comment: bytes = b"") -> bytes:
    rows, columns = pixels.shape[:2]
    head = b"P%d\n%s%d %d\n%d\n" % (kind, comment, columns, rows, largest)
    return head + pixels.astype(pixels.dtype.newbyteorder(">")).tobytes()


@pytest.mark.parametrize(("kind", "channels"), [(5, 1), (6, 3)])
@pytest.mark.parametrize("largest", [255, 65535])
def test_netpbm_samples(largest: int, kind: int, channels: int) -> None:
    """Samples of 8 and 16 bits are exact."""
    dtype = "uint16" if largest > 255 else "uint8"
    for size in ((1, 1), (1, 7), (5, 3)):
        pixels = noise(*size, channels, dtype)
        data = _netpbm(pixels, kind, largest)
        picture = decode_picture(data)
        assert np.array_equal(picture.pixels, pixels)
        assert picture.pixels.dtype == dtype
        assert (picture.header, picture.format, picture.dropped) == (None, "PPM", ())
        if largest == 255:
            assert np.array_equal(opened(data), pixels)


def test_netpbm_comments_are_named() -> None:
    """A comment in the head is left out."""
    pixels = noise(5, 3, 3)
    picture = decode_picture(_netpbm(pixels, 6, comment=b"# by hand\n#\n#two\n"))
    assert np.array_equal(picture.pixels, pixels)
    assert picture.dropped == ("text",)


@pytest.mark.parametrize("size", [*SIZES, (3, 17)])
def test_netpbm_bitmaps(size: tuple[int, int]) -> None:
    """One is black, as Pillow sees it."""
    pixels = noise(*size, 1) > 128
    data = saved(pixels, "PPM")
    assert data.startswith(b"P4")
    picture = decode_picture(data)
    assert np.array_equal(picture.pixels, pixels)
    assert (picture.mode, picture.depth) == ("gray", 1)
    assert np.array_equal(opened(data), pixels)


@pytest.mark.parametrize(
    "start", [b"P1 1 1\n0\n", b"P2 1 1 255\n7\n", b"P3 1 1 255\n1 2 3\n", b"Pf"]
)
def test_netpbm_that_is_not_read(start: bytes) -> None:
    """Text and floats are refused with a hint to the format that is read everywhere."""
    with pytest.raises(UnsupportedError, match="not binary") as raised:
        decode_picture(start.ljust(64))
    assert "save it as PNG" in str(raised.value.hint)


@pytest.mark.parametrize(
    ("kind", "channels", "mode"),
    [(1, 1, "gray"), (3, 3, "rgb"), (3, 4, "rgba"), (4, 4, "cmyk"), (8, 1, "gray")],
)
@pytest.mark.parametrize("short", [False, True])
def test_photoshop(short: bool, kind: int, channels: int, mode: str) -> None:
    """Samples come back as they were put in, inks as much as there is of them."""
    pixels = noise(20, 31, channels)
    resources = b"".join(
        psd_resource(number, data)
        for number, data in (
            (1039, b"profile"),
            (1058, b"MM\0*"),
            (1060, b"<x/>"),
            (1036, b"?"),
            (1028, b"?"),
        )
    )
    assert decode_picture(psd(pixels, kind, packed=short)).dropped == ()
    data = psd(pixels, kind, packed=short, resources=resources, layers=struct.pack(">II", 4, 0))
    picture = decode_picture(data)
    assert np.array_equal(picture.pixels, ~pixels if mode == "cmyk" else pixels)
    assert picture.mode == mode
    assert picture.metadata == Metadata(exif=b"MM\0*", icc=b"profile", xmp=b"<x/>")
    assert picture.dropped == ("layers", "previews", "IPTC")
