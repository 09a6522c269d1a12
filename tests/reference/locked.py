"""Encryption, section 5: key files that are locked with a passphrase."""

from tests.reference import RefusedError, bech32, kdf
from tests.reference.aead import TAG_BYTES, seal, unseal
from tests.reference.chacha20 import ZERO_NONCE

LOCKED_PREFIX = "sudokucrypt-locked-key-"
LOCKED_BYTES = bech32.KEY_BYTES + TAG_BYTES


def lock(key: bytes, passphrase: str, derivation: str) -> bytes:
    """The bytes of a key file that holds `key`, locked by the derivation `derivation`."""
    sealed = seal(
        key,
        key=kdf.derive(passphrase, derivation),
        nonce=ZERO_NONCE,
        associated=derivation.encode("ascii"),
    )
    text = bech32.encode(LOCKED_PREFIX, bech32.groups_from_bytes(sealed)).upper()
    return f"{derivation}\n{text}\n".encode("ascii")


def unlock(content: bytes, passphrase: str) -> bytes:
    """Key of 32 bytes in a locked key file with the bytes `content`."""
    lines = bech32.lines_that_count(content)
    if len(lines) != 2:
        raise RefusedError("a locked key file has a derivation and a locked key")
    # Assumed: as on the line of a key, spaces around both lines are ignored, and the text may be
    # all lower case; the associated data is the derivation without those spaces.
    derivation, text = lines
    derived = kdf.derive(passphrase, derivation)
    prefix, groups = bech32.decode(text, limit=None)
    sealed = bech32.bytes_from_groups(groups)
    if prefix != LOCKED_PREFIX or len(sealed) != LOCKED_BYTES:
        raise RefusedError("Bech32, but not of a locked key")
    return unseal(sealed, key=derived, nonce=ZERO_NONCE, associated=derivation.encode("ascii"))
