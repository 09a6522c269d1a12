"""The key stream: ChaCha20 under a subkey that is used for this one stream alone."""

from __future__ import annotations

from sudokucrypt.errors import InvalidKeyError


class KeyStream:
    """The ChaCha20 key stream of a 32-byte key, read from its start.

    Parameters
    ----------
    subkey : bytes
        32 bytes that no other stream uses; nonce and block counter start at zero (RFC 8439).

    Notes
    -----
    How the bytes are divided over calls never changes them.
    """

    __slots__ = ("_encryptor",)

    def __init__(self, subkey: bytes) -> None:
        from cryptography.hazmat.primitives.ciphers import Cipher
        from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20

        if len(subkey) != 32:
            raise InvalidKeyError("a stream key is 32 bytes")
        self._encryptor = Cipher(ChaCha20(subkey, bytes(16)), mode=None).encryptor()

    def read(self, length: int) -> bytes:
        """Return the next `length` bytes."""
        return self._encryptor.update(bytes(length))
