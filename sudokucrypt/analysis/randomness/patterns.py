"""How often patterns of bits occur, and how far apart equal ones stand."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import erfc, exp, lgamma, log, sqrt

import numpy as np

from sudokucrypt.analysis.randomness.bits import (
    BitArray,
    BitsLike,
    blocks_of,
    count_windows,
    windows,
)
from sudokucrypt.analysis.randomness.outcome import (
    LEVEL,
    RandomnessResult,
    Reference,
    begun,
    checked_reference,
    chi_square,
    upper_tail,
)
from sudokucrypt.checks import checked_integer
from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.typing import IntArray

_LONGEST = 24


def serial(
    bits: BitsLike, *, pattern_length: int = 16, level: float = LEVEL, enforce_length: bool = True
) -> RandomnessResult:
    """Test whether all patterns of m bits are equally frequent (section 2.11).

    psi^2(m) = 2^m / n times the sum of count^2 over all patterns, minus n, in the sequence bent to
    a ring. The "first" difference psi^2(m) - psi^2(m-1) is chi-square with 2^(m-1) degrees of
    freedom, the "second" psi^2(m) - 2 psi^2(m-1) + psi^2(m-2) with 2^(m-2). Needs
    m < floor(log2 n) - 2: n >= 524,288 for m = 16.
    The `pattern_length` m is in 2..24.
    """
    sequence, length, setting = begun("serial", "2.11", bits, level)
    checked_integer("pattern_length", pattern_length, least=2, most=_LONGEST)
    needed = 2 ** (pattern_length + 3) if enforce_length else 1
    if length < needed:
        return setting.too_short(needed, details={"pattern_length": pattern_length})
    counts = count_windows(sequence, pattern_length, circular=True)
    parts = (counts, *_shorter(counts, 2))
    most, fewer, fewest = (len(part) * int(part @ part) / length - length for part in parts)
    statistics = (most - fewer, most - 2 * fewer + fewest)
    freedoms = (2 ** (pattern_length - 1), 2 ** (pattern_length - 2))
    return setting.tested(
        statistics,
        [upper_tail(*pair) for pair in zip(statistics, freedoms, strict=True)],
        labels=("first", "second"),
        details={"pattern_length": pattern_length},
    )


def approximate_entropy(
    bits: BitsLike, *, pattern_length: int = 10, level: float = LEVEL, enforce_length: bool = True
) -> RandomnessResult:
    """Test how well m bits foretell the next one (section 2.12).

    The approximate entropy is phi(m) - phi(m+1), where phi is the sum of share * ln(share) over
    all patterns in the sequence bent to a ring. The statistic 2 n (ln 2 - approximate entropy) is
    chi-square with 2^m degrees of freedom. Needs m < floor(log2 n) - 5: n >= 65,536 for m = 10.
    The `pattern_length` m is in 1..23.
    """
    sequence, length, setting = begun("approximate_entropy", "2.12", bits, level)
    checked_integer("pattern_length", pattern_length, least=1, most=_LONGEST - 1)
    needed = 2 ** (pattern_length + 6) if enforce_length else 1
    if length < needed:
        return setting.too_short(needed, details={"pattern_length": pattern_length})
    longer = count_windows(sequence, pattern_length + 1, circular=True)
    shares = (counts[counts > 0] / length for counts in (*_shorter(longer, 1), longer))
    shorter_sum, longer_sum = (float(share @ np.log(share)) for share in shares)
    entropy = shorter_sum - longer_sum
    statistic = 2 * length * (log(2) - entropy)
    p_value = upper_tail(statistic, 2**pattern_length)
    return setting.tested([statistic], [p_value], details={"pattern_length": pattern_length})


def _shorter(counts: IntArray, steps: int) -> list[IntArray]:
    """Return the counts of patterns one bit shorter, two, and so on: in a ring sums give them."""
    found = [counts]
    for _ in range(steps):
        found.append(found[-1].reshape(-1, 2).sum(axis=1))
    return found[1:]


_PUBLISHED = {
    6: (5.2177052, 2.954),
    7: (6.1962507, 3.125),
    8: (7.1836656, 3.238),
    9: (8.1764248, 3.311),
    10: (9.1723243, 3.356),
    11: (10.170032, 3.384),
    12: (11.168765, 3.401),
    13: (12.168070, 3.410),
    14: (13.167693, 3.416),
    15: (14.167488, 3.419),
    16: (15.167379, 3.421),
}
"""Mean and variance by block length, to the digits of section 2.9.4."""

_WIDTHS = tuple(_PUBLISHED)
_ROOM = 1010
"""Blocks a pattern: 10 to begin with, 1000 to measure (section 2.9.7)."""


def universal(
    bits: BitsLike,
    *,
    block_length: int | None = None,
    warm_up: int | None = None,
    level: float = LEVEL,
    reference: Reference = "corrected",
) -> RandomnessResult:
    """Test how far back each block occurred last (section 2.9).

    The statistic is the mean of log2(distance to the last equal block), and the p-value
    erfc(abs(statistic - mean) / (sqrt(2) s)) with s = c sqrt(variance / K) for K measured blocks
    and c = 0.7 - 0.8/L + (4 + 32/L) K^(-3/L) / 15. The document's worked example leaves out c and
    K. Needs n >= 387,840, unless a block length is given. The `block_length` L is in 2..16, by
    default the longest in 6..16 with n >= 1010 2^L L; the `warm_up`, 10 2^L blocks by default, is
    not measured. The reference program has mean and variance with 7 and 4 digits.
    Source: U. M. Maurer, 1992, doi:10.1007/BF00193563.
    """
    sequence, length, setting = begun("universal", "2.9", bits, level)
    old = checked_reference(reference)
    if block_length is None:
        needed = {width: _ROOM * 2**width * width for width in _WIDTHS}
        fitting = [width for width in _WIDTHS if length >= needed[width]]
        if not fitting:
            return setting.too_short(needed[_WIDTHS[0]])
        block_length = max(fitting)
    checked_integer("block_length", block_length, least=6 if old else 2, most=16)
    warm_up = 10 * 2**block_length if warm_up is None else checked_integer("warm_up", warm_up)
    measured = length // block_length - warm_up
    details = {"block_length": block_length, "warm_up": warm_up, "measured": measured}
    if measured < 1:
        return setting.too_short((warm_up + 1) * block_length, details=details)
    total, skipped = 0.0, warm_up
    for distances in _distances(sequence, block_length):
        total += float(np.log2(distances[skipped:]).sum())
        skipped = max(0, skipped - len(distances))
    statistic = total / measured
    mean, variance = _PUBLISHED[block_length] if old else distance_moments(block_length)
    factor = (4 + 32 / block_length) * measured ** (-3 / block_length) / 15
    deviation = (0.7 - 0.8 / block_length + factor) * sqrt(variance / measured)
    p_value = erfc(abs(statistic - mean) / (sqrt(2) * deviation))
    return setting.tested([statistic], [p_value], details=details)


def _distances(sequence: BitArray, width: int) -> Iterator[IntArray]:
    """Yield how many blocks back each block occurred last; from the start if it is new."""
    last, done = np.zeros(2**width, dtype=np.int64), 0
    for blocks in blocks_of(sequence, width):
        values = blocks @ (1 << np.arange(width)[::-1])
        order = np.argsort(values, kind="stable")  # equal blocks side by side, in their order
        values, places = values[order], done + 1 + order
        before = last[values]
        same = values[1:] == values[:-1]
        before[1:][same] = places[:-1][same]
        last[values] = places  # the last of equal ones stays
        distances = np.empty_like(places)
        distances[order] = places - before
        done += len(blocks)
        yield distances


@lru_cache
def distance_moments(block_length: int) -> tuple[float, float]:
    """Return mean and variance of log2 of the distance for random bits: it is geometric."""
    share = 0.5**block_length
    steps = np.arange(1, 50 * 2**block_length)  # the rest weighs less than exp(-49)
    weights = share * np.exp((steps - 1) * np.log1p(-share))
    logs = np.log2(steps)
    mean = float(weights @ logs)
    return mean, float(weights @ logs**2) - mean**2


_LONGEST_TEMPLATE = 16
_EXPECTED = 5
"""Occurrences that a block should hold on the average; the document names no shortest length."""


def non_overlapping_templates(
    bits: BitsLike,
    *,
    templates: Sequence[str] | None = None,
    blocks: int = 8,
    level: float = LEVEL,
    enforce_length: bool = True,
) -> RandomnessResult:
    """Test how often each of many patterns occurs (section 2.7).

    For a template of m bits, blocks of M bits and counts W, the statistic is the sum of
    (W - mean)^2 / variance over the blocks, chi-square with N degrees of freedom: mean
    (M - m + 1) / 2^m, variance M (1 / 2^m - (2 m - 1) / 2^(2 m)). A pattern that cannot overlap
    itself is never skipped, so that one count of all windows serves all templates. Needs 5
    expected occurrences a block, n >= 20,544 by default; this limit is ours.

    Templates are patterns such as "000000001", all of one length in 2..16, none of which can
    overlap itself; the 148 of length 9 by default. Each is the label of its p-value. There are
    1..100 blocks.
    """
    sequence, length, setting = begun("non_overlapping_templates", "2.7", bits, level)
    checked_integer("blocks", blocks, least=1, most=100)
    chosen = aperiodic_templates(9) if templates is None else _checked(templates)
    width = len(chosen[0])
    block_length = length // blocks
    details = {"blocks": blocks, "block_length": block_length, "template_length": width}
    mean = (block_length - width + 1) / 2**width
    if mean < _EXPECTED and (enforce_length or mean <= 0):
        occurrences = _EXPECTED * 2**width if enforce_length else 1
        return setting.too_short(blocks * (occurrences + width - 1), details=details)
    variance = block_length * (1 / 2**width - (2 * width - 1) / 4**width)
    numbers = [int(template, 2) for template in chosen]
    statistics = np.zeros(len(numbers))
    for block in sequence[: blocks * block_length].reshape(blocks, block_length):
        found = count_windows(block, width)[numbers]
        statistics += (found - mean) ** 2 / variance
    p_values = [upper_tail(statistic, blocks) for statistic in statistics.tolist()]
    return setting.tested(statistics.tolist(), p_values, labels=chosen, details=details)


@lru_cache
def aperiodic_templates(width: int) -> tuple[str, ...]:
    """Return the patterns of this many bits, 2..16, that cannot overlap themselves, in order.

    Examples
    --------
    >>> aperiodic_templates(3)
    ('001', '011', '100', '110')
    """
    checked_integer("width", width, least=2, most=_LONGEST_TEMPLATE)
    every = (format(number, f"0{width}b") for number in range(2**width))
    return tuple(pattern for pattern in every if not _overlaps_itself(pattern))


def _overlaps_itself(pattern: str) -> bool:
    return any(pattern.startswith(pattern[shift:]) for shift in range(1, len(pattern)))


def _checked(templates: Sequence[str]) -> tuple[str, ...]:
    """Return templates that can be counted together, or raise `InvalidParameterError`."""
    widths = {len(template) for template in templates}
    if len(widths) != 1:
        raise InvalidParameterError("templates are one or more patterns of one length")
    checked_integer("the length of a template", widths.pop(), least=2, most=_LONGEST_TEMPLATE)
    for template in templates:
        if set(template) - {"0", "1"} or _overlaps_itself(template):
            raise InvalidParameterError(
                f"{template!r} is no template",
                hint="take patterns of 0 and 1 whose start is never their end, such as 0001",
            )
    return tuple(templates)


_LONG_SEQUENCE = 1_000_000
_OCCURRENCES = 6


def overlapping_template(
    bits: BitsLike,
    *,
    template_length: int = 9,
    block_length: int = 1032,
    level: float = LEVEL,
    reference: Reference = "corrected",
    enforce_length: bool = True,
) -> RandomnessResult:
    """Test how often a run of ones occurs in each block (sections 2.8 and 3.8).

    Pearson's statistic of the blocks with 0, 1, 2, 3, 4, and 5 or more occurrences; each place
    where m ones begin counts. The reference program takes the count for a compound Poisson
    variable; its first probability is .367879 where the exact one is .364091. Needs
    n >= 1,000,000.

    The `template_length` m is in 2..16, and the `block_length` m + 4 or more, so that every class
    can occur. Published results of the document rest on the probabilities of the reference program.
    Source: K. Hamano, T. Kaneko, 2007, doi:10.1093/ietfec/e90-a.9.1788.
    """
    sequence, length, setting = begun("overlapping_template", "2.8", bits, level)
    old = checked_reference(reference)
    checked_integer("template_length", template_length, least=2, most=16)
    checked_integer("block_length", block_length, least=template_length + _OCCURRENCES - 2)
    blocks = length // block_length
    details = {"template_length": template_length, "block_length": block_length, "blocks": blocks}
    needed = max(_LONG_SEQUENCE if enforce_length else 0, block_length)
    if length < needed:
        return setting.too_short(needed, details=details)
    counts = np.zeros(_OCCURRENCES, dtype=int)
    for block in sequence[: blocks * block_length].reshape(blocks, block_length):
        found = int(np.count_nonzero(windows(block, template_length) == 2**template_length - 1))
        counts[min(found, _OCCURRENCES - 1)] += 1
    shares = (_poisson_shares if old else overlapping_shares)(template_length, block_length)
    statistic, p_value = chi_square(counts, shares)
    return setting.tested([statistic], [p_value], details=details)


@lru_cache
def overlapping_shares(template_length: int, block_length: int) -> tuple[float, ...]:
    """Return the exact probability of 0, 1, 2, 3, 4, and more occurrences in a random block."""
    chance = np.zeros((template_length, _OCCURRENCES))  # by ones at the end, and occurrences so far
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
    for count in range(1, _OCCURRENCES - 1):
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
