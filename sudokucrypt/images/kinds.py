"""Facts about a file without decoding all of it: type, coding, header, shape, a small picture."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import PurePath
from typing import TYPE_CHECKING, BinaryIO, Final

from sudokucrypt import remote
from sudokucrypt.errors import SudokucryptError, UnsupportedError, UnsupportedVersionError
from sudokucrypt.images import driver as formats
from sudokucrypt.images.driver import Source
from sudokucrypt.images.files import (
    MAX_PIXELS,
    convert_memory_errors,
    decode_picture,
    extract_header,
    find_reader,
    guard_regular_file,
    open_regular_file,
    read_file,
)
from sudokucrypt.images.header_rows import remove_header_rows
from sudokucrypt.images.picture import Picture, PicturePreview
from sudokucrypt.remote import Url

if TYPE_CHECKING:
    from mimetypes import MimeTypes

    from sudokucrypt.storage import Location

_FIRST_READ_BYTES: Final = (
    4096  # bytes that are read first, to find out whether a file is a picture
)
_SIGNATURE_LENGTH: Final = 64  # every known format is recognized by these first bytes
_PNG_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_TYPE_NAME_PATTERN = r"[a-z0-9][a-z0-9.+-]{0,63}"
_MEDIA_TYPE_PATTERN = re.compile(f"{_TYPE_NAME_PATTERN}/{_TYPE_NAME_PATTERN}")
# Media types of the compressions that Python's `mimetypes` calls encodings.
_COMPRESSION_TYPES: Final = {
    "gzip": "application/gzip",
    "bzip2": "application/x-bzip2",
    "xz": "application/x-xz",
}


def may_be_picture(path: Location) -> bool:
    """Return whether a file begins like a picture or has the suffix of one; True if unreadable.

    Parameters
    ----------
    path : path
        The file.
    """
    if isinstance(path, Url):
        return bool(formats.find_driver(path.suffix.lower())) or _begins_like_picture(path)
    try:
        if not path.is_file():
            return False
        if formats.find_driver(path.suffix.lower()):  # even if it is damaged from the first byte on
            return True
        with path.open("rb") as file:
            file_start = file.read(_SIGNATURE_LENGTH)
    except OSError:
        return True
    return formats.known_format(file_start) is not None


def _begins_like_picture(url: Url) -> bool:
    try:
        file_start = remote.read_beginning(url, _SIGNATURE_LENGTH)
    except OSError:
        return True
    return formats.known_format(file_start) is not None


def may_have_header_rows(data: bytes) -> bool:
    """Return whether a file may have header rows, which only exact formats can store.

    Parameters
    ----------
    data : bytes
        The content of the file.
    """
    driver = formats.known_format(data)
    # Only files of exact formats are decoded before they are authenticated.
    return driver is not None and driver.exact and find_lossy_format(data) is None


def find_lossy_format(data: bytes) -> str | None:
    r"""Return the name of the format of a file that stores its samples with loss, otherwise None.

    No sample is decoded, and no error is raised for any file.

    Parameters
    ----------
    data : bytes
        The content of the file.

    Examples
    --------
    >>> find_lossy_format(b"\xff\xd8\xff")
    'JPEG'
    """
    driver = formats.known_format(data)
    if driver is None:
        return None
    lossy = driver.lossy
    if driver.coded_lossily is not None:
        try:
            lossy = driver.coded_lossily(Source(data, "the file", 0))
        except SudokucryptError:  # a damaged file
            lossy = False
    return driver.message_name if lossy else None


def glance(
    data: bytes, name: str = "the picture", *, side: int, max_pixels: int = MAX_PIXELS
) -> PicturePreview:
    """Return a preview of the only or first picture in a file, of about `side` pixels or more.

    Only a part of the file, or a smaller scale, is decoded where that is possible.

    Parameters
    ----------
    data : bytes
        The content of the file.
    name : str, default "the picture"
        The name of the file in messages.
    side : int
        The length of the longer side in pixels that suffices, 1 or more.
    max_pixels : int, default 134217728
        The largest number of pixels that are decoded. Their samples may take four bytes a pixel.


    Raises
    ------
    InvalidImageError, UnsupportedError
        As `decode_picture`, except for damage in bytes that are not read, and for unsupported
        pictures that Pillow can show.
    """
    driver = formats.known_format(data)
    if driver is not None and driver.glance is not None:
        preview = driver.glance(Source(data, name, max_pixels), side)
        if preview is not None:
            return preview
    try:
        picture = decode_picture(data, name, max_pixels=max_pixels)
    except (UnsupportedError, UnsupportedVersionError):
        if driver is None:
            raise
        from sudokucrypt.images.foreign.adapter import decode_first_picture

        first_picture = decode_first_picture(Source(data, name, max_pixels), driver.name)
        if first_picture is None:
            raise
        picture = first_picture
    rows, columns = picture.pixels.shape[:2]
    return PicturePreview(picture, rows * columns)


def media_type(data: bytes, name: str) -> str | None:
    """Return the media type of a file by its content, or otherwise by its last suffix.

    The type is in lower case, without parameters. None is returned for an unknown type.

    Parameters
    ----------
    data : bytes
        The content of the file.
    name : str
        The name of the file.

    Examples
    --------
    >>> media_type(b"%PDF-1.7", "letter.PDF")
    'application/pdf'
    """
    driver = formats.known_format(data)
    found_media_type = driver.media_type if driver is not None else ""
    if not found_media_type:
        type_by_name, encoding = _make_type_table().guess_type("x" + PurePath(name).suffix)
        found_media_type = type_by_name or _COMPRESSION_TYPES.get(encoding or "", "")
    return found_media_type if _MEDIA_TYPE_PATTERN.fullmatch(found_media_type) else None


@cache  # cached, since creating the table takes a sixth of the time for a small file
def _make_type_table() -> MimeTypes:
    """Return Python's table of media types, without the settings of this machine."""
    from mimetypes import MimeTypes

    return MimeTypes()


class _ShapeProbe(Source):
    """A source that stops a decoder before it reserves memory for the samples."""

    def shape(self, rows: int, columns: int, *_: int, **__: int) -> tuple[int, ...]:
        raise _ShapeReached(rows, columns)


class _ShapeReached(Exception):  # noqa: N818 - no error, but the only way out of any decoder
    """Raised to leave a decoder; its arguments are the rows and columns that the file claims."""


def read_shape(data: bytes, name: str = "the picture") -> tuple[int, int]:
    """Return rows and columns of the picture in the bytes of a file, without decoding a sample.

    Parameters
    ----------
    data : bytes
        The content of the file.
    name : str, default "the picture"
        The name of the file in messages.

    Raises
    ------
    InvalidImageError, UnsupportedError
        As `decode_picture`, except for damage in bytes that are not read.
    """
    probe = _ShapeProbe(data, name, 0)
    _, decode = find_reader(probe)
    try:
        decode(probe)
    except _ShapeReached as reached:
        rows, columns = reached.args
        return rows, columns
    raise probe.report_damage("it holds no picture")


def stored_orientation(data: bytes) -> int:
    """Return the EXIF orientation in a JPEG or PNG, 1..8, without decoding a sample.

    For any other or damaged file, 1 is returned.

    Parameters
    ----------
    data : bytes
        The content of the file.
    """
    from sudokucrypt.images.jpeg.file import read_head_metadata
    from sudokucrypt.images.orientation import read_orientation
    from sudokucrypt.images.png.file import walk_chunks

    source, exif = Source(data, "the picture", 0), None
    try:
        if data.startswith(_PNG_SIGNATURE):
            chunks = walk_chunks(source)
            exif = next((bytes(body) for kind, body in chunks if kind == b"eXIf"), None)
        elif data.startswith(b"\xff\xd8\xff"):
            exif = read_head_metadata(source).exif
    except SudokucryptError:
        exif = None
    return read_orientation(exif)


def stored_header(path: Location, *, max_pixels: int = MAX_PIXELS) -> bytes | None:
    """Return the header in an image file, or None, with as little work as its format allows.

    No sample is decoded. Of a PNG on disk, only the heads of the chunks and the header are read.

    Parameters
    ----------
    path : path
        The file.
    max_pixels : int, default 134217728
        The largest number of pixels that are decoded. Their samples may take four bytes a pixel.


    Raises
    ------
    InvalidImageError, UnsupportedError, FormatError
        As `read_picture`.
    """
    if isinstance(path, Url):
        return extract_header(read_file(path), str(path), max_pixels=max_pixels)
    with (
        guard_regular_file(path, limit=None) as size,
        os.fdopen(open_regular_file(path), "rb", 0) as file,
    ):
        is_known, header = header_in_file(file, size, str(path), max_pixels=max_pixels)
    return header if is_known else extract_header(read_file(path), str(path), max_pixels=max_pixels)


def decode_in_pieces(
    file: BinaryIO, size: int, name: str, *, max_pixels: int = MAX_PIXELS
) -> Picture | None:
    """Return the picture in an open PNG, read in pieces, or None for any other format.

    Errors are those of `decode_picture`.

    Parameters
    ----------
    file : BinaryIO
        The file, open for reading at any position.
    size : int
        Its size in bytes.
    name : str
        The name of the file in messages.
    max_pixels : int
        The largest number of pixels that are decoded, 1 or more; by default `MAX_PIXELS`.
    """
    from sudokucrypt.images.png.streaming import decode_file

    with convert_memory_errors(name):
        picture = decode_file(Source(b"", name, max_pixels), file, size)
        return None if picture is None else remove_header_rows(picture)


def header_in_file(
    file: BinaryIO, size: int, name: str, *, max_pixels: int = MAX_PIXELS
) -> tuple[bool, bytes | None]:
    """Look for the header of an open file without reading the whole file.

    The first result is whether it is known, the second the header, or None if there is no header.
    Errors are those of `extract_header`.

    Parameters
    ----------
    file : BinaryIO
        The file, open for reading at any position.
    size : int
        Its size in bytes.
    name : str
        The name of the file in messages.
    max_pixels : int
        The largest number of pixels that the file may claim, 1 or more; by default `MAX_PIXELS`.
    """
    from sudokucrypt.images.png import file as png

    file.seek(0)
    file_start = file.read(_FIRST_READ_BYTES)
    if file_start.startswith(_PNG_SIGNATURE):
        return True, png.read_header_in_pieces(Source(b"", name, max_pixels), file, size)
    if formats.known_format(file_start) is None:
        find_reader(Source(file_start, name, max_pixels))  # raises the error for an unknown format
    return False, None
