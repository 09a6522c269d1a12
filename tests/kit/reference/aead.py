"""ChaCha20-Poly1305, for locked key files.

References
----------
RFC 8439, https://www.rfc-editor.org/rfc/rfc8439
"""

import hmac

from tests.kit.reference import RefusedError
from tests.kit.reference.chacha20 import block, exclusive_or, key_stream

TAG_BYTES = 16
PRIME = 2**130 - 5
_CLAMP = 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF


def poly1305(key: bytes, message: bytes) -> bytes:
    """RFC 8439, section 2.5: the tag of `message` under the one-time key of 32 bytes."""
    r = int.from_bytes(key[:16], "little") & _CLAMP
    s = int.from_bytes(key[16:], "little")
    accumulator = 0
    for i in range(0, len(message), 16):
        part = message[i : i + 16] + b"\x01"
        accumulator = (accumulator + int.from_bytes(part, "little")) * r % PRIME
    return ((accumulator + s) % 2**128).to_bytes(TAG_BYTES, "little")


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 16)


def _tag(sealed: bytes, *, key: bytes, nonce: bytes, associated: bytes) -> bytes:
    lengths = len(associated).to_bytes(8, "little") + len(sealed).to_bytes(8, "little")
    one_time_key = block(key, 0, nonce)[:32]
    return poly1305(one_time_key, _padded(associated) + _padded(sealed) + lengths)


def seal(plain: bytes, *, key: bytes, nonce: bytes, associated: bytes) -> bytes:
    """RFC 8439, section 2.8: the encrypted bytes, then the tag."""
    sealed = exclusive_or(plain, key_stream(key, counter=1, nonce=nonce))
    return sealed + _tag(sealed, key=key, nonce=nonce, associated=associated)


def unseal(data: bytes, *, key: bytes, nonce: bytes, associated: bytes) -> bytes:
    """Undo `seal`; refuse what it did not make."""
    sealed, tag = data[:-TAG_BYTES], data[-TAG_BYTES:]
    if not hmac.compare_digest(tag, _tag(sealed, key=key, nonce=nonce, associated=associated)):
        raise RefusedError("wrong passphrase or altered data")
    return exclusive_or(sealed, key_stream(key, counter=1, nonce=nonce))
