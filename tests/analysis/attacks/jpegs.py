"""Schemes for JPEG files that keep different parts in place, and photographs for them."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from sudokucrypt import Key, scramble_bytes
from sudokucrypt.analysis.attacks import JpegOracle
from sudokucrypt.images.jpeg import read_coefficients
from sudokucrypt.typing import AnyArray
from tests.images.jpeg.corpus import list_photographs, save_image

KEY = Key(bytes(range(32)))
NAMES = [
    "astronaut",
    "camera",
    "chelsea",
    "coffee",
    "hubble_deep_field",
    "moon",
    "motorcycle_left",
    "rocket",
]


@cache
def load_files(quality: int = 85, **options: Any) -> dict[str, bytes]:
    """Return JPEG files of eight photographs of at most 300 x 400 pixels."""
    photos = list_photographs()
    return {name: save_image(photos[name], quality=quality, **options) for name in NAMES}


def scramble_file(data: bytes) -> bytes:
    """Return the file that `scramble` makes of a JPEG file."""
    return scramble_bytes(data, KEY, deterministic=True)


def make_block_scheme(change: Callable[[AnyArray, np.random.Generator], AnyArray]) -> JpegOracle:
    """Return a scheme that changes the blocks of each component, of shape (N, 64)."""

    def oracle(data: bytes) -> bytes:
        file = read_coefficients(data, max_pixels=2**24)
        generator = np.random.default_rng(5)
        planes = [
            change(plane.reshape(-1, 64), generator).reshape(plane.shape).astype(np.int16)
            for plane in file.coefficients
        ]
        return file.with_coefficients(planes).optimize().to_bytes()

    return oracle


@make_block_scheme
def shuffle_blocks(blocks: AnyArray, generator: np.random.Generator) -> AnyArray:
    """Shuffle blocks."""
    return generator.permutation(blocks)


@make_block_scheme
def mask_means(blocks: AnyArray, generator: np.random.Generator) -> AnyArray:
    """Replace means by random numbers, and leave blocks in place."""
    means = generator.integers(-64, 64, (len(blocks), 1))
    return np.hstack([means, blocks[:, 1:]])


@make_block_scheme
def keep_means(blocks: AnyArray, generator: np.random.Generator) -> AnyArray:
    """Shuffle blocks, but leave means in place."""
    return np.hstack([blocks[:, :1], generator.permutation(blocks[:, 1:])])


@make_block_scheme
def shuffle_frequencies(blocks: AnyArray, generator: np.random.Generator) -> AnyArray:
    """Shuffle each frequency separately."""
    return generator.permuted(blocks, axis=0)
