"""Scramble, encrypt and restore files, and the bytes of files: one call each."""

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
from sudokucrypt.recipes.verbs import bytes_verb, file_verb, rekey_verb

if TYPE_CHECKING:
    from sudokucrypt.keys import ProtectingKey, RestoringKey
    from sudokucrypt.recipes.carriers.contract import FileReport
    from sudokucrypt.recipes.sinks import FileTarget
    from sudokucrypt.recipes.sources import FileSource


@file_verb(ScrambleOptions)
def scramble_file(
    source: FileSource, target: FileTarget, key: ProtectingKey, options: ScrambleOptions
) -> FileReport:
    """Scramble a picture file into another one that carries its header.

    A JPEG that is scrambled stays one, unless the suffix, `unit`, `scheme` or `format` says
    otherwise. The report says what was written, and what it does not carry. The result has
    permissions and time of the source.

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
        If an output exists and may not be replaced, or is not what this call would write.
    InvalidImageError, UnsupportedError
        If the input is not a readable picture, of a kind that is not supported, or protected
        already.
    InvalidParameterError
        If an option is out of range, or input and output are one file.
    """
    return operations.protect(source, target, key, options)


@file_verb(UnscrambleOptions)
def unscramble_file(
    source: FileSource, target: FileTarget, key: RestoringKey, options: UnscrambleOptions
) -> FileReport:
    """Restore a scrambled picture file into another one.

    Metadata come only from the sealed part of the header. What anyone added to the file is left
    out.

    Parameters
    ----------
    source : path or binary file
        IN: what `scramble_file` or `scramble_robust_file` wrote.
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
        As for `scramble_file`, and the result is as there.
    """
    return operations.restore(source, target, key, options)


@file_verb(EncryptOptions)
def encrypt_file(
    source: FileSource, target: FileTarget, key: ProtectingKey, options: EncryptOptions
) -> FileReport:
    """Encrypt a file of any kind into a picture that carries its header.

    The very file is restored, with its name and time. Only if `as_file` or an option asks for it
    are the pixels of a picture encrypted: then the same pixels and metadata are restored in a new
    file. A palette is replaced by the colors that it gives. The report says what was written.

    Parameters
    ----------
    source : path or binary file
        IN: what is encrypted: a file of at most 256 GiB, or a stream of 256 MiB.
    <target>
    <key>
    <options>

    Raises
    ------
    OutputExistsError, InvalidImageError, UnsupportedError, InvalidParameterError
        As for `encrypt` and `scramble_file`.
    """
    return operations.protect(source, target, key, options)


@file_verb(DecryptOptions)
def decrypt_file(
    source: FileSource, target: FileTarget, key: RestoringKey, options: DecryptOptions
) -> FileReport:
    """Decrypt what `encrypt_file` wrote: a picture into another one, or a file as it was.

    A file is restored with its name, if `target` names none, and with its time.

    Parameters
    ----------
    source : path or binary file
        IN: what `encrypt_file` wrote.
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


@rekey_verb(RekeyOptions)
def rekey_file(
    source: FileSource,
    target: FileTarget,
    key: RestoringKey,
    new_key: ProtectingKey,
    options: RekeyOptions,
) -> FileReport:
    """Restore a picture file with one key, and protect it in the same way with another.

    Scheme, unit and rounds stay, and so does what is sealed; what else is in the file is left out.
    The salt is new and random. The plain picture is never written.

    Parameters
    ----------
    source : path or binary file
        IN: what `encrypt_file` or `scramble_file` wrote.
    <target>
    <own_key>
    new_key : Key, Passphrase, Recipient, Identity or a list of them
        What the picture shall be protected with.
    <options>

    Raises
    ------
    DecryptionError, FormatError, OutputExistsError, InvalidImageError, UnsupportedError
        As for `unscramble_file`.
    """
    return operations.rekey(source, target, key, new_key, options)


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
    """Return the bytes of a file as what can be read; an array has bytes too, but is not a file."""
    if isinstance(data, bytes | bytearray | memoryview):
        return io.BytesIO(data)
    if isinstance(data, str | os.PathLike):
        kind, hint = "the name of a file", "call the function that ends in _file"
    else:
        kind, hint = type(data).__name__, "for arrays, call the function without _bytes"
    raise InvalidParameterError(f"the content of a file is bytes, and this is {kind}", hint=hint)
