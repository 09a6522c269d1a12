"""Test deviations of histograms and results, mean absolute error, and plain correlation."""

import math
from collections import Counter
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import stats

from sudokucrypt.analysis import (
    chi_square_uniformity,
    histogram_variance,
    irregular_deviation,
    mae,
    maximum_deviation,
    plain_correlation,
    uniform_deviation,
)
from sudokucrypt.analysis.metrics.deviation import _expect_irregularity
from tests.analysis.metrics.chance import make_noise, move_units
from tests.analysis.pictures import NAMES, channel, picture

PAIRED: tuple[Any, ...] = (maximum_deviation, irregular_deviation, mae)


@pytest.mark.parametrize("name", NAMES[:2])
def test_figures_of_pictures_follow_their_definitions(name: str) -> None:
    """For moved, masked and equal results, each metric equals sums over counted levels."""
    plain = picture(name)[:60, :70]
    for result in (move_units(plain), plain ^ make_noise(plain.shape, "uint8", seed=1), plain):
        one, other = plain.ravel().tolist(), result.ravel().tolist()
        before, after = Counter(one), Counter(other)
        apart = Counter(abs(x - y) for x, y in zip(one, other, strict=True))
        share = len(one) / 256
        pairs = [(after[i] - after[j]) ** 2 / 2 for i in range(256) for j in range(256)]
        assert histogram_variance(result).value == pytest.approx(sum(pairs) / 256**2, rel=1e-12)
        even = sum(abs(after[i] - share) for i in range(256)) / len(one)
        assert uniform_deviation(result).value == pytest.approx(even, rel=1e-12)
        areas = [abs(after[i] - before[i]) for i in range(256)]
        outer = (areas[0] + areas[255]) / 2
        assert maximum_deviation(plain, result).value == outer + sum(areas[1:255])
        expected = sum(abs(apart[k] - share) for k in range(256))
        assert irregular_deviation(plain, result).value == pytest.approx(expected, rel=1e-12)
        gaps = sum(gap * count for gap, count in apart.items())
        assert mae(plain, result).value == pytest.approx(gaps / len(one), rel=1e-12)
        layers = (np.moveaxis(np.atleast_3d(each), 2, 0) for each in (plain, result))
        actual = [stats.pearsonr(x.ravel(), y.ravel())[0] for x, y in zip(*layers, strict=True)]
        assert plain_correlation(plain, result).value == pytest.approx(np.mean(actual), abs=1e-12)


@pytest.mark.parametrize(
    ("shape", "dtype", "levels"),
    [
        ((64, 48), "uint8", None),
        ((40, 30, 3), "uint8", 100),
        ((25, 31), "bool", None),
        ((150, 90), "uint16", 4096),
    ],
)
def test_random_results_have_the_expected_figures(
    shape: tuple[int, ...], dtype: str, levels: int | None
) -> None:
    """The mean of each metric over random results is within 3 standard errors of `expected`."""
    count = levels or {"bool": 2, "uint8": 256}[dtype]
    generator = np.random.default_rng(2)
    plain = np.floor(generator.beta(2, 4, shape) * count).astype(dtype)
    images = generator.integers(0, count, (300, *shape)).astype(dtype)
    metrics_of_results: list[Any] = [histogram_variance, uniform_deviation]
    metrics: list[Any] = [partial(each, levels=levels) for each in metrics_of_results]
    metrics += [partial(each, plain, levels=levels) for each in PAIRED]
    for metric in [*metrics, partial(plain_correlation, plain)]:
        result = [metric(image) for image in images]
        values = np.array([each.value for each in result])
        assert len({each.expected for each in result}) == 1
        assert result[0].expected is not None
        error = values.std(ddof=1) / math.sqrt(len(values))
        assert abs(values.mean() - result[0].expected) < 3 * error


def test_the_stated_irregularity_is_near_the_exact_one() -> None:
    """The expected irregular deviation is within 0.001 of the exact one, for few levels."""
    plain = np.random.default_rng(1).multinomial(900, stats.binom.pmf(np.arange(16), 15, 0.4))
    total, positions = 0.0, np.arange(901)
    for k in range(16):
        levels = np.repeat(np.arange(16), plain)
        ways = (levels - k >= 0).astype(int) + ((levels + k < 16) & (k > 0))
        laws = [stats.binom.pmf(positions, np.sum(ways == way), way / 16) for way in (1, 2)]
        exact = np.convolve(*laws)[:901]
        total += exact @ np.abs(positions - 900 / 16)
    assert _expect_irregularity(plain) == pytest.approx(total, rel=1e-3)


def test_only_channels_that_vary_are_correlated() -> None:
    """Plain correlation ignores a constant channel, and is -1 for an inverted one."""
    even = np.arange(256, dtype=np.uint8).reshape(16, 16)
    half = np.dstack([even, np.zeros_like(even)])
    assert plain_correlation(half, half).value == 1
    assert plain_correlation(even, ~even).value == -1


def test_the_variance_is_the_chi_square_in_another_unit() -> None:
    """The histogram variance is chi-square * T / L^2, and is no test."""
    image = channel("camera")
    share = image.size / 256**2
    variance = histogram_variance(image)
    assert variance.value == pytest.approx(chi_square_uniformity(image).value * share, rel=1e-12)
    assert variance.passed is None
