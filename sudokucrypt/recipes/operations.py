"""The four things that are done with files: protect, restore, rekey and open, for any carrier."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sudokucrypt.errors import InvalidImageError, OutputExistsError, SudokucryptError
from sudokucrypt.recipes.carriers import CARRIERS
from sudokucrypt.recipes.carriers.contract import (
    Access,
    Carrier,
    Draft,
    PlainFile,
    Product,
    ProtectRequest,
    RekeyRequest,
    Restored,
    RestoreRequest,
    RobustRequest,
)
from sudokucrypt.recipes.opening import no_header
from sudokucrypt.recipes.protection import checked_key
from sudokucrypt.recipes.transfer import Destination, FileTransfer, SourceFile, plain_stem
from sudokucrypt.remote import Url
from sudokucrypt.storage import REPLACE_HINT, Location

if TYPE_CHECKING:
    from sudokucrypt.keys import MasterKey, RestoringKey
    from sudokucrypt.recipes.options import OpenSettings, RestoreSettings
    from sudokucrypt.recipes.reporting import FileReport


def protect(
    request: ProtectRequest | RobustRequest, *, name: str | None = None, sidecar: bool = False
) -> FileReport:
    """Read a file, protect it, and write the result and its sidecar.

    `name` is what the file is called, if not as its path says.
    """
    checked_key(request.key, protecting=True)
    source = request.transfer.read(name=name)
    draft = planned(source, request)
    source.release()  # from here on the draft needs memory, and as much again for the result
    product, destination = kept(request.transfer, draft) or draft.make(), draft.destination
    del draft
    return write(request.transfer, product, destination, source, sidecar=sidecar)


def restore(
    transfer: FileTransfer, key: RestoringKey, access: Access, settings: RestoreSettings
) -> FileReport:
    """Read a protected file, restore it, and write the plain one."""
    request = restore_request(transfer, key, access, settings)
    with request.sidecar_named():
        restored = carrier_of(request).restore(request)
    return write_draft(transfer, restored.draft(transfer, settings), request.source)


def rekey(
    transfer: FileTransfer,
    key: RestoringKey,
    new_key: MasterKey,
    access: Access,
    settings: OpenSettings,
) -> FileReport:
    """Read a protected file, and protect the same thing with another key.

    The result gets a sidecar if there was one.
    """
    checked_key(new_key, protecting=True)
    request = restore_request(transfer, key, access, settings)
    sidecar = transfer.sidecar(settings.sidecar) is not None
    again = RekeyRequest(transfer=transfer, key=new_key, settings=settings, sidecar=sidecar)
    draft = restore_in_memory(request).again(again)
    return write_draft(transfer, draft, request.source, sidecar=sidecar)


def open_plain(
    location: Location, key: RestoringKey, access: Access, settings: OpenSettings
) -> PlainFile:
    """Read a protected file, and return the plain one in memory."""
    restored = restore_in_memory(restore_request(FileTransfer(location), key, access, settings))
    return restored.plain_file(plain_stem(location), threads=settings.threads)


def planned(source: SourceFile, request: ProtectRequest | RobustRequest) -> Draft:
    """Return the draft of the first carrier that takes the input."""
    for carrier in CARRIERS:
        draft = carrier.plan(source, request)
        if draft is not None:
            return draft
    raise InvalidImageError(f"nothing here can protect '{source.name}'")


def restore_request(
    transfer: FileTransfer, key: RestoringKey, access: Access, settings: OpenSettings
) -> RestoreRequest:
    """Read a protected file, and return what restoring it takes."""
    checked_key(key)
    return RestoreRequest(
        source=transfer.read(), transfer=transfer, key=key, access=access, settings=settings
    )


def carrier_of(request: RestoreRequest) -> Carrier:
    """Return the carrier that protected an input; its seal is checked on the way."""
    for carrier in CARRIERS:
        if carrier.recognises(request):
            return carrier
    raise no_header(request.source.name)


def restore_in_memory(request: RestoreRequest) -> Restored:
    """Return what is protected, after checking all of it."""
    with request.sidecar_named():
        return carrier_of(request).restore(request)


def kept(transfer: FileTransfer, draft: Draft) -> Product | None:
    """Return the product that is there already, if it is to be kept and is what would be written.

    Raises
    ------
    OutputExistsError
        If it is another one.
    """
    location = transfer.kept(draft.destination)
    if location is None:
        return None
    try:
        existing = FileTransfer(location).read()
        return replace(draft.compare(existing), existing_bytes=existing.size)
    except SudokucryptError as error:
        raise OutputExistsError(
            f"'{location}' exists, and is not what this run would write: {error}",
            hint=REPLACE_HINT,
            hint_key="replace",
        ) from None


def write_draft(
    transfer: FileTransfer, draft: Draft, source: SourceFile, *, sidecar: bool = False
) -> FileReport:
    """Make a draft, unless its result is there and kept, and write it."""
    product, destination = kept(transfer, draft) or draft.make(), draft.destination
    del draft
    return write(transfer, product, destination, source, sidecar=sidecar)


def write(
    transfer: FileTransfer,
    product: Product,
    destination: Destination,
    source: SourceFile,
    *,
    sidecar: bool,
) -> FileReport:
    """Write a product and perhaps its sidecar, and report what came of it."""
    header = product.header if sidecar else None
    target = destination if isinstance(destination, Path | Url) else None
    size = product.existing_bytes
    if size is None:
        time = source.status.time if product.time is None else product.time
        status = replace(source.status, time=time)
        size = transfer.store(destination, product.content, status, header)
    elif header is not None and target is not None:
        transfer.keep_sidecar(target, header)
    return product.report(
        target=target,
        kept=product.existing_bytes is not None,
        source_bytes=source.size,
        target_bytes=size,
    )
