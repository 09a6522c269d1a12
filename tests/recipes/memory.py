"""Files in memory: what a function makes of bytes, and what a key restores of them."""

import io
from collections.abc import Callable
from typing import Any

from sudokucrypt import Header
from sudokucrypt.images import PictureRecord
from sudokucrypt.recipes import inspect_file
from sudokucrypt.recipes.options import OpenOptions
from sudokucrypt.recipes.sources import FileSource


def run_on_bytes(function: Callable[..., Any], data: bytes, *keys: Any, **options: Any) -> bytes:
    """The file that a function for files, such as `rekey_file`, makes of another."""
    result = io.BytesIO()
    function(io.BytesIO(data), result, *keys, **options)
    return result.getvalue()


def inspect_picture(source: FileSource, key: Any, **options: Any) -> tuple[Header, PictureRecord]:
    """The header of a protected picture, and the plain one with what was sealed about it."""
    seen = inspect_file(source, key, OpenOptions(**options))
    assert seen.header is not None
    assert seen.record is not None
    return seen.header, seen.record
