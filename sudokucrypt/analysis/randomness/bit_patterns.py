"""Test how often patterns of bits occur."""

from collections.abc import Sequence
from functools import lru_cache
from math import exp, lgamma, log

import numpy as np

from sudokucrypt.analysis.randomness.bit_sequences import (
    SIGNIFICANCE_LEVEL,
    BitsLike,
    RandomnessResult,
    Reference,
    compute_chi_square,
    compute_upper_tail,
    count_window_values,
    list_window_values,
    prepare_test,
    uses_published_constants,
)
from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.options import check_integer
from sudokucrypt.typing import IntArray

# The maximum length of patterns: a table of 2^24 counts of 8 bytes takes 128 MiB.
_MAX_PATTERN_LENGTH = 24


def serial(
    bits: BitsLike,
    *,
    pattern_length: int = 16,
    level: float = SIGNIFICANCE_LEVEL,
    enforce_length: bool = True,
) -> RandomnessResult:
    """Test whether all patterns of m bits are equally frequent (section 2.11).

    psi^2(m) is 2^m / n times the sum of count^2 over all patterns of the circular sequence, minus
    n. The "first" difference psi^2(m) - psi^2(m-1) is chi-square with 2^(m-1) degrees of freedom,
    the "second" difference psi^2(m) - 2 psi^2(m-1) + psi^2(m-2) with 2^(m-2). Needs
    m < floor(log2 n) - 2: n >= 524,288 for m = 16.

    Parameters
    ----------
    bits : array_like of shape (n,) of 0 and 1, or bytes
        The sequence; a byte gives eight bits, the highest first.
    pattern_length : int, default 16
        The number m of bits in a pattern, 2..24.
    level : float, default 0.01
        The level of significance, between 0 and 1: the share of random sequences that the test
        rejects.
    enforce_length : bool, default True
        Whether a sequence that is shorter than the document allows has no p-values. With False it
        has some, which are rough.
    """
    sequence, length, fields = prepare_test("serial", "2.11", bits, level)
    check_integer("pattern_length", pattern_length, least=2, most=_MAX_PATTERN_LENGTH)
    min_length = 2 ** (pattern_length + 3) if enforce_length else 1
    if length < min_length:
        return fields.make_too_short_result(min_length, details={"pattern_length": pattern_length})
    counts = count_window_values(sequence, pattern_length, circular=True)
    # In a circular sequence, counts of shorter patterns are sums of counts of longer ones.
    counts_by_length = (counts, *_count_shorter_patterns(counts, 2))
    longest_psi, middle_psi, shortest_psi = (
        len(length_counts) * int(length_counts @ length_counts) / length - length
        for length_counts in counts_by_length
    )
    statistics = (longest_psi - middle_psi, longest_psi - 2 * middle_psi + shortest_psi)
    degrees_of_freedom = (2 ** (pattern_length - 1), 2 ** (pattern_length - 2))
    return fields.make_result(
        statistics,
        [compute_upper_tail(*pair) for pair in zip(statistics, degrees_of_freedom, strict=True)],
        labels=("first", "second"),
        details={"pattern_length": pattern_length},
    )


# SP 800-22, 2.12: the usual length of patterns, and the minimum length by default.
_USUAL_PATTERN_LENGTH = 10
_MIN_PATTERN_LENGTH = 3


def _compute_min_length(pattern_length: int) -> int:
    """Return the minimum number of bits for which level 0.01 rejects 1% of random sequences.

    The document requires 2^(m + 6). But the mean of the statistic is too large by about
    2^(2 m) / (2 n), which must be small compared with its deviation 2^((m + 1) / 2).
    """
    return 1 << max(pattern_length + 7, -(-(3 * pattern_length + 8) // 2))


def approximate_entropy(
    bits: BitsLike,
    *,
    pattern_length: int | None = None,
    level: float = SIGNIFICANCE_LEVEL,
    enforce_length: bool = True,
) -> RandomnessResult:
    """Test how well m bits predict the next one (section 2.12).

    The approximate entropy is phi(m) - phi(m+1), where phi is the sum of share * ln(share) over
    all patterns of the circular sequence. The statistic 2 n (ln 2 - approximate entropy) is
    chi-square with 2^m degrees of freedom. Needs n >= 2^(m + 7) and, by simulation,
    2^(3 m / 2 + 4): 524,288 for m = 10, and 1024 for m = 3. The document requires 2^(m + 6).

    Parameters
    ----------
    bits : array_like of shape (n,) of 0 and 1, or bytes
        The sequence; a byte gives eight bits, the highest first.
    pattern_length : int, optional
        The number m of bits in a pattern, 1..23; by default the largest in 3..10 for which the
        sequence is long enough.
    level : float, default 0.01
        The level of significance, between 0 and 1: the share of random sequences that the test
        rejects.
    enforce_length : bool, default True
        Whether a sequence that is shorter than the document allows has no p-values. With False it
        has some, which are rough.
    """
    sequence, length, fields = prepare_test("approximate_entropy", "2.12", bits, level)
    if pattern_length is None:
        candidates = range(_USUAL_PATTERN_LENGTH, _MIN_PATTERN_LENGTH, -1)
        pattern_length = next(
            (size for size in candidates if length >= _compute_min_length(size)),
            _MIN_PATTERN_LENGTH,
        )
    check_integer("pattern_length", pattern_length, least=1, most=_MAX_PATTERN_LENGTH - 1)
    min_length = _compute_min_length(pattern_length) if enforce_length else 1
    if length < min_length:
        return fields.make_too_short_result(min_length, details={"pattern_length": pattern_length})
    longer_pattern_counts = count_window_values(sequence, pattern_length + 1, circular=True)
    shares = (
        counts[counts > 0] / length
        for counts in (*_count_shorter_patterns(longer_pattern_counts, 1), longer_pattern_counts)
    )
    shorter_phi, longer_phi = (float(share @ np.log(share)) for share in shares)
    entropy = shorter_phi - longer_phi
    statistic = 2 * length * (log(2) - entropy)
    p_value = compute_upper_tail(statistic, 2**pattern_length)
    return fields.make_result([statistic], [p_value], details={"pattern_length": pattern_length})


def _count_shorter_patterns(counts: IntArray, steps: int) -> list[IntArray]:
    """Return the counts of patterns that are 1 to `steps` bits shorter, in a circular sequence."""
    counts_by_length = [counts]
    for _ in range(steps):
        counts_by_length.append(counts_by_length[-1].reshape(-1, 2).sum(axis=1))
    return counts_by_length[1:]


# The maximum length of templates, which have up to 2^16 patterns to count; SP 800-22 allows
# lengths up to 21 and uses 9.
_MAX_TEMPLATE_LENGTH = 16
_USUAL_TEMPLATE_LENGTH = 9
# The minimum mean number of occurrences of a template in a block, found by simulation. With 5, as
# in SP 800-22, 6% of random sequences are rejected at the level 0.01, since the chi-square
# approximation is inexact for the smallest of 148 p-values.
_MIN_MEAN_OCCURRENCES = 128


def non_overlapping_templates(
    bits: BitsLike,
    *,
    templates: Sequence[str] | None = None,
    blocks: int = 8,
    level: float = SIGNIFICANCE_LEVEL,
    enforce_length: bool = True,
) -> RandomnessResult:
    """Test how often each of many patterns occurs (section 2.7).

    For a template of m bits, blocks of M bits and counts W, the statistic is the sum of
    (W - mean)^2 / variance over the blocks, chi-square with N degrees of freedom: mean
    (M - m + 1) / 2^m, variance M (1 / 2^m - (2 m - 1) / 2^(2 m)). Occurrences of a pattern that
    cannot overlap itself are never skipped, so all templates are counted in one pass. Needs 128
    expected occurrences per block, a stricter limit than in the document.

    Templates are patterns such as "000000001" that cannot overlap themselves, and are the labels of
    their p-values. By default there are 148 templates of length 9 from 524,288 bits on, and 2 of
    length 2 from 4096 bits on.

    Parameters
    ----------
    bits : array_like of shape (n,) of 0 and 1, or bytes
        The sequence; a byte gives eight bits, the highest first.
    templates : sequence of str, optional
        Patterns of 0 and 1, all of one length in 2..16, none of which can overlap itself; by
        default all of the largest length in 2..9 for which the sequence is long enough.
    blocks : int, default 8
        The number N of blocks, 1..100.
    level : float, default 0.01
        The level of significance, between 0 and 1: the share of random sequences that the test
        rejects.
    enforce_length : bool, default True
        Whether a sequence that is shorter than the document allows has no p-values. With False it
        has some, which are rough.
    """
    sequence, length, fields = prepare_test("non_overlapping_templates", "2.7", bits, level)
    check_integer("blocks", blocks, least=1, most=100)
    block_length = length // blocks
    if templates is None:
        candidates = range(_USUAL_TEMPLATE_LENGTH, 2, -1)
        width = next(
            (size for size in candidates if block_length >= _compute_block_length(size)), 2
        )
        patterns = aperiodic_templates(width)
    else:
        patterns = _require_templates(templates)
        width = len(patterns[0])
    details = {"blocks": blocks, "block_length": block_length, "template_length": width}
    min_length = _compute_block_length(width) if enforce_length else width
    if block_length < min_length:
        return fields.make_too_short_result(blocks * min_length, details=details)
    # Sections 2.7.4 and 3.7; the variance takes overlaps of different windows into account.
    mean = (block_length - width + 1) / 2**width
    variance = block_length * (1 / 2**width - (2 * width - 1) / 4**width)
    numbers = [int(template, 2) for template in patterns]
    statistics = np.zeros(len(numbers))
    for block in sequence[: blocks * block_length].reshape(blocks, block_length):
        occurrences = count_window_values(block, width)[numbers]
        statistics += (occurrences - mean) ** 2 / variance
    p_values = [compute_upper_tail(statistic, blocks) for statistic in statistics.tolist()]
    return fields.make_result(statistics.tolist(), p_values, labels=patterns, details=details)


def _compute_block_length(width: int) -> int:
    """Return the length of a block in which a template of `width` bits occurs often enough."""
    return _MIN_MEAN_OCCURRENCES << width


@lru_cache
def aperiodic_templates(width: int) -> tuple[str, ...]:
    """Return the patterns of `width` bits, 2..16, that cannot overlap themselves, in order.

    Parameters
    ----------
    width : int
        The number of bits in a pattern, 2..16.

    Examples
    --------
    >>> aperiodic_templates(3)
    ('001', '011', '100', '110')
    """
    check_integer("width", width, least=2, most=_MAX_TEMPLATE_LENGTH)
    patterns = (format(value, f"0{width}b") for value in range(2**width))
    return tuple(pattern for pattern in patterns if not _is_self_overlapping(pattern))


def _is_self_overlapping(pattern: str) -> bool:
    return any(pattern.startswith(pattern[shift:]) for shift in range(1, len(pattern)))


def _require_templates(templates: Sequence[str]) -> tuple[str, ...]:
    """Return the templates, or raise an error if they are invalid or differ in length."""
    widths = {len(template) for template in templates}
    if len(widths) != 1:
        raise InvalidParameterError("templates must be one or more patterns of one length")
    check_integer("the length of a template", widths.pop(), least=2, most=_MAX_TEMPLATE_LENGTH)
    for template in templates:
        if set(template) - {"0", "1"} or _is_self_overlapping(template):
            raise InvalidParameterError(
                f"{template!r} is not a template",
                hint="use patterns of 0 and 1 that cannot overlap themselves, such as 0001",
            )
    return tuple(templates)


# SP 800-22, 2.8: the minimum number of bits, and the number of classes of occurrences.
_MIN_BITS = 1_000_000
_CLASS_COUNT = 6


def overlapping_template(
    bits: BitsLike,
    *,
    template_length: int = 9,
    block_length: int = 1032,
    level: float = SIGNIFICANCE_LEVEL,
    reference: Reference = "corrected",
    enforce_length: bool = True,
) -> RandomnessResult:
    """Test how often a run of ones occurs in each block (sections 2.8 and 3.8).

    The statistic is Pearson's, over the blocks with 0, 1, 2, 3, 4, and 5 or more occurrences; an
    occurrence is any position at which m ones begin. The reference program approximates the count
    by a compound Poisson variable; its first probability is .367879 instead of .364091. Needs
    n >= 1,000,000, and a `block_length` of m + 4 or more, so that every class can occur. The
    results in the document are based on the probabilities of the reference program.

    Source: K. Hamano, T. Kaneko, 2007, doi:10.1093/ietfec/e90-a.9.1788.

    Parameters
    ----------
    bits : array_like of shape (n,) of 0 and 1, or bytes
        The sequence; a byte gives eight bits, the highest first.
    template_length : int, default 9
        The number m of ones in the pattern, 2..16.
    block_length : int, default 1032
        The number of bits in a block, m + 4 or more.
    level : float, default 0.01
        The level of significance, between 0 and 1: the share of random sequences that the test
        rejects.
    reference : {"corrected", "sts-2.1.2"}, default "corrected"
        The constants: exact ones, or those of the program that NIST publishes.
    enforce_length : bool, default True
        Whether a sequence that is shorter than the document allows has no p-values. With False it
        has some, which are rough.
    """
    sequence, length, fields = prepare_test("overlapping_template", "2.8", bits, level)
    has_published_constants = uses_published_constants(reference)
    check_integer("template_length", template_length, least=2, most=16)
    check_integer("block_length", block_length, least=template_length + _CLASS_COUNT - 2)
    blocks = length // block_length
    details = {"template_length": template_length, "block_length": block_length, "blocks": blocks}
    min_length = max(_MIN_BITS if enforce_length else 0, block_length)
    if length < min_length:
        return fields.make_too_short_result(min_length, details=details)
    counts = np.zeros(_CLASS_COUNT, dtype=int)
    for block in sequence[: blocks * block_length].reshape(blocks, block_length):
        occurrences = int(
            np.count_nonzero(list_window_values(block, template_length) == 2**template_length - 1)
        )
        counts[min(occurrences, _CLASS_COUNT - 1)] += 1
    shares = (
        _compute_poisson_probabilities if has_published_constants else compute_count_probabilities
    )(template_length, block_length)
    statistic, p_value = compute_chi_square(counts, shares)
    return fields.make_result([statistic], [p_value], details=details)


@lru_cache
def compute_count_probabilities(template_length: int, block_length: int) -> tuple[float, ...]:
    """Return the exact probabilities of 0 to 4, and of 5 or more occurrences in a random block."""
    # A Markov chain gives the exact probabilities, which SP 800-22 only approximates. Rows: the
    # number of ones at the end; columns: the number of occurrences so far.
    probabilities = np.zeros((template_length, _CLASS_COUNT))
    probabilities[0, 0] = 1
    for _ in range(block_length):
        next_probabilities = np.zeros_like(probabilities)
        next_probabilities[0] = probabilities.sum(axis=0) / 2
        next_probabilities[1:] = probabilities[:-1] / 2
        next_probabilities[-1, 1:] += probabilities[-1, :-1] / 2
        next_probabilities[-1, -1] += probabilities[-1, -1] / 2
        probabilities = next_probabilities
    return tuple(probabilities.sum(axis=0).tolist())


def _compute_poisson_probabilities(template_length: int, block_length: int) -> tuple[float, ...]:
    """Return the probabilities of the reference program: a Poisson number of clumps of matches."""
    rate = (block_length - template_length + 1) / 2 ** (template_length + 1)
    shares = [exp(-rate)]
    for count in range(1, _CLASS_COUNT - 1):
        terms = (
            log(rate) * clump_count
            - lgamma(clump_count + 1)
            + lgamma(count)
            - lgamma(clump_count)
            - lgamma(count - clump_count + 1)
            for clump_count in range(1, count + 1)
        )
        shares.append(sum(exp(term - rate - count * log(2)) for term in terms))
    return (*shares, 1 - sum(shares))
