"""WebP: exact under transparent pixels, with the header in an XMP packet."""

import io
import struct
import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import Any

import imagecodecs
import numpy as np
import pytest
from PIL import Image

from sudokucrypt import images
from sudokucrypt.errors import InvalidImageError
from tests.images import builders as b

_RGB = b.noise(5, 3, 3)
_VP8L = b.saved(_RGB, "WEBP", lossless=True)[20:]


def _packet(data: bytes) -> bytes:
    with Image.open(io.BytesIO(data)) as image:
        packet = image.info["xmp"]
        assert isinstance(packet, bytes)
        return packet


@pytest.mark.parametrize("channels", [3, 4])
@pytest.mark.parametrize("size", b.SIZES)
def test_reads_what_pillow_writes(size: tuple[int, int], channels: int) -> None:
    """Lossless files come back exactly, lossy ones as Pillow and libwebp see them."""
    pixels = b.noise(*size, channels)
    exact = images.decode_picture(b.saved(pixels, "WEBP", lossless=True, exact=True))
    if channels == 3 or pixels[..., 3].min() < 255:
        assert np.array_equal(exact.pixels, pixels)
    assert (exact.header, exact.format, exact.dropped) == (None, "WebP", ())
    lossy = b.saved(pixels, "WEBP")
    assert np.array_equal(images.decode_picture(lossy).pixels, b.opened(lossy))


@pytest.mark.parametrize("header", [None, b.HEADER])
def test_colors_under_alpha_zero_survive(header: bytes | None) -> None:
    """Encoders like to blank what cannot be seen; ours does not."""
    pixels = b.noise(48, 64, 4)
    pixels[..., 3] = 0
    assert np.array_equal(
        images.decode_picture(b.encoded(pixels, "WebP", header=header)).pixels, pixels
    )


@pytest.mark.parametrize("channels", [3, 4])
def test_others_read_what_we_write(channels: int) -> None:
    """Pillow reads samples and packet, and an XML parser finds the header in it."""
    pixels = b.noise(6, 5, channels)
    data = b.encoded(pixels, "WebP", header=b.HEADER)
    assert np.array_equal(b.opened(data), pixels)
    root = ET.fromstring(_packet(data).decode())  # noqa: S314 - our own packet
    assert [element.text for element in root.iter("{urn:sudokucrypt:1}header")] == [
        b.HEADER.decode()
    ]


@pytest.mark.parametrize("header", [None, b.HEADER])
def test_opaque_alpha(header: bytes | None) -> None:
    """libwebp loses an alpha channel that is opaque everywhere; one bit brings it back."""
    opaque = b.noise(5, 3, 4)
    opaque[..., 3] = 255
    assert imagecodecs.webp_decode(imagecodecs.webp_encode(opaque, lossless=True)).shape[2] == 3
    data = b.encoded(opaque, "WebP", header=header)
    assert np.array_equal(images.decode_picture(data).pixels, opaque)
    with Image.open(io.BytesIO(data)) as image:
        assert image.mode == "RGBA"
        assert np.array_equal(np.asarray(image), opaque)


_EXIF = b"MM\0*\0\0\0\x08\0\0\0\0\0\0"


@pytest.mark.parametrize("prefix", [b"", b"Exif\0\0"])
@pytest.mark.parametrize("channels", [3, 4])
def test_metadata(channels: int, prefix: bytes) -> None:
    """EXIF, profile and XMP are read, written in the order of the format, and seen by Pillow."""
    options: dict[str, Any] = {
        "lossless": True,
        "exact": True,
        "icc_profile": b"odd",
        "xmp": b"<x/>",
    }
    data = b.saved(b.noise(5, 3, channels), "WEBP", exif=_EXIF, **options)
    data = data.replace(_EXIF, prefix + _EXIF).replace(
        b"EXIF\x0e", b"EXIF" + bytes([14 + len(prefix)])
    )
    data = data[:4] + struct.pack("<I", len(data) - 8) + data[8:]
    picture = images.decode_picture(data + b"x")
    assert picture.dropped == ("data after the picture",)
    assert picture.metadata == images.Metadata(exif=_EXIF, icc=b"odd", xmp=b"<x/>")
    again = images.encode_picture(picture, "WebP")
    assert b.meaning(images.decode_picture(again)) == b.meaning(picture)
    order = [again.index(kind) for kind in (b"VP8X", b"ICCP", b"VP8L", b"EXIF", b"XMP ")]
    assert order == sorted(order)
    assert b.seen_in_pillow(again) == b.seen_in_pillow(
        b.saved(b.noise(5, 3, channels), "WEBP", exif=_EXIF, **options)
    )


def test_our_header_takes_the_place_of_xmp() -> None:
    """With a header the user's own packet is left over, and so is one that would look like ours."""
    metadata = images.Metadata(exif=_EXIF, icc=b"p", xmp=b"<x/>", texts=(("Author", "me"),))
    frame = images.Frame(pixels=_RGB, mode="rgb", metadata=metadata)
    texts = images.Metadata(texts=metadata.texts)
    assert images.lost_metadata(frame, "WebP", header=False) == texts
    assert images.lost_metadata(frame, "WebP", header=True) == replace(texts, xmp=b"<x/>")
    data = images.encode_picture(
        images.Picture(frames=(frame,), format="WebP", header=b.HEADER), "WebP"
    )
    back = images.decode_picture(data)
    assert (back.header, back.dropped) == (b.HEADER, ())
    assert back.metadata == images.Metadata(exif=_EXIF, icc=b"p")
    ours = replace(frame, metadata=images.Metadata(xmp=_packet(data)))
    assert images.lost_metadata(ours, "WebP", header=False) == ours.metadata
    data = images.encode_picture(images.Picture(frames=(ours,), format="WebP"), "WebP")
    assert images.decode_picture(data).header is None


def test_chunks_that_are_there_twice_or_unknown() -> None:
    """The first of each kind counts; others are named."""
    data = b.riff((b"VP8L", _VP8L), (b"EXIF", _EXIF), (b"EXIF", b"x"), (b"abcd", b"x"))
    picture = images.decode_picture(data)
    assert picture.metadata == images.Metadata(exif=_EXIF)
    assert set(picture.dropped) == {"EXIF", "other data"}


def test_header_among_other_xmp() -> None:
    """A program that adds to the packet does not hide the header."""
    packet = _packet(b.encoded(_RGB, "WebP", header=b.HEADER))
    more = packet.replace(b"</rdf:Description>", b"<dc:title>x</dc:title></rdf:Description>")
    picture = images.decode_picture(b.saved(_RGB, "WEBP", lossless=True, xmp=more))
    assert (picture.header, picture.dropped) == (b.HEADER, ("XMP",))


@pytest.mark.parametrize("lossless", [True, False])
def test_cut_streams_are_seen(lossless: bool) -> None:
    """A stream cut inside a whole container never gives a partly empty picture."""
    pixels = b.noise(20, 30, 3)
    stream = b.saved(pixels, "WEBP", lossless=lossless)[20:]
    kind = b"VP8L" if lossless else b"VP8 "
    whole = images.decode_picture(b.riff((kind, stream))).pixels
    for length in range(len(stream)):
        try:
            got = images.decode_picture(b.riff((kind, stream[:length]))).pixels
        except InvalidImageError:
            continue
        assert np.array_equal(got, whole)
