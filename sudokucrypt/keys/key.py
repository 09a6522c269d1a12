"""The master key, from which everything of a picture is derived, and the key of one picture."""

import hmac
import os
import secrets
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar, NoReturn, Protocol, Self, TypeVar

from sudokucrypt.errors import DecryptionError, FormatError, InvalidKeyError
from sudokucrypt.keys.secret import KEY_LENGTH, Secret, error_context, read_key_text, refuse_key

Opened = TypeVar("Opened")

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

    Parameters
    ----------
    secret : bytes
        32 bytes from a good random source. `Key.generate` draws them.
    origin : str, optional
        Where the key was read, as messages call it, such as ``"'my.key'"``. Keys that differ in
        nothing else are equal.

    Raises
    ------
    InvalidKeyError
        If `secret` is not 32 bytes.

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
    def generate(cls) -> Self:
        """Draw a new key from the operating system."""
        return cls(secrets.token_bytes(KEY_LENGTH))

    def to_file_text(self) -> str:
        """Return the content of a key file: comment lines with time and id, then the key."""
        return f"{self.comment_lines('sudokucrypt key')}{self.to_text()}\n"

    def comment_lines(self, title: str) -> str:
        """Return the lines at the top of a key file: what it is, its time, and the key id."""
        created = datetime.now(UTC).isoformat(timespec="seconds")
        return f"# {title}\n# created: {created}\n# key id: {self.id}\n"

    def to_file(self, path: str | os.PathLike[str]) -> None:
        """Write a new key file that only its owner may read (mode 0600).

        Raises
        ------
        OutputExistsError
            If `path` exists; a key file is never replaced.
        """
        from sudokucrypt.storage import write_secret

        write_secret(Path(path), self.to_file_text().encode("ascii"))

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

        Parameters
        ----------
        header : Header
            The whole header of a picture that was protected with this key.

        Raises
        ------
        DecryptionError
            If this is not the key of the picture, or the header was changed.
        FormatError
            If the header has no salt, as under a context.

        Notes
        -----
        Whoever has the result can restore that picture, and can make another one that passes as
        the owner's under the same salt. It cannot be taken back; rekeying gives the picture a new
        salt, and so a new picture key, but copies of the old file still open.
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


class KeyRing:
    """Keys that restore pictures together; nothing is protected with them.

    A picture is opened with the keys that have the id in its header, then with those of single
    pictures, which have none: all are tried, since the 32 bits of two ids may be equal.

    Parameters
    ----------
    keys : iterable of Key or PictureKey
        One or more; equal ones count once.

    Raises
    ------
    InvalidKeyError
        If there is no key, or something else among them.
    """

    __slots__ = ("keys",)

    def __init__(self, keys: Iterable[Key | PictureKey]) -> None:
        self.keys = tuple(dict.fromkeys(keys))
        """The keys, in their order."""
        if not self.keys or not all(isinstance(key, Key | PictureKey) for key in self.keys):
            raise InvalidKeyError("a key ring holds one key or more, and nothing else")

    def open(
        self, key_id: str | None, attempt: Callable[[Key | PictureKey], Opened], *, needed: str
    ) -> Opened:
        """Return what an attempt gives with the first key that it succeeds with.

        `needed` is what messages call the key that a picture needs. `DecryptionError` if there is
        no key with this id, or no attempt succeeds.
        """
        fitting: list[Key | PictureKey] = []
        fitting += [key for key in self.keys if isinstance(key, Key) and key.id == key_id]
        fitting += [key for key in self.keys if isinstance(key, PictureKey)]
        for key in fitting:
            try:
                return attempt(key)
            except DecryptionError:
                if key is fitting[-1]:
                    raise
        raise DecryptionError(
            f"wrong key: the picture needs {needed}, which is none of {len(self.keys)} keys",
            hint="Key.id is the id of a key",
            hint_key="other_key",
        )

    def __len__(self) -> int:
        return len(self.keys)

    def __repr__(self) -> str:
        return f"<KeyRing of {len(self.keys)} keys>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("keys are never pickled, since the pickle would hold the secrets")


def read_key(text: str, *, origin: str | None = None) -> Key | PictureKey:
    """Read a key of any kind from its Bech32 text, or from a whole key file.

    Parameters
    ----------
    text : str
        The key, perhaps among comment lines.
    origin : str, optional
        As for `Key`; errors name it too.

    Raises
    ------
    InvalidKeyError
        As for `Key.from_text`.
    """
    with error_context(origin):
        prefix, secret = read_key_text(text)
        if prefix == PictureKey.PREFIX:
            return PictureKey(secret, origin=origin)
        if prefix != Key.PREFIX:
            refuse_key(f"a key starts with {Key.PREFIX.upper()}1")
        return Key(secret, origin=origin)
