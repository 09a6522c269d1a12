"""Scramble, encrypt and restore files that are held in memory, as bytes."""

from __future__ import annotations

import io
from collections.abc import Callable

from sudokucrypt.ciphers import SCRAMBLE
from sudokucrypt.keys import MasterKey, RestoringKey
from sudokucrypt.recipes import files
from sudokucrypt.recipes.parts import MAX_ROUNDS
from sudokucrypt.recipes.pictures import MetadataChoice
from sudokucrypt.recipes.reporting import FileReport
from sudokucrypt.typing import Unit


def scramble_bytes(
    data: bytes,
    key: MasterKey,
    *,
    unit: Unit = "pixel",
    block_size: int | None = None,
    rounds: int | None = None,
    deterministic: bool = False,
    context: str | None = None,
    scheme: str = SCRAMBLE.name,
    metadata: MetadataChoice = "seal",
    format: str | None = None,  # noqa: A002 - the word for it everywhere in this package
    compress: int = 0,
    max_pixels: int | None = None,
    threads: int | None = None,
) -> bytes:
    """Scramble the bytes of a picture file, and return those of a file that carries its header.

    Parameters and errors are those of `scramble_file`.

    Examples
    --------
    >>> from sudokucrypt import Key, scramble_bytes, unscramble_bytes
    >>> key = Key.generate()
    >>> picture = b"P5 2 2 255 abcd"
    >>> unscramble_bytes(scramble_bytes(picture, key), key)[1:4]
    b'PNG'
    """
    return _worked_on(
        files.scramble_file,
        data,
        key,
        unit=unit,
        block_size=block_size,
        rounds=rounds,
        deterministic=deterministic,
        context=context,
        scheme=scheme,
        metadata=metadata,
        format=format,
        compress=compress,
        max_pixels=max_pixels,
        threads=threads,
    )


def unscramble_bytes(
    data: bytes,
    key: RestoringKey,
    *,
    context: str | None = None,
    format: str | None = None,  # noqa: A002 - as above
    compress: int = 1,
    max_pixels: int | None = None,
    max_rounds: int = MAX_ROUNDS,
    threads: int | None = None,
) -> bytes:
    """Restore the bytes of a scrambled picture file as those of a plain one.

    Parameters and errors are those of `unscramble_file`.
    """
    return _worked_on(
        files.unscramble_file,
        data,
        key,
        context=context,
        format=format,
        compress=compress,
        max_pixels=max_pixels,
        max_rounds=max_rounds,
        threads=threads,
    )


def encrypt_bytes(
    data: bytes,
    key: MasterKey,
    *,
    as_file: bool | None = None,
    preview: bool | None = None,
    name: str | None = None,
    rounds: int | None = None,
    deterministic: bool = False,
    metadata: MetadataChoice = "seal",
    format: str | None = None,  # noqa: A002 - as above
    max_pixels: int | None = None,
    threads: int | None = None,
) -> bytes:
    """Encrypt the bytes of a file of any kind, and return those of a picture.

    Parameters and errors are those of `encrypt_file`. The file is called `name`, or ``input``.

    Examples
    --------
    >>> from sudokucrypt import Key, decrypt_bytes, encrypt_bytes
    >>> key = Key.generate()
    >>> decrypt_bytes(encrypt_bytes(b"any file", key), key)
    b'any file'
    """
    return _worked_on(
        files.encrypt_file,
        data,
        key,
        as_file=as_file,
        preview=preview,
        name=name,
        rounds=rounds,
        deterministic=deterministic,
        metadata=metadata,
        format=format,
        max_pixels=max_pixels,
        threads=threads,
    )


def decrypt_bytes(
    data: bytes,
    key: RestoringKey,
    *,
    format: str | None = None,  # noqa: A002 - as above
    compress: int = 1,
    max_pixels: int | None = None,
    max_rounds: int = MAX_ROUNDS,
    threads: int | None = None,
) -> bytes:
    """Decrypt what `encrypt_bytes` returned: the very file, or a picture with the same pixels.

    Parameters and errors are those of `decrypt_file`.
    """
    return _worked_on(
        files.decrypt_file,
        data,
        key,
        format=format,
        compress=compress,
        max_pixels=max_pixels,
        max_rounds=max_rounds,
        threads=threads,
    )


def _worked_on(
    work: Callable[..., FileReport], data: bytes, key: RestoringKey, **options: object
) -> bytes:
    """Return what work on files writes for the bytes of one."""
    result = io.BytesIO()
    work(io.BytesIO(data), result, key, **options)
    return result.getvalue()
