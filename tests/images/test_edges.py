"""Edges of reading and writing: closed files, little memory, odd strides, best formats."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sudokucrypt import InvalidImageError
from sudokucrypt.images import (
    Metadata,
    Picture,
    decode_picture,
    default_format,
    encode_picture,
    may_be_picture,
)
from sudokucrypt.images.source import Source
from tests.images.builders import encoded, noise

_NARROW = ((1, 7), (7, 1), (1, 1))


@pytest.mark.parametrize("name", ["closed", "closed.png", "closed.txt"])
def test_what_cannot_be_opened_may_be_a_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """In a folder it is not passed over in silence, so that nobody thinks it was protected."""
    (tmp_path / name).write_bytes(b"no picture")
    assert may_be_picture(tmp_path / name) == name.endswith(".png")

    def refusing(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refusing)
    assert may_be_picture(tmp_path / name)


@pytest.mark.parametrize("file_format", ["PNG", "TIFF"])
def test_too_little_memory(monkeypatch: pytest.MonkeyPatch, file_format: str) -> None:
    """Where the memory does not suffice, that is what the error says, and of which file."""
    data = encoded(noise(9, 8, 1), file_format)

    def exhausted(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Source, "shape", exhausted)  # asked before samples take memory
    with pytest.raises(InvalidImageError, match="not enough memory to decode 'some file'"):
        decode_picture(data, "some file")


@pytest.mark.parametrize(
    ("shape", "file_format"),
    [
        *(((rows, columns), kind) for kind in ("PNG", "TIFF") for rows, columns in _NARROW),
        *(((*sides, 3), kind) for kind in ("PNG", "TIFF", "WebP") for sides in _NARROW),
    ],
)
def test_a_side_of_one_pixel_may_have_any_stride(shape: tuple[int, ...], file_format: str) -> None:
    """What NumPy calls contiguous whatever its strides is written like its copy."""
    plain = np.arange(np.prod(shape), dtype=np.uint8).reshape(shape)
    strides = [9999 if side == 1 else step for side, step in zip(shape, plain.strides, strict=True)]
    odd = np.lib.stride_tricks.as_strided(plain.copy(), shape, strides)
    assert encoded(odd, file_format) == encoded(plain.copy(), file_format)


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({}, "PNG"),
        ({"exif": b"II*\0\x08\0\0\0\0\0\0\0\0\0"}, "PNG"),
        ({"texts": (("Comment", "text"),)}, "PNG"),
        ({"native": (("TIFF 40000", b"\3\0\1\0"),)}, "TIFF"),
    ],
)
def test_the_format_that_loses_least(metadata: dict[str, Any], expected: str) -> None:
    """A picture is restored as a PNG unless only its own format holds all that it says."""
    picture = replace(Picture.plain(noise(3, 4, 1)), format="TIFF")
    picture = picture.with_metadata([Metadata(**metadata)])
    assert default_format(picture) == expected
    again = decode_picture(encode_picture(picture, expected))
    assert again.frames[0].metadata == picture.frames[0].metadata
