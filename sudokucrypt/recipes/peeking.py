"""Look into protected picture files without restoring them, and show one without writing it."""

from dataclasses import dataclass

import numpy as np

from sudokucrypt import images
from sudokucrypt.ciphers import scheme_named
from sudokucrypt.errors import DecryptionError, InvalidImageError
from sudokucrypt.header import Header
from sudokucrypt.images import EmbeddedFile, Picture
from sudokucrypt.keys import Key, PictureKey, RestoringKey
from sudokucrypt.recipes import parts, pictures, steps
from sudokucrypt.recipes.options import RestoreOptions
from sudokucrypt.recipes.routes import Name, Route, plain_stem
from sudokucrypt.storage import parse_location
from sudokucrypt.typing import Buffer
from sudokucrypt.workers import Workers


@dataclass(frozen=True, kw_only=True)
class Peek:
    """What the header of a protected picture file says to those who have the key.

    All of it is authentic, since the seal of the header was checked. Whether the samples are what
    they were only restoring the picture shows.

    Parameters
    ----------
    header : Header
        The header, with its encrypted_metadata in plain form.
    key : Key or PictureKey
        What opens it: the key that was given, or the one derived from the passphrase.
    format : str or None
        The name of the format that suits the plain picture, if that is sealed.
    shapes : tuple of tuple of int
        (M, N) or (M, N, C) of each frame.
    file : EmbeddedFile or None
        What is known of the file, if the picture is one of a file.
    preview : bytes or None
        A small picture in WebP form, if one was sealed.
    """

    header: Header
    key: Key | PictureKey
    format: str | None
    shapes: tuple[tuple[int, ...], ...]
    file: EmbeddedFile | None
    preview: bytes | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Opened:
    """A plain file in memory: its name, its media type if that is known, and its bytes.

    Of a picture whose samples were protected, the name is made from that of the protected file.
    """

    name: str
    type: str | None
    content: Buffer


def find_header(path: Name, *, sidecar: Name | None = None) -> Header | None:
    """Return the header of a picture file as `read_header` does, or none if it has no header.

    Of a PNG only the header is read, so that this takes milliseconds.
    """
    place = parse_location(path)
    return Route(place, None, "").header(images.stored_header(place), sidecar)


def peek_file(path: Name, key: RestoringKey, *, sidecar: Name | None = None) -> Peek:
    """Return what is sealed in the header of a protected picture file, without its samples.

    Parameters
    ----------
    path : path
        The protected file.
    key : Key, Passphrase or PictureKey
        What it is protected with, or the key of this picture.
    sidecar : path, optional
        Where the header is, if neither beside the input nor inside it.

    Raises
    ------
    DecryptionError
        If the key is wrong or the header was changed. The samples are not looked at.
    FormatError
        If there is no header, or a damaged one.
    InvalidImageError, UnsupportedError, InvalidParameterError
        If the file is no readable picture, asks for more than is allowed, or was scrambled under
        a context, which proves nothing.
    """
    return peek_header(parts.required(find_header(path, sidecar=sidecar)), key)


def peek_header(
    header: Header,
    key: RestoringKey,
    *,
    max_rounds: int = parts.MAX_ROUNDS,
) -> Peek:
    """Return what is sealed in a header; errors are those of `peek_file`.

    Parameters
    ----------
    header : Header
        The whole header of a protected picture.
    key : Key, Passphrase or PictureKey
        As for `peek_file`.
    max_rounds : int
        1..255; headers that ask for more rounds are refused, as restoring refuses them.
    """
    parts.checked_key(key)
    scheme = scheme_named(header.scheme)
    parts.require_rounds(header, max_rounds)
    working = parts.unlocked(key, header)
    with Workers(1) as workers:
        opened = scheme.opened(working, header, workers)
    with parts.one_refusal(scheme):
        said = pictures.described_in(_blank(opened), opened, scheme)
    frames = said.picture.frames
    if (opened.shape, opened.dtype) != (frames[0].pixels.shape, frames[0].pixels.dtype.name):
        raise DecryptionError
    return Peek(
        header=opened,
        key=working,
        format=said.picture.format or None,
        shapes=tuple(frame.pixels.shape for frame in frames),
        file=said.file,
        preview=said.preview,
    )


def open_file(
    path: Name,
    key: RestoringKey,
    *,
    sidecar: Name | None = None,
    max_pixels: int | None = None,
    max_rounds: int = parts.MAX_ROUNDS,
    threads: int | None = None,
) -> Opened:
    """Return the plain file of a protected picture file in memory, after checking all of it.

    Parameters and errors are those of `decrypt_file`, for any scheme with a tag. A picture has the
    format that suits it.
    """
    place = parse_location(path)
    options = RestoreOptions(
        sidecar=sidecar, max_pixels=max_pixels, max_rounds=max_rounds, threads=threads
    )
    restored = steps.restore(Route(place, None, ""), key, steps.tagged_choice, options)
    if not isinstance(restored.found, images.PictureRecord):
        name = f"{plain_stem(place)}.jpg"
        return Opened(name=name, type="image/jpeg", content=restored.found.plain)
    said = restored.said
    if said.file is not None:
        content: Buffer = images.extract(said.picture.pixels, said.file)
        return Opened(name=said.file.name, type=said.file.type, content=content)
    chosen = images.default_format(said.picture)
    name = f"{plain_stem(place)}{images.suffix_of(chosen)}"
    content = b"".join(images.picture_parts(said.picture, chosen, compress=1, threads=threads))
    return Opened(name=name, type=images.media_type(content, name), content=content)


def _blank(header: Header) -> Picture:
    """Return the picture that an authentic header describes, its samples all zero in no memory."""
    if header.encrypted_metadata is not None:
        return Picture(frames=images.blank_frames(header.encrypted_metadata), format="")
    pixels = np.broadcast_to(np.zeros((), dtype=header.dtype), header.shape)
    try:
        return Picture.plain(pixels, format="")
    except InvalidImageError:  # the header of an array that no picture can hold
        raise DecryptionError from None
