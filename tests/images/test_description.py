"""Descriptions: what has one, what is refused, and their limits.

That `described` undoes `describe`, and reads nothing else, is under tests/vectors: there the
reference agrees on random pictures.
"""

import json
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokucrypt import (
    DecryptionError,
    FormatError,
    InvalidParameterError,
    UnsupportedError,
    images,
)
from tests.images.builders import meaning, noise

_GRAY = noise(3, 4, 1)
_WEBP = b"RIFF\4\0\0\0WEBP"


def extras_of(picture: images.Picture) -> bytes:
    """The description of a picture that is more than its samples."""
    extras = images.describe(images.PictureRecord(picture=picture))
    assert extras is not None
    return extras


def test_what_speaks_for_itself_has_no_description() -> None:
    """Plain arrays are described by nothing, and everything that is more by something."""
    for channels in (1, 2, 3, 4):
        bare = images.PictureRecord(picture=images.Picture.plain(noise(3, 4, channels)))
        assert images.describe(bare) is None
    plain = images.Picture.plain(_GRAY)
    for change in (
        {"bits": 4},
        {"palette": images.Palette(colors=b"")},
        {"transparent": (0,)},
        {"column": 1},
        {"mode": "palette"},
        {"showing": images.FrameControl(duration=Fraction(0))},
        {"metadata": images.Metadata(exif=b"")},
    ):
        assert extras_of(replace(plain, frames=(replace(plain.frames[0], **change),)))
    assert extras_of(replace(plain, animation=images.Animation(rows=3, columns=4)))
    assert extras_of(replace(plain, frames=plain.frames * 2))
    assert images.describe(images.PictureRecord(picture=plain, preview=_WEBP))


def test_previews() -> None:
    """A preview of up to a MiB comes back beside anything else that is described."""
    palette = images.Palette(colors=b"abc")
    frame = images.Frame(pixels=_GRAY, mode="palette", palette=palette)
    for preview in (_WEBP, _WEBP.ljust(2**20, b"\0")):
        record = images.PictureRecord(
            picture=images.Picture(frames=(frame,), format="PNG"), preview=preview
        )
        back = images.described([frame], images.describe(record) or b"")
        assert (back.preview, back.picture.frames[0].palette) == (preview, palette)


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
    """Random bytes are a FormatError, never another exception, whatever their length."""
    for extras in (data, data.ljust(256, b"\0")):
        with pytest.raises(FormatError):
            images.described(images.Picture.plain(_GRAY).frames, extras)


def test_other_frames_are_refused() -> None:
    """Another number, shape or type of frames than described is a DecryptionError."""
    plain = images.Picture.plain(_GRAY)
    extras = extras_of(replace(plain, frames=plain.frames * 2))
    for others in ([], [_GRAY] * 2, [_GRAY.T.copy()], [_GRAY.view("int8")], [noise(3, 4, 3)]):
        frames = [images.Picture.plain(pixels).frames[0] for pixels in (_GRAY, *others)]
        with pytest.raises(DecryptionError):
            images.described(frames, extras)


def test_what_a_file_says_of_its_frames_does_not_count() -> None:
    """The description alone says what the samples mean."""
    palette = images.Palette(colors=b"abcdef", alphas=b"\7")
    frame = images.Frame(pixels=_GRAY, mode="palette", palette=palette, column=2)
    picture = images.Picture(frames=(frame,), format="PNG")
    false = images.Metadata(exif=b"false")
    held = [images.Frame(pixels=_GRAY, mode="gray", row=7, transparent=(1,), metadata=false)]
    record = images.described(held, extras_of(picture))
    assert meaning(record.picture) == meaning(picture)
    assert (record.picture.format, record.file) == ("PNG", None)


def test_a_line_of_over_4_mib_is_not_written() -> None:
    """A header would not hold it, and no reader take it."""

    def told(text: str) -> bytes:
        metadata = images.Metadata(texts=(("", text),))
        return extras_of(images.Picture.plain(_GRAY).with_metadata([metadata])).rstrip(b"\0\n")

    room = 4 * 2**20 - len(told(""))
    assert len(told("x" * room)) == 4 * 2**20
    with pytest.raises(UnsupportedError, match="more than a header"):
        told("x" * (room + 1))


@pytest.mark.parametrize("text", ["[" * 100_000, '{"format":' * 50_000, "9" * 10**6])
def test_hostile_lines(text: str) -> None:
    """Deep brackets and endless numbers are refused like any other nonsense."""
    for line in (text, f'{{"format":"","frames":{text}}}'):
        data = line.encode() + b"\n"
        with pytest.raises(FormatError):
            images.described(images.Picture.plain(_GRAY).frames, data + bytes(-len(data) % 256))


@pytest.mark.parametrize("dtype", [",", "u1,u1", "O", "complex64", "S8", "float128", "", 5, None])
def test_types_are_on_a_list(dtype: object) -> None:
    """A type that no picture has never reaches NumPy, which would parse it."""
    line = json.dumps({"format": "PNG", "frames": [{"shape": [1, 1], "dtype": dtype}]})
    with pytest.raises(FormatError):
        images.blank_frames(f"{line}\n".encode().ljust(256, b"\0"))
