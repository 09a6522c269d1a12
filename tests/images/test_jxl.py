"""JPEG XL: samples equal the original ones, and the heading is checked before the codec runs."""

import numpy as np
import pytest

from sudokucrypt.images import Metadata, decode_picture, encode_picture, get_turn
from sudokucrypt.images.orientation import TURNS
from tests.images.builders import list_picture_fields, make_box, noise
from tests.images.samples import JXL_START, encode_jxl

_RGB = encode_jxl(noise(9, 11, 3))


def _list_bits(data: bytes) -> str:
    return "".join(format(byte, "08b")[::-1] for byte in data)


def _build_codestream(bits: str, other_bits: bytes = b"") -> bytes:
    bits += "0" * (-len(bits) % 8)
    heading = bytes(int(bits[n : n + 8][::-1], 2) for n in range(0, len(bits), 8))
    return b"\xff\x0a" + heading + other_bits


@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
@pytest.mark.parametrize(
    ("size", "channels"),
    [((1, 1), 1), ((9, 11), 2), ((8, 8), 3), ((16, 24), 4), ((300, 20), 1), ((7, 1400), 2)],
)
def test_lossless(size: tuple[int, int], channels: int, dtype: str) -> None:
    """A lossless JPEG XL is read exactly, with boxes and without, and can be stored as PNG."""
    pixels = noise(*size, channels, dtype)
    bare_picture, picture = (
        decode_picture(encode_jxl(pixels, usecontainer=boxed)) for boxed in (False, True)
    )
    assert list_picture_fields(bare_picture) == list_picture_fields(picture)
    assert np.array_equal(picture.pixels, pixels)
    assert picture.pixels.dtype == dtype
    # imagecodecs marks 16-bit samples as linear, which is dropped by name.
    assert picture.dropped == (("color space",) if dtype == "uint16" else ())
    assert picture.format == "JPEG XL"
    decoded_png = decode_picture(encode_picture(picture, "PNG"))
    assert list_picture_fields(decoded_png) == list_picture_fields(picture) | {
        "format": "PNG",
        "dropped": decoded_png.dropped,
    }


@pytest.mark.parametrize("bits", [10, 12])
@pytest.mark.parametrize("channels", [1, 3])
def test_deep_samples(channels: int, bits: int) -> None:
    """Samples of fewer than 16 bits are scaled to 16 bits; a shift restores them."""
    pixels = noise(9, 11, channels, "uint16") >> (16 - bits)
    pixels[0, 0], pixels[0, 1] = 0, (1 << bits) - 1
    result = decode_picture(encode_jxl(pixels, bitspersample=bits)).pixels
    assert np.array_equal(result >> (16 - bits), pixels)
    assert (result.min(), result.max()) == (0, 65535)


@pytest.mark.parametrize("ratio_index", [(1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1)])
def test_sides_by_their_ratio(ratio_index: tuple[int, int]) -> None:
    """A heading that states columns by their ratio to rows is read, rounded down."""
    for rows in (1, 13, 40):
        pixels = noise(rows, max(1, rows * ratio_index[0] // ratio_index[1]), 1)
        assert np.array_equal(decode_picture(encode_jxl(pixels)).pixels, pixels)


@pytest.mark.parametrize("orientation", [1, 2, 5, 8])
def test_orientation_is_not_applied(orientation: int) -> None:
    """The samples of a turned JPEG XL are read as stored, and EXIF states the orientation."""
    bits = _list_bits(_RGB[2:])
    # The heading states 9 rows, a ratio of 5:4, no defaults, no rare fields, integers of 8 bits,
    # 16-bit buffers, no extra channel, no XYB, sRGB, no extensions, and the usual transform.
    sides = "0" + "00" + format(8, "09b")[::-1] + "011"
    plain = "0" + "0" + "0" + "00" + "1" + "00" + "0" + "1" + "00" + "1"
    assert bits.startswith(sides + plain)
    turned = "0" + "1" + format(orientation - 1, "03b")[::-1] + "000" + plain[2:10] + "1" + "001"
    samples_part = _RGB[2 + -(-len(sides + plain) // 8) :]
    picture = decode_picture(_build_codestream(sides + turned, samples_part))
    assert np.array_equal(picture.pixels, noise(9, 11, 3))
    assert picture.dropped == ()
    assert get_turn(picture) == TURNS[orientation]
    assert (picture.metadata.exif is None) == (orientation == 1)
    other_exif = b"MM\0*\0\0\0\x08\0\1\x01\x12\0\3\0\0\0\1\0\3\0\0" + bytes(4)
    boxed = make_box(b"jxlc", _build_codestream(sides + turned, samples_part)) + make_box(
        b"Exif", bytes(4), other_exif
    )
    assert get_turn(decode_picture(JXL_START + boxed)) == TURNS[orientation]


def test_boxes() -> None:
    """EXIF and XMP are read from their boxes, other and compressed boxes are named as dropped."""
    exif = b"MM\0*\0\0\0\x08\0\0\0\0\0\0"
    data = (
        JXL_START
        + make_box(b"Exif", b"\0\0\0\6Exif\0\0" + exif)
        + make_box(b"xml ", b"<x/>")
        + make_box(b"xml ", b"<y/>")
        + make_box(b"brob", b"Exifabc")
        + make_box(b"jumb", b"")
        + make_box(b"jxlc", _RGB)
        + make_box(b"jbrd", b"")
    )
    picture = decode_picture(data)
    assert np.array_equal(picture.pixels, noise(9, 11, 3))
    assert picture.metadata == Metadata(exif=exif, xmp=b"<x/>")
    assert picture.dropped == ("XMP", "EXIF", "other data", "the JPEG it was made of")


@pytest.mark.parametrize("cut_position", [1, 5, 60, len(_RGB) - 1])
def test_codestream_in_parts(cut_position: int) -> None:
    """A codestream that is split into boxes at any position is read."""
    codestream_parts = (b"\0\0\0\0" + _RGB[:cut_position], b"\x80\0\0\1" + _RGB[cut_position:])
    data = JXL_START + b"".join(make_box(b"jxlp", part) for part in codestream_parts)
    assert np.array_equal(decode_picture(data).pixels, noise(9, 11, 3))
