"""Draw random images and permutations, and check the measurements of many of them."""

from collections.abc import Iterable
from math import sqrt
from typing import Any

import numpy as np

from sudokucrypt.analysis import Measurement


def make_noise(shape: tuple[int, ...], dtype: str, *, seed: int) -> np.ndarray[Any, np.dtype[Any]]:
    """Return a uniform random image."""
    levels = {"bool": 2, "uint8": 2**8, "uint16": 2**16}[dtype]
    return np.random.default_rng(seed).integers(0, levels, shape).astype(dtype)


def move_units(image: np.ndarray[Any, Any], *, seed: int = 0) -> np.ndarray[Any, Any]:
    """Return an image after a uniform permutation of its pixels."""
    pixels = image.reshape(image.shape[0] * image.shape[1], *image.shape[2:])
    return np.random.default_rng(seed).permutation(pixels).reshape(image.shape)


def make_permutations(count: int, units: int, *, seed: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return uniform permutations, one in each row."""
    return np.random.default_rng(seed).permuted(np.tile(np.arange(units), (count, 1)), axis=1)


def find_wrong_statistics(results: Iterable[Measurement]) -> list[str]:
    """Return which statistics are wrong: mean or failures by 4.5 standard errors, or p-values."""
    measured: list[Any] = list(results)
    values = np.array([row.value for row in measured])
    expected, level, count = measured[0].expected, measured[0].level, len(measured)
    failures = [row.passed for row in measured].count(False)
    checks = {
        "one expected value": {row.expected for row in measured} == {expected},
        "mean": abs(values.mean() - expected) < 4.5 * values.std(ddof=1) / sqrt(count),
        "share": abs(failures / count - level) < 4.5 * sqrt(level * (1 - level) / count),
        "p-values": failures == sum(row.p_value < row.level for row in measured),
    }
    return [name for name, is_right in checks.items() if not is_right]
