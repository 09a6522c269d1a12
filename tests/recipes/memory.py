"""Run functions for files on bytes in memory."""

import io
from collections.abc import Callable
from typing import Any

from PIL import Image

from sudokucrypt import Header
from sudokucrypt.images import PictureRecord
from sudokucrypt.recipes import inspect_file
from sudokucrypt.recipes.options import OpenOptions
from sudokucrypt.recipes.sources import FileSource


def save_image(image: Image.Image, file_format: str, **options: Any) -> bytes:
    """Encode an image with Pillow."""
    buffer = io.BytesIO()
    image.save(buffer, file_format, **options)
    return buffer.getvalue()


def run_on_bytes(function: Callable[..., Any], data: bytes, *keys: Any, **options: Any) -> bytes:
    """Call a function for files, such as `rekey_file`, with streams, and return its output."""
    result = io.BytesIO()
    function(io.BytesIO(data), result, *keys, **options)
    return result.getvalue()


def inspect_picture(source: FileSource, key: Any, **options: Any) -> tuple[Header, PictureRecord]:
    """Return the header of a protected picture, and the plain picture with its metadata."""
    inspection = inspect_file(source, key, OpenOptions(**options))
    assert inspection.header is not None
    assert inspection.record is not None
    return inspection.header, inspection.record
