"""Polynomials over GF(256), one for each byte of a key: the arithmetic of its shares.

A share has the values at its number of random polynomials whose values at 0 are the key (Shamir,
1979). Only public numbers decide which steps are taken, so no time and no table depends on a
secret.
"""

from __future__ import annotations

from functools import cache, reduce
from typing import TYPE_CHECKING

from sudokucrypt.keys.secret import KEY_LENGTH

if TYPE_CHECKING:
    from collections.abc import Sequence

# Bytes of GF(256) with the modulus of AES, side by side in one integer.
_LOW_BITS = int.from_bytes(b"\x7f" * KEY_LENGTH, "big")
_ONES = int.from_bytes(b"\x01" * KEY_LENGTH, "big")
_REDUCTION = 0x1B  # x^8 is x^4 + x^3 + x + 1
_SQUARES = 7  # a^254 is 1/a, as a^255 is 1


def evaluate(coefficients: Sequence[bytes], number: int) -> bytes:
    """Return the values of 32 polynomials at a number; coefficients from the constant one on."""
    result = 0
    for coefficient in reversed(coefficients):
        result = _multiply(result, number) ^ int.from_bytes(coefficient, "big")
    return result.to_bytes(KEY_LENGTH, "big")


def interpolate(points: Sequence[tuple[int, bytes]], numbers: Sequence[int]) -> list[bytes]:
    """Return the values at numbers of the polynomials through points: other numbers, and values."""
    weights = [
        _inverse(reduce(_multiply, (own ^ other for other, _ in points if other != own), 1))
        for own, _ in points
    ]
    results = []
    for number in numbers:
        whole = reduce(_multiply, (number ^ other for other, _ in points), 1)
        result = 0
        for (own, value), weight in zip(points, weights, strict=True):
            factor = _multiply(whole, _multiply(weight, _inverse(number ^ own)))
            result ^= _multiply(int.from_bytes(value, "big"), factor)
        results.append(result.to_bytes(KEY_LENGTH, "big"))
    return results


def _multiply(elements: int, factor: int) -> int:
    """Multiply each of up to 32 elements of GF(256), which may be secret, by a public one."""
    result = 0
    while factor:
        if factor & 1:
            result ^= elements
        carries = elements >> 7 & _ONES
        elements = (elements & _LOW_BITS) << 1 ^ carries * _REDUCTION
        factor >>= 1
    return result


@cache
def _inverse(element: int) -> int:
    """Return 1/a for a public a: a^254, the product of a^2, a^4, ... a^128."""
    result = 1
    for _ in range(_SQUARES):
        element = _multiply(element, element)
        result = _multiply(result, element)
    return result
