"""Argon2id, version 0x13, step by step and slow: for a memory of some KiB.

References
----------
RFC 9106, https://www.rfc-editor.org/rfc/rfc9106; its section is named beside each function.
"""

import struct
from dataclasses import dataclass, field
from hashlib import blake2b

from tests.kit.reference import RefusedError
from tests.kit.reference.chacha20 import QUARTERS

VERSION = 0x13
ARGON2ID = 2
SLICES = 4
BLOCK_BYTES = 1024
BLOCK_WORDS = 128
HASH_BYTES = 64
_WORD = 2**64 - 1
_LOW = 2**32 - 1

Block = list[int]
ZERO_BLOCK: Block = [0] * BLOCK_WORDS

_ROWS = [range(16 * i, 16 * i + 16) for i in range(8)]
_COLUMNS = [[16 * j + 2 * i + k for j in range(8) for k in (0, 1)] for i in range(8)]


def _le32(number: int) -> bytes:
    return struct.pack("<L", number)


def _with_length(data: bytes) -> bytes:
    return _le32(len(data)) + data


def long_hash(length: int, data: bytes) -> bytes:
    """Section 3.3: the hash function H' with an output of `length` bytes."""
    data = _le32(length) + data
    output = b""
    while length - len(output) > HASH_BYTES:
        data = blake2b(data, digest_size=HASH_BYTES).digest()
        output += data[: HASH_BYTES // 2]
    return output + blake2b(data, digest_size=length - len(output)).digest()


def _add_multiply(a: int, b: int) -> int:
    return (a + b + 2 * (a & _LOW) * (b & _LOW)) & _WORD


def _rotate(word: int, right: int) -> int:
    return (word >> right | word << 64 - right) & _WORD


def _mix(v: Block, a: int, b: int, c: int, d: int) -> None:
    """Section 3.6: the function GB on four words of `v`."""
    for first, second in ((32, 24), (16, 63)):
        v[a] = _add_multiply(v[a], v[b])
        v[d] = _rotate(v[d] ^ v[a], first)
        v[c] = _add_multiply(v[c], v[d])
        v[b] = _rotate(v[b] ^ v[c], second)


def _exclusive_or(x: Block, y: Block) -> Block:
    return [a ^ b for a, b in zip(x, y, strict=True)]


def compress(x: Block, y: Block) -> Block:
    """Section 3.5: the compression function G."""
    r = _exclusive_or(x, y)
    z = list(r)
    for positions in (*_ROWS, *_COLUMNS):
        for a, b, c, d in QUARTERS:
            _mix(z, positions[a], positions[b], positions[c], positions[d])
    return _exclusive_or(z, r)


def _block_from(data: bytes) -> Block:
    return list(struct.unpack(f"<{BLOCK_WORDS}Q", data))


@dataclass(kw_only=True)
class _Filling:
    """The memory while it is filled: `lanes[l][j]` is the block j of the lane l."""

    memory: int
    passes: int
    parallel: int
    lanes: list[list[Block]] = field(default_factory=list)

    @property
    def segment(self) -> int:
        """Blocks in a segment."""
        return self.memory // (SLICES * self.parallel)

    @property
    def columns(self) -> int:
        """Blocks in a lane, the q of the RFC."""
        return SLICES * self.segment

    def start(self, h0: bytes) -> None:
        """Section 3.2, steps 3 and 4: the first two blocks of every lane."""
        for lane in range(self.parallel):
            blocks = [ZERO_BLOCK] * self.columns
            for j in (0, 1):
                blocks[j] = _block_from(long_hash(BLOCK_BYTES, h0 + _le32(j) + _le32(lane)))
            self.lanes.append(blocks)

    def addresses(self, turn: int, lane: int, part: int) -> list[tuple[int, int]]:
        """Section 3.4.1.2: the pairs (J1, J2) of a segment that do not depend on the data."""
        words: Block = []
        whole = self.columns * self.parallel
        for counter in range(1, -(-self.segment // BLOCK_WORDS) + 1):
            head = [turn, lane, part, whole, self.passes, ARGON2ID, counter]
            block = head + [0] * (BLOCK_WORDS - len(head))
            words += compress(ZERO_BLOCK, compress(ZERO_BLOCK, block))
        return [(word & _LOW, word >> 32) for word in words]

    def reference(self, turn: int, lane: int, part: int, position: int, j1: int, j2: int) -> Block:
        """Section 3.4.2: the block that J1 and J2 stand for, at `position` of segment `part`."""
        other = lane if turn == part == 0 else j2 % self.parallel
        finished = (part if turn == 0 else SLICES - 1) * self.segment
        area = finished + position - 1 if other == lane else finished - (position == 0)
        back = area * (j1 * j1 >> 32) >> 32
        first = 0 if turn == 0 else (part + 1) * self.segment
        return self.lanes[other][(first + area - 1 - back) % self.columns]

    def fill_segment(self, turn: int, part: int, lane: int) -> None:
        """Section 3.2, steps 5 and 6, for one segment."""
        blocks = self.lanes[lane]
        independent = turn == 0 and part < SLICES // 2
        pairs = self.addresses(turn, lane, part) if independent else []
        for position in range(2 if turn == part == 0 else 0, self.segment):
            j = part * self.segment + position
            previous = blocks[j - 1]
            j1, j2 = pairs[position] if independent else (previous[0] & _LOW, previous[0] >> 32)
            new = compress(previous, self.reference(turn, lane, part, position, j1, j2))
            blocks[j] = new if turn == 0 else _exclusive_or(new, blocks[j])


def argon2id(
    password: bytes,
    *,
    salt: bytes,
    memory: int,
    passes: int,
    parallel: int,
    length: int,
    secret: bytes = b"",
    data: bytes = b"",
) -> bytes:
    """Section 3.2: the tag of the password P under S, m in KiB, t, p, T in bytes, K and X."""
    if passes < 1 or parallel < 1 or memory < 2 * SLICES * parallel:
        raise RefusedError("Argon2id takes a pass, a lane and 8 KiB for every lane at least")
    numbers = (parallel, length, memory, passes, VERSION, ARGON2ID)
    inputs = b"".join(_with_length(part) for part in (password, salt, secret, data))
    h0 = blake2b(b"".join(map(_le32, numbers)) + inputs, digest_size=HASH_BYTES).digest()

    filling = _Filling(memory=memory, passes=passes, parallel=parallel)
    filling.start(h0)
    for turn in range(passes):
        for part in range(SLICES):
            for lane in range(parallel):
                filling.fill_segment(turn, part, lane)
    last = ZERO_BLOCK
    for blocks in filling.lanes:
        last = _exclusive_or(last, blocks[-1])
    return long_hash(length, struct.pack(f"<{BLOCK_WORDS}Q", *last))
