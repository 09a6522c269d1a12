"""Random images and permutations, and what a metric must say of many of them."""

from collections.abc import Iterable
from math import sqrt
from typing import Any

import numpy as np

from sudokucrypt.analysis import Measurement


def noise(shape: tuple[int, ...], dtype: str, *, seed: int) -> np.ndarray[Any, np.dtype[Any]]:
    """A uniform random image."""
    levels = {"bool": 2, "uint8": 2**8, "uint16": 2**16}[dtype]
    return np.random.default_rng(seed).integers(0, levels, shape).astype(dtype)


def moved(image: np.ndarray[Any, Any], *, seed: int = 0) -> np.ndarray[Any, Any]:
    """An image after a uniform permutation of its pixels."""
    pixels = image.reshape(image.shape[0] * image.shape[1], *image.shape[2:])
    return np.random.default_rng(seed).permutation(pixels).reshape(image.shape)


def rows(count: int, units: int, *, seed: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Uniform permutations, one a row."""
    return np.random.default_rng(seed).permuted(np.tile(np.arange(units), (count, 1)), axis=1)


def confirm(results: Iterable[Measurement], *, rejected: float | None = None) -> None:
    """The mean lies within 4.5 standard errors of what is expected, and so does the verdict.

    `rejected` is the share of random inputs that the test rejects; its level by default.
    """
    measured = list(results)
    values = np.array([row.value for row in measured])
    expected = measured[0].expected
    assert expected is not None
    assert {row.expected for row in measured} == {expected}
    assert abs(values.mean() - expected) < 4.5 * values.std(ddof=1) / sqrt(len(measured))
    if rejected is None:
        assert measured[0].level is not None
        rejected = measured[0].level
    verdicts = [row.passed for row in measured]
    margin = 4.5 * sqrt(rejected * (1 - rejected) / len(measured))
    assert abs(verdicts.count(False) / len(measured) - rejected) < margin
    assert verdicts.count(False) == sum(
        row.p_value is not None and row.level is not None and row.p_value < row.level
        for row in measured
    )
