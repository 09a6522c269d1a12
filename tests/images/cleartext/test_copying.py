"""What viewers may read: nothing that hides a picture, in whatever code."""

import base64
import gzip
import time
import zlib
from collections.abc import Callable
from fractions import Fraction

import imagecodecs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudokucrypt.images import Metadata, Resolution, cleartext_copy
from sudokucrypt.images.cleartext.wrappings import holds_picture, is_plain
from sudokucrypt.images.tiff.directory import Field, Tree
from sudokucrypt.images.tiff.exif import build
from tests.images.builders import gif, gif_image, noise, saved
from tests.images.cleartext.test_packet import packet
from tests.images.profiles import SRGB

_EXIF = build("<", Tree({271: Field(2, b"Maker\0"), 274: Field(3, b"\6\0")}))
_XMP = packet("<xmp:Rating>3</xmp:Rating>")
_RESOLUTION = Resolution(columns=Fraction(300), rows=Fraction(600, 7), unit="inch")


def test_what_is_copied() -> None:
    """The copy holds the four fields that may be read, and is its own copy."""
    whole = Metadata(
        exif=_EXIF,
        icc=SRGB,
        xmp=_XMP,
        resolution=_RESOLUTION,
        texts=(("Comment", "a text"),),
        native=(("PNG gAMA", b"\0\0\xb1\x8f"),),
    )
    copy = cleartext_copy(whole)
    assert copy.exif == _EXIF
    assert copy.icc is not None
    assert b"<xmp:Rating>3</xmp:Rating>" in (copy.xmp or b"")
    assert copy.resolution == _RESOLUTION
    assert not copy.texts
    assert not copy.native
    assert cleartext_copy(copy) == copy
    assert cleartext_copy(Metadata()) == Metadata()


def test_a_field_with_a_picture_is_dropped() -> None:
    """Numbers that together are a picture are found in the whole field."""
    start = saved(noise(4, 4, 3), "GIF")[:8]
    with_picture = build("<", Tree({271: Field(2, b"Maker\0"), 282: Field(5, start)}))
    assert cleartext_copy(Metadata(exif=with_picture, xmp=_XMP)) == cleartext_copy(
        Metadata(xmp=_XMP)
    )


@pytest.mark.parametrize(
    ("density", "copied"),
    [
        (Fraction(72), Fraction(72)),
        (Fraction(123456789, 1234567), Fraction(100)),
        (Fraction(0), None),
        (Fraction(10**9), None),
    ],
)
def test_resolutions_have_few_digits(density: Fraction, copied: Fraction | None) -> None:
    """Exact fractions could hold anything; a density is rounded, or dropped if it is none."""
    copy = cleartext_copy(
        Metadata(resolution=Resolution(columns=density, rows=density, unit=None))
    ).resolution
    if copied is None:
        assert copy is None
    else:
        assert copy is not None
        assert abs(copy.columns - copied) < 1
        assert copy.columns.denominator <= 10**4


_WORDS = st.text("a é€😀\n\0", max_size=99)


@settings(max_examples=10)
@given(
    st.builds(
        Metadata,
        exif=st.none() | st.binary(max_size=99),
        icc=st.none() | st.binary(max_size=99),
        xmp=st.none() | st.binary(max_size=99),
        texts=st.lists(st.tuples(_WORDS, _WORDS)).map(tuple),
        native=st.lists(st.tuples(_WORDS, st.binary())).map(tuple),
    )
)
def test_any_bytes(metadata: Metadata) -> None:
    """Nothing is raised, and the copy is its own copy."""
    copy = cleartext_copy(metadata)
    assert cleartext_copy(copy) == copy


_SAMPLES = noise(12, 16, 3)
_GRAY = noise(12, 16, 1)
_PICTURES: dict[str, Callable[[], bytes]] = {
    "JPEG": lambda: saved(_SAMPLES, "JPEG"),
    "progressive JPEG": lambda: saved(_SAMPLES, "JPEG", progressive=True),
    "JPEG-LS": lambda: bytes(imagecodecs.jpegls_encode(_GRAY)),
    "PNG": lambda: saved(_SAMPLES, "PNG"),
    "GIF": lambda: gif(gif_image(_GRAY), palette=bytes(768)),
    "WebP": lambda: saved(_SAMPLES, "WEBP"),
    "TIFF": lambda: saved(_SAMPLES, "TIFF"),
    "BMP": lambda: saved(_SAMPLES, "BMP"),
    "JPEG 2000": lambda: saved(_SAMPLES, "JPEG2000"),
    "codestream of JPEG 2000": lambda: bytes(imagecodecs.jpeg2k_encode(_GRAY, codecformat="j2k")),
    "JPEG XL": lambda: bytes(imagecodecs.jpegxl_encode(_SAMPLES)),
    "AVIF": lambda: bytes(imagecodecs.avif_encode(_SAMPLES)),
    "PPM": lambda: saved(_SAMPLES, "PPM"),
}
_WAYS: dict[str, Callable[[bytes], bytes]] = {
    "plain": lambda data: data,
    "somewhere": lambda data: bytes(13) + data + bytes(5),
    "base64": base64.b64encode,
    "base64 in lines": base64.encodebytes,
    "base64 behind a word": lambda data: b"see:image " + base64.b64encode(data),
    "URL-safe base64": lambda data: b"?" + base64.urlsafe_b64encode(data),
    "hexadecimal": lambda data: b"f " + data.hex().encode(),
    "zlib": lambda data: b"xyz" + zlib.compress(data),
    "zlib, stored": lambda data: zlib.compress(data, 0),
    "gzip": lambda data: b"x" + gzip.compress(data),
    "deflate": lambda data: b"x" + zlib.compress(data, 9, -15),
    "cut zlib": lambda data: zlib.compress(bytes(100) + data + noise(9, 9, 3).tobytes())[:-60],
    "zlib in base64": lambda data: b"a" + base64.b64encode(zlib.compress(data)),
    "base64 in gzip in base64": lambda data: base64.b64encode(
        gzip.compress(base64.b64encode(data))
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", _PICTURES)
def test_pictures_are_found(kind: str) -> None:
    """Whatever the kind, whatever the code."""
    picture = _PICTURES[kind]()
    assert [name for name, way in _WAYS.items() if not holds_picture(way(picture))] == []


@pytest.mark.parametrize(("count", "gamma"), [(256, 0.42), (1024, 1.0), (4096, 1.8), (1024, 2.2)])
def test_curves_are_no_pictures(count: int, gamma: float) -> None:
    """Curves pass the numbers by which pictures begin, and are none all the same."""
    points = (np.linspace(0, 1, count) ** gamma * 65535).astype(">u2").tobytes()
    assert not holds_picture(points)


@pytest.mark.parametrize(
    "data",
    [
        b"", b"BM", b"\xff\xd8\xff", b"\xff\xd8\xff\xe0\0\x10JFIF\0", b"\xff\x0a" * 40,
        b"\xff\x4f\xff\x51" * 40, b"BM" * 40,
        b"A photo of the BMW, taken with a Canon P7, in GIF and TIFF at 4/5 of II*; RIFF. " * 9,
        b"x\x9c" * 30, b"\x1f\x8b\x08" * 30, b"deadbeef" * 8,
    ],
)  # fmt: skip
def test_nothing_is_found_where_nothing_is(data: bytes) -> None:
    """Beginnings of pictures and of streams without what must follow are none."""
    assert not holds_picture(data)


def test_noise_is_no_picture() -> None:
    """Random bytes are seldom taken for a picture: not once in 40 KiB here."""
    data = np.random.default_rng(3).integers(0, 256, 40 * 1024, dtype=np.uint8).tobytes()
    assert not any(holds_picture(data[i : i + 1024]) for i in range(0, len(data), 1024))


@pytest.mark.parametrize(
    "data",
    [b"\xff\xd8\xff\xff" * 16384, *(pytest.param(data, marks=pytest.mark.slow)
     for data in (b"P5#" * 21845, b"P5" * 32768, b"P5 " + b" " * 65536, b"A" * 65536,
                  b"\x4b" * 65536, b"x\x9c" * 32768, b"\xff" * 65536, b"x\xda\x4b" * 21845))],
)  # fmt: skip
def test_the_work_is_bounded(data: bytes) -> None:
    """64 KiB made to be hard take a few seconds at most."""
    start = time.perf_counter()
    holds_picture(data)
    assert time.perf_counter() - start < 10


def test_plain_texts() -> None:
    """Words and lines are plain; control characters, long codes and long texts are not."""
    for text in ("Lake", "früh am Morgen\r\n\t湖", "a" * 63, "word " * 200):
        assert is_plain(text)
    for text in ("", "\0", "\x7f", "\u2028", "\ue000", "a" * 64, "word " * 205):
        assert not is_plain(text)
    picture = base64.b64encode(saved(noise(4, 4, 3), "PNG")).decode()
    assert not is_plain(" ".join(picture[i : i + 40] for i in range(0, len(picture), 40)))
