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


def move_units(image: np.ndarray[Any, Any], *, seed: int = 0) -> np.ndarray[Any, Any]:
    """An image after a uniform permutation of its pixels."""
    pixels = image.reshape(image.shape[0] * image.shape[1], *image.shape[2:])
    return np.random.default_rng(seed).permutation(pixels).reshape(image.shape)


def rows(count: int, units: int, *, seed: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Uniform permutations, one a row."""
    return np.random.default_rng(seed).permuted(np.tile(np.arange(units), (count, 1)), axis=1)


def misses(results: Iterable[Measurement]) -> list[str]:
    """What is off: mean and share of failures by 4.5 standard errors, or verdicts at all."""
    measured: list[Any] = list(results)
    values = np.array([row.value for row in measured])
    expected, level, count = measured[0].expected, measured[0].level, len(measured)
    failures = [row.passed for row in measured].count(False)
    fine = {
        "one expected value": {row.expected for row in measured} == {expected},
        "mean": abs(values.mean() - expected) < 4.5 * values.std(ddof=1) / sqrt(count),
        "share": abs(failures / count - level) < 4.5 * sqrt(level * (1 - level) / count),
        "p-values": failures == sum(row.p_value < row.level for row in measured),
    }
    return [name for name, holds in fine.items() if not holds]
