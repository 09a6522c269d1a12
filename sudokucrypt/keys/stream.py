"""The key stream: ChaCha20 under a subkey that is used for this one stream alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudokucrypt.errors import InvalidKeyError, UnsupportedError

if TYPE_CHECKING:
    import numpy as np
    from cryptography.hazmat.primitives.ciphers import CipherContext
    from numpy.typing import NDArray

    from sudokucrypt.workers import Workers

_BLOCK = 64
_BLOCKS_PER_PART = 1 << 14
_MAX_LENGTH = _BLOCK << 32


class KeyStream:
    """The ChaCha20 key stream of a 32-byte key, read from its start.

    Parameters
    ----------
    subkey : bytes
        32 bytes that no other stream uses; nonce and block counter start at zero (RFC 8439).

    Notes
    -----
    How the bytes are divided over calls or threads never changes them.
    """

    __slots__ = ("_encryptor", "_left", "_subkey")

    def __init__(self, subkey: bytes) -> None:
        if len(subkey) != 32:
            raise InvalidKeyError("a stream key is 32 bytes")
        self._subkey = subkey
        self._encryptor = self._from_block(0)
        self._left = _MAX_LENGTH

    def read(self, length: int) -> bytes:
        """Return the next `length` bytes.

        Raises
        ------
        UnsupportedError
            If they lie beyond the 256 GiB where the block counter ends.
        """
        if length > self._left:
            raise UnsupportedError("a key stream ends after 256 GiB")
        self._left -= length
        return self._encryptor.update(bytes(length))

    def mask(self, source: NDArray[np.uint8], target: NDArray[np.uint8], workers: Workers) -> None:
        """Write the exclusive-or of `source` with the start of the stream to `target`.

        Parameters
        ----------
        source, target : ndarray of shape (L,), dtype uint8
            Contiguous; `target` may be `source`. At most 256 GiB, where the block counter ends.
        workers : Workers
            Who shares the parts of 1 MiB.

        Raises
        ------
        UnsupportedError
            If there are more bytes.
        """
        if len(source) > _MAX_LENGTH:
            raise UnsupportedError("an image of over 256 GiB cannot be encrypted")
        size = _BLOCK * _BLOCKS_PER_PART

        def part(start: int, stop: int) -> None:
            encryptor = self._from_block(start * _BLOCKS_PER_PART)
            inside = slice(start * size, stop * size)
            # The library wants room for one block more than it writes.
            encryptor.update_into(source[inside].data, target[inside].data)

        workers.share(-(-len(source) // size), part)

    def _from_block(self, number: int) -> CipherContext:
        from cryptography.hazmat.primitives.ciphers import Cipher
        from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20

        # The library takes block counter and nonce as one value of 16 bytes.
        start = number.to_bytes(4, "little") + bytes(12)
        return Cipher(ChaCha20(self._subkey, start), mode=None).encryptor()
