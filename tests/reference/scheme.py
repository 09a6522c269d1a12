"""Sections 6 and 7: the tag, and scrambling and restoring of the bytes of an image.

Sections 2 and 3 of the other page: the mask, and encrypting and decrypting.

The bytes of an image are all its samples in C order, each lowest byte first.
"""

import hashlib
import hmac
import math
import unicodedata
from collections.abc import Sequence

from tests.reference import RefusedError
from tests.reference import header as headers
from tests.reference import kdf as kdfs
from tests.reference.chacha20 import ZERO_NONCE, exclusive_or, key_stream, words
from tests.reference.draws import inverse, move_from
from tests.reference.header import CONTEXT, ENCRYPT, KEYED, SAMPLE_BYTES, Header
from tests.reference.hkdf import hmac_sha256, key_id, subkey
from tests.reference.permutation import permutation
from tests.reference.units import default_rounds, groups

KEY_BYTES = 32
CHUNK_BYTES = 1048576
MAX_MASKED = 2**38


def le64(x: int) -> bytes:
    """LE64(x): eight bytes, lowest first."""
    return x.to_bytes(8, "little")


def tag_of(header: Header, plain: bytes, key: bytes) -> bytes:
    """Tag of the plain image under the header without its tag, 32 bytes."""
    h = headers.write(header.without_tag())
    chunks = [plain[i : i + CHUNK_BYTES] for i in range(0, len(plain), CHUNK_BYTES)]
    message = le64(len(h)) + h + le64(len(chunks))
    for chunk in chunks:
        message += hashlib.sha256(chunk).digest()
    return hmac_sha256(subkey(key, "tag"), message)


def context_nonce(context: str) -> bytes:
    """Nonce of `scramble-context-v1`: the context text in form C, as UTF-8."""
    if not context:
        raise RefusedError("the context text is empty")
    try:
        return unicodedata.normalize("NFC", context).encode("utf-8")
    except UnicodeEncodeError as error:
        raise RefusedError("the context text is not Unicode text") from error


def sample_sources(header: Header, key: bytes, nonce: bytes) -> list[int]:
    """The sample at place sources[i] of the plain image moves to place i."""
    use = "context" if header.scheme == CONTEXT else "permutation"
    sources = list(range(math.prod(header.shape)))
    for name, units in groups(header.shape, header.unit, block_size=header.block_size).items():
        full_use = use if name == "main" else f"{use}/{name}"
        stream = words(subkey(key, full_use, context=nonce))
        unit_sources = permutation(len(units), header.rounds, stream)
        for place, source in enumerate(unit_sources):
            for to_sample, from_sample in zip(units[place], units[source], strict=True):
                sources[to_sample] = from_sample
    return sources


def mask(data: bytes, dtype: str, key: bytes, nonce: bytes) -> bytes:
    """The bytes under the mask of section 3; the same again undoes it."""
    if len(data) > MAX_MASKED:
        raise RefusedError("more than 2^38 bytes")
    subkey_bytes = subkey(key, "keystream", context=nonce)
    stream = key_stream(subkey_bytes, counter=0, nonce=ZERO_NONCE)
    # Assumed: every boolean uses up one byte of the stream, of which the lowest bit counts.
    return exclusive_or(data, (byte & 1 for byte in stream) if dtype == "bool" else stream)


def _check_key(key: bytes) -> None:
    if len(key) != KEY_BYTES:
        raise RefusedError("a key is 32 bytes")


def _samples(data: bytes, header: Header) -> list[bytes]:
    size = SAMPLE_BYTES[header.dtype]
    if len(data) != math.prod(header.shape) * size:
        raise RefusedError("the bytes do not fit the shape and dtype")
    if header.dtype == "bool" and not set(data) <= {0, 1}:
        raise RefusedError("a boolean is one byte, 0 or 1")
    return [data[i : i + size] for i in range(0, len(data), size)]


def protect_bytes(
    plain: bytes, header: Header, *, key: bytes, context: str | None = None
) -> tuple[bytes, bytes]:
    """Scramble or encrypt the bytes of an image.

    Parameters
    ----------
    plain
        All samples in C order, each lowest byte first.
    header
        The header without its tag.
    key
        32 bytes.
    context
        Context text; None exactly if the scheme is not `scramble-context-v1`.

    Returns
    -------
    tuple of bytes
        The bytes of the scrambled or encrypted image, and its header.
    """
    _check_key(key)
    samples = _samples(plain, header)
    if context is None:
        # Assumed: the nonce is the 32 bytes of the tag, not its 64 digits.
        nonce = tag_of(header, plain, key)
        header = header.with_tag(nonce)
    else:
        nonce = context_nonce(context)
    moved = b"".join(move_from(samples, sample_sources(header, key, nonce)))
    if header.scheme == ENCRYPT:
        moved = mask(moved, header.dtype, key, nonce)
    return moved, headers.write(header)


def scramble_bytes(
    plain: bytes,
    *,
    shape: Sequence[int],
    dtype: str,
    unit: str,
    block_size: int | None = None,
    rounds: int,
    key: bytes,
    kdf: str | None = None,
    salt: bytes | None = None,
    context: str | None = None,
) -> tuple[bytes, bytes]:
    """Scramble the bytes of an image: by `scramble-context-v1` if there is a context text.

    The other parameters are the fields of the header; `salt` is 16 bytes, or None.
    """
    header = Header(
        scheme=KEYED if context is None else CONTEXT,
        unit=unit,
        block_size=block_size,
        rounds=rounds,
        shape=tuple(shape),
        dtype=dtype,
        key_id=key_id(key),
        kdf=kdf,
        salt=None if salt is None else salt.hex(),
    )
    return protect_bytes(plain, header, key=key, context=context)


def encrypt_bytes(
    plain: bytes,
    *,
    shape: Sequence[int],
    dtype: str,
    rounds: int,
    key: bytes,
    kdf: str | None = None,
    salt: bytes | None = None,
) -> tuple[bytes, bytes]:
    """Encrypt the bytes of an image by `encrypt-v1`."""
    header = Header(
        scheme=ENCRYPT,
        unit="pixel",
        rounds=rounds,
        shape=tuple(shape),
        dtype=dtype,
        key_id=key_id(key),
        kdf=kdf,
        salt=None if salt is None else salt.hex(),
    )
    return protect_bytes(plain, header, key=key)


def _header_for_context(shape: Sequence[int], dtype: str, key: bytes) -> Header:
    counts = [len(units) for units in groups(shape, "pixel").values()]
    return Header(
        scheme=CONTEXT,
        unit="pixel",
        rounds=default_rounds(counts),
        shape=tuple(shape),
        dtype=dtype,
        key_id=key_id(key),
    )


def restore_bytes(
    data: bytes,
    header_bytes: bytes | None,
    *,
    shape: Sequence[int],
    dtype: str,
    key: bytes,
    context: str | None = None,
) -> bytes:
    """Restore the bytes of an image by the scheme that its header names.

    Parameters
    ----------
    data
        All samples in C order, each lowest byte first.
    header_bytes
        The header, or None for `scramble-context-v1` without one.
    shape, dtype
        Of the image at hand.
    key
        32 bytes.
    context
        Context text; None exactly if the scheme is not `scramble-context-v1`.

    Returns
    -------
    bytes
        The bytes of the plain image.
    """
    _check_key(key)
    if header_bytes is None:
        header = _header_for_context(shape, dtype, key)
    else:
        header = headers.read(header_bytes)
    if (header.scheme == CONTEXT) != (context is not None):
        raise RefusedError("a context text is for scramble-context-v1, and needed there")
    if header.key_id != key_id(key):
        raise RefusedError("another key")
    if header.shape != tuple(shape) or header.dtype != dtype:
        raise RefusedError("another shape or dtype")

    # Assumed: encrypted booleans of another byte than 0 or 1 are refused like plain ones.
    samples = _samples(data, header)
    nonce = bytes.fromhex(header.tag or "") if context is None else context_nonce(context)
    if header.scheme == ENCRYPT:
        samples = _samples(mask(data, dtype, key, nonce), header)
    plain = b"".join(move_from(samples, inverse(sample_sources(header, key, nonce))))
    if context is None and not hmac.compare_digest(tag_of(header, plain, key), nonce):
        raise RefusedError("wrong key or altered data")
    return plain


def key_from_passphrase(header_bytes: bytes, passphrase: str) -> bytes:
    """Key that the passphrase gives under the key derivation in the header."""
    header = headers.read(header_bytes)
    if header.kdf is None:
        raise RefusedError("a passphrase for a picture without a key derivation")
    return kdfs.derive(passphrase, header.kdf)
