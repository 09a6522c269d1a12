"""Pictures and a toy scheme that several tests use."""

from dataclasses import replace

import numpy as np
import pytest

from sudokucrypt.analysis import BASELINES, MeasuredScheme, NamedImage, SchemeResult, specimens
from sudokucrypt.errors import DecryptionError
from sudokucrypt.typing import AnyArray


@pytest.fixture(scope="session")
def clouds() -> NamedImage:
    """A generated picture that resembles a photograph, 256 x 256."""
    return specimens()[-1]


@pytest.fixture(scope="session")
def picture(clouds: NamedImage) -> NamedImage:
    """A corner of the clouds, 64 x 64."""
    return replace(clouds, pixels=np.ascontiguousarray(clouds.pixels[:64, :64]))


@pytest.fixture(scope="session")
def moved_clouds(clouds: NamedImage) -> NamedImage:
    """The clouds after a uniform shuffle."""
    run = BASELINES["uniform"].fixed(clouds.pixels, bytes(32))
    return replace(clouds, name="moved", pixels=run.pixels)


@pytest.fixture
def stream_scheme() -> MeasuredScheme:
    """A scheme that masks each picture by a new random stream, equal in each test."""
    counter = iter(range(10**6))

    def run(image: AnyArray, seed: list[int]) -> SchemeResult:
        stream = np.random.default_rng(seed).integers(0, 256, image.shape).astype(image.dtype)
        pixels: AnyArray = image ^ stream

        def undo(key: bytes, result: AnyArray = pixels, /) -> AnyArray:
            if list(key) != seed[: len(key)]:
                raise DecryptionError
            plain: AnyArray = result ^ stream
            return plain

        return SchemeResult(pixels, undo)

    return MeasuredScheme(
        name="stream",
        # Without salt the stream depends on the picture, like a synthetic IV.
        fixed=lambda image, key: run(image, [*key, *image.ravel().tolist()]),
        fresh=lambda image, key: run(image, [*key, next(counter)]),
        moves_only=False,
        limits="for tests",
    )
