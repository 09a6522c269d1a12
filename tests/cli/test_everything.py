"""Stills of every mode in every format come back as they were; Pillow is the judge."""

import io
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import imagecodecs
import numpy as np
import pytest
from PIL import ExifTags, Image

from sudokucrypt import (
    Header,
    InvalidParameterError,
    Key,
    UnsupportedError,
    decrypt_file,
    encrypt_file,
    images,
    rekey_file,
    scramble_file,
    unscramble_file,
)
from sudokucrypt.images import (
    decode_picture,
    encode_picture,
    read_picture,
    unsupported_reason,
    writable_formats,
)
from sudokucrypt.recipes.carriers.picture import same_pictures
from tests.cli.conftest import mark_slow
from tests.cli.gallery import GALLERY, SECRET, SEVERAL, make_exif
from tests.cli.looking import is_for_pillow, look, read_exif_block
from tests.images.builders import make_png_text
from tests.recipes.memory import run_on_bytes

KEY, OTHER = Key(bytes(range(32))), Key(bytes(32))
OPERATIONS: dict[str, Any] = {
    "scramble": (scramble_file, unscramble_file),
    "encrypt": (partial(encrypt_file, as_file=False), decrypt_file),
}
_DECODERS = {
    ".png": imagecodecs.png_decode,
    ".tiff": imagecodecs.tiff_decode,
    ".jxl": imagecodecs.jpegxl_decode,
}
_TRANSPARENT = "I;16-transparent.png"  # of which Pillow shows 8 bits of each sample
LINEAR = [name for name in GALLERY if name.endswith("uint16.jxl")]
"""Stills in a color space that is not kept."""

# One of each kind; all others are for the full run.
_FEW = "1.png P-metadata.png 4x16.png CMYK.tiff 1xfloat16.tiff RGBA.webp transparent.gif"
FEW = f"{_FEW} RGB.jpg L.bmp".split()


def list_pairs(first: str) -> list[Any]:
    """Names of stills with the operations that take them; the fast run has `first` and a few."""
    return [
        pytest.param(name, each, marks=[] if quickly else pytest.mark.slow)
        for name, each in product(GALLERY, OPERATIONS)
        if each == "scramble" or name not in LINEAR
        for quickly in [name in FEW and each == first]
    ]


@pytest.mark.parametrize(("name", "operation"), list_pairs("encrypt"))
def test_round_trip(tmp_path: Path, name: str, operation: str) -> None:
    """Samples, mode, transparency, profile and EXIF come back; protected samples are others."""
    protect, restore = OPERATIONS[operation]
    if operation == "encrypt" and name.endswith("16.jxl"):
        with pytest.raises(UnsupportedError, match="more than its pixels keep: color space"):
            protect(io.BytesIO(GALLERY[name]), io.BytesIO(), KEY)
        return
    source = tmp_path / name
    source.write_bytes(GALLERY[name])
    stored = protect(source, None, KEY).target
    result = restore(stored, None, KEY).target
    plain, protected, restored = (read_picture(path) for path in (source, stored, result))
    assert same_pictures(restored, plain)
    assert restored.header is None
    assert protected.pixels.shape == plain.pixels.shape
    assert not np.array_equal(protected.pixels, plain.pixels)
    before, after = source.read_bytes(), result.read_bytes()
    if is_for_pillow(before) and name != _TRANSPARENT:
        assert look(after) == look(before)
        if source.suffix != ".tiff" and result.suffix != ".tiff":
            assert read_exif_block(after) == read_exif_block(before)
    if "x" in source.stem or name == _TRANSPARENT:  # Pillow would not show all bits
        samples = [_DECODERS[path.suffix](path.read_bytes()) for path in (source, result)]
        assert samples[0].dtype == samples[1].dtype
        assert np.array_equal(*samples)


@pytest.mark.parametrize(("name", "operation"), list_pairs("scramble"))
def test_other_formats(name: str, operation: str) -> None:
    """Through any format that holds it, a picture comes back as if it had only been converted."""
    protect, restore = OPERATIONS[operation]
    if operation == "encrypt" and name.endswith("16.jxl"):
        pytest.skip("its color space is refused")
    plain = decode_picture(GALLERY[name])
    formats = [each for each in writable_formats() if unsupported_reason(plain, each) is None]
    assert formats
    stored = [run_on_bytes(protect, GALLERY[name], KEY, format=each, rounds=1) for each in formats]
    for data, end in product(stored, formats):
        restored = decode_picture(run_on_bytes(restore, data, KEY, format=end))
        assert same_pictures(restored, plain)
        assert restored.metadata == decode_picture(encode_picture(plain, end)).metadata


@pytest.mark.parametrize("name", ["F.tiff", "1xint16.tiff", "3xuint32.tiff"])
def test_formats_that_cannot_hold_a_picture(tmp_path: Path, name: str) -> None:
    """Where a PNG would lose something, it is refused, and a TIFF is named."""
    target = tmp_path / "out.png"
    with pytest.raises(UnsupportedError, match="PNG cannot hold") as raised:
        scramble_file(io.BytesIO(GALLERY[name]), target, KEY)
    assert str(raised.value.hint).startswith("write TIFF")
    assert not target.exists()


@pytest.mark.parametrize("name", mark_slow(LINEAR, *LINEAR[:1]))
def test_color_spaces_that_are_not_kept(tmp_path: Path, name: str) -> None:
    """`encrypt` refuses pixels without their color space, which `scramble` names in a note."""
    stored = tmp_path / "out.png"
    with pytest.raises(UnsupportedError, match="more than its pixels keep: color space") as raised:
        OPERATIONS["encrypt"][0](io.BytesIO(GALLERY[name]), stored, KEY)
    assert "encrypt it as a file" in str(raised.value.hint)
    assert not stored.exists()
    report = scramble_file(io.BytesIO(GALLERY[name]), stored, KEY)
    assert report.dropped == ("color space",)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", SEVERAL)
def test_several_pictures_are_refused(tmp_path: Path, name: str, operation: str) -> None:
    """Animations and pages are refused as pixels, the hint names `encrypt`, and nothing is left."""
    (tmp_path / name).write_bytes(SEVERAL[name])
    with pytest.raises(UnsupportedError) as raised:
        OPERATIONS[operation][0](tmp_path / name, None, KEY)
    assert "encrypt" in str(raised.value.hint)
    assert [path.name for path in tmp_path.iterdir()] == [name]


# Metadata are sealed or stripped as the user says, and only what is sealed is restored.


SAYING = [
    name
    for name in GALLERY
    if "metadata" in name
    or name in ("exif.tiff", "RGB.bmp", "RGBA.webp", "CMYK.jpg", "RGBA.avif")
    or name in ("L.jpg", "RGB.jpg", "RGB.webp", "L.avif", "RGB.avif")
]
"""Stills that say more than their samples and their resolution, and one that says only this."""
FEW_FILES = ("P-metadata.png", "RGB.webp")
BLOCK = make_exif(turned=False).tobytes().removeprefix(b"Exif\0\0")


def protect_picture(name: str, operation: str = "encrypt", **options: Any) -> bytes:
    """The file that comes of a picture of the gallery, with its samples."""
    stored = io.BytesIO()
    if name.endswith(".jpg"):  # scrambled, it would stay a JPEG
        options = {"format": "PNG", **options}
    OPERATIONS[operation][0](io.BytesIO(GALLERY[name]), stored, KEY, rounds=1, **options)
    return stored.getvalue()


def restore_plain(
    data: bytes, operation: str = "encrypt", key: Key = KEY, **options: Any
) -> tuple[bytes, Any]:
    """The file that comes back, and the report."""
    result = io.BytesIO()
    report = OPERATIONS[operation][1](io.BytesIO(data), result, key, **options)
    return result.getvalue(), report


def is_readable(data: bytes) -> bool:
    """Tell whether anything is said beside the samples, in the clear."""
    picture = images.decode_picture(data)
    extras = (
        b""
        if picture.header is None
        else Header.from_bytes(picture.header).encrypted_metadata or b""
    )
    metadata = bool(picture.metadata) or SECRET.encode() in data + extras
    if is_for_pillow(data):
        metadata |= any(
            tag is not None for tag in (read_exif_block(data), look(data)["icc_profile"])
        )
    return metadata


def assert_whole(data: bytes, name: str) -> None:
    """All of the picture came back: the file is what the package writes of the original."""
    plain = images.decode_picture(GALLERY[name])
    assert data == images.encode_picture(plain, images.decode_picture(data).format, compress=1)


@pytest.mark.parametrize("operation", mark_slow(OPERATIONS, "encrypt"))
@pytest.mark.parametrize("name", mark_slow(SAYING, *FEW_FILES))
def test_stripped_metadata(name: str, operation: str) -> None:
    """With metadata="strip" nothing but the picture is left, there and back."""
    data = protect_picture(name, operation, metadata="strip")
    assert not is_readable(data)
    back, report = restore_plain(data, operation)
    assert not is_readable(back)
    assert report.dropped == ()
    assert same_pictures(images.decode_picture(back), images.decode_picture(GALLERY[name]))


@pytest.mark.parametrize("operation", mark_slow(OPERATIONS, "encrypt"))
@pytest.mark.parametrize("name", mark_slow(SAYING, *FEW_FILES))
def test_metadata_come_back(name: str, operation: str) -> None:
    """Nothing is readable, after rekey too; all of it is restored."""
    data, again = protect_picture(name, operation), io.BytesIO()
    rekey_file(io.BytesIO(data), again, KEY, OTHER)
    for stored, key in ((data, KEY), (again.getvalue(), OTHER)):
        assert not is_readable(stored)
        back, report = restore_plain(stored, operation, key)
        assert_whole(back, name)
        assert report.dropped == ()


def add_metadata(data: bytes, metadata: images.Metadata) -> bytes:
    """The protected file with these metadata."""
    picture = replace(images.decode_picture(data), metadata=metadata)
    return images.encode_picture(picture, picture.format)


def insert_text(data: bytes) -> bytes:
    """The PNG with a text after its header."""
    return data[:33] + make_png_text(b"tEXt", "Comment", b"false") + data[33:]


@pytest.mark.parametrize("operation", mark_slow(OPERATIONS, "encrypt"))
@pytest.mark.parametrize("choice", ["seal", "strip"])
@pytest.mark.parametrize(
    "name",
    mark_slow(("RGB-metadata.png", "P-metadata.tiff", "RGB.jpg", "L.png"), "RGB-metadata.png"),
)
@pytest.mark.parametrize("field", ["exif", "icc", "xmp"])
def test_what_somebody_adds_is_left_out(name: str, choice: str, operation: str, field: str) -> None:
    """EXIF, profile and XMP that are not sealed do not come back, and are named."""
    data = protect_picture(name, operation, metadata=choice)
    expected, before = restore_plain(data, operation)
    more = {"exif": BLOCK, "icc": b"no profile", "xmp": b"<x/>"}
    changed = add_metadata(data, images.Metadata(**{field: more[field]}))  # type: ignore[arg-type]
    back, report = restore_plain(changed, operation)
    assert back == expected
    word = {"exif": "EXIF", "icc": "ICC profile", "xmp": "XMP"}[field]
    assert set(report.dropped) == {*before.dropped, f"{word} that is not sealed"}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_rekeying_takes_nothing_of_what_was_added(operation: str) -> None:
    """What is not sealed is named and left out."""
    data, again = protect_picture("RGB-metadata.png", operation), io.BytesIO()
    false = insert_text(add_metadata(data, images.Metadata(exif=BLOCK, icc=b"false")))
    report = rekey_file(io.BytesIO(false), again, KEY, OTHER)
    assert not is_readable(again.getvalue())
    named = {"text that is not sealed", "EXIF that is not sealed", "ICC profile that is not sealed"}
    assert set(report.dropped) == named
    assert_whole(restore_plain(again.getvalue(), operation, OTHER)[0], "RGB-metadata.png")


@pytest.mark.parametrize("protect", [scramble_file, encrypt_file])
@pytest.mark.parametrize("choice", ["Strip", "drop", "", None])
def test_other_choices(protect: Any, choice: Any) -> None:
    """A choice that is not there is refused."""
    stored = io.BytesIO()
    with pytest.raises(InvalidParameterError, match="metadata must be one of seal, strip"):
        protect(io.BytesIO(GALLERY["RGB-metadata.png"]), stored, KEY, metadata=choice)
    assert not stored.getvalue()


@pytest.mark.parametrize("name", ["RGB-metadata.png", "RGB.webp", "RGB.jpg", "exif.tiff"])
def test_orientation_is_never_applied(name: str) -> None:
    """A picture that is to be shown turned stays as it is stored, and stays to be shown turned."""
    for data in (GALLERY[name], restore_plain(protect_picture(name, "scramble"), "scramble")[0]):
        assert images.decode_picture(data).pixels.shape == (13, 18, 3)
        with Image.open(io.BytesIO(data)) as image:
            assert image.getexif()[ExifTags.Base.Orientation] == 6
