"""Ciphers by an author who knew families.py but had not read the attacks.

When they were written, attacks broke 23 of the 28 weak ciphers and none of the strong ones.
"""

import hmac
import os
import random
import time
from functools import partial
from hashlib import sha256
from itertools import count
from typing import Any

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numpy.typing import ArrayLike

from sudokucrypt.typing import AnyArray
from tests.analysis.families import aes_ctr, make_bytes, make_order


def _like(values: ArrayLike, image: AnyArray) -> AnyArray:
    return np.asarray(values).astype(np.uint8).reshape(image.shape)


def _fresh(image: AnyArray, key: bytes) -> AnyArray:
    """A stream of a fresh nonce."""
    return make_bytes(image.size, key, os.urandom(12)).reshape(image.shape)


def matrix_257(
    image: AnyArray, key: bytes, *, side: int = 4, masked: bool = False, chain: bool = False
) -> AnyArray:
    """Hill's matrix modulo 257; 256 becomes 0."""
    matrix = make_bytes(2 * side * side, key).view(np.uint16).astype(np.int64) % 257
    values = image.reshape(-1, side).astype(np.int64)
    if masked:
        values = values + make_bytes(image.size, key).reshape(values.shape)
    values = values @ matrix.reshape(side, side)
    return _like((np.cumsum(values, axis=0) if chain else values) % 257 % 256, image)


def twister(image: AnyArray, key: bytes, *, bits: int = 8) -> AnyArray:
    """The highest bits of the words of the Mersenne Twister, seeded with 256 bits."""
    seed = sha256(key + os.urandom(16)).digest()
    source = random.Random(seed)  # noqa: S311 - broken on purpose
    return image ^ _like([source.getrandbits(bits) for _ in range(image.size)], image)


def twister_of_numpy(image: AnyArray, key: bytes) -> AnyArray:
    """All bytes of the words of NumPy's Mersenne Twister."""
    seed = np.frombuffer(sha256(key + os.urandom(16)).digest(), np.uint32)
    return image ^ np.random.RandomState(seed).randint(0, 256, image.shape, dtype=np.uint8)


def congruential(image: AnyArray, key: bytes, *, prime: bool = False) -> AnyArray:
    """The highest byte of a generator whose parameters are secret, with a fresh state."""
    drawn = make_bytes(24, key).view("<u8").tolist()
    modulus = 2**31 - 2 * (drawn[2] % 2**16) - 1 if prime else 2**32
    a, c = drawn[0] % modulus // 4 * 4 + 1, drawn[1] % modulus | 1
    state, result = int.from_bytes(os.urandom(8)) % modulus, []
    for _ in range(image.size):
        state = (a * state + c) % modulus
        result.append(state * 256 // modulus)
    return image ^ _like(result, image)


def logistic(image: AnyArray, key: bytes, *, digits: int) -> AnyArray:
    """An orbit whose start and parameter have a few digits, of the key and a nonce."""
    number = int.from_bytes(sha256(key + os.urandom(8)).digest())
    growth = 3.6 + 0.4 * (number % 10**digits) / 10**digits
    x, result = 0.1 + 0.8 * (number // 10**digits % 10**digits) / 10**digits, []
    for _ in range(image.size + 100):
        x = growth * x * (1 - x)
        result.append(int(x * 1e6) % 256)
    return image ^ _like(result[100:], image)


def compose_stages(image: AnyArray, key: bytes, *, related: bool = False) -> AnyArray:
    """Lines moved, a chain, columns moved, a mask, and a chain of columns from the last row."""
    key += str(int(image.sum())).encode() if related else b""
    masks = [make_bytes(image.size, key, turn).reshape(image.shape) for turn in (1, 3)]
    moved = image[make_order(len(image), key, 0)] ^ masks[0]
    chained = np.bitwise_xor.accumulate(moved.reshape(-1)).reshape(image.shape)
    masked = chained[:, make_order(image.shape[1], key, 2)] + masks[1]
    return np.add.accumulate(masked[::-1], axis=0, dtype=np.uint8)[::-1]


def repeat_stage(image: AnyArray, key: bytes) -> AnyArray:
    """37 bytes of a fresh stream, again and again."""
    return image + _like(np.resize(make_bytes(37, key, os.urandom(8)), image.size), image)


def affine(image: AnyArray, key: bytes) -> AnyArray:
    """A product and a sum modulo 256, anew for each image."""
    a, b = make_bytes(2, key, os.urandom(8)).tolist()
    return image * np.uint8(a | 1) + np.uint8(b)


def split_planes(image: AnyArray, key: bytes) -> AnyArray:
    """The upper half of the bits under a fresh stream, the lower one moved by one map."""
    low = (image & 15).reshape(-1)[make_order(image.size, key)].reshape(image.shape)
    return (image ^ _fresh(image, key)) & 0xF0 | low


def pairs(image: AnyArray, key: bytes) -> AnyArray:
    """A table of all pairs of neighbors."""
    first, second = (image.reshape(-1)[start::2].astype(np.int64) for start in (0, 1))
    seen = make_order(65536, key)[first << 8 | second]
    return _like(np.stack([seen >> 8, seen & 255], axis=1), image)


def tweaked_blocks(image: AnyArray, key: bytes) -> AnyArray:
    """AES by blocks, whose numbers count modulo 4."""
    aes = Cipher(algorithms.AES(key), modes.ECB()).encryptor()  # noqa: S305 - broken on purpose
    blocks = image.reshape(-1, 16).copy()
    blocks[:, 0] ^= (np.arange(len(blocks)) % 4).astype(np.uint8)
    return _like(np.frombuffer(aes.update(blocks.tobytes()), np.uint8), image)


def automaton(image: AnyArray, key: bytes, *, width: int, middle: bool) -> AnyArray:
    """A ring of cells from a fresh seed, each of which becomes the sum of its neighbors."""
    cells, rows = np.unpackbits(make_bytes(32, key, os.urandom(8)))[:width], []
    for _ in range(8 * image.size // width):
        cells = np.roll(cells, 1) ^ np.roll(cells, -1) ^ cells * middle
        rows.append(cells)
    return image ^ _like(np.packbits(rows), image)


def feedback(image: AnyArray, key: bytes) -> AnyArray:
    """Each sample under a hash of the last four of the result."""
    result = list(key[:4])
    for sample in image.reshape(-1).tolist():
        result.append(sample ^ sha256(key + bytes(result[-4:])).digest()[0])
    return _like(result[4:], image)


def autokey(image: AnyArray, key: bytes) -> AnyArray:
    """Each sample under a table of the two before it in the image."""
    table = make_order(65536, key).astype(np.uint8)
    plain = np.append(np.frombuffer(key[:2], np.uint8), image.reshape(-1)).astype(np.int64)
    return _like(plain[2:] + table[plain[1:-1] * 256 + plain[:-2]], image)


def roll_bits(image: AnyArray, key: bytes) -> AnyArray:
    """The picture combined with two rotations of itself, and masked."""
    flat, step = image.reshape(-1), int.from_bytes(key[:2]) % image.size
    both = np.roll(flat, step | 1) ^ np.roll(flat, 2 * step + 7)
    return _like(flat ^ both ^ make_bytes(flat.size, key), image)


def clock(image: AnyArray, _: bytes) -> AnyArray:
    """A stream of the seconds, without the key."""
    source = np.random.default_rng(int(time.time()))
    return image ^ source.integers(0, 256, image.shape, dtype=np.uint8)


def fresh_rows(image: AnyArray, key: bytes) -> AnyArray:
    """Rows moved, turned and complemented, anew for each image."""
    source = np.random.default_rng(make_bytes(16, key, os.urandom(8)).tolist())
    result = image[source.permutation(len(image))].copy()
    for index, row in enumerate(result):
        turned = np.roll(row, int(source.integers(len(row))), axis=0)
        result[index] = turned ^ np.uint8(255 * source.integers(2))
    return result


def first_sample(image: AnyArray, key: bytes) -> AnyArray:
    """The first sample picks a stream for all others, and chains go both ways through a box."""
    box, values = make_order(256, key).tolist(), image.reshape(-1).tolist()
    for turn in range(2):
        masks = make_bytes(image.size, key, turn, 0 if turn else values[0]).tolist()
        for index in range(1, len(values)):
            values[index] = box[(values[index] + values[index - 1] & 255) ^ masks[index]]
        values = values[::-1]
    return _like(values, image)


def galois(image: AnyArray, key: bytes) -> AnyArray:
    """Products in the field of 256 elements, and a chain."""
    powers, value = [], 1
    for _ in range(255):
        powers.append(value)
        value ^= value << 1 ^ (0x11B if value & 128 else 0)
    logs, steps = np.argsort([0, *powers]), make_bytes(image.size, key) % 255
    flat = image.reshape(-1)
    products = np.array(powers)[(logs[flat] - 1 + steps.astype(np.int64)) % 255]
    return _like(np.bitwise_xor.accumulate(np.where(flat > 0, products, 0)), image)


def short_synthetic(image: AnyArray, key: bytes) -> AnyArray:
    """A hash of the picture, cut to 12 bits, picks the stream."""
    number = int.from_bytes(hmac.digest(key, image.tobytes(), "sha256")) % 4096
    return image ^ make_bytes(image.size, key, number).reshape(image.shape)


def paired_rows(image: AnyArray, key: bytes) -> AnyArray:
    """A fresh stream, of which each row masks two rows."""
    stream = _fresh(image, key).copy()
    stream[1::2] = stream[: 2 * (len(stream) // 2) : 2]
    return image + stream


FRESH_BROKEN: dict[str, Any] = {
    "matrix-257": matrix_257,
    "matrix-257-masked": partial(matrix_257, side=8, masked=True),
    "matrix-257-chain": partial(matrix_257, chain=True),
    "twister": twister,
    "twister-of-2-bits": partial(twister, bits=2),
    "twister-of-numpy": twister_of_numpy,
    "congruential-unknown": congruential,
    "congruential-prime": partial(congruential, prime=True),
    "logistic-4-digits": partial(logistic, digits=4),
    "logistic-3-digits": partial(logistic, digits=3),
    "composed": compose_stages,
    "composed-related": partial(compose_stages, related=True),
    "repeated": repeat_stage,
    "affine-fresh": affine,
    "split-planes": split_planes,
    "pairs": pairs,
    "tweaked-blocks": tweaked_blocks,
    "automaton-90": partial(automaton, width=64, middle=False),
    "automaton-150": partial(automaton, width=256, middle=True),
    "feedback": feedback,
    "autokey": autokey,
    "rolled": roll_bits,
    "clock": clock,
    "fresh-rows": fresh_rows,
    "first-sample": first_sample,
    "galois": galois,
    "short-synthetic": short_synthetic,
    "paired-rows": paired_rows,
}

_nonces = count()


def count_levels(image: AnyArray, key: bytes) -> AnyArray:
    """A nonce that counts images."""
    nonce = next(_nonces).to_bytes(8, "big") + bytes(8)
    stream = Cipher(algorithms.AES(key), modes.CTR(nonce)).encryptor().update(image.tobytes())
    return _like(np.frombuffer(stream, np.uint8), image)


def moved_behind(image: AnyArray, key: bytes) -> AnyArray:
    """A fresh stream, and one map behind it."""
    return _like((image + _fresh(image, key)).reshape(-1)[make_order(image.size, key)], image)


def make_stripes(image: AnyArray, key: bytes) -> AnyArray:
    """The masked picture in every second row, and a ramp in the others."""
    result = aes_ctr(image, key).copy()
    ramp = np.arange(image.shape[1]).reshape(-1, *[1] * (image.ndim - 2))
    result[::2] = ramp.astype(np.uint8)
    return result


def smooth_noise(image: AnyArray, key: bytes) -> AnyArray:
    """Smooth fresh noise in the upper half, and the masked picture below it."""
    result = aes_ctr(image, key).copy()
    half = result[: len(result) // 2]
    noise = np.random.default_rng([*os.urandom(8)]).normal(0, 5, half.shape)
    half[:] = np.clip(np.cumsum(noise, axis=1) + 128, 0, 255)
    return result


FRESH_SECURE: dict[str, Any] = {
    "counted": count_levels,
    "moved-behind": moved_behind,
    "seven-bits": lambda image, key: aes_ctr(image, key) & 127,
    "striped": make_stripes,
    "smooth-noise": smooth_noise,
}
