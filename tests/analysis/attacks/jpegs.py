"""Schemes for JPEG files that keep more or less in place, and photographs to try them on."""

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
def files(quality: int = 85, **options: Any) -> dict[str, bytes]:
    """JPEGs of eight photographs of 300 x 400 pixels or fewer."""
    photos = list_photographs()
    return {name: save_image(photos[name], quality=quality, **options) for name in NAMES}


def ours(data: bytes) -> bytes:
    """The file that `scramble` makes."""
    return scramble_bytes(data, KEY, deterministic=True)


def changing(change: Callable[[AnyArray, np.random.Generator], AnyArray]) -> JpegOracle:
    """A scheme that does something to the blocks of each component, of shape (N, 64)."""

    def oracle(data: bytes) -> bytes:
        file = read_coefficients(data, max_pixels=2**24)
        generator = np.random.default_rng(5)
        planes = [
            change(plane.reshape(-1, 64), generator).reshape(plane.shape).astype(np.int16)
            for plane in file.coefficients
        ]
        return file.with_coefficients(planes).optimize().to_bytes()

    return oracle


@changing
def move_blocks(blocks: AnyArray, generator: np.random.Generator) -> AnyArray:
    """Blocks change places."""
    return generator.permutation(blocks)


@changing
def means_masked(blocks: AnyArray, generator: np.random.Generator) -> AnyArray:
    """Only means are random; blocks stay in place."""
    means = generator.integers(-64, 64, (len(blocks), 1))
    return np.hstack([means, blocks[:, 1:]])


@changing
def means_kept(blocks: AnyArray, generator: np.random.Generator) -> AnyArray:
    """Blocks change places, but their means stay."""
    return np.hstack([blocks[:, :1], generator.permutation(blocks[:, 1:])])


@changing
def frequencies_moved(blocks: AnyArray, generator: np.random.Generator) -> AnyArray:
    """Each frequency changes places for itself."""
    return generator.permuted(blocks, axis=0)
