"""What scrambling hides from statistics of the picture, and what it leaves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sudokucrypt import Key, scramble
from sudokucrypt.images import read_picture

KEY = Key(bytes(range(32)))
ASTRONAUT = Path(__file__).parents[2] / "sudokucrypt" / "cli" / "pictures" / "demo.jpg"


def adjacent_z(image: np.ndarray, rows: int, columns: int) -> float:
    """Return the correlation of samples one step apart, in standard deviations."""
    height, width = image.shape
    here = image[: height - rows, : width - columns].ravel()
    there = image[rows:, columns:].ravel()
    return float(np.corrcoef(here, there)[0, 1] * np.sqrt(here.size - 1))


@pytest.mark.parametrize("unit", ["pixel", "sample"])
def test_neighbours_of_a_photograph_are_uncorrelated(unit: str) -> None:
    """The astronaut (512 x 512 x 3) has no adjacent-pixel correlation left beyond chance."""
    plain = read_picture(ASTRONAUT).pixels
    assert plain.shape == (512, 512, 3)
    pixels = scramble(plain, KEY, unit=unit, deterministic=True).pixels  # type: ignore[arg-type]
    for channel in range(3):
        for step in ((0, 1), (1, 0), (1, 1)):
            assert abs(adjacent_z(plain[..., channel].astype(float), *step)) > 100
            assert abs(adjacent_z(pixels[..., channel].astype(float), *step)) < 3


def test_values_stay() -> None:
    """Histogram, hence mean and entropy, are those of the plain picture, channel by channel."""
    plain = read_picture(ASTRONAUT).pixels
    pixels = scramble(plain, KEY).pixels
    for channel in range(3):
        before, after = (np.bincount(array[..., channel].ravel()) for array in (plain, pixels))
        assert np.array_equal(before, after)
