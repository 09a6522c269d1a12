"""Look at protected picture files without writing anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudokucrypt.ciphers import SCHEMES
from sudokucrypt.errors import DecryptionError
from sudokucrypt.recipes.pictures import restore_picture, same_pictures
from sudokucrypt.recipes.routes import Route
from sudokucrypt.recipes.scrambling import context_header, scrambling_scheme
from sudokucrypt.recipes.steps import required

if TYPE_CHECKING:
    from sudokucrypt.formats import Header
    from sudokucrypt.images import Picture
    from sudokucrypt.keys import Key, Passphrase
    from sudokucrypt.recipes.parts import Scheme
    from sudokucrypt.recipes.routes import Name, Source


def read_header(
    source: Source, *, sidecar: Name | None = None, max_pixels: int | None = None
) -> Header:
    """Return the header of a protected picture file, from its sidecar or from inside.

    Raises
    ------
    FormatError
        If there is none, or a damaged one.
    InvalidImageError, UnsupportedError
        If the file is not a readable picture.
    """
    route = Route(source, None, "")
    return required(route.header(route.load(max_pixels).header, sidecar))


def matches_file(
    plain: Source,
    protected: Source,
    key: Key | Passphrase,
    *,
    sidecar: Name | None = None,
    context: str | None = None,
    max_pixels: int | None = None,
    threads: int | None = None,
) -> bool:
    """Tell whether a protected picture file restores to exactly the frames of a plain one.

    Parameters and errors are those of `unscramble_file`; a wrong key or a changed picture is an
    answer, not an error.
    """
    try:
        restored = _restored(protected, key, sidecar, context, max_pixels, threads)
    except DecryptionError:
        return False
    return same_pictures(restored, Route(plain, None, "").load(max_pixels))


def same_plain_files(
    first: Source,
    second: Source,
    key: Key | Passphrase,
    new_key: Key | Passphrase,
    *,
    sidecar: Name | None = None,
    max_pixels: int | None = None,
) -> bool:
    """Tell whether two protected picture files restore to the same frames.

    Parameters
    ----------
    first, second : path or binary file
        The files; the first may have its header in `sidecar`.
    key, new_key : Key or Passphrase
        What the first and the second are protected with.
    sidecar, max_pixels
        As for `unscramble_file`.
    """
    try:
        restored = _restored(second, new_key, None, None, max_pixels, None)
        return same_pictures(_restored(first, key, sidecar, None, max_pixels, None), restored)
    except DecryptionError:
        return False


def _restored(
    protected: Source,
    key: Key | Passphrase,
    sidecar: Name | None,
    context: str | None,
    max_pixels: int | None,
    threads: int | None,
) -> Picture:
    """Return the plain picture of a file, whichever way it is protected."""
    route = Route(protected, None, "")
    stored = route.load(max_pixels)
    header = route.header(stored.header, sidecar)
    scheme: Scheme | None = None if header is None else SCHEMES.get(header.scheme)
    if header is None or scheme is None:
        header = header or context_header(stored.pixels, key, context)
        scheme = scrambling_scheme(header, context)
    return restore_picture(stored, key, header, scheme, max_pixels=max_pixels, threads=threads)
