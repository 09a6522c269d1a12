"""The four operations on files, for any carrier: protect, restore, rekey and open."""

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
    RestoredResult,
    RestoreRequest,
    open_received_file,
    receive_file,
    receive_without_sidecar,
)
from sudokucrypt.recipes.naming import get_plain_stem, make_safe_name
from sudokucrypt.recipes.opening import (
    find_encryption_scheme,
    find_scrambling_scheme,
    make_no_header_error,
)
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
from sudokucrypt.recipes.sinks import FileTarget, Sink, find_sidecar, make_same_output_error
from sudokucrypt.recipes.sources import FileSource, SourceFile
from sudokucrypt.remote import Url
from sudokucrypt.storage import REPLACE_HINT, Location

# Errors of a header: a wrong seal, a damaged form, excessive costs, and a wrong scheme.
HEADER_ERRORS = (DecryptionError, FormatError, UnsupportedError, InvalidParameterError)


def protect(
    source: FileSource,
    target: FileTarget,
    key: ProtectingKey,
    options: EncryptOptions | ScrambleOptions,
) -> FileReport:
    """Read a file, protect it, and write the result with its sidecar."""
    if options.metadata not in get_args(MetadataChoice):
        choice_names = ", ".join(get_args(MetadataChoice))
        raise InvalidParameterError(
            f"metadata must be one of {choice_names}, not {options.metadata!r}"
        )
    protection = make_protection(options)
    protection.require_salt(key)  # checked before reading a file that may be long
    if isinstance(options, EncryptOptions) and (options.update or options.checksum):
        from sudokucrypt.recipes.updating import find_current_result, require_updatable

        require_updatable(key, options)
        sink = Sink.for_target(source, target, replace(options, replace=True))
        kept_report, may_replace = find_current_result(sink, key, options)
        if kept_report is not None:
            _log_result("kept %r, made of %r", str(kept_report.target), str(sink.source))
            return kept_report
        options = replace(options, replace=may_replace)
    sink = Sink.for_target(source, target, options)
    request = ProtectRequest(sink=sink, key=key, protection=protection, options=options)
    sink.require_free_name(request.guess_suffix())
    return write(sink, lambda: make_first_draft(source, request))


def restore(
    source: FileSource, target: FileTarget, key: RestoringKey, options: DecryptOptions
) -> FileReport:
    """Read a protected file, restore it in memory, and write it as a plain file."""
    sink = Sink.for_target(source, target, options)
    restored_result, file = restore_in_memory(
        receive_file(make_request(source, key, options)), sink
    )
    draft = restored_result.make_draft(sink, options)
    report = write(sink, lambda: (draft, file.source))
    if not file.ignores_sidecars:
        return report
    return replace(report, dropped=(*report.dropped, "sidecar that does not belong to it"))


def rekey(
    source: FileSource,
    target: FileTarget,
    key: RestoringKey,
    new_key: ProtectingKey,
    options: RekeyOptions,
) -> FileReport:
    """Read a protected file, and protect the same contents with another key.

    The result gets a sidecar if the input has one.
    """
    require_key(new_key, must_protect=True)
    sink, request = Sink.for_target(source, target, options), make_request(source, key, options)
    sink = replace(sink, sidecar=find_sidecar(sink.source, options.sidecar) is not None)

    def make_draft() -> tuple[Draft, SourceFile]:
        restored_result, file = restore_in_memory(receive_file(request))
        return restored_result.reprotect(sink, new_key, options), file.source

    return write(sink, make_draft)


def open_plain_file(
    source: FileSource, key: RestoringKey, options: OpenOptions, name: Location
) -> PlainFile:
    """Read a protected file, and return the plain file in memory."""
    restored_result, _ = restore_in_memory(receive_file(make_request(source, key, options)))
    write_options = DecryptOptions(threads=options.threads)
    draft = restored_result.make_draft(
        Sink.for_target(source, io.BytesIO(), write_options), write_options
    )
    file_parts = (
        list(map(bytes, draft.make_parts()[0]))
        if draft.reuses_memory
        else list(draft.make_parts()[0])
    )
    if (file := draft.report.file) is not None:
        # A single part is not copied, to save the memory of a second large file.
        content = file_parts[0] if len(file_parts) == 1 else b"".join(file_parts)
        return PlainFile(name=make_safe_name(file.name), type=file.type, content=content)
    content = b"".join(file_parts)
    driver = images.known_format(content)
    plain_name = f"{get_plain_stem(name)}{'' if driver is None else driver.suffixes[0]}"
    media_type = images.media_type(content, plain_name)
    return PlainFile(name=plain_name, type=media_type, content=content)


def make_request(source: FileSource, key: RestoringKey, options: OpenOptions) -> RestoreRequest:
    """Return the request to restore a file; the class of the options limits the schemes."""
    schemes: dict[type[OpenOptions], Callable[[Header], Scheme]] = {
        DecryptOptions: find_encryption_scheme,
        UnscrambleOptions: find_scrambling_scheme,
    }
    return RestoreRequest(
        source=source,
        key=key,
        options=options,
        find_scheme=schemes.get(type(options), lambda header: find_scheme(header.scheme)),
        robust=type(options) is not DecryptOptions,
    )


def make_first_draft(source: FileSource, request: ProtectRequest) -> tuple[Draft, SourceFile]:
    """Read a file, and return it with the draft of the first carrier that can protect it."""
    file = SourceFile.read(source, request.options.name)
    for carrier in CARRIERS:
        if draft := carrier.plan_draft(file, request):
            file.release()  # frees memory for the draft and its result
            return draft, file
    raise InvalidImageError(f"no kind of protection supports '{file.name}'")


def recognize_carrier(file: ReceivedFile) -> tuple[Carrier, ReceivedFile]:
    """Return the carrier that protected a file, and the file with its opened header."""
    try:
        file = open_received_file(file)
    except SudokucryptError:
        # A carrier of another package may recognize a file whose header cannot be opened.
        if (carrier := _find_first_carrier(file)) is None:
            raise
        return carrier, file
    if (carrier := _find_first_carrier(file)) is None:
        raise make_no_header_error(file.source.name)
    return carrier, file


def _find_first_carrier(file: ReceivedFile) -> Carrier | None:
    return next((carrier for carrier in CARRIERS if carrier.recognizes(file)), None)


def restore_in_memory(
    file: ReceivedFile, sink: Sink | None = None
) -> tuple[RestoredResult, ReceivedFile]:
    """Return the restored contents after all checks, and the file with its opened header.

    If the sidecar does not fit, the header in the file is tried: anyone can put a wrong sidecar
    next to a file. With a `sink`, an error for an existing output comes before samples are decoded.
    """
    try:
        carrier, file = recognize_carrier(file)
        if sink is not None:
            file.require_free_name(sink)
        return carrier.restore(file), file
    except HEADER_ERRORS as error:
        file_without_sidecar = receive_without_sidecar(file)
        is_sidecar_chosen = file.request.options.sidecar is not None
        if file_without_sidecar is None:
            raise
        sidecar_error = error
    if not is_sidecar_chosen:
        with suppress(*HEADER_ERRORS):
            carrier, file_without_sidecar = recognize_carrier(file_without_sidecar)
            return carrier.restore(file_without_sidecar), file_without_sidecar
    if not isinstance(sidecar_error, DecryptionError):
        raise sidecar_error
    header_explanation = f"the header is from '{file.sidecar}', and the picture holds another one"
    hint = "move the sidecar away to use the header in the picture"
    if not is_sidecar_chosen:
        header_explanation, hint = (
            f"{header_explanation}, which does not fit either",
            "get both files again",
        )
    raise DecryptionError(f"{sidecar_error}; {header_explanation}", hint=hint) from None


def write(sink: Sink, make_draft: Callable[[], tuple[Draft, SourceFile]]) -> FileReport:
    """Make a draft and write its result, or keep an equal existing result; return the report."""
    while True:
        draft, source = make_draft()
        if (location := sink.find_kept_result(draft.destination)) is not None:
            report = compare_existing_result(location, sink, draft, source)
            _log_result("kept %r, made of %r", str(report.target), source.name)
            return report
        try:
            is_hidden = sink.can_stay_nameless(draft.destination)
            if not is_hidden:
                draft.verify()
            content, header = draft.make_parts()
            time = source.status.time if draft.time is None else draft.time
            status = replace(source.status, time=time)
            size = sink.store(
                draft.destination,
                content,
                status,
                header,
                must_be_new=draft.must_be_new,
                is_nameless=is_hidden,
            )
            report = _make_report(
                draft, source, header if isinstance(header, Header) else None, size
            )
            # %r escapes line feeds: without it, a name from a stranger could forge log lines.
            target_text = "a stream" if report.target is None else repr(str(report.target))
            _log_result("wrote %s, %d bytes, made of %r", target_text, size, source.name)
            return report
        except OutputExistsError:
            # Another run made the result meanwhile. To compare it, the input is read again, since
            # making our result overwrote the samples.
            if source.location is None or sink.find_kept_result(draft.destination) is None:
                raise


def compare_existing_result(
    location: Location, sink: Sink, draft: Draft, source: SourceFile
) -> FileReport:
    """Return the report of an equal existing result; `OutputExistsError` if it differs."""
    try:
        existing_file = SourceFile.read(location)
        size, header = existing_file.size, draft.compare(existing_file)
    except SudokucryptError as error:
        if sink.is_shared(location):
            raise make_same_output_error(location) from None
        can_update = isinstance(sink.options, EncryptOptions) and draft.report.file is not None
        raise OutputExistsError(
            f"'{location}' exists, and is not what this run would write: {error}",
            hint=f"{UPDATE_HINT}, or {REPLACE_HINT}" if can_update else REPLACE_HINT,
            hint_key="update" if can_update else "replace",
        ) from None
    if header is not None and sink.sidecar:
        sink.ensure_sidecar(location, header)
    return replace(_make_report(draft, source, header, size), kept=True)


def _log_result(message: str, *values: object) -> None:
    """Log a written file at the level INFO, without keys."""
    if "logging" in sys.modules:  # importing it would slow down commands that do not log
        sys.modules["logging"].getLogger("sudokucrypt").info(message, *values)


def _make_report(draft: Draft, source: SourceFile, header: Header | None, size: int) -> FileReport:
    return replace(
        draft.report,
        target=draft.destination if isinstance(draft.destination, Path | Url) else None,
        tag=draft.report.tag if header is None else header.tag,
        source_bytes=source.size,
        target_bytes=size,
    )
