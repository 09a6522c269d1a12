"""JPEG 2000: samples equal the original ones, and another decoder's."""

import numpy as np
import pytest

from sudokucrypt.errors import InvalidImageError
from sudokucrypt.images import Metadata, decode_picture, encode_picture
from tests.images.builders import list_picture_fields, make_box, noise, read_by_pillow
from tests.images.samples import encode_jpeg2000

_RGB = noise(9, 11, 3)


@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
@pytest.mark.parametrize("channels", [2, 4])
def test_jpeg2000(channels: int, dtype: str) -> None:
    """A lossless JPEG 2000 is read exactly, and like Pillow where Pillow supports it."""
    pixels = noise(20, 31, channels, dtype)
    for container in ("jp2", "j2k"):
        data = encode_jpeg2000(pixels, codecformat=container)
        picture = decode_picture(data)
        assert np.array_equal(picture.pixels, pixels)
        assert picture.pixels.dtype == dtype
        if dtype == "uint8":
            assert np.array_equal(read_by_pillow(data), pixels)
    decoded_png = decode_picture(encode_picture(picture, "PNG"))
    assert list_picture_fields(decoded_png) == list_picture_fields(picture) | {
        "format": "PNG",
        "dropped": decoded_png.dropped,
    }


@pytest.mark.parametrize("bits", [1, 4, 10, 12])
def test_jpeg2000_of_other_depths(bits: int) -> None:
    """Samples of 1 to 15 bits are scaled to 8 or 16 bits, and can be scaled back."""
    pixels = noise(9, 11, 1, "uint16") >> (16 - bits)
    pixels[0, :2] = 0, 2**bits - 1
    data = encode_jpeg2000(pixels.astype("uint8" if bits <= 8 else "uint16"), bitspersample=bits)
    result = decode_picture(data).pixels
    assert np.array_equal(result >> (8 * result.dtype.itemsize - bits), pixels)
    assert (result.min(), result.max()) == (0, np.iinfo(result.dtype).max)


def test_jpeg2000_metadata() -> None:
    """Profile, XMP and EXIF are read from their boxes, and other boxes are named as dropped."""
    data = encode_jpeg2000(_RGB)
    plain = make_box(b"colr", b"\1\0\0\0\0\0\x10")
    assert plain in data
    profile = make_box(b"colr", b"\2\0\0" + b"p" * 200)
    head = data.index(b"jp2h") - 4
    size = int.from_bytes(data[head : head + 4], "big") + len(profile) - len(plain)
    with_profile = data[:head] + size.to_bytes(4, "big") + data[head + 4 :].replace(plain, profile)
    extra_boxes = (
        make_box(b"uuid", bytes.fromhex("be7acfcb97a942e89c71999491e3afac"), b"<x/>"),
        make_box(b"uuid", b"JpgTiffExif->JP2", b"MM\0*"),
        make_box(b"xml ", b"<y/>"),
    )
    picture = decode_picture(with_profile + b"".join(extra_boxes))
    assert picture.metadata == Metadata(exif=b"MM\0*", icc=b"p" * 200, xmp=b"<x/>")
    assert picture.dropped == ("other data",)
    with_inks = encode_jpeg2000(noise(9, 11, 4)).replace(plain, plain[:-1] + b"\x0c")
    inks = decode_picture(with_inks)
    assert inks.mode == "cmyk"


@pytest.mark.parametrize("kept_bytes", [0.2, 0.5, 0.99])
def test_jpeg2000_cut_and_closed(kept_bytes: float) -> None:
    """A codestream that was cut and got an end marker is refused."""
    data = encode_jpeg2000(noise(40, 50, 3), codecformat="j2k")
    cut_file = data[: int(kept_bytes * len(data))]
    with pytest.raises(InvalidImageError):
        decode_picture(cut_file + b"\xff\xd9")
    with pytest.raises(InvalidImageError, match="ends in the middle"):
        decode_picture(cut_file)
