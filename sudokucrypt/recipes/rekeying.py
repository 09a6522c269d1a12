"""Change the key of a protected picture file."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from sudokucrypt.ciphers import SCHEMES
from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.recipes.parts import SALT_LENGTH, Protection, checked_key
from sudokucrypt.recipes.pictures import described_selection, protect_picture, restore_picture
from sudokucrypt.recipes.routes import Route
from sudokucrypt.recipes.steps import required, write_picture

if TYPE_CHECKING:
    from sudokucrypt.keys import Key, Passphrase
    from sudokucrypt.recipes.routes import Name, Source, Target
    from sudokucrypt.recipes.steps import FileReport


def rekey_file(
    source: Source,
    target: Target,
    key: Key | Passphrase,
    new_key: Key | Passphrase,
    *,
    sidecar: Name | None = None,
    format: str | None = None,  # noqa: A002 - as above
    max_pixels: int | None = None,
    threads: int | None = None,
    replace: bool = False,
) -> FileReport:
    """Restore a picture file with one key, and protect it in the same way with another.

    Scheme, unit, rounds and regions stay; the salt is new, if there was one. The plain picture is
    never written.

    Parameters
    ----------
    source, target, format, max_pixels
        As for `scramble_file`.
    key, new_key : Key or Passphrase
        What the picture is protected with, and what it shall be.
    sidecar, threads, replace
        As for `unscramble_file`.

    Raises
    ------
    DecryptionError, FormatError, OutputExistsError, InvalidImageError, UnsupportedError
        As for `unscramble_file`.
    InvalidParameterError
        If the picture was scrambled under a context.
    """
    checked_key(key)
    checked_key(new_key)
    route = Route(source, target, "rekeyed", format, replace)
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
    picture = restore_picture(stored, key, header, scheme, max_pixels=max_pixels, threads=threads)
    readable = any(frame.metadata for frame in stored.frames)
    how = Protection(
        scheme=scheme,
        unit=header.unit,
        block_size=header.block_size,
        rounds=header.rounds,
        salt=None if header.salt is None else secrets.token_bytes(SALT_LENGTH),
        threads=threads,
    )
    result = protect_picture(
        picture,
        new_key,
        how,
        format=file_format,
        selection=described_selection(picture, header, max_pixels),
        metadata="seal" if scheme.encrypts and not readable else "keep",
    )
    return write_picture(
        route, place, result, file_format, picture.left_out, sidecar=beside, compress=0
    )
