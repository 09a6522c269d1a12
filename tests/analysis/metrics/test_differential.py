"""npcr and uaci: the published critical values, hand formulas, and random images."""

from math import sqrt

import numpy as np
import pytest
from scipy import stats

from sudokucrypt.analysis import nbcr, npcr, npcr_critical, uaci, uaci_critical
from tests.analysis.metrics.chance import misses, moved, noise
from tests.analysis.pictures import NAMES, picture


@pytest.mark.parametrize("levels", [2, 100, 65536])
def test_moments_are_those_of_random_pairs(levels: int) -> None:
    """Mean and deviation equal sums over all pairs of levels."""
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
    """Both figures of two scrambled forms of a picture agree with plain sums."""
    image = picture(name)[:100, :90]
    one, other = moved(image, seed=1), moved(image, seed=2)
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
    """nbcr is the share of bits that differ, of as many as levels need, tested on both sides."""
    images = (noise((2, 30, 20), "uint16", seed=4) % 2**depth).astype(dtype)
    texts = ["".join(f"{x:0{depth}b}" for x in image.ravel().tolist()) for image in images]
    share = np.mean([x != y for x, y in zip(*texts, strict=True)])
    result = nbcr(*images, levels=levels)
    assert result.value == pytest.approx(share, abs=1e-12)
    p_value = 2 * stats.norm.sf(abs(share - 0.5) * 2 * sqrt(len(texts[0])))
    assert result.p_value == pytest.approx(p_value, abs=1e-9)
    assert nbcr(images[0], images[0], levels=levels).passed is False


@pytest.mark.slow
def test_random_pairs_change_bits_as_often_as_they_should() -> None:
    """Half of all bits on average, and a share of failures as the level says."""
    pairs = noise((800, 2, 24, 20), "uint8", seed=6)
    assert misses(nbcr(*pair) for pair in pairs) == []


def test_the_binomial_tail_is_exact() -> None:
    """p-value and bound are the tail of the binomial law of equal samples."""
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
    """One changed sample, as by a scheme that only moves, gives 1/K, which fails both tests."""
    one = noise((32, 32), "uint8", seed=0)
    other = one.copy()
    other[3, 4] ^= 1
    assert (npcr(one, other).value, npcr(one, other).passed) == (1 / 1024, False)
    assert uaci(one, other).value == pytest.approx(1 / 1024 / 255, abs=1e-15)
    assert uaci(one, other).passed is False
    black = np.zeros((64, 64), dtype=np.uint8)
    assert npcr(black, ~black).note.startswith("more even than chance makes it")
    assert "more even" not in npcr(black, black).note + npcr(black[:2], ~black[:2]).note
