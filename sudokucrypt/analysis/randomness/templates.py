"""How often patterns that cannot overlap themselves occur."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.analysis.randomness.bits import checked_bits, windows
from sudokucrypt.analysis.randomness.chi_square import upper_tail
from sudokucrypt.analysis.randomness.outcome import DEFAULT_LEVEL, Setting, checked_length
from sudokucrypt.errors import InvalidParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudokucrypt.analysis.randomness.bits import BitsLike
    from sudokucrypt.analysis.randomness.outcome import RandomnessResult

_LONGEST = 16
_EXPECTED = 5
"""Occurrences that a block should hold on the average; the document names no shortest length."""


def non_overlapping_templates(
    bits: BitsLike,
    *,
    templates: Sequence[str] | None = None,
    blocks: int = 8,
    level: float = DEFAULT_LEVEL,
    enforce_length: bool = True,
) -> RandomnessResult:
    r"""Test how often each of many patterns occurs.

    Parameters
    ----------
    bits, level, enforce_length
        As in `frequency`.
    templates : sequence of str, optional
        Patterns such as "000000001", all of one length in 2..16, none of which can overlap itself;
        the 148 of length 9 by default.
    blocks : int
        Into how many blocks the sequence is divided, N in 1..100.

    Returns
    -------
    RandomnessResult
        One statistic and p-value a template, which is its label.

    Raises
    ------
    InvalidParameterError
        If templates differ in length, or one can overlap itself.

    Notes
    -----
    For a template of m bits, blocks of M bits and counts W, the statistic is the sum of
    (W - mean)^2 / variance over the blocks, chi-square with N degrees of freedom: mean
    (M - m + 1) / 2^m, variance M (1 / 2^m - (2 m - 1) / 2^(2 m)). A pattern that cannot overlap
    itself is never skipped, so that one count of all windows serves all templates. Needs 5
    expected occurrences a block, n >= 20,544 by default; this limit is ours.

    References
    ----------
    NIST SP 800-22 rev. 1a, section 2.7, doi:10.6028/NIST.SP.800-22r1a.

    Examples
    --------
    >>> result = non_overlapping_templates(b"\x01" * 3000)
    >>> len(result.p_values), result.passed
    (148, False)
    """
    sequence = checked_bits(bits)
    checked_length("blocks", blocks, 1, 100)
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
        found = np.bincount(windows(block, width), minlength=2**width)[numbers]
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
    >>> len(aperiodic_templates(9))
    148
    """
    checked_length("width", width, 2, _LONGEST)
    every = (format(number, f"0{width}b") for number in range(2**width))
    return tuple(pattern for pattern in every if not _overlaps_itself(pattern))


def _overlaps_itself(pattern: str) -> bool:
    return any(pattern.startswith(pattern[shift:]) for shift in range(1, len(pattern)))


def _checked(templates: Sequence[str]) -> tuple[str, ...]:
    """Return templates that can be counted together, or raise `InvalidParameterError`."""
    widths = {len(template) for template in templates}
    if len(widths) != 1:
        raise InvalidParameterError("templates are one or more patterns of one length")
    checked_length("the length of a template", widths.pop(), 2, _LONGEST)
    for template in templates:
        if set(template) - {"0", "1"} or _overlaps_itself(template):
            raise InvalidParameterError(
                f"{template!r} is no template",
                hint="take patterns of 0 and 1 whose start is never their end, such as 0001",
            )
    return tuple(templates)
