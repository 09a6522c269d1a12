"""Key files that a passphrase locks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sudokucrypt.errors import DecryptionError, InvalidKeyError
from sudokucrypt.keys import bech32
from sudokucrypt.keys.key import Key
from sudokucrypt.keys.passphrase import KeyDerivation, Passphrase
from sudokucrypt.keys.secret import content_lines, derive

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

_PREFIX = "sudokucrypt-locked-key-"
_SEALED_LENGTH = 48


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
    return f"{comments}{line}\n{bech32.encode(_PREFIX, sealed).upper()}\n"


def is_locked(text: str) -> bool:
    """Tell whether the content of a key file needs a passphrase."""
    lines = content_lines(text)
    return len(lines) == 2 and lines[1].lower().startswith(_PREFIX)


def unlock(text: str, passphrase: Passphrase) -> Key:
    """Return the key in a locked key file.

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

    if not is_locked(text):
        raise InvalidKeyError("not a locked key file")
    line, words = content_lines(text)
    try:
        prefix, sealed = bech32.decode(words)
    except ValueError as error:
        raise InvalidKeyError(f"not a locked key file: {error}") from None
    if prefix != _PREFIX or len(sealed) != _SEALED_LENGTH:
        raise InvalidKeyError("not a locked key file: its length is wrong")
    derivation = KeyDerivation.from_text(line)
    derivation.require_affordable()
    cipher = _cipher(derivation, passphrase)
    try:
        return Key(cipher.decrypt(bytes(12), sealed, line.encode("ascii")))
    except InvalidTag:
        raise DecryptionError(
            "the passphrase does not open the key file, or the file was changed", hint=None
        ) from None


def _cipher(derivation: KeyDerivation, passphrase: Passphrase) -> ChaCha20Poly1305:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    return ChaCha20Poly1305(derive(derivation.derive(passphrase).to_bytes(), "lock"))
