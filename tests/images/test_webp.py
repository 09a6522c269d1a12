"""WebP: samples equal libwebp's, and files that were cut short are refused."""

import struct
from typing import Any

import numpy as np
import pytest

from sudokucrypt import images
from sudokucrypt.errors import InvalidImageError, UnsupportedVersionError
from tests.images import builders as b

_RGB = b.noise(5, 3, 3)
_VP8L = b.save_image(_RGB, "WEBP", lossless=True)[20:]


_EXIF = b"MM\0*\0\0\0\x08\0\0\0\0\0\0"


@pytest.mark.parametrize("prefix", [b"", b"Exif\0\0"])
@pytest.mark.parametrize("channels", [3, 4])
def test_metadata(channels: int, prefix: bytes) -> None:
    """EXIF, profile and XMP of a WebP are read."""
    options: dict[str, Any] = {
        "lossless": True,
        "exact": True,
        "icc_profile": b"odd",
        "xmp": b"<x/>",
    }
    data = b.save_image(b.noise(5, 3, channels), "WEBP", exif=_EXIF, **options)
    data = data.replace(_EXIF, prefix + _EXIF).replace(
        b"EXIF\x0e", b"EXIF" + bytes([14 + len(prefix)])
    )
    data = data[:4] + struct.pack("<I", len(data) - 8) + data[8:]
    picture = images.decode_picture(data + b"x")
    assert picture.dropped == ("data after the picture",)
    assert picture.metadata == images.Metadata(exif=_EXIF, icc=b"odd", xmp=b"<x/>")


def test_repeated_and_unknown_chunks() -> None:
    """The first chunk of each kind is read; repeated and unknown ones are named as dropped."""
    data = b.build_webp((b"VP8L", _VP8L), (b"EXIF", _EXIF), (b"EXIF", b"x"), (b"abcd", b"x"))
    picture = images.decode_picture(data)
    assert picture.metadata == images.Metadata(exif=_EXIF)
    assert picture.dropped == ("other data",)


def test_results_of_version_1_1() -> None:
    """A WebP with a header is refused as a result of version 1.1."""
    packet = b"<sudokucrypt:header>" + b.HEADER + b"</sudokucrypt:header>"
    for xmp in (packet, b"<x>" + packet + b"</x>"):
        data = b.save_image(_RGB, "WEBP", lossless=True, xmp=xmp)
        for read_file in (images.decode_picture, images.extract_header):
            with pytest.raises(UnsupportedVersionError, match="with a WebP result: restore it"):
                read_file(data)


@pytest.mark.parametrize("lossless", [True, False])
def test_cut_streams_are_refused(lossless: bool) -> None:
    """A codestream that was cut inside a complete container is refused or decoded exactly."""
    pixels = b.noise(20, 30, 3)
    stream = b.save_image(pixels, "WEBP", lossless=lossless)[20:]
    kind = b"VP8L" if lossless else b"VP8 "
    original = images.decode_picture(b.build_webp((kind, stream))).pixels
    for length in range(len(stream)):
        try:
            decoded_pixels = images.decode_picture(b.build_webp((kind, stream[:length]))).pixels
        except InvalidImageError:
            continue
        assert np.array_equal(decoded_pixels, original)
