"""Read the headers of protected files with their sealed contents, and make picture keys."""

from __future__ import annotations

import io
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sudokucrypt import images
from sudokucrypt.errors import (
    DecryptionError,
    FormatError,
)
from sudokucrypt.header import Header
from sudokucrypt.keys import Key, MasterKey, PictureKey, RestoringKey
from sudokucrypt.recipes import operations
from sudokucrypt.recipes.opening import (
    open_header,
    require_header,
    require_header_of_file,
    resolve_key,
    unify_key_errors,
)
from sudokucrypt.recipes.options import MAX_ROUNDS
from sudokucrypt.recipes.protection import ProtectedImage, require_key
from sudokucrypt.recipes.sinks import find_sidecar, read_sidecar
from sudokucrypt.recipes.sources import FileSource, SourceFile
from sudokucrypt.storage import parse_location

if TYPE_CHECKING:
    from sudokucrypt.images import EmbeddedFile
    from sudokucrypt.keys import Identity
    from sudokucrypt.storage import Location, LocationLike


@dataclass(frozen=True, kw_only=True)
class SealedInfo:
    """The contents of the header of a protected picture file, opened with its key.

    They are authentic, since the seal of the header was checked. Only restoring the picture shows
    whether its samples were changed.
    """

    header: Header  #: The header, with its encrypted_metadata in plain form.
    #: The key of the caller, or the key derived from the passphrase.
    key: Key | PictureKey
    #: The name of the format that suits the plain picture; None if no format is sealed.
    format: str | None
    shape: tuple[int, ...]  #: The shape of the plain picture: (M, N) or (M, N, C).
    file: EmbeddedFile | None  #: Name, size, time and type of a file that was encrypted as a file.
    preview: bytes | None  #: A small picture in WebP form, if one was sealed.


def find_header(path: LocationLike, *, sidecar: LocationLike | None = None) -> Header | None:
    """Return the header in the sidecar or the metadata of a picture file, or None.

    Of a PNG only the metadata are read, so that this takes milliseconds.
    """
    location = parse_location(path)
    return find_sidecar_or_file_header(location, images.stored_header(location), sidecar)


def find_sidecar_or_file_header(
    source: Location | None, embedded_header: bytes | None, sidecar_name: LocationLike | None
) -> Header | None:
    """Return the header from `sidecar_name`, else a sidecar next to the source, else the file."""
    path = find_sidecar(source, sidecar_name)
    if path is not None:
        return read_sidecar(path)
    return None if embedded_header is None else Header.from_bytes(embedded_header)


def read_header(
    source: FileSource | bytes | ProtectedImage,
    *,
    sidecar: LocationLike | None = None,
    max_pixels: int | None = None,
    undisputed: bool = False,
) -> Header:
    """Return the header of a protected picture file, from its sidecar or from the file itself.

    The source is a path, an open binary file, bytes, or a result of `encrypt` or `scramble`.

    With `undisputed`, a sidecar next to the file must not have another header than the file.

    Raises `FormatError`, `InvalidImageError` or `UnsupportedError` if there is no header, or it is
    damaged, or the file is not a readable picture.
    """
    if isinstance(source, ProtectedImage):
        return source.header
    if isinstance(source, bytes | bytearray | memoryview):
        source = io.BytesIO(source)
    file = SourceFile.read(source)
    # All of the file is decoded, so that a damaged file is not mistaken for a plain one.
    embedded_header = file.decode(max_pixels).header
    # The specification gives the sidecar priority; only a key shows whether the sidecar fits.
    header = require_header(
        find_sidecar_or_file_header(file.location, embedded_header, sidecar), file.name
    )
    if undisputed and sidecar is None and embedded_header not in (None, header.to_bytes()):
        raise FormatError(
            f"'{source}' contains a header that differs from the sidecar next to it",
            hint="name the sidecar if it belongs to the picture, else move it away",
        )
    return header


def read_sealed_info(
    path: LocationLike, key: RestoringKey, *, sidecar: LocationLike | None = None
) -> SealedInfo:
    """Return the sealed contents of the header of a protected picture file, without its samples.

    `sidecar` is the file with the header, if that is neither in the picture nor next to it.

    Raises
    ------
    DecryptionError
        If the key is wrong or the header was changed. The samples are not checked.
    FormatError
        If there is no header, or it is damaged.
    InvalidImageError, UnsupportedError, InvalidParameterError
        If the file is not a readable picture, or needs more rounds or a costlier derivation than is
        allowed.
    """
    info = find_sealed_info(path, key, sidecar=sidecar)
    # If neither sidecar nor metadata has a header, all of the file is read, to find a header in
    # rows below the picture, or to distinguish a damaged picture from a plain one.
    return info or open_sealed_info(read_header(path, sidecar=sidecar), key)


def find_sealed_info(
    path: LocationLike,
    key: RestoringKey,
    *,
    sidecar: LocationLike | None = None,
    max_rounds: int = MAX_ROUNDS,
) -> SealedInfo | None:
    """Return the result of `read_sealed_info`, or None if sidecar and metadata have no header."""
    header = None
    try:
        header = find_header(path, sidecar=sidecar)
        return None if header is None else open_sealed_info(header, key, max_rounds=max_rounds)
    except operations.HEADER_ERRORS:
        # The sidecar next to the file may be wrong, as anyone can put one there.
        embedded_header = (
            None if sidecar is not None else images.stored_header(parse_location(path))
        )
        if embedded_header not in (None, header and header.to_bytes()):
            with suppress(*operations.HEADER_ERRORS):
                return open_sealed_info(
                    Header.from_bytes(embedded_header), key, max_rounds=max_rounds
                )
        raise


def open_sealed_info(
    header: Header,
    key: RestoringKey,
    *,
    max_rounds: int = MAX_ROUNDS,
) -> SealedInfo:
    """Return the sealed contents of a header; it raises the same errors as `read_sealed_info`.

    A header with more than `max_rounds` rounds, 1..255, is refused.
    """
    header = require_header_of_file(header)
    opened_header = open_header(header, key, max_rounds=max_rounds, threads=1)
    record = opened_header.record
    return SealedInfo(
        header=opened_header.header,
        key=opened_header.key,
        format=record.picture.format or None,
        shape=record.picture.pixels.shape,
        file=record.file,
        preview=record.preview,
    )


def picture_key(key: MasterKey | Identity, header: Header) -> PictureKey:
    """Return the picture key for the complete header of a picture, to share only this picture.

    Raises `DecryptionError` or `FormatError` if the key is wrong, the header was changed, or the
    picture has no picture key, because it was scrambled under a context. See `Key.for_picture`.
    """
    require_key(key)
    require_key(key, must_protect=True)
    resolved_key = resolve_key(key, header)
    with unify_key_errors(key):
        if isinstance(resolved_key, Key):
            return resolved_key.for_picture(header)
        if not resolved_key.verifies(header):
            raise DecryptionError
        return resolved_key
