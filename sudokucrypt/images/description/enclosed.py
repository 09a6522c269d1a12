"""A file of any kind as a picture: its bytes are the samples of a gray frame of about 4:3."""

import re
from dataclasses import dataclass
from math import isqrt
from typing import Final

import numpy as np

from sudokucrypt.errors import DecryptionError, InvalidParameterError
from sudokucrypt.typing import AnyArray

MAX_SIZE: Final = 1 << 38
_NAME_BYTES = 255
_FORBIDDEN = re.compile(r"[/\\:\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_TYPE = re.compile(r"[a-z0-9][a-z0-9.+-]{0,63}/[a-z0-9][a-z0-9.+-]{0,63}")


@dataclass(frozen=True, kw_only=True)
class EnclosedFile:
    """What is known of a file besides its bytes.

    Parameters
    ----------
    name : str
        One component of a path, 1 to 255 bytes in UTF-8: no slash, backslash, colon or control
        character, and not ``.`` or ``..``.
    size : int
        Bytes, 0..2**38.
    type : str, optional
        Its media type in lower case, such as ``image/jpeg``.
    time : int, optional
        When it was last changed, in nanoseconds since the start of 1970 (UTC).
    """

    name: str
    size: int
    type: str | None = None
    time: int | None = None

    def __post_init__(self) -> None:
        whole = not _FORBIDDEN.search(self.name) and self.name not in (".", "..")
        if not whole or not 1 <= len(self.name.encode()) <= _NAME_BYTES:
            raise InvalidParameterError("this name of a file cannot be kept")
        if not 0 <= self.size <= MAX_SIZE:
            raise InvalidParameterError(f"a file has at most {MAX_SIZE} bytes")
        if self.type is not None and not _TYPE.fullmatch(self.type):
            raise InvalidParameterError("this is no media type in lower case")
        if self.time is not None and not -(2**63) <= self.time < 2**63:
            raise InvalidParameterError("this time is out of range")

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the picture: the smallest of its kind that has room for the file."""
        columns = max(1, isqrt(4 * self.size // 3))
        while -(-3 * columns // 4) * columns < self.size:
            columns += 1
        return -(-3 * columns // 4), columns


def enclose(data: bytes, file: EnclosedFile) -> AnyArray:
    """Return the samples of the picture of a file: its bytes, then zeros."""
    if len(data) != file.size:
        raise InvalidParameterError(f"the file has {len(data)} bytes, not {file.size}")
    pixels = np.zeros(file.shape, dtype=np.uint8)
    pixels.reshape(-1)[: len(data)] = np.frombuffer(data, dtype=np.uint8)
    return pixels


def released(pixels: AnyArray, file: EnclosedFile) -> bytes:
    """Return the bytes of a file from its picture, if the samples behind them are zero."""
    flat = pixels.reshape(-1)
    if flat[file.size :].any():
        raise DecryptionError
    return flat[: file.size].tobytes()
