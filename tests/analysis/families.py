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

CipherFunction = Callable[[AnyArray, bytes], AnyArray]


def make_bytes(count: int, *seed: object) -> AnyArray:
    """Return pseudorandom bytes that depend only on the seed values."""
    return np.frombuffer(shake_128(repr(seed).encode()).digest(count), np.uint8)


def make_order(count: int, *seed: object) -> AnyArray:
    """Return a permutation that depends only on the seed values."""
    return np.random.default_rng(make_bytes(16, *seed).tolist()).permutation(count)


# Masks of one half of n samples for Feistel networks, in images of this width.
_HALF_MASKS: dict[str, Callable[[int, int], AnyArray]] = {
    "halves": lambda n, _: np.arange(n) < n // 2,
    "sides": lambda n, width: np.arange(n) % width < width // 2,
    "turns": lambda n, _: np.arange(n) % 2 == 0,
}


class Feistel:
    """A Feistel network: in each round a hash of one half masks the other half."""

    def __init__(self, cut: str, rounds: int, *, add: bool = False, moved: bool = False) -> None:
        self.cut, self.rounds, self.add, self.moved = cut, rounds, add, moved

    def _run(
        self, samples: AnyArray, width: int, key: bytes, numbers: list[int], sign: int
    ) -> AnyArray:
        first_half = _HALF_MASKS[self.cut](samples.size, width)
        for number in numbers:
            target = first_half if number % 2 == 0 else ~first_half
            stream = make_bytes(int(target.sum()), key, number, samples[~target].tobytes())
            addition = np.add if sign > 0 else np.subtract
            samples[target] = (addition if self.add else np.bitwise_xor)(samples[target], stream)
        return samples

    def encrypt(self, image: AnyArray, key: bytes) -> AnyArray:
        samples = image.reshape(-1).copy()
        if self.moved:
            samples = samples[make_order(samples.size, key)]
        width = image[0].size
        return self._run(samples, width, key, list(range(self.rounds)), 1).reshape(image.shape)

    def decrypt(self, image: AnyArray, key: bytes) -> AnyArray:
        numbers = list(range(self.rounds))[::-1]
        samples = self._run(image.reshape(-1).copy(), image[0].size, key, numbers, -1)
        if self.moved:
            samples = samples[np.argsort(make_order(samples.size, key))]
        return samples.reshape(image.shape)


def encrypt_blocks(image: AnyArray, key: bytes, *, rows: int, columns: int) -> AnyArray:
    """Encrypt each block of this shape by one wide permutation, regardless of its position."""
    height, width = image.shape[0] // rows, image.shape[1] // columns
    grid = image[: height * rows, : width * columns].reshape(height, rows, width, columns, -1)
    grid = grid.swapaxes(1, 2)
    blocks = grid.reshape(height * width, -1).copy()
    half = blocks.shape[1] // 2
    for number in range(4):
        source, target = (slice(half), slice(half, None))[:: 1 if number % 2 else -1]
        for block in blocks:
            block[target] ^= make_bytes(block[target].size, key, number, block[source].tobytes())
    result = image.copy()
    result[: height * rows, : width * columns] = (
        blocks.reshape(grid.shape)
        .swapaxes(1, 2)
        .reshape(height * rows, width * columns, *image.shape[2:])
    )
    return result


_DNA_RULES = ["0123", "0213", "1032", "1302", "2031", "2301", "3120", "3210"]


def code_as_dna(
    image: AnyArray,
    key: bytes,
    *,
    code: int,
    output: int,
    operation: str,
    low_first: bool = False,
    chain: bool = False,
) -> AnyArray:
    """Code pairs of bits by a DNA rule, combine them with a key, and decode by another rule."""
    shifts = [0, 2, 4, 6] if low_first else [6, 4, 2, 0]
    rule = np.array([int(base) for base in _DNA_RULES[code]])
    inverse_rule = np.argsort([int(base) for base in _DNA_RULES[output]])
    bases = np.stack([rule[image.reshape(-1) >> shift & 3] for shift in shifts], 1).reshape(-1)
    stream = rule[make_bytes(bases.size, key) & 3]
    bases = (
        bases ^ stream
        if operation == "xor"
        else (bases + (1 if operation == "add" else -1) * stream) % 4
    )
    if chain:
        bases = np.cumsum(bases) % 4
    pairs = inverse_rule[bases].reshape(-1, 4)
    return np.asarray(
        sum(pairs[:, index] << shift for index, shift in enumerate(shifts)).astype(np.uint8)
    ).reshape(image.shape)


def compute_entropy(image: AnyArray) -> float:
    shares = np.bincount(image.reshape(-1), minlength=256) / image.size
    return round(float(-(shares[shares > 0] * np.log2(shares[shares > 0])).sum()), 6)


_SUMMARIES: dict[str, Callable[[AnyArray], object]] = {
    "entropy": compute_entropy,
    "variance": lambda x: float(x.astype(np.int64).var()),
    "above": lambda x: int((x > 127).sum()),
    "mean/8": lambda x: int(x.mean()) // 8,
    "sum": lambda x: int(x.sum(dtype=np.int64)),
    "squares": lambda x: int((x.astype(np.int64) ** 2).sum()),
    "weighted": lambda x: int((x.reshape(-1).astype(np.int64) * np.arange(x.size)).sum()) % 65521,
    "thumbnail": lambda x: (x[: len(x) // 8 * 8].reshape(8, -1).sum(axis=1) // 4096).tolist(),
}


def relate_samples(image: AnyArray, key: bytes, *, summary: str, steps: str = "") -> AnyArray:
    """Mask by a stream that a summary of the picture selects, then apply the steps in `steps`."""
    samples: AnyArray = image.reshape(-1) ^ make_bytes(image.size, key, _SUMMARIES[summary](image))
    if "box" in steps:
        samples = make_order(256, key, 1).astype(np.uint8)[samples]
    if "chain" in steps:
        samples = np.bitwise_xor.accumulate(samples)
    if "back" in steps:
        samples = np.bitwise_xor.accumulate(samples[::-1])[::-1]
    return samples.reshape(image.shape)


def mask_by_public(
    image: AnyArray, key: bytes, *, public: Callable[[AnyArray], object]
) -> AnyArray:
    return image ^ make_bytes(image.size, key, public(image)).reshape(image.shape)


def make_short_hash(bits: int) -> Callable[[AnyArray], int]:
    return lambda image: int.from_bytes(sha256(image.tobytes()).digest()) % 2**bits


def mask_by_small_key(
    image: AnyArray, key: bytes, *, bits: int, operation: str = "xor"
) -> AnyArray:
    seed = int.from_bytes(sha256(key).digest()) % 2**bits
    stream = make_bytes(image.size, seed, os.urandom(12)).reshape(image.shape)
    return image ^ stream if operation == "xor" else image[::-1] + stream


def mask_strips(image: AnyArray, key: bytes, *, across: bool, size: int) -> AnyArray:
    result: AnyArray = image.swapaxes(0, 1).copy() if across else image.copy()
    for index in range(len(result)):
        key_part = key[index * size % 32 : index * size % 32 + size]
        result[index] ^= make_bytes(result[index].size, key_part, index).reshape(
            result[index].shape
        )
    return result.swapaxes(0, 1) if across else result


@cache
def _register_bits(seed: int, taps: int, width: int, count: int) -> AnyArray:
    state, bits = seed or 1, []
    for _ in range(count):
        bits.append(state & 1)
        state = state >> 1 | ((state & taps).bit_count() & 1) << width - 1
    return np.array(bits, np.uint8)


def mask_by_register(
    image: AnyArray, key: bytes, *, width: int, taps: int, fresh: bool
) -> AnyArray:
    """Mask by the bits of a linear register."""
    seed = int.from_bytes(sha256(key + (os.urandom(8) if fresh else b"")).digest()) % 2**width
    bits = _register_bits(seed, taps, width, 8 * image.size)
    return image ^ np.packbits(bits).reshape(image.shape)


def mask_by_congruence(
    image: AnyArray,
    key: bytes,
    *,
    multiplier: int,
    increment: int,
    modulus: int,
    shift: int,
    fresh: bool = True,
) -> AnyArray:
    """Mask by one byte of each state of a congruential generator."""
    state = int.from_bytes(sha256(key + (os.urandom(8) if fresh else b"")).digest()) % modulus
    stream = []
    for _ in range(image.size):
        state = (multiplier * state + increment) % modulus
        stream.append(state >> shift & 255)
    return image ^ np.array(stream, np.uint8).reshape(image.shape)


def add_xorshift(image: AnyArray, key: bytes) -> AnyArray:
    state = int.from_bytes(sha256(key + os.urandom(8)).digest()[:4]) or 1
    stream = []
    for _ in range(image.size):
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        stream.append(state & 255)
    return image + np.array(stream, np.uint8).reshape(image.shape)


def mask_by_one_line(
    image: AnyArray, key: bytes, *, across: bool, period: int = 1, operation: str = "xor"
) -> AnyArray:
    """Mask all lines by a fresh stream that repeats after `period` lines."""
    lines = image.swapaxes(0, 1) if across else image
    stream = make_bytes(period * lines[0].size, key, os.urandom(12)).reshape(
        period, *lines[0].shape
    )
    stream = np.resize(stream, lines.shape)
    result = lines ^ stream if operation == "xor" else lines + stream
    return np.asarray(result.swapaxes(0, 1) if across else result)


def apply_fixed_and_fresh(image: AnyArray, key: bytes, *, fresh: str, fixed: str) -> AnyArray:
    """Apply a layer that never changes and a layer that always changes."""
    nonce = os.urandom(12)
    random = np.random.default_rng(make_bytes(16, key, nonce).tolist())
    result = image
    if fixed == "box":
        result = make_order(256, key).astype(np.uint8)[result]
    if fixed == "order":
        result = result.reshape(-1)[make_order(result.size, key)].reshape(result.shape)
    if fresh == "order":
        result = random.permutation(result.reshape(-1)).reshape(result.shape)
    if fresh == "rolls":
        result = np.stack([np.roll(row, int(random.integers(len(row))), axis=0) for row in result])
    if fresh == "byte":
        result = result + np.uint8(random.integers(256))
    if fresh == "rows":
        result = result[random.permutation(len(result))]
    if fixed == "mask":
        result = result ^ make_bytes(result.size, key).reshape(result.shape)
    if fixed == "sum":
        result = result + make_bytes(result.size, key).reshape(result.shape)
    return result


def chain_in_group(
    image: AnyArray, key: bytes, *, modulus: int, multiply: bool, directions: int
) -> AnyArray:
    """Chain samples in another group than bytes: products modulo 257, or sums modulo 255."""
    values = image.reshape(-1).astype(np.int64) + (1 if multiply else 0)
    stream = make_bytes(image.size, key).astype(np.int64) % (modulus - 1) + 1
    for direction in range(max(1, directions)):
        values = values[::-1] if direction else values
        previous, results = 1, []
        for value, key_byte in zip(values.tolist(), stream.tolist(), strict=True):
            previous = (
                value * key_byte * (previous if directions else 1)
                if multiply
                else value + key_byte + (previous if directions else 0)
            ) % modulus
            results.append(previous)
        values = np.array(results)
    return (values - (1 if multiply else 0)).astype(np.uint8).reshape(image.shape)


@cache
def _draw_matrix(side: int, key: bytes, kind: str) -> AnyArray:
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
    matrix = _draw_matrix(rows.shape[1], key, kind)
    values = rows @ matrix.T
    words = np.rint(values * 64 + 32768).astype(np.int64) if kind == "real" else values
    words = words % 65536
    if masked:
        words = words ^ make_bytes(2 * words.size, key).view(np.uint16).reshape(words.shape)
    high_bytes, low_bytes = (words >> 8).astype(np.uint8), (words & 255).astype(np.uint8)
    if order == "planes":
        result[:] = np.concatenate([high_bytes, low_bytes], axis=1)
    else:
        byte_planes = (high_bytes, low_bytes) if order == "big" else (low_bytes, high_bytes)
        result[:] = np.stack(byte_planes, axis=2).reshape(result.shape)
    return result.reshape(image.shape)


def state_facts(function: CipherFunction, **attributes: Any) -> CipherFunction:
    def state_picture(image: AnyArray, key: bytes) -> AnyArray:
        return function(image, key)

    for name, value in attributes.items():
        setattr(state_picture, name, value)
    return state_picture


def _make_public(function: Callable[[AnyArray], object]) -> CipherFunction:
    return state_facts(partial(mask_by_public, public=function), public=function)


BROKEN: dict[str, Any] = {
    "feistel-2-halves": Feistel("halves", 2),
    "feistel-2-sides-sum": Feistel("sides", 2, add=True),
    "feistel-2-turns": Feistel("turns", 2),
    "feistel-2-moved": Feistel("halves", 2, moved=True),
    "feistel-3-halves": Feistel("halves", 3),
    "feistel-3-sides-sum": Feistel("sides", 3, add=True),
    "feistel-3-turns": Feistel("turns", 3),
    "blocks-2x8": partial(encrypt_blocks, rows=2, columns=8),
    "blocks-4x4": partial(encrypt_blocks, rows=4, columns=4),
    "blocks-8x8": partial(encrypt_blocks, rows=8, columns=8),
    "blocks-16x2": partial(encrypt_blocks, rows=16, columns=2),
    "blocks-1x12": partial(encrypt_blocks, rows=1, columns=12),
    "dna-1-5-xor": partial(code_as_dna, code=1, output=5, operation="xor"),
    "dna-2-6-add": partial(code_as_dna, code=2, output=6, operation="add"),
    "dna-4-4-sub": partial(code_as_dna, code=4, output=4, operation="sub"),
    "dna-7-2-add-low": partial(code_as_dna, code=7, output=2, operation="add", low_first=True),
    "dna-3-1-chain": partial(code_as_dna, code=3, output=1, operation="add", chain=True),
    "dna-0-4-chain": partial(code_as_dna, code=0, output=4, operation="sub", chain=True),
    "related-entropy": partial(relate_samples, summary="entropy"),
    "related-variance": partial(relate_samples, summary="variance", steps="chain"),
    "related-above": partial(relate_samples, summary="above"),
    "related-mean-box-chain": partial(relate_samples, summary="mean/8", steps="box chain"),
    "related-sum-box": partial(relate_samples, summary="sum", steps="box"),
    "related-squares": partial(relate_samples, summary="squares"),
    "related-sum-both-ways": partial(relate_samples, summary="sum", steps="chain back"),
    "related-weighted": partial(relate_samples, summary="weighted"),
    "related-thumbnail": partial(relate_samples, summary="thumbnail"),
    "public-hash-16": _make_public(make_short_hash(16)),
    "public-hash-20": _make_public(make_short_hash(20)),
    "public-crc": _make_public(lambda image: crc32(image.tobytes())),
    "public-sum": _make_public(lambda image: int(image.sum())),
    "public-rows": _make_public(
        lambda image: bytes(np.bitwise_xor.reduce(image.reshape(len(image), -1), axis=1))[:4]
    ),
    "small-key-16-fresh": partial(mask_by_small_key, bits=16),
    "small-key-20-fresh": partial(mask_by_small_key, bits=20, operation="add"),
    "small-key-12-fresh": partial(mask_by_small_key, bits=12),
    "strips-rows": partial(mask_strips, across=False, size=1),
    "strips-columns": partial(mask_strips, across=True, size=2),
    "strips-rows-4": partial(mask_strips, across=False, size=4),
    "register-16-fresh": partial(mask_by_register, width=16, taps=0b101101, fresh=True),
    "register-31-fresh": partial(mask_by_register, width=31, taps=0b1001, fresh=True),
    "register-64": partial(mask_by_register, width=64, taps=0b11011, fresh=False),
    "xorshift-fresh": add_xorshift,
    "congruential-low": partial(
        mask_by_congruence, multiplier=69069, increment=1, modulus=2**32, shift=0
    ),
    "congruential-high": partial(
        mask_by_congruence, multiplier=1103515245, increment=12345, modulus=2**31, shift=16
    ),
    "congruential-top": partial(
        mask_by_congruence, multiplier=1664525, increment=1013904223, modulus=2**32, shift=24
    ),
    "congruential-minstd": partial(
        mask_by_congruence, multiplier=16807, increment=0, modulus=2**31 - 1, shift=0
    ),
    "one-row-fresh": partial(mask_by_one_line, across=False),
    "one-column-fresh": partial(mask_by_one_line, across=True, operation="add"),
    "eight-rows-fresh": partial(mask_by_one_line, across=False, period=8),
    "mask-and-fresh-order": partial(apply_fixed_and_fresh, fresh="order", fixed="mask"),
    "mask-and-fresh-rolls": partial(apply_fixed_and_fresh, fresh="rolls", fixed="sum"),
    "order-and-fresh-byte": partial(apply_fixed_and_fresh, fresh="byte", fixed="order"),
    "box-and-fresh-rows": partial(apply_fixed_and_fresh, fresh="rows", fixed="box"),
    "products-257": partial(chain_in_group, modulus=257, multiply=True, directions=0),
    "products-257-chain": partial(chain_in_group, modulus=257, multiply=True, directions=1),
    "products-257-both": partial(chain_in_group, modulus=257, multiply=True, directions=2),
    "sums-255-both": partial(chain_in_group, modulus=255, multiply=False, directions=2),
    "measured-words": partial(measure_picture, kind="words"),
    "measured-real": partial(measure_picture, kind="real", order="planes"),
    "measured-masked": partial(measure_picture, kind="real", order="little", masked=True),
}
"""The weak ciphers."""


def _run_ctr(image: AnyArray, key: bytes, nonce: bytes) -> AnyArray:
    encryptor = Cipher(algorithms.AES256(sha256(key).digest()), modes.CTR(nonce)).encryptor()
    return np.frombuffer(encryptor.update(image.tobytes()), image.dtype).reshape(image.shape)


def _read_samples(data: bytes, image: AnyArray) -> AnyArray:
    return np.frombuffer(data, np.uint8)[: image.nbytes].view(image.dtype).reshape(image.shape)


def encrypt_aes_ctr(image: AnyArray, key: bytes) -> AnyArray:
    return _run_ctr(image, key, os.urandom(16))


def encrypt_aes_gcm(image: AnyArray, key: bytes) -> AnyArray:
    return _read_samples(AESGCM(key).encrypt(os.urandom(12), image.tobytes(), None), image)


def encrypt_aes_siv(image: AnyArray, key: bytes) -> AnyArray:
    """Encrypt by AES-SIV; the synthetic nonce is sent separately and is no part of the result."""
    double_key = sha256(key).digest() + sha256(key + b"2").digest()
    return _read_samples(AESSIV(double_key).encrypt(image.tobytes(), None)[16:], image)


def encrypt_aes_xts(image: AnyArray, key: bytes) -> AnyArray:
    double_key = sha256(key).digest() + sha256(key + b"2").digest()
    encryptor = Cipher(algorithms.AES(double_key), modes.XTS(os.urandom(16))).encryptor()
    return _read_samples(encryptor.update(image.tobytes() + bytes(16)), image)


def encrypt_chacha(image: AnyArray, key: bytes) -> AnyArray:
    return _read_samples(
        ChaCha20Poly1305(key).encrypt(os.urandom(12), image.tobytes(), None), image
    )


def encrypt_aes_cbc(image: AnyArray, key: bytes) -> AnyArray:
    encryptor = Cipher(algorithms.AES256(key), modes.CBC(os.urandom(16))).encryptor()
    return _read_samples(encryptor.update(image.tobytes() + bytes(-image.nbytes % 16)), image)


def apply_pad(image: AnyArray, _: bytes) -> AnyArray:
    return _read_samples(os.urandom(image.nbytes), image) ^ image


def move_and_pad(image: AnyArray, key: bytes) -> AnyArray:
    moved_image = image.reshape(-1)[make_order(image.size, key)].reshape(image.shape)
    return moved_image + _read_samples(os.urandom(image.nbytes), image)


def encrypt_with_tag(image: AnyArray, key: bytes) -> AnyArray:
    """Return a result that contains nonce and tag, and so is refused for its shape."""
    nonce = os.urandom(12)
    return np.frombuffer(nonce + AESGCM(key).encrypt(nonce, image.tobytes(), None), np.uint8)


def _make_carrier(image: AnyArray, row: int = 0, column: int = 0) -> AnyArray:
    photo = picture("astronaut")[row:, column:]
    shape = (
        *(
            -(-side // photo_side)
            for side, photo_side in zip(image.shape, photo.shape, strict=False)
        ),
        1,
    )
    photo = np.tile(photo, (*shape[:2], 1))[: image.shape[0], : image.shape[1]]
    photo = photo[..., 1] if image.ndim == 2 else photo[..., : image.shape[2]]
    return photo.astype(image.dtype).copy()


def hide_in_carrier(image: AnyArray, key: bytes, *, at_random: bool = False) -> AnyArray:
    """Put the masked middle of the picture into a public photograph."""
    corner = np.frombuffer(os.urandom(2), np.uint8).tolist() if at_random else (0, 0)
    result = _make_carrier(image, *corner)
    rows, columns = (slice(side // 4, side - side // 4) for side in image.shape[:2])
    result[rows, columns] = encrypt_aes_ctr(image, key)[rows, columns]
    return result


def hide_in_lowest_bits(image: AnyArray, key: bytes) -> AnyArray:
    return _make_carrier(image) & 0xFE | encrypt_aes_ctr(image, key) & 1


def hide_synthetic(image: AnyArray, key: bytes) -> AnyArray:
    result = _make_carrier(image)
    result[: len(image) // 2] = encrypt_aes_siv(image, key)[: len(image) // 2]
    return result


def whiten_samples(image: AnyArray, key: bytes) -> AnyArray:
    return _run_ctr(image, key, blake2b(image.tobytes(), key=key, digest_size=16).digest())


class WideBlock(Feistel):
    """A Feistel network of enough rounds, with a salt that is sent separately."""

    def encrypt(self, image: AnyArray, key: bytes) -> AnyArray:
        return super().encrypt(image, key + os.urandom(16))

    decrypt = None  # type: ignore[assignment]


SECURE: dict[str, Any] = {
    "aes-ctr": encrypt_aes_ctr,
    "aes-gcm": encrypt_aes_gcm,
    "aes-siv": encrypt_aes_siv,
    "aes-xts": encrypt_aes_xts,
    "aes-cbc": encrypt_aes_cbc,
    "chacha20-poly1305": encrypt_chacha,
    "format-preserving": Feistel("turns", 10, add=True),
    "format-preserving-fresh": WideBlock("turns", 10, add=True),
    "wide-block": Feistel("halves", 6),
    "wide-block-salted": WideBlock("halves", 4),
    "wide-block-sides": Feistel("sides", 8),
    "pad": apply_pad,
    "pad-of-sums": move_and_pad,
    "longer": encrypt_with_tag,
    "carrier": hide_in_carrier,
    "carrier-at-random": partial(hide_in_carrier, at_random=True),
    "carrier-of-synthetic": hide_synthetic,
    "lowest-bits": hide_in_lowest_bits,
    "whitened": whiten_samples,
    "encrypt": lambda image, key: encrypt(image, Key(key)).pixels,
}
"""The strong ciphers."""
