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
from tests.analysis.families import Feistel, aes_cbc, aes_ctr, aes_siv, make_bytes, make_order


def _like(values: ArrayLike, image: AnyArray) -> AnyArray:
    return np.asarray(values).astype(np.uint8).reshape(image.shape)


def _logistic(seed: float, count: int, growth: float = 3.99) -> AnyArray:
    x, result = seed, []
    for _ in range(count + 200):
        x = growth * x * (1 - x)
        result.append(x)
    return np.array(result[200:])


def _zigzag(rows: int, columns: int) -> AnyArray:
    """Return the zigzag order of JPEG for a whole image."""
    places = [(i, j) for i in range(rows) for j in range(columns)]
    places.sort(key=lambda at: (sum(at), at[0] if sum(at) % 2 else at[1]))
    return np.array([i * columns + j for i, j in places])


def few_starts(image: AnyArray, key: bytes) -> AnyArray:
    """Sort an orbit whose start is a hash of 20 bits, add another, and chain."""
    start = 0.1 + 0.8 * (int.from_bytes(sha256(key + os.urandom(2)).digest()) % 2**20) / 2**20
    orbit = _logistic(start, 2 * image.size)
    moved = image.reshape(-1)[np.argsort(orbit[: image.size])]
    return _like(np.cumsum(moved + np.floor(orbit[image.size :] * 1e10) % 256), image)


def turned_by_low_bits(image: AnyArray, key: bytes) -> AnyArray:
    """Turn the bits of each sample by the three lowest bits of the result before it."""
    before, result = key[0], []
    masks = make_bytes(image.size, key).tolist()
    for sample, mask in zip(image.reshape(-1).tolist(), masks, strict=True):
        steps, value = before & 7, sample ^ mask
        before = (value << steps | value >> 8 - steps) & 255
        result.append(before)
    return _like(result, image)


def complemented_bases(image: AnyArray, key: bytes) -> AnyArray:
    """Bases of DNA joined with a key, complemented by it, and added to the base before."""
    shifts = np.array([6, 4, 2, 0])
    bases = (image.reshape(-1, 1) >> shifts & 3).reshape(-1).astype(np.int64)
    stream = make_bytes(bases.size, key)
    bases = np.cumsum(np.where(stream > 127, 3 - bases, bases) ^ stream & 3) % 4
    return _like((bases.reshape(-1, 4) << shifts).sum(axis=1), image)


def rolled_by_sums(image: AnyArray, key: bytes) -> AnyArray:
    """Roll each row by the sum of the row before, then each column likewise, and mask all."""
    result = image ^ make_bytes(image.size, key, 0).reshape(image.shape)
    for turn in (1, 2):
        steps, before = make_bytes(len(result), key, turn).tolist(), 0
        for index, step in enumerate(steps):
            result[index] = np.roll(result[index], step + before, axis=0)
            before = int(result[index].sum())
        result = np.ascontiguousarray(result.swapaxes(0, 1))
    return result + make_bytes(image.size, key, 3).reshape(image.shape)


def boxes_of_key(image: AnyArray, key: bytes) -> AnyArray:
    """Twice through a table of the key, with masks that repeat after 8 and 5 samples."""
    box = make_order(256, key).astype(np.uint8)
    masks = [np.resize(make_bytes(n, key, n), image.size).reshape(image.shape) for n in (8, 5)]
    return np.asarray(box[box[image ^ masks[0]] ^ masks[1]])


def fresh_blocks(image: AnyArray, key: bytes) -> AnyArray:
    """Move blocks of 8 x 8 anew for each image, before a stream that is always the same."""
    high, wide = image.shape[0] // 8, image.shape[1] // 8
    blocks = image.reshape(high, 8, wide, 8, -1).swapaxes(1, 2).reshape(high * wide, 8, 8, -1)
    moved = np.random.default_rng([*os.urandom(8)]).permutation(blocks)
    result = moved.reshape(high, wide, 8, 8, -1).swapaxes(1, 2).reshape(image.shape)
    return result ^ make_bytes(image.size, key).reshape(image.shape)


def singular_matrix(image: AnyArray, key: bytes) -> AnyArray:
    """A matrix modulo 256 whose last row is the sum of the others, and a mask, twice."""
    result = image.reshape(-1, 4).astype(np.int64)
    for turn in range(2):
        matrix = make_bytes(16, key, turn).reshape(4, 4).astype(np.int64)
        matrix[3] = matrix[:3].sum(axis=0)
        result = result @ matrix + make_bytes(image.size, key, turn, 1).reshape(-1, 4)
        result = result.reshape(4, -1).T
    return _like(result % 256, image)


def rule_30(image: AnyArray, key: bytes) -> AnyArray:
    """Steps of rule 30 from a hash of the key and the number of dark samples."""
    cells = np.unpackbits(make_bytes(32, key, int((image < 100).sum())))
    rows = []
    for _ in range(8 * image.size // cells.size):
        cells = np.roll(cells, 1) ^ (cells | np.roll(cells, -1))
        rows.append(cells)
    return image ^ _like(np.packbits(rows), image)


def latin_chain(image: AnyArray, key: bytes) -> AnyArray:
    """A Latin square of the sample and the result before it, forwards and backwards."""
    rows, columns, names = (make_order(256, key, turn) for turn in range(3))
    square = names[(rows[:, None] + columns) % 256].tolist()
    values = image.reshape(-1).tolist()
    for _ in range(2):
        before = 0
        for index, value in enumerate(values):
            before = values[index] = square[value][before]
        values = values[::-1]
    return _like(values, image)


def zigzag_both_ways(image: AnyArray, key: bytes) -> AnyArray:
    """A zigzag of rows and columns, sums forwards, and exclusive-or backwards."""
    order = _zigzag(image.shape[0], image[0].size)
    flat = image.reshape(-1)[order] + make_bytes(image.size, key, 0)
    flat = np.cumsum(flat, dtype=np.uint8) ^ make_bytes(image.size, key, 1)
    return np.bitwise_xor.accumulate(flat[::-1])[::-1].reshape(image.shape)


def cat_of_planes(image: AnyArray, key: bytes) -> AnyArray:
    """A cat map of its own for each plane of bits, each of which is joined with the next."""
    side, planes = len(image), [image >> bit & 1 for bit in range(8)]
    rows, columns = np.indices((side, side))
    for bit in range(8):
        a, b, rounds = make_bytes(3, key, bit).tolist()
        for _ in range(1 + rounds % 5):
            y, x = (rows + a * columns) % side, (b * rows + (a * b + 1) * columns) % side
            planes[bit] = planes[bit][y, x]
        planes[bit] = planes[bit] ^ planes[bit - 1]
    return _like(sum(plane.astype(np.int64) << bit for bit, plane in enumerate(planes)), image)


def gray_code(image: AnyArray, key: bytes) -> AnyArray:
    """Gray codes, bits of rows turned by the key and by the row before, and rows joined."""
    bits = np.unpackbits((image ^ image >> 1).reshape(len(image), -1), axis=1)
    before = np.zeros_like(bits[0])
    for index, step in enumerate(make_bytes(2 * len(bits), key).view(np.uint16).tolist()):
        before = np.roll(bits[index], step + int(before[:8].sum())) ^ before
        bits[index] = before
    return _like(np.packbits(bits, axis=1), image)


def rows_by_rows(image: AnyArray, key: bytes) -> AnyArray:
    """Each row under a hash of the row of the image before it, and columns moved."""
    result, before = image.copy(), b""
    for index, row in enumerate(image):
        result[index] ^= make_bytes(row.size, key, index, before).reshape(row.shape)
        before = row.tobytes()
    return result[:, make_order(image.shape[1], key)]


def quarters(image: AnyArray, key: bytes) -> AnyArray:
    """Each quarter of an image under a stream of the sum of the next one, in turns."""
    parts = np.array_split(image.reshape(-1).copy(), 4)
    for index in range(4):
        stream = make_bytes(parts[index].size, key, index, int(parts[index - 3].sum()))
        parts[index] = parts[index] ^ stream
    return np.concatenate(parts).reshape(image.shape)


def swaps(image: AnyArray, key: bytes) -> AnyArray:
    """Swap each sample with one that the key and the sample before choose, and mask both."""
    values, steps = image.reshape(-1).tolist(), make_bytes(2 * image.size, key).view(np.uint16)
    masks = make_bytes(image.size, key, 1).tolist()
    for index in range(1, len(values)):
        other = index + (int(steps[index]) + 7 * values[index - 1]) % (len(values) - index)
        values[index], values[other] = values[other] ^ masks[index], values[index]
    return _like(values, image)


def joined_channels(image: AnyArray, key: bytes) -> AnyArray:
    """Thirds of the samples, each joined with a rolled copy of the next, and with a box last."""
    thirds = np.array_split(image.reshape(-1).copy(), 3)
    for turn in range(6):
        one, two = thirds[turn % 3], np.resize(thirds[turn % 3 - 2], thirds[turn % 3].size)
        one ^= np.roll(two, int.from_bytes(key[turn : turn + 2]))
        one += make_bytes(one.size, key, turn)
    return np.asarray(
        make_order(256, key).astype(np.uint8)[np.concatenate(thirds)].reshape(image.shape)
    )


def three_decimals(image: AnyArray, key: bytes) -> AnyArray:
    """A sine map whose start and parameter have three decimals, mixed with a fresh nonce."""
    number = int.from_bytes(sha256(key).digest())
    x, growth = number % 1000 / 1000 + 1e-4, 0.9 + number // 1000 % 100 / 1000
    result, nonce = [], int.from_bytes(os.urandom(8)) / 2**64
    for _ in range(image.size):
        x = growth * np.sin(np.pi * (x + nonce) % 1 * np.pi / 2)
        result.append(int(x * 1e12) % 256)
    return image + _like(result, image)


def vigenere(image: AnyArray, key: bytes) -> AnyArray:
    """The key again and again, in columns, and all of it turned by a fresh amount."""
    masked = image + _like(np.resize(np.frombuffer(key, np.uint8), image.size), image)
    flat = np.ascontiguousarray(masked.swapaxes(0, 1)).reshape(-1)
    return np.roll(flat, int.from_bytes(os.urandom(4)) % flat.size).reshape(image.shape)


def sixteen_nonces(image: AnyArray, key: bytes) -> AnyArray:
    """Differences of neighbors under one of sixteen streams."""
    flat = np.diff(image.reshape(-1), prepend=np.uint8(0))
    return (flat ^ make_bytes(flat.size, key, os.urandom(1)[0] % 16)).reshape(image.shape)


def low_nibbles(image: AnyArray, key: bytes) -> AnyArray:
    """High bits under a fresh stream, and low ones under a stream of the key, moved together."""
    fresh = make_bytes(image.size, key, os.urandom(12)).reshape(image.shape)
    masked = image ^ fresh & 0xF0 ^ make_bytes(image.size, key).reshape(image.shape) & 15
    return np.asarray(masked.reshape(-1)[make_order(image.size, key)].reshape(image.shape))


def cbc_of_mean(image: AnyArray, key: bytes) -> AnyArray:
    """CBC whose IV is the mean of the picture."""
    iv = int(image.mean()).to_bytes(16)
    cbc = Cipher(algorithms.AES256(key), modes.CBC(iv)).encryptor()
    return _like(np.frombuffer(cbc.update(image.tobytes()), np.uint8), image)


def qubits(image: AnyArray, key: bytes) -> AnyArray:
    """Masks of products of positions and key bytes, then swapped bits and rolled rows."""
    rows, columns = np.indices(image.shape[:2])
    a, b, c = (1 + byte for byte in key[:3])
    places = (a * rows + b * columns + c * rows * columns).astype(np.uint8)
    result: AnyArray = image ^ places.reshape(*places.shape, *[1] * (image.ndim - 2))
    result = (result & 0x55) << 1 | (result & 0xAA) >> 1
    return result ^ np.roll(result, key[3] | 1, axis=0) ^ np.roll(result, key[4] | 2, axis=1)


def walsh(image: AnyArray, key: bytes) -> AnyArray:
    """Eight rounds of a permutation and of sums of pairs modulo 256."""
    flat = image.reshape(-1)
    for turn in range(8):
        flat = flat[make_order(flat.size, key, turn)]
        first, second = flat[::2], flat[1::2]
        flat = np.concatenate([first + second, first + second * np.uint8(2)])
    return flat.reshape(image.shape)


# The ciphers below have a fresh nonce of 53 bits or more for each image, and a weak stream.
def _source(key: bytes) -> np.random.Generator:
    return np.random.default_rng([*sha256(key + os.urandom(16)).digest()])


def upper_bits_of_orbit(image: AnyArray, key: bytes, *, growth: float = 4.0) -> AnyArray:
    """The highest byte of a logistic map, whose start has 53 bits."""
    start = int.from_bytes(sha256(key + os.urandom(16)).digest()[:8]) / 2**64
    return image ^ _like(_logistic(start, image.size, growth) * 256, image)


def tent(image: AnyArray, key: bytes) -> AnyArray:
    """The highest bytes of a skew tent map, added."""
    x, result = int.from_bytes(sha256(key + os.urandom(16)).digest()[:8]) / 2**64, []
    for _ in range(image.size):
        x = x / 0.37 if x < 0.37 else (1 - x) / 0.63
        result.append(int(x * 256) % 256)
    return image + _like(result, image)


def small_noise(image: AnyArray, key: bytes) -> AnyArray:
    """Sums with a stream of values below 200."""
    return image + _source(key).integers(0, 200, image.shape).astype(np.uint8)


def odd_modulus(image: AnyArray, key: bytes, *, bits: int = 31, low: bool = False) -> AnyArray:
    """A congruential generator whose three numbers are secret, and of which the modulus is odd."""
    a, c, m = (int.from_bytes(make_bytes(8, key, n)) % 2**bits for n in range(3))
    m = m % 2 ** (bits - 2) | 3 << bits - 2 | 1
    state, result = int.from_bytes(os.urandom(8)) % m, []
    for _ in range(image.size):
        state = (a * state + c) % m
        result.append(state & 255 if low else state * 256 // m)
    return image ^ _like(result, image)


def nibbles_in_tables(image: AnyArray, key: bytes) -> AnyArray:
    """A one-time pad of the low bits only, behind a secret table."""
    pad = np.frombuffer(os.urandom(image.size), np.uint8).reshape(image.shape) & 15
    return np.asarray(make_order(256, key).astype(np.uint8)[image ^ pad])


def words_of_congruence(image: AnyArray, key: bytes) -> AnyArray:
    """All four bytes of the states of a congruential generator with secret parameters."""
    a, c, m = (int.from_bytes(make_bytes(4, key, n)) for n in range(3))
    m = m % 2**30 | 3 << 30 | 1
    state, result = int.from_bytes(os.urandom(8)) % m, list[int]()
    for _ in range(image.size // 4):
        state = (a * state + c) % m
        result += state.to_bytes(4, "little")
    return image ^ _like(result, image)


def fresh_tables(image: AnyArray, key: bytes) -> AnyArray:
    """Seven tables, in turns, anew for each image."""
    source = _source(key)
    tables = np.stack([source.permutation(256) for _ in range(7)])
    return _like(tables[np.arange(image.size) % 7, image.reshape(-1)], image)


def geffe(image: AnyArray, key: bytes) -> AnyArray:
    """Two registers, of which a third one chooses."""
    source, streams = _source(key), []
    for width, taps in ((13, 0b11011), (15, 0b11), (17, 0b1001)):
        state, bits = int(source.integers(1, 2**width)), []
        for _ in range(8 * image.size):
            bits.append(state & 1)
            state = state >> 1 | ((state & taps).bit_count() & 1) << width - 1
        streams.append(np.array(bits, np.uint8))
    chosen = np.where(streams[2], streams[0], streams[1])
    return image ^ _like(np.packbits(chosen), image)


def two_periods(image: AnyArray, key: bytes, *, add: bool = True) -> AnyArray:
    """Sums of two fresh keys of 61 and 67 bytes, again and again."""
    keys = [np.resize(make_bytes(n, key, os.urandom(16)), image.size) for n in (61, 67)]
    return (
        image + _like(keys[0] + keys[1], image)
        if add
        else image ^ _like(np.bitwise_xor(*keys), image)
    )


def rows_and_columns(image: AnyArray, key: bytes) -> AnyArray:
    """A number for each row and one for each column, added."""
    source = _source(key)
    rows = source.integers(0, 256, (len(image), 1), dtype=np.uint8)
    columns = source.integers(0, 256, (1, image.shape[1]), dtype=np.uint8)
    masks = rows + columns
    return np.asarray(image + masks.reshape(*masks.shape, *[1] * (image.ndim - 2)))


def seeds_of_blocks(image: AnyArray, key: bytes) -> AnyArray:
    """Blocks of 32 samples, each under a stream of a fresh seed of 8 bits."""
    flat, seeds = image.reshape(-1, 32), os.urandom(image.size // 32)
    return np.stack(
        [part ^ make_bytes(32, key, seed) for part, seed in zip(flat, seeds, strict=True)]
    ).reshape(image.shape)


def doubled_nibbles(image: AnyArray, key: bytes) -> AnyArray:
    """Four bits of stream for each sample, on its upper and on its lower half."""
    return image ^ (_source(key).integers(0, 16, image.shape) * 17).astype(np.uint8)


_counter = count()


def overlapping(image: AnyArray, key: bytes) -> AnyArray:
    """Counter mode that counts images and blocks with one number, and begins one higher."""
    start = (next(_counter) + int.from_bytes(key[:8])).to_bytes(16)
    stream = Cipher(algorithms.AES(key), modes.CTR(start)).encryptor().update(image.tobytes())
    return _like(np.frombuffer(stream, np.uint8), image)


def carried_products(image: AnyArray, key: bytes) -> AnyArray:
    """Products with fresh odd numbers, and a mask that never changes."""
    odd = _source(key).integers(0, 128, image.shape).astype(np.uint8) * np.uint8(2) + np.uint8(1)
    return np.asarray(image * odd ^ make_bytes(image.size, key).reshape(image.shape))


def henon(image: AnyArray, key: bytes) -> AnyArray:
    """The highest byte of one variable of a Henon map, from a fresh start."""
    x, y = _source(key).random(2) / 10
    result = []
    for _ in range(image.size + 50):
        x, y = 1 - 1.4 * x * x + y, 0.3 * x
        result.append(int((x + 1.5) / 3 * 256))
    return image ^ _like(result[50:], image)


def lorenz(image: AnyArray, key: bytes) -> AnyArray:
    """The three variables of a Lorenz system in turns, in steps of a hundredth."""
    x, y, z = _source(key).random(3) + 1
    result = list[float]()
    for _ in range(image.size // 3 + 200):
        x, y, z = (
            x + 0.1 * (y - x),
            y + 0.01 * (x * (28 - z) - y),
            z + 0.01 * (x * y - 8 / 3 * z),
        )
        result += [x, y, z]
    return image + _like(np.floor(np.array(result[-image.size :]) * 4) % 256, image)


def lattice_of_maps(image: AnyArray, key: bytes) -> AnyArray:
    """Eight coupled logistic maps, which give their highest bytes in turns."""
    x, result = _source(key).random(8), []
    for _ in range(image.size // 8):
        x = 0.9 * 3.99 * x * (1 - x) + 0.1 * np.roll(3.99 * x * (1 - x), 1)
        result.append(np.floor(x * 256))
    return image ^ _like(result, image)


def walk(image: AnyArray, key: bytes) -> AnyArray:
    """A stream whose neighbors differ by less than four."""
    return image + np.cumsum(_source(key).integers(-3, 4, image.size)).astype(np.uint8).reshape(
        image.shape
    )


def one_base(image: AnyArray, key: bytes) -> AnyArray:
    """The same base of DNA on all four of a sample, as sums."""
    return image + (_source(key).integers(0, 4, image.shape) * 0x55).astype(np.uint8)


def wide_geffe(image: AnyArray, key: bytes) -> AnyArray:
    """Registers of 29, 31 and 33 places, of which one chooses."""
    source, streams = _source(key), []
    for width, lag in ((29, 2), (31, 3), (33, 13)):
        bits = source.integers(0, 2, width).tolist()
        for index in range(8 * image.size):
            bits.append(bits[index] ^ bits[index + lag])
        streams.append(np.array(bits[: 8 * image.size], np.uint8))
    return image ^ _like(np.packbits(np.where(streams[2], streams[0], streams[1])), image)


def hash_code(image: AnyArray, key: bytes) -> AnyArray:
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


def masked_orbit(image: AnyArray, key: bytes) -> AnyArray:
    """The highest byte of an orbit, and a mask that never changes."""
    return upper_bits_of_orbit(image, key) + make_bytes(image.size, key).reshape(image.shape)


def moved_tent(image: AnyArray, key: bytes) -> AnyArray:
    """A tent map, and a map of samples that never changes."""
    return tent(image, key).reshape(-1)[make_order(image.size, key)].reshape(image.shape)


def boxed_tent(image: AnyArray, key: bytes) -> AnyArray:
    """A tent map, and a table that never changes."""
    return make_order(256, key).astype(np.uint8)[tent(image, key)]


PAPERS_BROKEN: dict[str, Any] = {
    "few-starts": few_starts,
    "turned-by-low-bits": turned_by_low_bits,
    "complemented-bases": complemented_bases,
    "rolled-by-sums": rolled_by_sums,
    "boxes-of-key": boxes_of_key,
    "fresh-blocks": fresh_blocks,
    "singular-matrix": singular_matrix,
    "rule-30": rule_30,
    "latin-chain": latin_chain,
    "zigzag-both-ways": zigzag_both_ways,
    "cat-of-planes": cat_of_planes,
    "gray-code": gray_code,
    "rows-by-rows": rows_by_rows,
    "quarters": quarters,
    "swaps": swaps,
    "joined-channels": joined_channels,
    "three-decimals": three_decimals,
    "vigenere": vigenere,
    "sixteen-nonces": sixteen_nonces,
    "low-nibbles": low_nibbles,
    "cbc-of-mean": cbc_of_mean,
    "qubits": qubits,
    "walsh": walsh,
    "upper-bits-of-orbit": upper_bits_of_orbit,
    "upper-bits-3.8": partial(upper_bits_of_orbit, growth=3.8),
    "tent": tent,
    "small-noise": small_noise,
    "odd-modulus": odd_modulus,
    "odd-modulus-low": partial(odd_modulus, low=True),
    "odd-modulus-64": partial(odd_modulus, bits=64),
    "nibbles-in-tables": nibbles_in_tables,
    "words-of-congruence": words_of_congruence,
    "fresh-tables": fresh_tables,
    "geffe": geffe,
    "two-periods": two_periods,
    "two-periods-xor": partial(two_periods, add=False),
    "rows-and-columns": rows_and_columns,
    "seeds-of-blocks": seeds_of_blocks,
    "doubled-nibbles": doubled_nibbles,
    "overlapping": overlapping,
    "carried-products": carried_products,
    "henon": henon,
    "lorenz": lorenz,
    "lattice-of-maps": lattice_of_maps,
    "walk": walk,
    "one-base": one_base,
    "wide-geffe": wide_geffe,
    "hash-code": hash_code,
    "unkeyed": Unkeyed,
    "masked-orbit": masked_orbit,
    "moved-tent": moved_tent,
    "boxed-tent": boxed_tent,
}


def mirror_image(image: AnyArray, key: bytes) -> AnyArray:
    """The left half of a masked picture, and its mirror."""
    half = aes_ctr(image, key)[:, : image.shape[1] // 2]
    return np.concatenate([half, half[:, ::-1], image[:, 2 * half.shape[1] :] * 0], axis=1)


def bell(image: AnyArray, key: bytes) -> AnyArray:
    """Masked values with a bell-shaped histogram, as in a natural picture."""
    table = np.sort(np.random.default_rng(1).normal(128, 30, 256)).clip(0, 255).astype(np.uint8)
    return table[aes_ctr(image, key)] if image.dtype == np.uint8 else aes_ctr(image, key)


def drifting(image: AnyArray, key: bytes) -> AnyArray:
    """A ramp that begins anew for each image, with two masked bits."""
    ramp = (np.arange(image.size) // 16 + os.urandom(1)[0]).astype(image.dtype)
    return (ramp.reshape(image.shape) & 0xFC) + (aes_ctr(image, key) & 3)


def dot_image(image: AnyArray, key: bytes) -> AnyArray:
    """Two levels only, one of them rare."""
    return np.where(aes_ctr(image, key) < 20, 255, 0).astype(image.dtype)


def synthetic_and_boxes(image: AnyArray, key: bytes) -> AnyArray:
    """A synthetic nonce; then a table, a map and a turn that never change."""
    result = aes_siv(image, key)
    if result.dtype == np.uint8:
        result = make_order(256, key).astype(np.uint8)[result]
    return result.reshape(-1)[make_order(image.size, key)].reshape(image.shape)[::-1]


def cbc_and_moves(image: AnyArray, key: bytes) -> AnyArray:
    """CBC with a random IV, whose blocks then move by a map that never changes."""
    flat = aes_cbc(image, key).reshape(-1)
    whole = flat[: flat.size // 16 * 16].reshape(-1, 16)
    moved = whole[make_order(len(whole), key)].reshape(-1)
    return np.concatenate([moved, flat[moved.size :]]).reshape(image.shape)


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
    "bell": bell,
    "drifting": drifting,
    "dotted": dot_image,
    "synthetic-and-boxes": synthetic_and_boxes,
    "cbc-and-moves": cbc_and_moves,
    "salted-columns": SaltedColumns("turns", 8, add=True),
}
