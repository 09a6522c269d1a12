"""All fifteen tests on one sequence."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Protocol

from sudokucrypt.analysis.randomness.balance import block_frequency, frequency
from sudokucrypt.analysis.randomness.bits import checked_bits
from sudokucrypt.analysis.randomness.complexity import linear_complexity
from sudokucrypt.analysis.randomness.cumulative import cumulative_sums
from sudokucrypt.analysis.randomness.distances import universal
from sudokucrypt.analysis.randomness.excursions import (
    random_excursions,
    random_excursions_variant,
)
from sudokucrypt.analysis.randomness.outcome import DEFAULT_LEVEL, checked_reference
from sudokucrypt.analysis.randomness.overlapping import overlapping_template
from sudokucrypt.analysis.randomness.patterns import approximate_entropy, serial
from sudokucrypt.analysis.randomness.rank import matrix_rank
from sudokucrypt.analysis.randomness.run_lengths import longest_run, runs
from sudokucrypt.analysis.randomness.spectrum import spectral
from sudokucrypt.analysis.randomness.templates import non_overlapping_templates

if TYPE_CHECKING:
    from sudokucrypt.analysis.randomness.bits import BitsLike
    from sudokucrypt.analysis.randomness.outcome import RandomnessResult, Reference


class RandomnessTest(Protocol):
    """A test with its parameters chosen."""

    def __call__(self, bits: BitsLike, /, *, level: float = ...) -> RandomnessResult:
        """Test one sequence."""
        ...


def nist_tests(*, reference: Reference = "corrected") -> dict[str, RandomnessTest]:
    r"""Return the fifteen tests of SP 800-22 by name, in the order of the document.

    Parameters
    ----------
    reference : {"corrected", "sts-2.1.2"}
        Exact constants, or those of the reference program in the tests where they differ.

    Examples
    --------
    >>> tests = nist_tests()
    >>> len(tests), tests["runs"](b"\x35" * 20).section
    (15, '2.3')
    """
    checked_reference(reference)
    return {
        "frequency": frequency,
        "block_frequency": block_frequency,
        "runs": runs,
        "longest_run": partial(longest_run, reference=reference),
        "matrix_rank": matrix_rank,
        "spectral": spectral,
        "non_overlapping_templates": non_overlapping_templates,
        "overlapping_template": partial(overlapping_template, reference=reference),
        "universal": partial(universal, reference=reference),
        "linear_complexity": partial(linear_complexity, reference=reference),
        "serial": serial,
        "approximate_entropy": approximate_entropy,
        "cumulative_sums": partial(cumulative_sums, reference=reference),
        "random_excursions": random_excursions,
        "random_excursions_variant": random_excursions_variant,
    }


def run_nist_tests(
    bits: BitsLike, *, level: float = DEFAULT_LEVEL, reference: Reference = "corrected"
) -> tuple[RandomnessResult, ...]:
    """Run the fifteen tests of SP 800-22, with its usual parameters, on one sequence.

    Parameters
    ----------
    bits : bytes-like, or array_like of shape (n,) of 0 and 1
        The sequence. All tests apply from 1,000,000 bits on; shorter ones get a verdict "too
        short" where the document asks for more.
    level : float
        The level of significance of each test.
    reference : {"corrected", "sts-2.1.2"}
        Exact constants, or those of the reference program.

    Returns
    -------
    tuple of RandomnessResult
        In the order of the document.

    Raises
    ------
    InvalidParameterError
        If these are no bits.
    UnsupportedError
        If SciPy is not installed.

    Notes
    -----
    Passing proves nothing: a fixed published sequence such as the digits of pi passes. At level
    0.01 about one random sequence in eight fails at least one of the fifteen tests.

    References
    ----------
    L. E. Bassham et al., NIST SP 800-22 rev. 1a, 2010, doi:10.6028/NIST.SP.800-22r1a.

    Examples
    --------
    >>> results = run_nist_tests(bytes(100))
    >>> [result.name for result in results if result.passed][:1]
    []
    >>> results[-1].verdict
    'too short'
    """
    sequence = checked_bits(bits)
    return tuple(test(sequence, level=level) for test in nist_tests(reference=reference).values())
