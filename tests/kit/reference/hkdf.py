"""Section 1: subkeys by HKDF-SHA-256, and the key id.

References
----------
RFC 5869, https://www.rfc-editor.org/rfc/rfc5869
"""

import hashlib
import hmac

from tests.kit.reference import RefusedError

HASH_BYTES = 32
INFO_PREFIX = b"sudokucrypt/v1/"
SUBKEY_BYTES = 32
KEY_BYTES = 32
KEY_ID_BYTES = 4
SALT_BYTES = 16


def hmac_sha256(key: bytes, message: bytes) -> bytes:
    """Return the HMAC-SHA-256 of `message`, 32 bytes."""
    return hmac.new(key, message, hashlib.sha256).digest()


def extract(salt: bytes | None, material: bytes) -> bytes:
    """Return the pseudorandom key of `material`, 32 bytes (RFC 5869, section 2.2)."""
    return hmac_sha256(bytes(HASH_BYTES) if salt is None else salt, material)


def expand(pseudorandom_key: bytes, info: bytes, length: int) -> bytes:
    """Return `length` bytes of output, at most 255 times 32 (RFC 5869, section 2.3)."""
    if not 0 < length <= 255 * HASH_BYTES:
        raise RefusedError("HKDF-SHA-256 gives 1 to 8160 bytes")
    output = b""
    previous_block = b""
    counter = 0
    while len(output) < length:
        counter += 1
        previous_block = hmac_sha256(pseudorandom_key, previous_block + info + bytes([counter]))
        output += previous_block
    return output[:length]


def hkdf_sha256(material: bytes, *, salt: bytes | None, info: bytes, length: int) -> bytes:
    """Return the output of extracting and then expanding (RFC 5869)."""
    return expand(extract(salt, material), info, length)


def derive_subkey(
    key: bytes, use: str, *, context: bytes | None = None, length: int = SUBKEY_BYTES
) -> bytes:
    """Return the subkey of a key of 32 bytes for a use in the table of section 1.

    For a use without a context, `context` is None, which differs from a context of 0 bytes.
    """
    info = INFO_PREFIX + use.encode("ascii")
    if context is not None:
        info += b"\x00" + context
    return hkdf_sha256(key, salt=None, info=info, length=length)


def compute_key_id(key: bytes) -> str:
    """Return the key id of a master key, 8 lower-case hexadecimal digits."""
    return derive_subkey(key, "master/id", length=KEY_ID_BYTES).hex()


def derive_picture_key(master: bytes, salt: bytes) -> bytes:
    """Return the picture key for the salt of one picture, 32 bytes."""
    if len(master) != KEY_BYTES or len(salt) != SALT_BYTES:
        raise RefusedError("a master key is 32 bytes, a salt 16")
    return derive_subkey(master, "master/picture", context=salt)
