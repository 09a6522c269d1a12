"""What is no image or file: refused, with the call that was meant."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from sudokucrypt import (
    InvalidImageError,
    InvalidParameterError,
    Key,
    decrypt,
    encrypt,
    encrypt_bytes,
)

KEY = Key(bytes(32))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("photo.png", "this is the name of a file"),
        (Path("photo.png"), "this is the name of a file"),
        (np.zeros((4, 4), np.uint8), "this is ndarray"),
    ],
)
def test_a_file_is_bytes(content: Any, reason: str) -> None:
    """Names and arrays name the function that takes them."""
    with pytest.raises(InvalidParameterError, match=reason):
        encrypt_bytes(content, KEY)


@pytest.mark.parametrize("content", ["photo.png", Path("photo.png"), b"\x89PNG"])
def test_an_image_is_an_array(content: Any) -> None:
    """Names and bytes of files name the function that takes them."""
    with pytest.raises(InvalidImageError, match="an image is an array, and this is"):
        encrypt(content, KEY)


@pytest.mark.parametrize("mode", ["P", "CMYK"])
def test_an_image_is_no_more_than_its_samples(mode: str) -> None:
    """A palette or inks would not come back with the samples."""
    with pytest.raises(InvalidImageError, match=f"mode {mode} is more than its samples"):
        encrypt(Image.new(mode, (4, 4)), KEY)


def test_a_header_is_no_text() -> None:
    """What stands in a file is read by a function of its own."""
    with pytest.raises(InvalidParameterError, match="a header is the one in a result"):
        decrypt(np.zeros((4, 4), np.uint8), KEY, header="{}")  # type: ignore[arg-type]
