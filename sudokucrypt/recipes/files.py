"""Public functions that scramble, encrypt and restore files, or the bytes of files."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING

from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.keys import ProtectingKey, RestoringKey
from sudokucrypt.recipes import operations
from sudokucrypt.recipes.options import (
    DecryptOptions,
    EncryptOptions,
    RekeyOptions,
    ScrambleOptions,
    UnscrambleOptions,
)
from sudokucrypt.recipes.verbs import wrap_bytes_function, wrap_file_function, wrap_rekey_function

if TYPE_CHECKING:
    from sudokucrypt.keys import ProtectingKey, RestoringKey
    from sudokucrypt.recipes.carriers.contract import FileReport
    from sudokucrypt.recipes.sinks import FileTarget
    from sudokucrypt.recipes.sources import FileSource


@wrap_file_function(ScrambleOptions)
def scramble_file(
    source: FileSource, target: FileTarget, key: ProtectingKey, options: ScrambleOptions
) -> FileReport:
    """Scramble a picture file into another one that carries its header.

    A JPEG stays a JPEG unless the suffix, `unit`, `scheme` or `format` says otherwise. The report
    says which file was written and which metadata were dropped. The result has the permissions and
    the time of the source.

    Parameters
    ----------
    source : path or binary file
        IN: any still picture that can be read.
    <target>
    <key>
    <options>

    Raises
    ------
    OutputExistsError
        If an output exists and may not be replaced, or with `resume`, differs from the result.
    InvalidImageError, UnsupportedError
        If the input is not a readable picture, is of an unsupported kind, or is protected already.
    InvalidParameterError
        If an option is out of range, or input and output are the same file.
    """
    return operations.protect(source, target, key, options)


@wrap_file_function(UnscrambleOptions)
def unscramble_file(
    source: FileSource, target: FileTarget, key: RestoringKey, options: UnscrambleOptions
) -> FileReport:
    """Restore a scrambled picture file into another one.

    Metadata come only from the sealed part of the header. Metadata that were added to the scrambled
    file are dropped.

    Parameters
    ----------
    source : path or binary file
        IN: a file that `scramble_file` or `scramble_robust_file` wrote.
    <target>
    <own_key>
    <options>

    Raises
    ------
    DecryptionError
        If the key is wrong or the picture or its header was changed; nothing is written.
    FormatError
        If there is no header, or a damaged one.
    OutputExistsError, InvalidImageError, UnsupportedError, InvalidParameterError
        As for `scramble_file`.
    """
    return operations.restore(source, target, key, options)


@wrap_file_function(EncryptOptions)
def encrypt_file(
    source: FileSource, target: FileTarget, key: ProtectingKey, options: EncryptOptions
) -> FileReport:
    """Encrypt a file of any kind into a picture that carries its header.

    Decrypting restores exactly the same file, with its name and time. Only with `as_file=False`, or
    an option that needs pixels, are the pixels of a picture encrypted instead: then a new file with
    the same pixels and metadata is restored, and a palette is replaced by its colors. The report
    says which file was written.

    Parameters
    ----------
    source : path or binary file
        IN: a file of at most 256 GiB, or a stream of at most 256 MiB.
    <target>
    <key>
    <options>

    Raises
    ------
    OutputExistsError, InvalidImageError, UnsupportedError, InvalidParameterError
        As for `encrypt` and `scramble_file`.
    """
    return operations.protect(source, target, key, options)


@wrap_file_function(DecryptOptions)
def decrypt_file(
    source: FileSource, target: FileTarget, key: RestoringKey, options: DecryptOptions
) -> FileReport:
    """Decrypt a file that `encrypt_file` wrote, into the original file or a picture.

    A file is restored with its sealed time, and with its sealed name unless `target` names another.

    Parameters
    ----------
    source : path or binary file
        IN: a file that `encrypt_file` wrote.
    <target>
    <own_key>
    <options>

    Raises
    ------
    DecryptionError, FormatError
        As for `unscramble_file`.
    OutputExistsError, InvalidImageError, UnsupportedError, InvalidParameterError
        As for `scramble_file`.
    """
    return operations.restore(source, target, key, options)


@wrap_rekey_function(RekeyOptions)
def rekey_file(
    source: FileSource,
    target: FileTarget,
    key: RestoringKey,
    new_key: ProtectingKey,
    options: RekeyOptions,
) -> FileReport:
    """Restore a picture file with one key, and protect it in the same way with another.

    Scheme, unit, rounds and sealed metadata stay the same; unsealed metadata are dropped. The salt
    is new and random. The plain picture is never written.

    Parameters
    ----------
    source : path or binary file
        IN: a file that `encrypt_file` or `scramble_file` wrote.
    <target>
    <own_key>
    new_key : Key, Passphrase, Recipient, Identity or a list of them
        The key or recipients to protect the picture with.
    <options>

    Raises
    ------
    DecryptionError, FormatError, OutputExistsError, InvalidImageError, UnsupportedError
        As for `unscramble_file`.
    """
    return operations.rekey(source, target, key, new_key, options)


@wrap_bytes_function(ScrambleOptions)
def scramble_bytes(data: bytes, key: ProtectingKey, options: ScrambleOptions) -> bytes:
    """Scramble the bytes of a picture file, and return the bytes of a file with its header.

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
    operations.protect(_make_stream(data), result, key, options)
    return result.getvalue()


@wrap_bytes_function(UnscrambleOptions)
def unscramble_bytes(data: bytes, key: RestoringKey, options: UnscrambleOptions) -> bytes:
    """Restore the bytes of a scrambled picture file, and return the bytes of the plain file.

    Errors are those of `unscramble_file`.

    Parameters
    ----------
    data : bytes
        The bytes that `scramble_bytes` returned.
    <own_key>
    <options>
    """
    result = io.BytesIO()
    operations.restore(_make_stream(data), result, key, options)
    return result.getvalue()


@wrap_bytes_function(EncryptOptions)
def encrypt_bytes(data: bytes, key: ProtectingKey, options: EncryptOptions) -> bytes:
    """Encrypt the bytes of a file of any kind, and return the bytes of a picture file.

    Errors are those of `encrypt_file`. The sealed name of the file is `name`, or ``input``.

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
    operations.protect(_make_stream(data), result, key, options)
    return result.getvalue()


@wrap_bytes_function(DecryptOptions)
def decrypt_bytes(data: bytes, key: RestoringKey, options: DecryptOptions) -> bytes:
    """Decrypt bytes that `encrypt_bytes` returned, to the same file or a picture of equal pixels.

    Errors are those of `decrypt_file`.

    Parameters
    ----------
    data : bytes
        The bytes that `encrypt_bytes` returned.
    <own_key>
    <options>
    """
    result = io.BytesIO()
    operations.restore(_make_stream(data), result, key, options)
    return result.getvalue()


def _make_stream(data: bytes) -> io.BytesIO:
    """Return the bytes of a file as a stream; an array is refused, although it has bytes too."""
    if isinstance(data, bytes | bytearray | memoryview):
        return io.BytesIO(data)
    if isinstance(data, str | os.PathLike):
        kind, hint = "the name of a file", "call the function that ends in _file"
    else:
        kind, hint = type(data).__name__, "for arrays, call the function without _bytes"
    raise InvalidParameterError(f"the content of a file must be bytes, not {kind}", hint=hint)
