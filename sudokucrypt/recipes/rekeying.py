"""Change the key of a protected picture file."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from sudokucrypt.ciphers import SCHEMES
from sudokucrypt.errors import InvalidParameterError, UnsupportedError
from sudokucrypt.keys import SALT_LENGTH
from sudokucrypt.recipes.comparing import require_same_result
from sudokucrypt.recipes.parts import MAX_ROUNDS, Protection, checked_key
from sudokucrypt.recipes.pictures import described_selection, planned, restore_picture
from sudokucrypt.recipes.routes import Route
from sudokucrypt.recipes.steps import FileReport, required, write_picture

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
    checked_key(key)
    checked_key(new_key, protecting=True)
    route = Route(source, target, "rekeyed", format, replace, resume)
    stored = route.load(max_pixels)
    header = required(route.header(stored.header, sidecar))
    scheme = SCHEMES.get(header.scheme)
    if scheme is None:
        raise InvalidParameterError(
            f"a picture of scheme {header.scheme} has no tag, so its key cannot be changed safely",
            hint="unscramble it and scramble the result",
        )
    beside = sidecar is not None or route.has_sidecar()
    file_format, place = route.settle(stored.format, sidecar=beside)
    said = restore_picture(
        stored,
        key,
        header,
        scheme,
        max_pixels=max_pixels,
        max_rounds=max_rounds,
        threads=threads,
    )
    del stored
    if said.file is not None:
        raise UnsupportedError("the picture holds a file of another kind, which is not rekeyed")
    how = Protection(
        scheme=scheme,
        unit=header.unit,
        block_size=header.block_size,
        rounds=header.rounds,
        salt=secrets.token_bytes(SALT_LENGTH),
        threads=threads,
    )
    plan = planned(
        said.picture,
        scheme,
        format=file_format,
        selection=described_selection(said.picture, header, max_pixels),
        metadata="keep" if said.readable else "seal",
        readable=said.readable,
    )
    if (kept := route.kept(place)) is not None:
        require_same_result(plan, kept, new_key, how, max_pixels)
        return FileReport(said.picture.pixels.shape, plan.left_out, kept, kept=True)
    result = plan.protected(new_key, how)
    return write_picture(
        route, place, result, file_format, plan.left_out, sidecar=beside, compress=0
    )
