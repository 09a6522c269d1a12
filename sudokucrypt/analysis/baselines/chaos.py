"""Compute orbits of the chaotic maps of published ciphers, in double precision.

Papers rarely say how numbers are rounded, so streams differ from those of other programs. Orbits
are cached, since attacks query one key many times.
"""

from collections.abc import Callable
from functools import lru_cache
from math import pi, sin

import numpy as np

from sudokucrypt.typing import AnyArray, FloatArray, IntArray

# The number of fraction bits of a double (IEEE 754), and of key bytes for one start value.
FRACTION_BITS = 52
_FRACTION_BYTES = 7

# The number of values that are skipped at the start of an orbit, since similar keys give similar
# first values.
SKIPPED_COUNT = 500
_DIGIT_SCALE = 1e14  # papers take samples from about the last four of these 14 digits


def read_fraction(key: bytes, index: int) -> float:
    """Return a number between 0 and 1 with 52 bits, from group `index` of seven key bytes."""
    key_bytes = key[_FRACTION_BYTES * index : _FRACTION_BYTES * (index + 1)]
    return ((int.from_bytes(key_bytes, "big") >> 4) + 0.5) / 2.0**FRACTION_BITS


def follow_orbit(
    step: Callable[[float], float], start: float, count: int, *, skipped_count: int = SKIPPED_COUNT
) -> FloatArray:
    """Return `count` values of an orbit, after the first `skipped_count` ones."""
    for _ in range(skipped_count):
        start = step(start)
    values = np.empty(count)
    for index in range(count):
        values[index] = start = step(start)
    values.flags.writeable = False  # all callers share the cached array
    return values


@lru_cache(maxsize=32)
def iterate_logistic(
    start: float, count: int, *, growth: float = 3.9999, skipped_count: int = SKIPPED_COUNT
) -> FloatArray:
    """Return values of x -> growth x (1 - x), after the first `skipped_count` ones."""
    return follow_orbit(lambda x: growth * x * (1 - x), start, count, skipped_count=skipped_count)


@lru_cache(maxsize=32)
def iterate_sine(
    start: float,
    count: int,
    *,
    growth: float = 0.9999,
    skipped_count: int = SKIPPED_COUNT,
    pi: float = pi,
) -> FloatArray:
    """Return values of x -> growth sin(pi x), after the first `skipped_count` ones."""
    return follow_orbit(lambda x: growth * sin(pi * x), start, count, skipped_count=skipped_count)


@lru_cache(maxsize=32)
def iterate_bent_map(
    start: float, count: int, *, bend: float, skipped_count: int = SKIPPED_COUNT
) -> FloatArray:
    """Return values of the piecewise linear map with a bend in 0..0.5, after the first ones.

    x becomes x / bend below the bend and (x - bend) / (0.5 - bend) up to 0.5; the other half is
    symmetric.
    """

    def step(x: float) -> float:
        x = min(x, 1 - x)
        x = x / bend if x < bend else (x - bend) / (0.5 - bend)
        return x if 0 < x < 1 else 0.3  # 0.3 if rounding gave a fixed point

    return follow_orbit(step, start, count, skipped_count=skipped_count)


@lru_cache(maxsize=32)
def iterate_adjusted_sine(
    x: float, y: float, count: int, *, growth: float, is_simultaneous: bool
) -> FloatArray:
    """Return points of the logistic-adjusted sine map in two dimensions, of shape (count, 2).

    x becomes sin(pi growth (y + 3) x (1 - x)), and y likewise with x: with the old x if both change
    `is_simultaneous`, and otherwise with the new one.
    """
    points = np.empty((count, 2))
    for index in range(count):
        new_x = sin(pi * growth * (y + 3) * x * (1 - x))
        y = sin(pi * growth * ((x if is_simultaneous else new_x) + 3) * y * (1 - y))
        x = new_x
        points[index] = x, y
    points.flags.writeable = False
    return points


@lru_cache(maxsize=16)
def iterate_hyperchaos(
    start: tuple[float, float, float, float], count: int, *, skipped_count: int = SKIPPED_COUNT
) -> FloatArray:
    """Return an orbit of the hyperchaotic Chen system, of shape (4, count), from `start`.

    The equations have a = 36, b = 3, c = 28, d = -16 and k = 0.2 and are integrated by the method
    of Runge and Kutta in steps of 0.002.
    """

    def compute_slopes(x: float, y: float, z: float, w: float) -> tuple[float, float, float, float]:
        return 36 * (y - x), -16 * x - x * z + 28 * y - w, x * y - 3 * z, x + 0.2

    step_size = 0.002
    point, values = start, np.empty((4, count))
    for index in range(-skipped_count, count):
        slopes_1 = compute_slopes(*point)
        slopes_2 = compute_slopes(
            *(p + step_size / 2 * s for p, s in zip(point, slopes_1, strict=True))
        )
        slopes_3 = compute_slopes(
            *(p + step_size / 2 * s for p, s in zip(point, slopes_2, strict=True))
        )
        slopes_4 = compute_slopes(
            *(p + step_size * s for p, s in zip(point, slopes_3, strict=True))
        )
        slope_rows = zip(point, slopes_1, slopes_2, slopes_3, slopes_4, strict=True)
        x, y, z, w = (p + step_size / 6 * (a + 2 * b + 2 * c + d) for p, a, b, c, d in slope_rows)
        point = x, y, z, w
        if index >= 0:
            values[:, index] = point
    values.flags.writeable = False
    return values


def take_samples(orbit: FloatArray) -> AnyArray:
    """Return bytes from the late digits of an orbit, in the shape of the orbit."""
    magnitudes = np.abs(orbit)
    # 16 bits are computed and the lowest 4 dropped, since the last bits of doubles are often zero.
    return (
        np.floor((magnitudes - np.floor(magnitudes)) * _DIGIT_SCALE) % 2**16 // 16 % 256
    ).astype(np.uint8)


def take_late_bytes(orbit: FloatArray) -> AnyArray:
    """Return bytes as most papers do: from 14 digits after the decimal point, modulo 256."""
    return (np.floor(orbit * _DIGIT_SCALE) % 256).astype(np.uint8)


def take_bits(orbit: FloatArray) -> AnyArray:
    """Return 16 bits of each value between 0 and 1, the highest first, in one row."""
    words = np.floor(orbit * 2**16).astype(">u2")
    return np.unpackbits(words.view(np.uint8))


def argsort_orbit(orbit: FloatArray) -> IntArray:
    """Return the permutation that sorts an orbit: result[i] is the index of the i-th smallest."""
    return np.argsort(orbit, kind="stable")
