"""Descriptions: which pictures have one, which are refused, and their limits.

Tests in tests/vectors show that `parse_description` inverts `describe`, and accepts nothing else.
"""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokucrypt import (
    DecryptionError,
    FormatError,
    InvalidParameterError,
    UnsupportedVersionError,
    images,
)
from tests.images.builders import noise

_GRAY = noise(3, 4, 1)
_WEBP = b"RIFF\4\0\0\0WEBP"


def describe_picture(picture: images.Picture) -> bytes:
    """Return the description of a picture, which must have one."""
    extras = images.describe(images.PictureRecord(picture=picture))
    assert extras is not None
    return extras


def test_plain_arrays_have_no_description() -> None:
    """A plain array has no description; with metadata, a preview or a file it has one."""
    for channels in (1, 2, 3, 4):
        plain_record = images.PictureRecord(picture=images.Picture.plain(noise(3, 4, channels)))
        assert images.describe(plain_record) is None
    plain = images.Picture.plain(noise(3, 4, 4))
    assert describe_picture(replace(plain, mode="cmyk"))
    assert describe_picture(replace(plain, metadata=images.Metadata(exif=b"")))
    assert images.describe(images.PictureRecord(picture=plain, preview=_WEBP))


def test_previews() -> None:
    """A preview of up to a MiB is restored, with and without other fields."""
    metadata = images.Metadata(icc=b"abc")
    picture = images.Picture(pixels=_GRAY, mode="gray", format="PNG", metadata=metadata)
    for preview in (_WEBP, _WEBP.ljust(2**20, b"\0")):
        record = images.PictureRecord(picture=picture, preview=preview)
        parsed_record = images.parse_description(_GRAY, images.describe(record) or b"")
        assert (parsed_record.preview, parsed_record.picture.metadata) == (preview, metadata)


@pytest.mark.parametrize(
    "preview",
    [b"", _WEBP[:-1], _WEBP.lower(), b"<svg/>" + _WEBP, b"RIFF\4\0\0\0WAVE", b"OggS" + _WEBP[4:],
     _WEBP.ljust(2**20 + 1, b"\0")],
)  # fmt: skip
def test_invalid_previews_are_refused(preview: bytes) -> None:
    """A preview that is no WebP, or has more than a MiB, raises InvalidParameterError."""
    with pytest.raises(InvalidParameterError, match="preview"):
        images.PictureRecord(picture=images.Picture.plain(_GRAY), preview=preview)


@given(st.binary(max_size=99) | st.binary(max_size=99).map(lambda data: data + b"\n"))
def test_random_bytes_are_refused(data: bytes) -> None:
    """Parsing random bytes of any length raises FormatError."""
    for extras in (data, data.ljust(256, b"\0")):
        with pytest.raises(FormatError):
            images.parse_description(_GRAY, extras)


def test_other_samples_are_refused() -> None:
    """Parsing with samples of another shape or type than described raises DecryptionError."""
    extras = describe_picture(
        images.Picture(pixels=_GRAY, mode="gray", format="PNG", metadata=images.Metadata(exif=b"x"))
    )
    for other_samples in (_GRAY.T.copy(), _GRAY.view("int8"), noise(3, 4, 3)):
        with pytest.raises(DecryptionError):
            images.parse_description(other_samples, extras)


def parse_earlier_frame(**changes: object) -> images.PictureRecord:
    """Return the record of a description of version 1.1 whose frame has the given fields."""
    frame = {"shape": [3, 4], "dtype": "uint8", "mode": "gray"}
    outer = {name: changes.pop(name) for name in ("palettes", "animation") if name in changes}
    frames = [frame | changes] * (2 if changes.get("place") == "twice" else 1)
    line = json.dumps({"format": "PNG", **outer, "frames": frames}, separators=(",", ":"))
    data = line.encode() + b"\nabc"
    return images.parse_description(_GRAY, data + bytes(-len(data) % 256))


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"palettes": [{"colors": 3}], "palette": 0, "mode": "palette"}, "a palette"),
        ({"mode": "palette"}, "a palette"),
        ({"animation": {"rows": 3, "columns": 4}}, "an animation"),
        ({"showing": ["1/10", 0, 0]}, "an animation"),
        ({"place": [1, 2]}, "an animation"),
        ({"place": "twice"}, "several pages"),
        ({"bits": 4}, "samples of fewer than 8 bits"),
        ({"transparent": [1]}, "a transparent color"),
    ],
)
def test_earlier_pictures_are_refused_by_name(changes: dict[str, object], what: str) -> None:
    """A kind of picture that only version 1.1 restores raises an error with its name."""
    with pytest.raises(UnsupportedVersionError, match=f"with {what}: restore it with version 1.1"):
        parse_earlier_frame(**changes)


def test_texts_and_native_metadata_are_named() -> None:
    """Texts and native metadata of version 1.1 are parsed, and their names are listed."""
    record = parse_earlier_frame(
        metadata={"texts": [["Comment", "x"]], "native": [["PNG gAMA", 3]]}
    )
    assert not record.picture.metadata
    assert record.earlier.native == (("PNG gAMA", b"abc"),)
    assert record.earlier.names() == ("text", "other data")
    with pytest.raises(FormatError):
        parse_earlier_frame(metadata={"texts": [["Comment", 5]], "native": [["PNG gAMA", 3]]})


@pytest.mark.parametrize("text", ["[" * 100_000, '{"format":' * 50_000, "9" * 10**6])
def test_hostile_lines(text: str) -> None:
    """Deeply nested brackets and endless numbers raise FormatError."""
    for line in (text, f'{{"format":"","frames":{text}}}'):
        data = line.encode() + b"\n"
        with pytest.raises(FormatError):
            images.parse_description(_GRAY, data + bytes(-len(data) % 256))


@pytest.mark.parametrize("dtype", [",", "u1,u1", "O", "complex64", "S8", "float128", "", 5, None])
def test_unknown_types_are_refused(dtype: object) -> None:
    """A type that is not in the list of sample types raises FormatError before NumPy parses it."""
    line = json.dumps({"format": "PNG", "frames": [{"shape": [1, 1], "dtype": dtype}]})
    with pytest.raises(FormatError):
        images.blank_samples(f"{line}\n".encode().ljust(256, b"\0"))
