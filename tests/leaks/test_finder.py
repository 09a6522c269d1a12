"""The finder finds planted secrets in every encoding, in every format, at any offset."""

import zlib
from typing import TYPE_CHECKING

import pytest

from sudokucrypt.images import Picture, encode_picture
from tests.images.builders import HEADER, make_box, noise, save_image
from tests.leaks import previews
from tests.leaks.finder import ENCODINGS, Finder, find_pictures
from tests.leaks.hiding_places import list_cases
from tests.leaks.test_leaks import make_png_addition

if TYPE_CHECKING:
    from collections.abc import Callable

_FORMATS = ("PNG", "TIFF")


def _encode_clean_file(file_format: str) -> bytes:
    return encode_picture(Picture.plain(noise(48, 64, 3), header=HEADER), file_format)


def _plant_secret(file_format: str, body: bytes, offset: int = 0) -> bytes:
    """Return a clean file of ours with the given bytes in a place for metadata."""
    body = bytes(offset) + body
    encode_with_secret: dict[str, Callable[[bytes], bytes]] = {
        "PNG": make_png_addition(b"prVt", body, after_samples=True),
        "TIFF": lambda data: data + body,
    }
    return encode_with_secret[file_format](_encode_clean_file(file_format))


@pytest.mark.parametrize("code", ENCODINGS)
def test_samples_are_found(code: str) -> None:
    """A few bytes of raw samples are found in any encoding, also after other bytes."""
    finder = Finder([previews.RAW])
    file_format = _FORMATS[list(ENCODINGS).index(code) % 2]
    for offset in (0, 3):
        planted = ENCODINGS[code](
            previews.RAW[101:133] if code in ("plain", "UTF-8") else previews.RAW[101:165]
        )
        assert finder.find(_plant_secret(file_format, planted, offset)), offset


@pytest.mark.slow
@pytest.mark.parametrize("kind", previews.PREVIEWS)
@pytest.mark.parametrize("code", [code for code in ENCODINGS if code != "UTF-8"])
def test_pictures_are_found(code: str, kind: str) -> None:
    """A decodable picture is found in any encoding, even if it is not a known secret."""
    finder = Finder([bytes(range(100))])
    result = finder.find(_plant_secret("PNG", ENCODINGS[code](previews.PREVIEWS[kind].data), 3))
    assert any("a picture" in finding for finding in result)


@pytest.mark.parametrize("file_format", _FORMATS)
def test_nothing_is_found_in_clean_files(file_format: str) -> None:
    """Files of ours without a secret, including their headers, give no finding."""
    finder = Finder([s for preview in previews.PREVIEWS.values() for s in preview.secrets])
    assert finder.find(_encode_clean_file(file_format)) == []


def test_secrets_in_samples_are_found() -> None:
    """A secret in the samples of a picture is found."""
    pixels = noise(48, 64, 3)
    pixels.reshape(-1)[1000:1016] = list(previews.RAW[50:66])
    for file_format in ("PNG", "TIFF"):
        data = encode_picture(Picture.plain(pixels), file_format)
        assert Finder([previews.RAW]).find(data)


def test_15_bytes_are_not_enough() -> None:
    """16 consecutive bytes of a secret are found at every offset, and 15 are not."""
    finder = Finder([previews.RAW])
    for offset in range(17):
        assert finder.find(bytes(offset) + previews.RAW[33:49] + bytes(9))
        assert not finder.find(bytes(offset) + previews.RAW[33:48] + bytes(9))


def test_the_header_is_searched() -> None:
    """A secret in the base64 of a header is found, in a file and in a sidecar."""
    encoded_preview = ENCODINGS["base64"](previews.JPEG.data)
    header = b'{"sudokucrypt":1,"extras":"' + encoded_preview + b'"}'
    finder = Finder([bytes(range(100))])
    for file_format in _FORMATS:
        pixels = noise(48, 64, 3)
        data = encode_picture(Picture.plain(pixels, header=header), file_format)
        assert finder.find(data)
    assert finder.find(header + b"\n")


def test_cut_streams() -> None:
    """A secret in a stream is found if the end of the stream is missing or changed."""
    stream = zlib.compress(previews.RAW)
    finder = Finder([previews.RAW])
    assert finder.find(b"some" + stream[:500])
    assert finder.find(b"some" + stream[:500] + b"\xff" * 100)


def test_pictures_in_boxes() -> None:
    """HEIF and AVIF are recognized by their boxes."""
    from PIL import features

    if features.check("avif"):
        data = save_image(noise(24, 32, 3), "AVIF")
        assert list(find_pictures(make_box(b"free", b"some") + data))


@pytest.mark.parametrize("step", [20, pytest.param(1, marks=pytest.mark.slow)])
def test_every_case_contains_its_secret(step: int) -> None:
    """In each file with a hidden preview, its secret is found."""
    for case in list(list_cases().values())[::step]:
        assert Finder(case.secrets).find(case.data), case.name
