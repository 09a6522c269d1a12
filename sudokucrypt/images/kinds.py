"""What can be told of a file without decoding it: its type, how it was coded, the header in it."""

import re
from pathlib import PurePath
from typing import Final

from sudokucrypt import remote
from sudokucrypt.errors import SudokucryptError
from sudokucrypt.images import registry
from sudokucrypt.images.files import MAX_PIXELS, header_of, read_file, regular
from sudokucrypt.images.source import Source
from sudokucrypt.remote import Url
from sudokucrypt.storage import Location

_SIGNATURE_LENGTH: Final = 64
_NAME = r"[a-z0-9][a-z0-9.+-]{0,63}"
_MEDIA_TYPE = re.compile(f"{_NAME}/{_NAME}")
_COMPRESSED: Final = {
    "gzip": "application/gzip",
    "bzip2": "application/x-bzip2",
    "xz": "application/x-xz",
}
"""Media types of what Python knows as an encoding of something else."""


def may_be_picture(path: Location) -> bool:
    """Return whether a file begins or is named like a picture, or cannot be opened to see."""
    if isinstance(path, Url):
        return bool(registry.driver_of(path.suffix.lower())) or _begins_like_one(path)
    try:
        if not path.is_file():
            return False
        if registry.driver_of(path.suffix.lower()):  # be it damaged from the first byte on
            return True
        with path.open("rb") as file:
            start = file.read(_SIGNATURE_LENGTH)
    except OSError:
        return True
    return registry.known_format(start) is not None


def _begins_like_one(url: Url) -> bool:
    try:
        start = remote.beginning(url, _SIGNATURE_LENGTH)
    except OSError:
        return True
    return registry.known_format(start) is not None


def coded_lossily(data: bytes) -> str | None:
    r"""Return what messages call the format of a file if lossy coding made its samples, or none.

    Parameters
    ----------
    data : bytes
        A whole file of any kind. Nothing of it is decoded, and no error is raised.

    Examples
    --------
    >>> coded_lossily(b"\xff\xd8\xff")
    'JPEG'
    """
    driver = registry.known_format(data)
    if driver is None:
        return None
    lossy = driver.lossy
    if driver.coded_lossily is not None:
        try:
            lossy = driver.coded_lossily(Source(data, "the file", 0))
        except SudokucryptError:  # it is damaged
            lossy = False
    return driver.called if lossy else None


def media_type(data: bytes, name: str) -> str | None:
    """Return the media type of a file: what its content says, or else its name.

    Parameters
    ----------
    data : bytes
        Its content.
    name : str
        What it is called; only the last suffix counts.

    Returns
    -------
    str or None
        In lower case, without parameters; none if it is not known.

    Examples
    --------
    >>> media_type(b"%PDF-1.7", "letter.PDF")
    'application/pdf'
    """
    from mimetypes import MimeTypes

    driver = registry.known_format(data)
    media = driver.media_type if driver is not None else ""
    if not media:
        # The settings of this machine are not asked.
        by_name, encoding = MimeTypes().guess_type("x" + PurePath(name).suffix)
        media = by_name or _COMPRESSED.get(encoding or "", "")
    return media if _MEDIA_TYPE.fullmatch(media) else None


def stored_header(path: Location, *, max_pixels: int = MAX_PIXELS) -> bytes | None:
    """Return the header in an image file, with as little work as its format allows.

    No sample is decoded, as in `header_of`; of a PNG on disk little more than its header is read.

    Raises
    ------
    InvalidImageError, UnsupportedError, FormatError
        As `read_picture` does.
    """
    from sudokucrypt.images.png import file as png
    from sudokucrypt.images.png.chunks import SIGNATURE

    if isinstance(path, Url):
        return header_of(read_file(path), str(path), max_pixels=max_pixels)
    with regular(path) as size, path.open("rb", buffering=0) as file:
        start = file.read(len(SIGNATURE))
        if start == SIGNATURE:
            return png.header_in(Source(b"", str(path), max_pixels), file, size)
    return header_of(read_file(path), str(path), max_pixels=max_pixels)
