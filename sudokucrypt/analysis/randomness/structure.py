"""What a generator of bits leaves behind: linear dependence, and peaks of the spectrum."""

from math import erfc, log, prod, sqrt

import numpy as np

from sudokucrypt.analysis.randomness.bits import BitsLike, checked_bits
from sudokucrypt.analysis.randomness.outcome import (
    LEVEL,
    RandomnessResult,
    Reference,
    Setting,
    checked_reference,
    chi_square,
)
from sudokucrypt.checks import checked_integer
from sudokucrypt.typing import AnyArray, IntArray

_SIDE = 32
_FEWEST = 38
"""Matrices that section 2.5.7 asks for."""


def matrix_rank(
    bits: BitsLike, *, level: float = LEVEL, enforce_length: bool = True
) -> RandomnessResult:
    """Test the ranks of matrices of 32 x 32 bits over the field of two elements (2.5 and 3.5).

    Pearson's statistic of the classes full rank, one less, and all others. The sequence fills
    matrices row by row; the rest is dropped. Needs n >= 38,912.
    """
    sequence = checked_bits(bits)
    length, size = len(sequence), _SIDE**2
    setting = Setting("matrix_rank", "2.5", length, level)
    needed = size * (_FEWEST if enforce_length else 1)
    if length < needed:
        return setting.too_short(needed)
    blocks = length // size
    rows = np.packbits(sequence[: blocks * size]).view(">u4").reshape(blocks, _SIDE)
    lost = np.minimum(_SIDE - binary_ranks(rows.astype(np.uint32), _SIDE), 2)
    shares = [rank_share(_SIDE, _SIDE - missing) for missing in range(2)]
    statistic, p_value = chi_square(np.bincount(lost, minlength=3), [*shares, 1 - sum(shares)])
    return setting.tested([statistic], [p_value], details={"matrices": blocks})


def rank_share(side: int, rank: int) -> float:
    """Return the probability that a random square matrix of bits has this rank."""
    factors = ((1 - 2.0 ** (i - side)) ** 2 / (1 - 2.0 ** (i - rank)) for i in range(rank))
    return 2.0 ** -((side - rank) ** 2) * prod(factors)


def binary_ranks(rows: AnyArray, columns: int) -> IntArray:
    """Return the rank of each matrix, an unsigned number a row with the elements as its low bits.

    Gauss elimination, all matrices at the same time, without moving rows: a row that has been used
    for a column is cleared everywhere, itself included.
    """
    rows = rows.copy()
    every = np.arange(len(rows))
    ranks = np.zeros(len(rows), dtype=np.int64)
    for column in range(columns):
        has = (rows >> rows.dtype.type(column) & rows.dtype.type(1)).astype(bool)
        pivot = rows[every, has.argmax(axis=1)]  # arbitrary where no row has the bit
        rows ^= np.where(has, pivot[:, None], rows.dtype.type(0))
        ranks += has.any(axis=1)
    return ranks


_SHORTEST = 1_000_000
_LIMITS = np.arange(-2.5, 3)
_SHARES = (1 / 96, 1 / 32, 1 / 8, 1 / 2, 1 / 4, 1 / 16, 1 / 48)
_STS_SHARES = (0.01047, *_SHARES[1:-1], 0.020833)


def linear_complexity(
    bits: BitsLike,
    *,
    block_length: int = 500,
    level: float = LEVEL,
    reference: Reference = "corrected",
    enforce_length: bool = True,
) -> RandomnessResult:
    """Test the linear complexity of each block (sections 2.10 and 3.10).

    Pearson's statistic of T = (-1)^M (complexity - mean) + 2/9, in classes with the limits -2.5,
    -1.5 ... 2.5; the mean is M/2 + (9 + (-1)^(M+1)) / 36 - (M/3 + 2/9) / 2^M. Needs n >= 1,000,000
    and 200 blocks. Cost n M / 64 word operations. The `block_length` M is in 500..5000, or 1..5000
    for ``enforce_length=False``. The reference program has .01047 for the first probability, 1/96.
    """
    sequence = checked_bits(bits)
    old = checked_reference(reference)
    checked_integer("block_length", block_length, least=500 if enforce_length else 1, most=5000)
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
    details = {"block_length": block_length, "blocks": blocks}
    return setting.tested([statistic], [p_value], details=details)


def feedback_length(bits: list[int]) -> int:
    """Return the length of the shortest linear feedback shift register that makes these bits.

    Berlekamp and Massey (J. L. Massey, 1969, doi:10.1109/TIT.1969.1054260) over the field of two
    elements. Polynomials are integers, bit i the coefficient of x^i, and so is the past with the
    newest bit lowest: one exclusive-or or count serves a whole polynomial.
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


_SPECTRAL_LENGTH = 1000
_BELOW = 0.95


def spectral(
    bits: BitsLike, *, level: float = LEVEL, enforce_length: bool = True
) -> RandomnessResult:
    """Test how many peaks of the discrete Fourier transform are low (section 2.6).

    Bits count as +1 and -1. Of the first n/2 moduli, the constant one included, 95% should lie
    below sqrt(n ln 20); the statistic is (low - 0.95 n/2) / sqrt(n 0.95 0.05 / 4). The worked
    examples of the document still have the threshold sqrt(3 n) of an older edition. Its variance
    is about 5% small (3.8 in place of 4 fits better), which shows over thousands of sequences, not
    in one. Needs n >= 1000. Cost n log n.
    Source: F. Pareschi, R. Rovatti, G. Setti, 2012, doi:10.1109/TIFS.2012.2185227.
    """
    sequence = checked_bits(bits)
    length = len(sequence)
    setting = Setting("spectral", "2.6", length, level)
    needed = _SPECTRAL_LENGTH if enforce_length else 2
    if length < needed:
        return setting.too_short(needed)
    moduli = np.abs(np.fft.rfft(2.0 * sequence - 1))[: length // 2]
    low = int(np.count_nonzero(moduli < sqrt(length * log(1 / (1 - _BELOW)))))
    deviation = sqrt(length * _BELOW * (1 - _BELOW) / 4)
    statistic = (low - _BELOW * length / 2) / deviation
    return setting.tested([statistic], [erfc(abs(statistic) / sqrt(2))], details={"low_peaks": low})
