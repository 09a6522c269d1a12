"""Section 2: the ChaCha20 key stream as 32-bit words.

References
----------
RFC 8439, https://www.rfc-editor.org/rfc/rfc8439
"""

import struct
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain

from tests.kit.reference import RefusedError

KEY_BYTES = 32
NONCE_BYTES = 12
BLOCK_COUNT = 2**32
ZERO_NONCE = bytes(NONCE_BYTES)
_MASK = 0xFFFFFFFF
_CONSTANTS = (0x61707865, 0x3320646E, 0x79622D32, 0x6B206574)  # "expand 32-byte k"
_DOUBLE_ROUNDS = 10
# The indices of columns, then of diagonals, of 4 x 4 words; Argon2 uses the same for GB.
QUARTER_ROUNDS = [
    (i, 4 + (i + d) % 4, 8 + (i + 2 * d) % 4, 12 + (i + 3 * d) % 4)
    for d in (0, 1)
    for i in range(4)
]


def _rotate(value: int, distance: int) -> int:
    return (value << distance | value >> 32 - distance) & _MASK


def mix_quarter_round(a: int, b: int, c: int, d: int) -> tuple[int, int, int, int]:
    """Return the quarter round of four words (RFC 8439, section 2.1)."""
    a = (a + b) & _MASK
    d = _rotate(d ^ a, 16)
    c = (c + d) & _MASK
    b = _rotate(b ^ c, 12)
    a = (a + b) & _MASK
    d = _rotate(d ^ a, 8)
    c = (c + d) & _MASK
    b = _rotate(b ^ c, 7)
    return a, b, c, d


@lru_cache(2**14)  # cached, since restoring reads the same streams as protecting
def compute_block(key: bytes, counter: int, nonce: bytes) -> bytes:
    """Return a block of 64 bytes for a key of 32 and a nonce of 12 bytes (RFC 8439, 2.3)."""
    if len(key) != KEY_BYTES or len(nonce) != NONCE_BYTES or not 0 <= counter < BLOCK_COUNT:
        raise RefusedError("ChaCha20 takes a key of 32 bytes, 12 bytes and a 32-bit counter")
    initial_state = [*_CONSTANTS, *struct.unpack("<8L", key), counter, *struct.unpack("<3L", nonce)]
    state = list(initial_state)
    for _ in range(_DOUBLE_ROUNDS):
        for a, b, c, d in QUARTER_ROUNDS:
            state[a], state[b], state[c], state[d] = mix_quarter_round(
                state[a], state[b], state[c], state[d]
            )
    output_words = [(x + y) & _MASK for x, y in zip(state, initial_state, strict=True)]
    return struct.pack("<16L", *output_words)


def iterate_key_stream(key: bytes, *, counter: int, nonce: bytes) -> Iterator[int]:
    """Yield the bytes of the key stream from block `counter` on (RFC 8439, section 2.4)."""
    return chain.from_iterable(compute_block(key, i, nonce) for i in range(counter, BLOCK_COUNT))


def combine_by_xor(data: bytes, stream: Iterable[int]) -> bytes:
    """Return the exclusive or of each byte of `data` with the next byte of `stream`."""
    # `data` is first, so that `zip` reads no byte of the stream after the last one.
    result = bytes(a ^ b for a, b in zip(data, stream, strict=False))
    if len(result) < len(data):
        raise RefusedError("the stream is used up")
    return result


def iterate_words(subkey: bytes, *, counter: int = 0) -> Iterator[int]:
    """Yield the words of the stream of `subkey`, from block `counter` on."""
    for number in range(counter, BLOCK_COUNT):
        yield from struct.unpack("<16L", compute_block(subkey, number, ZERO_NONCE))
    raise RefusedError("the stream is used up")
