"""The four things that are done with files: protect, restore, rekey and open, for any carrier."""

import io
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from sudokucrypt import images
from sudokucrypt.errors import (
    DecryptionError,
    FormatError,
    InvalidImageError,
    InvalidParameterError,
    OutputExistsError,
    SudokucryptError,
    UnsupportedError,
)
from sudokucrypt.header import Header
from sudokucrypt.keys import ProtectingKey
from sudokucrypt.recipes.carriers import CARRIERS
from sudokucrypt.recipes.carriers.contract import (
    Carrier,
    Draft,
    PlainFile,
    ProtectRequest,
    Restored,
)
from sudokucrypt.recipes.carriers.receiving import (
    ReceivedFile,
    RestoreRequest,
    open_received,
    receive,
    receive_without_sidecar,
)
from sudokucrypt.recipes.naming import claimed_twice, plain_stem, safe_name
from sudokucrypt.recipes.opening import no_header
from sudokucrypt.recipes.options import RestoreSettings
from sudokucrypt.recipes.protection import checked_key
from sudokucrypt.recipes.reporting import FileReport
from sudokucrypt.recipes.source_files import SourceFile
from sudokucrypt.recipes.transfer import FileTransfer
from sudokucrypt.remote import Url
from sudokucrypt.storage import REPLACE_HINT, Location

# For servers: one line for each file that is written, at the level INFO, without keys.
_LOGGER = logging.getLogger("sudokucrypt")

# What can be wrong with a header: its seal, its form, what it asks for, and its scheme.
HEADER_FAULTS = (DecryptionError, FormatError, UnsupportedError, InvalidParameterError)


def protect(request: ProtectRequest) -> FileReport:
    """Read a file, protect it, and write the result and its sidecar."""
    checked_key(request.key, protecting=True)
    transfer = request.transfer
    transfer.require_free_name(request.usual_suffix)
    return written(transfer, lambda: first_draft(request))


def restore(request: RestoreRequest, settings: RestoreSettings) -> FileReport:
    """Read a protected file, restore it in memory, and write it as a plain file."""
    restored, file = restore_in_memory(receive(request), early=True)
    draft = restored.draft(request.transfer, settings)
    report = written(request.transfer, lambda: (draft, file.source))
    if not file.inside_only:
        return report
    return replace(report, dropped=(*report.dropped, "sidecar that does not belong to it"))


def rekey(request: RestoreRequest, new_key: ProtectingKey) -> FileReport:
    """Read a protected file, and protect the same thing with another key.

    The result gets a sidecar if there was one.
    """
    checked_key(new_key, protecting=True)
    settings, transfer = request.settings, request.transfer
    transfer = replace(transfer, with_sidecar=transfer.sidecar(settings.sidecar) is not None)

    def drafted() -> tuple[Draft, SourceFile]:
        restored, file = restore_in_memory(receive(request))
        return restored.again(transfer, new_key, settings), file.source

    return written(transfer, drafted)


def open_plain(request: RestoreRequest, location: Location) -> PlainFile:
    """Read a protected file, and return the plain one in memory."""
    restored, _ = restore_in_memory(receive(request))
    settings = RestoreSettings(threads=request.settings.threads)
    draft = restored.draft(replace(request.transfer, target=io.BytesIO()), settings)
    parts = list(draft.make()[0])
    if (file := draft.report.file) is not None:
        (whole,) = parts  # as it is: a copy of a large file takes its memory once more
        return PlainFile(name=safe_name(file.name), type=file.type, content=whole)
    content = b"".join(parts)
    driver = images.known_format(content)
    name = f"{plain_stem(location)}{'' if driver is None else driver.suffixes[0]}"
    return PlainFile(name=name, type=images.media_type(content, name), content=content)


def first_draft(request: ProtectRequest) -> tuple[Draft, SourceFile]:
    """Read a file, and return the draft of the first carrier that takes it."""
    source = request.transfer.read()
    for carrier in CARRIERS:
        if draft := carrier.plan(source, request):
            source.release()  # the draft needs memory, and as much again for the result
            return draft, source
    raise InvalidImageError(f"nothing here can protect '{source.name}'")


def recognize(file: ReceivedFile) -> tuple[Carrier, ReceivedFile]:
    """Return the carrier that protected a file, and the file with its header, whose seal holds."""
    try:
        file = open_received(file)
    except SudokucryptError:
        # A carrier from outside may recognise by its bytes what we cannot open.
        if (carrier := _first_carrier(file)) is None:
            raise
        return carrier, file
    if (carrier := _first_carrier(file)) is None:
        raise no_header(file.source.name)
    return carrier, file


def _first_carrier(file: ReceivedFile) -> Carrier | None:
    return next((carrier for carrier in CARRIERS if carrier.recognises(file)), None)


def restore_in_memory(file: ReceivedFile, *, early: bool = False) -> tuple[Restored, ReceivedFile]:
    """Return what is protected, after checking all of it, and the file with its header.

    A sidecar that does not belong to the file, which anyone can put next to it, hides no good
    header in the file. An output that exists is noticed `early`, if there is to be one.
    """
    try:
        carrier, file = recognize(file)
        if early:
            file.require_free_name()
        return carrier.restore(file), file
    except HEADER_FAULTS as error:
        other = receive_without_sidecar(file)
        named = file.request.settings.sidecar is not None
        if other is None:
            raise
        first = error
    if not named:
        with suppress(*HEADER_FAULTS):
            carrier, other = recognize(other)
            return carrier.restore(other), other
    if not isinstance(first, DecryptionError):
        raise first
    fault = f"the header is from '{file.sidecar}', and the picture holds another one"
    hint = "move the sidecar away to use the header in the picture"
    if not named:
        fault, hint = f"{fault}, which does not fit either", "get both files again"
    raise DecryptionError(f"{first}; {fault}", hint=hint) from None


def written(transfer: FileTransfer, drafted: Callable[[], tuple[Draft, SourceFile]]) -> FileReport:
    """Make a draft and write it, unless its result is there and kept; return the report."""
    while True:
        draft, source = drafted()
        if report := kept(transfer, draft, source):
            _LOGGER.info("kept %r, made of %r", str(report.target), source.name)
            return report
        try:
            content, header = draft.make()
            time = source.status.time if draft.time is None else draft.time
            status = replace(source.status, time=time)
            sidecar = header if transfer.with_sidecar else None
            size = transfer.store(draft.destination, content, status, sidecar, new=draft.new)
            report = _report(draft, source, header if isinstance(header, Header) else None, size)
            # With %r, since a name of a stranger may hold line ends, and so more lines.
            where = "a stream" if report.target is None else repr(str(report.target))
            _LOGGER.info("wrote %s, %d bytes, made of %r", where, size, source.name)
            return report
        except OutputExistsError:
            # Another run made it meanwhile. Making ours took the samples: they are read again.
            if not transfer.appeared(draft.destination):
                raise


def kept(transfer: FileTransfer, draft: Draft, source: SourceFile) -> FileReport | None:
    """Return the report of a result that is there, if it is to be kept and is the drafted one.

    Raises `OutputExistsError` if it is another one.
    """
    location = transfer.kept(draft.destination)
    if location is None:
        return None
    try:
        existing = FileTransfer(location).read()
        size, header = existing.size, draft.compare(existing)
    except SudokucryptError as error:
        if transfer.is_shared(location):
            raise claimed_twice(location) from None
        raise OutputExistsError(
            f"'{location}' exists, and is not what this run would write: {error}",
            hint=REPLACE_HINT,
            hint_key="replace",
            of_many=f"exist, and are not what this run would write: {error}",
        ) from None
    if header is not None and transfer.with_sidecar:
        transfer.keep_sidecar(location, header)
    return replace(_report(draft, source, header, size), kept=True)


def _report(draft: Draft, source: SourceFile, header: Header | None, size: int) -> FileReport:
    return replace(
        draft.report,
        target=draft.destination if isinstance(draft.destination, Path | Url) else None,
        tag=draft.report.tag if header is None else header.tag,
        source_bytes=source.size,
        target_bytes=size,
    )
