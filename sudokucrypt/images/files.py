"""Read image files, whose format is detected from their content, and write files without loss."""

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from sudokucrypt import remote
from sudokucrypt.errors import (
    FormatError,
    InvalidImageError,
    InvalidParameterError,
    MissingInputError,
    SudokucryptError,
    UnsupportedError,
    format_reason,
    make_version_error,
)
from sudokucrypt.images import driver as formats
from sudokucrypt.images.driver import HEADER_START, Driver, Source, Writer, find_header_fault
from sudokucrypt.images.header_rows import make_header_rows, remove_header_rows
from sudokucrypt.images.picture import Picture, require_picture
from sudokucrypt.remote import Url
from sudokucrypt.storage import FileStatus, Location, parse_location
from sudokucrypt.typing import AnyArray, Buffer

MAX_PIXELS: Final = 2**27
"""The largest number of pixels that are decoded by default: 134 megapixels."""

FILE_LIMIT: Final = 4 * 2**30
"""The largest number of bytes that are read from a file into memory."""

# Formats in which only earlier versions wrote results.
_EARLIER_RESULT_FORMATS: Final = ("WebP", "GIF")
_MAX_PROFILE_BYTES: Final = 2**20  # bytes; Pillow refuses a PNG with a longer color profile


def read_picture(path: str | os.PathLike[str] | Url, *, max_pixels: int = MAX_PIXELS) -> Picture:
    """Read an image file in any format of `drivers`; its suffix does not matter.

    Neither orientation nor color profile is applied.

    Parameters
    ----------
    path : path
        The file.
    max_pixels : int, default 134217728
        The largest number of pixels that are decoded. Their samples may take four bytes a pixel.


    Raises
    ------
    InvalidImageError
        If the file is missing, unreadable, damaged, too large or no picture.
    UnsupportedError
        If it is a picture of a kind whose samples would have to be converted.
    FormatError
        If it has several headers, or a header in a form that we do not write.
    """
    return decode_picture(read_file(parse_location(path)), str(path), max_pixels=max_pixels)


def decode_picture(
    data: bytes, name: str = "the picture", *, max_pixels: int = MAX_PIXELS
) -> Picture:
    """Return the picture in the bytes of an image file, as `read_picture` returns it.

    Parameters
    ----------
    data : bytes
        The content of the file.
    name : str, default "the picture"
        The name of the file in messages.
    max_pixels : int, default 134217728
        The largest number of pixels that are decoded. Their samples may take four bytes a pixel.
    """
    source = Source(data, name, max_pixels)
    driver, decode = find_reader(source)
    _require_current_format(driver, data)
    with convert_memory_errors(name):
        return remove_header_rows(decode(source))


@contextmanager
def convert_memory_errors(name: str) -> Iterator[None]:
    """Return a context that turns `MemoryError` into `InvalidImageError`.

    Parameters
    ----------
    name : str
        The name of the picture in messages.
    """
    try:
        yield
    except MemoryError as error:
        raise InvalidImageError(f"not enough memory to decode '{name}'") from error


def decode_redacted_png(
    data: bytes, name: str = "the picture", *, max_pixels: int = MAX_PIXELS
) -> tuple[Picture, bool]:
    """Return the picture in a redacted PNG in the form that version 1.1 authenticated.

    For a PNG that this version writes, these are its samples. The second result is whether a PNG
    that this version writes could not contain these samples. Errors are those of `decode_picture`.

    Parameters
    ----------
    data : bytes
        The content of a redacted PNG.
    name : str, default "the picture"
        The name of the file in messages.
    max_pixels : int, default 134217728
        The largest number of pixels that are decoded. Their samples may take four bytes a pixel.
    """
    from sudokucrypt.images.png import file as png

    return png.decode_redacted_png(Source(data, name, max_pixels))


def extract_header(
    data: bytes, name: str = "the picture", *, max_pixels: int = MAX_PIXELS
) -> bytes | None:
    """Return the header in the bytes of an image file, or None if there is no header.

    No sample is decoded, so damaged samples are not noticed.

    Parameters
    ----------
    data : bytes
        The content of the file.
    name : str, default "the picture"
        The name of the file in messages.
    max_pixels : int, default 134217728
        The largest number of pixels that are decoded. Their samples may take four bytes a pixel.


    Raises
    ------
    InvalidImageError, UnsupportedError, FormatError
        As `decode_picture`, except for damage in bytes that are not read.
    """
    source = Source(data, name, max_pixels)
    driver, _ = find_reader(source)
    if driver.extract_header is not None:
        return driver.extract_header(source)
    _require_current_format(driver, data)
    return None  # no result is written in this format


def _require_current_format(driver: Driver, data: bytes) -> None:
    """Raise `UnsupportedVersionError` for a result in a format that only earlier versions wrote."""
    if driver.name in _EARLIER_RESULT_FORMATS and HEADER_START in data:
        raise make_version_error(f"a {driver.name} result")


# The title of the HTML pages of this package, and the number of first bytes that contain it.
_PAGE_TITLE, _TITLE_SEARCH_BYTES = b"<title>sudokucrypt</title>", 2048
_ZIP_START = b"PK\3\4"  # the start of a zip file, in which the page saves several results


def find_reader(source: Source) -> tuple[Driver, Callable[[Source], Picture]]:
    """Return the format of a file and its decoder; raise an error if the file cannot be read."""
    data, name = source.data, source.name
    driver = formats.known_format(data)
    if (
        driver is None
        and data[:_TITLE_SEARCH_BYTES].startswith(b"<!doctype html>")
        and _PAGE_TITLE in data[:_TITLE_SEARCH_BYTES]
    ):
        raise InvalidImageError(
            f"'{name}' is an album or another page of this package",
            hint="open it in a browser; if you lost its passphrase, see docs/howto/lost.md",
        )
    if driver is None:
        reason = "is not a picture" if data else "is empty"
        *other_formats, last_format = formats.readable_formats()
        unzip_hint = "unpack a zip file first; " if data.startswith(_ZIP_START) else ""
        raise InvalidImageError(
            f"'{name}' {reason}",
            hint=f"{unzip_hint}{', '.join(other_formats)} and {last_format} files can be read",
        )
    if driver.decode is None:
        article = "an" if driver.message_name[0] in "AEIOU" else "a"
        raise source.refuse_kind(f"{article} {driver.message_name} file")
    return driver, driver.decode


def read_file(path: Location) -> bytes:
    """Return the content of a regular file of at most `FILE_LIMIT` bytes.

    Raises `InvalidImageError` for a larger file, and for pipes and devices, on which reading could
    wait for ever.

    Parameters
    ----------
    path : path
        The file.
    """
    return read_file_status(path)[0]


def read_file_status(path: Location) -> tuple[bytes, FileStatus]:
    """Return the content of a file, as `read_file` does, and the time and permissions of the file.

    Parameters
    ----------
    path : path
        The file.
    """
    if isinstance(path, Url):
        try:
            data, modification_time = remote.read(path, limit=FILE_LIMIT)
        except OSError as error:
            raise unreadable(path, error) from error
        return data, FileStatus(time=modification_time)
    with guard_regular_file(path) as size:
        status = FileStatus.from_path(path)
        # The call is limited to the size, since a limit of 4 GiB may make it reserve 4 GiB.
        with os.fdopen(open_regular_file(path), "rb") as file:
            data = file.read(size + 1)
        if len(data) != size or FileStatus.from_path(path).time != status.time:
            raise InvalidImageError(
                f"'{path}' changed while it was read", hint="try again when no program writes it"
            )
        return data, status


@contextmanager
def guard_regular_file(path: Path, limit: int | None = FILE_LIMIT) -> Iterator[int]:
    """Yield the size of a regular file in bytes.

    Raises `InvalidImageError` if the file cannot be read or has more than `limit` bytes. Errors of
    the system inside the context become `InvalidImageError` too.

    Parameters
    ----------
    path : Path
        The file.
    limit : int, optional
        The largest size in bytes, 0 or more; by default `FILE_LIMIT`, and None for no limit.
    """
    try:
        status = path.stat()
        _require_regular_file(path, status)
        if limit is not None and status.st_size > limit:
            raise InvalidImageError(
                f"'{path}' has {status.st_size} bytes, more than the limit of {limit}"
            )
        yield status.st_size
    except SudokucryptError:
        raise
    except OSError as error:
        raise unreadable(path, error) from error
    except ValueError as error:
        raise InvalidImageError(f"{str(path)!r} is not the name of a file") from error


def open_regular_file(path: Path) -> int:
    """Open a regular file inside the context of `guard_regular_file`, and return its descriptor.

    If a pipe has replaced the file, an error is raised without waiting for the pipe.

    Parameters
    ----------
    path : Path
        The file.
    """
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, flags)
    try:
        _require_regular_file(path, os.fstat(descriptor))
    except InvalidImageError:
        os.close(descriptor)
        raise
    return descriptor


def _require_regular_file(path: Path, status: os.stat_result) -> None:
    """Raise `InvalidImageError` for folders, pipes and devices."""
    if stat.S_ISDIR(status.st_mode):
        raise InvalidImageError(f"'{path}' is a folder, not a picture")
    if not stat.S_ISREG(status.st_mode):
        raise InvalidImageError(
            f"'{path}' is not a regular file",
            hint="copy its content to a file first",
            hint_key="pipe",
        )


def unreadable(path: Location | str, error: OSError) -> InvalidImageError:
    """Return the error for an input that the operating system cannot read.

    Parameters
    ----------
    path : path, URL or str
        The input, whose name is in the message.
    error : OSError
        The error of the system.
    """
    kind = MissingInputError if isinstance(error, FileNotFoundError) else InvalidImageError
    return kind(f"cannot read '{path}': {format_reason(error)}")


def encode_picture(
    picture: Picture,
    format: str,  # noqa: A002 - the word for it everywhere in this package
    *,
    compress: int = 0,
) -> bytes:
    """Return the bytes of a file from which `decode_picture` gets the same samples and header.

    Metadata that the format cannot contain are left out; `lost_metadata` names them.

    Raises `InvalidImageError` if the samples are no picture, `UnsupportedError` if the format is
    unknown or cannot contain the picture exactly, `InvalidParameterError` if `compress` is out of
    range, and `FormatError` if the header is invalid.

    Parameters
    ----------
    picture : Picture
        The picture.
    format : str
        The name of the format, such as "PNG" or "TIFF".
    compress : int, default 0
        The level of compression of PNG, 0..9: 0 stores the samples, which is best for noise; 9 is
        slowest.

    Examples
    --------
    >>> import numpy as np
    >>> from sudokucrypt.images import Picture
    >>> encode_picture(Picture.plain(np.zeros((3, 4), dtype=np.uint16)), "PNG")[1:4]
    b'PNG'
    """
    return b"".join(picture_parts(picture, format, compress=compress))


def picture_parts(
    picture: Picture,
    format: str,  # noqa: A002 - as above
    *,
    compress: int = 0,
    threads: int | None = None,
) -> Iterable[Buffer]:
    """Return the bytes that `encode_picture` returns as parts, to be written in sequence.

    The parts are made when they are requested, by several `threads` where the format allows that.

    Parameters
    ----------
    picture : Picture
        The picture.
    format : str
        The name of the format, such as "PNG" or "TIFF".
    compress : int, default 0
        The level of compression of PNG, 0..9: 0 stores the samples, which is best for noise; 9 is
        slowest.
    threads : int, optional
        The number of threads that share the work, 1..1024; by default one for each core. The bytes
        never depend on it.
    """
    if compress not in range(10):
        raise InvalidParameterError(f"compress must be an integer in 0..9, not {compress!r}")
    if picture.header is not None and (reason := find_header_fault(picture.header)):
        raise FormatError(f"a header cannot be stored: {reason}")
    require_picture(picture.pixels)
    if reason := find_unsupported_reason(picture, format):
        raise UnsupportedError(
            f"{format} cannot hold {reason}", hint=f"write {default_format(picture)}"
        )
    picture = replace(picture, pixels=_make_native_pixels(picture.pixels))
    header_rows = make_header_rows(picture) if picture.header_rows else picture.pixels[:0]
    return _get_writer(format).encode(picture, header_rows, compress, threads)


def find_unsupported_reason(picture: Picture, format: str) -> str | None:  # noqa: A002 - as above
    """Return the first property of a picture that a format cannot store exactly, or None.

    Parameters
    ----------
    picture : Picture
        The picture.
    format : str
        The name of the format, such as "PNG" or "TIFF".
    """
    return next(_get_writer(format).unsupported_reasons(picture), None)


def lost_metadata(picture: Picture, format: str) -> tuple[str, ...]:  # noqa: A002 - as above
    """Return the names of the metadata of a picture that a format cannot contain.

    Parameters
    ----------
    picture : Picture
        The picture.
    format : str
        The name of the format, such as "PNG" or "TIFF".
    """
    return _get_writer(format).lost_metadata(picture)


def default_format(picture: Picture) -> str:
    """Return the format that suits a picture best, PNG or TIFF.

    It is PNG if PNG can contain all of the picture, otherwise TIFF if TIFF can, and otherwise the
    first of both that loses only metadata. A picture of another format whose color profile is too
    long for Pillow to read from a PNG becomes a TIFF.

    Parameters
    ----------
    picture : Picture
        The picture.
    """
    default, fallback_format = formats.writable_formats()
    profile = picture.metadata.icc or b""
    if picture.format != default and len(profile) > _MAX_PROFILE_BYTES:
        return fallback_format
    first_suitable_format = None
    for name in (default, fallback_format):  # the second format is examined only if needed
        if find_unsupported_reason(picture, name) is None:
            if not lost_metadata(picture, name):
                return name
            first_suitable_format = first_suitable_format or name
    return first_suitable_format or fallback_format


def get_suffix(format: str) -> str:  # noqa: A002 - as above
    """Return the suffix of written files of a format, or raise `UnsupportedError`.

    Parameters
    ----------
    format : str
        The name of the format, such as "PNG" or "TIFF".
    """
    if format not in formats.FORMATS:
        raise _make_writing_error(format)
    return formats.FORMATS[format].suffixes[0]


def output_format(path: Location) -> str:
    """Return the format that the suffix of an output file asks for, or raise `UnsupportedError`.

    Parameters
    ----------
    path : path
        The output file.
    """
    suffix = path.suffix.lower()
    driver = formats.find_driver(suffix)
    if driver is not None and driver.writer is not None:
        return driver.name
    problem = f"suffix {suffix} is not known" if suffix else "its name has no suffix"
    if driver is not None:
        problem = f"{driver.message_name} files are only read"
        if driver.lossy:
            problem = (
                f"{driver.message_name} is lossy, and a picture whose samples change "
                "cannot be restored"
            )
    writable_drivers = (
        format_driver for format_driver in formats.drivers() if format_driver.writer is not None
    )
    known_suffixes = [
        suffix for format_driver in writable_drivers for suffix in format_driver.suffixes
    ]
    raise UnsupportedError(
        f"'{path}' cannot be written: {problem}",
        hint=f"use one of the suffixes {', '.join(known_suffixes)}",
    )


def _get_writer(name: str) -> Writer:
    driver = formats.FORMATS.get(name)
    if driver is None or driver.writer is None:
        raise _make_writing_error(name)
    return driver.writer


def _make_writing_error(name: str) -> UnsupportedError:
    return UnsupportedError(
        f"pictures cannot be written as {name}",
        hint=f"use {', '.join(formats.writable_formats())}",
    )


def _make_native_pixels(pixels: AnyArray) -> AnyArray:
    """Return a contiguous array of the same samples in native byte order."""
    native_pixels = np.ascontiguousarray(pixels, dtype=pixels.dtype.newbyteorder("="))
    # In NumPy an axis of length 1 may have any stride, and some strides break codecs; reshaping
    # resets the stride.
    return native_pixels.reshape(-1).reshape(native_pixels.shape)
