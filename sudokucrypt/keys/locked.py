"""Key files that are locked with a passphrase."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from sudokucrypt.errors import DecryptionError, InvalidKeyError
from sudokucrypt.keys.key import Key, PictureKey, derive_bytes
from sudokucrypt.keys.passphrase import KeyDerivation, Passphrase
from sudokucrypt.keys.texts import (
    COPY_HINT,
    add_origin_to_errors,
    decode_bech32,
    encode_bech32,
    is_locked,
    list_content_lines,
)

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    from sudokucrypt.keys.identity import Identity

_LOCKED_PREFIX = "sudokucrypt-locked-"
_ENCRYPTED_LENGTH = 48  # bytes: the key, and 16 of the authentication tag


def lock(key: Key | Identity, passphrase: Passphrase, *, profile: str = "default") -> str:
    """Return the content of a key file that only the passphrase opens.

    The first line has the parameters of the derivation. The second line has the key, encrypted with
    ChaCha20-Poly1305 (RFC 8439) under a subkey of the derived key, with nonce zero, and with the
    first line as associated data. The salt is random, so the subkey encrypts only this message. The
    profile, "default" or "strong", sets the memory and time that each guess costs.

    Raises `InvalidKeyError` for a picture key.
    """
    if isinstance(key, PictureKey):
        raise InvalidKeyError("a picture key cannot be locked", hint="lock the key itself")
    prefix = _LOCKED_PREFIX + key.PREFIX.removeprefix("sudokucrypt-")
    derivation = KeyDerivation.new(profile)
    line = derivation.to_text()
    cipher = _make_cipher(derivation, passphrase, prefix)
    encrypted_key = cipher.encrypt(bytes(12), key.to_bytes(), line.encode())
    comments = key.make_comment_lines(", locked with a passphrase")
    return f"{comments}{line}\n{encode_bech32(prefix, encrypted_key).upper()}\n"


def unlock(text: str, passphrase: Passphrase, *, origin: str | None = None) -> Key | Identity:
    """Return the key or the identity in a locked key file.

    `origin` is the name of the text in messages, as for `Key`.

    Raises
    ------
    InvalidKeyError
        If the text is not a locked key file.
    DecryptionError
        If the passphrase is wrong or the file was changed.
    FormatError, UnsupportedError
        As for `KeyDerivation.from_text` and `KeyDerivation.require_affordable`.
    """
    from cryptography.exceptions import InvalidTag

    with add_origin_to_errors(origin):
        line, prefix, encrypted_key = _parse_file(text)
    derivation = KeyDerivation.from_text(line)
    derivation.require_affordable()
    for spelling in passphrase.iterate_spellings():
        with suppress(InvalidTag):
            cipher = _make_cipher(derivation, spelling, prefix)
            secret = cipher.decrypt(bytes(12), encrypted_key, line.encode("ascii"))
            return _map_classes_by_prefix()[prefix](secret, origin=origin)
    raise DecryptionError(
        f"the passphrase does not open {origin or 'the key file'}, or the file was changed",
        hint=passphrase.retry_hint,
    )


def _map_classes_by_prefix() -> dict[str, type[Key] | type[Identity]]:
    """Return the classes of keys that can be locked, by the prefix of their locked form."""
    from sudokucrypt.keys.identity import Identity, PostQuantumIdentity

    kinds: tuple[type[Key] | type[Identity], ...] = (Key, Identity, PostQuantumIdentity)
    return {_LOCKED_PREFIX + kind.PREFIX.removeprefix("sudokucrypt-"): kind for kind in kinds}


def _parse_file(text: str) -> tuple[str, str, bytes]:
    """Return the line of the derivation, the prefix of the locked key, and its encrypted bytes."""
    if not is_locked(text):
        raise InvalidKeyError("not a locked key file")
    derivation_line, key_line = list_content_lines(text)
    try:
        prefix, encrypted_key = decode_bech32(key_line)
    except ValueError as error:
        raise InvalidKeyError(f"a damaged locked key file: {error}", hint=COPY_HINT) from None
    if prefix not in _map_classes_by_prefix() or len(encrypted_key) != _ENCRYPTED_LENGTH:
        raise InvalidKeyError("a damaged locked key file: its length is wrong", hint=COPY_HINT)
    return derivation_line, prefix, encrypted_key


def _make_cipher(
    derivation: KeyDerivation, passphrase: Passphrase, prefix: str
) -> ChaCha20Poly1305:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    # The label contains the kind of key, so that an attacker cannot turn a locked key into a key
    # of another kind.
    kind = prefix.removeprefix(_LOCKED_PREFIX)
    key_use = "lock" if kind == "key-" else f"lock/{kind.removesuffix('-')}"
    return ChaCha20Poly1305(derive_bytes(derivation.derive(passphrase).to_bytes(), key_use))
