"""Section 6: the message of a header and an image, and its salt, tag and seal.

The module also contains the mask of the extras, whose stream depends on the tag, and the steps of
section 7 that are common to all schemes with a tag.
"""

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import replace

from tests.kit.reference import RefusedError
from tests.kit.reference import header as headers
from tests.kit.reference.chacha20 import ZERO_NONCE, combine_by_xor, iterate_key_stream
from tests.kit.reference.header import Header
from tests.kit.reference.hkdf import SALT_BYTES, derive_subkey, hmac_sha256

CHUNK_BYTES = 1048576


def encode_le64(number: int) -> bytes:
    """Return LE64(x), eight bytes, lowest first."""
    return number.to_bytes(8, "little")


def make_message(header: bytes, frames: Sequence[bytes]) -> bytes:
    """Return the message of a header in some form and the samples of the plain frames."""
    chunks = [
        plain[i : i + CHUNK_BYTES] for plain in frames for i in range(0, len(plain), CHUNK_BYTES)
    ]
    digests = b"".join(hashlib.sha256(chunk).digest() for chunk in chunks)
    return encode_le64(len(header)) + header + encode_le64(len(chunks)) + digests


def make_salt(header: Header, frames: Sequence[bytes], master: bytes) -> bytes:
    """Return the deterministic salt of a header with plain extras, 16 bytes."""
    header_text = headers.write(header.without("salt", "tag", "seal"))
    return hmac_sha256(derive_subkey(master, "master/salt"), make_message(header_text, frames))[
        :SALT_BYTES
    ]


def compute_tag(header: Header, frames: Sequence[bytes], picture_key: bytes) -> bytes:
    """Return the tag of a header with plain extras, 32 bytes."""
    header_text = headers.write(header.without("tag", "seal"))
    return hmac_sha256(derive_subkey(picture_key, "picture/tag"), make_message(header_text, frames))


def make_seal(header: Header, picture_key: bytes) -> bytes:
    """Return the seal of a header with its tag and masked extras, 32 bytes."""
    header_text = headers.write(header.without("seal"))
    return hmac_sha256(derive_subkey(picture_key, "picture/seal"), header_text)


def mask(data: bytes, subkey_bytes: bytes, *, bits: int = 8) -> bytes:
    """Mask bytes with the key stream, of which only the `bits` lowest bits of a byte are used."""
    stream = iterate_key_stream(subkey_bytes, counter=0, nonce=ZERO_NONCE)
    return combine_by_xor(data, (byte % 2**bits for byte in stream))


def mask_extras(extras: bytes, picture_key: bytes, tag: bytes) -> bytes:
    """Mask the extras with their stream; masking twice restores them."""
    return mask(extras, derive_subkey(picture_key, "picture/extras", context=tag))


def salt_header(unsalted_header: Header, frames: Sequence[bytes], master: bytes) -> Header:
    """Return the draft with its salt, by default the deterministic one (step 1)."""
    if unsalted_header.salt is not None:
        return unsalted_header
    return replace(unsalted_header, salt=make_salt(unsalted_header, frames, master).hex())


def close_header(header: Header, key: bytes, tag: bytes) -> Header:
    """Return the complete header: with its tag, masked extras and its seal (step 4)."""
    extras = None if header.extras is None else mask_extras(header.extras, key, tag)
    header = replace(header, extras=extras, tag=tag.hex())
    return replace(header, seal=make_seal(header, key).hex())


def open_header(header: Header, key: bytes) -> Header:
    """Return the header with plain extras; refuse a wrong seal (steps 3 and 4)."""
    if not hmac.compare_digest(make_seal(header, key), bytes.fromhex(header.seal or "")):
        raise RefusedError("wrong key or altered header")
    if header.extras is None:
        return header
    tag = bytes.fromhex(header.tag or "")
    return replace(header, extras=mask_extras(header.extras, key, tag))
