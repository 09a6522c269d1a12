"""Scramble, encrypt and restore files: one call each."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Unpack

from sudokucrypt.recipes import arrays, operations
from sudokucrypt.recipes.carriers.contract import ProtectRequest
from sudokucrypt.recipes.carriers.receiving import RestoreRequest
from sudokucrypt.recipes.options import (
    DecryptFileOptions,
    EncryptFileOptions,
    EncryptSettings,
    RestoreSettings,
    ScrambleFileOptions,
    ScrambleSettings,
    UnscrambleFileOptions,
    shows,
)

if TYPE_CHECKING:
    from sudokucrypt.keys import ProtectingKey, RestoringKey
    from sudokucrypt.recipes.reporting import FileReport
    from sudokucrypt.recipes.transfer import FileSource, FileTarget, FileTransfer


@shows(ScrambleSettings)
def scramble_file(
    source: FileSource,
    target: FileTarget,
    key: ProtectingKey,
    **options: Unpack[ScrambleFileOptions],
) -> FileReport:
    """Scramble a picture file into another one that carries its header.

    The report says what was written, and what it does not carry. The result has permissions and
    time of the source.

    Parameters
    ----------
    source : path or binary file
        Any still picture that can be read.
    target : path, binary file, callable or None
        The suffix of a path chooses PNG or TIFF. A JPEG that is scrambled stays one,
        unless the suffix, `unit`, `scheme` or `format` says otherwise. A callable gets
        the suffix that suits the result, and the sealed name of a file that is restored, made
        harmless, else None; it returns the path. None writes next to the source.
    key, unit, block_size, rounds, deterministic, scheme, threads
        As for `scramble`.
    metadata : {"seal", "strip"}
        What becomes of EXIF, color profile, XMP and resolution: "seal" encrypts them into the
        header, and "strip" drops them. All else that the file holds is named in the report.
    format : {"PNG", "TIFF", "JPEG"}, optional
        What to write, whatever the suffix of `target` says; "JPEG" for JPEGs alone.
    sidecar : bool
        Also write the header to ``<target>.sudokucrypt.json``.
    compress : int
        0..9 for PNG: 0 stores the samples, which are noise to a compressor, 9 tries hardest.
    max_pixels : int, optional
        Most pixels that are read; 2**27 by default. Four times as many bytes
        of samples are read, so that pixels of more bytes count for more.
    replace : bool
        Whether existing outputs may be replaced.
    resume : bool
        Whether an output that exists is kept if it is what this call would write, up to a random
        salt.

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
    settings = ScrambleSettings(**options)
    return operations.protect(
        _request(settings.transfer(source, target, "scrambled"), key, settings)
    )


@shows(RestoreSettings)
def unscramble_file(
    source: FileSource,
    target: FileTarget,
    key: RestoringKey,
    **options: Unpack[UnscrambleFileOptions],
) -> FileReport:
    """Restore a scrambled picture file into another one.

    Metadata come only from the sealed part of the header. What anyone added to the file is left
    out.

    Parameters
    ----------
    source, target, format, max_pixels
        As for `scramble_file`.
    key : Key, Passphrase or PictureKey
        What it was scrambled with, or the key of this picture.
    sidecar : path, optional
        Where the header is, if neither next to the input nor inside it.
    compress : int
        0..9 for PNG; 1, the default, is quick and saves much on a photograph.
    max_rounds, threads
        As for `unscramble`.
    replace : bool
        Whether an existing output may be replaced.
    resume : bool
        Whether an output that exists is kept if it has the samples that would be written.

    Raises
    ------
    DecryptionError
        If the key is wrong or the picture or its header was changed; nothing is written.
    FormatError
        If there is no header, or a damaged one.
    OutputExistsError, InvalidImageError, UnsupportedError, InvalidParameterError
        As for `scramble_file`, and the result is as there.
    """
    settings = RestoreSettings(**options)
    request = RestoreRequest(
        transfer=settings.transfer(source, target, "restored"),
        key=key,
        settings=settings,
        scheme_of=partial(arrays.scrambling_scheme, context=None),
        robust=True,
    )
    return operations.restore(request, settings)


@shows(EncryptSettings)
def encrypt_file(
    source: FileSource,
    target: FileTarget,
    key: ProtectingKey,
    **options: Unpack[EncryptFileOptions],
) -> FileReport:
    """Encrypt a file of any kind into a picture that carries its header.

    The very file comes back, with its name and time. Only if `as_file` or an option asks for it are
    the pixels of a picture encrypted: then the same pixels and metadata come back in a new file.
    A palette is replaced by the colors that it gives. The report says what was written.

    Parameters
    ----------
    source : path or binary file
        What is encrypted, at most 4 GiB.
    as_file : bool, optional
        Whether to encrypt the bytes of the file in place of pixels. By default they are, unless an
        option needs pixels: `metadata` or another scheme. With False, a picture is
        refused that holds more than its pixels keep, such as a color space.
    preview : bool, optional
        Whether to seal a small picture into the header too, for collections. By default where
        the bytes of a picture of a million pixels or more are encrypted; it is then as small as
        keeps the result within 1.01 times the size of the file, as far as that goes. A
        deterministic result has none unless asked for, since libraries make it in several ways.
    pad : bool
        Whether to hide the size of a file that is encrypted as it is: zeros make it larger by at
        most 12 %, and are removed again.
    name : str, optional
        What the file is called when it comes back, if not as `source` says. Characters that
        paths give a meaning become ``_``.
    target, key, rounds, deterministic, scheme, metadata, format, sidecar, max_pixels, threads, \
    replace, resume
        As for `encrypt` and `scramble_file`.

    Raises
    ------
    OutputExistsError, InvalidImageError, UnsupportedError, InvalidParameterError
        As for `encrypt` and `scramble_file`.
    """
    settings = EncryptSettings(**options)
    return operations.protect(
        _request(settings.transfer(source, target, "encrypted"), key, settings)
    )


@shows(RestoreSettings)
def decrypt_file(
    source: FileSource,
    target: FileTarget,
    key: RestoringKey,
    **options: Unpack[DecryptFileOptions],
) -> FileReport:
    """Decrypt what `encrypt_file` wrote: a picture into another one, or a file as it was.

    A file comes back with its name, if `target` names none, and with its time. Parameters, result
    and errors are those of `decrypt` and `unscramble_file`; `format` and `compress` are for
    pictures.
    """
    settings = RestoreSettings(**options)
    request = RestoreRequest(
        transfer=settings.transfer(source, target, "decrypted"),
        key=key,
        settings=settings,
        scheme_of=arrays.encryption_scheme,
    )
    return operations.restore(request, settings)


def _request(
    transfer: FileTransfer, key: ProtectingKey, settings: ScrambleSettings | EncryptSettings
) -> ProtectRequest:
    """Return the request for one file, which draws its salt."""
    protection = settings.protection()
    transfer = replace(transfer, with_sidecar=settings.sidecar, file_name=settings.name)
    protection.require_salt(key)  # said before a long file is read
    return ProtectRequest(transfer=transfer, key=key, protection=protection, settings=settings)
