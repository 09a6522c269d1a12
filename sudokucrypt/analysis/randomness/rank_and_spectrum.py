"""Test for traces of weak bit generators: linear dependence, and peaks of the spectrum."""

from math import erfc, isqrt, log, prod, sqrt

import numpy as np

from sudokucrypt.analysis.inputs import require_library
from sudokucrypt.analysis.randomness.bit_sequences import (
    SIGNIFICANCE_LEVEL,
    BitArray,
    BitsLike,
    RandomnessResult,
    Reference,
    compute_chi_square,
    iterate_block_tables,
    prepare_test,
    uses_published_constants,
)
from sudokucrypt.options import check_integer
from sudokucrypt.typing import AnyArray, IntArray

# SP 800-22, 2.5: the number of rows and of columns of each matrix.
_MATRIX_SIDE = 32
# The minimum number of matrices of section 2.5.7.
_MIN_MATRICES = 38


def matrix_rank(
    bits: BitsLike, *, level: float = SIGNIFICANCE_LEVEL, enforce_length: bool = True
) -> RandomnessResult:
    """Test the ranks of matrices of 32 x 32 bits over the field of two elements (2.5 and 3.5).

    The statistic is Pearson's, over the classes full rank, one less, and all others. The sequence
    fills matrices row by row; remaining bits are ignored. Needs n >= 38,912.

    Parameters
    ----------
    bits : array_like of shape (n,) of 0 and 1, or bytes
        The sequence; a byte gives eight bits, the highest first.
    level : float, default 0.01
        The level of significance, between 0 and 1: the share of random sequences that the test
        rejects.
    enforce_length : bool, default True
        Whether a sequence that is shorter than the document allows has no p-values. With False it
        has some, which are rough.
    """
    sequence, length, fields = prepare_test("matrix_rank", "2.5", bits, level)
    matrix_bits = _MATRIX_SIDE**2
    min_length = matrix_bits * (_MIN_MATRICES if enforce_length else 1)
    if length < min_length:
        return fields.make_too_short_result(min_length)
    counts = np.zeros(3, dtype=int)
    for table in iterate_block_tables(sequence, matrix_bits):
        rows = np.packbits(table, axis=1).view(">u4").astype(np.uint32)
        counts += np.bincount(
            np.minimum(_MATRIX_SIDE - compute_binary_ranks(rows, _MATRIX_SIDE), 2), minlength=3
        )
    shares = [
        compute_rank_probability(_MATRIX_SIDE, _MATRIX_SIDE - rank_deficit)
        for rank_deficit in range(2)
    ]
    statistic, p_value = compute_chi_square(counts, [*shares, 1 - sum(shares)])
    return fields.make_result([statistic], [p_value], details={"matrices": length // matrix_bits})


def compute_rank_probability(side: int, rank: int) -> float:
    """Return the probability that a random square matrix of bits has this rank."""
    factors = (
        (1 - 2.0 ** (index - side)) ** 2 / (1 - 2.0 ** (index - rank)) for index in range(rank)
    )
    return 2.0 ** -((side - rank) ** 2) * prod(factors)


def compute_binary_ranks(rows: AnyArray, columns: int) -> IntArray:
    """Return the rank of each matrix; each row is an unsigned number with the elements as low bits.

    Gaussian elimination of all matrices at once, without moving rows: a pivot row is added to all
    rows that have the bit, including itself.
    """
    rows = rows.copy()
    matrix_indices = np.arange(len(rows))
    ranks = np.zeros(len(rows), dtype=np.int64)
    for column in range(columns):
        has_bit = (rows >> rows.dtype.type(column) & rows.dtype.type(1)).astype(bool)
        # The pivot may be a row without the bit, if no row of the matrix has it.
        pivot = rows[matrix_indices, has_bit.argmax(axis=1)]
        rows ^= np.where(has_bit, pivot[:, None], rows.dtype.type(0))
        ranks += has_bit.any(axis=1)
    return ranks


# SP 800-22, 2.10: the minimum number of bits, and the limits between the classes of T.
_MIN_BITS = 1_000_000
_COMPLEXITY_LIMITS = np.arange(-2.5, 3)
# Section 3.10: the probabilities of the classes of T for long blocks; the reference program rounds
# the first and the last one.
_COMPLEXITY_SHARES = (1 / 96, 1 / 32, 1 / 8, 1 / 2, 1 / 4, 1 / 16, 1 / 48)
_STS_COMPLEXITY_SHARES = (0.01047, *_COMPLEXITY_SHARES[1:-1], 0.020833)


def linear_complexity(
    bits: BitsLike,
    *,
    block_length: int = 500,
    level: float = SIGNIFICANCE_LEVEL,
    reference: Reference = "corrected",
    enforce_length: bool = True,
) -> RandomnessResult:
    """Test the linear complexity of each block (sections 2.10 and 3.10).

    The statistic is Pearson's, over classes of T = (-1)^M (complexity - mean) + 2/9 with the limits
    -2.5, -1.5 ... 2.5; the mean is M/2 + (9 + (-1)^(M+1)) / 36 - (M/3 + 2/9) / 2^M. Needs
    n >= 1,000,000 and 200 blocks. The cost is n M / 64 word operations. The reference program has
    .01047 instead of 1/96 as the first probability.

    Parameters
    ----------
    bits : array_like of shape (n,) of 0 and 1, or bytes
        The sequence; a byte gives eight bits, the highest first.
    block_length : int, default 500
        The number M of bits in a block, 500..5000, or 1..5000 for ``enforce_length=False``.
    level : float, default 0.01
        The level of significance, between 0 and 1: the share of random sequences that the test
        rejects.
    reference : {"corrected", "sts-2.1.2"}, default "corrected"
        The constants: exact ones, or those of the program that NIST publishes.
    enforce_length : bool, default True
        Whether a sequence that is shorter than the document allows has no p-values. With False it
        has some, which are rough.
    """
    sequence, length, fields = prepare_test("linear_complexity", "2.10", bits, level)
    has_published_constants = uses_published_constants(reference)
    check_integer("block_length", block_length, least=500 if enforce_length else 1, most=5000)
    blocks = length // block_length
    min_length = max(_MIN_BITS, 200 * block_length) if enforce_length else block_length
    if length < min_length:
        return fields.make_too_short_result(min_length, details={"block_length": block_length})
    sign = -1 if block_length % 2 else 1
    mean = block_length / 2 + (9 - sign) / 36 - (block_length / 3 + 2 / 9) / 2.0**block_length
    counts = np.zeros(len(_COMPLEXITY_SHARES), dtype=int)
    for table in iterate_block_tables(sequence, block_length):
        lengths = np.array([find_feedback_length(block) for block in table.tolist()])
        classes = np.searchsorted(_COMPLEXITY_LIMITS, sign * (lengths - mean) + 2 / 9)
        counts += np.bincount(classes, minlength=len(_COMPLEXITY_SHARES))
    statistic, p_value = compute_chi_square(
        counts, _STS_COMPLEXITY_SHARES if has_published_constants else _COMPLEXITY_SHARES
    )
    details = {"block_length": block_length, "blocks": blocks}
    return fields.make_result([statistic], [p_value], details=details)


def find_feedback_length(bits: list[int]) -> int:
    """Return the length of the shortest linear feedback shift register that gives these bits.

    The algorithm of Berlekamp and Massey (J. L. Massey, 1969, doi:10.1109/TIT.1969.1054260) over
    the field of two elements. Polynomials are integers with the coefficient of x^i as bit i, and
    past bits are an integer with the newest bit lowest, so each step takes a few integer
    operations.
    """
    # `previous_polynomial` is shifted so that it cancels the next discrepancy.
    polynomial, previous_polynomial = (
        1,
        2,
    )
    past_bits, length = 0, 0
    for index, bit in enumerate(bits):
        past_bits = past_bits << 1 | bit
        if (past_bits & polynomial).bit_count() & 1:
            if 2 * length <= index:
                length = index + 1 - length
                polynomial, previous_polynomial = polynomial ^ previous_polynomial, polynomial
            else:
                polynomial ^= previous_polynomial
        previous_polynomial <<= 1
    return length


# The minimum number of bits for which the statistic is nearly normal, found by simulation, and the
# expected share of peaks below the limit.
_MIN_SPECTRAL_BITS = 1100
_LOW_PEAK_SHARE = 0.95
# The divisor of the variance of the number of low peaks, as measured and as in the document.
_VARIANCE_DIVISOR, _STS_VARIANCE_DIVISOR = 3.8, 4.0

_MAX_UNDIVIDED_BITS = 1 << 22
# The maximum number of bits that are transformed in one piece, and the maximum number of parts
# into which a longer sequence is cut.
_MAX_SEQUENCE_PARTS = 16

# The number of sums over parts that are computed in one step, so that the matrix products stay in
# the cache and on one core.
_SUMS_PER_STEP = 1 << 12


def spectral(
    bits: BitsLike,
    *,
    level: float = SIGNIFICANCE_LEVEL,
    reference: Reference = "corrected",
    enforce_length: bool = True,
) -> RandomnessResult:
    """Test how many peaks of the discrete Fourier transform are low (section 2.6).

    Bits are transformed as +1 and -1. Of the first n/2 moduli, including the constant one, 95%
    should be below sqrt(n ln 20); the statistic is (low - 0.95 n/2) / sqrt(n 0.95 0.05 / 3.8). The
    reference program has 4 instead of 3.8: this variance is too small, and 1.2% of random sequences
    are rejected at the level 0.01. The worked examples of the document still have the threshold
    sqrt(3 n) of an older edition. Needs n >= 1100; the document requires 1000. The cost is n log n.
    More than 2^22 bits are transformed in parts, which takes a byte per bit if 16 divides n.

    Source: F. Pareschi, R. Rovatti, G. Setti, 2012, doi:10.1109/TIFS.2012.2185227.

    Parameters
    ----------
    bits : array_like of shape (n,) of 0 and 1, or bytes
        The sequence; a byte gives eight bits, the highest first.
    level : float, default 0.01
        The level of significance, between 0 and 1: the share of random sequences that the test
        rejects.
    reference : {"corrected", "sts-2.1.2"}, default "corrected"
        The constants: exact ones, or those of the program that NIST publishes.
    enforce_length : bool, default True
        Whether a sequence that is shorter than the document allows has no p-values. With False it
        has some, which are rough.
    """
    sequence, length, fields = prepare_test("spectral", "2.6", bits, level)
    variance = _STS_VARIANCE_DIVISOR if uses_published_constants(reference) else _VARIANCE_DIVISOR
    min_length = _MIN_SPECTRAL_BITS if enforce_length else 2
    if length < min_length:
        return fields.make_too_short_result(min_length)
    low_peak_count = _count_low_peaks(sequence, sqrt(length * log(1 / (1 - _LOW_PEAK_SHARE))))
    deviation = sqrt(length * _LOW_PEAK_SHARE * (1 - _LOW_PEAK_SHARE) / variance)
    statistic = (low_peak_count - _LOW_PEAK_SHARE * length / 2) / deviation
    return fields.make_result(
        [statistic], [erfc(abs(statistic) / sqrt(2))], details={"low_peaks": low_peak_count}
    )


def _count_low_peaks(sequence: BitArray, limit: float) -> int:
    """Count how many of the first n/2 moduli of the transform are below a limit.

    A long sequence is cut into d parts. The frequencies c, c + d, c + 2 d ... are those of a
    transform of length n/d: the transform of the sum of the parts, each multiplied by a root of
    unity that depends on c. They are computed for one c at a time, in rows and columns; the
    frequencies for d - c have the same moduli in reverse order.
    """
    length = len(sequence)
    part_count = _find_divisor(length, _MAX_SEQUENCE_PARTS) if length > _MAX_UNDIVIDED_BITS else 1
    if part_count == 1:
        moduli = np.abs(np.fft.rfft(2.0 * sequence - 1))[: length // 2]
        return int(np.count_nonzero(moduli < limit))
    with require_library("scipy"):
        from scipy.fft import fft
    low_peak_count, size = 0, length // part_count
    table, sums = sequence.reshape(part_count, size), np.empty(size, dtype=np.complex128)
    # Frequencies are conjugate in pairs, so half of the transforms are enough.
    for offset in range(part_count // 2 + 1):
        roots = _compute_roots_of_unity(offset * np.arange(part_count), part_count)
        for start in range(0, size, _SUMS_PER_STEP):
            signs = 2.0 * table[:, start : start + _SUMS_PER_STEP] - 1
            weighted_sums = (signs.T @ roots.view(np.float64).reshape(-1, 2)).view(np.complex128)[
                :, 0
            ]
            factors = _compute_roots_of_unity(
                offset * np.arange(start, start + len(weighted_sums)), length
            )
            sums[start : start + _SUMS_PER_STEP] = weighted_sums * factors
        grid = fft(sums.reshape(_find_divisor(size, isqrt(size)), -1), axis=0, overwrite_x=True)
        for index, row in enumerate(grid):
            transform_values = fft(row * _compute_roots_of_unity(index * np.arange(len(row)), size))
            frequencies = offset + part_count * (index + len(grid) * np.arange(len(row)))
            is_counted = frequencies < length // 2
            # The conjugate frequencies are counted with these, since their moduli are the same.
            if 0 < 2 * offset < part_count:
                is_counted |= frequencies > length - length // 2
            low_peak_count += int(np.count_nonzero(np.abs(transform_values[is_counted]) < limit))
    return low_peak_count


def _find_divisor(number: int, limit: int) -> int:
    """Return the largest divisor that is not above `limit`."""
    return next(divisor for divisor in range(limit, 0, -1) if number % divisor == 0)


def _compute_roots_of_unity(indices: IntArray, length: int) -> AnyArray:
    """Return the roots of unity with these indices for a transform of this length."""
    roots: AnyArray = np.exp(-2j * np.pi / length * (indices % length))
    return roots
