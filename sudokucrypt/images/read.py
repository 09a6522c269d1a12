"""Reading an image file of any format, recognised by content and not by name."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING, Final

from sudokucrypt.errors import InvalidImageError
from sudokucrypt.images.registry import driver_of, drivers, readable_formats
from sudokucrypt.images.source import Source
from sudokucrypt.storage import read_limited

if TYPE_CHECKING:
    from pathlib import Path

    from sudokucrypt.images.picture import Picture

MAX_PIXELS: Final = 2**27
"""Most pixels that are decoded unless the caller allows more; 134 megapixels."""

FILE_LIMIT: Final = 4 * 2**30
"""Most bytes of a file that are read."""

_SIGNATURE_LENGTH: Final = 64


def read_picture(path: Path, *, max_pixels: int = MAX_PIXELS) -> Picture:
    """Read an image file.

    Parameters
    ----------
    path : Path
        A file of any of the `drivers`, whatever its suffix says.
    max_pixels : int, optional
        Most pixels that are decoded; their samples may take four bytes each on average.

    Returns
    -------
    Picture
        The exact samples; neither orientation nor color profile is applied.

    Raises
    ------
    InvalidImageError
        If the file is missing, unreadable, damaged, too large or no picture.
    UnsupportedError
        If it is a picture of a kind whose samples would have to be converted.
    FormatError
        If it holds a header that is there twice or not as we write it.
    """
    return decode_picture(_read_file(path), str(path), max_pixels=max_pixels)


def decode_picture(
    data: bytes, name: str = "the picture", *, max_pixels: int = MAX_PIXELS
) -> Picture:
    """Read the bytes of an image file as `read_picture` does.

    Parameters
    ----------
    data : bytes
        The whole file.
    name : str, optional
        What messages call it.
    max_pixels : int, optional
        Most pixels that are decoded.
    """
    source = Source(data, name, max_pixels)
    for driver in drivers():
        if not driver.matches(data):
            continue
        if driver.decode is None:
            raise source.unsupported(f"a {driver.called} file")
        try:
            return driver.decode(source)
        except MemoryError as error:
            raise InvalidImageError(f"not enough memory to decode '{name}'") from error
    reason = "is not a picture" if data else "is empty"
    *most, last = readable_formats()
    raise InvalidImageError(
        f"'{name}' {reason}", hint=f"{', '.join(most)} and {last} files can be read"
    )


def may_be_picture(path: Path) -> bool:
    """Tell whether a file begins or is named like a picture, or cannot be opened to see."""
    try:
        if not path.is_file():
            return False
        if driver_of(path.suffix.lower()):  # be it damaged from the first byte on
            return True
        with path.open("rb") as file:
            start = file.read(_SIGNATURE_LENGTH)
    except OSError:
        return True
    return any(driver.matches(start) for driver in drivers())


def _read_file(path: Path) -> bytes:
    """Return the content of a regular file; reading a pipe could wait for ever."""
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise InvalidImageError(f"'{path}' is a folder, not a picture")
        if not stat.S_ISREG(status.st_mode):
            raise InvalidImageError(
                f"'{path}' is not a regular file", hint="copy its content to a file first"
            )
        if status.st_size > FILE_LIMIT:
            raise InvalidImageError(
                f"'{path}' has {status.st_size} bytes, more than the {FILE_LIMIT} that are read"
            )
        # The size as limit: a reader that is allowed 4 GiB may reserve them.
        return read_limited(path, status.st_size)
    except InvalidImageError:
        raise
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InvalidImageError(f"cannot read '{path}': {reason}") from error
    except ValueError as error:
        raise InvalidImageError(f"{str(path)!r} is not the name of a file") from error
