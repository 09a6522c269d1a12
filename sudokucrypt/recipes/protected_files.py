"""Open, inspect and rekey protected files of any kind, whatever carried them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from sudokucrypt.ciphers import scheme_named
from sudokucrypt.errors import FormatError
from sudokucrypt.recipes import operations
from sudokucrypt.recipes.carriers.receiving import RestoreRequest, find_header, receive
from sudokucrypt.recipes.carriers.redaction.carrier import RedactionCarrier
from sudokucrypt.recipes.carriers.redaction.package import find_package
from sudokucrypt.recipes.carriers.robust import match_in
from sudokucrypt.recipes.opening import no_header, require_header_of_file
from sudokucrypt.recipes.options import (
    OpenOptions,
    OpenSettings,
    RekeyOptions,
    RekeySettings,
    shows,
)
from sudokucrypt.recipes.robust import opened_sheet
from sudokucrypt.recipes.transfer import PATH_NAMES, FileSource, FileTarget, FileTransfer
from sudokucrypt.storage import parse_location

if TYPE_CHECKING:
    from sudokucrypt.header import Header
    from sudokucrypt.images import PictureRecord
    from sudokucrypt.keys import ProtectingKey, RestoringKey
    from sudokucrypt.recipes.carriers.contract import PlainFile
    from sudokucrypt.recipes.protection import Scheme
    from sudokucrypt.recipes.redaction import Redaction
    from sudokucrypt.recipes.reporting import FileReport
    from sudokucrypt.recipes.source_files import SourceFile
    from sudokucrypt.robust import CarrierMatch


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
    """What a protected file says of itself."""

    header: Header | None = None  #: Its header, none for a robust picture.
    #: Whether the file holds another header than the sidecar that was read, without a key.
    other: bool = False
    sheet: CarrierMatch | None = None  #: What the cells of a robust picture say.
    #: The plain picture and what was sealed about it, if there was a key, and a header or layers.
    record: PictureRecord | None = None
    redaction: Redaction | None = None  #: What is covered in a redacted picture.


@shows(OpenSettings)
def inspect_file(
    source: FileSource, key: RestoringKey | None = None, **options: Unpack[OpenOptions]
) -> Inspection:
    """Return what a protected file of any kind says of itself, and whether a key restores it.

    Of a robust picture the key is compared with its header alone; of a redacted one it must lift
    a cover.

    Raises
    ------
    DecryptionError
        If the key is wrong, or the picture or its header was changed.
    FormatError, InvalidImageError, UnsupportedError
        As for `read_header`.
    """
    settings, transfer = OpenSettings(**options), FileTransfer(source)
    received = None
    if key is None:
        file = transfer.read()
        embedded = file.header(settings.max_pixels)
        if embedded is not None or find_package(file, transfer) is None:
            # Without a key nothing but its decoding shows whether a picture is whole.
            embedded = file.decoded(settings.max_pixels).header
        header = transfer.header(embedded, settings.sidecar)
        if header is not None:
            other = embedded not in (None, header.to_bytes())
            return Inspection(header=require_header_of_file(header), other=other)
    else:
        received = receive(_request(transfer, key, settings))
        file = received.source
        if received.sidecar is not None or find_header(received) is not None:
            restored, received = operations.restore_in_memory(received)
            return Inspection(header=received.header, record=restored.record)
    if (package := find_package(file, transfer)) is not None:
        from sudokucrypt.recipes.redaction import redaction_of  # with all that redacts

        record = None if received is None else RedactionCarrier().restore(received).record
        return Inspection(record=record, redaction=redaction_of(file, package, settings.max_pixels))
    return Inspection(sheet=_sheet_in(file, key, settings.max_pixels))


def _request(
    transfer: FileTransfer, key: RestoringKey, settings: OpenSettings, *, robust: bool = False
) -> RestoreRequest:
    """Return a request for a file of any scheme."""
    return RestoreRequest(
        transfer=transfer, key=key, settings=settings, scheme_of=tagged_scheme, robust=robust
    )


def _sheet_in(file: SourceFile, key: RestoringKey | None, max_pixels: int | None) -> CarrierMatch:
    """Return what the cells of a robust picture say, whose header a key must fit."""
    try:
        _, match = match_in(file, max_pixels)
    except FormatError:
        raise no_header(file.name) from None
    if key is not None:
        opened_sheet(match, key)
    return match


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
    readable copy; what else is in the file is left out. The salt is new and random. The plain
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

    Raises
    ------
    DecryptionError, FormatError, OutputExistsError, InvalidImageError, UnsupportedError
        As for `unscramble_file`.
    """
    settings = RekeySettings(**options)
    transfer = settings.transfer(source, target, "rekeyed")
    request = RestoreRequest(
        transfer=transfer,
        key=key,
        settings=settings,
        scheme_of=tagged_scheme,
        robust=True,
    )
    return operations.rekey(request, new_key)


def tagged_scheme(header: Header) -> Scheme:
    """Return the scheme that the header of a file names."""
    return scheme_named(header.scheme)
