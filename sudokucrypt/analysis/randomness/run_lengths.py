"""Whether bits change as often as chance has it, and how long ones stay."""

from __future__ import annotations

from functools import lru_cache
from math import erfc, sqrt
from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.analysis.randomness.balance import SHORTEST
from sudokucrypt.analysis.randomness.bits import checked_bits
from sudokucrypt.analysis.randomness.chi_square import chi_square
from sudokucrypt.analysis.randomness.outcome import DEFAULT_LEVEL, Setting, checked_reference

if TYPE_CHECKING:
    from sudokucrypt.analysis.randomness.bits import BitArray, BitsLike
    from sudokucrypt.analysis.randomness.outcome import RandomnessResult, Reference

_CLASSES = {8: (1, 4), 128: (4, 9), 10_000: (10, 16)}
"""For each block length the longest runs of the first class (or less) and the last (or more)."""

_FROM = {8: 128, 128: 6272, 10_000: 750_000}
"""The shortest sequences for which these block lengths are used."""

_STS_LONGEST = (0.0882, 0.2092, 0.2483, 0.1933, 0.1208, 0.0675, 0.0727)
"""What the reference program has for blocks of 10,000; the first should be .0866."""


def runs(
    bits: BitsLike, *, level: float = DEFAULT_LEVEL, enforce_length: bool = True
) -> RandomnessResult:
    r"""Test whether bits change too often or too seldom.

    Parameters
    ----------
    bits, level, enforce_length
        As in `frequency`.

    Returns
    -------
    RandomnessResult
        The statistic V is the number of runs, stretches of equal bits.

    Notes
    -----
    With p the share of ones, erfc(abs(V - 2 n p (1 - p)) / (2 sqrt(2 n) p (1 - p))). If p is off
    1/2 by 2 / sqrt(n) or more, the p-value is 0 as the document has it, and the note says so.
    Needs n >= 100.

    References
    ----------
    NIST SP 800-22 rev. 1a, section 2.3, doi:10.6028/NIST.SP.800-22r1a.

    Examples
    --------
    >>> result = runs(b"\x55" * 20)
    >>> result.statistics, result.passed
    ((160.0,), False)
    """
    sequence = checked_bits(bits)
    length = len(sequence)
    setting = Setting("runs", "2.3", length, level)
    if enforce_length and length < SHORTEST:
        return setting.too_short(SHORTEST)
    changes = 1 + int(np.count_nonzero(sequence[1:] != sequence[:-1]))
    share = np.count_nonzero(sequence) / length
    if abs(share - 0.5) >= min(0.5, 2 / sqrt(length)):
        return setting.tested([changes], [0.0], note="ones are too rare or frequent to test runs")
    spread = share * (1 - share)
    p_value = erfc(abs(changes - 2 * length * spread) / (2 * sqrt(2 * length) * spread))
    return setting.tested([changes], [p_value])


def longest_run(
    bits: BitsLike, *, level: float = DEFAULT_LEVEL, reference: Reference = "corrected"
) -> RandomnessResult:
    r"""Test how long the longest run of ones in each block is.

    Parameters
    ----------
    bits, level
        As in `frequency`.
    reference : {"corrected", "sts-2.1.2"}
        Exact probabilities of the classes, or for blocks of 10,000 bits those of the reference
        program and the document, which are off by up to 0.0016.

    Returns
    -------
    RandomnessResult
        Pearson's statistic over classes of longest runs.

    Notes
    -----
    Blocks have 8 bits, from 6272 bits on 128, and from 750,000 on 10,000. Needs n >= 128.

    References
    ----------
    NIST SP 800-22 rev. 1a, sections 2.4 and 3.4, doi:10.6028/NIST.SP.800-22r1a.

    Examples
    --------
    >>> longest_run(b"\x0f" * 40).p_values[0] < 1e-9
    True
    """
    sequence = checked_bits(bits)
    old = checked_reference(reference)
    length = len(sequence)
    setting = Setting("longest_run", "2.4", length, level)
    if length < min(_FROM.values()):
        return setting.too_short(min(_FROM.values()))
    block_length = max(size for size, least in _FROM.items() if length >= least)
    blocks = length // block_length
    longest = _longest_runs(sequence[: blocks * block_length].reshape(blocks, block_length))
    first, last = _CLASSES[block_length]
    counts = np.bincount(np.clip(longest, first, last) - first, minlength=last - first + 1)
    shares = _STS_LONGEST if old and block_length == 10_000 else longest_run_shares(block_length)
    statistic, p_value = chi_square(counts, shares)
    return setting.tested(
        [statistic], [p_value], details={"block_length": block_length, "blocks": blocks}
    )


def _longest_runs(blocks: BitArray) -> BitArray:
    """Return the longest run of ones in each row: how far each one is from the last zero."""
    places = np.arange(1, blocks.shape[1] + 1)
    zeros = np.where(blocks == 0, places, 0)
    longest: BitArray = (places - np.maximum.accumulate(zeros, axis=1)).max(axis=1)
    return longest


@lru_cache
def longest_run_shares(block_length: int) -> tuple[float, ...]:
    """Return the probability of each class of longest runs in a block.

    The chance f(k) that k bits hold no run above r follows f(k) = f(k-1) - f(k-r-2) / 2^(r+2):
    a first such run ends at bit k if a zero and r + 1 ones end there.
    """
    first, last = _CLASSES[block_length]
    below = [0.0]
    for longest in range(first, last):
        chance = [1.0] * (longest + 1) + [1 - 0.5 ** (longest + 1)]
        while len(chance) <= block_length:
            chance.append(chance[-1] - chance[-longest - 2] * 0.5 ** (longest + 2))
        below.append(chance[-1])
    return tuple(np.diff([*below, 1.0]).tolist())
