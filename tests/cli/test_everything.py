"""Stills of each mode in each format are restored exactly, as Pillow reads them."""

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
    find_unsupported_reason,
    read_picture,
    writable_formats,
)
from sudokucrypt.recipes.carriers.picture import are_same_pictures
from tests.cli.conftest import mark_slow
from tests.cli.gallery import GALLERY, MULTI_PICTURE_FILES, SECRET, make_exif
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
_FEW_NAMES = "1.png P-metadata.png 4x16.png CMYK.tiff 1xfloat16.tiff RGBA.webp transparent.gif"
FEW = f"{_FEW_NAMES} RGB.jpg L.bmp".split()


def list_pairs(first_name: str) -> list[Any]:
    """Return pairs of a still and an operation that accepts it; all but a few are slow."""
    return [
        pytest.param(name, operation, marks=[] if in_fast_tests else pytest.mark.slow)
        for name, operation in product(GALLERY, OPERATIONS)
        if operation == "scramble" or name not in LINEAR
        for in_fast_tests in [name in FEW and operation == first_name]
    ]


@pytest.mark.parametrize(("name", "operation"), list_pairs("encrypt"))
def test_round_trip(tmp_path: Path, name: str, operation: str) -> None:
    """Samples, mode, transparency, profile and EXIF are restored; protected samples differ."""
    protect, restore = OPERATIONS[operation]
    if operation == "encrypt" and name.endswith("16.jxl"):
        with pytest.raises(UnsupportedError, match="more than its pixels keep: color space"):
            protect(io.BytesIO(GALLERY[name]), io.BytesIO(), KEY)
        return
    source = tmp_path / name
    source.write_bytes(GALLERY[name])
    protected_path = protect(source, None, KEY).target
    result = restore(protected_path, None, KEY).target
    original, protected_picture, restored_picture = (
        read_picture(path) for path in (source, protected_path, result)
    )
    assert are_same_pictures(restored_picture, original)
    assert restored_picture.header is None
    assert protected_picture.pixels.shape == original.pixels.shape
    assert not np.array_equal(protected_picture.pixels, original.pixels)
    plain_look, restored_look = source.read_bytes(), result.read_bytes()
    if is_for_pillow(plain_look) and name != _TRANSPARENT:
        assert look(restored_look) == look(plain_look)
        if source.suffix != ".tiff" and result.suffix != ".tiff":
            assert read_exif_block(restored_look) == read_exif_block(plain_look)
    if "x" in source.stem or name == _TRANSPARENT:  # Pillow does not read all bits
        samples = [_DECODERS[path.suffix](path.read_bytes()) for path in (source, result)]
        assert samples[0].dtype == samples[1].dtype
        assert np.array_equal(*samples)


@pytest.mark.parametrize(("name", "operation"), list_pairs("scramble"))
def test_other_formats(name: str, operation: str) -> None:
    """Stored in another format, a picture is restored as if it had only been converted."""
    protect, restore = OPERATIONS[operation]
    if operation == "encrypt" and name.endswith("16.jxl"):
        pytest.skip("its color space is refused")
    original = decode_picture(GALLERY[name])
    formats = [
        file_format
        for file_format in writable_formats()
        if find_unsupported_reason(original, file_format) is None
    ]
    assert formats
    contents = [
        run_on_bytes(protect, GALLERY[name], KEY, format=file_format, rounds=1)
        for file_format in formats
    ]
    for data, end in product(contents, formats):
        restored = decode_picture(run_on_bytes(restore, data, KEY, format=end))
        assert are_same_pictures(restored, original)
        assert restored.metadata == decode_picture(encode_picture(original, end)).metadata


@pytest.mark.parametrize("name", ["F.tiff", "1xint16.tiff", "3xuint32.tiff"])
def test_formats_that_cannot_hold_a_picture(tmp_path: Path, name: str) -> None:
    """A picture that PNG cannot store is refused, and the hint names TIFF."""
    target = tmp_path / "out.png"
    with pytest.raises(UnsupportedError, match="PNG cannot hold") as raised:
        scramble_file(io.BytesIO(GALLERY[name]), target, KEY)
    assert str(raised.value.hint).startswith("write TIFF")
    assert not target.exists()


@pytest.mark.parametrize("name", mark_slow(LINEAR, *LINEAR[:1]))
def test_color_spaces_that_are_not_kept(tmp_path: Path, name: str) -> None:
    """Of a color space that is lost, `encrypt` raises an error, and `scramble` prints a note."""
    output_path = tmp_path / "out.png"
    with pytest.raises(UnsupportedError, match="more than its pixels keep: color space") as raised:
        OPERATIONS["encrypt"][0](io.BytesIO(GALLERY[name]), output_path, KEY)
    assert "encrypt it as a file" in str(raised.value.hint)
    assert not output_path.exists()
    report = scramble_file(io.BytesIO(GALLERY[name]), output_path, KEY)
    assert report.dropped == ("color space",)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", MULTI_PICTURE_FILES)
def test_several_pictures_are_refused(tmp_path: Path, name: str, operation: str) -> None:
    """Animations and several pages are refused as pixels; the hint names `encrypt`."""
    (tmp_path / name).write_bytes(MULTI_PICTURE_FILES[name])
    with pytest.raises(UnsupportedError) as raised:
        OPERATIONS[operation][0](tmp_path / name, None, KEY)
    assert "encrypt" in str(raised.value.hint)
    assert [path.name for path in tmp_path.iterdir()] == [name]


# Metadata are sealed or stripped by an option, and only sealed ones are restored.


FILES_WITH_METADATA = [
    name
    for name in GALLERY
    if "metadata" in name
    or name in ("exif.tiff", "RGB.bmp", "RGBA.webp", "CMYK.jpg", "RGBA.avif")
    or name in ("L.jpg", "RGB.jpg", "RGB.webp", "L.avif", "RGB.avif")
]
"""Stills that say more than their samples and their resolution, and one that says only this."""
FEW_FILES = ("P-metadata.png", "RGB.webp")
BLOCK = make_exif(is_turned=False).tobytes().removeprefix(b"Exif\0\0")


def protect_picture(name: str, operation: str = "encrypt", **options: Any) -> bytes:
    """Return the protected file of a picture of the gallery, and its samples."""
    output_stream = io.BytesIO()
    if name.endswith(".jpg"):  # a scrambled JPEG would stay a JPEG
        options = {"format": "PNG", **options}
    OPERATIONS[operation][0](io.BytesIO(GALLERY[name]), output_stream, KEY, rounds=1, **options)
    return output_stream.getvalue()


def restore_plain(
    data: bytes, operation: str = "encrypt", key: Key = KEY, **options: Any
) -> tuple[bytes, Any]:
    """Return the restored file, and the report."""
    result = io.BytesIO()
    report = OPERATIONS[operation][1](io.BytesIO(data), result, key, **options)
    return result.getvalue(), report


def is_readable(data: bytes) -> bool:
    """Return whether a protected file has readable metadata."""
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
    """Fail unless a restored file is the same as the original, rewritten by the package."""
    original = images.decode_picture(GALLERY[name])
    assert data == images.encode_picture(original, images.decode_picture(data).format, compress=1)


@pytest.mark.parametrize("operation", mark_slow(OPERATIONS, "encrypt"))
@pytest.mark.parametrize("name", mark_slow(FILES_WITH_METADATA, *FEW_FILES))
def test_stripped_metadata(name: str, operation: str) -> None:
    """With metadata="strip", neither the protected nor the restored file has metadata."""
    data = protect_picture(name, operation, metadata="strip")
    assert not is_readable(data)
    restored_data, report = restore_plain(data, operation)
    assert not is_readable(restored_data)
    assert report.dropped == ()
    assert are_same_pictures(
        images.decode_picture(restored_data), images.decode_picture(GALLERY[name])
    )


@pytest.mark.parametrize("operation", mark_slow(OPERATIONS, "encrypt"))
@pytest.mark.parametrize("name", mark_slow(FILES_WITH_METADATA, *FEW_FILES))
def test_metadata_are_restored(name: str, operation: str) -> None:
    """Sealed metadata are not readable, even after rekeying, and all are restored."""
    data, second_stream = protect_picture(name, operation), io.BytesIO()
    rekey_file(io.BytesIO(data), second_stream, KEY, OTHER)
    for protected_file, key in ((data, KEY), (second_stream.getvalue(), OTHER)):
        assert not is_readable(protected_file)
        restored_data, report = restore_plain(protected_file, operation, key)
        assert_whole(restored_data, name)
        assert report.dropped == ()


def add_metadata(data: bytes, metadata: images.Metadata) -> bytes:
    """Return a protected file with additional metadata."""
    picture = replace(images.decode_picture(data), metadata=metadata)
    return images.encode_picture(picture, picture.format)


def insert_text(data: bytes) -> bytes:
    """Return a PNG with a text chunk after its header."""
    return data[:33] + make_png_text(b"tEXt", "Comment", b"false") + data[33:]


@pytest.mark.parametrize("operation", mark_slow(OPERATIONS, "encrypt"))
@pytest.mark.parametrize("choice", ["seal", "strip"])
@pytest.mark.parametrize(
    "name",
    mark_slow(("RGB-metadata.png", "P-metadata.tiff", "RGB.jpg", "L.png"), "RGB-metadata.png"),
)
@pytest.mark.parametrize("field", ["exif", "icc", "xmp"])
def test_added_metadata_are_left_out(name: str, choice: str, operation: str, field: str) -> None:
    """EXIF, profile and XMP that were added to a protected file are not restored, but named."""
    data = protect_picture(name, operation, metadata=choice)
    expected, report_before = restore_plain(data, operation)
    added_values = {"exif": BLOCK, "icc": b"no profile", "xmp": b"<x/>"}
    changed_data = add_metadata(data, images.Metadata(**{field: added_values[field]}))  # type: ignore[arg-type]
    restored_data, report = restore_plain(changed_data, operation)
    assert restored_data == expected
    word = {"exif": "EXIF", "icc": "ICC profile", "xmp": "XMP"}[field]
    assert set(report.dropped) == {*report_before.dropped, f"{word} that is not sealed"}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_rekeying_leaves_out_added_metadata(operation: str) -> None:
    """Rekeying names metadata that are not sealed, and leaves them out."""
    data, rekeyed_stream = protect_picture("RGB-metadata.png", operation), io.BytesIO()
    false_metadata = insert_text(add_metadata(data, images.Metadata(exif=BLOCK, icc=b"false")))
    report = rekey_file(io.BytesIO(false_metadata), rekeyed_stream, KEY, OTHER)
    assert not is_readable(rekeyed_stream.getvalue())
    left_out_names = {
        "text that is not sealed",
        "EXIF that is not sealed",
        "ICC profile that is not sealed",
    }
    assert set(report.dropped) == left_out_names
    assert_whole(restore_plain(rekeyed_stream.getvalue(), operation, OTHER)[0], "RGB-metadata.png")


@pytest.mark.parametrize("protect", [scramble_file, encrypt_file])
@pytest.mark.parametrize("choice", ["Strip", "drop", "", None])
def test_unknown_choices_are_refused(protect: Any, choice: Any) -> None:
    """An unknown value of `metadata` is an error."""
    output_stream = io.BytesIO()
    with pytest.raises(InvalidParameterError, match="metadata must be one of seal, strip"):
        protect(io.BytesIO(GALLERY["RGB-metadata.png"]), output_stream, KEY, metadata=choice)
    assert not output_stream.getvalue()


@pytest.mark.parametrize("name", ["RGB-metadata.png", "RGB.webp", "RGB.jpg", "exif.tiff"])
def test_orientation_is_never_applied(name: str) -> None:
    """A picture with an orientation keeps its samples and its orientation."""
    for data in (GALLERY[name], restore_plain(protect_picture(name, "scramble"), "scramble")[0]):
        assert images.decode_picture(data).pixels.shape == (13, 18, 3)
        with Image.open(io.BytesIO(data)) as image:
            assert image.getexif()[ExifTags.Base.Orientation] == 6
