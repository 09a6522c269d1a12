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

    def derive_bytes(self, *values: object) -> bytes:
        return sha256(repr((self.key, self.position, values)).encode()).digest()

    def __call__(self, *values: object) -> np.random.Generator:
        return np.random.default_rng(list(self.derive_bytes(*values)))


Stage = Callable[..., AnyArray]
_OPERATIONS: dict[str, Stage] = {
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


def _mask(image: AnyArray, draws: Draws, operation: str = "xor", *seeds: object) -> AnyArray:
    return _OPERATIONS[operation](
        image, draws(*seeds).integers(0, 256, image.shape, dtype=np.uint8)
    )


def _mask_by_summary(
    image: AnyArray, draws: Draws, summary: str, operation: str = "xor"
) -> AnyArray:
    return _mask(image, draws, operation, _SUMMARIES[summary](image))


def _apply_pad(image: AnyArray, draws: Draws, operation: str) -> AnyArray:
    return _mask(image, draws, operation, os.urandom(16))


def _move(image: AnyArray, draws: Draws, summary: str = "") -> AnyArray:
    return image.ravel()[draws(_SUMMARIES[summary](image)).permutation(image.size)].reshape(
        image.shape
    )


def _move_some(image: AnyArray, draws: Draws) -> AnyArray:
    """Shuffle 40% of the samples among themselves, and leave the others in place."""
    result = image.ravel().copy()
    positions = draws().permutation(image.size)[: int(0.4 * image.size)]
    result[np.sort(positions)] = result[positions]
    return result.reshape(image.shape)


def _roll_rows(image: AnyArray, draws: Draws) -> AnyArray:
    steps = draws().integers(0, image.shape[1], len(image))
    return np.stack([np.roll(row, step, axis=0) for row, step in zip(image, steps, strict=True)])


def _shuffle_blocks(image: AnyArray, draws: Draws) -> AnyArray:
    """Shuffle blocks of 16 x 16 pixels."""
    rows, columns = image.shape[0] // 16, image.shape[1] // 16
    blocks = image.reshape(rows, 16, columns, 16, -1).swapaxes(1, 2)
    order = draws().permutation(rows * columns)
    moved_blocks = blocks.reshape(rows * columns, -1)[order].reshape(blocks.shape)
    return moved_blocks.swapaxes(1, 2).reshape(image.shape)


def _shuffle_planes(image: AnyArray, draws: Draws) -> AnyArray:
    """Shuffle each bit plane by its own map."""
    planes = [_move(image, Draws(draws.key, bit)) & 1 << bit for bit in range(8)]
    return np.asarray(np.bitwise_or.reduce(planes))


def _apply_cat_map(image: AnyArray, draws: Draws) -> AnyArray:
    a, b = draws().integers(1, 20, 2).tolist()
    row, column = np.indices(image.shape[:2])
    side = image.shape[0]
    if side != image.shape[1]:
        raise ValueError("square images only")
    return np.asarray(image[(row + a * column) % side, (b * row + (a * b + 1) * column) % side])


def _substitute(image: AnyArray, draws: Draws) -> AnyArray:
    return draws().permutation(256).astype(np.uint8)[image]


def _substitute_by_boxes(image: AnyArray, draws: Draws) -> AnyArray:
    source = draws()
    boxes = np.stack([source.permutation(256) for _ in range(16)]).astype(np.uint8)
    return boxes[source.integers(0, 16, image.shape), image]


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


def _chain(image: AnyArray, draws: Draws, link: str, *options: str) -> AnyArray:
    """Combine each sample with the previous sample of the result, in some scan order."""
    order = np.arange(image.size).reshape(image.shape)
    if "columns" in options:
        order = order.swapaxes(0, 1)
    if "snake" in options:
        order = order.copy()
        order[1::2] = order[1::2, ::-1]
    order = order.reshape(-1)[:: -1 if "back" in options else 1]
    source, lag = draws(), image[0].size if "above" in options else 1
    table = source.permutation(256).tolist()
    stream = source.integers(0, 256, image.size).tolist()
    link_samples, result = _LINKS[link], source.integers(0, 256, lag).tolist()
    for index, (sample, key_byte) in enumerate(
        zip(image.ravel()[order].tolist(), stream, strict=True)
    ):
        result.append(link_samples(sample, result[index], key_byte, table))
    ordered_result = np.empty(image.size, np.uint8)
    ordered_result[order] = result[lag:]
    return ordered_result.reshape(image.shape)


def _accumulate(image: AnyArray, _: Draws, step: str = "1") -> AnyArray:
    """Chain samples by exclusive-or; with -1 from the last sample on."""
    return np.bitwise_xor.accumulate(image.ravel()[:: int(step)])[:: int(step)].reshape(image.shape)


def _chain_like_zhu(image: AnyArray, draws: Draws) -> AnyArray:
    stream = draws().integers(0, 256, image.size).tolist()
    first_chain = second_chain = previous = 7
    result = []
    for sample, key_byte in zip(image.ravel().tolist(), stream, strict=True):
        first_chain = sample ^ previous ^ (first_chain + key_byte & 255)
        second_chain = first_chain ^ previous ^ (second_chain + key_byte & 255)
        previous = key_byte
        result.append(second_chain)
    return np.array(result, np.uint8).reshape(image.shape)


def _multiply_pairs(image: AnyArray, draws: Draws) -> AnyArray:
    a, b, c = draws().integers(0, 128, 3).tolist()
    pairs = image.reshape(-1, 2).astype(np.int64) @ np.array([[2 * a + 1, 2 * b], [c, 1]])
    return np.asarray((pairs % 256).astype(np.uint8).reshape(image.shape))


def _shuffle_bits(image: AnyArray, draws: Draws) -> AnyArray:
    bits = np.unpackbits(image.reshape(-1))
    return np.packbits(bits[draws().permutation(bits.size)]).reshape(image.shape)


def _move_bases(image: AnyArray, draws: Draws) -> AnyArray:
    """Move pairs of bits, and add up all that come before, as codes of DNA do."""
    bases = np.stack([image.reshape(-1) >> shift & 3 for shift in (6, 4, 2, 0)], axis=1).reshape(-1)
    moved_sums = np.cumsum(bases[draws().permutation(bases.size)], dtype=np.int64) % 4
    return np.asarray(
        (moved_sums.reshape(-1, 4) @ [64, 16, 4, 1]).astype(np.uint8).reshape(image.shape)
    )


def _mask_by_previous_sums(image: AnyArray, draws: Draws) -> AnyArray:
    """Mask each sample by a stream that the sum of all previous samples selects."""
    streams = draws().integers(0, 256, (256, image.size), dtype=np.uint8)
    previous_sums = (np.cumsum(image.reshape(-1), dtype=np.int64) - image.reshape(-1)) % 256
    return np.asarray(
        (image.reshape(-1) ^ streams[previous_sums, np.arange(image.size)]).reshape(image.shape)
    )


def _transform_pairs(image: AnyArray, _: Draws) -> AnyArray:
    """Replace neighbors by their mean and difference (S transform)."""
    first, second = image.reshape(-1)[::2], image.reshape(-1)[1::2]
    difference = first - second
    return np.concatenate([second + (difference >> 1), difference]).reshape(image.shape)


def _encrypt_aes(image: AnyArray, draws: Draws, mode: str) -> AnyArray:
    iv = draws.derive_bytes("iv")[:16]
    modes_by_name: dict[str, modes.CBC | modes.CTR] = {"cbc": modes.CBC(iv), "ctr": modes.CTR(iv)}
    chosen_mode = modes_by_name.get(mode, modes.ECB())  # noqa: S305 - broken on purpose
    encryptor = Cipher(algorithms.AES256(draws.derive_bytes()), chosen_mode).encryptor()
    if mode != "cfb":
        return np.frombuffer(encryptor.update(image.tobytes()), np.uint8).reshape(image.shape)
    result: list[AnyArray] = [np.frombuffer(iv, np.uint8)]
    for block in image.reshape(-1, 16):
        result.append(block ^ np.frombuffer(encryptor.update(result[-1].tobytes()), np.uint8))
    return np.concatenate(result[1:]).reshape(image.shape)


def _encrypt_gcm(image: AnyArray, draws: Draws) -> AnyArray:
    result = AESGCM(draws.derive_bytes()).encrypt(
        draws.derive_bytes("iv")[:12], image.tobytes(), None
    )
    return np.frombuffer(result[: image.size], np.uint8).reshape(image.shape)


def _encrypt_chacha(image: AnyArray, draws: Draws) -> AnyArray:
    algorithm = algorithms.ChaCha20(draws.derive_bytes(), draws.derive_bytes("iv")[:16])
    return np.frombuffer(
        Cipher(algorithm, None).encryptor().update(image.tobytes()), np.uint8
    ).reshape(image.shape)


def _run_feistel(image: AnyArray, draws: Draws) -> AnyArray:
    """Run two rounds of a Feistel network, so that every sample depends on all samples."""
    result = image.reshape(-1).copy()
    left, right = result[: image.size // 2], result[image.size // 2 :]
    for index, (source, other) in enumerate([(left, right), (right, left)]):
        mask = draws(index, source.tobytes()).integers(0, 256, other.size, dtype=np.uint8)
        np.bitwise_xor(other, mask, out=other)
    return result.reshape(image.shape)


def _transform(image: AnyArray, draws: Draws) -> AnyArray:
    """Apply random orthogonal transforms to rows and columns."""
    source, result = draws(), (image - 128.0) / 2
    for axis in (0, 1):
        matrix = np.linalg.qr(source.normal(size=(image.shape[axis],) * 2))[0]
        result = np.moveaxis(np.tensordot(matrix, result, (1, axis)), 0, axis)
    return np.clip(np.round(result + 128), 0, 255).astype(np.uint8)


def _flip_frequencies(image: AnyArray, draws: Draws) -> AnyArray:
    """Flip signs of frequencies at random, with half the contrast."""
    result = fft.dctn((image - 128.0) / 2, axes=(0, 1), norm="ortho")
    result[0, 0] /= 8
    result *= draws().choice([-1, 1], image.shape)
    result = fft.idctn(result, axes=(0, 1), norm="ortho")
    return np.asarray(np.clip(np.round(result + 128), 0, 255).astype(np.uint8))


def _mask_half(image: AnyArray, draws: Draws) -> AnyArray:
    result = _mask(image, draws)
    result[: len(image) // 2] = image[: len(image) // 2]
    return result


def _encrypt(image: AnyArray, draws: Draws) -> AnyArray:
    return our_encrypt(image, Key(draws.derive_bytes())).pixels


STAGES: dict[str, Stage] = {
    "same": lambda x, _: x,
    "constant": lambda x, draws: np.full_like(x, draws.key[0]),
    "turn": lambda x, _: x[::-1, ::-1],
    "shift": lambda x, draws: x + np.uint8(draws.key[0] | 1),
    "move-some": _move_some,
    "roll": _roll_rows,
    "blocks": _shuffle_blocks,
    "planes": _shuffle_planes,
    "mask": _mask,
    "stream": _mask_by_summary,
    "pad": _apply_pad,
    "move": _move,
    "cat": _apply_cat_map,
    "sbox": _substitute,
    "boxes": _substitute_by_boxes,
    "chain": _chain,
    "accumulate": _accumulate,
    "zhu": _chain_like_zhu,
    "hill": _multiply_pairs,
    "bits": _shuffle_bits,
    "bases": _move_bases,
    "came": _mask_by_previous_sums,
    "pairs": _transform_pairs,
    "aes": _encrypt_aes,
    "gcm": _encrypt_gcm,
    "chacha": _encrypt_chacha,
    "wide": _run_feistel,
    "transform": _transform,
    "cosine": _flip_frequencies,
    "half": _mask_half,
    "low-bits": lambda x, draws: x & 0xF0 | _mask(x, draws) & 0x0F,
    "high-bits": lambda x, draws: _mask(x & 0xF0, draws) & 0xF0 | x & 0x0F,
    "encrypt": _encrypt,
}


def make_cipher(text: str) -> Callable[[AnyArray, bytes], AnyArray]:
    """Return the function of image and key that a row of stages describes."""
    stages = [stage.split() for stage in text.split(",")]

    def run_stages(image: AnyArray, key: bytes) -> AnyArray:
        for position, (name, *options) in enumerate(stages):
            if name == "key":
                key = key[: int(options[0])]
            elif name == "salted":
                key += os.urandom(16)
            elif name == "nonce":
                key += bytes([os.urandom(1)[0] % 2 ** int(options[0])])
            else:
                image = STAGES[name](image, Draws(key, position), *options)
        return image

    return run_stages
