"""Encryption, section 5: key files that are locked with a passphrase."""

from tests.kit.reference import RefusedError, bech32, kdf
from tests.kit.reference.aead import TAG_BYTES, seal, unseal
from tests.kit.reference.chacha20 import ZERO_NONCE
from tests.kit.reference.hkdf import subkey

LOCKED_PREFIX = "sudokucrypt-locked-key-"
LOCKED_BYTES = bech32.KEY_BYTES + TAG_BYTES
USE = "lock"


def lock(key: bytes, passphrase: str, derivation: str) -> bytes:
    """The bytes of a key file that holds `key`, locked by the derivation `derivation`."""
    sealed = seal(
        key,
        key=subkey(kdf.derive(passphrase, derivation), USE),
        nonce=ZERO_NONCE,
        associated=derivation.encode("ascii"),
    )
    text = bech32.encode(LOCKED_PREFIX, bech32.groups_from_bytes(sealed)).upper()
    return f"{derivation}\n{text}\n".encode("ascii")


def unlock(content: bytes, passphrase: str) -> bytes:
    """Master key in a locked key file with the bytes `content`."""
    lines = bech32.lines_that_count(content)
    if len(lines) != 2:
        raise RefusedError("a locked key file has a derivation and a locked key")
    derivation, text = lines
    cipher_key = subkey(kdf.derive(passphrase, derivation), USE)
    prefix, groups = bech32.decode(text, limit=None)
    sealed = bech32.bytes_from_groups(groups)
    if prefix != LOCKED_PREFIX or len(sealed) != LOCKED_BYTES:
        raise RefusedError("Bech32, but not of a locked key")
    return unseal(sealed, key=cipher_key, nonce=ZERO_NONCE, associated=derivation.encode("ascii"))
