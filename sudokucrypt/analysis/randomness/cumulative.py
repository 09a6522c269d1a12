"""How far the running sum of a sequence strays."""

from __future__ import annotations

from math import floor, sqrt, trunc
from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.analysis.extras import require
from sudokucrypt.analysis.randomness.balance import SHORTEST
from sudokucrypt.analysis.randomness.bits import checked_bits
from sudokucrypt.analysis.randomness.outcome import DEFAULT_LEVEL, Setting, checked_reference

if TYPE_CHECKING:
    from collections.abc import Callable

    from sudokucrypt.analysis.randomness.bits import BitsLike
    from sudokucrypt.analysis.randomness.outcome import RandomnessResult, Reference


def cumulative_sums(
    bits: BitsLike,
    *,
    level: float = DEFAULT_LEVEL,
    reference: Reference = "corrected",
    enforce_length: bool = True,
) -> RandomnessResult:
    r"""Test how far the running sum of +1 for ones and -1 for zeros strays from 0.

    Parameters
    ----------
    bits, level, enforce_length
        As in `frequency`.
    reference : {"corrected", "sts-2.1.2"}
        Limits of the sums rounded down, or towards zero as in the reference program; for long
        sequences it makes no difference.

    Returns
    -------
    RandomnessResult
        "forward" and "backward"; the statistic z is the largest distance.

    Notes
    -----
    The p-value is the limit law of the maximum of a random walk, two sums of differences of the
    normal distribution function. Needs n >= 100.

    References
    ----------
    NIST SP 800-22 rev. 1a, sections 2.13 and 3.13, doi:10.6028/NIST.SP.800-22r1a.

    Examples
    --------
    >>> result = cumulative_sums(b"\x55\x00" * 10)
    >>> result.statistics, result.passed
    ((80.0, 80.0), False)
    """
    sequence = checked_bits(bits)
    rounded = trunc if checked_reference(reference) else floor
    length = len(sequence)
    setting = Setting("cumulative_sums", "2.13", length, level)
    if enforce_length and length < SHORTEST:
        return setting.too_short(SHORTEST)
    sums = np.cumsum(2 * sequence.astype(np.int64) - 1)
    rest = sums[-1] - np.append(0, sums[:-1])
    strays = [int(np.abs(walk).max()) for walk in (sums, rest)]
    p_values = [_stray_tail(stray, length, rounded) for stray in strays]
    return setting.tested(strays, p_values, labels=("forward", "backward"))


def _stray_tail(stray: int, length: int, rounded: Callable[[float], int]) -> float:
    """Return how often a random walk strays so far or further."""
    below = require("scipy.special").ndtr
    step, ratio = stray / sqrt(length), length / stray
    last = rounded((ratio - 1) / 4)
    once = np.arange(rounded((1 - ratio) / 4), last + 1)
    twice = np.arange(rounded((-3 - ratio) / 4), last + 1)
    inside = np.sum(below((4 * once + 1) * step) - below((4 * once - 1) * step))
    outside = np.sum(below((4 * twice + 3) * step) - below((4 * twice + 1) * step))
    return float(np.clip(1 - inside + outside, 0, 1))
