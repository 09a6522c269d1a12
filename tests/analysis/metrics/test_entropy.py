"""Test entropy of images and blocks, its moments, histograms and bit planes."""

from collections.abc import Sequence
from itertools import product
from math import factorial, log, log2, prod, sqrt
from typing import Any

import numpy as np
import pytest
from scipy import stats
from skimage.measure import shannon_entropy

from sudokucrypt.analysis import (
    bit_plane_balance,
    chi_square_uniformity,
    entropy_moments,
    global_entropy,
    histogram,
    local_entropy,
)
from sudokucrypt.sudoku import seeded_draws
from sudokucrypt.typing import IntArray
from tests.analysis.metrics.chance import find_wrong_statistics, make_noise, move_units
from tests.analysis.pictures import NAMES, picture


class FirstBlocks:
    """A source that chooses the first blocks in reading order, from the upper left corner."""

    def below(self, bound: int, /) -> int:
        assert bound > 0
        return 0

    def below_each(self, bounds: IntArray, /) -> IntArray:
        return np.zeros_like(bounds)

    def permutations(self, sizes: Sequence[int], /) -> IntArray:
        return np.concatenate([np.arange(size) for size in sizes])


@pytest.mark.parametrize("name", NAMES[:2])
def test_global_entropy_is_that_of_scikit_image(name: str) -> None:
    """Global entropy equals scikit-image's, and does not change if pixels move."""
    image = picture(name)[:100]
    entropy: Any = shannon_entropy
    result = global_entropy(image)
    assert result.value == pytest.approx(entropy(image), abs=1e-9)
    assert global_entropy(move_units(image)).value == result.value


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dtype", "shape"),
    [("bool", (30, 41)), ("uint8", (16, 16, 3)), ("uint16", (64, 64)), ("uint8", (1, 300))],
)
def test_random_images_have_the_expected_global_entropy(dtype: str, shape: tuple[int, ...]) -> None:
    """Random images of every depth have the expected mean and share of failures."""
    images = make_noise((1500, *shape), dtype, seed=4)
    assert find_wrong_statistics(global_entropy(image) for image in images) == []


def test_extremes_and_levels_of_global_entropy() -> None:
    """Constant images and even histograms fail; `levels` changes the expected entropy."""
    even = np.arange(256, dtype=np.uint8).reshape(16, 16).repeat(16, axis=0)
    for image, value in ((even * 0, 0.0), (even, 8.0)):
        result = global_entropy(image)
        assert (result.value, result.passed) == (value, False)
        assert result.p_value is not None
        assert result.p_value < 1e-9
    assert global_entropy(np.eye(2, dtype=bool)).value == 1.0
    image = make_noise((64, 64), "uint8", seed=8) % 16
    result = global_entropy(image, levels=16)
    assert result.passed
    assert result.expected == pytest.approx(4 - 15 / (2 * 4096 * np.log(2)), abs=1e-4)
    assert global_entropy(image).passed is False


def test_local_entropy_is_the_mean_over_blocks() -> None:
    """Local entropy is the mean of SciPy's entropies of blocks of 44 x 44 pixels."""
    image = picture("camera")[:264, :264]
    blocks = image.reshape(6, 44, 6, 44).swapaxes(1, 2).reshape(36, -1)[:30]
    entropies = [stats.entropy(np.bincount(block), base=2) for block in blocks]
    result = local_entropy(image, source=FirstBlocks())
    assert result.value == pytest.approx(np.mean(entropies), abs=1e-9)
    usual = local_entropy(image)
    assert usual == local_entropy(image) != local_entropy(image, source=seeded_draws(1))


def test_the_published_interval_says_what_is_wrong_with_it() -> None:
    """The published interval has the same mean, and a note about its error."""
    image = np.zeros((300, 300), dtype=np.uint8)
    exact, published = local_entropy(image), local_entropy(image, interval="published")
    assert exact.expected == published.expected
    assert "sqrt(k)" in published.note
    assert exact.note != published.note


@pytest.mark.slow
def test_intervals_hold_as_many_random_images_as_they_say() -> None:
    """The exact interval contains 94-96% of 2,000 random images, the published one 20-35%."""
    rng = np.random.default_rng(20260101)
    results = []
    for seed in range(2000):
        image = rng.integers(0, 256, (256, 256), dtype=np.uint8)
        results.append(local_entropy(image, source=seeded_draws(seed)))
    assert find_wrong_statistics(results) == []
    published = local_entropy(image, interval="published")
    assert published.lower is not None
    assert published.upper is not None
    inside = sum(published.lower <= row.value <= published.upper for row in results)
    assert 0.94 <= sum(row.passed is True for row in results) / 2000 <= 0.96
    assert 0.20 <= inside / 2000 <= 0.35


def test_blocks_never_overlap() -> None:
    """If the blocks fill the image, every pixel is in one block, for any source."""
    image = np.arange(64 * 36, dtype=np.uint16).reshape(64, 36)
    for seed in range(5):
        result = local_entropy(image, blocks=9, block_size=256, source=seeded_draws(seed))
        assert result.value == 8.0  # all pixels differ, in every block


def test_blocks_stay_inside_a_channel_and_become_long_where_squares_do_not_fit() -> None:
    """Blocks are within one channel, and long if square blocks do not fit."""
    image = np.zeros((50, 50, 3), dtype=np.uint8) + np.arange(3, dtype=np.uint8)
    assert local_entropy(image, block_size=100).value == 0.0
    assert global_entropy(image).value == pytest.approx(np.log2(3), abs=1e-12)
    line = np.tile(np.arange(100, dtype=np.uint8), 30)[None, :]
    assert local_entropy(line, block_size=100).value == pytest.approx(np.log2(100), abs=1e-12)
    rows = np.arange(256, dtype=np.uint8)[:, None].repeat(256, axis=1)
    assert local_entropy(rows).value == pytest.approx(4.0, abs=1e-12)


@pytest.mark.parametrize(("levels", "samples"), [(2, 7), (2, 1), (3, 9), (4, 6), (3, 2), (6, 1)])
def test_moments_are_those_of_all_histograms(levels: int, samples: int) -> None:
    """Moments of the entropy equal sums over all multinomial counts."""
    mean = square = 0.0
    for counts in product(range(samples + 1), repeat=levels):
        if sum(counts) == samples:
            chance = factorial(samples) / prod(map(factorial, counts)) / levels**samples
            entropy = -sum(c / samples * log2(c / samples) for c in counts if c)
            mean += chance * entropy
            square += chance * entropy**2
    moments = entropy_moments(levels, samples)
    assert moments.mean == pytest.approx(mean, abs=1e-12)
    assert moments.deviation == pytest.approx(sqrt(max(0.0, square - mean**2)), abs=1e-7)


def test_large_images_follow_the_chi_square_law() -> None:
    """With many samples per level, the moments of entropy are nearly those of chi-square."""
    samples = 4096 * 4096
    mean, deviation = entropy_moments(256, samples)
    scale = 1 / (2 * samples * log(2))
    assert 8 - mean == pytest.approx(255 * scale, rel=1e-4)
    assert deviation == pytest.approx(sqrt(2 * 255) * scale, rel=1e-3)


@pytest.mark.parametrize("name", NAMES[:2])
def test_figures_of_pictures_are_those_of_scipy(name: str) -> None:
    """Histogram, chi-square statistic and p-value equal those of NumPy and SciPy."""
    image = picture(name)[:100]
    counts, _ = np.histogram(image, bins=np.arange(257))
    assert histogram(image).tolist() == counts.tolist()
    for share in (1, 20):  # the picture, and the picture with noise, which is nearer to even
        dim = (image.astype(int) // share + make_noise(image.shape, "uint8", seed=1)) % 256
        expected = stats.chisquare(np.histogram(dim, bins=np.arange(257))[0])
        result = chi_square_uniformity(dim.astype(np.uint8))
        assert result.value == pytest.approx(expected.statistic, rel=1e-12)
        assert result.p_value == pytest.approx(expected.pvalue, abs=1e-9)
    assert chi_square_uniformity(image) == chi_square_uniformity(move_units(image))


def test_bit_planes_of_pictures_are_the_shares_of_ones() -> None:
    """The share of ones in each plane equals that of unpacked bits, the lowest first."""
    image = picture("astronaut")[:100]
    bits = np.unpackbits(image.reshape(-1, 1), axis=1, bitorder="little")
    planes = bit_plane_balance(image)
    assert [plane.name for plane in planes] == [f"bit_plane_{bit}" for bit in range(8)]
    for plane, share in zip(planes, bits.mean(axis=0), strict=True):
        assert plane.value == pytest.approx(share, abs=1e-12)
        p_value = 2 * stats.norm.sf(abs(share - 0.5) * 2 * np.sqrt(image.size))
        assert plane.p_value == pytest.approx(p_value, abs=1e-9)


def test_notes_name_rough_p_values_and_too_even_histograms() -> None:
    """Too few samples for the levels, and a too even histogram, have a note."""
    image = make_noise((64, 64), "uint16", seed=1)
    assert len(bit_plane_balance(image)) == 16
    result = chi_square_uniformity(image)
    assert result.expected == 65535
    assert "rough" in result.note
    assert "rough" not in chi_square_uniformity(image.astype(np.uint8)).note
    even = np.tile(np.arange(256, dtype=np.uint8), (8, 1))
    result = chi_square_uniformity(even)
    assert (result.value, result.p_value, result.passed) == (0.0, 1.0, True)
    assert "more even than by chance" in result.note


def test_levels_shorten_the_histogram() -> None:
    """With four levels, there are four counts and two bit planes."""
    image = np.array([[0, 1, 2, 3, 3]], dtype=np.uint8)
    assert histogram(image, levels=4).tolist() == [1, 1, 1, 2]
    assert chi_square_uniformity(image, levels=4).expected == 3
    assert [plane.value for plane in bit_plane_balance(image, levels=4)] == [0.6, 0.6]
