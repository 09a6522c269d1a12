"""WebP: exact under transparent pixels, with the header in an XMP packet."""

from __future__ import annotations

import io
import struct
import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import Any

import imagecodecs
import numpy as np
import pytest
from PIL import Image

from sudokucrypt.errors import FormatError, InvalidImageError, UnsupportedError
from sudokucrypt.images import (
    Frame,
    Metadata,
    Picture,
    decode_picture,
    encode_picture,
    leftover,
)
from tests.images.builders import (
    HEADER,
    SIZES,
    encoded,
    meaning,
    noise,
    opened,
    riff,
    saved,
    seen_in_pillow,
)

_RGB = noise(5, 3, 3)
_VP8L = saved(_RGB, "WEBP", lossless=True)[20:]
_CANVAS = b"\4\0\0\0" + b"\2\0\0" + b"\4\0\0"


def _packet(data: bytes) -> bytes:
    with Image.open(io.BytesIO(data)) as image:
        packet = image.info["xmp"]
        assert isinstance(packet, bytes)
        return packet


@pytest.mark.parametrize("channels", [3, 4])
@pytest.mark.parametrize("size", SIZES)
def test_reads_what_pillow_writes(size: tuple[int, int], channels: int) -> None:
    """Lossless files come back exactly, lossy ones as Pillow and libwebp see them."""
    pixels = noise(*size, channels)
    exact = decode_picture(saved(pixels, "WEBP", lossless=True, exact=True))
    if channels == 3 or pixels[..., 3].min() < 255:
        assert np.array_equal(exact.pixels, pixels)
    assert (exact.header, exact.format, exact.left_out) == (None, "WebP", ())
    lossy = saved(pixels, "WEBP")
    assert np.array_equal(decode_picture(lossy).pixels, opened(lossy))


@pytest.mark.parametrize("header", [None, HEADER])
def test_colors_under_alpha_zero_survive(header: bytes | None) -> None:
    """Encoders like to blank what cannot be seen; ours does not."""
    pixels = noise(48, 64, 4)
    pixels[..., 3] = 0
    assert np.array_equal(decode_picture(encoded(pixels, "WebP", header=header)).pixels, pixels)


@pytest.mark.parametrize("channels", [3, 4])
def test_others_read_what_we_write(channels: int) -> None:
    """Pillow reads samples and packet, and an XML parser finds the header in it."""
    pixels = noise(6, 5, channels)
    data = encoded(pixels, "WebP", header=HEADER)
    assert np.array_equal(opened(data), pixels)
    root = ET.fromstring(_packet(data).decode())  # noqa: S314 - our own packet
    assert [element.text for element in root.iter("{urn:sudokucrypt:1}header")] == [HEADER.decode()]


@pytest.mark.parametrize(
    ("pixels", "reason"),
    [
        (noise(5, 3, 1), "gray"),
        (noise(5, 3, 2), "gray"),
        (noise(5, 3, 3, "uint16"), "16-bit"),
        (np.zeros((1, 16384, 3), np.uint8), "16383"),
    ],
)
def test_refuses_what_it_cannot_hold(pixels: np.ndarray, reason: str) -> None:
    """Each thing that WebP lacks is named, with the way out."""
    with pytest.raises(UnsupportedError, match=reason) as raised:
        encoded(pixels, "WebP")
    assert "PNG" in str(raised.value.hint)


@pytest.mark.parametrize("header", [None, HEADER])
def test_opaque_alpha(header: bytes | None) -> None:
    """libwebp loses an alpha channel that is opaque everywhere; one bit brings it back."""
    opaque = noise(5, 3, 4)
    opaque[..., 3] = 255
    assert imagecodecs.webp_decode(imagecodecs.webp_encode(opaque, lossless=True)).shape[2] == 3
    data = encoded(opaque, "WebP", header=header)
    assert np.array_equal(decode_picture(data).pixels, opaque)
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
    data = saved(noise(5, 3, channels), "WEBP", exif=_EXIF, **options)
    data = data.replace(_EXIF, prefix + _EXIF).replace(
        b"EXIF\x0e", b"EXIF" + bytes([14 + len(prefix)])
    )
    data = data[:4] + struct.pack("<I", len(data) - 8) + data[8:]
    picture = decode_picture(data + b"x")
    assert picture.left_out == ("data after the picture",)
    assert picture.frames[0].metadata == Metadata(exif=_EXIF, icc=b"odd", xmp=b"<x/>")
    again = encode_picture(picture, "WebP")
    assert meaning(decode_picture(again)) == meaning(picture)
    order = [again.index(kind) for kind in (b"VP8X", b"ICCP", b"VP8L", b"EXIF", b"XMP ")]
    assert order == sorted(order)
    assert seen_in_pillow(again) == seen_in_pillow(
        saved(noise(5, 3, channels), "WEBP", exif=_EXIF, **options)
    )


def test_our_header_takes_the_place_of_xmp() -> None:
    """With a header the user's own packet is left over, and so is one that would look like ours."""
    said = Metadata(exif=_EXIF, icc=b"p", xmp=b"<x/>", texts=(("Author", "me"),))
    frame = Frame(pixels=_RGB, mode="rgb", metadata=said)
    texts = Metadata(texts=said.texts)
    assert leftover(frame, "WebP", header=False) == texts
    assert leftover(frame, "WebP", header=True) == replace(texts, xmp=b"<x/>")
    data = encode_picture(Picture(frames=(frame,), format="WebP", header=HEADER), "WebP")
    back = decode_picture(data)
    assert (back.header, back.left_out) == (HEADER, ())
    assert back.frames[0].metadata == Metadata(exif=_EXIF, icc=b"p")
    ours = replace(frame, metadata=Metadata(xmp=_packet(data)))
    assert leftover(ours, "WebP", header=False) == ours.metadata
    data = encode_picture(Picture(frames=(ours,), format="WebP"), "WebP")
    assert decode_picture(data).header is None


def test_chunks_that_are_there_twice_or_unknown() -> None:
    """The first of each kind counts; others are named."""
    data = riff((b"VP8L", _VP8L), (b"EXIF", _EXIF), (b"EXIF", b"x"), (b"abcd", b"x"))
    picture = decode_picture(data)
    assert picture.frames[0].metadata == Metadata(exif=_EXIF)
    assert set(picture.left_out) == {"EXIF", "other data"}


def test_header_among_other_xmp() -> None:
    """A program that adds to the packet does not hide the header."""
    packet = _packet(encoded(_RGB, "WebP", header=HEADER))
    more = packet.replace(b"</rdf:Description>", b"<dc:title>x</dc:title></rdf:Description>")
    picture = decode_picture(saved(_RGB, "WEBP", lossless=True, xmp=more))
    assert (picture.header, picture.left_out) == (HEADER, ("XMP",))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"</sudokucrypt:header>", b"</sudokucrypt:header><sudokucrypt:header>"
         b'{"sudokucrypt":1}</sudokucrypt:header>'),
        (b"sudokucrypt:header>", b"ns0:header>"),
        (b'"text"', b'"te\xffxt"'),
        (b'"text"', b'"te\nxt"'),
        (b'{"sudo', b'{"other'),
    ],
)  # fmt: skip
def test_header_stored_another_way(old: bytes, new: bytes) -> None:
    """A header that is there twice, renamed or not plain text raises `FormatError`."""
    packet = _packet(encoded(_RGB, "WebP", header=HEADER)).replace(old, new)
    with pytest.raises(FormatError):
        decode_picture(saved(_RGB, "WEBP", lossless=True, xmp=packet))


@pytest.mark.parametrize(
    "data",
    [
        riff(),
        riff((b"VP8X", b"\0" * 10)),
        riff((b"VP8L", _VP8L), (b"VP8L", _VP8L)),
        riff((b"VP8L", _VP8L), (b"VP8 ", _VP8L)),
        riff((b"VP8X", b"\0" * 10), (b"VP8L", _VP8L)),
        riff((b"VP8X", _CANVAS[:9]), (b"VP8L", _VP8L)),
        riff((b"VP8L", b"/")),
        riff((b"VP8L", b"x" + _VP8L[1:])),
        riff((b"VP8 ", b"\0" * 10)),
        riff((b"VP8 ", b"\x10\0\0\x9d\x01\x2a\0\0\0\0")),
        riff((b"VP8X", _CANVAS), (b"VP8X", _CANVAS), (b"VP8L", _VP8L)),
    ],
)
def test_refuses_damage(data: bytes) -> None:
    """Chunks that make no picture raise `InvalidImageError`."""
    with pytest.raises(InvalidImageError, match="is damaged"):
        decode_picture(data)


@pytest.mark.parametrize("lossless", [True, False])
def test_cut_streams_are_seen(lossless: bool) -> None:
    """A stream cut inside a whole container never gives a partly empty picture."""
    pixels = noise(20, 30, 3)
    stream = saved(pixels, "WEBP", lossless=lossless)[20:]
    kind = b"VP8L" if lossless else b"VP8 "
    whole = decode_picture(riff((kind, stream))).pixels
    for length in range(len(stream)):
        try:
            got = decode_picture(riff((kind, stream[:length]))).pixels
        except InvalidImageError:
            continue
        assert np.array_equal(got, whole)
