"""The key: 256 random bits with a text form, an id and labelled subkeys."""

from __future__ import annotations

import hmac
import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from sudokucrypt.errors import InvalidKeyError
from sudokucrypt.keys import bech32
from sudokucrypt.keys.stream import KeyStream
from sudokucrypt.storage import read_limited, write_secret

if TYPE_CHECKING:
    import os

KEY_LENGTH = 32
_PREFIX = "sudokucrypt-key-"
_FILE_LIMIT = 64 * 1024


class Key:
    """A secret of 256 bits.

    Its `repr` shows the id alone; the secret leaves only through `to_text`, `to_file` and
    `to_bytes`.

    Parameters
    ----------
    secret : bytes
        32 bytes from a good random source. `Key.generate` draws them.

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

    __slots__ = ("_secret",)

    def __init__(self, secret: bytes) -> None:
        if not isinstance(secret, bytes) or len(secret) != KEY_LENGTH:
            raise InvalidKeyError(f"a key is {KEY_LENGTH} bytes")
        self._secret = secret

    @classmethod
    def generate(cls) -> Key:
        """Draw a new key from the operating system."""
        return cls(secrets.token_bytes(KEY_LENGTH))

    @classmethod
    def from_text(cls, text: str) -> Key:
        """Read a key from its Bech32 text, or from a whole key file with `#` comment lines.

        Raises
        ------
        InvalidKeyError
            If there is not exactly one key or a character is wrong; the message never repeats
            the text.
        """
        lines = content_lines(text)
        if len(lines) == 2:
            _refuse("it is locked with a passphrase, or there are two")
        if len(lines) != 1:
            _refuse("there must be exactly one line that is not a comment")
        try:
            prefix, secret = bech32.decode(lines[0])
        except ValueError as error:
            _refuse(str(error))
        if prefix != _PREFIX:
            _refuse(f"a key starts with {_PREFIX.upper()}1")
        if len(secret) != KEY_LENGTH:
            _refuse("its length is wrong")
        return cls(secret)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Key:
        """Read a key file.

        Raises
        ------
        InvalidKeyError
            If the file cannot be read or holds no key.
        """
        try:
            return cls.from_text(read_limited(Path(path), _FILE_LIMIT).decode("utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not text"
            raise InvalidKeyError(f"cannot read the key file: {reason}") from None
        except InvalidKeyError as error:
            raise InvalidKeyError(f"'{path}' is {error}", hint=error.hint) from None

    def to_bytes(self) -> bytes:
        """Return the 32 secret bytes."""
        return self._secret

    def to_text(self) -> str:
        """Return the key as upper-case Bech32 text of 75 characters."""
        return bech32.encode(_PREFIX, self._secret).upper()

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
        write_secret(Path(path), self.to_file_text().encode("ascii"))

    @property
    def id(self) -> str:
        """Eight hexadecimal digits that name the key and reveal nothing about it."""
        return self.subkey("id", length=4).hex()

    def subkey(self, use: str, context: bytes | None = None, *, length: int = KEY_LENGTH) -> bytes:
        """Derive a subkey for one use by HKDF-SHA-256 (RFC 5869).

        Parameters
        ----------
        use : str
            Name of the use; the label is ``sudokucrypt/v1/<use>``.
        context : bytes, optional
            What sets this subkey apart from others of the same use; it follows the label after
            a zero byte.
        length : int
            Bytes to derive.
        """
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF

        info = f"sudokucrypt/v1/{use}".encode("ascii")
        if context is not None:
            info += b"\0" + context
        return HKDF(SHA256(), length, salt=None, info=info).derive(self._secret)

    def stream(self, use: str, context: bytes) -> KeyStream:
        """Return the key stream under the subkey for `use` and `context`."""
        return KeyStream(self.subkey(use, context))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Key):
            return NotImplemented
        return hmac.compare_digest(self._secret, other._secret)

    def __hash__(self) -> int:
        return hash((Key, self.id))

    def __repr__(self) -> str:
        return f"<Key {self.id}>"


def content_lines(text: str) -> list[str]:
    """Return the lines of a key file that are neither empty nor comments."""
    lines = [line.strip(" \t\r") for line in text.removeprefix("\ufeff").split("\n")]
    return [line for line in lines if line and not line.startswith("#")]


def _refuse(reason: str) -> NoReturn:
    raise InvalidKeyError(
        f"not a sudokucrypt key: {reason}", hint="'sudokucrypt keygen -o FILE' makes a key file"
    ) from None
