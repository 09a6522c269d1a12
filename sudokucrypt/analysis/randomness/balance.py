"""Whether ones and zeros are equally frequent, in the whole sequence and in its blocks."""

from __future__ import annotations

from math import erfc, sqrt
from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.analysis.randomness.bits import checked_bits
from sudokucrypt.analysis.randomness.chi_square import upper_tail
from sudokucrypt.analysis.randomness.outcome import DEFAULT_LEVEL, Setting, checked_length

if TYPE_CHECKING:
    from sudokucrypt.analysis.randomness.bits import BitsLike
    from sudokucrypt.analysis.randomness.outcome import RandomnessResult

SHORTEST = 100
"""Bits that sections 2.1.7, 2.2.7, 2.3.7 and 2.13.7 ask for."""


def frequency(
    bits: BitsLike, *, level: float = DEFAULT_LEVEL, enforce_length: bool = True
) -> RandomnessResult:
    r"""Test whether ones and zeros are equally frequent.

    Parameters
    ----------
    bits : bytes-like, or array_like of shape (n,) of 0 and 1
        The sequence; bytes give eight bits each, the highest first.
    level : float
        The level of significance.
    enforce_length : bool
        False computes p-values for sequences that are shorter than the document allows, such as
        its worked examples; they are rough.

    Returns
    -------
    RandomnessResult
        The statistic is abs(ones - zeros) / sqrt(n).

    Raises
    ------
    InvalidParameterError
        If these are no bits.

    Notes
    -----
    The p-value is erfc(statistic / sqrt(2)). Needs n >= 100.

    References
    ----------
    L. E. Bassham et al., NIST SP 800-22 rev. 1a, 2010, section 2.1, doi:10.6028/NIST.SP.800-22r1a.

    Examples
    --------
    >>> result = frequency(b"\x55\x00" * 10)
    >>> round(result.statistics[0], 6), result.passed
    (6.324555, False)
    """
    sequence = checked_bits(bits)
    length = len(sequence)
    setting = Setting("frequency", "2.1", length, level)
    if enforce_length and length < SHORTEST:
        return setting.too_short(SHORTEST)
    statistic = abs(2 * int(np.count_nonzero(sequence)) - length) / sqrt(length)
    return setting.tested([statistic], [erfc(statistic / sqrt(2))])


def block_frequency(
    bits: BitsLike,
    *,
    block_length: int = 128,
    level: float = DEFAULT_LEVEL,
    enforce_length: bool = True,
) -> RandomnessResult:
    r"""Test whether ones and zeros are equally frequent in each block.

    Parameters
    ----------
    bits, level, enforce_length
        As in `frequency`.
    block_length : int
        Bits in a block, M. The document advises M >= 20, M > n / 100 and fewer than 100 blocks;
        its own results for a million bits have M = 128.

    Returns
    -------
    RandomnessResult
        The statistic is 4 M times the sum of (share of ones - 1/2)^2 over the N blocks.

    Notes
    -----
    Chi-square with N degrees of freedom; bits after the last block are dropped. Needs n >= 100 and
    one block.

    References
    ----------
    NIST SP 800-22 rev. 1a, section 2.2, doi:10.6028/NIST.SP.800-22r1a.

    Examples
    --------
    >>> block_frequency(b"\xff\x00" * 64, block_length=8).statistics
    (1024.0,)
    """
    sequence = checked_bits(bits)
    checked_length("block_length", block_length, 1)
    length, blocks = len(sequence), len(sequence) // block_length
    setting = Setting("block_frequency", "2.2", length, level)
    needed = max(SHORTEST if enforce_length else 0, block_length)
    if length < needed:
        return setting.too_short(needed, details={"block_length": block_length})
    ones = sequence[: blocks * block_length].reshape(blocks, block_length).sum(axis=1, dtype=int)
    statistic = float(np.sum((2 * ones - block_length) ** 2)) / block_length
    return setting.tested(
        [statistic],
        [upper_tail(statistic, blocks)],
        details={"block_length": block_length, "blocks": blocks},
    )
