"""The four things that are done with files: protect, restore, rekey and open, for any carrier."""

import io
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import get_args

from sudokucrypt import images
from sudokucrypt.ciphers import find_scheme
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
from sudokucrypt.keys import ProtectingKey, RestoringKey
from sudokucrypt.recipes.carriers import CARRIERS
from sudokucrypt.recipes.carriers.contract import (
    Carrier,
    Draft,
    FileReport,
    PlainFile,
    ProtectRequest,
    ReceivedFile,
    Restored,
    RestoreRequest,
    open_received,
    receive,
    receive_without_sidecar,
)
from sudokucrypt.recipes.naming import plain_stem, safe_name
from sudokucrypt.recipes.opening import encryption_scheme, no_header, scrambling_scheme
from sudokucrypt.recipes.options import (
    UPDATE_HINT,
    DecryptOptions,
    EncryptOptions,
    MetadataChoice,
    OpenOptions,
    RekeyOptions,
    ScrambleOptions,
    UnscrambleOptions,
)
from sudokucrypt.recipes.protection import Scheme, make_protection, require_key
from sudokucrypt.recipes.sinks import FileTarget, Sink, claimed_twice, find_sidecar
from sudokucrypt.recipes.sources import FileSource, SourceFile
from sudokucrypt.remote import Url
from sudokucrypt.storage import REPLACE_HINT, Location

# What can be wrong with a header: its seal, its form, what it asks for, and its scheme.
HEADER_FAULTS = (DecryptionError, FormatError, UnsupportedError, InvalidParameterError)


def protect(
    source: FileSource,
    target: FileTarget,
    key: ProtectingKey,
    options: EncryptOptions | ScrambleOptions,
) -> FileReport:
    """Read a file, protect it, and write the result and its sidecar."""
    require_key(key, protecting=True)
    if options.metadata not in get_args(MetadataChoice):
        choices = ", ".join(get_args(MetadataChoice))
        raise InvalidParameterError(f"metadata must be one of {choices}, not {options.metadata!r}")
    protection = make_protection(options)
    protection.require_salt(key)  # said before a long file is read
    if isinstance(options, EncryptOptions) and (options.update or options.checksum):
        from sudokucrypt.recipes.updating import find_current, require_updatable

        require_updatable(key, options)
        sink = Sink.of(source, target, replace(options, replace=True))
        current, there = find_current(sink, key, options)
        if current is not None:
            _log("kept %r, made of %r", str(current.target), str(sink.source))
            return current
        options = replace(options, update=False, checksum=False, replace=there)
    sink = Sink.of(source, target, options)
    request = ProtectRequest(sink=sink, key=key, protection=protection, options=options)
    sink.require_free_name(request.guess_suffix())
    return write(sink, lambda: first_draft(source, request))


def restore(
    source: FileSource, target: FileTarget, key: RestoringKey, options: DecryptOptions
) -> FileReport:
    """Read a protected file, restore it in memory, and write it as a plain file."""
    sink = Sink.of(source, target, options)
    restored, file = restore_in_memory(receive(make_request(source, key, options)), sink)
    draft = restored.draft(sink, options)
    report = write(sink, lambda: (draft, file.source))
    if not file.inside_only:
        return report
    return replace(report, dropped=(*report.dropped, "sidecar that does not belong to it"))


def rekey(
    source: FileSource,
    target: FileTarget,
    key: RestoringKey,
    new_key: ProtectingKey,
    options: RekeyOptions,
) -> FileReport:
    """Read a protected file, and protect the same thing with another key.

    The result gets a sidecar if there was one.
    """
    require_key(new_key, protecting=True)
    sink, request = Sink.of(source, target, options), make_request(source, key, options)
    sink = replace(sink, sidecar=find_sidecar(sink.source, options.sidecar) is not None)

    def draft() -> tuple[Draft, SourceFile]:
        restored, file = restore_in_memory(receive(request))
        return restored.again(sink, new_key, options), file.source

    return write(sink, draft)


def open_plain(
    source: FileSource, key: RestoringKey, options: OpenOptions, name: Location
) -> PlainFile:
    """Read a protected file, and return the plain one in memory."""
    restored, _ = restore_in_memory(receive(make_request(source, key, options)))
    plain = DecryptOptions(threads=options.threads)
    draft = restored.draft(Sink.of(source, io.BytesIO(), plain), plain)
    parts = list(map(bytes, draft.make()[0])) if draft.in_pieces else list(draft.make()[0])
    if (file := draft.report.file) is not None:
        # One is taken as it is: a copy of a large file takes its memory once more.
        whole = parts[0] if len(parts) == 1 else b"".join(parts)
        return PlainFile(name=safe_name(file.name), type=file.type, content=whole)
    content = b"".join(parts)
    driver = images.known_format(content)
    called = f"{plain_stem(name)}{'' if driver is None else driver.suffixes[0]}"
    return PlainFile(name=called, type=images.media_type(content, called), content=content)


def make_request(source: FileSource, key: RestoringKey, options: OpenOptions) -> RestoreRequest:
    """Return the request to restore a file of the schemes that these options are for."""
    schemes: dict[type[OpenOptions], Callable[[Header], Scheme]] = {
        DecryptOptions: encryption_scheme,
        UnscrambleOptions: scrambling_scheme,
    }
    return RestoreRequest(
        source=source,
        key=key,
        options=options,
        scheme_of=schemes.get(type(options), lambda header: find_scheme(header.scheme)),
        robust=type(options) is not DecryptOptions,
    )


def first_draft(source: FileSource, request: ProtectRequest) -> tuple[Draft, SourceFile]:
    """Read a file, and return the draft of the first carrier that takes it."""
    file = SourceFile.read(source, request.options.name)
    for carrier in CARRIERS:
        if draft := carrier.plan(file, request):
            file.release()  # the draft needs memory, and as much again for the result
            return draft, file
    raise InvalidImageError(f"nothing here can protect '{file.name}'")


def recognize(file: ReceivedFile) -> tuple[Carrier, ReceivedFile]:
    """Return the carrier that protected a file, and the file with its header, whose seal holds."""
    try:
        file = open_received(file)
    except SudokucryptError:
        # A carrier from outside may recognize by its bytes what we cannot open.
        if (carrier := _find_first_carrier(file)) is None:
            raise
        return carrier, file
    if (carrier := _find_first_carrier(file)) is None:
        raise no_header(file.source.name)
    return carrier, file


def _find_first_carrier(file: ReceivedFile) -> Carrier | None:
    return next((carrier for carrier in CARRIERS if carrier.recognizes(file)), None)


def restore_in_memory(
    file: ReceivedFile, sink: Sink | None = None
) -> tuple[Restored, ReceivedFile]:
    """Return the protected content after all checks, and the file with its header.

    A sidecar that does not belong to the file, which anyone can put next to it, hides no good
    header in the file. With a `sink`, an output that exists is noticed before samples are decoded.
    """
    try:
        carrier, file = recognize(file)
        if sink is not None:
            file.require_free_name(sink)
        return carrier.restore(file), file
    except HEADER_FAULTS as error:
        other = receive_without_sidecar(file)
        named = file.request.options.sidecar is not None
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


def write(sink: Sink, make_draft: Callable[[], tuple[Draft, SourceFile]]) -> FileReport:
    """Make a draft and write it, unless its result is there and kept; return the report."""
    while True:
        draft, source = make_draft()
        if (location := sink.find_kept(draft.destination)) is not None:
            report = compare_existing(location, sink, draft, source)
            _log("kept %r, made of %r", str(report.target), source.name)
            return report
        try:
            hidden = sink.can_hide(draft.destination)
            if not hidden:
                draft.verify()
            content, header = draft.make()
            time = source.status.time if draft.time is None else draft.time
            status = replace(source.status, time=time)
            size = sink.store(
                draft.destination, content, status, header, new=draft.new, hidden=hidden
            )
            report = _report(draft, source, header if isinstance(header, Header) else None, size)
            # With %r, since a name of a stranger may hold line ends, and so more lines.
            where = "a stream" if report.target is None else repr(str(report.target))
            _log("wrote %s, %d bytes, made of %r", where, size, source.name)
            return report
        except OutputExistsError:
            # Another run made it meanwhile. Making ours took the samples: they are read again.
            if source.location is None or sink.find_kept(draft.destination) is None:
                raise


def compare_existing(
    location: Location, sink: Sink, draft: Draft, source: SourceFile
) -> FileReport:
    """Return the report of a result that is there, or raise `OutputExistsError` for another one."""
    try:
        existing = SourceFile.read(location)
        size, header = existing.size, draft.compare(existing)
    except SudokucryptError as error:
        if sink.is_shared(location):
            raise claimed_twice(location) from None
        updates = isinstance(sink.options, EncryptOptions) and draft.report.file is not None
        raise OutputExistsError(
            f"'{location}' exists, and is not what this run would write: {error}",
            hint=f"{UPDATE_HINT}, or {REPLACE_HINT}" if updates else REPLACE_HINT,
            hint_key="update" if updates else "replace",
        ) from None
    if header is not None and sink.sidecar:
        sink.keep_sidecar(location, header)
    return replace(_report(draft, source, header, size), kept=True)


def _log(message: str, *values: object) -> None:
    """Tell servers of a file that is written, at the level INFO, without keys."""
    if "logging" in sys.modules:  # else nobody listens, and most commands need not import it
        sys.modules["logging"].getLogger("sudokucrypt").info(message, *values)


def _report(draft: Draft, source: SourceFile, header: Header | None, size: int) -> FileReport:
    return replace(
        draft.report,
        target=draft.destination if isinstance(draft.destination, Path | Url) else None,
        tag=draft.report.tag if header is None else header.tag,
        source_bytes=source.size,
        target_bytes=size,
    )
