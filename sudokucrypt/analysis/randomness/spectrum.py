"""Whether a sequence repeats itself: the peaks of its spectrum."""

from __future__ import annotations

from math import erfc, log, sqrt
from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.analysis.randomness.bits import checked_bits
from sudokucrypt.analysis.randomness.outcome import DEFAULT_LEVEL, Setting

if TYPE_CHECKING:
    from sudokucrypt.analysis.randomness.bits import BitsLike
    from sudokucrypt.analysis.randomness.outcome import RandomnessResult

_SHORTEST = 1000
_BELOW = 0.95


def spectral(
    bits: BitsLike, *, level: float = DEFAULT_LEVEL, enforce_length: bool = True
) -> RandomnessResult:
    r"""Test how many peaks of the discrete Fourier transform are low.

    Parameters
    ----------
    bits, level, enforce_length
        As in `frequency`.

    Returns
    -------
    RandomnessResult
        The statistic is d, how many deviations the count of low peaks is off.

    Notes
    -----
    Bits count as +1 and -1. Of the first n/2 moduli, the constant one included, 95% should lie
    below sqrt(n ln 20); d = (low - 0.95 n/2) / sqrt(n 0.95 0.05 / 4). The document's worked
    examples still have the threshold sqrt(3 n) of an older edition. Its variance is about 5% small
    (3.8 in place of 4 fits better, Pareschi et al.), which shows over thousands of sequences, not
    in one. Needs n >= 1000. Cost n log n.

    References
    ----------
    NIST SP 800-22 rev. 1a, section 2.6, doi:10.6028/NIST.SP.800-22r1a. F. Pareschi, R. Rovatti, G.
    Setti, On statistical tests for randomness included in the NIST SP800-22 test suite, 2012,
    doi:10.1109/TIFS.2012.2185227.

    Examples
    --------
    >>> spectral(b"\x33" * 200).passed
    False
    """
    sequence = checked_bits(bits)
    length = len(sequence)
    setting = Setting("spectral", "2.6", length, level)
    needed = _SHORTEST if enforce_length else 2
    if length < needed:
        return setting.too_short(needed)
    moduli = np.abs(np.fft.rfft(2.0 * sequence - 1))[: length // 2]
    low = int(np.count_nonzero(moduli < sqrt(length * log(1 / (1 - _BELOW)))))
    deviation = sqrt(length * _BELOW * (1 - _BELOW) / 4)
    statistic = (low - _BELOW * length / 2) / deviation
    return setting.tested([statistic], [erfc(abs(statistic) / sqrt(2))], details={"low_peaks": low})
