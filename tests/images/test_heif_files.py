"""HEIF: the samples that were coded, upright, and nothing that is not a whole still."""

from __future__ import annotations

import struct
from contextlib import suppress

import numpy as np
import pytest
from PIL import Image

from sudokucrypt.errors import InvalidImageError, UnsupportedError
from sudokucrypt.images import decode_picture, encode_picture, turn_of
from sudokucrypt.images.orientation import TURNS
from tests.images.builders import box, meaning
from tests.images.samples import heif, heif_samples

_RGB = heif("rgb")
_SIZE = struct.pack(">II", 80, 64)


@pytest.mark.parametrize("name", ["gray", "rgb", "rgba", "cropped", "tiles", "two"])
def test_samples_come_back(name: str) -> None:
    """What an encoder coded without loss is read exactly: whole, in tiles, and cropped."""
    picture = decode_picture(heif(name))
    assert np.array_equal(picture.pixels, heif_samples(name))
    assert (picture.format, picture.animation) == ("HEIF", None)
    assert picture.left_out == (("other pictures",) if name == "two" else ())
    assert meaning(decode_picture(encode_picture(picture, "PNG"))) == meaning(picture)


def test_deep_samples() -> None:
    """10 bits become 16 by repeating the highest, which undoes to the samples stored."""
    pixels = decode_picture(heif("deep")).pixels
    assert pixels.dtype == np.uint16
    assert np.array_equal(pixels >> 6, heif_samples("deep"))


def test_lossy_samples() -> None:
    """Lossy ones are near to what was coded."""
    found = decode_picture(heif("lossy")).pixels.astype(int)
    assert np.abs(found - heif_samples("lossy")).mean() < 4


@pytest.mark.parametrize("orientation", [4, 6])
def test_turned(orientation: int) -> None:
    """Turns are applied, EXIF says that none is left, and everything else in it stays."""
    picture = decode_picture(heif(f"turned{orientation}"))
    upright = TURNS[orientation].upright(heif_samples("turned"))
    assert np.array_equal(picture.pixels, upright)
    assert turn_of(picture.frames[0]) == TURNS[1]
    metadata = picture.frames[0].metadata
    assert (metadata.icc, metadata.xmp) == (b"p" * 200, b"<x/>")
    exif = Image.Exif()
    exif.load(metadata.exif or b"")
    assert dict(exif) == {0x0112: 1, 0x010E: "hello"}


@pytest.mark.parametrize("size", [(64, 79), (63, 80), (8, 8), (640, 800), (0, 5)])
def test_sizes_that_are_not_true(size: tuple[int, int]) -> None:
    """A coded picture of another size than the file claims is refused before it is decoded."""
    with pytest.raises(InvalidImageError, match=r"size|more than|no pixels"):
        decode_picture(_RGB.replace(_SIZE, struct.pack(">II", *size[::-1])))


def test_sizes_of_tiles() -> None:
    """So is a tile, and a grid."""
    data = heif("tiles")
    for size in ((64, 128), (64, 64)):
        claim = struct.pack(">II", *size[::-1])
        assert claim in data
        with pytest.raises(InvalidImageError, match="another size"):
            decode_picture(data.replace(claim, struct.pack(">II", size[1], 32)))


@pytest.mark.parametrize("layers", [1, 4])
def test_samples_that_are_missing(layers: int) -> None:
    """A picture whose samples end early inside a whole file is refused or exact."""
    start = _RGB.index(b"mdat") + 4
    size = len(_RGB) - start
    claim = struct.pack(">I", size)
    assert claim in _RGB
    whole = decode_picture(_RGB).pixels
    short = _RGB.replace(claim, struct.pack(">I", size * layers // 5))
    with suppress(InvalidImageError):
        assert np.array_equal(decode_picture(short).pixels, whole)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (_RGB.replace(b"hvc1", b"avc1"), "coded in a rare way"),
        (_RGB.replace(b"ftypheix", b"ftyphevc"), "animated"),
        (_RGB + box(b"moov"), "animated"),
    ],
)
def test_refuses_other_kinds(data: bytes, reason: str) -> None:
    """Films and other codecs are called by their name."""
    with pytest.raises(UnsupportedError, match=reason):
        decode_picture(data)


def test_deep_samples_count_twice() -> None:
    """More than 8 bits take more memory than four bytes a pixel, and are limited as such."""
    data = heif("deep")
    with pytest.raises(InvalidImageError, match="more than the 20480 bytes"):
        decode_picture(data, max_pixels=64 * 80)
    assert decode_picture(data, max_pixels=2 * 64 * 80).frames


def test_what_pi_heif_takes_on_trust() -> None:
    """Depths that are not those of the samples, and kinds that are no text, reach no decoder."""
    config = _RGB.index(b"hvcC") + 4
    for place, value in ((16, 0xFD), (17, 0xFF), (18, 0xFA)):
        changed = bytearray(_RGB)
        changed[config + place] = value
        with pytest.raises(InvalidImageError, match="other samples than it claims"):
            decode_picture(bytes(changed))
    with pytest.raises(InvalidImageError, match="no kind"):
        decode_picture(heif("turned6").replace(b"Exif", b"Exi\xff"))
