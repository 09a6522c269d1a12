"""A cipher whose results look random, but which one known picture breaks.

Usage: sudokucrypt security-report --scheme weak_cipher.py:cipher PICTURE -o report.html
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np


def cipher(image: np.ndarray, key: bytes) -> np.ndarray:
    """XOR every picture with the same sequence, which depends only on the key."""
    result: np.ndarray = image ^ make_logistic_digits(image.size, key).astype(image.dtype).reshape(
        image.shape
    )
    return result


@lru_cache(8)
def make_logistic_digits(count: int, key: bytes) -> np.ndarray:
    """Return digits of an orbit of the logistic map, started by 48 bits of the key."""
    state = (int.from_bytes(key[:6], "big") + 1) / (2**48 + 1)
    states = np.empty(count)
    for index in range(count):
        state = 3.99 * state * (1 - state)
        states[index] = state
    return (states * 1e6).astype(np.uint64)


cipher.undo = cipher  # type: ignore[attr-defined] # XOR undoes itself
cipher.key_bits = 48  # type: ignore[attr-defined] # the key space that the report states
