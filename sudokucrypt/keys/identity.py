"""Recipients and identities in the formats of age, to send pictures without a shared key."""

from __future__ import annotations

import hashlib
import re
import secrets
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from sudokucrypt.errors import InvalidKeyError, UnsupportedError
from sudokucrypt.keys.age_file import (
    FILE_KEY_LENGTH,
    MAX_STANZAS,
    AgeFile,
    AgeFileError,
    Stanza,
    decode_unpadded,
    derive_by_hkdf,
    encode_unpadded,
    encrypt_payload,
)
from sudokucrypt.keys.key import KEY_LENGTH, PictureKey, Secret
from sudokucrypt.keys.texts import SSH_STARTS, decode_bech32, encode_bech32

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PrivateKey
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
    from cryptography.hazmat.primitives.hpke import Suite

# The kinds of stanzas, and the labels of their keys, from the specification of age.
_X25519_KIND, _HYBRID_KIND = "X25519", "mlkem768x25519"
_X25519_INFO = b"age-encryption.org/v1/X25519"
_HYBRID_INFO = b"age-encryption.org/mlkem768x25519"
# The lengths in bytes of the public key and the seed of ML-KEM-768. The 32 bytes of the X25519 key
# follow each of them.
_MLKEM_PUBLIC_LENGTH, _MLKEM_SEED_LENGTH = 1184, 64
# Bytes of a hybrid share: 1088 of ML-KEM-768 and 32 of X25519.
_HYBRID_SHARE_LENGTH = 1120
_WRAPPED_KEY_LENGTH = FILE_KEY_LENGTH + 16  # the file key and the tag of ChaCha20-Poly1305
# The maximum number of post-quantum recipients: an age file of 65,536 bytes cannot contain more
# stanzas.
_MAX_POST_QUANTUM_STANZAS = 41

_COMMENT = re.compile(r"(?:^|\s)#.*")
_PREFIXES = {KEY_LENGTH: "age", _MLKEM_PUBLIC_LENGTH + KEY_LENGTH: "age1pq"}


@dataclass(frozen=True)
class Recipient:
    """The public half of an `Identity`, with which others protect pictures for its owner.

    Raises `InvalidKeyError` if `public` has another length.

    >>> identity = Identity.generate()
    >>> Recipient.from_text(identity.recipient.to_text()) == identity.recipient
    True
    """

    #: 32 bytes for X25519, or 1,216 for ML-KEM-768 with X25519, which is post-quantum.
    public: bytes

    def __post_init__(self) -> None:
        if len(self.public) not in _PREFIXES:
            text = isinstance(self.public, str)
            raise InvalidKeyError(
                "not an age recipient: its length is wrong",
                hint="Recipient.from_text reads age1..." if text else None,
            )

    @classmethod
    def from_text(cls, text: str) -> Recipient:
        """Read ``age1...`` or ``age1pq1...``, in lower case, perhaps with blanks around it.

        Raises `InvalidKeyError` for other texts, such as the recipient of a plugin or an SSH key.
        """
        text = text.strip()
        if text.upper().startswith("AGE-SECRET-KEY-"):
            raise InvalidKeyError(
                "this is an identity, which is secret, not a recipient",
                hint="'key show' prints the recipient of an identity file",
            )
        if text.startswith(SSH_STARTS):
            raise InvalidKeyError(
                "SSH keys are not taken as recipients",
                hint="ask for a recipient that starts with age1: Identity.recipient gives it",
                hint_key="no_ssh_recipient",
            )
        try:
            prefix, public_key = decode_bech32(text)
        except ValueError as error:
            raise InvalidKeyError(f"not an age recipient: {error}") from None
        if prefix != _PREFIXES.get(len(public_key)) or text != text.lower():
            raise InvalidKeyError(
                "not an age recipient that is supported",
                hint="it starts with age1 or age1pq1; for plugins, see docs/howto/recipients.md",
            )
        return cls(public_key)

    @classmethod
    def from_lines(cls, text: str, *, origin: str | None = None) -> list[Recipient]:
        """Read a list of recipients, one in each line, with empty lines and `#` comments.

        A comment may follow a recipient in its line. Raises `InvalidKeyError` for other lines; the
        message has the `origin` of the text, if given, and the number of the line.
        """
        recipients = []
        for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
            content = _COMMENT.sub("", line).strip()
            if not content:
                continue
            try:
                recipients.append(cls.from_text(content))
            except InvalidKeyError as error:
                line_origin = f"line {number}" if origin is None else f"{origin}, line {number}"
                raise InvalidKeyError(
                    f"{line_origin}: {error}", hint=error.hint, hint_key=error.hint_key
                ) from None
        return recipients

    @property
    def post_quantum(self) -> bool:
        """Whether pictures for this recipient resist quantum computers, if ML-KEM-768 does."""
        return len(self.public) != KEY_LENGTH

    @property
    def kind(self) -> str:
        """The name of the kind of stanza for this recipient in age files."""
        return _HYBRID_KIND if self.post_quantum else _X25519_KIND

    def to_text(self) -> str:
        """Return the text form of age."""
        return encode_bech32(_PREFIXES[len(self.public)], self.public)

    def wrap(self, file_key: bytes) -> Stanza:
        """Return a stanza with a file key that only this recipient can decrypt."""
        from cryptography.hazmat.primitives.asymmetric.x25519 import (
            X25519PrivateKey,
            X25519PublicKey,
        )

        if self.post_quantum:
            return self._make_hybrid_stanza(file_key)
        try:
            ephemeral_key = X25519PrivateKey.generate()
            shared_secret = ephemeral_key.exchange(X25519PublicKey.from_public_bytes(self.public))
        except ValueError:
            raise InvalidKeyError("an age recipient is not a valid public key") from None
        key_share = ephemeral_key.public_key().public_bytes_raw()
        # A zero nonce is safe: the share is new each time, so this key wraps only one file key.
        cipher = _make_wrapping_cipher(shared_secret, key_share, self.public)
        body = cipher.encrypt(bytes(12), file_key, None)
        return Stanza((self.kind, encode_unpadded(key_share)), body)

    def _make_hybrid_stanza(self, file_key: bytes) -> Stanza:
        """Return the stanza for a post-quantum recipient; see `wrap`."""
        with _require_mlkem():
            from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PublicKey
            from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey
            from cryptography.hazmat.primitives.hpke import MLKEM768X25519PublicKey

            try:
                key = MLKEM768X25519PublicKey(
                    MLKEM768PublicKey.from_public_bytes(self.public[:_MLKEM_PUBLIC_LENGTH]),
                    X25519PublicKey.from_public_bytes(self.public[_MLKEM_PUBLIC_LENGTH:]),
                )
                sealed_key = _get_hpke_suite().encrypt(file_key, key, _HYBRID_INFO)
            except ValueError:
                raise InvalidKeyError("an age recipient is not a valid public key") from None
        key_share, body = sealed_key[:_HYBRID_SHARE_LENGTH], sealed_key[_HYBRID_SHARE_LENGTH:]
        return Stanza((self.kind, encode_unpadded(key_share)), body)

    def __repr__(self) -> str:
        text = self.to_text()
        return f"<Recipient {text if len(text) < 80 else f'{text[:24]}...{text[-8:]}'}>"


class Identity(Secret):
    """The secret that opens pictures for its recipient: X25519, or X25519 with ML-KEM-768.

    It has the text form and the file form of age. `generate`, `from_text` and `from_file` make it.
    Like a `Key`, it is never printed or pickled.

    >>> import numpy as np
    >>> from sudokucrypt import Identity, decrypt, encrypt
    >>> identity = Identity.generate()
    >>> result = encrypt(np.zeros((3, 4), dtype=np.uint8), [identity.recipient])
    >>> decrypt(result.pixels, identity, result.header).any()
    np.False_
    """

    __slots__ = ()

    PREFIX: ClassVar[str] = "age-secret-key-"
    KEY_LEVEL: ClassVar[str] = "identity"
    NAME: ClassVar[str] = "identity"

    @classmethod
    def generate(cls, *, post_quantum: bool = False) -> Identity:
        """Draw a new identity from the operating system."""
        kind = PostQuantumIdentity if post_quantum else Identity
        return kind(secrets.token_bytes(KEY_LENGTH))

    @property
    def recipient(self) -> Recipient:
        """The public half, which others need to protect pictures for this identity."""
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

        private_key = X25519PrivateKey.from_private_bytes(self.to_bytes())
        return Recipient(private_key.public_key().public_bytes_raw())

    @property
    def public_text(self) -> str:
        """The recipient, as `age-keygen` writes it into identity files."""
        return f"public key: {self.recipient.to_text()}"

    def open(self, age_file: bytes) -> PictureKey:
        """Return the picture key in an age file.

        Raises `DecryptionError`, always with the same message, if the file is for other identities,
        was changed, or contains something else.

        All stanzas are tried, even after one fits, so that the time reveals only their number.
        """
        text = self.decrypt(age_file).decode("ascii", errors="replace")
        try:
            key = PictureKey.from_text(text)
        except InvalidKeyError:
            raise AgeFileError("payload") from None
        # Only one form of the key is accepted, so that case and spacing cannot carry hidden data.
        if text != f"{key.to_text()}\n":
            raise AgeFileError("payload")
        return key

    def decrypt(self, age_file: bytes) -> bytes:
        """Return the payload of an age file; errors are those of `open`."""
        file = AgeFile.from_bytes(age_file)
        if any(stanza.arguments[0] == "scrypt" for stanza in file.stanzas):
            raise AgeFileError("header")  # passphrases use the header field `kdf` instead
        file_keys = [key for key in map(self._unwrap, file.stanzas) if key is not None]
        if not file_keys:
            raise AgeFileError("no match")
        return file.decrypt(file_keys[0])

    def _unwrap(self, stanza: Stanza) -> bytes | None:
        """Return the file key in a stanza, or None if it is for another identity."""
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.asymmetric.x25519 import (
            X25519PrivateKey,
            X25519PublicKey,
        )

        if (share := _find_key_share(stanza, _X25519_KIND, KEY_LENGTH)) is None:
            return None
        private_key = X25519PrivateKey.from_private_bytes(self.to_bytes())
        try:
            shared_secret = private_key.exchange(X25519PublicKey.from_public_bytes(share))
        except ValueError:  # the share is a point of low order
            raise AgeFileError("header") from None
        try:
            cipher = _make_wrapping_cipher(
                shared_secret, share, private_key.public_key().public_bytes_raw()
            )
            return cipher.decrypt(bytes(12), stanza.body, None)
        except InvalidTag:
            return None


class PostQuantumIdentity(Identity):
    """An identity whose secret is the seed of keys for ML-KEM-768 and X25519."""

    __slots__ = ()

    PREFIX: ClassVar[str] = "age-secret-key-pq-"

    @property
    def recipient(self) -> Recipient:
        """The public half, which others need to protect pictures for this identity."""
        mlkem_key, x25519_key = self._derive_private_keys()
        return Recipient(
            mlkem_key.public_key().public_bytes_raw() + x25519_key.public_key().public_bytes_raw()
        )

    def _derive_private_keys(self) -> tuple[MLKEM768PrivateKey, X25519PrivateKey]:
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

        # As in X-Wing: SHAKE-256 expands the secret into the seeds of both keys.
        seeds = hashlib.shake_256(self.to_bytes()).digest(_MLKEM_SEED_LENGTH + KEY_LENGTH)
        with _require_mlkem():
            from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PrivateKey

            return (
                MLKEM768PrivateKey.from_seed_bytes(seeds[:_MLKEM_SEED_LENGTH]),
                X25519PrivateKey.from_private_bytes(seeds[_MLKEM_SEED_LENGTH:]),
            )

    def _unwrap(self, stanza: Stanza) -> bytes | None:
        from cryptography.exceptions import InvalidTag

        if (key_share := _find_key_share(stanza, _HYBRID_KIND, _HYBRID_SHARE_LENGTH)) is None:
            return None
        private_keys = self._derive_private_keys()
        with _require_mlkem():
            from cryptography.hazmat.primitives.hpke import MLKEM768X25519PrivateKey

            try:
                key = MLKEM768X25519PrivateKey(*private_keys)
                return _get_hpke_suite().decrypt(key_share + stanza.body, key, _HYBRID_INFO)
            except (InvalidTag, ValueError):
                return None


def encrypt_picture_key(recipients: Iterable[Recipient], key: PictureKey) -> bytes:
    """Return an age file from which each recipient can decrypt a picture key.

    Raises `InvalidKeyError` if there is no recipient, or more than 64, or more than 41 post-quantum
    ones; or if only some are post-quantum: then the picture would not resist quantum computers, and
    age refuses such files too.
    """
    file_key = secrets.token_bytes(FILE_KEY_LENGTH)
    stanzas = [recipient.wrap(file_key) for recipient in check_recipients(recipients)]
    return encrypt_payload(f"{key.to_text()}\n".encode("ascii"), file_key, stanzas)


def check_recipients(recipients: Iterable[Recipient]) -> tuple[Recipient, ...]:
    """Return recipients without repetition; `InvalidKeyError` if they cannot share a picture."""
    distinct_recipients = tuple(dict.fromkeys(recipients))
    post_quantum = any(recipient.post_quantum for recipient in distinct_recipients)
    limit = _MAX_POST_QUANTUM_STANZAS if post_quantum else MAX_STANZAS
    if not 1 <= len(distinct_recipients) <= limit:
        kind = "post-quantum recipients" if post_quantum else "recipients"
        raise InvalidKeyError(f"a picture has 1 to {limit} {kind}, not {len(distinct_recipients)}")
    if len({recipient.post_quantum for recipient in distinct_recipients}) > 1:
        raise InvalidKeyError(
            "post-quantum recipients cannot be mixed with others",
            hint="breaking X25519 would open the picture; make one picture for each kind",
        )
    return distinct_recipients


def _find_key_share(stanza: Stanza, kind: str, length: int) -> bytes | None:
    """Return the share in a stanza, or None if the stanza is of another kind."""
    if stanza.arguments[0] != kind:
        return None
    if len(stanza.arguments) != 2 or len(stanza.body) != _WRAPPED_KEY_LENGTH:
        raise AgeFileError("header")
    return decode_unpadded(stanza.arguments[1], length)


def _make_wrapping_cipher(
    shared_secret: bytes, key_share: bytes, public_key: bytes
) -> ChaCha20Poly1305:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    return ChaCha20Poly1305(derive_by_hkdf(shared_secret, key_share + public_key, _X25519_INFO))


@contextmanager
def _require_mlkem() -> Iterator[None]:
    """Raise `UnsupportedError` if the installed OpenSSL has no ML-KEM-768."""
    from cryptography.exceptions import UnsupportedAlgorithm

    try:
        yield
    except (ImportError, UnsupportedAlgorithm):
        raise UnsupportedError(
            "post-quantum identities need ML-KEM-768, which the installed OpenSSL does not have",
            hint="pip install -U cryptography, whose wheels have it; or use an ordinary identity",
        ) from None


def _get_hpke_suite() -> Suite:
    from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite

    return Suite(KEM.MLKEM768_X25519, KDF.HKDF_SHA256, AEAD.CHACHA20_POLY1305)
