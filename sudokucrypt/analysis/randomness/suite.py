"""All fifteen tests on one sequence, and what they say about many sequences."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import Protocol

import numpy as np

from sudokucrypt.analysis.inputs import optional_library
from sudokucrypt.analysis.randomness import bit_patterns, counts, distances, rank_and_spectrum
from sudokucrypt.analysis.randomness.bit_sequences import (
    LEVEL,
    BitsLike,
    RandomnessResult,
    Reference,
    checked_bits,
    checked_reference,
    chi_square,
)
from sudokucrypt.errors import InvalidParameterError


class RandomnessTest(Protocol):
    """A test with its parameters chosen."""

    def __call__(self, bits: BitsLike, /, *, level: float = ...) -> RandomnessResult:
        """Test one sequence."""
        ...


def nist_tests(*, reference: Reference = "corrected") -> dict[str, RandomnessTest]:
    r"""Return the fifteen tests of SP 800-22 by name, in the order of the document.

    Parameters
    ----------
    reference : {"corrected", "sts-2.1.2"}, default "corrected"
        The constants: exact ones, or those of the program that NIST publishes.

    Examples
    --------
    >>> tests = nist_tests()
    >>> len(tests), tests["runs"](b"\x35" * 20).section
    (15, '2.3')
    """
    checked_reference(reference)
    return {
        "frequency": counts.frequency,
        "block_frequency": counts.block_frequency,
        "runs": counts.runs,
        "longest_run": partial(counts.longest_run, reference=reference),
        "matrix_rank": rank_and_spectrum.matrix_rank,
        "spectral": partial(rank_and_spectrum.spectral, reference=reference),
        "non_overlapping_templates": bit_patterns.non_overlapping_templates,
        "overlapping_template": partial(bit_patterns.overlapping_template, reference=reference),
        "universal": partial(distances.universal, reference=reference),
        "linear_complexity": partial(rank_and_spectrum.linear_complexity, reference=reference),
        "serial": bit_patterns.serial,
        "approximate_entropy": bit_patterns.approximate_entropy,
        "cumulative_sums": partial(counts.cumulative_sums, reference=reference),
        "random_excursions": counts.random_excursions,
        "random_excursions_variant": counts.random_excursions_variant,
    }


def run_nist_tests(
    bits: BitsLike, *, level: float = LEVEL, reference: Reference = "corrected"
) -> tuple[RandomnessResult, ...]:
    """Run the fifteen tests of SP 800-22, with its usual parameters, on one sequence.

    Results are in the order of the document. All tests apply from 1,000,000 bits on; shorter
    sequences get a verdict "too short" where the document asks for more. Passing proves nothing: a
    fixed published sequence such as the digits of pi passes. At level 0.01 about one random
    sequence in eight fails at least one of the fifteen tests.

    Parameters
    ----------
    bits : array_like of shape (n,) of 0 and 1, or bytes
        The sequence; a byte gives eight bits, the highest first.
    level : float, default 0.01
        The level of significance, between 0 and 1: the share of random sequences that the test
        rejects.
    reference : {"corrected", "sts-2.1.2"}, default "corrected"
        The constants: exact ones, or those of the program that NIST publishes.

    Examples
    --------
    >>> run_nist_tests(bytes(100))[-1].verdict
    'too short'
    """
    sequence = checked_bits(bits)
    return tuple(test(sequence, level=level) for test in nist_tests(reference=reference).values())


# SP 800-22, 4.2.2: how p-values of many sequences are tested for uniformity.
_BINS = 10
# Sequences that section 4.2.2 asks for before p-values are tested for uniformity.
_FEWEST_SEQUENCES = 55

# SP 800-22, 4.2.2: p-values are uniform unless chi-square is less likely than that.
_UNIFORM_LEVEL = 0.0001


@dataclass(frozen=True, kw_only=True)
class SequencesSummary:
    """One p-value of a test, by its label, over the sequences that were tested.

    `proportion` is the share of them whose p-value is not below the level, `lower` and `upper` the
    interval of section 4.2.1, and `proportion_p_value` how often random sequences give as low a
    proportion, exactly (binomial). `uniformity` is the p-value of a chi-square test over ten
    classes of p-values; None below 55 sequences. `classes` counts the p-values in each class.
    """

    name: str
    label: str
    sequences: int
    proportion: float
    lower: float
    upper: float
    proportion_p_value: float
    uniformity: float | None
    level: float
    classes: tuple[int, ...] = ()

    @property
    def inside(self) -> bool:
        """Whether the proportion lies in the interval."""
        return self.lower <= self.proportion <= self.upper

    @property
    def uniform(self) -> bool | None:
        """Whether the p-values look uniform, at the level 0.0001 of section 4.2.2."""
        return None if self.uniformity is None else self.uniformity >= _UNIFORM_LEVEL


def summarize_sequences(
    results: Iterable[Iterable[RandomnessResult]],
) -> tuple[SequencesSummary, ...]:
    """Summarize the tests of many sequences, each p-value on its own row (section 4.2).

    The interval is 1 - level +- 3 sqrt(level (1 - level) / sequences), which is rough for few
    sequences: of 100 truly random ones the proportion lies below it with probability 0.018, so
    that three or four of 188 rows do. `proportion_p_value` is exact; to judge all rows at once
    compare the smallest with the level divided by their number.

    `results` are what `run_nist_tests` gave for each sequence, at one level. Sequences of a million
    bits have 188 rows; what was never tested has none.

    Parameters
    ----------
    results : sequence of sequence of RandomnessResult
        What `run_nist_tests` returned for each sequence, at one level.

    Examples
    --------
    >>> from sudokucrypt.analysis.randomness import frequency
    >>> row, = summarize_sequences([[frequency(bytes([17 * k] * 16))] for k in range(16)])
    >>> row.sequences, row.proportion, row.inside
    (16, 0.375, False)
    """
    p_values: dict[tuple[str, str], list[float]] = {}
    levels = set()
    for result in (result for sequence in results for result in sequence):
        levels.add(result.level)
        for label, p_value in zip(result.labels, result.p_values, strict=True):
            p_values.setdefault((result.name, label), []).append(p_value)
    if len(levels) > 1:
        raise InvalidParameterError("the results have different levels of significance")
    return tuple(
        _summary(name, label, values, level)
        for level in levels
        for (name, label), values in p_values.items()
    )


def _summary(name: str, label: str, p_values: list[float], level: float) -> SequencesSummary:
    with optional_library("scipy"):
        from scipy import special
    count = len(p_values)
    passed = sum(p_value >= level for p_value in p_values)
    margin = 3 * sqrt(level * (1 - level) / count)
    # A p-value of 1 belongs to the last class.
    bins = np.minimum(np.array(p_values) * _BINS, _BINS - 1).astype(int)
    classes = np.bincount(bins, minlength=_BINS)
    spread = chi_square(classes, [1 / _BINS] * _BINS)
    return SequencesSummary(
        name=name,
        label=label,
        sequences=count,
        proportion=passed / count,
        lower=1 - level - margin,
        upper=1 - level + margin,
        proportion_p_value=float(special.bdtr(passed, count, 1 - level)),
        uniformity=spread[1] if count >= _FEWEST_SEQUENCES else None,
        level=level,
        classes=tuple(classes.tolist()),
    )
