"""Descriptions: what has one, what is refused, and their limits.

That `parse_description` undoes `describe`, and reads nothing else, is under tests/vectors: there
the reference agrees on random pictures.
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


def make_extras(picture: images.Picture) -> bytes:
    """The description of a picture that is more than its samples."""
    extras = images.describe(images.PictureRecord(picture=picture))
    assert extras is not None
    return extras


def test_what_speaks_for_itself_has_no_description() -> None:
    """Plain arrays are described by nothing, and everything that is more by something."""
    for channels in (1, 2, 3, 4):
        bare = images.PictureRecord(picture=images.Picture.plain(noise(3, 4, channels)))
        assert images.describe(bare) is None
    plain = images.Picture.plain(noise(3, 4, 4))
    assert make_extras(replace(plain, mode="cmyk"))
    assert make_extras(replace(plain, metadata=images.Metadata(exif=b"")))
    assert images.describe(images.PictureRecord(picture=plain, preview=_WEBP))


def test_previews() -> None:
    """A preview of up to a MiB comes back beside anything else that is described."""
    metadata = images.Metadata(icc=b"abc")
    picture = images.Picture(pixels=_GRAY, mode="gray", format="PNG", metadata=metadata)
    for preview in (_WEBP, _WEBP.ljust(2**20, b"\0")):
        record = images.PictureRecord(picture=picture, preview=preview)
        back = images.parse_description(_GRAY, images.describe(record) or b"")
        assert (back.preview, back.picture.metadata) == (preview, metadata)


@pytest.mark.parametrize(
    "preview",
    [b"", _WEBP[:-1], _WEBP.lower(), b"<svg/>" + _WEBP, b"RIFF\4\0\0\0WAVE", b"OggS" + _WEBP[4:],
     _WEBP.ljust(2**20 + 1, b"\0")],
)  # fmt: skip
def test_what_is_no_preview(preview: bytes) -> None:
    """Anything but the start of a WebP file of at most a MiB is an InvalidParameterError."""
    with pytest.raises(InvalidParameterError, match="preview"):
        images.PictureRecord(picture=images.Picture.plain(_GRAY), preview=preview)


@given(st.binary(max_size=99) | st.binary(max_size=99).map(lambda data: data + b"\n"))
def test_other_bytes_are_refused(data: bytes) -> None:
    """Random bytes are a FormatError, never another exception, regardless of their length."""
    for extras in (data, data.ljust(256, b"\0")):
        with pytest.raises(FormatError):
            images.parse_description(_GRAY, extras)


def test_other_samples_are_refused() -> None:
    """Samples of another shape or type than described are a DecryptionError."""
    extras = make_extras(
        images.Picture(pixels=_GRAY, mode="gray", format="PNG", metadata=images.Metadata(exif=b"x"))
    )
    for other in (_GRAY.T.copy(), _GRAY.view("int8"), noise(3, 4, 3)):
        with pytest.raises(DecryptionError):
            images.parse_description(other, extras)


def described_with(**changes: object) -> images.PictureRecord:
    """The record of a description of version 1.1, which has these fields of a frame."""
    frame = {"shape": [3, 4], "dtype": "uint8", "mode": "gray"}
    above = {name: changes.pop(name) for name in ("palettes", "animation") if name in changes}
    frames = [frame | changes] * (2 if changes.get("place") == "twice" else 1)
    line = json.dumps({"format": "PNG", **above, "frames": frames}, separators=(",", ":"))
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
def test_what_left_is_named(changes: dict[str, object], what: str) -> None:
    """What only version 1.1 restores is refused with its name."""
    with pytest.raises(UnsupportedVersionError, match=f"with {what}: restore it with version 1.1"):
        described_with(**changes)


def test_texts_and_native_metadata_are_named() -> None:
    """What version 1.1 sealed of texts and tags is checked, and left out."""
    record = described_with(metadata={"texts": [["Comment", "x"]], "native": [["PNG gAMA", 3]]})
    assert not record.picture.metadata
    assert record.earlier.native == (("PNG gAMA", b"abc"),)
    assert record.earlier.names() == ("text", "other data")
    with pytest.raises(FormatError):
        described_with(metadata={"texts": [["Comment", 5]], "native": [["PNG gAMA", 3]]})


@pytest.mark.parametrize("text", ["[" * 100_000, '{"format":' * 50_000, "9" * 10**6])
def test_hostile_lines(text: str) -> None:
    """Deep brackets and endless numbers are refused like any other nonsense."""
    for line in (text, f'{{"format":"","frames":{text}}}'):
        data = line.encode() + b"\n"
        with pytest.raises(FormatError):
            images.parse_description(_GRAY, data + bytes(-len(data) % 256))


@pytest.mark.parametrize("dtype", [",", "u1,u1", "O", "complex64", "S8", "float128", "", 5, None])
def test_types_are_on_a_list(dtype: object) -> None:
    """A type that no picture has never reaches NumPy, which would parse it."""
    line = json.dumps({"format": "PNG", "frames": [{"shape": [1, 1], "dtype": dtype}]})
    with pytest.raises(FormatError):
        images.blank_samples(f"{line}\n".encode().ljust(256, b"\0"))
