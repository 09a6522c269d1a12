"""Scramble, encrypt and restore files that are held in memory, as bytes."""

import io
import os
from typing import Unpack

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.keys import ProtectingKey, RestoringKey
from sudokucrypt.recipes import files
from sudokucrypt.recipes.options import (
    DecryptBytesOptions,
    EncryptBytesOptions,
    EncryptSettings,
    RestoreSettings,
    ScrambleBytesOptions,
    ScrambleSettings,
    UnscrambleBytesOptions,
    shows,
)

# Options that mean nothing without paths.
_OF_PATHS = ("sidecar", "replace", "resume")


@shows(ScrambleSettings, hidden=_OF_PATHS)
def scramble_bytes(
    data: bytes, key: ProtectingKey, **options: Unpack[ScrambleBytesOptions]
) -> bytes:
    """Scramble the bytes of a picture file, and return those of a file that carries its header.

    Parameters and errors are those of `scramble_file`.

    >>> from sudokucrypt import Key, scramble_bytes, unscramble_bytes
    >>> key = Key.generate()
    >>> picture = b"P5 2 2 255 abcd"
    >>> unscramble_bytes(scramble_bytes(picture, key), key)[1:4]
    b'PNG'
    """
    result = io.BytesIO()
    files.scramble_file(_stream(data), result, key, **options)
    return result.getvalue()


@shows(RestoreSettings, hidden=_OF_PATHS)
def unscramble_bytes(
    data: bytes, key: RestoringKey, **options: Unpack[UnscrambleBytesOptions]
) -> bytes:
    """Restore the bytes of a scrambled picture file as those of a plain one.

    Parameters and errors are those of `unscramble_file`.
    """
    result = io.BytesIO()
    files.unscramble_file(_stream(data), result, key, **options)
    return result.getvalue()


@shows(EncryptSettings, hidden=_OF_PATHS)
def encrypt_bytes(data: bytes, key: ProtectingKey, **options: Unpack[EncryptBytesOptions]) -> bytes:
    """Encrypt the bytes of a file of any kind, and return those of a picture.

    Parameters and errors are those of `encrypt_file`. The file is called `name`, or ``input``.

    >>> from sudokucrypt import Key, decrypt_bytes, encrypt_bytes
    >>> key = Key.generate()
    >>> decrypt_bytes(encrypt_bytes(b"any file", key), key)
    b'any file'
    """
    result = io.BytesIO()
    files.encrypt_file(_stream(data), result, key, **options)
    return result.getvalue()


@shows(RestoreSettings, hidden=_OF_PATHS)
def decrypt_bytes(data: bytes, key: RestoringKey, **options: Unpack[DecryptBytesOptions]) -> bytes:
    """Decrypt what `encrypt_bytes` returned: the same file, or a picture with the same pixels.

    Parameters and errors are those of `decrypt_file`.
    """
    result = io.BytesIO()
    files.decrypt_file(_stream(data), result, key, **options)
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
