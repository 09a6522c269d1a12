"""The tag: one number that depends on every bit of the header and of the plain image."""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sudokucrypt.formats import Header
    from sudokucrypt.keys import Key
    from sudokucrypt.typing import AnyArray
    from sudokucrypt.workers import Workers

_CHUNK = 1 << 20


def authentication_tag(key: Key, header: Header, image: AnyArray, workers: Workers) -> bytes:
    """Return the HMAC-SHA-256 of a header without tag and of the plain samples.

    Parameters
    ----------
    key : Key
        Its subkey for the use ``tag`` keys the HMAC.
    header : Header
        The header; its tag, if any, is left out.
    image : ndarray
        The plain image. Its samples are read in C order, little endian, in chunks of 1 MiB that
        are hashed on their own.
    workers : Workers
        Who shares the chunks.

    Returns
    -------
    bytes
        32 bytes.
    """
    samples = np.ascontiguousarray(image, dtype=image.dtype.newbyteorder("<"))
    data = samples.reshape(-1).view(np.uint8).data
    digests = [b""] * -(-len(data) // _CHUNK)

    def digest(start: int, stop: int) -> None:
        for chunk in range(start, stop):
            part = data[chunk * _CHUNK : (chunk + 1) * _CHUNK]
            digests[chunk] = hashlib.sha256(part).digest()

    workers.share(len(digests), digest)
    described = header.with_tag(None).to_bytes()
    mac = hmac.new(key.subkey("tag"), digestmod="sha256")
    mac.update(len(described).to_bytes(8, "little"))
    mac.update(described)
    mac.update(len(digests).to_bytes(8, "little"))
    mac.update(b"".join(digests))
    return mac.digest()
