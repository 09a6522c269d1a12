"""How often patterns of bits occur, whether they can overlap themselves or not."""

from collections.abc import Sequence
from functools import lru_cache
from math import exp, lgamma, log

import numpy as np

from sudokucrypt.analysis.randomness.bits import BitsLike, checked_bits, count_windows, windows
from sudokucrypt.analysis.randomness.outcome import (
    LEVEL,
    RandomnessResult,
    Reference,
    Setting,
    checked_reference,
    chi_square,
    upper_tail,
)
from sudokucrypt.checks import checked_integer
from sudokucrypt.errors import InvalidParameterError

_LONGEST = 16
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
    sequence = checked_bits(bits)
    checked_integer("blocks", blocks, least=1, most=100)
    chosen = aperiodic_templates(9) if templates is None else _checked(templates)
    width = len(chosen[0])
    length, block_length = len(sequence), len(sequence) // blocks
    setting = Setting("non_overlapping_templates", "2.7", length, level)
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
    checked_integer("width", width, least=2, most=_LONGEST)
    every = (format(number, f"0{width}b") for number in range(2**width))
    return tuple(pattern for pattern in every if not _overlaps_itself(pattern))


def _overlaps_itself(pattern: str) -> bool:
    return any(pattern.startswith(pattern[shift:]) for shift in range(1, len(pattern)))


def _checked(templates: Sequence[str]) -> tuple[str, ...]:
    """Return templates that can be counted together, or raise `InvalidParameterError`."""
    widths = {len(template) for template in templates}
    if len(widths) != 1:
        raise InvalidParameterError("templates are one or more patterns of one length")
    checked_integer("the length of a template", widths.pop(), least=2, most=_LONGEST)
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
    sequence = checked_bits(bits)
    old = checked_reference(reference)
    checked_integer("template_length", template_length, least=2, most=16)
    checked_integer("block_length", block_length, least=template_length + _OCCURRENCES - 2)
    length, blocks = len(sequence), len(sequence) // block_length
    setting = Setting("overlapping_template", "2.8", length, level)
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
