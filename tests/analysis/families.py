"""Ciphers of many families, 60 weak and 20 strong ones, written before the attacks on them.

Each is a function of an image of any shape, with 8 bits per sample if not stated otherwise, and a
key. The number of weak ciphers that attacks break is a training score, since the attacks were
written with these ciphers at hand.
"""

import os
from collections.abc import Callable
from functools import cache, partial
from hashlib import blake2b, sha256, shake_128
from typing import Any
from zlib import crc32

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, AESSIV, ChaCha20Poly1305

from sudokucrypt import Key, encrypt
from sudokucrypt.typing import AnyArray
from tests.analysis.pictures import picture

Function = Callable[[AnyArray, bytes], AnyArray]


def make_bytes(count: int, *seed: object) -> AnyArray:
    """Return pseudorandom bytes that depend only on the seed values."""
    return np.frombuffer(shake_128(repr(seed).encode()).digest(count), np.uint8)


def make_order(count: int, *seed: object) -> AnyArray:
    """Return a permutation that depends only on the seed values."""
    return np.random.default_rng(make_bytes(16, *seed).tolist()).permutation(count)


# Masks of one half of n samples for Feistel networks, in images of this width.
_CUTS: dict[str, Callable[[int, int], AnyArray]] = {
    "halves": lambda n, _: np.arange(n) < n // 2,
    "sides": lambda n, width: np.arange(n) % width < width // 2,
    "turns": lambda n, _: np.arange(n) % 2 == 0,
}


class Feistel:
    """A Feistel network: in each round a hash of one half masks the other half."""

    def __init__(self, cut: str, rounds: int, *, add: bool = False, moved: bool = False) -> None:
        self.cut, self.rounds, self.add, self.moved = cut, rounds, add, moved

    def _run(self, flat: AnyArray, width: int, key: bytes, turns: list[int], sign: int) -> AnyArray:
        first = _CUTS[self.cut](flat.size, width)
        for turn in turns:
            target = first if turn % 2 == 0 else ~first
            stream = make_bytes(int(target.sum()), key, turn, flat[~target].tobytes())
            sums = np.add if sign > 0 else np.subtract
            flat[target] = (sums if self.add else np.bitwise_xor)(flat[target], stream)
        return flat

    def encrypt(self, image: AnyArray, key: bytes) -> AnyArray:
        flat = image.reshape(-1).copy()
        if self.moved:
            flat = flat[make_order(flat.size, key)]
        width = image[0].size
        return self._run(flat, width, key, list(range(self.rounds)), 1).reshape(image.shape)

    def decrypt(self, image: AnyArray, key: bytes) -> AnyArray:
        turns = list(range(self.rounds))[::-1]
        flat = self._run(image.reshape(-1).copy(), image[0].size, key, turns, -1)
        if self.moved:
            flat = flat[np.argsort(make_order(flat.size, key))]
        return flat.reshape(image.shape)


def blocks(image: AnyArray, key: bytes, *, rows: int, columns: int) -> AnyArray:
    """Encrypt each block of this shape by one wide permutation, regardless of its position."""
    high, wide = image.shape[0] // rows, image.shape[1] // columns
    cut = image[: high * rows, : wide * columns].reshape(high, rows, wide, columns, -1)
    cut = cut.swapaxes(1, 2)
    flat = cut.reshape(high * wide, -1).copy()
    half = flat.shape[1] // 2
    for turn in range(4):
        a, b = (slice(half), slice(half, None))[:: 1 if turn % 2 else -1]
        for block in flat:
            block[b] ^= make_bytes(block[b].size, key, turn, block[a].tobytes())
    result = image.copy()
    result[: high * rows, : wide * columns] = (
        flat.reshape(cut.shape)
        .swapaxes(1, 2)
        .reshape(high * rows, wide * columns, *image.shape[2:])
    )
    return result


_RULES = ["0123", "0213", "1032", "1302", "2031", "2301", "3120", "3210"]


def dna(
    image: AnyArray,
    key: bytes,
    *,
    code: int,
    out: int,
    op: str,
    low: bool = False,
    chain: bool = False,
) -> AnyArray:
    """Code pairs of bits by a DNA rule, combine them with a key, and decode by another rule."""
    shifts = [0, 2, 4, 6] if low else [6, 4, 2, 0]
    rule = np.array([int(c) for c in _RULES[code]])
    back = np.argsort([int(c) for c in _RULES[out]])
    bases = np.stack([rule[image.reshape(-1) >> s & 3] for s in shifts], 1).reshape(-1)
    stream = rule[make_bytes(bases.size, key) & 3]
    bases = bases ^ stream if op == "xor" else (bases + (1 if op == "add" else -1) * stream) % 4
    if chain:
        bases = np.cumsum(bases) % 4
    pairs = back[bases].reshape(-1, 4)
    return np.asarray(sum(pairs[:, i] << s for i, s in enumerate(shifts)).astype(np.uint8)).reshape(
        image.shape
    )


def entropy(image: AnyArray) -> float:
    counts = np.bincount(image.reshape(-1), minlength=256) / image.size
    return round(float(-(counts[counts > 0] * np.log2(counts[counts > 0])).sum()), 6)


_SUMMARIES: dict[str, Callable[[AnyArray], object]] = {
    "entropy": entropy,
    "variance": lambda x: float(x.astype(np.int64).var()),
    "above": lambda x: int((x > 127).sum()),
    "mean/8": lambda x: int(x.mean()) // 8,
    "sum": lambda x: int(x.sum(dtype=np.int64)),
    "squares": lambda x: int((x.astype(np.int64) ** 2).sum()),
    "weighted": lambda x: int((x.reshape(-1).astype(np.int64) * np.arange(x.size)).sum()) % 65521,
    "thumbnail": lambda x: (x[: len(x) // 8 * 8].reshape(8, -1).sum(axis=1) // 4096).tolist(),
}


def relate_samples(image: AnyArray, key: bytes, *, by: str, after: str = "") -> AnyArray:
    """Mask by a stream that a summary of the picture selects, then apply the steps in `after`."""
    flat: AnyArray = image.reshape(-1) ^ make_bytes(image.size, key, _SUMMARIES[by](image))
    if "box" in after:
        flat = make_order(256, key, 1).astype(np.uint8)[flat]
    if "chain" in after:
        flat = np.bitwise_xor.accumulate(flat)
    if "back" in after:
        flat = np.bitwise_xor.accumulate(flat[::-1])[::-1]
    return flat.reshape(image.shape)


def with_public(image: AnyArray, key: bytes, *, public: Callable[[AnyArray], object]) -> AnyArray:
    return image ^ make_bytes(image.size, key, public(image)).reshape(image.shape)


def short_hash(bits: int) -> Callable[[AnyArray], int]:
    return lambda image: int.from_bytes(sha256(image.tobytes()).digest()) % 2**bits


def small_key(image: AnyArray, key: bytes, *, bits: int, op: str = "xor") -> AnyArray:
    seed = int.from_bytes(sha256(key).digest()) % 2**bits
    stream = make_bytes(image.size, seed, os.urandom(12)).reshape(image.shape)
    return image ^ stream if op == "xor" else image[::-1] + stream


def strips(image: AnyArray, key: bytes, *, across: bool, size: int) -> AnyArray:
    result: AnyArray = image.swapaxes(0, 1).copy() if across else image.copy()
    for index in range(len(result)):
        part = key[index * size % 32 : index * size % 32 + size]
        result[index] ^= make_bytes(result[index].size, part, index).reshape(result[index].shape)
    return result.swapaxes(0, 1) if across else result


@cache
def _register_bits(seed: int, taps: int, width: int, count: int) -> AnyArray:
    state, out = seed or 1, []
    for _ in range(count):
        out.append(state & 1)
        state = state >> 1 | ((state & taps).bit_count() & 1) << width - 1
    return np.array(out, np.uint8)


def register(image: AnyArray, key: bytes, *, width: int, taps: int, fresh: bool) -> AnyArray:
    """Mask by the bits of a linear register."""
    seed = int.from_bytes(sha256(key + (os.urandom(8) if fresh else b"")).digest()) % 2**width
    bits = _register_bits(seed, taps, width, 8 * image.size)
    return image ^ np.packbits(bits).reshape(image.shape)


def congruential(
    image: AnyArray, key: bytes, *, a: int, c: int, m: int, shift: int, fresh: bool = True
) -> AnyArray:
    """Mask by one byte of each state of a congruential generator."""
    state = int.from_bytes(sha256(key + (os.urandom(8) if fresh else b"")).digest()) % m
    out = []
    for _ in range(image.size):
        state = (a * state + c) % m
        out.append(state >> shift & 255)
    return image ^ np.array(out, np.uint8).reshape(image.shape)


def xorshift(image: AnyArray, key: bytes) -> AnyArray:
    x = int.from_bytes(sha256(key + os.urandom(8)).digest()[:4]) or 1
    out = []
    for _ in range(image.size):
        x ^= x << 13 & 0xFFFFFFFF
        x ^= x >> 17
        x ^= x << 5 & 0xFFFFFFFF
        out.append(x & 255)
    return image + np.array(out, np.uint8).reshape(image.shape)


def one_line(
    image: AnyArray, key: bytes, *, across: bool, period: int = 1, op: str = "xor"
) -> AnyArray:
    """Mask all lines by a fresh stream that repeats after `period` lines."""
    turned = image.swapaxes(0, 1) if across else image
    stream = make_bytes(period * turned[0].size, key, os.urandom(12)).reshape(
        period, *turned[0].shape
    )
    stream = np.resize(stream, turned.shape)
    result = turned ^ stream if op == "xor" else turned + stream
    return np.asarray(result.swapaxes(0, 1) if across else result)


def fixed_and_fresh(image: AnyArray, key: bytes, *, fresh: str, fixed: str) -> AnyArray:
    """Apply a layer that never changes and a layer that always changes."""
    nonce = os.urandom(12)
    random = np.random.default_rng(make_bytes(16, key, nonce).tolist())
    x = image
    if fixed == "box":
        x = make_order(256, key).astype(np.uint8)[x]
    if fixed == "order":
        x = x.reshape(-1)[make_order(x.size, key)].reshape(x.shape)
    if fresh == "order":
        x = random.permutation(x.reshape(-1)).reshape(x.shape)
    if fresh == "rolls":
        x = np.stack([np.roll(row, int(random.integers(len(row))), axis=0) for row in x])
    if fresh == "byte":
        x = x + np.uint8(random.integers(256))
    if fresh == "rows":
        x = x[random.permutation(len(x))]
    if fixed == "mask":
        x = x ^ make_bytes(x.size, key).reshape(x.shape)
    if fixed == "sum":
        x = x + make_bytes(x.size, key).reshape(x.shape)
    return x


def group(image: AnyArray, key: bytes, *, modulus: int, multiply: bool, ways: int) -> AnyArray:
    """Chain samples in another group than bytes: products modulo 257, or sums modulo 255."""
    values = image.reshape(-1).astype(np.int64) + (1 if multiply else 0)
    stream = make_bytes(image.size, key).astype(np.int64) % (modulus - 1) + 1
    for way in range(max(1, ways)):
        values = values[::-1] if way else values
        last, out = 1, []
        for value, k in zip(values.tolist(), stream.tolist(), strict=True):
            last = (
                value * k * (last if ways else 1) if multiply else value + k + (last if ways else 0)
            ) % modulus
            out.append(last)
        values = np.array(out)
    return (values - (1 if multiply else 0)).astype(np.uint8).reshape(image.shape)


@cache
def _matrix(side: int, key: bytes, kind: str) -> AnyArray:
    random = np.random.default_rng([*key])
    if kind == "real":
        return np.asarray(random.normal(size=(side // 2, side)) / np.sqrt(side) / 2)
    return random.integers(0, 2**16, (side // 2, side))


def measure_picture(
    image: AnyArray, key: bytes, *, kind: str, order: str = "big", masked: bool = False
) -> AnyArray:
    """Replace each row by half as many linear measurements of 16 bits."""
    result = np.empty_like(image).reshape(len(image), -1)
    rows = image.reshape(len(image), -1).astype(np.int64)
    matrix = _matrix(rows.shape[1], key, kind)
    values = rows @ matrix.T
    words = np.rint(values * 64 + 32768).astype(np.int64) if kind == "real" else values
    words = words % 65536
    if masked:
        words = words ^ make_bytes(2 * words.size, key).view(np.uint16).reshape(words.shape)
    high, low = (words >> 8).astype(np.uint8), (words & 255).astype(np.uint8)
    if order == "planes":
        result[:] = np.concatenate([high, low], axis=1)
    else:
        pair = (high, low) if order == "big" else (low, high)
        result[:] = np.stack(pair, axis=2).reshape(result.shape)
    return result.reshape(image.shape)


def state_facts(function: Function, **attributes: Any) -> Function:
    def state_picture(image: AnyArray, key: bytes) -> AnyArray:
        return function(image, key)

    for name, value in attributes.items():
        setattr(state_picture, name, value)
    return state_picture


def _public(function: Callable[[AnyArray], object]) -> Function:
    return state_facts(partial(with_public, public=function), public=function)


BROKEN: dict[str, Any] = {
    "feistel-2-halves": Feistel("halves", 2),
    "feistel-2-sides-sum": Feistel("sides", 2, add=True),
    "feistel-2-turns": Feistel("turns", 2),
    "feistel-2-moved": Feistel("halves", 2, moved=True),
    "feistel-3-halves": Feistel("halves", 3),
    "feistel-3-sides-sum": Feistel("sides", 3, add=True),
    "feistel-3-turns": Feistel("turns", 3),
    "blocks-2x8": partial(blocks, rows=2, columns=8),
    "blocks-4x4": partial(blocks, rows=4, columns=4),
    "blocks-8x8": partial(blocks, rows=8, columns=8),
    "blocks-16x2": partial(blocks, rows=16, columns=2),
    "blocks-1x12": partial(blocks, rows=1, columns=12),
    "dna-1-5-xor": partial(dna, code=1, out=5, op="xor"),
    "dna-2-6-add": partial(dna, code=2, out=6, op="add"),
    "dna-4-4-sub": partial(dna, code=4, out=4, op="sub"),
    "dna-7-2-add-low": partial(dna, code=7, out=2, op="add", low=True),
    "dna-3-1-chain": partial(dna, code=3, out=1, op="add", chain=True),
    "dna-0-4-chain": partial(dna, code=0, out=4, op="sub", chain=True),
    "related-entropy": partial(relate_samples, by="entropy"),
    "related-variance": partial(relate_samples, by="variance", after="chain"),
    "related-above": partial(relate_samples, by="above"),
    "related-mean-box-chain": partial(relate_samples, by="mean/8", after="box chain"),
    "related-sum-box": partial(relate_samples, by="sum", after="box"),
    "related-squares": partial(relate_samples, by="squares"),
    "related-sum-both-ways": partial(relate_samples, by="sum", after="chain back"),
    "related-weighted": partial(relate_samples, by="weighted"),
    "related-thumbnail": partial(relate_samples, by="thumbnail"),
    "public-hash-16": _public(short_hash(16)),
    "public-hash-20": _public(short_hash(20)),
    "public-crc": _public(lambda image: crc32(image.tobytes())),
    "public-sum": _public(lambda image: int(image.sum())),
    "public-rows": _public(
        lambda image: bytes(np.bitwise_xor.reduce(image.reshape(len(image), -1), axis=1))[:4]
    ),
    "small-key-16-fresh": partial(small_key, bits=16),
    "small-key-20-fresh": partial(small_key, bits=20, op="add"),
    "small-key-12-fresh": partial(small_key, bits=12),
    "strips-rows": partial(strips, across=False, size=1),
    "strips-columns": partial(strips, across=True, size=2),
    "strips-rows-4": partial(strips, across=False, size=4),
    "register-16-fresh": partial(register, width=16, taps=0b101101, fresh=True),
    "register-31-fresh": partial(register, width=31, taps=0b1001, fresh=True),
    "register-64": partial(register, width=64, taps=0b11011, fresh=False),
    "xorshift-fresh": xorshift,
    "congruential-low": partial(congruential, a=69069, c=1, m=2**32, shift=0),
    "congruential-high": partial(congruential, a=1103515245, c=12345, m=2**31, shift=16),
    "congruential-top": partial(congruential, a=1664525, c=1013904223, m=2**32, shift=24),
    "congruential-minstd": partial(congruential, a=16807, c=0, m=2**31 - 1, shift=0),
    "one-row-fresh": partial(one_line, across=False),
    "one-column-fresh": partial(one_line, across=True, op="add"),
    "eight-rows-fresh": partial(one_line, across=False, period=8),
    "mask-and-fresh-order": partial(fixed_and_fresh, fresh="order", fixed="mask"),
    "mask-and-fresh-rolls": partial(fixed_and_fresh, fresh="rolls", fixed="sum"),
    "order-and-fresh-byte": partial(fixed_and_fresh, fresh="byte", fixed="order"),
    "box-and-fresh-rows": partial(fixed_and_fresh, fresh="rows", fixed="box"),
    "products-257": partial(group, modulus=257, multiply=True, ways=0),
    "products-257-chain": partial(group, modulus=257, multiply=True, ways=1),
    "products-257-both": partial(group, modulus=257, multiply=True, ways=2),
    "sums-255-both": partial(group, modulus=255, multiply=False, ways=2),
    "measured-words": partial(measure_picture, kind="words"),
    "measured-real": partial(measure_picture, kind="real", order="planes"),
    "measured-masked": partial(measure_picture, kind="real", order="little", masked=True),
}
"""The weak ciphers."""


def _ctr(image: AnyArray, key: bytes, nonce: bytes) -> AnyArray:
    stream = Cipher(algorithms.AES256(sha256(key).digest()), modes.CTR(nonce)).encryptor()
    return np.frombuffer(stream.update(image.tobytes()), image.dtype).reshape(image.shape)


def _samples(data: bytes, image: AnyArray) -> AnyArray:
    return np.frombuffer(data, np.uint8)[: image.nbytes].view(image.dtype).reshape(image.shape)


def aes_ctr(image: AnyArray, key: bytes) -> AnyArray:
    return _ctr(image, key, os.urandom(16))


def aes_gcm(image: AnyArray, key: bytes) -> AnyArray:
    return _samples(AESGCM(key).encrypt(os.urandom(12), image.tobytes(), None), image)


def aes_siv(image: AnyArray, key: bytes) -> AnyArray:
    """Encrypt by AES-SIV; the synthetic nonce is sent separately and is no part of the result."""
    double = sha256(key).digest() + sha256(key + b"2").digest()
    return _samples(AESSIV(double).encrypt(image.tobytes(), None)[16:], image)


def aes_xts(image: AnyArray, key: bytes) -> AnyArray:
    double = sha256(key).digest() + sha256(key + b"2").digest()
    xts = Cipher(algorithms.AES(double), modes.XTS(os.urandom(16))).encryptor()
    return _samples(xts.update(image.tobytes() + bytes(16)), image)


def chacha(image: AnyArray, key: bytes) -> AnyArray:
    return _samples(ChaCha20Poly1305(key).encrypt(os.urandom(12), image.tobytes(), None), image)


def aes_cbc(image: AnyArray, key: bytes) -> AnyArray:
    cbc = Cipher(algorithms.AES256(key), modes.CBC(os.urandom(16))).encryptor()
    return _samples(cbc.update(image.tobytes() + bytes(-image.nbytes % 16)), image)


def pad(image: AnyArray, _: bytes) -> AnyArray:
    return _samples(os.urandom(image.nbytes), image) ^ image


def pad_of_sums(image: AnyArray, key: bytes) -> AnyArray:
    moved = image.reshape(-1)[make_order(image.size, key)].reshape(image.shape)
    return moved + _samples(os.urandom(image.nbytes), image)


def longer(image: AnyArray, key: bytes) -> AnyArray:
    """Return a result that contains nonce and tag, and so is refused for its shape."""
    nonce = os.urandom(12)
    return np.frombuffer(nonce + AESGCM(key).encrypt(nonce, image.tobytes(), None), np.uint8)


def _carrier(image: AnyArray, row: int = 0, column: int = 0) -> AnyArray:
    photo = picture("astronaut")[row:, column:]
    shape = (*(-(-side // part) for side, part in zip(image.shape, photo.shape, strict=False)), 1)
    photo = np.tile(photo, (*shape[:2], 1))[: image.shape[0], : image.shape[1]]
    photo = photo[..., 1] if image.ndim == 2 else photo[..., : image.shape[2]]
    return photo.astype(image.dtype).copy()


def carrier(image: AnyArray, key: bytes, *, at_random: bool = False) -> AnyArray:
    """Put the masked middle of the picture into a public photograph."""
    corner = np.frombuffer(os.urandom(2), np.uint8).tolist() if at_random else (0, 0)
    result = _carrier(image, *corner)
    rows, columns = (slice(side // 4, side - side // 4) for side in image.shape[:2])
    result[rows, columns] = aes_ctr(image, key)[rows, columns]
    return result


def lowest_bits(image: AnyArray, key: bytes) -> AnyArray:
    return _carrier(image) & 0xFE | aes_ctr(image, key) & 1


def carrier_of_synthetic(image: AnyArray, key: bytes) -> AnyArray:
    result = _carrier(image)
    result[: len(image) // 2] = aes_siv(image, key)[: len(image) // 2]
    return result


def whiten_samples(image: AnyArray, key: bytes) -> AnyArray:
    return _ctr(image, key, blake2b(image.tobytes(), key=key, digest_size=16).digest())


class WideBlock(Feistel):
    """A Feistel network of enough rounds, with a salt that is sent separately."""

    def encrypt(self, image: AnyArray, key: bytes) -> AnyArray:
        return super().encrypt(image, key + os.urandom(16))

    decrypt = None  # type: ignore[assignment]


SECURE: dict[str, Any] = {
    "aes-ctr": aes_ctr,
    "aes-gcm": aes_gcm,
    "aes-siv": aes_siv,
    "aes-xts": aes_xts,
    "aes-cbc": aes_cbc,
    "chacha20-poly1305": chacha,
    "format-preserving": Feistel("turns", 10, add=True),
    "format-preserving-fresh": WideBlock("turns", 10, add=True),
    "wide-block": Feistel("halves", 6),
    "wide-block-salted": WideBlock("halves", 4),
    "wide-block-sides": Feistel("sides", 8),
    "pad": pad,
    "pad-of-sums": pad_of_sums,
    "longer": longer,
    "carrier": carrier,
    "carrier-at-random": partial(carrier, at_random=True),
    "carrier-of-synthetic": carrier_of_synthetic,
    "lowest-bits": lowest_bits,
    "whitened": whiten_samples,
    "encrypt": lambda image, key: encrypt(image, Key(key)).pixels,
}
"""The strong ciphers."""
