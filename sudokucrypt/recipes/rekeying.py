"""Change the key of a protected picture file."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from sudokucrypt.keys import SALT_LENGTH
from sudokucrypt.recipes.comparing import require_same_result
from sudokucrypt.recipes.parts import MAX_ROUNDS, Protection, checked_key
from sudokucrypt.recipes.pictures import described_selection, planned
from sudokucrypt.recipes.routes import Route
from sudokucrypt.recipes.steps import FileReport, restore, tagged_choice, write_picture

if TYPE_CHECKING:
    from sudokucrypt.keys import MasterKey, RestoringKey
    from sudokucrypt.recipes.routes import Name, Source, Target


def rekey_file(
    source: Source,
    target: Target,
    key: RestoringKey,
    new_key: MasterKey,
    *,
    sidecar: Name | None = None,
    format: str | None = None,  # noqa: A002 - as above
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
    source, target, format, max_pixels
        As for `scramble_file`.
    key : Key, Passphrase or PictureKey
        What the picture is protected with.
    new_key : Key or Passphrase
        What it shall be protected with.
    sidecar, max_rounds, threads, replace
        As for `unscramble_file`.
    resume : bool
        As for `scramble_file`.

    Raises
    ------
    DecryptionError, FormatError, OutputExistsError, InvalidImageError, UnsupportedError
        As for `unscramble_file`.
    InvalidParameterError
        If the picture was scrambled under a context.
    """
    checked_key(new_key, protecting=True)
    route = Route(source, target, "rekeyed", format, replace, resume)
    restored = restore(
        route,
        key,
        tagged_choice,
        sidecar=sidecar,
        max_pixels=max_pixels,
        max_rounds=max_rounds,
        threads=threads,
    )
    said, header = restored.said, restored.header
    beside = route.sidecar(sidecar) is not None
    file_format, place = route.settle(restored.stored_format, sidecar=beside)
    how = Protection(
        scheme=restored.scheme,
        unit=header.unit,
        block_size=header.block_size,
        rounds=header.rounds,
        salt=secrets.token_bytes(SALT_LENGTH),
        threads=threads,
    )
    plan = planned(
        said.picture,
        restored.scheme,
        format=file_format,
        selection=described_selection(said.picture, header, max_pixels),
        metadata="keep" if said.readable else "seal",
        readable=said.readable,
    )
    if (kept := route.kept(place)) is not None:
        new_header = require_same_result(plan, kept, new_key, how, max_pixels)
        if beside:
            route.keep_sidecar(kept, new_header)
        return FileReport(said.picture.pixels.shape, plan.left_out, kept, kept=True)
    result = plan.protected(new_key, how)
    return write_picture(
        route, place, result, file_format, plan.left_out, sidecar=beside, compress=0
    )
