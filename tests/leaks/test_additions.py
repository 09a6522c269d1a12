"""What strangers add to a protected file never comes out of restoring it, nor out of rekeying."""

import io
from functools import cache, partial
from typing import Any

import pytest

from sudokucrypt import Key, decrypt_file, encrypt_file, rekey_file, scramble_file, unscramble_file
from sudokucrypt.images import decode_picture
from tests.images.builders import noise, png_chunk, png_of
from tests.leaks.additions import ADDITIONS, MARK, PNG_MEANING, text_chunk
from tests.leaks.blocks import exif
from tests.recipes.memory import result_of

KEY, OTHER = Key(bytes(range(32))), Key(bytes(32))
OPERATIONS: dict[str, Any] = {
    "encrypt": (partial(encrypt_file, as_file=False), decrypt_file),
    "scramble": (scramble_file, unscramble_file),
}
_TRUE = b"TRUE words of the owner"


@cache
def _plain() -> bytes:
    """A file with metadata of its owner."""
    block = exif(file=[(272, 2, _TRUE + b"\0")])
    pixels = noise(24, 20, 3)
    text = text_chunk("Title", _TRUE)
    return png_of(pixels, before=[png_chunk(b"eXIf", block), text])


@cache
def _protected(file_format: str, operation: str, metadata: str) -> bytes:
    """That file, protected."""
    options = {"format": file_format, "metadata": metadata, "rounds": 1}
    return result_of(OPERATIONS[operation][0], _plain(), KEY, **options)


def _restored(data: bytes, operation: str, key: Key = KEY) -> tuple[bytes, tuple[str, ...]]:
    target = io.BytesIO()
    report = OPERATIONS[operation][1](io.BytesIO(data), target, key)
    return target.getvalue(), report.dropped


def _rekeyed(data: bytes) -> bytes:
    return result_of(rekey_file, data, KEY, OTHER)


_METADATA = ("seal", "strip")
_EVERY = [
    pytest.param(file_format, addition, operation, metadata, marks=[] if turn else pytest.mark.slow)
    for file_format, additions in ADDITIONS.items()
    for number, addition in enumerate(additions)
    for operation in OPERATIONS
    for metadata in _METADATA
    for turn in (
        number % 8 == 0 and operation == "encrypt" and metadata == _METADATA[number // 8 % 2],
    )
]


@pytest.mark.parametrize(("file_format", "addition", "operation", "metadata"), _EVERY)
def test_additions(file_format: str, addition: str, operation: str, metadata: str) -> None:
    """The restored file is the same byte for byte; a note names more than it did before.

    Rekeying writes nothing of the addition, and nothing readably that was sealed.
    """
    clean = _protected(file_format, operation, metadata)
    changed = ADDITIONS[file_format][addition](clean)
    assert changed != clean
    expected, notes = _restored(clean, operation)
    result, more = _restored(changed, operation)
    assert result == expected
    assert set(more) > set(notes)
    before, after = decode_picture(clean), decode_picture(_rekeyed(changed))
    assert after.metadata == before.metadata
    assert MARK not in _rekeyed(changed)
    assert _TRUE not in _rekeyed(changed)
    assert not after.metadata
    assert _restored(_rekeyed(changed), operation, OTHER)[0] == expected


@pytest.mark.parametrize(("operation", "metadata"), [("encrypt", "seal"), ("scramble", "strip")])
@pytest.mark.parametrize("addition", PNG_MEANING)
def test_chunks_about_the_samples(addition: str, operation: str, metadata: str) -> None:
    """A transparent color or a palette of a stranger comes out of nothing either."""
    clean = _protected("PNG", operation, metadata)
    changed = PNG_MEANING[addition](clean)
    assert _restored(changed, operation)[0] == _restored(clean, operation)[0]
    after = decode_picture(_rekeyed(changed))
    assert after.mode == decode_picture(clean).mode
    assert after.metadata == decode_picture(clean).metadata


@pytest.mark.parametrize("file_format", ADDITIONS)
def test_all_additions_together(file_format: str) -> None:
    """However much is added, nothing of it comes out."""
    for operation in OPERATIONS:
        clean = _protected(file_format, operation, "seal")
        changed = clean
        for add in ADDITIONS[file_format].values():
            changed = add(changed)
        assert _restored(changed, operation)[0] == _restored(clean, operation)[0]
        assert MARK not in _rekeyed(changed)
