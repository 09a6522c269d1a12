"""Protect and restore pictures: frames of samples, and what gives them their meaning."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from sudokucrypt.ciphers import Part
from sudokucrypt.errors import DecryptionError, FormatError, InvalidImageError, UnsupportedError
from sudokucrypt.recipes.parts import unlocked
from sudokucrypt.recipes.selection import Selection
from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from sudokucrypt.formats import Header
    from sudokucrypt.images import Picture
    from sudokucrypt.keys import Key, Passphrase
    from sudokucrypt.recipes.parts import Protection, Scheme
    from sudokucrypt.typing import AnyArray

MetadataChoice: TypeAlias = Literal["keep", "strip", "seal"]
"""What becomes of metadata: they stay readable, are dropped, or travel masked in the header."""


def protect_picture(
    picture: Picture,
    key: Key | Passphrase,
    how: Protection,
    *,
    format: str,  # noqa: A002 - the word for it everywhere in this package
    selection: Selection | None = None,
    metadata: MetadataChoice = "keep",
) -> Picture:
    """Return the protected picture as a format can hold it, with its header.

    Scrambled frames keep palette and mode where the format has them. Encrypted ones are bare
    samples, unless only regions are encrypted: then the rest of the picture has to look the same.
    """
    from sudokucrypt.images import Metadata, describe, leftover

    stored = _stored(picture, format, encrypted=how.scheme.encrypts, whole=selection is None)
    if metadata != "keep":
        stored = stored.with_metadata([Metadata()] * len(stored.frames))
    carried = [
        frame.metadata if metadata == "seal" else leftover(kept, format, header=True)
        for frame, kept in zip(picture.frames, stored.frames, strict=True)
    ]
    extras = describe(picture.with_metadata(carried))
    parts = parts_of(picture, selection)
    pixels, header = how.protect(parts, key, selection=selection, extras=extras)
    return replace(stored.with_pixels(pixels), header=header.to_bytes())


def restore_picture(
    stored: Picture,
    key: Key | Passphrase,
    header: Header,
    scheme: Scheme,
    *,
    max_pixels: int | None = None,
    threads: int | None = None,
) -> Picture:
    """Return the plain picture, or raise `DecryptionError` if anything is not what it was."""
    from sudokucrypt.images import dress

    opened = unlocked(key, header)
    work = sum(frame.pixels.nbytes for frame in stored.frames)
    with Workers(threads, work=work) as workers:
        extras = scheme.plain_extras(opened, header, workers)
        try:
            picture = dress(stored, extras)
        except FormatError:
            if scheme.encrypts:  # what was masked and makes no sense was changed
                raise DecryptionError from None
            raise
        if (header.shape, header.dtype) != (picture.pixels.shape, picture.pixels.dtype.name):
            raise DecryptionError
        parts = parts_of(picture, described_selection(picture, header, max_pixels))
        pixels = scheme.restore(parts, opened, header, workers)
    return replace(picture.with_pixels(pixels), header=None)


def same_pictures(first: Picture, second: Picture) -> bool:
    """Tell whether two pictures have equal frames; metadata may differ."""
    if len(first.frames) != len(second.frames):
        return False
    return all(
        {**vars(one), "pixels": None, "metadata": None}
        == {**vars(other), "pixels": None, "metadata": None}
        and one.pixels.dtype == other.pixels.dtype
        and np.array_equal(_bits_of(one.pixels), _bits_of(other.pixels))
        for one, other in zip(first.frames, second.frames, strict=True)
    )


def _stored(picture: Picture, file_format: str, *, encrypted: bool, whole: bool) -> Picture:
    """Return the picture in the form in which it will be written."""
    from sudokucrypt.images import default_format, obstacle

    wish = picture.bare() if encrypted and whole else picture
    if encrypted and not whole:
        wish = picture.with_full_palettes()
    if obstacle(wish, file_format) is None:
        return wish
    bare = picture.bare()
    if reason := obstacle(bare, file_format):
        raise UnsupportedError(
            f"{file_format} cannot hold {reason}", hint=f"write {default_format(picture)}"
        )
    return bare


def described_selection(
    picture: Picture, header: Header, max_pixels: int | None
) -> Selection | None:
    """Return what a header says was selected on the canvas of a picture."""
    if header.regions is None and header.mask is None:
        return None
    return Selection.described(canvas_of(picture, max_pixels), header)


def canvas_of(picture: Picture, max_pixels: int | None) -> tuple[int, ...]:
    """Return rows and columns of what regions and masks refer to.

    Raises
    ------
    InvalidImageError
        If they are more than `max_pixels`: an animation may claim any canvas around its frames.
    """
    from sudokucrypt.images import MAX_PIXELS

    if picture.animation is None:
        return picture.pixels.shape[:2]
    rows, columns = picture.animation.rows, picture.animation.columns
    most = MAX_PIXELS if max_pixels is None else max_pixels
    if rows * columns > most:
        raise InvalidImageError(
            f"the canvas has {rows} rows of {columns} pixels, more than the {most} that are read",
            hint="if the file is meant to be that large, raise --max-pixels (max_pixels in Python)",
        )
    return rows, columns


def parts_of(picture: Picture, selection: Selection | None) -> list[Part]:
    """Return what a scheme gets of each frame: samples, bits and which pixels take part."""
    return [
        Part(
            pixels=frame.pixels,
            bits=frame.bits,
            where=None
            if selection is None
            else selection.within(frame.row, frame.column, frame.pixels.shape),
        )
        for frame in picture.frames
    ]


def _bits_of(pixels: AnyArray) -> AnyArray:
    """View floats as integers, so that equal means equal in every bit."""
    return pixels.view(f"u{pixels.dtype.itemsize}") if pixels.dtype.kind == "f" else pixels
