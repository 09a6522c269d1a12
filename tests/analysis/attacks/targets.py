"""Schemes as others would write them, none of which is part of the package.

They are functions of an image and a key; salted ones get a new key each time. What attacks find,
which verdicts.toml lists, follows from their form.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from sudokucrypt.typing import AnyArray
from tests.analysis.attacks.schemes import seed_of

Cipher = Callable[[AnyArray, bytes], AnyArray]


def draws(*seed: object) -> np.random.Generator:
    """A generator for a seed of bytes, words and numbers."""
    return np.random.default_rng(seed_of(*(str(one).encode() for one in seed)))


def stream(like: AnyArray, *seed: object) -> Any:
    """Random samples of the shape and dtype of an image."""
    return draws(*seed).integers(0, 256, like.shape).astype(like.dtype)


def moved(image: AnyArray, *seed: object) -> AnyArray:
    """An image with its samples shuffled."""
    flat = image.reshape(-1)
    return flat[draws(*seed).permutation(flat.size)].reshape(image.shape)


def identity(image: AnyArray, key: bytes) -> Any:
    del key
    return image


def transposed(image: AnyArray, key: bytes) -> Any:
    return image[::-1, ::-1] if key[0] & 1 else image[::-1]


def mostly_fixed(image: AnyArray, key: bytes) -> Any:
    """60% of the samples stay, the others are shuffled among themselves."""
    result = image.copy().reshape(-1)
    positions = draws("places", key).permutation(result.size)[: int(0.4 * result.size)]
    result[np.sort(positions)] = result[positions]
    return result.reshape(image.shape)


def rows_rolled(image: AnyArray, key: bytes) -> Any:
    steps = draws(key).integers(0, image.shape[1], len(image))
    return np.stack([np.roll(row, step, axis=0) for row, step in zip(image, steps, strict=True)])


def caesar(image: AnyArray, key: bytes) -> Any:
    result: AnyArray = image + image.dtype.type(key[0])
    return result


def complement(image: AnyArray, key: bytes) -> Any:
    return stream(image, key) - image


def exclusive_or(image: AnyArray, key: bytes) -> Any:
    return image ^ stream(image, key)


def low_bits_only(image: AnyArray, key: bytes) -> Any:
    return image ^ (stream(image, key) & 15)


def multiplied(image: AnyArray, key: bytes) -> Any:
    """a p + b with an odd a for each place."""
    return image * (stream(image, "a", key) | 1) + stream(image, "b", key)


def tables_by_place(image: AnyArray, key: bytes) -> Any:
    """One of 16 S-boxes for each place, then samples move."""
    boxes = np.stack([draws(key, n).permutation(256) for n in range(16)]).astype(np.uint8)
    return moved(boxes[stream(image, "which", key) & 15, image], key)


def hill(image: AnyArray, key: bytes) -> Any:
    """Pairs of samples times a matrix of the key, with an odd determinant."""
    a, b, c = (int(number) for number in key[:3])
    pairs = image.reshape(-1, 2).astype(np.int64)
    matrix = np.array([[2 * a + 1, 2 * b], [c, 1]])
    return (pairs @ matrix % 256).astype(np.uint8).reshape(image.shape)


def chained_backward(image: AnyArray, key: bytes) -> Any:
    """Permutation, addition of a stream, and a chain of exclusive-or from the end."""
    links = (moved(image, key) + stream(image, key)).reshape(-1)[::-1]
    return np.bitwise_xor.accumulate(links)[::-1].reshape(image.shape)


def three_rounds(image: AnyArray, key: bytes) -> Any:
    """Permutation and a chain, three times over."""
    for index in range(3):
        links = (moved(image, key, index) ^ stream(image, key, index)).reshape(-1)
        image = np.bitwise_xor.accumulate(links).reshape(image.shape)
    return image


def added_and_masked(image: AnyArray, key: bytes) -> Any:
    """A chain of sums with an exclusive-or at the end of each link: c(i) = (p + c(i - 1)) ^ k."""
    before, result = key[0], []
    for sample, mask in zip(
        moved(image, key).ravel().tolist(), stream(image, key).ravel().tolist(), strict=True
    ):
        before = (sample + before & 255) ^ mask
        result.append(before)
    return np.array(result, dtype=np.uint8).reshape(image.shape)


def bit_planes_moved(image: AnyArray, key: bytes) -> Any:
    """Each bit plane is shuffled by a map of its own."""
    planes = [moved(image >> bit & 1, key, bit) << bit for bit in range(8)]
    return np.bitwise_or.reduce(planes)


def keyed_by_sum(image: AnyArray, key: bytes) -> Any:
    return moved(image, key, int(image.sum()))


def keyed_by_histogram(image: AnyArray, key: bytes) -> Any:
    return moved(image, key, np.bincount(image.ravel(), minlength=256).tolist())


def keyed_by_sum_and_masked(image: AnyArray, key: bytes) -> Any:
    return moved(image, key, int(image.sum())) ^ stream(image, key)


def keyed_by_everything(image: AnyArray, key: bytes) -> Any:
    return moved(image, key, image.tobytes())


def stream_of_everything(image: AnyArray, key: bytes) -> Any:
    return image ^ stream(image, key, image.tobytes())


def nothing_left(image: AnyArray, key: bytes) -> Any:
    """What no key brings back, but no attack either."""
    return np.full_like(image, key[0])


def salted_stream(image: AnyArray, key: bytes) -> Any:
    return image ^ stream(image, key)


def salted_shuffle(image: AnyArray, key: bytes) -> Any:
    return moved(image, key)


def salted_rows(image: AnyArray, key: bytes) -> Any:
    return rows_rolled(image, key)


def salted_half(image: AnyArray, key: bytes) -> Any:
    """Only the upper half is protected."""
    result = image ^ stream(image, key)
    result[len(image) // 2 :] = image[len(image) // 2 :]
    return result


def salted_blocks(image: AnyArray, key: bytes) -> Any:
    """Blocks of 16 x 16 pixels, shuffled."""
    rows, columns = image.shape[0] // 16, image.shape[1] // 16
    blocks = image.reshape(rows, 16, columns, 16, -1).swapaxes(1, 2)
    order = draws(key).permutation(rows * columns)
    chosen = blocks.reshape(rows * columns, -1)[order].reshape(blocks.shape)
    return chosen.swapaxes(1, 2).reshape(image.shape)
