"""Scramble, encrypt and restore files that are held in memory, as bytes."""

import io
import os

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.keys import ProtectingKey, RestoringKey
from sudokucrypt.recipes import operations
from sudokucrypt.recipes.options import (
    DecryptOptions,
    EncryptOptions,
    ScrambleOptions,
    UnscrambleOptions,
)
from sudokucrypt.recipes.verbs import bytes_verb


@bytes_verb(ScrambleOptions)
def scramble_bytes(data: bytes, key: ProtectingKey, options: ScrambleOptions) -> bytes:
    """Scramble the bytes of a picture file, and return those of a file that carries its header.

    Errors are those of `scramble_file`.

    Parameters
    ----------
    data : bytes
        A picture file.
    <key>
    <options>

    Examples
    --------
    >>> from sudokucrypt import Key, scramble_bytes, unscramble_bytes
    >>> key = Key.generate()
    >>> picture = b"P5 2 2 255 abcd"
    >>> unscramble_bytes(scramble_bytes(picture, key), key)[1:4]
    b'PNG'
    """
    result = io.BytesIO()
    operations.protect(_stream(data), result, key, options)
    return result.getvalue()


@bytes_verb(UnscrambleOptions)
def unscramble_bytes(data: bytes, key: RestoringKey, options: UnscrambleOptions) -> bytes:
    """Restore the bytes of a scrambled picture file as those of a plain one.

    Errors are those of `unscramble_file`.

    Parameters
    ----------
    data : bytes
        What `scramble_bytes` returned.
    <own_key>
    <options>
    """
    result = io.BytesIO()
    operations.restore(_stream(data), result, key, options)
    return result.getvalue()


@bytes_verb(EncryptOptions)
def encrypt_bytes(data: bytes, key: ProtectingKey, options: EncryptOptions) -> bytes:
    """Encrypt the bytes of a file of any kind, and return those of a picture.

    Errors are those of `encrypt_file`. The file is called `name`, or ``input``.

    Parameters
    ----------
    data : bytes
        A file of any kind.
    <key>
    <options>

    Examples
    --------
    >>> from sudokucrypt import Key, decrypt_bytes, encrypt_bytes
    >>> key = Key.generate()
    >>> decrypt_bytes(encrypt_bytes(b"any file", key), key)
    b'any file'
    """
    result = io.BytesIO()
    operations.protect(_stream(data), result, key, options)
    return result.getvalue()


@bytes_verb(DecryptOptions)
def decrypt_bytes(data: bytes, key: RestoringKey, options: DecryptOptions) -> bytes:
    """Decrypt what `encrypt_bytes` returned: the same file, or a picture with the same pixels.

    Errors are those of `decrypt_file`.

    Parameters
    ----------
    data : bytes
        What `encrypt_bytes` returned.
    <own_key>
    <options>
    """
    result = io.BytesIO()
    operations.restore(_stream(data), result, key, options)
    return result.getvalue()


def _stream(data: bytes) -> io.BytesIO:
    """Return the bytes of a file as what can be read; an array has bytes too, but is no file."""
    if isinstance(data, bytes | bytearray | memoryview):
        return io.BytesIO(data)
    if isinstance(data, str | os.PathLike):
        kind, hint = "the name of a file", "call the function that ends in _file"
    else:
        kind, hint = type(data).__name__, "for arrays, call the function without _bytes"
    raise InvalidParameterError(f"the content of a file is bytes, and this is {kind}", hint=hint)
