"""Compute the binary digits of pi and e, and convert text to bits."""

from functools import lru_cache
from math import isqrt

import numpy as np

BitArray = np.ndarray[tuple[int], np.dtype[np.uint8]]

DIGITS = 1_000_000
_GUARD = 64
_SCALE = DIGITS - 2 + _GUARD  # both numbers have two digits before the point


def parse_bits(text: str) -> BitArray:
    """Return the characters 0 and 1 of a text as bits."""
    return np.frombuffer(text.encode(), dtype=np.uint8) - ord("0")


@lru_cache
def compute_pi_text() -> str:
    """Return the first million binary digits of pi, by the series of the Chudnovskys."""
    _, q, t = _sum_pi_terms(1, DIGITS // 47 + 2)  # each term gives 47 bits
    root = isqrt(10005 << 2 * _SCALE)
    return format(426880 * root * q // (13591409 * q + t) >> _GUARD, "b")


@lru_cache
def compute_e_text() -> str:
    """Return the first million binary digits of e, by the series of 1/k!."""
    p, q = _sum_e_terms(0, 80_000)  # 80,000! has more than a million bits
    return format((p + q << _SCALE) // q >> _GUARD, "b")


def _sum_pi_terms(first: int, last: int) -> tuple[int, int, int]:
    """Return the product of numerators, of denominators, and the sum times the latter product."""
    if last - first == 1:
        p = (6 * first - 5) * (2 * first - 1) * (6 * first - 1)
        term = p * (13591409 + 545140134 * first)
        return p, 10939058860032000 * first**3, -term if first % 2 else term
    middle = (first + last) // 2
    p1, q1, t1 = _sum_pi_terms(first, middle)
    p2, q2, t2 = _sum_pi_terms(middle, last)
    return p1 * p2, q1 * q2, q2 * t1 + p1 * t2


def _sum_e_terms(first: int, last: int) -> tuple[int, int]:
    """Return the sum of first! / k! for k in first+1..last, as a fraction."""
    if last - first == 1:
        return 1, last
    middle = (first + last) // 2
    p1, q1 = _sum_e_terms(first, middle)
    p2, q2 = _sum_e_terms(middle, last)
    return p1 * q2 + p2, q1 * q2
