"""Section 6: the message of a header and an image, and the salt, tag and seal that it gives.

The mask of the extras stands here too, since the tag names its stream.
"""

import hashlib
from collections.abc import Sequence

from tests.kit.reference import header as headers
from tests.kit.reference.chacha20 import ZERO_NONCE, exclusive_or, key_stream
from tests.kit.reference.header import Header
from tests.kit.reference.hkdf import SALT_BYTES, hmac_sha256, subkey

CHUNK_BYTES = 1048576


def le64(x: int) -> bytes:
    """LE64(x): eight bytes, lowest first."""
    return x.to_bytes(8, "little")


def message_of(header: bytes, frames: Sequence[bytes]) -> bytes:
    """The message of a header in some form and the samples of the plain frames."""
    chunks = [
        plain[i : i + CHUNK_BYTES] for plain in frames for i in range(0, len(plain), CHUNK_BYTES)
    ]
    digests = b"".join(hashlib.sha256(chunk).digest() for chunk in chunks)
    return le64(len(header)) + header + le64(len(chunks)) + digests


def salt_of(header: Header, frames: Sequence[bytes], master: bytes) -> bytes:
    """Deterministic salt of a header whose extras are plain, 16 bytes."""
    form = headers.write(header.without("salt", "tag", "seal"))
    return hmac_sha256(subkey(master, "master/salt"), message_of(form, frames))[:SALT_BYTES]


def tag_of(header: Header, frames: Sequence[bytes], picture_key: bytes) -> bytes:
    """Tag of a header whose extras are plain, 32 bytes."""
    form = headers.write(header.without("tag", "seal"))
    return hmac_sha256(subkey(picture_key, "picture/tag"), message_of(form, frames))


def seal_of(header: Header, picture_key: bytes) -> bytes:
    """Seal of a header with its tag, whose extras are masked, 32 bytes."""
    form = headers.write(header.without("seal"))
    return hmac_sha256(subkey(picture_key, "picture/seal"), form)


def mask(data: bytes, subkey_bytes: bytes, *, bits: int = 8) -> bytes:
    """The bytes under the key stream, of which `bits` lowest bits of a byte count."""
    stream = key_stream(subkey_bytes, counter=0, nonce=ZERO_NONCE)
    return exclusive_or(data, (byte % 2**bits for byte in stream))


def masked_extras(extras: bytes, picture_key: bytes, tag: bytes) -> bytes:
    """The extras under their stream; the same again undoes it."""
    return mask(extras, subkey(picture_key, "picture/extras", context=tag))
