"""BMP, ICO, Netpbm, PSD, QOI and TGA: samples equal known ones and Pillow's, and refusals."""

import io
import struct
from fractions import Fraction

import imagecodecs
import numpy as np
import pytest
from PIL import Image

from sudokucrypt.errors import InvalidImageError, UnsupportedError
from sudokucrypt.images import Metadata, Resolution, decode_picture
from tests.images.builders import SIZES, build_bmp, encode_array, noise, read_by_pillow, save_image
from tests.images.samples import (
    FILES,
    build_psd,
    make_psd_resource,
    pack_samples,
    read_colors_by_pillow,
)

_RGB = noise(9, 11, 3)
_COLORS = b"".join(bytes([n, 255 - n, 7 * n % 256, 0]) for n in range(256))
_MASKS = struct.pack("<III", 0xFF0000, 0xFF00, 0xFF)
_ALPHA = struct.pack("<I", 0xFF000000)


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB"])
def test_resolution_of_bmp(mode: str) -> None:
    """The resolution of a BMP is read, and data after the picture are named, with any padding."""
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
    """The fourth byte of a BMP is alpha if declared, otherwise dropped, and named if it varies."""
    pixels = noise(5, 3, 4)
    if filling is not None:
        pixels[..., 3] = filling
    lines = pixels[::-1, :, [2, 1, 0, 3]].tobytes()
    picture = decode_picture(build_bmp(32, lines, columns=3, rows=5))
    assert np.array_equal(picture.pixels, pixels[..., :3])
    assert picture.dropped == (("undeclared alpha channel",) if filling is None else ())
    for size in (56, 108, 124):
        extra = (_MASKS + _ALPHA).ljust(size - 40, b"\0")
        data = build_bmp(32, lines, columns=3, rows=5, compression=3, extra=extra, header_size=size)
        assert np.array_equal(decode_picture(data).pixels, pixels)


@pytest.mark.parametrize("bits", [1, 4, 8])
@pytest.mark.parametrize("missing_colors", [0, 1])
def test_bmp_palettes(missing_colors: int, bits: int) -> None:
    """A BMP with a palette that lacks colors is read like in Pillow, with black for them."""
    levels = np.random.default_rng(bits).integers(0, 2**bits, (5, 13), dtype=np.uint8)
    levels[0, 0] = 2**bits - 1
    lines = pack_samples(levels, bits, size=4)
    data = bytearray(
        build_bmp(bits, lines, columns=13, rows=-5, extra=_COLORS[: 4 * (2**bits - missing_colors)])
    )
    struct.pack_into("<I", data, 46, 2**bits - missing_colors)
    pixels = decode_picture(bytes(data)).pixels
    colors = np.frombuffer(_COLORS, np.uint8).reshape(-1, 4)[: 2**bits, 2::-1].copy()
    colors[2**bits - missing_colors :] = 0
    assert np.array_equal(pixels, colors[levels])
    assert np.array_equal(pixels, read_colors_by_pillow(bytes(data)))
    assert pixels.flags.writeable


def test_bmp_profiles_are_named() -> None:
    """A color profile in a BMP or in another file is dropped and named."""
    lines = noise(5, 4, 3).tobytes()
    for color_space in (b"DEBM", b"KNIL"):
        extra_header = color_space.rjust(20, b"\0").ljust(84, b"\0")
        data = build_bmp(24, lines, columns=4, rows=5, extra=extra_header, header_size=124)
        assert decode_picture(data).dropped == ("ICC profile",)


def _build_icon(bits: int, rows: int, columns: int, body: bytes, *, header_size: int = 40) -> bytes:
    bitmap_head = struct.pack("<IiiHHI20x", header_size, columns, 2 * rows, 1, bits, 0)
    body = bitmap_head.ljust(header_size, b"\0") + body
    icon_start = struct.pack("<HHHBBBBHHII", 0, 1, 1, columns, rows, 0, 0, 1, bits, len(body), 22)
    return icon_start + body


@pytest.mark.parametrize("bits", [1, 4, 8])
def test_icons_with_palettes(bits: int) -> None:
    """An icon with a palette is read as RGBA with the mask as alpha; a wrong size is refused."""
    colors = noise(1, 2**bits, 4).reshape(-1, 4).copy()
    colors[:, 3] = 0
    indices = (noise(9, 32, 1) >> (8 - bits)).astype(np.uint8)
    mask = noise(9, 32, 3)[..., 0] > 100
    body = colors.tobytes() + pack_samples(indices[::-1], bits) + pack_samples(mask[::-1], 1)
    for header_size in (40, 108, 124):
        data = _build_icon(bits, 9, 32, body, header_size=header_size)
        result = decode_picture(data).pixels
        assert np.array_equal(result, read_colors_by_pillow(data, "RGBA"))
        assert np.array_equal(result[..., :3], colors[indices][..., 2::-1])
        assert np.array_equal(result[..., 3] == 0, mask)
    with pytest.raises(InvalidImageError, match="ends in the middle"):
        decode_picture(_build_icon(bits, 9, 32, body[:-1]))
    with pytest.raises(
        UnsupportedError, match="is an icon whose mask differs in size from its picture"
    ):
        decode_picture(_build_icon(bits, 9, 32, body + bytes(9)))


def test_icons_of_32_bits() -> None:
    """An icon of 32 bits is read with its alpha; a fully transparent one is refused."""
    pixels = noise(9, 32, 4)
    lines = pixels[::-1, :, [2, 1, 0, 3]].tobytes()
    for mask in (b"", bytes(36)):
        assert np.array_equal(decode_picture(_build_icon(32, 9, 32, lines + mask)).pixels, pixels)
    with pytest.raises(UnsupportedError, match="without visible pixels"):
        decode_picture(_build_icon(32, 9, 32, bytes(len(lines))))
    huge_icon = struct.pack("<ii", 2**15, 2**16)
    data = _build_icon(32, 9, 32, lines)
    with pytest.raises(
        InvalidImageError, match="the stated and the actual size of a picture in it differ"
    ):
        decode_picture(data[:26] + huge_icon + data[34:])


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_icons_of_pillow(channels: int) -> None:
    """An icon of one size is read, one with several sizes or a protected PNG is refused."""
    data = save_image(noise(32, 64, channels), "ICO", sizes=[(64, 32)])
    result = decode_picture(data).pixels
    assert np.array_equal(
        result,
        read_colors_by_pillow(data, {2: "L", 3: "RGB" if channels == 3 else "RGBA"}[result.ndim]),
    )
    icon_of_several = save_image(noise(64, 64, channels), "ICO", sizes=[(16, 16), (64, 64)])
    with pytest.raises(UnsupportedError, match="an icon of several sizes"):
        decode_picture(icon_of_several)
    inner_png = encode_array(noise(9, 11, 4), "PNG", header=b'{"sudokucrypt":1}')
    icon = FILES["ICO"][:14] + struct.pack("<II", len(inner_png), 22) + inner_png
    with pytest.raises(UnsupportedError, match="protected"):
        decode_picture(icon)


def _build_netpbm(pixels: np.ndarray, kind: int, largest: int = 255, comment: bytes = b"") -> bytes:
    rows, columns = pixels.shape[:2]
    file_head = b"P%d\n%s%d %d\n%d\n" % (kind, comment, columns, rows, largest)
    if kind > 3:
        return file_head + pixels.astype(pixels.dtype.newbyteorder(">")).tobytes()
    return file_head + b"\n".join(b"%d" % sample for sample in pixels.ravel()) + b"\n"


@pytest.mark.parametrize(("kind", "channels"), [(2, 1), (3, 3), (5, 1), (6, 3)])
@pytest.mark.parametrize("largest", [255, 65535])
def test_netpbm_samples(largest: int, kind: int, channels: int) -> None:
    """Netpbm files of 8 and 16 bits are read exactly."""
    dtype = "uint16" if largest > 255 else "uint8"
    for size in ((1, 1), (1, 7), (5, 3)):
        pixels = noise(*size, channels, dtype)
        data = _build_netpbm(pixels, kind, largest)
        picture = decode_picture(data)
        assert np.array_equal(picture.pixels, pixels)
        assert picture.pixels.dtype == dtype
        assert (picture.header, picture.format, picture.dropped) == (None, "PPM", ())
        if largest == 255:
            assert np.array_equal(read_by_pillow(data), pixels)


def test_netpbm_comments_are_named() -> None:
    """A comment in the head of a Netpbm file is dropped and named."""
    pixels = noise(5, 3, 3)
    picture = decode_picture(_build_netpbm(pixels, 6, comment=b"# by hand\n#\n#two\n"))
    assert np.array_equal(picture.pixels, pixels)
    assert picture.dropped == ("text",)


@pytest.mark.parametrize("size", [*SIZES, (3, 17)])
def test_netpbm_bitmaps(size: tuple[int, int]) -> None:
    """Bitmaps as bits and as text are read with 1 as black, like in Pillow."""
    pixels = noise(*size, 1) > 128
    binary = save_image(pixels, "PPM")
    assert binary.startswith(b"P4")
    digits = ["01"[not sample] for sample in pixels.ravel()]
    texts = [f"P1\n{size[1]} {size[0]}\n{gap.join(digits)}\n".encode() for gap in ("", " ", "\n")]
    for data in (binary, *texts):
        picture = decode_picture(data)
        assert np.array_equal(picture.pixels, pixels)
        assert (picture.mode, picture.depth) == ("gray", 1)
        assert np.array_equal(read_by_pillow(data), pixels)


@pytest.mark.parametrize("kind", [b"Pf", b"PF"])
@pytest.mark.parametrize("scale", [b"-1.0", b"1"])
def test_netpbm_floats(scale: bytes, kind: bytes) -> None:
    """PFM files are read from the bottom up, in the byte order that the sign of the scale tells."""
    pixels = np.random.default_rng(1).normal(size=(4, 5, 3)).astype(np.float32)
    pixels = pixels[..., 0] if kind == b"Pf" else pixels
    order = "<f4" if scale.startswith(b"-") else ">f4"
    data = kind + b"\n5 4\n" + scale + b"\n" + pixels[::-1].astype(order).tobytes()
    picture = decode_picture(data)
    assert np.array_equal(picture.pixels, pixels)
    assert picture.pixels.dtype == np.float32
    assert picture.dropped == ()


@pytest.mark.parametrize(
    ("kind", "channels", "mode"),
    [(1, 1, "gray"), (3, 3, "rgb"), (3, 4, "rgba"), (4, 4, "cmyk"), (8, 1, "gray")],
)
@pytest.mark.parametrize("short", [False, True])
def test_photoshop(short: bool, kind: int, channels: int, mode: str) -> None:
    """A Photoshop file is read with its original samples and metadata, and CMYK is not inverted."""
    pixels = noise(20, 31, channels)
    resources = b"".join(
        make_psd_resource(number, data)
        for number, data in (
            (1039, b"profile"),
            (1058, b"MM\0*"),
            (1060, b"<x/>"),
            (1036, b"?"),
            (1028, b"?"),
        )
    )
    assert decode_picture(build_psd(pixels, kind, packed=short)).dropped == ()
    data = build_psd(
        pixels, kind, packed=short, resources=resources, layers=struct.pack(">II", 4, 0)
    )
    picture = decode_picture(data)
    assert np.array_equal(picture.pixels, ~pixels if mode == "cmyk" else pixels)
    assert picture.mode == mode
    assert picture.metadata == Metadata(exif=b"MM\0*", icc=b"profile", xmp=b"<x/>")
    assert picture.dropped == ("layers", "previews", "IPTC")


@pytest.mark.parametrize("channels", [3, 4])
def test_qoi_cut_and_closed(channels: int) -> None:
    """A QOI file that was cut at any position, and got an end mark, is refused."""
    pixels = np.repeat(noise(9, 11, channels) // 16 * 3, 2, axis=1)
    data = bytes(imagecodecs.qoi_encode(pixels))
    for length in range(14, len(data) - 8):
        with pytest.raises(InvalidImageError):
            decode_picture(data[:length] + data[-8:])


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("backwards", [False, True])
def test_tga(backwards: bool, descending: bool) -> None:
    """TGA files in reversed order of rows or columns are read; their text is dropped by name."""
    flags = 0x10 * backwards | 0x20 * descending
    file_head = struct.pack("<BBBHHBHHHHBB", 5, 0, 2, 0, 0, 0, 0, 0, 11, 9, 24, flags)
    stored_pixels = _RGB[:: 1 if descending else -1, :: -1 if backwards else 1, ::-1]
    picture = decode_picture(file_head + b"hello" + stored_pixels.tobytes())
    assert np.array_equal(picture.pixels, _RGB)
    assert picture.dropped == ("text",)


def test_random_bytes_are_no_tga() -> None:
    """Random bytes are not recognized as a TGA, which has no signature."""
    draw = np.random.default_rng(1)
    for data in (bytes(100), b"\0\0\2" + bytes(97), b"\0\0\2\0" * 25, draw.bytes(100)):
        with pytest.raises(InvalidImageError, match="is not a picture"):
            decode_picture(data)
