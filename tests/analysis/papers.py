"""Ciphers in the style of student papers, written before any attack was tried on them.

When they were written, attacks broke all of the first 23 weak ciphers, and 11 of the 28 with a
fresh nonce and a weak stream. One of the seven strong ciphers was wrongly called weak.
"""

import os
from functools import partial
from hashlib import sha256
from itertools import count
from typing import Any

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numpy.typing import ArrayLike

from sudokucrypt.typing import AnyArray
from tests.analysis.families import (
    Feistel,
    encrypt_aes_cbc,
    encrypt_aes_ctr,
    encrypt_aes_siv,
    make_bytes,
    make_order,
)


def _shape_like(values: ArrayLike, image: AnyArray) -> AnyArray:
    return np.asarray(values).astype(np.uint8).reshape(image.shape)


def _iterate_logistic(seed: float, count: int, growth: float = 3.99) -> AnyArray:
    value, result = seed, []
    for _ in range(count + 200):
        value = growth * value * (1 - value)
        result.append(value)
    return np.array(result[200:])


def _order_zigzag(rows: int, columns: int) -> AnyArray:
    """Return the zigzag order of JPEG for a whole image."""
    places = [(row, column) for row in range(rows) for column in range(columns)]
    places.sort(key=lambda place: (sum(place), place[0] if sum(place) % 2 else place[1]))
    return np.array([row * columns + column for row, column in places])


def sort_by_few_starts(image: AnyArray, key: bytes) -> AnyArray:
    """Sort an orbit whose start is a hash of 20 bits, add another, and chain."""
    start = 0.1 + 0.8 * (int.from_bytes(sha256(key + os.urandom(2)).digest()) % 2**20) / 2**20
    orbit = _iterate_logistic(start, 2 * image.size)
    moved_samples = image.reshape(-1)[np.argsort(orbit[: image.size])]
    return _shape_like(np.cumsum(moved_samples + np.floor(orbit[image.size :] * 1e10) % 256), image)


def turn_by_low_bits(image: AnyArray, key: bytes) -> AnyArray:
    """Turn the bits of each sample by the three lowest bits of the result before it."""
    previous, result = key[0], []
    masks = make_bytes(image.size, key).tolist()
    for sample, mask in zip(image.reshape(-1).tolist(), masks, strict=True):
        steps, value = previous & 7, sample ^ mask
        previous = (value << steps | value >> 8 - steps) & 255
        result.append(previous)
    return _shape_like(result, image)


def complement_bases(image: AnyArray, key: bytes) -> AnyArray:
    """Bases of DNA joined with a key, complemented by it, and added to the base before."""
    shifts = np.array([6, 4, 2, 0])
    bases = (image.reshape(-1, 1) >> shifts & 3).reshape(-1).astype(np.int64)
    stream = make_bytes(bases.size, key)
    bases = np.cumsum(np.where(stream > 127, 3 - bases, bases) ^ stream & 3) % 4
    return _shape_like((bases.reshape(-1, 4) << shifts).sum(axis=1), image)


def roll_by_sums(image: AnyArray, key: bytes) -> AnyArray:
    """Roll each row by the sum of the row before, then each column likewise, and mask all."""
    result = image ^ make_bytes(image.size, key, 0).reshape(image.shape)
    for number in (1, 2):
        steps, previous_sum = make_bytes(len(result), key, number).tolist(), 0
        for index, step in enumerate(steps):
            result[index] = np.roll(result[index], step + previous_sum, axis=0)
            previous_sum = int(result[index].sum())
        result = np.ascontiguousarray(result.swapaxes(0, 1))
    return result + make_bytes(image.size, key, 3).reshape(image.shape)


def substitute_twice(image: AnyArray, key: bytes) -> AnyArray:
    """Twice through a table of the key, with masks that repeat after 8 and 5 samples."""
    box = make_order(256, key).astype(np.uint8)
    masks = [
        np.resize(make_bytes(period, key, period), image.size).reshape(image.shape)
        for period in (8, 5)
    ]
    return np.asarray(box[box[image ^ masks[0]] ^ masks[1]])


def move_blocks_freshly(image: AnyArray, key: bytes) -> AnyArray:
    """Move blocks of 8 x 8 anew for each image, before a stream that is always the same."""
    height, width = image.shape[0] // 8, image.shape[1] // 8
    blocks = image.reshape(height, 8, width, 8, -1).swapaxes(1, 2).reshape(height * width, 8, 8, -1)
    moved_blocks = np.random.default_rng([*os.urandom(8)]).permutation(blocks)
    result = moved_blocks.reshape(height, width, 8, 8, -1).swapaxes(1, 2).reshape(image.shape)
    return result ^ make_bytes(image.size, key).reshape(image.shape)


def multiply_by_singular_matrix(image: AnyArray, key: bytes) -> AnyArray:
    """A matrix modulo 256 whose last row is the sum of the others, and a mask, twice."""
    result = image.reshape(-1, 4).astype(np.int64)
    for number in range(2):
        matrix = make_bytes(16, key, number).reshape(4, 4).astype(np.int64)
        matrix[3] = matrix[:3].sum(axis=0)
        result = result @ matrix + make_bytes(image.size, key, number, 1).reshape(-1, 4)
        result = result.reshape(4, -1).T
    return _shape_like(result % 256, image)


def mask_by_rule_30(image: AnyArray, key: bytes) -> AnyArray:
    """Steps of rule 30 from a hash of the key and the number of dark samples."""
    cells = np.unpackbits(make_bytes(32, key, int((image < 100).sum())))
    rows = []
    for _ in range(8 * image.size // cells.size):
        cells = np.roll(cells, 1) ^ (cells | np.roll(cells, -1))
        rows.append(cells)
    return image ^ _shape_like(np.packbits(rows), image)


def chain_by_latin_square(image: AnyArray, key: bytes) -> AnyArray:
    """A Latin square of the sample and the result before it, forwards and backwards."""
    rows, columns, digits = (make_order(256, key, number) for number in range(3))
    square = digits[(rows[:, None] + columns) % 256].tolist()
    values = image.reshape(-1).tolist()
    for _ in range(2):
        previous = 0
        for index, value in enumerate(values):
            previous = values[index] = square[value][previous]
        values = values[::-1]
    return _shape_like(values, image)


def chain_zigzag(image: AnyArray, key: bytes) -> AnyArray:
    """A zigzag of rows and columns, sums forwards, and exclusive-or backwards."""
    order = _order_zigzag(image.shape[0], image[0].size)
    samples = image.reshape(-1)[order] + make_bytes(image.size, key, 0)
    samples = np.cumsum(samples, dtype=np.uint8) ^ make_bytes(image.size, key, 1)
    return np.bitwise_xor.accumulate(samples[::-1])[::-1].reshape(image.shape)


def move_planes(image: AnyArray, key: bytes) -> AnyArray:
    """A cat map of its own for each plane of bits, each of which is joined with the next."""
    side, planes = len(image), [image >> bit & 1 for bit in range(8)]
    rows, columns = np.indices((side, side))
    for bit in range(8):
        a, b, rounds = make_bytes(3, key, bit).tolist()
        for _ in range(1 + rounds % 5):
            source_rows, source_columns = (
                (rows + a * columns) % side,
                (b * rows + (a * b + 1) * columns) % side,
            )
            planes[bit] = planes[bit][source_rows, source_columns]
        planes[bit] = planes[bit] ^ planes[bit - 1]
    return _shape_like(
        sum(plane.astype(np.int64) << bit for bit, plane in enumerate(planes)), image
    )


def turn_gray_codes(image: AnyArray, key: bytes) -> AnyArray:
    """Gray codes, bits of rows turned by the key and by the row before, and rows joined."""
    bits = np.unpackbits((image ^ image >> 1).reshape(len(image), -1), axis=1)
    previous_row = np.zeros_like(bits[0])
    for index, step in enumerate(make_bytes(2 * len(bits), key).view(np.uint16).tolist()):
        previous_row = np.roll(bits[index], step + int(previous_row[:8].sum())) ^ previous_row
        bits[index] = previous_row
    return _shape_like(np.packbits(bits, axis=1), image)


def mask_rows_by_rows(image: AnyArray, key: bytes) -> AnyArray:
    """Each row under a hash of the row of the image before it, and columns moved."""
    result, previous_row = image.copy(), b""
    for index, row in enumerate(image):
        result[index] ^= make_bytes(row.size, key, index, previous_row).reshape(row.shape)
        previous_row = row.tobytes()
    return result[:, make_order(image.shape[1], key)]


def mask_quarters(image: AnyArray, key: bytes) -> AnyArray:
    """Each quarter of an image under a stream of the sum of the next one, in turns."""
    quarters = np.array_split(image.reshape(-1).copy(), 4)
    for index in range(4):
        stream = make_bytes(quarters[index].size, key, index, int(quarters[index - 3].sum()))
        quarters[index] = quarters[index] ^ stream
    return np.concatenate(quarters).reshape(image.shape)


def swap_samples(image: AnyArray, key: bytes) -> AnyArray:
    """Swap each sample with one that the key and the sample before choose, and mask both."""
    values, steps = image.reshape(-1).tolist(), make_bytes(2 * image.size, key).view(np.uint16)
    masks = make_bytes(image.size, key, 1).tolist()
    for index in range(1, len(values)):
        partner = index + (int(steps[index]) + 7 * values[index - 1]) % (len(values) - index)
        values[index], values[partner] = values[partner] ^ masks[index], values[index]
    return _shape_like(values, image)


def join_thirds(image: AnyArray, key: bytes) -> AnyArray:
    """Thirds of the samples, each joined with a rolled copy of the next, and with a box last."""
    thirds = np.array_split(image.reshape(-1).copy(), 3)
    for number in range(6):
        third, next_third = (
            thirds[number % 3],
            np.resize(thirds[number % 3 - 2], thirds[number % 3].size),
        )
        third ^= np.roll(next_third, int.from_bytes(key[number : number + 2]))
        third += make_bytes(third.size, key, number)
    return np.asarray(
        make_order(256, key).astype(np.uint8)[np.concatenate(thirds)].reshape(image.shape)
    )


def add_sine_orbit(image: AnyArray, key: bytes) -> AnyArray:
    """A sine map whose start and parameter have three decimals, mixed with a fresh nonce."""
    number = int.from_bytes(sha256(key).digest())
    value, growth = number % 1000 / 1000 + 1e-4, 0.9 + number // 1000 % 100 / 1000
    result, nonce = [], int.from_bytes(os.urandom(8)) / 2**64
    for _ in range(image.size):
        value = growth * np.sin(np.pi * (value + nonce) % 1 * np.pi / 2)
        result.append(int(value * 1e12) % 256)
    return image + _shape_like(result, image)


def add_repeated_key(image: AnyArray, key: bytes) -> AnyArray:
    """The key again and again, in columns, and all of it turned by a fresh amount."""
    masked_image = image + _shape_like(np.resize(np.frombuffer(key, np.uint8), image.size), image)
    samples = np.ascontiguousarray(masked_image.swapaxes(0, 1)).reshape(-1)
    return np.roll(samples, int.from_bytes(os.urandom(4)) % samples.size).reshape(image.shape)


def mask_differences(image: AnyArray, key: bytes) -> AnyArray:
    """Differences of neighbors under one of sixteen streams."""
    differences = np.diff(image.reshape(-1), prepend=np.uint8(0))
    return (differences ^ make_bytes(differences.size, key, os.urandom(1)[0] % 16)).reshape(
        image.shape
    )


def mask_nibbles(image: AnyArray, key: bytes) -> AnyArray:
    """High bits under a fresh stream, and low ones under a stream of the key, moved together."""
    fresh_stream = make_bytes(image.size, key, os.urandom(12)).reshape(image.shape)
    masked_image = (
        image ^ fresh_stream & 0xF0 ^ make_bytes(image.size, key).reshape(image.shape) & 15
    )
    return np.asarray(masked_image.reshape(-1)[make_order(image.size, key)].reshape(image.shape))


def encrypt_with_mean_iv(image: AnyArray, key: bytes) -> AnyArray:
    """CBC whose IV is the mean of the picture."""
    iv = int(image.mean()).to_bytes(16)
    encryptor = Cipher(algorithms.AES256(key), modes.CBC(iv)).encryptor()
    return _shape_like(np.frombuffer(encryptor.update(image.tobytes()), np.uint8), image)


def mask_by_positions(image: AnyArray, key: bytes) -> AnyArray:
    """Masks of products of positions and key bytes, then swapped bits and rolled rows."""
    rows, columns = np.indices(image.shape[:2])
    a, b, c = (1 + byte for byte in key[:3])
    products = (a * rows + b * columns + c * rows * columns).astype(np.uint8)
    result: AnyArray = image ^ products.reshape(*products.shape, *[1] * (image.ndim - 2))
    result = (result & 0x55) << 1 | (result & 0xAA) >> 1
    return result ^ np.roll(result, key[3] | 1, axis=0) ^ np.roll(result, key[4] | 2, axis=1)


def sum_pairs(image: AnyArray, key: bytes) -> AnyArray:
    """Eight rounds of a permutation and of sums of pairs modulo 256."""
    samples = image.reshape(-1)
    for number in range(8):
        samples = samples[make_order(samples.size, key, number)]
        first, second = samples[::2], samples[1::2]
        samples = np.concatenate([first + second, first + second * np.uint8(2)])
    return samples.reshape(image.shape)


# The ciphers below have a fresh nonce of 53 bits or more for each image, and a weak stream.
def _make_generator(key: bytes) -> np.random.Generator:
    return np.random.default_rng([*sha256(key + os.urandom(16)).digest()])


def mask_by_orbit(image: AnyArray, key: bytes, *, growth: float = 4.0) -> AnyArray:
    """The highest byte of a logistic map, whose start has 53 bits."""
    start = int.from_bytes(sha256(key + os.urandom(16)).digest()[:8]) / 2**64
    return image ^ _shape_like(_iterate_logistic(start, image.size, growth) * 256, image)


def add_tent_map(image: AnyArray, key: bytes) -> AnyArray:
    """The highest bytes of a skew tent map, added."""
    value, result = int.from_bytes(sha256(key + os.urandom(16)).digest()[:8]) / 2**64, []
    for _ in range(image.size):
        value = value / 0.37 if value < 0.37 else (1 - value) / 0.63
        result.append(int(value * 256) % 256)
    return image + _shape_like(result, image)


def add_small_noise(image: AnyArray, key: bytes) -> AnyArray:
    """Sums with a stream of values below 200."""
    return image + _make_generator(key).integers(0, 200, image.shape).astype(np.uint8)


def mask_by_odd_modulus(
    image: AnyArray, key: bytes, *, bits: int = 31, low_byte: bool = False
) -> AnyArray:
    """A congruential generator whose three numbers are secret, and of which the modulus is odd."""
    multiplier, increment, modulus = (
        int.from_bytes(make_bytes(8, key, number)) % 2**bits for number in range(3)
    )
    modulus = modulus % 2 ** (bits - 2) | 3 << bits - 2 | 1
    state, result = int.from_bytes(os.urandom(8)) % modulus, []
    for _ in range(image.size):
        state = (multiplier * state + increment) % modulus
        result.append(state & 255 if low_byte else state * 256 // modulus)
    return image ^ _shape_like(result, image)


def pad_in_table(image: AnyArray, key: bytes) -> AnyArray:
    """A one-time pad of the low bits only, behind a secret table."""
    pad = np.frombuffer(os.urandom(image.size), np.uint8).reshape(image.shape) & 15
    return np.asarray(make_order(256, key).astype(np.uint8)[image ^ pad])


def mask_by_words(image: AnyArray, key: bytes) -> AnyArray:
    """All four bytes of the states of a congruential generator with secret parameters."""
    multiplier, increment, modulus = (
        int.from_bytes(make_bytes(4, key, number)) for number in range(3)
    )
    modulus = modulus % 2**30 | 3 << 30 | 1
    state, result = int.from_bytes(os.urandom(8)) % modulus, list[int]()
    for _ in range(image.size // 4):
        state = (multiplier * state + increment) % modulus
        result += state.to_bytes(4, "little")
    return image ^ _shape_like(result, image)


def substitute_freshly(image: AnyArray, key: bytes) -> AnyArray:
    """Seven tables, in turns, anew for each image."""
    source = _make_generator(key)
    tables = np.stack([source.permutation(256) for _ in range(7)])
    return _shape_like(tables[np.arange(image.size) % 7, image.reshape(-1)], image)


def mask_by_geffe(image: AnyArray, key: bytes) -> AnyArray:
    """Two registers, of which a third one chooses."""
    source, streams = _make_generator(key), []
    for width, taps in ((13, 0b11011), (15, 0b11), (17, 0b1001)):
        state, bits = int(source.integers(1, 2**width)), []
        for _ in range(8 * image.size):
            bits.append(state & 1)
            state = state >> 1 | ((state & taps).bit_count() & 1) << width - 1
        streams.append(np.array(bits, np.uint8))
    chosen_bits = np.where(streams[2], streams[0], streams[1])
    return image ^ _shape_like(np.packbits(chosen_bits), image)


def add_two_periods(image: AnyArray, key: bytes, *, add: bool = True) -> AnyArray:
    """Sums of two fresh keys of 61 and 67 bytes, again and again."""
    streams = [
        np.resize(make_bytes(period, key, os.urandom(16)), image.size) for period in (61, 67)
    ]
    return (
        image + _shape_like(streams[0] + streams[1], image)
        if add
        else image ^ _shape_like(np.bitwise_xor(*streams), image)
    )


def add_rows_and_columns(image: AnyArray, key: bytes) -> AnyArray:
    """A number for each row and one for each column, added."""
    source = _make_generator(key)
    rows = source.integers(0, 256, (len(image), 1), dtype=np.uint8)
    columns = source.integers(0, 256, (1, image.shape[1]), dtype=np.uint8)
    masks = rows + columns
    return np.asarray(image + masks.reshape(*masks.shape, *[1] * (image.ndim - 2)))


def mask_blocks_by_seeds(image: AnyArray, key: bytes) -> AnyArray:
    """Blocks of 32 samples, each under a stream of a fresh seed of 8 bits."""
    blocks, seeds = image.reshape(-1, 32), os.urandom(image.size // 32)
    return np.stack(
        [block ^ make_bytes(32, key, seed) for block, seed in zip(blocks, seeds, strict=True)]
    ).reshape(image.shape)


def double_nibbles(image: AnyArray, key: bytes) -> AnyArray:
    """Four bits of stream for each sample, on its upper and on its lower half."""
    return image ^ (_make_generator(key).integers(0, 16, image.shape) * 17).astype(np.uint8)


_counter = count()


def encrypt_overlapping(image: AnyArray, key: bytes) -> AnyArray:
    """Counter mode that counts images and blocks with one number, and begins one higher."""
    start = (next(_counter) + int.from_bytes(key[:8])).to_bytes(16)
    stream = Cipher(algorithms.AES(key), modes.CTR(start)).encryptor().update(image.tobytes())
    return _shape_like(np.frombuffer(stream, np.uint8), image)


def multiply_and_mask(image: AnyArray, key: bytes) -> AnyArray:
    """Products with fresh odd numbers, and a mask that never changes."""
    odd_factors = _make_generator(key).integers(0, 128, image.shape).astype(np.uint8) * np.uint8(
        2
    ) + np.uint8(1)
    return np.asarray(image * odd_factors ^ make_bytes(image.size, key).reshape(image.shape))


def mask_by_henon(image: AnyArray, key: bytes) -> AnyArray:
    """The highest byte of one variable of a Henon map, from a fresh start."""
    x, y = _make_generator(key).random(2) / 10
    result = []
    for _ in range(image.size + 50):
        x, y = 1 - 1.4 * x * x + y, 0.3 * x
        result.append(int((x + 1.5) / 3 * 256))
    return image ^ _shape_like(result[50:], image)


def add_lorenz(image: AnyArray, key: bytes) -> AnyArray:
    """The three variables of a Lorenz system in turns, in steps of a hundredth."""
    x, y, z = _make_generator(key).random(3) + 1
    result = list[float]()
    for _ in range(image.size // 3 + 200):
        x, y, z = (
            x + 0.1 * (y - x),
            y + 0.01 * (x * (28 - z) - y),
            z + 0.01 * (x * y - 8 / 3 * z),
        )
        result += [x, y, z]
    return image + _shape_like(np.floor(np.array(result[-image.size :]) * 4) % 256, image)


def mask_by_lattice(image: AnyArray, key: bytes) -> AnyArray:
    """Eight coupled logistic maps, which give their highest bytes in turns."""
    values, result = _make_generator(key).random(8), []
    for _ in range(image.size // 8):
        values = 0.9 * 3.99 * values * (1 - values) + 0.1 * np.roll(3.99 * values * (1 - values), 1)
        result.append(np.floor(values * 256))
    return image ^ _shape_like(result, image)


def add_walk(image: AnyArray, key: bytes) -> AnyArray:
    """A stream whose neighbors differ by less than four."""
    return image + np.cumsum(_make_generator(key).integers(-3, 4, image.size)).astype(
        np.uint8
    ).reshape(image.shape)


def add_one_base(image: AnyArray, key: bytes) -> AnyArray:
    """The same base of DNA on all four of a sample, as sums."""
    return image + (_make_generator(key).integers(0, 4, image.shape) * 0x55).astype(np.uint8)


def mask_by_wide_geffe(image: AnyArray, key: bytes) -> AnyArray:
    """Registers of 29, 31 and 33 places, of which one chooses."""
    source, streams = _make_generator(key), []
    for width, lag in ((29, 2), (31, 3), (33, 13)):
        bits = source.integers(0, 2, width).tolist()
        for index in range(8 * image.size):
            bits.append(bits[index] ^ bits[index + lag])
        streams.append(np.array(bits[: 8 * image.size], np.uint8))
    return image ^ _shape_like(np.packbits(np.where(streams[2], streams[0], streams[1])), image)


def mask_by_hash_code(image: AnyArray, key: bytes) -> AnyArray:
    """A stream chosen by the hash of strings in Java."""
    value = 0
    for sample in image.reshape(-1).tolist():
        value = (31 * value + sample) % 2**32
    return image ^ make_bytes(image.size, key, value).reshape(image.shape)


class Unkeyed:
    """A stream of the nonce only, which is part of the result."""

    def encrypt(self, image: AnyArray, _: bytes) -> AnyArray:
        nonce = os.urandom(16)
        result = image ^ make_bytes(image.size, nonce).reshape(image.shape)
        result.reshape(-1)[:16] = np.frombuffer(nonce, np.uint8)
        return result

    def decrypt(self, image: AnyArray, _: bytes) -> AnyArray:
        return image ^ make_bytes(image.size, image.reshape(-1)[:16].tobytes()).reshape(image.shape)


def mask_orbit(image: AnyArray, key: bytes) -> AnyArray:
    """The highest byte of an orbit, and a mask that never changes."""
    return mask_by_orbit(image, key) + make_bytes(image.size, key).reshape(image.shape)


def move_tent(image: AnyArray, key: bytes) -> AnyArray:
    """A tent map, and a map of samples that never changes."""
    return add_tent_map(image, key).reshape(-1)[make_order(image.size, key)].reshape(image.shape)


def substitute_tent(image: AnyArray, key: bytes) -> AnyArray:
    """A tent map, and a table that never changes."""
    return make_order(256, key).astype(np.uint8)[add_tent_map(image, key)]


PAPERS_BROKEN: dict[str, Any] = {
    "few-starts": sort_by_few_starts,
    "turned-by-low-bits": turn_by_low_bits,
    "complemented-bases": complement_bases,
    "rolled-by-sums": roll_by_sums,
    "boxes-of-key": substitute_twice,
    "fresh-blocks": move_blocks_freshly,
    "singular-matrix": multiply_by_singular_matrix,
    "rule-30": mask_by_rule_30,
    "latin-chain": chain_by_latin_square,
    "zigzag-both-ways": chain_zigzag,
    "cat-of-planes": move_planes,
    "gray-code": turn_gray_codes,
    "rows-by-rows": mask_rows_by_rows,
    "quarters": mask_quarters,
    "swaps": swap_samples,
    "joined-channels": join_thirds,
    "three-decimals": add_sine_orbit,
    "vigenere": add_repeated_key,
    "sixteen-nonces": mask_differences,
    "low-nibbles": mask_nibbles,
    "cbc-of-mean": encrypt_with_mean_iv,
    "qubits": mask_by_positions,
    "walsh": sum_pairs,
    "upper-bits-of-orbit": mask_by_orbit,
    "upper-bits-3.8": partial(mask_by_orbit, growth=3.8),
    "tent": add_tent_map,
    "small-noise": add_small_noise,
    "odd-modulus": mask_by_odd_modulus,
    "odd-modulus-low": partial(mask_by_odd_modulus, low_byte=True),
    "odd-modulus-64": partial(mask_by_odd_modulus, bits=64),
    "nibbles-in-tables": pad_in_table,
    "words-of-congruence": mask_by_words,
    "fresh-tables": substitute_freshly,
    "geffe": mask_by_geffe,
    "two-periods": add_two_periods,
    "two-periods-xor": partial(add_two_periods, add=False),
    "rows-and-columns": add_rows_and_columns,
    "seeds-of-blocks": mask_blocks_by_seeds,
    "doubled-nibbles": double_nibbles,
    "overlapping": encrypt_overlapping,
    "carried-products": multiply_and_mask,
    "henon": mask_by_henon,
    "lorenz": add_lorenz,
    "lattice-of-maps": mask_by_lattice,
    "walk": add_walk,
    "one-base": add_one_base,
    "wide-geffe": mask_by_wide_geffe,
    "hash-code": mask_by_hash_code,
    "unkeyed": Unkeyed,
    "masked-orbit": mask_orbit,
    "moved-tent": move_tent,
    "boxed-tent": substitute_tent,
}


def mirror_image(image: AnyArray, key: bytes) -> AnyArray:
    """The left half of a masked picture, and its mirror."""
    left_half = encrypt_aes_ctr(image, key)[:, : image.shape[1] // 2]
    return np.concatenate(
        [left_half, left_half[:, ::-1], image[:, 2 * left_half.shape[1] :] * 0], axis=1
    )


def shape_as_bell(image: AnyArray, key: bytes) -> AnyArray:
    """Masked values with a bell-shaped histogram, as in a natural picture."""
    table = np.sort(np.random.default_rng(1).normal(128, 30, 256)).clip(0, 255).astype(np.uint8)
    return (
        table[encrypt_aes_ctr(image, key)]
        if image.dtype == np.uint8
        else encrypt_aes_ctr(image, key)
    )


def draw_ramp(image: AnyArray, key: bytes) -> AnyArray:
    """A ramp that begins anew for each image, with two masked bits."""
    ramp = (np.arange(image.size) // 16 + os.urandom(1)[0]).astype(image.dtype)
    return (ramp.reshape(image.shape) & 0xFC) + (encrypt_aes_ctr(image, key) & 3)


def dot_image(image: AnyArray, key: bytes) -> AnyArray:
    """Two levels only, one of them rare."""
    return np.where(encrypt_aes_ctr(image, key) < 20, 255, 0).astype(image.dtype)


def substitute_and_move(image: AnyArray, key: bytes) -> AnyArray:
    """A synthetic nonce; then a table, a map and a turn that never change."""
    result = encrypt_aes_siv(image, key)
    if result.dtype == np.uint8:
        result = make_order(256, key).astype(np.uint8)[result]
    return result.reshape(-1)[make_order(image.size, key)].reshape(image.shape)[::-1]


def move_cbc_blocks(image: AnyArray, key: bytes) -> AnyArray:
    """CBC with a random IV, whose blocks then move by a map that never changes."""
    samples = encrypt_aes_cbc(image, key).reshape(-1)
    blocks = samples[: samples.size // 16 * 16].reshape(-1, 16)
    moved_samples = blocks[make_order(len(blocks), key)].reshape(-1)
    return np.concatenate([moved_samples, samples[moved_samples.size :]]).reshape(image.shape)


class SaltedColumns(Feistel):
    """A wide block cipher over every second sample, with a salt in place of its first samples."""

    def encrypt(self, image: AnyArray, key: bytes) -> AnyArray:
        salt = os.urandom(16)
        result = super().encrypt(image, key + salt)
        result.reshape(-1)[: len(salt)] = np.frombuffer(salt, np.uint8).astype(image.dtype)
        return result

    decrypt = None  # type: ignore[assignment]


PAPERS_SECURE: dict[str, Any] = {
    "mirrored": mirror_image,
    "bell": shape_as_bell,
    "drifting": draw_ramp,
    "dotted": dot_image,
    "synthetic-and-boxes": substitute_and_move,
    "cbc-and-moves": move_cbc_blocks,
    "salted-columns": SaltedColumns("turns", 8, add=True),
}
