"""Moments of the entropy of random samples, against every way of counting them."""

from __future__ import annotations

from itertools import product
from math import factorial, lgamma, log, log1p, log2, prod, sqrt

import numpy as np
import pytest

from sudokucrypt.analysis import entropy_moments
from sudokucrypt.errors import InvalidParameterError
from tests.analysis.metrics.chance import noise


@pytest.mark.parametrize(
    ("levels", "samples"), [(2, 7), (2, 1), (3, 9), (4, 6), (5, 5), (3, 2), (6, 1)]
)
def test_moments_are_those_of_all_histograms(levels: int, samples: int) -> None:
    """Mean and deviation equal sums over all multinomial counts."""
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


@pytest.mark.parametrize(("levels", "samples"), [(3, 1000), (16, 400), (256, 1936)])
def test_moments_are_those_of_the_trinomial_sum(levels: int, samples: int) -> None:
    """The formula of the reference, with its double sum over pairs of levels, gives the same."""
    logs = np.array([lgamma(count + 1) for count in range(samples + 1)])
    counts = np.arange(samples + 1)
    shares = counts / samples
    terms = -shares * np.log2(np.where(counts > 0, shares, 1))
    binomial = np.exp(
        logs[-1] - logs - logs[::-1] - counts * log(levels) + counts[::-1] * log1p(-1 / levels)
    )
    mean = levels * float(binomial @ terms)
    cross = 0.0
    for one in counts:
        other = np.arange(samples - one + 1)
        rest = samples - one - other
        chances = np.exp(
            logs[-1] - logs[one] - logs[other] - logs[rest]
            - (one + other) * log(levels) + rest * log1p(-2 / levels)
        )  # fmt: skip
        cross += terms[one] * float(chances @ terms[other])
    variance = levels * float(binomial @ terms**2) + levels * (levels - 1) * cross - mean**2
    moments = entropy_moments(levels, samples)
    assert moments.mean == pytest.approx(mean, abs=1e-9)
    assert moments.deviation == pytest.approx(sqrt(variance), abs=1e-8)


@pytest.mark.parametrize(("levels", "samples"), [(2, 100), (256, 3000), (65536, 500)])
def test_moments_are_those_of_random_samples(levels: int, samples: int) -> None:
    """Simulated entropies have the stated mean and deviation."""
    rows = noise((4000, samples), "uint16", seed=1).astype(int) % levels
    entropies = []
    for row in rows:
        shares = np.unique(row, return_counts=True)[1] / samples
        entropies.append(-float(shares @ np.log2(shares)))
    mean, deviation = entropy_moments(levels, samples)
    assert np.mean(entropies) == pytest.approx(mean, abs=4.5 * deviation / sqrt(4000))
    assert np.std(entropies) == pytest.approx(deviation, rel=0.08)


def test_large_images_follow_the_chi_square_law() -> None:
    """For many samples a level, what lacks has nearly the moments of a chi-square figure."""
    samples = 4096 * 4096
    mean, deviation = entropy_moments(256, samples)
    scale = 1 / (2 * samples * log(2))
    assert 8 - mean == pytest.approx(255 * scale, rel=1e-4)
    assert deviation == pytest.approx(sqrt(2 * 255) * scale, rel=1e-3)


@pytest.mark.parametrize(("levels", "samples"), [(1, 10), (2, 0), (-4, 4)])
def test_numbers_too_small_are_refused(levels: int, samples: int) -> None:
    """Two levels and one sample are the least."""
    with pytest.raises(InvalidParameterError):
        entropy_moments(levels, samples)
