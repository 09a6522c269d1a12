"""The key of one picture: it restores that picture, and can be given away."""

import hashlib
import hmac
from typing import ClassVar, Protocol

from sudokucrypt.keys.secret import Secret


class SealedHeader(Protocol):
    """What a key needs of a header; `sudokucrypt.Header` has it."""

    @property
    def scheme(self) -> str:
        """Name and version of the scheme."""
        ...

    @property
    def salt(self) -> bytes | None:
        """What the picture key is derived from."""
        ...

    @property
    def seal(self) -> bytes | None:
        """What authenticates the header."""
        ...

    def sealed_bytes(self) -> bytes:
        """Return the line without its seal."""
        ...


class PictureKey(Secret):
    """The key of one picture, which `Key.for_picture` derives from the picture's salt.

    It restores that picture and reads its sealed metadata. It opens no other picture, and nothing
    can be protected with it. It has no id.

    Parameters
    ----------
    secret : bytes
        32 bytes.

    Raises
    ------
    InvalidKeyError
        If `secret` is not 32 bytes.
    """

    __slots__ = ()

    PREFIX: ClassVar[str] = "sudokucrypt-picture-key-"
    LEVEL: ClassVar[str] = "picture"

    def tag(self, message: bytes) -> bytes:
        """Return the tag of a message: 32 bytes, HMAC-SHA-256."""
        return hmac.new(self.subkey("tag"), message, hashlib.sha256).digest()

    def seal(self, header: SealedHeader) -> bytes:
        """Return the seal of a header, whatever seal it has: 32 bytes, HMAC-SHA-256."""
        return hmac.new(self.subkey("seal"), header.sealed_bytes(), hashlib.sha256).digest()

    def opens(self, header: SealedHeader) -> bool:
        """Tell whether the seal of a header holds: then it is authentic, and this its key."""
        return header.seal is not None and hmac.compare_digest(self.seal(header), header.seal)
