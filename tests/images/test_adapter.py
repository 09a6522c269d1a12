"""Still pictures of all formats have the samples of other libraries, also after restoring."""

import io
import sys
import warnings

import numpy as np
import pytest
from PIL import Image

from sudokucrypt import Key, decrypt_file, encrypt_file, scramble_file, unscramble_file
from sudokucrypt.errors import UnsupportedError, format_extra_hint
from sudokucrypt.images import decode_picture, glance
from tests.images.gallery import ROWS, Still, list_multiple_pictures, list_stills

KEY = Key(bytes(range(32)))
READABLE_STILLS = [name for name, still in list_stills().items() if still.expected is not None]
STILLS_WITH_COLOR_SPACE = (
    "QOI",
    "JPEG XL, 16 bits",
)  # imagecodecs marks these as linear, which is dropped by name
REFUSED_STILLS = [name for name, still in list_stills().items() if still.expected is None]


def has_expected_content(still: Still, data: bytes) -> bool:
    """Return whether a file has the expected samples, and the metadata of the still."""
    picture = decode_picture(data)
    expected = still.expected
    assert expected is not None
    assert (picture.metadata.exif is not None) == still.exif
    assert picture.metadata.icc == (still.icc or picture.metadata.icc)
    return picture.pixels.dtype == expected.dtype and np.array_equal(picture.pixels, expected)


def test_the_gallery_has_all_formats() -> None:
    """The gallery has more than 60 stills."""
    assert len(READABLE_STILLS) >= 75


@pytest.mark.parametrize("name", READABLE_STILLS)
def test_samples_equal_those_of_another_library(name: str) -> None:
    """Decoding a still gives the type, shape and samples that another library reads."""
    still = list_stills()[name]
    assert has_expected_content(still, still.data)


@pytest.mark.parametrize("name", READABLE_STILLS)
def test_stills_are_restored_from_pixel_modes(name: str) -> None:
    """A still that was scrambled or encrypted by its pixels is restored with the same samples."""
    still, inks = list_stills()[name], {"format": "TIFF"} if "CMYK" in name else {}
    samples = {"format": "PNG"} if name.startswith("JPEG, ") else {}
    for protect, restore, options in (
        (scramble_file, unscramble_file, samples | inks),
        (encrypt_file, decrypt_file, {"as_file": False, **inks}),
    ):
        protected, plain = io.BytesIO(), io.BytesIO()
        if protect is encrypt_file and name in STILLS_WITH_COLOR_SPACE:
            with pytest.raises(UnsupportedError, match="color space") as error_info:
                protect(io.BytesIO(still.data), protected, KEY, **options)
            assert "encrypt it as a file" in str(error_info.value.hint)
            continue
        protect(io.BytesIO(still.data), protected, KEY, **options)
        restore(io.BytesIO(protected.getvalue()), plain, KEY)
        assert has_expected_content(still, plain.getvalue())


@pytest.mark.parametrize("name", REFUSED_STILLS)
def test_unsupported_kinds_are_refused(name: str) -> None:
    """A still of an unsupported kind raises UnsupportedError, whose hint is to encrypt the file."""
    with pytest.raises(UnsupportedError) as error_info:
        decode_picture(list_stills()[name].data)
    assert "'encrypt' keeps the very file" in str(error_info.value.hint)


@pytest.mark.parametrize("name", list_multiple_pictures())
def test_several_pictures_are_refused_and_shown(name: str) -> None:
    """Animations, pages and several sizes are refused with a hint; glance shows the first."""
    data = list_multiple_pictures()[name]
    with pytest.raises(UnsupportedError, match="only one still picture") as error_info:
        decode_picture(data)
    assert error_info.value.hint == "'encrypt' keeps the very file"
    if name not in ("AVIF", "JPEG XL"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            preview = glance(data, side=32)
        assert len(preview.picture.pixels) in (ROWS, 25)


def test_previews_print_no_warning_of_pillow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Glancing at a picture of many pixels raises no warning of Pillow."""
    monkeypatch.setattr(
        Image, "MAX_IMAGE_PIXELS", 30 * ROWS
    )  # Pillow warns above this number of pixels
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in ("PNG", "WebP", "GIF"):
            assert len(glance(list_multiple_pictures()[name], side=32).picture.pixels) == ROWS


NEEDS_MORE = [
    *(name for name in READABLE_STILLS if name.startswith(("HEIF", "JPEG XL", "QOI"))),
    *("AVIF, 10 bits", "JPEG 2000, 16 bits", "TIFF, YCbCr as JPEG"),
    # These are compressed with LZW.
    *("TIFF, LZW", "TIFF, 32 bits", "TIFF, CMYK, LZW, tiles", "TIFF, planes", "TIFF, palette"),
]


@pytest.mark.parametrize("name", READABLE_STILLS)
def test_without_the_extra(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra `formats`, most stills are read; for others the hint names the extra."""
    still = list_stills()[name]
    monkeypatch.setitem(sys.modules, "imagecodecs", None)
    monkeypatch.setitem(sys.modules, "pi_heif", None)
    if name in NEEDS_MORE:
        with pytest.raises(UnsupportedError, match="reading 'the picture' needs ") as error_info:
            decode_picture(still.data)
        assert str(error_info.value.hint).startswith(format_extra_hint("formats"))
    else:
        assert has_expected_content(still, still.data)


def test_files_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra `formats`, a HEIF file is encrypted with a note, without a preview."""
    data = list_stills()["HEIF, rgb"].data
    for name in ("imagecodecs", "pi_heif"):
        monkeypatch.setitem(sys.modules, name, None)
    for preview, dropped in ((True, 1), (None, 1), (False, 0)):
        protected, restored_file = io.BytesIO(), io.BytesIO()
        report = encrypt_file(io.BytesIO(data), protected, KEY, preview=preview)
        assert len(report.dropped) == dropped
        assert all(
            "a preview" in text and format_extra_hint("formats") in text for text in report.dropped
        )
        decrypt_file(io.BytesIO(protected.getvalue()), restored_file, KEY)
        assert restored_file.getvalue() == data
