"""The message of the tag: every bit of the header and of the plain picture."""

import hashlib
from collections.abc import Sequence

import numpy as np

from sudokucrypt.header import Header
from sudokucrypt.typing import AnyArray
from sudokucrypt.workers import Workers

_CHUNK = 1 << 20  # bytes that are hashed on their own, so that threads can share a picture


def sample_digests(images: Sequence[AnyArray], workers: Workers) -> list[bytes]:
    """Return the SHA-256 digests of the plain samples.

    Parameters
    ----------
    images : sequence of ndarray
        The plain frames. The samples of each are read in C order, little endian, in chunks of
        1 MiB that are hashed on their own; a frame starts a new chunk.
    workers : Workers
        Who shares the chunks.
    """
    return [digest for image in images for digest in _chunk_digests(image, workers)]


def tag_message(header: Header, digests: Sequence[bytes]) -> bytes:
    """Return what the tag authenticates, and what a synthetic salt comes from.

    Parameters
    ----------
    header : Header
        The header with its encrypted_metadata in plain form. Tag and seal, if any, are left out.
    digests : sequence of bytes
        What `sample_digests` returned.
    """
    described = header.to_bytes(without=("tag", "seal"))
    # With lengths in front, no header and digests give the message of other ones.
    lengths = [len(part).to_bytes(8, "little") for part in (described, digests)]
    return b"".join([lengths[0], described, lengths[1], *digests])


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
