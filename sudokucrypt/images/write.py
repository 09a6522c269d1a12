"""Writing an image file that gives back every sample and the header."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from sudokucrypt.errors import InvalidImageError, InvalidParameterError, UnsupportedError
from sudokucrypt.images import png, tiff, webp
from sudokucrypt.images.header import require_storable

if TYPE_CHECKING:
    from pathlib import Path

    from sudokucrypt.images.png_chunks import Buffer
    from sudokucrypt.typing import AnyArray

_FORMATS: Final = (png.FORMAT, tiff.FORMAT, webp.FORMAT)
_SUFFIXES = {".png": "PNG", ".tif": "TIFF", ".tiff": "TIFF", ".webp": "WebP"}
_LOSSY_SUFFIXES = {
    **dict.fromkeys((".jpg", ".jpeg", ".jpe", ".jfif"), "JPEG"),
    **dict.fromkeys((".jp2", ".j2k", ".jpx", ".jpf"), "JPEG 2000"),
    **dict.fromkeys((".heic", ".heif"), "HEIF"),
    ".avif": "AVIF",
    ".gif": "GIF",
    ".jxl": "JPEG XL",
}


def encode_picture(
    pixels: AnyArray,
    format: str,  # noqa: A002 - the word for it everywhere in this package
    *,
    header: bytes | None = None,
    compress: int = 0,
) -> bytes:
    """Return the bytes of an image file.

    Parameters
    ----------
    pixels : ndarray of shape (M, N), (M, N, 2), (M, N, 3) or (M, N, 4)
        Gray, gray and alpha, RGB, or RGB and alpha; uint8 or uint16 in any byte order.
    format : {"PNG", "TIFF", "WebP"}
        What to write; WebP holds uint8 with three or four channels only.
    header : bytes, optional
        Our header, at most 64 KiB of printable ASCII.
    compress : int, optional
        How hard PNG tries to save space, 0..9; 0 stores the samples as they are, which is best
        for noise. Other formats take no notice.

    Returns
    -------
    bytes
        A file from which `decode_picture` gets the same samples and the same header.

    Raises
    ------
    InvalidImageError
        If the array is not a picture.
    InvalidParameterError
        If `compress` is not in 0..9.
    UnsupportedError
        If the format is unknown or cannot hold this picture exactly.
    FormatError
        If the header could not be read back.

    Examples
    --------
    >>> import numpy as np
    >>> data = encode_picture(np.zeros((3, 4), dtype=np.uint16), "PNG")
    >>> data[1:4]
    b'PNG'
    """
    return b"".join(picture_parts(pixels, format, header=header, compress=compress))


def picture_parts(
    pixels: AnyArray,
    format: str,  # noqa: A002 - as above
    *,
    header: bytes | None = None,
    compress: int = 0,
) -> list[Buffer]:
    """Return what `encode_picture` returns in parts, to be written without another copy."""
    if format not in _FORMATS:
        raise UnsupportedError(
            f"pictures cannot be written as {format}", hint=f"use {', '.join(_FORMATS)}"
        )
    if compress not in range(10):
        raise InvalidParameterError(f"compress must be an integer in 0..9, not {compress!r}")
    if header is not None:
        require_storable(header)
    _require_picture(pixels)
    native = np.ascontiguousarray(pixels, dtype=pixels.dtype.newbyteorder("="))
    # NumPy lets a side of one pixel have any stride, and codecs trip over it; reshaping resets it.
    native = native.reshape(-1).reshape(native.shape)
    if format == png.FORMAT:
        return png.encode(native, header, compress)
    return [(tiff.encode if format == tiff.FORMAT else webp.encode)(native, header)]


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


def _require_picture(pixels: AnyArray) -> None:
    hint = "numpy.save keeps any array as it is"
    if not isinstance(pixels, np.ndarray) or pixels.dtype.newbyteorder("=") not in ("u1", "u2"):
        kind = getattr(pixels, "dtype", type(pixels).__name__)
        raise InvalidImageError(f"a picture has samples uint8 or uint16, not {kind}", hint=hint)
    if pixels.ndim not in (2, 3) or (pixels.ndim == 3 and pixels.shape[2] not in (2, 3, 4)):
        raise InvalidImageError(
            "a picture has the shape (M, N), (M, N, 2), (M, N, 3) or (M, N, 4), "
            f"not {pixels.shape}",
            hint=hint,
        )
    if not pixels.size:
        raise InvalidImageError(f"a picture of shape {pixels.shape} has no pixels")
    if max(pixels.shape[:2]) >= 2**31:
        raise UnsupportedError("no image format has sides of over 2147483647 pixels", hint=hint)
