"""Keys: 32 secret bytes with a text form, labeled subkeys, and key streams.

A picture key is derived from the master key, and opens only one picture.
"""

from __future__ import annotations

import hmac
import secrets
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NoReturn, Protocol, Self

from sudokucrypt.errors import (
    DecryptionError,
    FormatError,
    InvalidKeyError,
    InvalidParameterError,
    UnsupportedError,
)
from sudokucrypt.keys.texts import (
    add_origin_to_errors,
    decode_key,
    encode_bech32,
    read_key_file,
    refuse_key,
)
from sudokucrypt.lazy import SuggestingType
from sudokucrypt.options import add_call_hints

if TYPE_CHECKING:
    import os

    import numpy as np
    from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext
    from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20
    from numpy.typing import NDArray

    from sudokucrypt.workers import Workers

SALT_LENGTH = 16  # bytes: of 2**48 random salts, two are equal with a chance of 2**-33
KEY_LENGTH = 32  # 256 bits, so that 128 remain even against a quantum search

# The start of each label, so that no key of ours equals one that another program derives.
_LABEL_PREFIX = "sudokucrypt/v1/"
# Bytes of SHA-256.
_DIGEST_LENGTH = 32

_BLOCK_LENGTH = 64  # bytes of ChaCha20
# 1 MiB, so that threads share parts evenly, and starting a part costs little in comparison.
_BLOCKS_PER_PART = 1 << 14
_MAX_STREAM_LENGTH = _BLOCK_LENGTH << 32  # the block counter has 32 bits


class Secret(metaclass=SuggestingType):
    """A secret of 256 bits: the base of `Key` and `PictureKey`.

    The secret leaves only through `to_text` and `to_bytes`; `repr` never shows it, and pickling
    is refused. Parameters and errors are those of `Key`.
    """

    __slots__ = ("_extracted_key", "_secret", "origin")

    CONSTRUCTION_HINT = "generate() draws a new one, from_file and from_text read one"

    PREFIX: ClassVar[str]
    """The human-readable part of the text form."""

    KEY_LEVEL: ClassVar[str]
    """The first part of each label, so that keys of different kinds have different subkeys."""

    NAME: ClassVar[str] = "key"
    """The name of this kind of secret in files and messages."""

    def __init__(self, secret: bytes, *, origin: str | None = None) -> None:
        if not isinstance(secret, bytes | bytearray | memoryview) or len(secret) != KEY_LENGTH:
            is_text = isinstance(secret, str)
            hint = "Passphrase takes words, and from_text the text of a key" if is_text else None
            raise InvalidKeyError(f"a key is {KEY_LENGTH} bytes", hint=hint)
        self._secret = bytes(secret)
        self._extracted_key = _extract(secret)
        self.origin = origin

    if not TYPE_CHECKING:  # type checkers know all attributes by themselves

        def __getattr__(self, name):
            """Raise the error for a missing attribute."""
            type(self).suggest(name)

        def __bytes__(self):
            """Raise TypeError, so that only explicit methods reveal the secret."""
            raise TypeError("bytes() does not take a key; call to_bytes()")

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read a key from its Bech32 text, or from a whole key file with `#` comment lines.

        Raises `InvalidKeyError` if there is not exactly one key of this kind or a character is
        wrong; the message never repeats the text.
        """
        if not isinstance(text, str):
            raise InvalidKeyError(
                f"the text of a key is str, not {type(text).__name__}",
                hint="decode it: data.decode()",
            )
        prefix, secret = decode_key(text, cls.PREFIX, KEY_LENGTH)
        kind = {kind.PREFIX: kind for kind in (cls, *cls.__subclasses__())}.get(prefix)
        if kind is None and prefix == "sudokucrypt-picture-key-":
            refuse_key(
                "it is the key of one picture, which restores that picture but cannot protect any",
                hint="use the key that it came from",
            )
        return kind(secret) if kind else refuse_key(f"a key starts with {cls.PREFIX.upper()}1")

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Self:
        """Read a key file; its name becomes the `origin` of the key.

        Raises `InvalidKeyError` if the file cannot be read or holds no key of this kind.
        """
        text = read_key_file(path)
        with add_origin_to_errors(f"'{path}'") as origin:
            key = cls.from_text(text)
            key.origin = origin
        return key

    def to_bytes(self) -> bytes:
        """Return the 32 secret bytes."""
        return self._secret

    def to_text(self) -> str:
        """Return the key as upper-case Bech32 text."""
        return encode_bech32(self.PREFIX, self._secret).upper()

    def to_file_text(self) -> str:
        """Return the content of a key file: comment lines, then the text."""
        return f"{self.make_comment_lines()}{self.to_text()}\n"

    def make_comment_lines(self, title_suffix: str = "") -> str:
        """Return the comments at the top of a key file: title, time and public text."""
        if not self.public_text:
            return ""
        creation_time = datetime.now(UTC).isoformat(timespec="seconds")
        title = f"sudokucrypt {self.NAME}{title_suffix}"
        return f"# {title}\n# created: {creation_time}\n# {self.public_text}\n"

    @property
    def public_text(self) -> str:
        """The public part of a key file, such as the id of a key."""
        return ""

    def to_file(self, path: str | os.PathLike[str]) -> None:
        """Write a new key file that only its owner may read (mode 0600).

        Raises `OutputExistsError` if `path` exists; a key file is never replaced.
        """
        from sudokucrypt.storage import write_secret_file

        write_secret_file(Path(path), self.to_file_text().encode("ascii"))

    def subkey(self, use: str, context: bytes | None = None, *, length: int = KEY_LENGTH) -> bytes:
        """Derive a subkey for one use by HKDF-SHA-256 (RFC 5869).

        The label is ``sudokucrypt/v1/<level>/<use>``, in ASCII; docs/spec/scrambling-v1.md lists
        the existing uses. With a context, which follows the label after a zero byte, one use has
        many subkeys. Raises `InvalidParameterError` if `use` contains a zero character.
        """
        return _expand(self._extracted_key, f"{self.KEY_LEVEL}/{use}", context, length)

    def stream(self, use: str, context: bytes) -> KeyStream:
        """Return the key stream under the subkey for `use` and `context`."""
        return KeyStream(self.subkey(use, context))

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return hmac.compare_digest(self._secret, other._secret)

    def __hash__(self) -> int:
        return hash((type(self), self._secret))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a key is never pickled, since the pickle would hold the secret; "
            "pass the name of its file, and read the key where it is used"
        )


class SealedHeader(Protocol):
    """The interface of headers that keys use; `sudokucrypt.Header` has it."""

    @property
    def scheme(self) -> str:
        """Name and version of the scheme."""

    @property
    def salt(self) -> bytes | None:
        """The salt from which the picture key is derived."""

    @property
    def header_mac(self) -> bytes | None:
        """The seal, which authenticates the header."""

    def sealed_bytes(self) -> bytes:
        """Return the bytes of the header without its seal."""


class PictureKey(Secret):
    """The key of one picture, which `Key.for_picture` derives from the picture's salt.

    It restores that picture and reads its sealed metadata. It opens no other picture, protects
    nothing, and has no id. Parameters and errors are those of `Key`.
    """

    __slots__ = ()

    PREFIX: ClassVar[str] = "sudokucrypt-picture-key-"
    KEY_LEVEL: ClassVar[str] = "picture"

    def tag(self, message: bytes) -> bytes:
        """Return the tag of a message: 32 bytes, HMAC-SHA-256."""
        return hmac.digest(self.subkey("tag"), message, "sha256")

    def seal(self, header: SealedHeader) -> bytes:
        """Compute the seal of a header without its present seal: 32 bytes, HMAC-SHA-256."""
        return hmac.digest(self.subkey("seal"), header.sealed_bytes(), "sha256")

    def verifies(self, header: SealedHeader) -> bool:
        """Return whether the seal of a header is right, that is, made with this key."""
        return header.header_mac is not None and hmac.compare_digest(
            self.seal(header), header.header_mac
        )


class Key(Secret):
    """A master key: a secret of 256 bits.

    Its `repr` shows only the id; the secret leaves only through `to_text`, `to_file` and
    `to_bytes`.

    Raises `InvalidKeyError` if `secret` is not 32 bytes.

    Parameters
    ----------
    secret : bytes
        32 bytes from a good random source. `Key.generate` draws them.
    origin : str, optional
        The place where the key was read, for messages, such as ``"'my.key'"``. It is not compared.

    Examples
    --------
    >>> key = Key.generate()
    >>> Key.from_text(key.to_text()) == key
    True
    """

    __slots__ = ("_id",)

    PREFIX: ClassVar[str] = "sudokucrypt-key-"
    KEY_LEVEL: ClassVar[str] = "master"

    @classmethod
    @add_call_hints
    def generate(cls) -> Self:
        """Draw a new key from the operating system."""
        return cls(secrets.token_bytes(KEY_LENGTH))

    @property
    def public_text(self) -> str:
        """The comment of a key file with the key id."""
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
        """Return the key of one picture, which can be shared since it restores nothing else.

        Raises `DecryptionError` if this is not the key of the picture, or the header was changed;
        and `FormatError` if the header has no salt, as under a context.

        Anyone who has the picture key can restore that picture, and can forge another picture with
        the same salt. The key cannot be revoked: rekeying gives the picture a new salt, and so a
        new picture key, but copies of the old file still open.
        """
        if header.salt is None or header.header_mac is None:
            raise FormatError(f"a picture of scheme {header.scheme} has no key of its own")
        key = self.picture_key(header.salt)
        if not key.verifies(header):
            raise DecryptionError
        return key

    def derive_salt(self, message: bytes) -> bytes:
        """Return the salt of a deterministic result: 16 bytes that depend on key and message."""
        return hmac.digest(self.subkey("salt"), message, "sha256")[:SALT_LENGTH]

    def __repr__(self) -> str:
        return f"<Key {self.id}>"


def derive_bytes(
    secret: bytes, use: str, context: bytes | None = None, *, length: int = KEY_LENGTH
) -> bytes:
    """Return HKDF-SHA-256 of a secret, without salt, for one use, such as ``lock``."""
    return _expand(_extract(secret), use, context, length)


def _extract(secret: bytes) -> bytes:
    """Return the pseudorandom key of the extract step of HKDF, which must stay secret too."""
    # Secrets are uniform already, so the salt may be the default of RFC 5869: zeros.
    return hmac.digest(bytes(_DIGEST_LENGTH), secret, "sha256")


def _expand(extracted_key: bytes, use: str, context: bytes | None, length: int) -> bytes:
    """Return the output of the expand step of HKDF, of at most 255 digests."""
    if "\0" in use:
        raise InvalidParameterError("the name of a use must not contain a zero character")
    info = f"{_LABEL_PREFIX}{use}".encode("ascii")
    if context is not None:
        info += b"\0" + context
    output = block = b""
    for index in range(1, -(-length // _DIGEST_LENGTH) + 1):
        block = hmac.digest(extracted_key, block + info + bytes([index]), "sha256")
        output += block
    return output[:length]


class KeyStream:
    """The ChaCha20 key stream of a 32-byte key, from its start.

    The bytes do not depend on their division over calls or threads.

    Parameters
    ----------
    subkey : bytes
        32 bytes that no other stream uses; nonce and block counter start at zero (RFC 8439).
    """

    __slots__ = ("_encryptor", "_remaining_bytes", "_subkey")

    def __init__(self, subkey: bytes) -> None:
        if len(subkey) != 32:
            raise InvalidKeyError("a stream key is 32 bytes")
        self._subkey = subkey
        self._encryptor: CipherContext | None = None  # made by `read`, which few streams need
        self._remaining_bytes = _MAX_STREAM_LENGTH

    def read(self, length: int) -> bytes:
        """Return the next `length` bytes.

        Raises `UnsupportedError` after 256 GiB, where the block counter ends.
        """
        if length > self._remaining_bytes:
            raise UnsupportedError("a key stream ends after 256 GiB")
        self._remaining_bytes -= length
        if self._encryptor is None:
            self._encryptor = self._make_encryptor(0)
        return self._encryptor.update(bytes(length))

    def skip(self, length: int) -> KeyStream:
        """Return a new stream that begins after `length` bytes of this one.

        Raises `InvalidParameterError` if `length` is not a multiple of 64.
        """
        index, offset = divmod(length, _BLOCK_LENGTH)
        if offset:
            raise InvalidParameterError(f"the length must be a multiple of {_BLOCK_LENGTH} bytes")
        stream = KeyStream(self._subkey)
        stream._encryptor = self._make_encryptor(index)
        stream._remaining_bytes -= length
        return stream

    def mask(
        self,
        source: NDArray[np.uint8],
        target: NDArray[np.uint8],
        workers: Workers,
        *,
        start: int = 0,
    ) -> None:
        """Write the exclusive or of `source` and the stream, from byte `start` on, to `target`.

        Both arrays are contiguous, and may be the same; `start` is a multiple of 64. Workers share
        parts of 1 MiB. Raises `UnsupportedError` beyond 256 GiB, where the block counter ends.
        """
        if start + len(source) > _MAX_STREAM_LENGTH:
            raise UnsupportedError("an image of over 256 GiB cannot be encrypted")
        size = _BLOCK_LENGTH * _BLOCKS_PER_PART

        def mask_parts(first_part: int, end_part: int) -> None:
            encryptor = self._make_encryptor(start // _BLOCK_LENGTH + first_part * _BLOCKS_PER_PART)
            part_slice = slice(first_part * size, end_part * size)
            encryptor.update_into(source[part_slice].data, target[part_slice].data)

        workers.share(-(-len(source) // size), mask_parts)

    def _make_encryptor(self, index: int) -> CipherContext:
        """Return an encryptor that begins with the block of this index."""
        # The library takes block counter and nonce as one value of 16 bytes.
        # A zero nonce is safe, since each subkey has only one stream.
        initial_counter = index.to_bytes(4, "little") + bytes(12)
        cipher, algorithm = _get_chacha20()
        return cipher(algorithm(self._subkey, initial_counter), mode=None).encryptor()


@cache
def _get_chacha20() -> tuple[type[Cipher[None]], type[ChaCha20]]:
    """Import the cipher classes on first use, since an import takes as long as encrypting."""
    from cryptography.hazmat.primitives.ciphers import Cipher
    from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20

    return Cipher, ChaCha20
