"""What the generators of the vectors share: the key, plain images, and the form of bytes."""

from __future__ import annotations

import hashlib
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from sudokucrypt import Key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudokucrypt.typing import AnyArray

KEY = Key(bytes(range(32)))
SALT = bytes(range(16))
Case = dict[str, Any]

SHOWN = 512
"""Results of more bytes than this are given by their SHA-256."""


def bytes_or_digest(data: bytes) -> str:
    """Return short data in hexadecimal, long data as its digest."""
    return data.hex() if len(data) <= SHOWN else "sha256:" + hashlib.sha256(data).hexdigest()


def plain_bytes(label: str, length: int) -> bytes:
    """Return the plain image of a case: the stream for the use ``vectors``."""
    return KEY.stream("vectors", label.encode()).read(length)


def plain_image(label: str, shape: Sequence[int], dtype: str) -> AnyArray:
    """Return the plain image of a case as an array; booleans are the lowest bits of the bytes."""
    little = np.dtype(dtype).newbyteorder("<")
    data = plain_bytes(label, prod(shape) * little.itemsize)
    if dtype == "bool":
        data = bytes(byte & 1 for byte in data)
    return np.frombuffer(data, little).reshape(shape)
