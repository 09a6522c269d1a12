"""The kernels of robust pictures and their fallbacks do the same."""

from types import ModuleType

import numpy as np
import pytest

from sudokucrypt.robust._kernels import blocks_plain as plain
from sudokucrypt.robust.carrier_image import GAIN, UNGAIN

kernels: ModuleType = pytest.importorskip(
    "sudokucrypt.robust._kernels.blocks", reason="built where a C compiler is there"
)
SOURCE = np.random.default_rng(6)
EXTREMES = np.array([0, 255], dtype=np.uint8)


@pytest.mark.parametrize("gain", [GAIN, UNGAIN])
@pytest.mark.parametrize("of", [np.arange(256, dtype=np.uint8), EXTREMES])
def test_flipping(of: np.ndarray, gain: int) -> None:
    """Random blocks and those of extreme samples become the same, in the given part only."""
    blocks = SOURCE.choice(of, (300, 64))
    signs = SOURCE.integers(0, 256, (300, 8), dtype=np.uint8)
    ours, theirs = blocks.copy(), blocks.copy()
    kernels.flip(ours, signs, gain, 20, 290)
    plain.flip(theirs, signs, gain, 20, 290)
    np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(ours[:20], blocks[:20])


@pytest.mark.parametrize("gain", [GAIN, UNGAIN])
def test_flipping_at_the_bounds(gain: int) -> None:
    """Signs that bring all frequencies of a block together overflow in neither."""
    u, x = np.indices((8, 8))
    waves = np.cos((2 * x + 1) * u * np.pi / 16)
    blocks = np.array(
        [
            np.where(np.outer(waves[a], waves[b]) * way > 0, 255, 0).reshape(64)
            for a in range(8)
            for b in range(8)
            for way in (1, -1)
        ],
        dtype=np.uint8,
    )
    for _ in range(20):
        signs = SOURCE.integers(0, 256, (len(blocks), 8), dtype=np.uint8)
        ours, theirs = blocks.copy(), blocks.copy()
        kernels.flip(ours, signs, gain, 0, len(blocks))
        plain.flip(theirs, signs, gain, 0, len(blocks))
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("shape", [(1, 1), (8, 16), (17, 33), (40, 7), (300, 3)])
def test_colors(shape: tuple[int, int]) -> None:
    """Light, color differences and the way back are the same for sides of every remainder."""
    pixels = SOURCE.integers(0, 256, (*shape, 3), dtype=np.uint8)
    down, across = -(-shape[0] // 8), -(-shape[1] // 8)
    chroma_down, small = -(-shape[0] // 16), -(-shape[1] // 16)
    result = []
    for module in (kernels, plain):
        light, gray = (np.zeros((down * across, 64), dtype=np.uint8) for _ in range(2))
        blue, red = (np.zeros((chroma_down * small, 64), dtype=np.uint8) for _ in range(2))
        module.fill_light(pixels, light, across, 0, down)
        module.fill_light(np.ascontiguousarray(pixels[..., :1]), gray, across, 0, down)
        module.fill_colors(pixels, blue, red, small, 0, chroma_down)
        back = np.zeros_like(pixels)
        module.join_colors(light, blue, red, across, small, back, 0, shape[0])
        result.append((light, gray, blue, red, back))
    for ours, theirs in zip(*result, strict=True):
        np.testing.assert_array_equal(ours, theirs)
