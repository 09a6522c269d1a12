"""Key files that a passphrase locks."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from sudokucrypt.errors import DecryptionError, InvalidKeyError
from sudokucrypt.keys.key import Key, PictureKey, derive
from sudokucrypt.keys.passphrase import KeyDerivation, Passphrase
from sudokucrypt.keys.texts import (
    USE_COPY,
    content_lines,
    decode_bech32,
    encode_bech32,
    error_context,
    is_locked,
)

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    from sudokucrypt.keys.identity import Identity

_LOCKED = "sudokucrypt-locked-"
_SEALED_LENGTH = 48  # bytes: the key, and the 16 of the authentication tag


def lock(key: Key | Identity, passphrase: Passphrase, *, profile: str = "default") -> str:
    """Return the content of a key file that only the passphrase opens.

    Raises `InvalidKeyError` if it is the key of one picture.

    The file holds the parameters of the derivation on one line, and on the next the key under
    ChaCha20-Poly1305 (RFC 8439) with a subkey of the derived key, nonce zero, and the first line as
    associated data. The salt is drawn here, so the subkey is used for this one message. How much
    memory and time each guess costs is said by the profile, "default" or "strong".
    """
    if isinstance(key, PictureKey):
        raise InvalidKeyError("the key of one picture is not locked", hint="lock the key itself")
    prefix = _LOCKED + key.PREFIX.removeprefix("sudokucrypt-")
    derivation = KeyDerivation.new(profile)
    line = derivation.to_text()
    cipher = _make_cipher(derivation, passphrase, prefix)
    sealed = cipher.encrypt(bytes(12), key.to_bytes(), line.encode())
    comments = key.comment_lines(", locked with a passphrase")
    return f"{comments}{line}\n{encode_bech32(prefix, sealed).upper()}\n"


def unlock(text: str, passphrase: Passphrase, *, origin: str | None = None) -> Key | Identity:
    """Return the key or the identity in a locked key file.

    Errors name the `origin` of the text, as that of a `Key`.

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

    with error_context(origin):
        line, prefix, sealed = _read(text)
    derivation = KeyDerivation.from_text(line)
    derivation.require_affordable()
    for reading in passphrase.readings():
        with suppress(InvalidTag):
            cipher = _make_cipher(derivation, reading, prefix)
            secret = cipher.decrypt(bytes(12), sealed, line.encode("ascii"))
            return _list_kinds()[prefix](secret, origin=origin)
    raise DecryptionError(
        f"the passphrase does not open {origin or 'the key file'}, or the file was changed",
        hint=passphrase.retry_hint,
    )


def _list_kinds() -> dict[str, type[Key] | type[Identity]]:
    """Return what is locked under which prefix."""
    from sudokucrypt.keys.identity import Identity, PostQuantumIdentity

    kinds: tuple[type[Key] | type[Identity], ...] = (Key, Identity, PostQuantumIdentity)
    return {_LOCKED + kind.PREFIX.removeprefix("sudokucrypt-"): kind for kind in kinds}


def _read(text: str) -> tuple[str, str, bytes]:
    """Return the parameters of the derivation, the prefix of what is locked, and its bytes."""
    if not is_locked(text):
        raise InvalidKeyError("not a locked key file")
    line, words = content_lines(text)
    try:
        prefix, sealed = decode_bech32(words)
    except ValueError as error:
        raise InvalidKeyError(f"a damaged locked key file: {error}", hint=USE_COPY) from None
    if prefix not in _list_kinds() or len(sealed) != _SEALED_LENGTH:
        raise InvalidKeyError("a damaged locked key file: its length is wrong", hint=USE_COPY)
    return line, prefix, sealed


def _make_cipher(
    derivation: KeyDerivation, passphrase: Passphrase, prefix: str
) -> ChaCha20Poly1305:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    # With the kind in the label: nobody turns what is locked into a secret of another kind.
    kind = prefix.removeprefix(_LOCKED)
    use = "lock" if kind == "key-" else f"lock/{kind.removesuffix('-')}"
    return ChaCha20Poly1305(derive(derivation.derive(passphrase).to_bytes(), use))
