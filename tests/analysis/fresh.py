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
from tests.analysis.families import encrypt_aes_ctr, make_bytes, make_order


def _shape_like(values: ArrayLike, image: AnyArray) -> AnyArray:
    return np.asarray(values).astype(np.uint8).reshape(image.shape)


def _make_fresh_stream(image: AnyArray, key: bytes) -> AnyArray:
    """A stream of a fresh nonce."""
    return make_bytes(image.size, key, os.urandom(12)).reshape(image.shape)


def multiply_by_matrix(
    image: AnyArray, key: bytes, *, side: int = 4, masked: bool = False, chain: bool = False
) -> AnyArray:
    """Hill's matrix modulo 257; 256 becomes 0."""
    matrix = make_bytes(2 * side * side, key).view(np.uint16).astype(np.int64) % 257
    values = image.reshape(-1, side).astype(np.int64)
    if masked:
        values = values + make_bytes(image.size, key).reshape(values.shape)
    values = values @ matrix.reshape(side, side)
    return _shape_like((np.cumsum(values, axis=0) if chain else values) % 257 % 256, image)


def mask_by_twister(image: AnyArray, key: bytes, *, bits: int = 8) -> AnyArray:
    """The highest bits of the words of the Mersenne Twister, seeded with 256 bits."""
    seed = sha256(key + os.urandom(16)).digest()
    source = random.Random(seed)  # noqa: S311 - broken on purpose
    return image ^ _shape_like([source.getrandbits(bits) for _ in range(image.size)], image)


def mask_by_numpy_twister(image: AnyArray, key: bytes) -> AnyArray:
    """All bytes of the words of NumPy's Mersenne Twister."""
    seed = np.frombuffer(sha256(key + os.urandom(16)).digest(), np.uint32)
    return image ^ np.random.RandomState(seed).randint(0, 256, image.shape, dtype=np.uint8)


def mask_by_secret_congruence(image: AnyArray, key: bytes, *, prime: bool = False) -> AnyArray:
    """The highest byte of a generator whose parameters are secret, with a fresh state."""
    numbers = make_bytes(24, key).view("<u8").tolist()
    modulus = 2**31 - 2 * (numbers[2] % 2**16) - 1 if prime else 2**32
    multiplier, increment = (numbers[0] % modulus // 4 * 4 + 1, numbers[1] % modulus | 1)
    state, result = int.from_bytes(os.urandom(8)) % modulus, []
    for _ in range(image.size):
        state = (multiplier * state + increment) % modulus
        result.append(state * 256 // modulus)
    return image ^ _shape_like(result, image)


def mask_by_orbit(image: AnyArray, key: bytes, *, digits: int) -> AnyArray:
    """An orbit whose start and parameter have a few digits, of the key and a nonce."""
    number = int.from_bytes(sha256(key + os.urandom(8)).digest())
    growth = 3.6 + 0.4 * (number % 10**digits) / 10**digits
    value, result = 0.1 + 0.8 * (number // 10**digits % 10**digits) / 10**digits, []
    for _ in range(image.size + 100):
        value = growth * value * (1 - value)
        result.append(int(value * 1e6) % 256)
    return image ^ _shape_like(result[100:], image)


def compose_stages(image: AnyArray, key: bytes, *, related: bool = False) -> AnyArray:
    """Lines moved, a chain, columns moved, a mask, and a chain of columns from the last row."""
    key += str(int(image.sum())).encode() if related else b""
    masks = [make_bytes(image.size, key, number).reshape(image.shape) for number in (1, 3)]
    moved_image = image[make_order(len(image), key, 0)] ^ masks[0]
    chained_image = np.bitwise_xor.accumulate(moved_image.reshape(-1)).reshape(image.shape)
    masked_image = chained_image[:, make_order(image.shape[1], key, 2)] + masks[1]
    return np.add.accumulate(masked_image[::-1], axis=0, dtype=np.uint8)[::-1]


def repeat_stream(image: AnyArray, key: bytes) -> AnyArray:
    """37 bytes of a fresh stream, again and again."""
    return image + _shape_like(np.resize(make_bytes(37, key, os.urandom(8)), image.size), image)


def multiply_and_add(image: AnyArray, key: bytes) -> AnyArray:
    """A product and a sum modulo 256, anew for each image."""
    factor, summand = make_bytes(2, key, os.urandom(8)).tolist()
    return image * np.uint8(factor | 1) + np.uint8(summand)


def split_planes(image: AnyArray, key: bytes) -> AnyArray:
    """The upper half of the bits under a fresh stream, the lower one moved by one map."""
    low_bits = (image & 15).reshape(-1)[make_order(image.size, key)].reshape(image.shape)
    return (image ^ _make_fresh_stream(image, key)) & 0xF0 | low_bits


def substitute_pairs(image: AnyArray, key: bytes) -> AnyArray:
    """A table of all pairs of neighbors."""
    first, second = (image.reshape(-1)[start::2].astype(np.int64) for start in (0, 1))
    substituted = make_order(65536, key)[first << 8 | second]
    return _shape_like(np.stack([substituted >> 8, substituted & 255], axis=1), image)


def encrypt_tweaked_blocks(image: AnyArray, key: bytes) -> AnyArray:
    """AES by blocks, whose numbers count modulo 4."""
    aes = Cipher(algorithms.AES(key), modes.ECB()).encryptor()  # noqa: S305 - broken on purpose
    blocks = image.reshape(-1, 16).copy()
    blocks[:, 0] ^= (np.arange(len(blocks)) % 4).astype(np.uint8)
    return _shape_like(np.frombuffer(aes.update(blocks.tobytes()), np.uint8), image)


def mask_by_automaton(image: AnyArray, key: bytes, *, width: int, adds_own_cell: bool) -> AnyArray:
    """A ring of cells from a fresh seed, each of which becomes the sum of its neighbors."""
    cells, rows = np.unpackbits(make_bytes(32, key, os.urandom(8)))[:width], []
    for _ in range(8 * image.size // width):
        cells = np.roll(cells, 1) ^ np.roll(cells, -1) ^ cells * adds_own_cell
        rows.append(cells)
    return image ^ _shape_like(np.packbits(rows), image)


def mask_by_feedback(image: AnyArray, key: bytes) -> AnyArray:
    """Each sample under a hash of the last four of the result."""
    result = list(key[:4])
    for sample in image.reshape(-1).tolist():
        result.append(sample ^ sha256(key + bytes(result[-4:])).digest()[0])
    return _shape_like(result[4:], image)


def mask_by_autokey(image: AnyArray, key: bytes) -> AnyArray:
    """Each sample under a table of the two before it in the image."""
    table = make_order(65536, key).astype(np.uint8)
    plain = np.append(np.frombuffer(key[:2], np.uint8), image.reshape(-1)).astype(np.int64)
    return _shape_like(plain[2:] + table[plain[1:-1] * 256 + plain[:-2]], image)


def roll_bits(image: AnyArray, key: bytes) -> AnyArray:
    """The picture combined with two rotations of itself, and masked."""
    samples, step = image.reshape(-1), int.from_bytes(key[:2]) % image.size
    rolled = np.roll(samples, step | 1) ^ np.roll(samples, 2 * step + 7)
    return _shape_like(samples ^ rolled ^ make_bytes(samples.size, key), image)


def mask_by_clock(image: AnyArray, _: bytes) -> AnyArray:
    """A stream of the seconds, without the key."""
    source = np.random.default_rng(int(time.time()))
    return image ^ source.integers(0, 256, image.shape, dtype=np.uint8)


def move_rows_freshly(image: AnyArray, key: bytes) -> AnyArray:
    """Rows moved, turned and complemented, anew for each image."""
    source = np.random.default_rng(make_bytes(16, key, os.urandom(8)).tolist())
    result = image[source.permutation(len(image))].copy()
    for index, row in enumerate(result):
        rolled_row = np.roll(row, int(source.integers(len(row))), axis=0)
        result[index] = rolled_row ^ np.uint8(255 * source.integers(2))
    return result


def select_by_first_sample(image: AnyArray, key: bytes) -> AnyArray:
    """The first sample picks a stream for all others, and chains go both ways through a box."""
    box, values = make_order(256, key).tolist(), image.reshape(-1).tolist()
    for direction in range(2):
        masks = make_bytes(image.size, key, direction, 0 if direction else values[0]).tolist()
        for index in range(1, len(values)):
            values[index] = box[(values[index] + values[index - 1] & 255) ^ masks[index]]
        values = values[::-1]
    return _shape_like(values, image)


def multiply_in_field(image: AnyArray, key: bytes) -> AnyArray:
    """Products in the field of 256 elements, and a chain."""
    powers, value = [], 1
    for _ in range(255):
        powers.append(value)
        value ^= value << 1 ^ (0x11B if value & 128 else 0)
    logs, steps = np.argsort([0, *powers]), make_bytes(image.size, key) % 255
    samples = image.reshape(-1)
    products = np.array(powers)[(logs[samples] - 1 + steps.astype(np.int64)) % 255]
    return _shape_like(np.bitwise_xor.accumulate(np.where(samples > 0, products, 0)), image)


def mask_by_short_hash(image: AnyArray, key: bytes) -> AnyArray:
    """A hash of the picture, cut to 12 bits, picks the stream."""
    number = int.from_bytes(hmac.digest(key, image.tobytes(), "sha256")) % 4096
    return image ^ make_bytes(image.size, key, number).reshape(image.shape)


def mask_row_pairs(image: AnyArray, key: bytes) -> AnyArray:
    """A fresh stream, of which each row masks two rows."""
    stream = _make_fresh_stream(image, key).copy()
    stream[1::2] = stream[: 2 * (len(stream) // 2) : 2]
    return image + stream


FRESH_BROKEN: dict[str, Any] = {
    "matrix-257": multiply_by_matrix,
    "matrix-257-masked": partial(multiply_by_matrix, side=8, masked=True),
    "matrix-257-chain": partial(multiply_by_matrix, chain=True),
    "twister": mask_by_twister,
    "twister-of-2-bits": partial(mask_by_twister, bits=2),
    "twister-of-numpy": mask_by_numpy_twister,
    "congruential-unknown": mask_by_secret_congruence,
    "congruential-prime": partial(mask_by_secret_congruence, prime=True),
    "logistic-4-digits": partial(mask_by_orbit, digits=4),
    "logistic-3-digits": partial(mask_by_orbit, digits=3),
    "composed": compose_stages,
    "composed-related": partial(compose_stages, related=True),
    "repeated": repeat_stream,
    "affine-fresh": multiply_and_add,
    "split-planes": split_planes,
    "pairs": substitute_pairs,
    "tweaked-blocks": encrypt_tweaked_blocks,
    "automaton-90": partial(mask_by_automaton, width=64, adds_own_cell=False),
    "automaton-150": partial(mask_by_automaton, width=256, adds_own_cell=True),
    "feedback": mask_by_feedback,
    "autokey": mask_by_autokey,
    "rolled": roll_bits,
    "clock": mask_by_clock,
    "fresh-rows": move_rows_freshly,
    "first-sample": select_by_first_sample,
    "galois": multiply_in_field,
    "short-synthetic": mask_by_short_hash,
    "paired-rows": mask_row_pairs,
}

_nonces = count()


def mask_by_counter(image: AnyArray, key: bytes) -> AnyArray:
    """A nonce that counts images."""
    nonce = next(_nonces).to_bytes(8, "big") + bytes(8)
    stream = Cipher(algorithms.AES(key), modes.CTR(nonce)).encryptor().update(image.tobytes())
    return _shape_like(np.frombuffer(stream, np.uint8), image)


def mask_and_move(image: AnyArray, key: bytes) -> AnyArray:
    """A fresh stream, and one map behind it."""
    return _shape_like(
        (image + _make_fresh_stream(image, key)).reshape(-1)[make_order(image.size, key)], image
    )


def make_stripes(image: AnyArray, key: bytes) -> AnyArray:
    """The masked picture in every second row, and a ramp in the others."""
    result = encrypt_aes_ctr(image, key).copy()
    ramp = np.arange(image.shape[1]).reshape(-1, *[1] * (image.ndim - 2))
    result[::2] = ramp.astype(np.uint8)
    return result


def add_smooth_noise(image: AnyArray, key: bytes) -> AnyArray:
    """Smooth fresh noise in the upper half, and the masked picture below it."""
    result = encrypt_aes_ctr(image, key).copy()
    upper_half = result[: len(result) // 2]
    noise = np.random.default_rng([*os.urandom(8)]).normal(0, 5, upper_half.shape)
    upper_half[:] = np.clip(np.cumsum(noise, axis=1) + 128, 0, 255)
    return result


FRESH_SECURE: dict[str, Any] = {
    "counted": mask_by_counter,
    "moved-behind": mask_and_move,
    "seven-bits": lambda image, key: encrypt_aes_ctr(image, key) & 127,
    "striped": make_stripes,
    "smooth-noise": add_smooth_noise,
}
