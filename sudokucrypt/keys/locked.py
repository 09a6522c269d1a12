"""Key files that a passphrase locks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudokucrypt.errors import DecryptionError, InvalidKeyError
from sudokucrypt.keys import bech32
from sudokucrypt.keys.key import Key
from sudokucrypt.keys.passphrase import RETRY_HINT, KeyDerivation, Passphrase
from sudokucrypt.keys.secret import LOCKED_PREFIX, USE_COPY, content_lines, derive, error_context

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

_SEALED_LENGTH = 48  # bytes: the key, and the 16 of the authentication tag


def lock(key: Key, passphrase: Passphrase, *, profile: str = "default") -> str:
    """Return the content of a key file that only the passphrase opens.

    Parameters
    ----------
    key : Key
        The key.
    passphrase : Passphrase
        What locks it.
    profile : {"default", "strong"}
        How much memory and time each guess costs.

    Raises
    ------
    InvalidKeyError
        If it is the key of one picture.

    Notes
    -----
    The file holds the parameters of the derivation on one line, and on the next the key under
    ChaCha20-Poly1305 (RFC 8439) with a subkey of the derived key, nonce zero, and the first line
    as associated data. The salt is drawn here, so the subkey is used for this one message.
    """
    if not isinstance(key, Key):
        raise InvalidKeyError("the key of one picture is not locked", hint="lock the key itself")
    derivation = KeyDerivation.new(profile)
    line = derivation.to_text()
    sealed = _cipher(derivation, passphrase).encrypt(bytes(12), key.to_bytes(), line.encode())
    comments = key.comment_lines("sudokucrypt key, locked with a passphrase")
    return f"{comments}{line}\n{bech32.encode(LOCKED_PREFIX, sealed).upper()}\n"


def is_locked(text: str) -> bool:
    """Return whether the content of a key file needs a passphrase."""
    lines = content_lines(text)
    return len(lines) == 2 and lines[1].lower().startswith(LOCKED_PREFIX)


def unlock(text: str, passphrase: Passphrase, *, origin: str | None = None) -> Key:
    """Return the key in a locked key file.

    Parameters
    ----------
    text : str
        The content of the file.
    passphrase : Passphrase
        What it was locked with.
    origin : str, optional
        As for `Key`; errors name it too.

    Raises
    ------
    InvalidKeyError
        If the text is no locked key file.
    DecryptionError
        If the passphrase is wrong or the file was changed.
    FormatError, UnsupportedError
        As for `KeyDerivation.from_text` and `KeyDerivation.require_affordable`.
    """
    from cryptography.exceptions import InvalidTag

    with error_context(origin):
        line, sealed = _read(text)
    derivation = KeyDerivation.from_text(line)
    derivation.require_affordable()
    cipher = _cipher(derivation, passphrase)
    try:
        return Key(cipher.decrypt(bytes(12), sealed, line.encode("ascii")), origin=origin)
    except InvalidTag:
        raise DecryptionError(
            f"the passphrase does not open {origin or 'the key file'}, or the file was changed",
            hint=RETRY_HINT,
        ) from None


def _read(text: str) -> tuple[str, bytes]:
    """Return the parameters of the derivation, and what is locked."""
    if not is_locked(text):
        raise InvalidKeyError("not a locked key file")
    line, words = content_lines(text)
    try:
        prefix, sealed = bech32.decode(words)
    except ValueError as error:
        raise InvalidKeyError(f"a damaged locked key file: {error}", hint=USE_COPY) from None
    if prefix != LOCKED_PREFIX or len(sealed) != _SEALED_LENGTH:
        raise InvalidKeyError("a damaged locked key file: its length is wrong", hint=USE_COPY)
    return line, sealed


def _cipher(derivation: KeyDerivation, passphrase: Passphrase) -> ChaCha20Poly1305:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    return ChaCha20Poly1305(derive(derivation.derive(passphrase).to_bytes(), "lock"))
