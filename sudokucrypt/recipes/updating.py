"""Decide which existing results are kept because their inputs are unchanged."""

from pathlib import Path

from sudokucrypt import images
from sudokucrypt.ciphers import ENCRYPT, require_tag
from sudokucrypt.errors import (
    DecryptionError,
    FormatError,
    InvalidParameterError,
    OutputExistsError,
    SudokucryptError,
)
from sudokucrypt.header import Header
from sudokucrypt.images import EmbeddedFile
from sudokucrypt.keys import CostlyDerivationError, ProtectingKey, RestoringKey
from sudokucrypt.recipes.carriers.contract import (
    DifferingResultError,
    FileReport,
    find_result_key,
)
from sudokucrypt.recipes.carriers.segments import InputFile, digest_segments, make_workers
from sudokucrypt.recipes.opening import OpenedHeader, open_header, require_header_of_file
from sudokucrypt.recipes.options import EncryptOptions
from sudokucrypt.recipes.protection import divide_key
from sudokucrypt.recipes.sinks import Sink
from sudokucrypt.recipes.sources import SourceFile
from sudokucrypt.remote import Url
from sudokucrypt.storage import Location, exists

# Any number of rounds is accepted, since opening the header of a result computes no rounds.
_UNLIMITED_ROUNDS = 255


def require_updatable(key: ProtectingKey, options: EncryptOptions) -> None:
    """Raise `InvalidParameterError` if results cannot be compared with their inputs.

    The comparison needs the sealed size and time of a file, and a key to open them.
    """
    if options.resume or options.replace:
        raise InvalidParameterError(
            "update, resume and replace each say what becomes of results that exist",
            hint="choose one of them",
        )
    if options.checksum and not options.update:
        raise InvalidParameterError("checksum only applies to update", hint="add update")
    if options.as_file is False or options.metadata != "seal" or options.scheme != ENCRYPT.name:
        raise InvalidParameterError(
            "update compares files by their sealed size and time, which pixels do not have",
            hint="encrypt files, or use resume",
        )
    if divide_key(key)[0] is None:
        raise InvalidParameterError(
            "update must open results, and only their recipients can open these",
            hint="pass a key in addition to the recipients",
        )


def find_current_result(
    sink: Sink, key: ProtectingKey, options: EncryptOptions
) -> tuple[FileReport | None, bool]:
    """Return the report of an existing result that is up to date, and whether a result exists.

    Parameters
    ----------
    sink : Sink
        The destination of the result, and its input. With `checksum` all of the input is read, and
        otherwise only its size and time.
    key : Key, Passphrase, or a list of one of them and recipients
        The key and recipients of the result.
    options : EncryptOptions
        The options of the result.

    Returns
    -------
    FileReport, optional
        The report of the existing result, or None if its input changed or there is none.
    bool
        Whether a result of this input exists, which may be replaced.

    Raises
    ------
    OutputExistsError
        If another file than a result of this key and input exists.
    """
    _, destination = sink.choose_destination("PNG")
    source = sink.source
    if source is None or not isinstance(destination, Path | Url):
        raise InvalidParameterError("update compares files, and cannot compare a stream")
    if not exists(destination):
        return None, False
    try:
        file = SourceFile.read(source, options.name)
        existing_file = SourceFile.read(destination)
        opened_header, sealed_file = open_file_result(existing_file, key, options.max_pixels)
        if sealed_file.name != images.kept_name(file.file_name):
            raise DifferingResultError(f"it is the result of a file called '{sealed_file.name}'")
    except CostlyDerivationError:
        raise
    except SudokucryptError as error:
        reason = f"and is no result of this input and key: {error}"
        raise OutputExistsError(
            f"'{destination}' exists, {reason}",
            hint="choose another output, or replace it with replace=True instead of update",
            hint_key="no_update",
        ) from None
    if not _is_current(file, opened_header, sealed_file, key, options):
        return None, True
    if sink.sidecar and not _ensure_sidecar(sink, destination, opened_header.stored_header):
        return None, True
    report = FileReport(
        shape=opened_header.record.picture.pixels.shape,
        file=sealed_file,
        target=destination,
        kept=True,
        tag=opened_header.header.tag,
        source_bytes=file.size,
        target_bytes=existing_file.size,
    )
    return report, True


def open_file_result(
    result: SourceFile, key: ProtectingKey, max_pixels: int | None = None
) -> tuple[OpenedHeader, EmbeddedFile]:
    """Return the opened header of a result, and the sealed name, size and time of its input.

    Raises a `SudokucryptError` if it is not a result of this key, or has its header only in rows.
    """
    stored_header = result.find_header(max_pixels)
    if stored_header is None:
        raise DifferingResultError("it has no header")
    header = require_header_of_file(Header.from_bytes(stored_header))
    opening_key: RestoringKey | None = divide_key(key)[0]
    if opening_key is None:
        raise DifferingResultError("only its recipients can open it")
    opened_header = open_header(header, opening_key, max_rounds=_UNLIMITED_ROUNDS, threads=1)
    if (file := opened_header.record.file) is None:
        raise DifferingResultError("it is not the result of a file")
    return opened_header, file


def _is_current(
    file: SourceFile,
    opened_header: OpenedHeader,
    sealed_file: EmbeddedFile,
    key: ProtectingKey,
    options: EncryptOptions,
) -> bool:
    """Return whether a result has the requested recipient count, and its input is unchanged."""
    try:
        find_result_key(key, opened_header.stored_header)
    except DifferingResultError:
        return False
    if (sealed_file.size, sealed_file.padded is not None) != (file.size, options.pad):
        return False
    if not options.checksum:
        return sealed_file.time == file.status.time
    source = InputFile(file, sealed_file)
    with make_workers(options.threads, opened_header.record.picture.pixels.size) as workers:
        digests = digest_segments(source.read(workers), workers)
    source.verify_digests(digests)
    try:
        require_tag(
            opened_header.header,
            ENCRYPT.find_picture_key(opened_header.key, opened_header.header),
            digests,
        )
    except DecryptionError:
        return False
    return True


def _ensure_sidecar(sink: Sink, destination: Location, header: Header) -> bool:
    """Write the sidecar of a result if it is missing; return whether its header is `header`."""
    try:
        sink.ensure_sidecar(destination, header)
    except (FormatError, OutputExistsError):
        return False
    return True
