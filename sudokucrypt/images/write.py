"""Writing an image file that gives back every sample and the header."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from sudokucrypt.errors import InvalidParameterError, UnsupportedError
from sudokucrypt.images.description import READABLE_FIELDS
from sudokucrypt.images.driver import Writer
from sudokucrypt.images.header import require_storable
from sudokucrypt.images.metadata import Metadata
from sudokucrypt.images.picture import Frame, Picture, require_picture
from sudokucrypt.images.readable import readable_copy
from sudokucrypt.images.registry import driver_of, drivers, writable_formats
from sudokucrypt.typing import AnyArray, Buffer

_USUAL: Final = "PNG"
"""What everything opens."""
_WIDEST: Final = "TIFF"
"""What holds nearly every still."""


def encode_picture(
    picture: Picture,
    format: str,  # noqa: A002 - the word for it everywhere in this package
    *,
    compress: int = 0,
) -> bytes:
    """Return the bytes of an image file.

    Parameters
    ----------
    picture : Picture
        What to write; arrays may have any byte order. Metadata that the format cannot hold are
        left out; `leftover` returns them.
    format : str
        What to write, one of `writable_formats`.
    compress : int, optional
        How hard PNG tries to save space, 0..9; 0 stores the samples as they are, which is best
        for noise. Other formats take no notice.

    Returns
    -------
    bytes
        A file from which `decode_picture` gets the same frames and the same header.

    Raises
    ------
    InvalidImageError
        If a frame is not a picture.
    InvalidParameterError
        If `compress` is not in 0..9.
    UnsupportedError
        If the format is unknown or cannot hold this picture exactly.
    FormatError
        If the header could not be read back.

    Examples
    --------
    >>> import numpy as np
    >>> from sudokucrypt.images import Picture
    >>> data = encode_picture(Picture.plain(np.zeros((3, 4), dtype=np.uint16)), "PNG")
    >>> data[1:4]
    b'PNG'
    """
    return b"".join(picture_parts(picture, format, compress=compress))


def picture_parts(
    picture: Picture,
    format: str,  # noqa: A002 - as above
    *,
    compress: int = 0,
) -> Iterable[Buffer]:
    """Return what `encode_picture` returns in parts, to be written one after the other."""
    if compress not in range(10):
        raise InvalidParameterError(f"compress must be an integer in 0..9, not {compress!r}")
    if picture.header is not None:
        require_storable(picture.header)
    for frame in picture.frames:
        require_picture(frame.pixels)
    if reason := obstacle(picture, format):
        raise UnsupportedError(
            f"{format} cannot hold {reason}", hint=f"write {default_format(picture)}"
        )
    frames = tuple(replace(frame, pixels=_native(frame.pixels)) for frame in picture.frames)
    return _writer(format).encode(replace(picture, frames=frames), compress)


def obstacle(picture: Picture, format: str) -> str | None:  # noqa: A002 - as above
    """Tell what of a picture a format cannot hold exactly, or return none."""
    return _writer(format).obstacle(picture)


def leftover(frame: Frame, format: str, *, header: bool) -> Metadata:  # noqa: A002 - as above
    """Return what of a frame's metadata a format cannot hold, perhaps beside our header."""
    return _writer(format).leftover(frame, header=header)


def readable_metadata(frame: Frame, format: str) -> Metadata:  # noqa: A002 - as above
    """Return what viewers may read of a frame's metadata, as far as a format holds it exactly."""
    copy = _writer(format).readable(readable_copy(frame.metadata))
    lost = leftover(replace(frame, metadata=copy), format, header=True)
    return copy.without(name for name in READABLE_FIELDS if getattr(lost, name))


def default_format(picture: Picture) -> str:
    """Return the format that suits a picture best.

    An animation stays what it is. Anything else becomes the first of PNG, its own format and TIFF
    that can hold all of it, or else all but some metadata.
    """
    writable = writable_formats()
    if picture.format in writable and picture.animation is not None:
        return picture.format
    formats = [name for name in (_USUAL, picture.format, _WIDEST) if name in writable]
    able = [name for name in formats if obstacle(picture, name) is None]
    for name in able:
        if not any(leftover(frame, name, header=False) for frame in picture.frames):
            return name
    return able[0] if able else _WIDEST


def suffix_of(format: str) -> str:  # noqa: A002 - as above
    """Return the suffix that files of a format get."""
    return next(driver.suffixes[0] for driver in drivers() if driver.name == format)


def output_format(path: Path) -> str:
    """Return the format that the suffix of an output file asks for.

    Raises
    ------
    UnsupportedError
        If the suffix is unknown, or stands for a format that does not keep every sample.
    """
    suffix = path.suffix.lower()
    driver = driver_of(suffix)
    if driver is not None and driver.writer is not None:
        return driver.name
    problem = f"suffix {suffix} is not known" if suffix else "its name has no suffix"
    if driver is not None:
        problem = f"{driver.called} files are only read"
        if driver.lossy:
            problem = (
                f"{driver.called} is lossy, and a picture whose samples change cannot be restored"
            )
    known = [suffix for each in drivers() if each.writer for suffix in each.suffixes]
    raise UnsupportedError(
        f"'{path}' cannot be written: {problem}", hint=f"use one of the suffixes {', '.join(known)}"
    )


def _writer(name: str) -> Writer:
    for driver in drivers():
        if driver.name == name and driver.writer is not None:
            return driver.writer
    raise UnsupportedError(
        f"pictures cannot be written as {name}", hint=f"use {', '.join(writable_formats())}"
    )


def _native(pixels: AnyArray) -> AnyArray:
    """Return the samples in C order and native byte order."""
    native = np.ascontiguousarray(pixels, dtype=pixels.dtype.newbyteorder("="))
    # NumPy lets a side of one pixel have any stride, and codecs trip over it; reshaping resets it.
    return native.reshape(-1).reshape(native.shape)
