"""Run all fifteen tests on one sequence, and summarize their results for many sequences."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import Protocol

import numpy as np

from sudokucrypt.analysis.inputs import require_library
from sudokucrypt.analysis.randomness import bit_patterns, counts, distances, rank_and_spectrum
from sudokucrypt.analysis.randomness.bit_sequences import (
    SIGNIFICANCE_LEVEL,
    BitsLike,
    RandomnessResult,
    Reference,
    check_bits,
    compute_chi_square,
    uses_published_constants,
)
from sudokucrypt.errors import InvalidParameterError


class RandomnessTest(Protocol):
    """A test with fixed parameters."""

    def __call__(self, bits: BitsLike, /, *, level: float = ...) -> RandomnessResult:
        """Test one sequence of bits."""
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
    uses_published_constants(reference)
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
    bits: BitsLike, *, level: float = SIGNIFICANCE_LEVEL, reference: Reference = "corrected"
) -> tuple[RandomnessResult, ...]:
    """Run the fifteen tests of SP 800-22, with its usual parameters, on one sequence.

    Results are in the order of the document. All tests apply from 1,000,000 bits on; with fewer
    bits, some tests have the verdict "too short". Passing proves nothing: a fixed published
    sequence such as the digits of pi passes. At level 0.01 about one random sequence in eight fails
    at least one of the fifteen tests.

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
    sequence = check_bits(bits)
    return tuple(test(sequence, level=level) for test in nist_tests(reference=reference).values())


# SP 800-22, 4.2.2: the number of classes in the test of p-values for uniformity.
_BIN_COUNT = 10
# SP 800-22, 4.2.2: the minimum number of sequences for this test.
_MIN_SEQUENCES = 55

# SP 800-22, 4.2.2: the level of significance of this test.
_UNIFORMITY_LEVEL = 0.0001


@dataclass(frozen=True, kw_only=True)
class SequencesSummary:
    """Statistics of one p-value of a test, with its label, over all tested sequences.

    `proportion` is the share of sequences whose p-value is not below the level, `lower` and `upper`
    the interval of section 4.2.1, and `proportion_p_value` the exact (binomial) probability of such
    a low proportion for random sequences. `uniformity` is the p-value of a chi-square test over ten
    classes of p-values, and None with fewer than 55 sequences. `classes` are the numbers of
    p-values in each class.
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
        """Whether the proportion of passed sequences is between `lower` and `upper`."""
        return self.lower <= self.proportion <= self.upper

    @property
    def uniform(self) -> bool | None:
        """Whether the p-values look uniform, at the level 0.0001 of section 4.2.2."""
        return None if self.uniformity is None else self.uniformity >= _UNIFORMITY_LEVEL


def summarize_sequences(
    results: Iterable[Iterable[RandomnessResult]],
) -> tuple[SequencesSummary, ...]:
    """Summarize the tests of many sequences, with a row for each p-value (section 4.2).

    The interval is 1 - level +- 3 sqrt(level (1 - level) / sequences), which is rough for few
    sequences: with 100 truly random ones, the proportion is below it with probability 0.018, as for
    three or four of 188 rows. `proportion_p_value` is exact; to judge all rows together, compare
    the smallest one with the level divided by the number of rows.

    Sequences of a million bits have 188 rows; tests that never ran have none.

    Parameters
    ----------
    results : sequence of sequence of RandomnessResult
        The results of `run_nist_tests` for each sequence, at one level.

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
        _summarize_p_values(name, label, values, level)
        for level in levels
        for (name, label), values in p_values.items()
    )


def _summarize_p_values(
    name: str, label: str, p_values: list[float], level: float
) -> SequencesSummary:
    with require_library("scipy"):
        from scipy import special
    count = len(p_values)
    passed_count = sum(p_value >= level for p_value in p_values)
    margin = 3 * sqrt(level * (1 - level) / count)
    # A p-value of 1 belongs to the last class.
    class_indices = np.minimum(np.array(p_values) * _BIN_COUNT, _BIN_COUNT - 1).astype(int)
    classes = np.bincount(class_indices, minlength=_BIN_COUNT)
    chi_square_result = compute_chi_square(classes, [1 / _BIN_COUNT] * _BIN_COUNT)
    return SequencesSummary(
        name=name,
        label=label,
        sequences=count,
        proportion=passed_count / count,
        lower=1 - level - margin,
        upper=1 - level + margin,
        proportion_p_value=float(special.bdtr(passed_count, count, 1 - level)),
        uniformity=chi_square_result[1] if count >= _MIN_SEQUENCES else None,
        level=level,
        classes=tuple(classes.tolist()),
    )
