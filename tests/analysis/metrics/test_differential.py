"""Test npcr, uaci, nbcr, MSE, PSNR and SSIM by published values, formulas and random images."""

import math
from math import sqrt
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.ndimage import gaussian_filter
from skimage import metrics

from sudokucrypt.analysis import mse, nbcr, npcr, npcr_critical, psnr, ssim, uaci, uaci_critical
from tests.analysis.metrics.chance import find_wrong_statistics, make_noise, move_units
from tests.analysis.pictures import NAMES, channel, picture


@pytest.mark.parametrize("levels", [2, 100, 65536])
def test_moments_are_those_of_random_pairs(levels: int) -> None:
    """Expected values and intervals of npcr and uaci equal sums over all pairs of levels."""
    one = np.zeros((16, 16), dtype=np.uint16)
    x = np.arange(levels, dtype=float)
    gaps = np.concatenate([[levels], 2 * (levels - x[1:])]) / levels**2  # chance of each gap
    shares = x / (levels - 1)
    mean = gaps @ shares
    deviation = sqrt((gaps @ shares**2 - mean**2) / one.size)
    result = uaci(one, one, levels=levels)
    assert result.expected == pytest.approx(mean, abs=1e-12)
    interval = stats.norm.interval(0.95, mean, deviation)
    assert (result.lower, result.upper) == pytest.approx(interval, abs=1e-9)
    assert (result.lower, result.upper) == uaci_critical(one.size, levels=levels)
    same = npcr(one, one, levels=levels)
    chance = 1 - 1 / levels
    assert same.expected == chance
    bound = stats.norm.ppf(0.05, chance, sqrt(chance * (1 - chance) / one.size))
    assert same.lower == pytest.approx(bound, abs=1e-9)
    assert same.lower == pytest.approx(npcr_critical(one.size, levels=levels), abs=1e-12)


@pytest.mark.parametrize("name", NAMES[:2])
def test_figures_of_pictures_follow_their_definition(name: str) -> None:
    """npcr and uaci of two scrambled pictures equal plain sums."""
    image = picture(name)[:100, :90]
    one, other = move_units(image, seed=1), move_units(image, seed=2)
    gaps = one.astype(int) - other.astype(int)
    changed = npcr(one, other)
    assert changed.value == pytest.approx(np.mean(gaps != 0), abs=1e-12)
    assert uaci(one, other).value == pytest.approx(np.mean(np.abs(gaps)) / 255, abs=1e-12)
    p_value = stats.norm.cdf(changed.value, 255 / 256, sqrt(255 / 256**2 / one.size))
    assert changed.p_value == pytest.approx(p_value, abs=1e-9)


@pytest.mark.parametrize(("dtype", "levels", "depth"), [("bool", None, 1), ("uint16", 1024, 10)])
def test_changed_bits_are_those_of_unpacked_samples(
    dtype: str, levels: int | None, depth: int
) -> None:
    """nbcr is the share of differing bits among the bits of the levels, with its p-value."""
    images = (make_noise((2, 30, 20), "uint16", seed=4) % 2**depth).astype(dtype)
    texts = ["".join(f"{x:0{depth}b}" for x in image.ravel().tolist()) for image in images]
    share = np.mean([x != y for x, y in zip(*texts, strict=True)])
    result = nbcr(*images, levels=levels)
    assert result.value == pytest.approx(share, abs=1e-12)
    p_value = 2 * stats.norm.sf(abs(share - 0.5) * 2 * sqrt(len(texts[0])))
    assert result.p_value == pytest.approx(p_value, abs=1e-9)
    assert nbcr(images[0], images[0], levels=levels).passed is False


@pytest.mark.slow
def test_random_pairs_change_bits_as_often_as_they_should() -> None:
    """nbcr of random pairs has the expected mean and share of failures."""
    pairs = make_noise((800, 2, 24, 20), "uint8", seed=6)
    assert find_wrong_statistics(nbcr(*pair) for pair in pairs) == []


def test_the_binomial_tail_is_exact() -> None:
    """With tail="binomial", p-value and bound are binomial tails of the equal samples."""
    one = np.zeros((16, 16), dtype=np.uint8)
    other = one + 1
    other[0, :3] = 0
    result = npcr(one, other, tail="binomial")
    equal = stats.binom(256, 1 / 256)
    assert result.p_value == pytest.approx(equal.sf(2), abs=1e-12)
    for level in (0.05, 0.3):
        lower = npcr(one, other, tail="binomial", level=level).lower
        assert lower == (256 - equal.isf(level)) / 256
    assert result.passed
    assert "tail='binomial'" in npcr(one, other).note
    assert "tail='binomial'" not in result.note


def test_extremes() -> None:
    """One changed sample gives npcr 1/K, and fails the tests of npcr and uaci."""
    one = make_noise((32, 32), "uint8", seed=0)
    other = one.copy()
    other[3, 4] ^= 1
    assert (npcr(one, other).value, npcr(one, other).passed) == (1 / 1024, False)
    assert uaci(one, other).value == pytest.approx(1 / 1024 / 255, abs=1e-15)
    assert uaci(one, other).passed is False
    black = np.zeros((64, 64), dtype=np.uint8)
    assert npcr(black, ~black).note.startswith("more even than by chance")
    assert "more even" not in npcr(black, black).note + npcr(black[:2], ~black[:2]).note


@pytest.mark.parametrize("name", NAMES[:2])
def test_errors_are_those_of_scikit_image(name: str) -> None:
    """MSE and PSNR of a picture and its scrambled form equal scikit-image's."""
    image = picture(name)[:100]
    other = move_units(image)
    assert mse(image, other) == pytest.approx(metrics.mean_squared_error(image, other), rel=1e-12)
    peak: Any = metrics.peak_signal_noise_ratio
    assert psnr(image, other) == pytest.approx(peak(image, other), abs=1e-9)
    assert (mse(image, image), psnr(image, image)) == (0.0, math.inf)


@pytest.mark.parametrize("name", NAMES[:2])
def test_similarity_follows_its_formula(name: str) -> None:
    """SSIM of a picture and a darker, noisy form equals the formula of the paper."""
    image = channel(name)
    dim = np.clip(image * 0.8 + make_noise(image.shape, "uint8", seed=1) * 0.1, 0, 255)
    other = dim.astype(np.uint8)
    x, y = image.astype(float), other.astype(float)

    def average_windows(values: Any) -> Any:
        # 3.4 deviations of 1.5 are 5 pixels in each direction: the window of 11.
        return gaussian_filter(values, 1.5, truncate=3.4)[5:-5, 5:-5]

    mean_x, mean_y = average_windows(x), average_windows(y)
    variances = average_windows(x * x) - mean_x**2 + average_windows(y * y) - mean_y**2
    covariance = average_windows(x * y) - mean_x * mean_y
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    similarity = ((2 * mean_x * mean_y + c1) * (2 * covariance + c2)) / (
        (mean_x**2 + mean_y**2 + c1) * (variances + c2)
    )
    assert ssim(image, other) == pytest.approx(similarity.mean(), abs=1e-6)
    pair = np.dstack([image, other]), np.dstack([other, other])  # the mean over both channels
    assert ssim(*pair) == pytest.approx((ssim(image, other) + 1) / 2, abs=1e-12)


def test_rough_tails_are_noted_below_twenty_expected_samples() -> None:
    """With 40 bits, 20 equal ones are expected, which suffices for the normal tail."""
    for samples, is_rough in ((39, True), (40, False)):
        note = npcr(np.zeros((1, samples), bool), np.ones((1, samples), bool)).note
        assert ("the normal tail is rough" in note) == is_rough
