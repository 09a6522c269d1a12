"""The master key, from which everything of a picture is derived, and the key of one picture."""

from __future__ import annotations

import hmac
import secrets
from typing import ClassVar, Protocol, Self

from sudokucrypt.errors import DecryptionError, FormatError
from sudokucrypt.keys.secret import KEY_LENGTH, Secret
from sudokucrypt.options import guide

SALT_LENGTH = 16  # bytes: of 2**48 random salts, two are equal with a chance of 2**-33


class SealedHeader(Protocol):
    """What a key needs of a header; `sudokucrypt.Header` has it."""

    @property
    def scheme(self) -> str:
        """Name and version of the scheme."""

    @property
    def salt(self) -> bytes | None:
        """What the picture key is derived from."""

    @property
    def header_mac(self) -> bytes | None:
        """What authenticates the header: its seal."""

    def sealed_bytes(self) -> bytes:
        """Return the line without its seal."""


class PictureKey(Secret):
    """The key of one picture, which `Key.for_picture` derives from the picture's salt.

    It restores that picture and reads its sealed metadata. It opens no other picture, and nothing
    can be protected with it. It has no id. Parameters and errors are those of `Key`.
    """

    __slots__ = ()

    PREFIX: ClassVar[str] = "sudokucrypt-picture-key-"
    LEVEL: ClassVar[str] = "picture"

    def tag(self, message: bytes) -> bytes:
        """Return the tag of a message: 32 bytes, HMAC-SHA-256."""
        return hmac.digest(self.subkey("tag"), message, "sha256")

    def seal(self, header: SealedHeader) -> bytes:
        """Return the seal of a header, whatever seal it has: 32 bytes, HMAC-SHA-256."""
        return hmac.digest(self.subkey("seal"), header.sealed_bytes(), "sha256")

    def verifies(self, header: SealedHeader) -> bool:
        """Return whether the seal of a header holds: then it is authentic, and this its key."""
        return header.header_mac is not None and hmac.compare_digest(
            self.seal(header), header.header_mac
        )


class Key(Secret):
    """A master key: a secret of 256 bits.

    Its `repr` shows the id alone; the secret leaves only through `to_text`, `to_file` and
    `to_bytes`.

    Raises `InvalidKeyError` if `secret` is not 32 bytes.

    Parameters
    ----------
    secret : bytes
        32 bytes from a good random source. `Key.generate` draws them.
    origin : str, optional
        Where the key was read, as messages call it, such as ``"'my.key'"``. Keys that differ in
        nothing else are equal.

    Examples
    --------
    >>> key = Key.generate()
    >>> Key.from_text(key.to_text()) == key
    True
    """

    __slots__ = ("_id",)

    PREFIX: ClassVar[str] = "sudokucrypt-key-"
    LEVEL: ClassVar[str] = "master"

    @classmethod
    @guide
    def generate(cls) -> Self:
        """Draw a new key from the operating system."""
        return cls(secrets.token_bytes(KEY_LENGTH))

    @property
    def public_text(self) -> str:
        """The id, as the comments of a key file state it."""
        return f"key id: {self.id}"

    @property
    def id(self) -> str:
        """Eight hexadecimal digits that name the key and reveal nothing about it."""
        if not hasattr(self, "_id"):
            self._id = self.subkey("id", length=4).hex()
        return self._id

    def picture_key(self, salt: bytes) -> PictureKey:
        """Return the key of the picture with this salt."""
        return PictureKey(self.subkey("picture", salt))

    def for_picture(self, header: SealedHeader) -> PictureKey:
        """Return the key that restores one picture and nothing else, to share it.

        Raises `DecryptionError` if this is not the key of the picture, or the header was changed;
        and `FormatError` if the header has no salt, as under a context.

        Whoever has the result can restore that picture, and can make another one that passes as the
        owner's under the same salt. It cannot be taken back; rekeying gives the picture a new salt,
        and so a new picture key, but copies of the old file still open.
        """
        if header.salt is None or header.header_mac is None:
            raise FormatError(f"a picture of scheme {header.scheme} has no key of its own")
        key = self.picture_key(header.salt)
        if not key.verifies(header):
            raise DecryptionError
        return key

    def synthetic_salt(self, message: bytes) -> bytes:
        """Return the salt of a deterministic result: 16 bytes that depend on key and message."""
        return hmac.digest(self.subkey("salt"), message, "sha256")[:SALT_LENGTH]

    def __repr__(self) -> str:
        return f"<Key {self.id}>"
