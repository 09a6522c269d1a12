"""Pictures are found at any position, plain, and in base64, hexadecimal, zlib, gzip and deflate."""

from __future__ import annotations

import base64
import gzip
import time
import zlib
from typing import TYPE_CHECKING

import imagecodecs
import numpy as np
import pytest

from sudokucrypt.images.readable.plain_text import is_plain
from sudokucrypt.images.readable.wrappings import holds_picture
from tests.images.builders import gif, gif_image, noise, saved

if TYPE_CHECKING:
    from collections.abc import Callable

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


@pytest.mark.parametrize("way", _WAYS)
@pytest.mark.parametrize("kind", _PICTURES)
def test_pictures_are_found(kind: str, way: str) -> None:
    """Whatever the kind, whatever the code."""
    assert holds_picture(_WAYS[way](_PICTURES[kind]()))


@pytest.mark.parametrize("gamma", [0.42, 1.0, 1.8, 2.2])
@pytest.mark.parametrize("count", [256, 1024, 4096])
def test_curves_are_no_pictures(count: int, gamma: float) -> None:
    """Curves pass the numbers by which pictures begin, and are none all the same."""
    points = (np.linspace(0, 1, count) ** gamma * 65535).astype(">u2").tobytes()
    assert not holds_picture(points)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"BM",
        b"\xff\xd8\xff",
        b"\xff\xd8\xff\xe0\0\x10JFIF\0",
        b"\xff\x0a" * 40,
        b"\xff\x4f\xff\x51" * 40,
        b"BM" * 40,
        b"A photo of the BMW, taken with a Canon P7, in GIF and TIFF at 4/5 of II*; RIFF. " * 9,
        b"x\x9c" * 30,
        b"\x1f\x8b\x08" * 30,
        b"deadbeef" * 8,
    ],
)
def test_nothing_is_found_where_nothing_is(data: bytes) -> None:
    """Beginnings of pictures and of streams without what must follow are none."""
    assert not holds_picture(data)


def test_noise_is_no_picture() -> None:
    """Random bytes are seldom taken for a picture: not once in 40 KiB here."""
    data = np.random.default_rng(3).integers(0, 256, 40 * 1024, dtype=np.uint8).tobytes()
    assert not any(holds_picture(data[i : i + 1024]) for i in range(0, len(data), 1024))


@pytest.mark.parametrize(
    "data",
    [b"P5" * 32768, b"P5 " + b" " * 65536, b"P5#" * 21845, b"A" * 65536, b"\x4b" * 65536,
     b"x\x9c" * 32768, b"\xff\xd8\xff\xff" * 16384, b"\xff" * 65536, b"x\xda\x4b" * 21845],
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
