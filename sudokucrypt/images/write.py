"""Writing an image file that gives back every sample and the header."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from sudokucrypt.errors import InvalidParameterError, UnsupportedError
from sudokucrypt.images import gif, png, tiff, webp
from sudokucrypt.images.description import READABLE_FIELDS
from sudokucrypt.images.header import require_storable
from sudokucrypt.images.picture import require_picture
from sudokucrypt.images.readable import readable_copy

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from sudokucrypt.images.metadata import Metadata
    from sudokucrypt.images.picture import Frame, Picture
    from sudokucrypt.typing import AnyArray, Buffer


class _Writer(Protocol):
    """What the module of a format offers."""

    def obstacle(self, picture: Picture) -> str | None: ...
    def leftover(self, frame: Frame, *, header: bool) -> Metadata: ...
    def encode(self, picture: Picture, compress: int) -> Iterable[Buffer]: ...


_WRITERS: Final[dict[str, _Writer]] = {"PNG": png, "TIFF": tiff, "WebP": webp, "GIF": gif}
_SUFFIXES = {".png": "PNG", ".tiff": "TIFF", ".tif": "TIFF", ".webp": "WebP", ".gif": "GIF"}
_LOSSY_SUFFIXES = {
    **dict.fromkeys((".jpg", ".jpeg", ".jpe", ".jfif"), "JPEG"),
    **dict.fromkeys((".jp2", ".j2k", ".jpx", ".jpf"), "JPEG 2000"),
    **dict.fromkeys((".heic", ".heif"), "HEIF"),
    ".avif": "AVIF",
    ".jxl": "JPEG XL",
}


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
        left out; `leftover` tells which.
    format : {"PNG", "TIFF", "WebP", "GIF"}
        What to write.
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
    return _WRITERS[format].encode(replace(picture, frames=frames), compress)


def obstacle(picture: Picture, format: str) -> str | None:  # noqa: A002 - as above
    """Tell what of a picture a format cannot hold exactly, or return none."""
    return _writer(format).obstacle(picture)


def leftover(frame: Frame, format: str, *, header: bool) -> Metadata:  # noqa: A002 - as above
    """Return what of a frame's metadata a format cannot hold, perhaps beside our header."""
    return _writer(format).leftover(frame, header=header)


def readable_metadata(frame: Frame, format: str) -> Metadata:  # noqa: A002 - as above
    """Return what viewers may read of a frame's metadata, as far as a format holds it exactly."""
    copy = readable_copy(frame.metadata)
    if format == tiff.FORMAT:
        copy = replace(copy, exif=tiff.page_exif(copy.exif))
    lost = leftover(replace(frame, metadata=copy), format, header=True)
    return copy.without(name for name in READABLE_FIELDS if getattr(lost, name))


def default_format(picture: Picture) -> str:
    """Return the format that suits a picture best.

    An animation stays what it is. Anything else becomes the first of PNG, its own format and TIFF
    that can hold all of it, or else all but some metadata.
    """
    if picture.format in _WRITERS and picture.animation is not None:
        return picture.format
    formats = [name for name in (png.FORMAT, picture.format, tiff.FORMAT) if name in _WRITERS]
    able = [name for name in formats if obstacle(picture, name) is None]
    for name in able:
        if not any(leftover(frame, name, header=False) for frame in picture.frames):
            return name
    return able[0] if able else tiff.FORMAT


def suffix_of(format: str) -> str:  # noqa: A002 - as above
    """Return the suffix that files of a format get."""
    return next(suffix for suffix, name in _SUFFIXES.items() if name == format)


def output_format(path: Path) -> str:
    """Return the format that the suffix of an output file asks for.

    Raises
    ------
    UnsupportedError
        If the suffix is unknown, or stands for a format that does not keep every sample.
    """
    suffix = path.suffix.lower()
    hint = f"use one of the suffixes {', '.join(_SUFFIXES)}"
    if suffix in _LOSSY_SUFFIXES:
        raise UnsupportedError(
            f"'{path}' cannot be written: {_LOSSY_SUFFIXES[suffix]} is lossy, and a picture whose "
            "samples change cannot be restored",
            hint=hint,
        )
    if suffix not in _SUFFIXES:
        problem = f"suffix {suffix} is not known" if suffix else "its name has no suffix"
        raise UnsupportedError(f"'{path}' cannot be written: {problem}", hint=hint)
    return _SUFFIXES[suffix]


def _writer(name: str) -> _Writer:
    if name not in _WRITERS:
        raise UnsupportedError(
            f"pictures cannot be written as {name}", hint=f"use {', '.join(_WRITERS)}"
        )
    return _WRITERS[name]


def _native(pixels: AnyArray) -> AnyArray:
    """Return the samples in C order and native byte order."""
    native = np.ascontiguousarray(pixels, dtype=pixels.dtype.newbyteorder("="))
    # NumPy lets a side of one pixel have any stride, and codecs trip over it; reshaping resets it.
    return native.reshape(-1).reshape(native.shape)
