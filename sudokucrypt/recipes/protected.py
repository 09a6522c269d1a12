"""Look at protected picture files, share the key of one, and give it another key."""

import dataclasses
import secrets

from sudokucrypt.header import Header
from sudokucrypt.images import PictureRecord, picture_parts
from sudokucrypt.keys import SALT_LENGTH, MasterKey, PictureKey, RestoringKey
from sudokucrypt.recipes import steps
from sudokucrypt.recipes.options import RestoreOptions
from sudokucrypt.recipes.parts import MAX_ROUNDS, Protection, checked_key, required, unlocked
from sudokucrypt.recipes.pictures import described_selection, planned
from sudokucrypt.recipes.reporting import FileReport, report, same_result
from sudokucrypt.recipes.routes import Name, Route, Source, Target


def read_header(
    source: Source, *, sidecar: Name | None = None, max_pixels: int | None = None
) -> Header:
    """Return the header of a protected picture file, from its sidecar or from inside.

    Raises
    ------
    FormatError, InvalidImageError, UnsupportedError
        If there is none, or a damaged one, or the file is not a readable picture.
    """
    route = Route(source, None, "")
    file = route.read()
    return required(route.header(file.decoded(max_pixels).header, sidecar), file.name)


def picture_key(key: MasterKey, header: Header) -> PictureKey:
    """Return the key of the picture with this whole header, to share it; see `Key.for_picture`.

    Raises
    ------
    DecryptionError, FormatError
        If the key is wrong or the header was changed; if the picture has no key of its own, as
        under a context.
    """
    checked_key(key, protecting=True)
    working = unlocked(key, header)
    return working if isinstance(working, PictureKey) else working.for_picture(header)


def inspect_file(
    source: Source,
    key: RestoringKey,
    *,
    sidecar: Name | None = None,
    max_pixels: int | None = None,
    max_rounds: int = MAX_ROUNDS,
) -> tuple[Header, PictureRecord]:
    """Return the header of a protected picture file, and the picture that a key restores from it.

    Raises
    ------
    DecryptionError
        If the key is wrong, or the picture or its header was changed.
    InvalidParameterError
        If the picture was scrambled under a context, which proves nothing.
    FormatError, InvalidImageError, UnsupportedError
        As for `read_header`.
    """
    options = RestoreOptions(sidecar=sidecar, max_pixels=max_pixels, max_rounds=max_rounds)
    restored = steps.restore(Route(source, None, ""), key, steps.tagged_choice, options)
    return restored.header, restored.said


def rekey_file(
    source: Source,
    target: Target,
    key: RestoringKey,
    new_key: MasterKey,
    *,
    sidecar: Name | None = None,
    format: str | None = None,  # noqa: A002 - the word for it everywhere in this package
    max_pixels: int | None = None,
    max_rounds: int = MAX_ROUNDS,
    threads: int | None = None,
    replace: bool = False,
    resume: bool = False,
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

    Raises
    ------
    DecryptionError, FormatError, OutputExistsError, InvalidImageError, UnsupportedError
        As for `unscramble_file`.
    InvalidParameterError
        If the picture was scrambled under a context.
    """
    checked_key(new_key, protecting=True)
    route = Route(source, target, "rekeyed", format=format, replace=replace, resume=resume)
    options = RestoreOptions(
        sidecar=sidecar, max_pixels=max_pixels, max_rounds=max_rounds, threads=threads
    )
    restored = steps.restore(route, key, steps.tagged_choice, options)
    header = restored.header
    beside = route.sidecar(sidecar) is not None
    how = Protection(
        scheme=restored.scheme,
        unit=header.unit,
        block_size=header.block_size,
        rounds=header.rounds,
        salt=secrets.token_bytes(SALT_LENGTH),
        threads=threads,
    )
    if not isinstance(restored.found, PictureRecord):
        from sudokucrypt.recipes import recoding

        again = restored.found.again(max_pixels)
        status = restored.status
        done = recoding.store(
            route, again, new_key, how, status, sidecar=beside, max_pixels=max_pixels
        )
        return dataclasses.replace(done, source_bytes=restored.size)
    said = restored.said
    file_format, place = route.settle(restored.format, sidecar=beside)
    plan = planned(
        said,
        restored.scheme,
        format=file_format,
        selection=described_selection(said.picture, header, max_pixels),
        metadata="keep" if said.cleartext else "seal",
        cleartext=said.cleartext,
        overwrite=True,
    )
    if (kept := route.kept(place)) is not None:
        there = same_result(route, plan, kept, new_key, how, sidecar=beside, max_pixels=max_pixels)
        return dataclasses.replace(there, source_bytes=restored.size)
    pixels, new = how.protect(
        plan.parts, new_key, selection=plan.selection, encrypted_metadata=plan.encrypted_metadata
    )
    result = plan.carrying(pixels, new)
    parts = picture_parts(result, file_format, threads=threads)
    written = route.store(place, parts, restored.status, new if beside else None)
    done = report(result, plan.dropped, place, new, size=written)
    return dataclasses.replace(done, source_bytes=restored.size)
