"""How long the shortest linear feedback register is that makes each block."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.analysis.randomness.bits import checked_bits
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
_LIMITS = np.arange(-2.5, 3)
_SHARES = (1 / 96, 1 / 32, 1 / 8, 1 / 2, 1 / 4, 1 / 16, 1 / 48)
_STS_SHARES = (0.01047, *_SHARES[1:-1], 0.020833)


def linear_complexity(
    bits: BitsLike,
    *,
    block_length: int = 500,
    level: float = DEFAULT_LEVEL,
    reference: Reference = "corrected",
    enforce_length: bool = True,
) -> RandomnessResult:
    r"""Test the linear complexity of each block.

    Parameters
    ----------
    bits, level, enforce_length
        As in `frequency`.
    block_length : int
        Bits in a block, M in 500..5000, or in 1..5000 for ``enforce_length=False``.
    reference : {"corrected", "sts-2.1.2"}
        Exact probabilities, or those of the reference program, whose first is .01047 for 1/96.

    Returns
    -------
    RandomnessResult
        Pearson's statistic of the seven classes of T.

    Notes
    -----
    T = (-1)^M (complexity - mean) + 2/9 with mean M/2 + (9 + (-1)^(M+1)) / 36 -
    (M/3 + 2/9) / 2^M, in classes with the limits -2.5, -1.5 ... 2.5. Needs n >= 1,000,000 and 200
    blocks. Cost n M / 64 word operations.

    References
    ----------
    NIST SP 800-22 rev. 1a, sections 2.10 and 3.10, doi:10.6028/NIST.SP.800-22r1a.

    Examples
    --------
    >>> linear_complexity(b"\x01\x23\x45" * 42_000).passed
    False
    """
    sequence = checked_bits(bits)
    old = checked_reference(reference)
    checked_length("block_length", block_length, 500 if enforce_length else 1, 5000)
    length, blocks = len(sequence), len(sequence) // block_length
    setting = Setting("linear_complexity", "2.10", length, level)
    needed = max(_SHORTEST, 200 * block_length) if enforce_length else block_length
    if length < needed:
        return setting.too_short(needed, details={"block_length": block_length})
    table = sequence[: blocks * block_length].reshape(blocks, block_length).tolist()
    sign = -1 if block_length % 2 else 1
    mean = block_length / 2 + (9 - sign) / 36 - (block_length / 3 + 2 / 9) / 2.0**block_length
    values = sign * (np.array([feedback_length(block) for block in table]) - mean) + 2 / 9
    counts = np.bincount(np.searchsorted(_LIMITS, values), minlength=len(_SHARES))
    statistic, p_value = chi_square(counts, _STS_SHARES if old else _SHARES)
    return setting.tested(
        [statistic], [p_value], details={"block_length": block_length, "blocks": blocks}
    )


def feedback_length(bits: list[int]) -> int:
    """Return the length of the shortest linear feedback shift register that makes these bits.

    Parameters
    ----------
    bits : list of int
        0 and 1.

    Notes
    -----
    Berlekamp and Massey over the field of two elements. Polynomials are integers, bit i the
    coefficient of x^i, and so is the past with the newest bit lowest: one exclusive-or or count
    serves a whole polynomial.

    References
    ----------
    J. L. Massey, Shift-register synthesis and BCH decoding, 1969, doi:10.1109/TIT.1969.1054260.

    Examples
    --------
    >>> feedback_length([1, 1, 0, 1, 0, 1, 1, 1, 1, 0, 0, 0, 1])
    4
    """
    current, former = 1, 2  # `former` stands shifted to where it cancels the next discrepancy
    past, length = 0, 0
    for number, bit in enumerate(bits):
        past = past << 1 | bit
        if (past & current).bit_count() & 1:
            if 2 * length <= number:
                length = number + 1 - length
                current, former = current ^ former, current
            else:
                current ^= former
        former <<= 1
    return length
