"""The tag: one number that depends on every bit of the header and of the plain picture."""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudokucrypt.formats import Header
    from sudokucrypt.keys import Key
    from sudokucrypt.typing import AnyArray
    from sudokucrypt.workers import Workers

_CHUNK = 1 << 20


def authentication_tag(
    key: Key, header: Header, images: Sequence[AnyArray], workers: Workers
) -> bytes:
    """Return the HMAC-SHA-256 of a header without tag and of the plain samples.

    Parameters
    ----------
    key : Key
        Its subkey for the use ``tag`` keys the HMAC.
    header : Header
        The header; its tag, if any, is left out.
    images : sequence of ndarray
        The plain frames. The samples of each are read in C order, little endian, in chunks of
        1 MiB that are hashed on their own; a frame starts a new chunk.
    workers : Workers
        Who shares the chunks.

    Returns
    -------
    bytes
        32 bytes.
    """
    digests = [digest for image in images for digest in _chunk_digests(image, workers)]
    described = header.with_tag(None).to_bytes()
    mac = hmac.new(key.subkey("tag"), digestmod="sha256")
    mac.update(len(described).to_bytes(8, "little"))
    mac.update(described)
    mac.update(len(digests).to_bytes(8, "little"))
    mac.update(b"".join(digests))
    return mac.digest()


def _chunk_digests(image: AnyArray, workers: Workers) -> list[bytes]:
    """Return the SHA-256 digest of each chunk of an image."""
    samples = np.ascontiguousarray(image, dtype=image.dtype.newbyteorder("<"))
    data = samples.reshape(-1).view(np.uint8).data
    digests = [b""] * -(-len(data) // _CHUNK)

    def digest(start: int, stop: int) -> None:
        for chunk in range(start, stop):
            part = data[chunk * _CHUNK : (chunk + 1) * _CHUNK]
            digests[chunk] = hashlib.sha256(part).digest()

    workers.share(len(digests), digest)
    return digests
