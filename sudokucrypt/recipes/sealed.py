"""Read what is sealed in protected files, share the key of one, and give it another key."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from sudokucrypt import images
from sudokucrypt.ciphers import ContextScheme, TaggedScheme, scheme_named
from sudokucrypt.errors import (
    DecryptionError,
    FormatError,
    InvalidParameterError,
    UnsupportedError,
)
from sudokucrypt.header import Header
from sudokucrypt.keys import Key, MasterKey, PictureKey, ProtectingKey, RestoringKey
from sudokucrypt.recipes import operations
from sudokucrypt.recipes.carriers.contract import PlainFile, RestoreRequest
from sudokucrypt.recipes.carriers.robust import found_in
from sudokucrypt.recipes.opening import (
    MAX_ROUNDS,
    no_header,
    open_header,
    required,
    resolve_key,
    uniform_key_error,
)
from sudokucrypt.recipes.options import (
    OpenOptions,
    OpenSettings,
    RekeyOptions,
    RekeySettings,
    shows,
)
from sudokucrypt.recipes.protection import Scheme, checked_key
from sudokucrypt.recipes.robust import opened_sheet
from sudokucrypt.recipes.transfer import (
    PATH_NAMES,
    FileSource,
    FileTarget,
    FileTransfer,
    PathName,
)
from sudokucrypt.storage import parse_location

if TYPE_CHECKING:
    from sudokucrypt.images import EmbeddedFile, PictureRecord
    from sudokucrypt.keys import Identity
    from sudokucrypt.recipes.reporting import FileReport
    from sudokucrypt.recipes.source import SourceFile
    from sudokucrypt.robust import CarrierMatch


@dataclass(frozen=True, kw_only=True)
class SealedInfo:
    """What the header of a protected picture file says to whoever has the key.

    All of it is authentic, since the seal of the header was checked. Whether the samples are what
    they were only restoring the picture shows.

    Parameters
    ----------
    header : Header
        The header, with its encrypted_metadata in plain form.
    key : Key or PictureKey
        What opens it: the key that was given, or the one derived from the passphrase.
    format : str or None
        The name of the format that suits the plain picture, if that is sealed.
    shapes : tuple of tuple of int
        (M, N) or (M, N, C) of each frame.
    file : EmbeddedFile or None
        What is known of the file, if the picture is one of a file.
    preview : bytes or None
        A small picture in WebP form, if one was sealed.
    """

    header: Header
    key: Key | PictureKey
    format: str | None
    shapes: tuple[tuple[int, ...], ...]
    file: EmbeddedFile | None
    preview: bytes | None


def find_header(path: PathName, *, sidecar: PathName | None = None) -> Header | None:
    """Return the header of a picture file as `read_header` does, or none if it has no header.

    Of a PNG only the header is read, so that this takes milliseconds.
    """
    location = parse_location(path)
    return FileTransfer(location).header(images.stored_header(location), sidecar)


def read_header(
    source: FileSource, *, sidecar: PathName | None = None, max_pixels: int | None = None
) -> Header:
    """Return the header of a protected picture file, from its sidecar or from inside.

    Raises
    ------
    FormatError, InvalidImageError, UnsupportedError
        If there is none, or a damaged one, or the file is not a readable picture.
    """
    # The first one counts, as the specification says; whether it fits only a key shows.
    return _headers(source, sidecar, max_pixels)[0]


def read_undisputed_header(
    source: FileSource, *, sidecar: PathName | None = None, max_pixels: int | None = None
) -> Header:
    """Return what `read_header` does, unless a sidecar that nobody named says something else.

    Raises
    ------
    FormatError, InvalidImageError, UnsupportedError
        As for `read_header`, and if picture and sidecar, which anybody can put there, differ.
    """
    header, embedded = _headers(source, sidecar, max_pixels)
    if sidecar is None and embedded not in (None, header.to_bytes()):
        raise FormatError(
            f"'{source}' holds another header than the sidecar beside it",
            hint="name the sidecar if it belongs to the picture, else move it away",
        )
    return header


def _headers(
    source: FileSource, sidecar: PathName | None, max_pixels: int | None
) -> tuple[Header, bytes | None]:
    """Return the header that counts, and the one in the picture."""
    transfer = FileTransfer(source)
    file = transfer.read()
    embedded = file.decoded(max_pixels).header
    return required(transfer.header(embedded, sidecar), file.name), embedded


def read_sealed_info(
    path: PathName, key: RestoringKey, *, sidecar: PathName | None = None
) -> SealedInfo:
    """Return what is sealed in the header of a protected picture file, without its samples.

    Parameters
    ----------
    path : path
        The protected file.
    key : Key, Passphrase or PictureKey
        What it is protected with, or the key of this picture.
    sidecar : path, optional
        Where the header is, if neither beside the input nor inside it.

    Raises
    ------
    DecryptionError
        If the key is wrong or the header was changed. The samples are not looked at.
    FormatError
        If there is no header, or a damaged one.
    InvalidImageError, UnsupportedError, InvalidParameterError
        If the file is no readable picture, asks for more than is allowed, or was scrambled under
        a context, which proves nothing.
    """
    info = find_sealed_info(path, key, sidecar=sidecar)
    # Where there is no header, reading all of the file tells damage from a plain picture.
    return info or sealed_info(read_header(path, sidecar=sidecar), key)


def find_sealed_info(
    path: PathName,
    key: RestoringKey,
    *,
    sidecar: PathName | None = None,
    max_rounds: int = MAX_ROUNDS,
) -> SealedInfo | None:
    """Return what `read_sealed_info` does, or none if there is no header but in header rows."""
    header = None
    try:
        header = find_header(path, sidecar=sidecar)
        return None if header is None else sealed_info(header, key, max_rounds=max_rounds)
    except operations.HEADER_FAULTS:
        # A sidecar beside the file, which anybody can put there, hides no good header in it.
        embedded = None if sidecar is not None else images.stored_header(parse_location(path))
        if embedded not in (None, header and header.to_bytes()):
            with suppress(*operations.HEADER_FAULTS):
                return sealed_info(Header.from_bytes(embedded), key, max_rounds=max_rounds)
        raise


def sealed_info(
    header: Header,
    key: RestoringKey,
    *,
    max_rounds: int = MAX_ROUNDS,
) -> SealedInfo:
    """Return what is sealed in a header; errors are those of `read_sealed_info`.

    Parameters
    ----------
    header : Header
        The whole header of a protected picture.
    key : Key, Passphrase or PictureKey
        As for `read_sealed_info`.
    max_rounds : int
        1..255; headers that ask for more rounds are refused, as restoring refuses them.
    """
    checked_key(key)
    opened = open_header(header, key, max_rounds=max_rounds, threads=1)
    record = opened.record
    return SealedInfo(
        header=opened.header,
        key=opened.key,
        format=record.picture.format or None,
        shapes=tuple(frame.pixels.shape for frame in record.picture.frames),
        file=record.file,
        preview=record.preview,
    )


@shows(OpenSettings)
def open_file(
    source: FileSource, key: RestoringKey, *, name: str = "input", **options: Unpack[OpenOptions]
) -> PlainFile:
    """Return the plain file of a protected file in memory, after checking all of it.

    Parameters and errors are those of `decrypt_file`, for any scheme with a tag, and for robust
    pictures, which come back approximately. A picture has the format that suits it. A stream is
    called `name`.
    """
    location = parse_location(source) if isinstance(source, PATH_NAMES) else Path(name)
    request = _request(FileTransfer(source), key, OpenSettings(**options), robust=True)
    return operations.open_plain(request, location)


@dataclass(frozen=True, kw_only=True, eq=False)
class Inspection:
    """What a protected file says of itself.

    Parameters
    ----------
    header : Header or None
        Its header, none for a robust picture.
    sheet : CarrierMatch or None
        What the cells of a robust picture say.
    record : PictureRecord or None
        The plain picture and what was sealed about it, if there was a key and a header.
    other : bool
        Whether the file holds another header than the sidecar that was read, without a key.
    """

    header: Header | None = None
    other: bool = False
    sheet: CarrierMatch | None = None
    record: PictureRecord | None = None


@shows(OpenSettings)
def inspect_any_file(
    source: FileSource, key: RestoringKey | None = None, **options: Unpack[OpenOptions]
) -> Inspection:
    """Return what a protected file of any kind says of itself, and whether a key restores it.

    Of a robust picture the key is compared with its header alone; other errors are those of
    `inspect_file`.
    """
    settings, transfer = OpenSettings(**options), FileTransfer(source)
    if key is None:
        file = transfer.read()
        # Without a key nothing but its decoding shows whether a picture is whole.
        embedded = file.decoded(settings.max_pixels).header
        header = transfer.header(embedded, settings.sidecar)
        if header is not None:
            other = embedded not in (None, header.to_bytes())
            return Inspection(header=header, other=other)
    else:
        request = _request(transfer, key, settings)
        file = request.source
        if request.sidecar is not None or request.header is not None:
            restored, request = operations.restore_in_memory(request)
            return Inspection(header=request.header, record=restored.record)
    return Inspection(sheet=_sheet_in(file, key, settings.max_pixels))


@shows(OpenSettings)
def inspect_file(
    source: FileSource, key: RestoringKey, **options: Unpack[OpenOptions]
) -> tuple[Header, PictureRecord]:
    """Return the header of a protected picture file, and the picture that a key restores from it.

    Raises
    ------
    DecryptionError
        If the key is wrong, or the picture or its header was changed.
    InvalidParameterError
        If the picture was scrambled under a context, which proves nothing.
    FormatError, InvalidImageError, UnsupportedError
        As for `read_header`; a robust picture has no such header.
    """
    request = _request(FileTransfer(source), key, OpenSettings(**options))
    restored, request = operations.restore_in_memory(request)
    return required(request.header), restored.record


def _request(
    transfer: FileTransfer, key: RestoringKey, settings: OpenSettings, *, robust: bool = False
) -> RestoreRequest:
    """Return a request for whatever shows by itself which key is right: all but contexts."""
    return RestoreRequest(
        transfer=transfer, key=key, settings=settings, scheme_of=tagged_scheme, robust=robust
    )


def _sheet_in(file: SourceFile, key: RestoringKey | None, max_pixels: int | None) -> CarrierMatch:
    """Return what the cells of a robust picture say, whose header a key must fit."""
    try:
        _, match = found_in(file, max_pixels)
    except FormatError:
        raise no_header(file.name) from None
    if key is not None:
        opened_sheet(match, key)
    return match


def picture_key(key: MasterKey | Identity, header: Header) -> PictureKey:
    """Return the key of the picture with this whole header, to share it; see `Key.for_picture`.

    Raises
    ------
    DecryptionError, FormatError
        If the key is wrong or the header was changed; if the picture has no key of its own, as
        under a context.
    """
    checked_key(key)
    checked_key(key, protecting=True)
    resolved = resolve_key(key, header)
    with uniform_key_error(key):
        if isinstance(resolved, Key):
            return resolved.for_picture(header)
        if not resolved.verifies(header):
            raise DecryptionError
        return resolved


@shows(RekeySettings)
def rekey_file(
    source: FileSource,
    target: FileTarget,
    key: RestoringKey,
    new_key: ProtectingKey,
    **options: Unpack[RekeyOptions],
) -> FileReport:
    """Restore a picture file with one key, and protect it in the same way with another.

    Scheme, unit, rounds and regions stay, and so does what is sealed, and which of it has a
    readable copy; what else stands in the file is left out. The salt is new and random. The plain
    picture is never written.

    Parameters
    ----------
    source, target, format, max_pixels, resume
        As for `scramble_file`.
    key : Key, Passphrase or PictureKey
        What the picture is protected with.
    new_key : Key or Passphrase
        What it shall be protected with.
    sidecar, max_rounds, threads, replace
        As for `unscramble_file`.
    scheme : str or None
        The name of an insecure scheme, if the picture may be of that scheme and shall stay so.

    Raises
    ------
    DecryptionError, FormatError, OutputExistsError, InvalidImageError
        As for `unscramble_file`.
    UnsupportedError
        As for `unscramble_file`, and for an insecure scheme that was not asked for.
    InvalidParameterError
        If the picture was scrambled under a context.
    """
    settings = RekeySettings(**options)
    transfer = settings.transfer(source, target, "rekeyed")
    request = RestoreRequest(
        transfer=transfer,
        key=key,
        settings=settings,
        scheme_of=partial(_rekeyed_scheme, named=settings.scheme),
        robust=True,
    )
    return operations.rekey(request, new_key)


def tagged_scheme(header: Header) -> Scheme:
    """Return the scheme that a header names, whichever has a tag."""
    if header.scheme == ContextScheme.name:
        raise InvalidParameterError(
            f"a picture of scheme {header.scheme} has no tag, so nothing shows which key is right",
            hint="unscramble it with its context, and scramble the result",
        )
    return scheme_named(header.scheme)


def _rekeyed_scheme(header: Header, *, named: str | None) -> Scheme:
    """Return the scheme of a picture that keeps it; an insecure one must be named."""
    scheme = tagged_scheme(header)
    if isinstance(scheme, TaggedScheme) and scheme.insecure and named != scheme.name:
        raise UnsupportedError(
            f"the picture is of the scheme {scheme.name}, which is not secure, and would stay so",
            hint="decrypt it and encrypt the result, or ask for the scheme by name to keep it",
            hint_key="insecure",
        )
    return scheme
