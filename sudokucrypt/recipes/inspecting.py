"""Look at protected picture files without writing anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudokucrypt.keys import PictureKey
from sudokucrypt.recipes.parts import MAX_ROUNDS, checked_key, required, unlocked
from sudokucrypt.recipes.routes import Route
from sudokucrypt.recipes.steps import restore, tagged_choice

if TYPE_CHECKING:
    from sudokucrypt.header import Header
    from sudokucrypt.images import Described
    from sudokucrypt.keys import MasterKey, RestoringKey
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


def picture_key(key: MasterKey, header: Header) -> PictureKey:
    """Return the key of one picture, to share it; see `Key.for_picture`.

    Parameters
    ----------
    key : Key or Passphrase
        What the picture is protected with.
    header : Header
        The whole header of the picture.

    Raises
    ------
    DecryptionError
        If the key is wrong, or the header was changed.
    FormatError
        If the picture has no key of its own, as under a context.
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
) -> tuple[Header, Described]:
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
    restored = restore(
        Route(source, None, ""),
        key,
        tagged_choice,
        sidecar=sidecar,
        max_pixels=max_pixels,
        max_rounds=max_rounds,
        threads=None,
    )
    return restored.header, restored.said
