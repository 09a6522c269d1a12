"""Files of any kind as pictures: their shape, their stored properties, and limits."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudokucrypt import DecryptionError, FormatError, InvalidParameterError
from sudokucrypt.images import (
    EmbeddedFile,
    Picture,
    PictureRecord,
    describe,
    embed,
    extract,
    parse_description,
)

MOST_BYTES = 2**38
VALID_FIELDS: dict[str, Any] = {"name": "a.txt", "size": 10, "type": "text/plain", "time": -5}


def search_shape(size: int) -> tuple[int, int]:
    """Return rows and columns by the definition in the specification: the least width."""
    columns = next(w for w in itertools.count(1) if w * -(-3 * w // 4) >= size)
    return -(-3 * columns // 4), columns


def test_shapes_of_small_files() -> None:
    """For every size up to 5000, the shape is the smallest that can contain the file."""
    for size in range(5001):
        assert EmbeddedFile(name="x", size=size).shape == search_shape(size)


@settings(max_examples=40)
@given(st.integers(0, MOST_BYTES))
def test_shapes_of_large_files(size: int) -> None:
    """For a large size, the next smaller picture is too small, and the shape is about 4:3."""
    rows, columns = EmbeddedFile(name="x", size=size).shape
    assert rows == -(-3 * columns // 4)
    assert rows * columns >= size
    fewer_columns = columns - 1
    assert fewer_columns == 0 or fewer_columns * -(-3 * fewer_columns // 4) < size


@pytest.mark.parametrize("columns", [1, 2, 3, 4, 5, 1000, 4097, 605_000])
def test_shapes_at_limits(columns: int) -> None:
    """A file that fills its picture exactly gets this shape, and one more byte gets the next."""
    rows = -(-3 * columns // 4)
    assert EmbeddedFile(name="x", size=rows * columns).shape == (rows, columns)
    larger_shape = EmbeddedFile(name="x", size=rows * columns + 1).shape
    assert larger_shape == (-(-3 * (columns + 1) // 4), columns + 1)


@given(st.binary(max_size=300))
def test_files_are_extracted(data: bytes) -> None:
    """extract(embed(x)) == x; samples are bytes and zeros, others raise DecryptionError."""
    file = EmbeddedFile(name="x", size=len(data))
    pixels = embed(data, file)
    assert (pixels.shape, pixels.dtype.name) == (file.shape, "uint8")
    assert pixels.tobytes() == data.ljust(pixels.size, b"\0")
    assert extract(pixels, file) == data
    for wrong in (data + b"x", data[:-1] if data else b"x"):
        with pytest.raises(InvalidParameterError, match="bytes, but the size of the file is"):
            embed(wrong, file)
    if pixels.size > len(data):
        for position in (len(data), pixels.size - 1):
            changed_pixels = pixels.copy()
            changed_pixels.reshape(-1)[position] = 1
            with pytest.raises(DecryptionError):
                extract(changed_pixels, file)


def test_invalid_names_are_refused() -> None:
    """Path separators, control characters and lone surrogates in names are refused."""
    for name in [
        "", ".", "..", "x" * 256, "\u00e4" * 128, "\U0001f9e9" * 64, "a/b", "/", "a\\b", "C:",
        "a:b", *(f"a{chr(code)}b" for code in (0, 1, 9, 10, 13, 27, 31, 127, 128, 133, 159)),
        "\ud800", "a\udfff",
    ]:  # fmt: skip
        with pytest.raises(InvalidParameterError, match="name"):
            EmbeddedFile(name=name, size=0)


@pytest.mark.parametrize(
    "changed_fields",
    [{"size": -1}, {"size": MOST_BYTES + 1}, {"type": ""}, {"type": "text"}, {"type": "text/"},
     {"type": "Text/plain"}, {"type": "text/plain; charset=utf-8"}, {"type": "/x"},
     {"type": "-a/b"}, {"type": f"{'x' * 65}/y"}, {"type": "a/b\n"}, {"time": 2**63},
     {"time": -(2**63) - 1}],
)  # fmt: skip
def test_invalid_properties_are_refused(changed_fields: dict[str, Any]) -> None:
    """A size, type or time out of range raises InvalidParameterError."""
    with pytest.raises(InvalidParameterError):
        EmbeddedFile(**(VALID_FIELDS | changed_fields))


def test_a_size_is_a_number() -> None:
    """A description whose size is `true` instead of 1 raises FormatError."""
    picture = Picture.plain(np.zeros((1, 1), dtype=np.uint8))
    extras = describe(PictureRecord(picture=picture, file=EmbeddedFile(name="a", size=1))) or b""
    assert extras.count(b'"size":1,') + extras.count(b'"size":1}') == 1
    changed_extras = extras.replace(b'"size":1', b'"size":true').rstrip(b"\0")
    with pytest.raises(FormatError):
        parse_description(picture.pixels, changed_extras + bytes(-len(changed_extras) % 256))
