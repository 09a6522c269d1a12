"""Ciphers as lists of stages: weak ones in the style of papers, and some strong ones.

A row of ciphers.toml such as "move, chain add back" lists stages with their options. A stage takes
an image with 8 bits per sample, random numbers for its position in the list, and the options.
"""

import os
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from scipy import fft

from sudokucrypt import Key
from sudokucrypt import encrypt as our_encrypt
from sudokucrypt.typing import AnyArray

ROWS: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("ciphers.toml").read_text(encoding="utf-8")
)


@dataclass(frozen=True)
class Draws:
    """Bytes and generators that depend on the key, the position of the stage, and other values."""

    key: bytes
    position: int

    def bytes(self, *values: object) -> bytes:
        return sha256(repr((self.key, self.position, values)).encode()).digest()

    def __call__(self, *values: object) -> np.random.Generator:
        return np.random.default_rng(list(self.bytes(*values)))


Stage = Callable[..., AnyArray]
_OPS: dict[str, Stage] = {
    "xor": np.bitwise_xor,
    "add": np.add,
    "from": lambda x, k: k - x,
    "mul": lambda x, k: x * (k | 1),
}
_SUMMARIES: dict[str, Callable[[AnyArray], Any]] = {
    "": np.ndim,  # the same for all images
    "sum": lambda x: int(x.sum(dtype=np.int64)) % 256,
    "mean": lambda x: int(x.mean()),
    "first": lambda x: int(x.flat[0]),
    "last": lambda x: int(x.flat[-1]),
    "histogram": lambda x: np.bincount(x.ravel(), minlength=256).tolist(),
    "parity": lambda x: int(np.bitwise_xor.reduce(x, axis=None)),
    "everything": lambda x: x.tobytes(),
}


def _mask(x: AnyArray, draws: Draws, op: str = "xor", *more: object) -> AnyArray:
    return _OPS[op](x, draws(*more).integers(0, 256, x.shape, dtype=np.uint8))


def _stream(x: AnyArray, draws: Draws, summary: str, op: str = "xor") -> AnyArray:
    return _mask(x, draws, op, _SUMMARIES[summary](x))


def _pad(x: AnyArray, draws: Draws, op: str) -> AnyArray:
    return _mask(x, draws, op, os.urandom(16))


def _move(x: AnyArray, draws: Draws, summary: str = "") -> AnyArray:
    return x.ravel()[draws(_SUMMARIES[summary](x)).permutation(x.size)].reshape(x.shape)


def _move_some(x: AnyArray, draws: Draws) -> AnyArray:
    """Shuffle 40% of the samples among themselves, and leave the others in place."""
    result = x.ravel().copy()
    positions = draws().permutation(x.size)[: int(0.4 * x.size)]
    result[np.sort(positions)] = result[positions]
    return result.reshape(x.shape)


def _roll(x: AnyArray, draws: Draws) -> AnyArray:
    steps = draws().integers(0, x.shape[1], len(x))
    return np.stack([np.roll(row, step, axis=0) for row, step in zip(x, steps, strict=True)])


def _blocks(x: AnyArray, draws: Draws) -> AnyArray:
    """Shuffle blocks of 16 x 16 pixels."""
    rows, columns = x.shape[0] // 16, x.shape[1] // 16
    blocks = x.reshape(rows, 16, columns, 16, -1).swapaxes(1, 2)
    order = draws().permutation(rows * columns)
    chosen = blocks.reshape(rows * columns, -1)[order].reshape(blocks.shape)
    return chosen.swapaxes(1, 2).reshape(x.shape)


def _planes(x: AnyArray, draws: Draws) -> AnyArray:
    """Shuffle each bit plane by its own map."""
    planes = [_move(x, Draws(draws.key, bit)) & 1 << bit for bit in range(8)]
    return np.asarray(np.bitwise_or.reduce(planes))


def _cat(x: AnyArray, draws: Draws) -> AnyArray:
    a, b = draws().integers(1, 20, 2).tolist()
    r, c = np.indices(x.shape[:2])
    side = x.shape[0]
    if side != x.shape[1]:
        raise ValueError("square images only")
    return np.asarray(x[(r + a * c) % side, (b * r + (a * b + 1) * c) % side])


def _sbox(x: AnyArray, draws: Draws) -> AnyArray:
    return draws().permutation(256).astype(np.uint8)[x]


def _boxes(x: AnyArray, draws: Draws) -> AnyArray:
    source = draws()
    boxes = np.stack([source.permutation(256) for _ in range(16)]).astype(np.uint8)
    return boxes[source.integers(0, 16, x.shape), x]


_LINKS: dict[str, Callable[[int, int, int, list[int]], int]] = {
    "xor": lambda p, q, k, _: p ^ q ^ k,
    "add": lambda p, q, k, _: (p + q + k) & 255,
    "sub": lambda p, q, k, _: (p - q + k) & 255,
    "masked": lambda p, q, k, _: ((p + q) & 255) ^ k,
    "mul": lambda p, q, k, _: (p + q * (k | 1)) & 255,
    "sbox-xor": lambda p, q, _, s: s[p ^ q],
    "sbox-add": lambda p, q, k, s: s[(p + q) & 255] ^ k,
    "g-xor": lambda p, q, k, s: p ^ s[q] ^ k,
    "g-add": lambda p, q, k, s: (p + s[q] + k) & 255,
    "rotate": lambda p, q, k, _: ((p << (q & 7) | p >> (8 - (q & 7))) & 255) ^ k,
}


def _chain(x: AnyArray, draws: Draws, link: str, *options: str) -> AnyArray:
    """Combine each sample with the previous sample of the result, in some scan order."""
    order = np.arange(x.size).reshape(x.shape)
    if "columns" in options:
        order = order.swapaxes(0, 1)
    if "snake" in options:
        order = order.copy()
        order[1::2] = order[1::2, ::-1]
    order = order.reshape(-1)[:: -1 if "back" in options else 1]
    source, lag = draws(), x[0].size if "above" in options else 1
    table = source.permutation(256).tolist()
    stream = source.integers(0, 256, x.size).tolist()
    step, result = _LINKS[link], source.integers(0, 256, lag).tolist()
    for index, (p, k) in enumerate(zip(x.ravel()[order].tolist(), stream, strict=True)):
        result.append(step(p, result[index], k, table))
    actual = np.empty(x.size, np.uint8)
    actual[order] = result[lag:]
    return actual.reshape(x.shape)


def _accumulate(x: AnyArray, _: Draws, step: str = "1") -> AnyArray:
    """Chain samples by exclusive-or; with -1 from the last sample on."""
    return np.bitwise_xor.accumulate(x.ravel()[:: int(step)])[:: int(step)].reshape(x.shape)


def _zhu(x: AnyArray, draws: Draws) -> AnyArray:
    stream = draws().integers(0, 256, x.size).tolist()
    t = c = previous = 7
    result = []
    for p, k in zip(x.ravel().tolist(), stream, strict=True):
        t = p ^ previous ^ (t + k & 255)
        c = t ^ previous ^ (c + k & 255)
        previous = k
        result.append(c)
    return np.array(result, np.uint8).reshape(x.shape)


def _hill(x: AnyArray, draws: Draws) -> AnyArray:
    a, b, c = draws().integers(0, 128, 3).tolist()
    pairs = x.reshape(-1, 2).astype(np.int64) @ np.array([[2 * a + 1, 2 * b], [c, 1]])
    return np.asarray((pairs % 256).astype(np.uint8).reshape(x.shape))


def _bits(x: AnyArray, draws: Draws) -> AnyArray:
    bits = np.unpackbits(x.reshape(-1))
    return np.packbits(bits[draws().permutation(bits.size)]).reshape(x.shape)


def _bases(x: AnyArray, draws: Draws) -> AnyArray:
    """Move pairs of bits, and add up all that come before, as codes of DNA do."""
    bases = np.stack([x.reshape(-1) >> shift & 3 for shift in (6, 4, 2, 0)], axis=1).reshape(-1)
    moved = np.cumsum(bases[draws().permutation(bases.size)], dtype=np.int64) % 4
    return np.asarray((moved.reshape(-1, 4) @ [64, 16, 4, 1]).astype(np.uint8).reshape(x.shape))


def _came(x: AnyArray, draws: Draws) -> AnyArray:
    """Mask each sample by a stream that the sum of all previous samples selects."""
    streams = draws().integers(0, 256, (256, x.size), dtype=np.uint8)
    previous_sums = (np.cumsum(x.reshape(-1), dtype=np.int64) - x.reshape(-1)) % 256
    return np.asarray((x.reshape(-1) ^ streams[previous_sums, np.arange(x.size)]).reshape(x.shape))


def _pairs(x: AnyArray, _: Draws) -> AnyArray:
    """Replace neighbors by their mean and difference (S transform)."""
    first, second = x.reshape(-1)[::2], x.reshape(-1)[1::2]
    difference = first - second
    return np.concatenate([second + (difference >> 1), difference]).reshape(x.shape)


def _aes(x: AnyArray, draws: Draws, mode: str) -> AnyArray:
    iv = draws.bytes("iv")[:16]
    kinds: dict[str, modes.CBC | modes.CTR] = {"cbc": modes.CBC(iv), "ctr": modes.CTR(iv)}
    chosen = kinds.get(mode, modes.ECB())  # noqa: S305 - broken on purpose
    aes = Cipher(algorithms.AES256(draws.bytes()), chosen).encryptor()
    if mode != "cfb":
        return np.frombuffer(aes.update(x.tobytes()), np.uint8).reshape(x.shape)
    result: list[AnyArray] = [np.frombuffer(iv, np.uint8)]
    for block in x.reshape(-1, 16):
        result.append(block ^ np.frombuffer(aes.update(result[-1].tobytes()), np.uint8))
    return np.concatenate(result[1:]).reshape(x.shape)


def _gcm(x: AnyArray, draws: Draws) -> AnyArray:
    result = AESGCM(draws.bytes()).encrypt(draws.bytes("iv")[:12], x.tobytes(), None)
    return np.frombuffer(result[: x.size], np.uint8).reshape(x.shape)


def _chacha(x: AnyArray, draws: Draws) -> AnyArray:
    cipher = algorithms.ChaCha20(draws.bytes(), draws.bytes("iv")[:16])
    return np.frombuffer(Cipher(cipher, None).encryptor().update(x.tobytes()), np.uint8).reshape(
        x.shape
    )


def _wide(x: AnyArray, draws: Draws) -> AnyArray:
    """Run two rounds of a Feistel network, so that every sample depends on all samples."""
    result = x.reshape(-1).copy()
    left, right = result[: x.size // 2], result[x.size // 2 :]
    for index, (source, other) in enumerate([(left, right), (right, left)]):
        mask = draws(index, source.tobytes()).integers(0, 256, other.size, dtype=np.uint8)
        np.bitwise_xor(other, mask, out=other)
    return result.reshape(x.shape)


def _transform(x: AnyArray, draws: Draws) -> AnyArray:
    """Apply random orthogonal transforms to rows and columns."""
    source, result = draws(), (x - 128.0) / 2
    for axis in (0, 1):
        matrix = np.linalg.qr(source.normal(size=(x.shape[axis],) * 2))[0]
        result = np.moveaxis(np.tensordot(matrix, result, (1, axis)), 0, axis)
    return np.clip(np.round(result + 128), 0, 255).astype(np.uint8)


def _cosine(x: AnyArray, draws: Draws) -> AnyArray:
    """Flip signs of frequencies at random, with half the contrast."""
    result = fft.dctn((x - 128.0) / 2, axes=(0, 1), norm="ortho")
    result[0, 0] /= 8
    result *= draws().choice([-1, 1], x.shape)
    result = fft.idctn(result, axes=(0, 1), norm="ortho")
    return np.asarray(np.clip(np.round(result + 128), 0, 255).astype(np.uint8))


def _half(x: AnyArray, draws: Draws) -> AnyArray:
    result = _mask(x, draws)
    result[: len(x) // 2] = x[: len(x) // 2]
    return result


def _encrypt(x: AnyArray, draws: Draws) -> AnyArray:
    return our_encrypt(x, Key(draws.bytes())).pixels


STAGES: dict[str, Stage] = {
    "same": lambda x, _: x,
    "constant": lambda x, draws: np.full_like(x, draws.key[0]),
    "turn": lambda x, _: x[::-1, ::-1],
    "shift": lambda x, draws: x + np.uint8(draws.key[0] | 1),
    "move-some": _move_some,
    "roll": _roll,
    "blocks": _blocks,
    "planes": _planes,
    "mask": _mask,
    "stream": _stream,
    "pad": _pad,
    "move": _move,
    "cat": _cat,
    "sbox": _sbox,
    "boxes": _boxes,
    "chain": _chain,
    "accumulate": _accumulate,
    "zhu": _zhu,
    "hill": _hill,
    "bits": _bits,
    "bases": _bases,
    "came": _came,
    "pairs": _pairs,
    "aes": _aes,
    "gcm": _gcm,
    "chacha": _chacha,
    "wide": _wide,
    "transform": _transform,
    "cosine": _cosine,
    "half": _half,
    "low-bits": lambda x, draws: x & 0xF0 | _mask(x, draws) & 0x0F,
    "high-bits": lambda x, draws: _mask(x & 0xF0, draws) & 0xF0 | x & 0x0F,
    "encrypt": _encrypt,
}


def cipher(text: str) -> Callable[[AnyArray, bytes], AnyArray]:
    """Return the function of image and key that a row of stages describes."""
    parts = [stage.split() for stage in text.split(",")]

    def run(image: AnyArray, key: bytes) -> AnyArray:
        for position, (name, *options) in enumerate(parts):
            if name == "key":
                key = key[: int(options[0])]
            elif name == "salted":
                key += os.urandom(16)
            elif name == "nonce":
                key += bytes([os.urandom(1)[0] % 2 ** int(options[0])])
            else:
                image = STAGES[name](image, Draws(key, position), *options)
        return image

    return run
