"""Section 6: the message of a header and an image, and the salt, tag and seal that it gives.

The mask of the extras stands here too, since the tag names its stream; and the steps of section 7
that every scheme with a tag has.
"""

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import replace

from tests.kit.reference import RefusedError
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


def salt_header(draft: Header, frames: Sequence[bytes], master: bytes) -> Header:
    """The draft with its salt: the one it has, else the deterministic one (step 1)."""
    if draft.salt is not None:
        return draft
    return replace(draft, salt=salt_of(draft, frames, master).hex())


def close_header(header: Header, key: bytes, tag: bytes) -> Header:
    """The whole header: its tag, its extras masked, and then its seal (step 4)."""
    extras = None if header.extras is None else masked_extras(header.extras, key, tag)
    header = replace(header, extras=extras, tag=tag.hex())
    return replace(header, seal=seal_of(header, key).hex())


def open_header(header: Header, key: bytes) -> Header:
    """The header with plain extras; refused if its seal is another (steps 3 and 4)."""
    if not hmac.compare_digest(seal_of(header, key), bytes.fromhex(header.seal or "")):
        raise RefusedError("wrong key or altered header")
    if header.extras is None:
        return header
    tag = bytes.fromhex(header.tag or "")
    return replace(header, extras=masked_extras(header.extras, key, tag))
