"""Read the headers of protected files and what is sealed in them, and share the key of one."""

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
    uniform_key_error,
)
from sudokucrypt.recipes.options import MAX_ROUNDS
from sudokucrypt.recipes.protection import ProtectedImage, require_key
from sudokucrypt.recipes.sinks import find_sidecar, read_sidecar
from sudokucrypt.recipes.sources import FileSource, SourceFile
from sudokucrypt.storage import parse_location

if TYPE_CHECKING:
    from sudokucrypt.images import EmbeddedFile
    from sudokucrypt.keys import Identity
    from sudokucrypt.storage import Location, PathName


@dataclass(frozen=True, kw_only=True)
class SealedInfo:
    """What the header of a protected picture file says to anyone who has the key.

    All of it is authentic, since the seal of the header was checked. Whether the samples are what
    they were only restoring the picture shows.
    """

    header: Header  #: The header, with its encrypted_metadata in plain form.
    #: What opens it: the key that was given, or the one derived from the passphrase.
    key: Key | PictureKey
    format: str | None  #: The name of the format that suits the plain picture, if that is sealed.
    shape: tuple[int, ...]  #: (M, N) or (M, N, C), of the plain picture.
    file: EmbeddedFile | None  #: What is known of the file, if the picture is one of a file.
    preview: bytes | None  #: A small picture in WebP form, if one was sealed.


def find_header(path: PathName, *, sidecar: PathName | None = None) -> Header | None:
    """Return the header of a picture file as `read_header` does, or none if it has no header.

    Of a PNG only the header is read, so that this takes milliseconds.
    """
    location = parse_location(path)
    return find_header_beside(location, images.stored_header(location), sidecar)


def find_header_beside(
    source: Location | None, embedded: bytes | None, named: PathName | None
) -> Header | None:
    """Return the header in the sidecar that was named, in that next to the source, or inside."""
    path = find_sidecar(source, named)
    if path is not None:
        return read_sidecar(path)
    return None if embedded is None else Header.from_bytes(embedded)


def read_header(
    source: FileSource | bytes | ProtectedImage,
    *,
    sidecar: PathName | None = None,
    max_pixels: int | None = None,
    undisputed: bool = False,
) -> Header:
    """Return the header of a protected picture file, from its sidecar or from inside.

    The file may be given by its path, as an open binary file or as its bytes; of a result of
    `encrypt` or `scramble`, its header is returned.

    With `undisputed`, no sidecar that was not named may hold another header than the picture.

    Raises `FormatError`, `InvalidImageError` or `UnsupportedError` if there is none, or a damaged
    one, or the file is not a readable picture.
    """
    if isinstance(source, ProtectedImage):
        return source.header
    if isinstance(source, bytes | bytearray | memoryview):
        source = io.BytesIO(source)
    file = SourceFile.read(source)
    # All of the file is read, so that a damaged one is not taken for a plain one.
    embedded = file.decode(max_pixels).header
    # The sidecar counts first, as the specification says; whether it fits only a key shows.
    header = require_header(find_header_beside(file.location, embedded, sidecar), file.name)
    if undisputed and sidecar is None and embedded not in (None, header.to_bytes()):
        raise FormatError(
            f"'{source}' holds another header than the sidecar beside it",
            hint="name the sidecar if it belongs to the picture, else move it away",
        )
    return header


def read_sealed_info(
    path: PathName, key: RestoringKey, *, sidecar: PathName | None = None
) -> SealedInfo:
    """Return what is sealed in the header of a protected picture file, without its samples.

    The sidecar is where the header is, if neither next to the input nor inside it.

    Raises
    ------
    DecryptionError
        If the key is wrong or the header was changed. The samples are not looked at.
    FormatError
        If there is no header, or a damaged one.
    InvalidImageError, UnsupportedError, InvalidParameterError
        If the file is not a readable picture, or asks for more than is allowed.
    """
    info = find_sealed_info(path, key, sidecar=sidecar)
    # Where there is no header, reading all of the file tells damage from a plain picture.
    return info or sealed_info(read_header(path, sidecar=sidecar), key)


def find_sealed_info(
    path: PathName,
    key: RestoringKey,
    *,
    sidecar: PathName | None = None,
    max_rounds: int = MAX_ROUNDS,
) -> SealedInfo | None:
    """Do as `read_sealed_info`, or return None if the only header is in header rows."""
    header = None
    try:
        header = find_header(path, sidecar=sidecar)
        return None if header is None else sealed_info(header, key, max_rounds=max_rounds)
    except operations.HEADER_FAULTS:
        # A sidecar next to the file, which anyone can put there, hides no good header in it.
        embedded = None if sidecar is not None else images.stored_header(parse_location(path))
        if embedded not in (None, header and header.to_bytes()):
            with suppress(*operations.HEADER_FAULTS):
                return sealed_info(Header.from_bytes(embedded), key, max_rounds=max_rounds)
        raise


def sealed_info(
    header: Header,
    key: RestoringKey,
    *,
    max_rounds: int = MAX_ROUNDS,
) -> SealedInfo:
    """Return what is sealed in a header; errors are those of `read_sealed_info`.

    Headers that ask for more than `max_rounds`, 1..255, are refused, as restoring refuses them.
    """
    header = require_header_of_file(header)
    opened = open_header(header, key, max_rounds=max_rounds, threads=1)
    record = opened.record
    return SealedInfo(
        header=opened.header,
        key=opened.key,
        format=record.picture.format or None,
        shape=record.picture.pixels.shape,
        file=record.file,
        preview=record.preview,
    )


def picture_key(key: MasterKey | Identity, header: Header) -> PictureKey:
    """Return the key of the picture with this whole header, to share it; see `Key.for_picture`.

    Raises `DecryptionError` or `FormatError` if the key is wrong or the header was changed, or the
    picture has no key of its own, as under a context.
    """
    require_key(key)
    require_key(key, protecting=True)
    resolved = resolve_key(key, header)
    with uniform_key_error(key):
        if isinstance(resolved, Key):
            return resolved.for_picture(header)
        if not resolved.verifies(header):
            raise DecryptionError
        return resolved
