"""Whether all patterns of a length are equally frequent, given those of the lengths below."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.analysis.randomness.bits import checked_bits, windows
from sudokucrypt.analysis.randomness.chi_square import upper_tail
from sudokucrypt.analysis.randomness.outcome import DEFAULT_LEVEL, Setting, checked_length

if TYPE_CHECKING:
    from sudokucrypt.analysis.randomness.bits import BitArray, BitsLike
    from sudokucrypt.analysis.randomness.outcome import RandomnessResult
    from sudokucrypt.typing import IntArray

_LONGEST = 24


def serial(
    bits: BitsLike,
    *,
    pattern_length: int = 16,
    level: float = DEFAULT_LEVEL,
    enforce_length: bool = True,
) -> RandomnessResult:
    r"""Test whether all patterns of m bits are equally frequent.

    Parameters
    ----------
    bits, level, enforce_length
        As in `frequency`.
    pattern_length : int
        m in 2..24.

    Returns
    -------
    RandomnessResult
        "first" and "second" differences of psi^2.

    Notes
    -----
    psi^2(m) = 2^m / n times the sum of count^2 over all patterns, minus n, in the sequence bent to
    a ring. The first difference psi^2(m) - psi^2(m-1) is chi-square with 2^(m-1) degrees of
    freedom, the second psi^2(m) - 2 psi^2(m-1) + psi^2(m-2) with 2^(m-2). Needs
    m < floor(log2 n) - 2: n >= 524,288 for m = 16.

    References
    ----------
    NIST SP 800-22 rev. 1a, section 2.11, doi:10.6028/NIST.SP.800-22r1a.

    Examples
    --------
    >>> serial(b"\x00\xff" * 32, pattern_length=3).passed
    False
    """
    sequence = checked_bits(bits)
    checked_length("pattern_length", pattern_length, 2, _LONGEST)
    length = len(sequence)
    setting = Setting("serial", "2.11", length, level)
    needed = 2 ** (pattern_length + 3) if enforce_length else 1
    if length < needed:
        return setting.too_short(needed, details={"pattern_length": pattern_length})
    counts = _counts(sequence, pattern_length)
    most, fewer, fewest = (_psi(part, length) for part in (counts, *_shorter(counts, 2)))
    statistics = (most - fewer, most - 2 * fewer + fewest)
    freedoms = (2 ** (pattern_length - 1), 2 ** (pattern_length - 2))
    return setting.tested(
        statistics,
        [upper_tail(*pair) for pair in zip(statistics, freedoms, strict=True)],
        labels=("first", "second"),
        details={"pattern_length": pattern_length},
    )


def approximate_entropy(
    bits: BitsLike,
    *,
    pattern_length: int = 10,
    level: float = DEFAULT_LEVEL,
    enforce_length: bool = True,
) -> RandomnessResult:
    r"""Test how well m bits foretell the next one.

    Parameters
    ----------
    bits, level, enforce_length
        As in `frequency`.
    pattern_length : int
        m in 1..23.

    Returns
    -------
    RandomnessResult
        The statistic is 2 n (ln 2 - approximate entropy).

    Notes
    -----
    The approximate entropy is phi(m) - phi(m+1), where phi is the sum of share * ln(share) over
    all patterns in the sequence bent to a ring. Chi-square with 2^m degrees of freedom. Needs
    m < floor(log2 n) - 5: n >= 65,536 for m = 10.

    References
    ----------
    NIST SP 800-22 rev. 1a, section 2.12, doi:10.6028/NIST.SP.800-22r1a.

    Examples
    --------
    >>> approximate_entropy(b"\x35" * 32, pattern_length=2).passed
    False
    """
    sequence = checked_bits(bits)
    checked_length("pattern_length", pattern_length, 1, _LONGEST - 1)
    length = len(sequence)
    setting = Setting("approximate_entropy", "2.12", length, level)
    needed = 2 ** (pattern_length + 6) if enforce_length else 1
    if length < needed:
        return setting.too_short(needed, details={"pattern_length": pattern_length})
    longer = _counts(sequence, pattern_length + 1)
    entropy = _phi(_shorter(longer, 1)[0], length) - _phi(longer, length)
    statistic = 2 * length * (log(2) - entropy)
    p_value = upper_tail(statistic, 2**pattern_length)
    return setting.tested([statistic], [p_value], details={"pattern_length": pattern_length})


def _counts(sequence: BitArray, width: int) -> IntArray:
    """Count each pattern in the sequence bent to a ring."""
    return np.bincount(windows(sequence, width, circular=True), minlength=2**width)


def _shorter(counts: IntArray, steps: int) -> list[IntArray]:
    """Return the counts of patterns one bit shorter, two, and so on: in a ring sums give them."""
    found = [counts]
    for _ in range(steps):
        found.append(found[-1].reshape(-1, 2).sum(axis=1))
    return found[1:]


def _psi(counts: IntArray, length: int) -> float:
    return len(counts) * int(counts @ counts) / length - length


def _phi(counts: IntArray, length: int) -> float:
    shares = counts[counts > 0] / length
    return float(shares @ np.log(shares))
