"""How often a run of ones occurs when occurrences may overlap."""

from __future__ import annotations

from functools import lru_cache
from math import exp, lgamma, log
from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.analysis.randomness.bits import checked_bits, windows
from sudokucrypt.analysis.randomness.chi_square import chi_square
from sudokucrypt.analysis.randomness.outcome import (
    DEFAULT_LEVEL,
    Setting,
    checked_length,
    checked_reference,
)

if TYPE_CHECKING:
    from sudokucrypt.analysis.randomness.bits import BitsLike
    from sudokucrypt.analysis.randomness.outcome import RandomnessResult, Reference

_SHORTEST = 1_000_000
_CLASSES = 6


def overlapping_template(
    bits: BitsLike,
    *,
    template_length: int = 9,
    block_length: int = 1032,
    level: float = DEFAULT_LEVEL,
    reference: Reference = "corrected",
    enforce_length: bool = True,
) -> RandomnessResult:
    r"""Test how often a run of ones occurs in each block.

    Parameters
    ----------
    bits, level, enforce_length
        As in `frequency`.
    template_length, block_length : int
        Ones in the pattern, m in 2..16, and bits in a block, M of m + 4 or more, so that every
        class can occur.
    reference : {"corrected", "sts-2.1.2"}
        Exact probabilities, or the limits that the reference program computes and that the
        published results of the document rest on.

    Returns
    -------
    RandomnessResult
        Pearson's statistic of the blocks with 0, 1, 2, 3, 4, and 5 or more occurrences.

    Notes
    -----
    Each place where m ones begin counts. The program takes the count for a compound Poisson
    variable; its first probability is .367879 where the exact one is .364091. Needs n >= 1,000,000.

    References
    ----------
    NIST SP 800-22 rev. 1a, sections 2.8 and 3.8, doi:10.6028/NIST.SP.800-22r1a. K. Hamano, T.
    Kaneko, Correction of overlapping template matching test included in NIST randomness test
    suite, 2007, doi:10.1093/ietfec/e90-a.9.1788.

    Examples
    --------
    >>> overlapping_template(b"\x01" * 125_000).passed
    False
    >>> overlapping_template(b"\x01" * 1000).verdict
    'too short'
    """
    sequence = checked_bits(bits)
    old = checked_reference(reference)
    checked_length("template_length", template_length, 2, 16)
    checked_length("block_length", block_length, template_length + _CLASSES - 2)
    length, blocks = len(sequence), len(sequence) // block_length
    setting = Setting("overlapping_template", "2.8", length, level)
    details = {"template_length": template_length, "block_length": block_length, "blocks": blocks}
    needed = max(_SHORTEST if enforce_length else 0, block_length)
    if length < needed:
        return setting.too_short(needed, details=details)
    counts = np.zeros(_CLASSES, dtype=int)
    for block in sequence[: blocks * block_length].reshape(blocks, block_length):
        found = int(np.count_nonzero(windows(block, template_length) == 2**template_length - 1))
        counts[min(found, _CLASSES - 1)] += 1
    shares = (_poisson_shares if old else overlapping_shares)(template_length, block_length)
    statistic, p_value = chi_square(counts, shares)
    return setting.tested([statistic], [p_value], details=details)


@lru_cache
def overlapping_shares(template_length: int, block_length: int) -> tuple[float, ...]:
    """Return the exact probability of 0, 1, 2, 3, 4, and more occurrences in a random block.

    Examples
    --------
    >>> [round(share, 6) for share in overlapping_shares(9, 1032)]
    [0.364091, 0.185659, 0.139381, 0.100571, 0.070432, 0.139865]
    """
    chance = np.zeros((template_length, _CLASSES))  # by ones at the end, and occurrences so far
    chance[0, 0] = 1
    for _ in range(block_length):
        after = np.zeros_like(chance)
        after[0] = chance.sum(axis=0) / 2
        after[1:] = chance[:-1] / 2
        after[-1, 1:] += chance[-1, :-1] / 2
        after[-1, -1] += chance[-1, -1] / 2
        chance = after
    return tuple(chance.sum(axis=0).tolist())


def _poisson_shares(template_length: int, block_length: int) -> tuple[float, ...]:
    """Return the probabilities of the reference program: a Poisson number of geometric clumps."""
    rate = (block_length - template_length + 1) / 2 ** (template_length + 1)
    shares = [exp(-rate)]
    for count in range(1, _CLASSES - 1):
        terms = (
            log(rate) * clumps
            - lgamma(clumps + 1)
            + lgamma(count)
            - lgamma(clumps)
            - lgamma(count - clumps + 1)
            for clumps in range(1, count + 1)
        )
        shares.append(sum(exp(term - rate - count * log(2)) for term in terms))
    return (*shares, 1 - sum(shares))
