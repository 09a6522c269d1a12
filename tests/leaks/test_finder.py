"""The finder finds what is planted: in every code, in every format, at any offset."""

import zlib
from typing import TYPE_CHECKING

import pytest

from sudokucrypt.images import Picture, encode_picture
from tests.images.builders import HEADER, box, noise, save_image
from tests.leaks import previews
from tests.leaks.finder import CODES, Finder, find_pictures
from tests.leaks.hiding_places import cases
from tests.leaks.test_leaks import to_png

if TYPE_CHECKING:
    from collections.abc import Callable

_FORMATS = ("PNG", "TIFF")


def _clean(file_format: str) -> bytes:
    return encode_picture(Picture.plain(noise(48, 64, 3), header=HEADER), file_format)


def _plant_secret(file_format: str, body: bytes, offset: int = 0) -> bytes:
    """A clean file of ours with these bytes in a place for metadata."""
    body = bytes(offset) + body
    adding: dict[str, Callable[[bytes], bytes]] = {
        "PNG": to_png(b"prVt", body, behind=True),
        "TIFF": lambda data: data + body,
    }
    return adding[file_format](_clean(file_format))


@pytest.mark.parametrize("code", CODES)
def test_samples_are_found(code: str) -> None:
    """Few bytes of raw samples are found in any code, behind other bytes too."""
    finder = Finder([previews.RAW])
    file_format = _FORMATS[list(CODES).index(code) % 2]
    for offset in (0, 3):
        planted = CODES[code](
            previews.RAW[101:133] if code in ("plain", "UTF-8") else previews.RAW[101:165]
        )
        assert finder.find(_plant_secret(file_format, planted, offset)), offset


@pytest.mark.slow
@pytest.mark.parametrize("kind", previews.PREVIEWS)
@pytest.mark.parametrize("code", [code for code in CODES if code != "UTF-8"])
def test_pictures_are_found(code: str, kind: str) -> None:
    """A decodable picture is found in any code, even if nobody said which one to look for."""
    finder = Finder([bytes(range(100))])
    result = finder.find(_plant_secret("PNG", CODES[code](previews.PREVIEWS[kind].data), 3))
    assert any("a picture" in finding for finding in result)


@pytest.mark.parametrize("file_format", _FORMATS)
def test_nothing_is_found_in_clean_files(file_format: str) -> None:
    """Files of ours with no secret in them are clean, header and all."""
    finder = Finder([s for preview in previews.PREVIEWS.values() for s in preview.secrets])
    assert finder.find(_clean(file_format)) == []


def test_samples_of_the_protected_picture_count() -> None:
    """Secrets among the samples themselves are found as well."""
    pixels = noise(48, 64, 3)
    pixels.reshape(-1)[1000:1016] = list(previews.RAW[50:66])
    for file_format in ("PNG", "TIFF"):
        data = encode_picture(Picture.plain(pixels), file_format)
        assert Finder([previews.RAW]).find(data)


def test_15_bytes_are_not_enough() -> None:
    """16 bytes in a row are found at every offset, and no fewer."""
    finder = Finder([previews.RAW])
    for offset in range(17):
        assert finder.find(bytes(offset) + previews.RAW[33:49] + bytes(9))
        assert not finder.find(bytes(offset) + previews.RAW[33:48] + bytes(9))


def test_the_header_is_searched() -> None:
    """What hides in the base64 of a header is found, in a file and in a sidecar."""
    inner = CODES["base64"](previews.JPEG.data)
    header = b'{"sudokucrypt":1,"extras":"' + inner + b'"}'
    finder = Finder([bytes(range(100))])
    for file_format in _FORMATS:
        pixels = noise(48, 64, 3)
        data = encode_picture(Picture.plain(pixels, header=header), file_format)
        assert finder.find(data)
    assert finder.find(header + b"\n")


def test_cut_streams() -> None:
    """What comes out of a stream before its end is missing, or is changed, is searched."""
    stream = zlib.compress(previews.RAW)
    finder = Finder([previews.RAW])
    assert finder.find(b"some" + stream[:500])
    assert finder.find(b"some" + stream[:500] + b"\xff" * 100)


def test_pictures_in_boxes() -> None:
    """HEIF and AVIF are known by their boxes."""
    from PIL import features

    if features.check("avif"):
        data = save_image(noise(24, 32, 3), "AVIF")
        assert list(find_pictures(box(b"free", b"some") + data))


@pytest.mark.parametrize("step", [20, pytest.param(1, marks=pytest.mark.slow)])
def test_every_case_holds_its_secret(step: int) -> None:
    """The files that the other tests start from do hide what they say."""
    for case in list(cases().values())[::step]:
        assert Finder(case.secrets).find(case.data), case.name
