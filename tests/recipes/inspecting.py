"""What a key restores of a protected picture, in memory."""

from typing import Any

from sudokucrypt import Header
from sudokucrypt.images import PictureRecord
from sudokucrypt.recipes import inspect_file
from sudokucrypt.recipes.transfer import FileSource


def inspected(source: FileSource, key: Any, **options: Any) -> tuple[Header, PictureRecord]:
    """Its header, and the plain picture with what was sealed about it."""
    seen = inspect_file(source, key, **options)
    assert seen.header is not None
    assert seen.record is not None
    return seen.header, seen.record
