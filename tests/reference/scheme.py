"""Sections 6 and 7: the tag, and scrambling and restoring of the bytes of an image.

The bytes of an image are all its samples in C order, each lowest byte first.
"""

import hashlib
import hmac
import math
import unicodedata
from collections.abc import Sequence

from tests.reference import RefusedError
from tests.reference import header as headers
from tests.reference.chacha20 import words
from tests.reference.draws import inverse, move_from
from tests.reference.header import CONTEXT, KEYED, SAMPLE_BYTES, Header
from tests.reference.hkdf import hmac_sha256, key_id, subkey
from tests.reference.permutation import permutation
from tests.reference.units import default_rounds, groups

KEY_BYTES = 32
CHUNK_BYTES = 1048576


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
    use = "permutation" if header.scheme == KEYED else "context"
    sources = list(range(math.prod(header.shape)))
    for name, units in groups(header.shape, header.unit, block_size=header.block_size).items():
        full_use = use if name == "main" else f"{use}/{name}"
        stream = words(subkey(key, full_use, context=nonce))
        unit_sources = permutation(len(units), header.rounds, stream)
        for place, source in enumerate(unit_sources):
            for to_sample, from_sample in zip(units[place], units[source], strict=True):
                sources[to_sample] = from_sample
    return sources


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


def scramble_bytes(
    plain: bytes,
    *,
    shape: Sequence[int],
    dtype: str,
    unit: str,
    block_size: int | None = None,
    rounds: int,
    key: bytes,
    salt: bytes | None = None,
    context: str | None = None,
) -> tuple[bytes, bytes]:
    """Scramble the bytes of an image: by `scramble-context-v1` if there is a context text.

    Parameters
    ----------
    plain
        All samples in C order, each lowest byte first.
    shape, dtype, unit, block_size, rounds
        As in the header.
    key
        32 bytes.
    salt
        16 bytes, or None to leave it out.
    context
        Context text, or None for `scramble-v1`.

    Returns
    -------
    tuple of bytes
        The bytes of the scrambled image, and its header.
    """
    _check_key(key)
    header = Header(
        scheme=KEYED if context is None else CONTEXT,
        unit=unit,
        block_size=block_size,
        rounds=rounds,
        shape=tuple(shape),
        dtype=dtype,
        key_id=key_id(key),
        salt=None if salt is None else salt.hex(),
    )
    samples = _samples(plain, header)
    if context is None:
        # Assumed: the nonce is the 32 bytes of the tag, not its 64 digits.
        nonce = tag_of(header, plain, key)
        header = header.with_tag(nonce)
    else:
        nonce = context_nonce(context)
    scrambled = move_from(samples, sample_sources(header, key, nonce))
    return b"".join(scrambled), headers.write(header)


def unscramble_bytes(
    scrambled: bytes,
    header_bytes: bytes | None,
    *,
    shape: Sequence[int],
    dtype: str,
    key: bytes,
    context: str | None = None,
) -> bytes:
    """Restore the bytes of an image.

    Parameters
    ----------
    scrambled
        All samples in C order, each lowest byte first.
    header_bytes
        The header, or None for `scramble-context-v1` without one.
    shape, dtype
        Of the scrambled image at hand.
    key
        32 bytes.
    context
        Context text; None exactly if the scheme is `scramble-v1`.

    Returns
    -------
    bytes
        The bytes of the plain image.
    """
    _check_key(key)
    if header_bytes is None:
        counts = [len(units) for units in groups(shape, "pixel").values()]
        header = Header(
            scheme=CONTEXT,
            unit="pixel",
            rounds=default_rounds(counts),
            shape=tuple(shape),
            dtype=dtype,
            key_id=key_id(key),
        )
    else:
        header = headers.read(header_bytes)
    if (header.scheme == CONTEXT) != (context is not None):
        raise RefusedError("a context text is for scramble-context-v1, and needed there")
    if header.key_id != key_id(key):
        raise RefusedError("another key")
    if header.shape != tuple(shape) or header.dtype != dtype:
        raise RefusedError("another shape or dtype")

    samples = _samples(scrambled, header)
    nonce = bytes.fromhex(header.tag or "") if context is None else context_nonce(context)
    plain = b"".join(move_from(samples, inverse(sample_sources(header, key, nonce))))
    if context is None and not hmac.compare_digest(tag_of(header, plain, key), nonce):
        raise RefusedError("wrong key or altered data")
    return plain
