"""WebP: exact under transparent pixels, with the header in an XMP packet."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET

import imagecodecs
import numpy as np
import pytest
from PIL import Image

from sudokucrypt.errors import FormatError, InvalidImageError, UnsupportedError
from sudokucrypt.images import decode_picture
from tests.images.builders import HEADER, SIZES, encoded, noise, opened, riff, saved

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
        (np.full((5, 3, 4), 255, np.uint8), "opaque"),
    ],
)
def test_refuses_what_it_cannot_hold(pixels: np.ndarray, reason: str) -> None:
    """Each thing that WebP lacks is named, with the way out."""
    with pytest.raises(UnsupportedError, match=reason) as raised:
        encoded(pixels, "WebP")
    assert "PNG" in str(raised.value.hint)


def test_opaque_alpha_is_indeed_dropped() -> None:
    """The reason for refusing: libwebp loses the channel."""
    opaque = np.full((5, 3, 4), 255, np.uint8)
    assert imagecodecs.webp_decode(imagecodecs.webp_encode(opaque, lossless=True)).shape == (
        5,
        3,
        3,
    )


def test_metadata_are_named() -> None:
    """EXIF, profile and foreign XMP are left out."""
    exif = Image.Exif()
    exif[0x010E] = "x"
    data = saved(_RGB, "WEBP", lossless=True, exif=exif, icc_profile=b"p", xmp=b"<x/>")
    assert set(decode_picture(data + b"x").left_out) == {
        "EXIF", "ICC profile", "XMP", "data after the picture",
    }  # fmt: skip


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


def test_refuses_animations() -> None:
    """Of several frames none is preferred."""
    buffer = io.BytesIO()
    frames = [Image.fromarray(noise(5, 3, 3) // n) for n in (1, 2)]
    frames[0].save(buffer, "WEBP", save_all=True, append_images=frames[1:])
    with pytest.raises(UnsupportedError, match="animated"):
        decode_picture(buffer.getvalue())


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
