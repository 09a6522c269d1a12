"""Compare results with those printed in NIST SP 800-22 rev. 1a: digits of pi and e, and examples.

Worked examples with errors in the document are tested with corrected values.
"""

import hashlib
import tomllib
from collections.abc import Callable
from functools import lru_cache
from math import erfc, log2, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sudokucrypt.analysis import randomness as nist
from sudokucrypt.analysis.randomness.bit_patterns import _compute_poisson_probabilities
from sudokucrypt.analysis.randomness.bit_sequences import compute_chi_square
from sudokucrypt.analysis.randomness.distances import (
    _DEVIATION_CONSTANTS,
    _PUBLISHED_MOMENTS,
    compute_distance_moments,
)
from tests.analysis.randomness.constants import compute_e_text, compute_pi_text, parse_bits

PUBLISHED: dict[str, Any] = tomllib.loads(
    Path(__file__).with_name("published.toml").read_text(encoding="utf-8")
)


@lru_cache
def run_tests_on(digits: Callable[[], str], reference: Any) -> dict[str, nist.RandomnessResult]:
    """Return the results of all fifteen tests for the digits of a number."""
    actual = nist.run_nist_tests(parse_bits(digits()), reference=reference)
    return {result.name: result for result in actual}


def get_p_value(result: nist.RandomnessResult, label: str) -> float:
    """Return the p-value with this label."""
    return result.p_values[result.labels.index(label)]


@pytest.mark.slow
def test_digits_of_pi() -> None:
    """Computed digits of pi have the hash of the file data.pi of the reference program."""
    digest = hashlib.sha256(compute_pi_text().encode()).hexdigest()
    assert digest == "417539f94f4d570b0f5c9e655b2e7d5cbb652028bf28a31add155d73a560a34d"


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "label", "of_pi", "of_e"), PUBLISHED["appendix_b"])
def test_p_values_equal_those_of_appendix_b(
    name: str, label: str, of_pi: float, of_e: float
) -> None:
    """P-values for pi and e equal appendix B, within the errors of the reference program."""
    # The program's normal distribution function has an error of about 1e-7 for e.
    for digits, expected in ((compute_pi_text, of_pi), (compute_e_text, of_e)):
        result = get_p_value(run_tests_on(digits, "sts-2.1.2")[name], label)
        assert result == pytest.approx(expected, abs=1e-6)


@pytest.mark.nightly
def test_only_wrong_constants_are_corrected() -> None:
    """Only the five tests with wrong or rounded constants differ between the two references."""
    old, new = (
        run_tests_on(compute_pi_text, "sts-2.1.2"),
        run_tests_on(compute_pi_text, "corrected"),
    )
    changed = {
        name for name in old if old[name].p_values != pytest.approx(new[name].p_values, abs=1e-9)
    }
    expected = "longest_run spectral overlapping_template universal linear_complexity"
    assert changed == set(expected.split())


def test_the_universal_test_follows_its_definition() -> None:
    """Statistic and p-value are those of section 2.9.4, computed step by step."""
    length, warm_up, measured = 6, 640, 6400
    bits = np.random.default_rng(4).integers(0, 2, length * (warm_up + measured))
    last_positions, total = dict[int, int](), 0.0
    for position, value in enumerate((bits.reshape(-1, length) @ [32, 16, 8, 4, 2, 1]).tolist(), 1):
        if position > warm_up:
            total += log2(position - last_positions.get(value, 0))
        last_positions[value] = position
    factor = 0.7 - 0.8 / length + (4 + 32 / length) * measured ** (-3 / length) / 15
    deviation = factor * sqrt(2.954 / measured)
    p_value = erfc(abs(total / measured - 5.2177052) / (sqrt(2) * deviation))
    result = nist.universal(bits, block_length=length, reference="sts-2.1.2")
    assert result.statistics == pytest.approx((total / measured,))
    assert result.p_values == pytest.approx((p_value,))
    assert 0.01 < p_value < 0.99


def test_constants_of_the_universal_test_agree() -> None:
    """Published moments are those of the distribution, and both deviations nearly the same."""
    assert list(_PUBLISHED_MOMENTS) == list(range(6, 17))
    for length, (mean, variance) in _PUBLISHED_MOMENTS.items():
        assert compute_distance_moments(length) == pytest.approx((mean, variance), abs=1e-3)
    assert list(_DEVIATION_CONSTANTS) == list(range(3, 17))
    ratios = []
    for length, (constant, growth) in _DEVIATION_CONSTANTS.items():
        measured = 1000 * 2**length
        rough = 0.7 - 0.8 / length + (4 + 32 / length) * measured ** (-3 / length) / 15
        ratios.append(sqrt(constant + growth * 2**length / measured) / rough)
    assert ratios == sorted(ratios, reverse=True)
    assert ratios[3:] == pytest.approx([1] * 11, abs=0.06)


OLD: dict[str, Any] = {"reference": "sts-2.1.2"}


@pytest.mark.slow
@pytest.mark.parametrize("row", PUBLISHED["digits_of_e"], ids=lambda row: row["test"])
def test_worked_examples_with_digits_of_e(row: dict[str, Any]) -> None:
    """Statistics and p-values equal all digits that the document prints."""
    test = getattr(nist, row["test"])
    result = test(parse_bits(compute_e_text())[: row["digits"]], **row.get("options", {}))
    for actual, printed in (
        (result.statistics, row["statistics"]),
        (result.p_values, row["p_values"]),
    ):
        assert actual[: len(printed)] == pytest.approx(printed, abs=5e-7)
    if row["test"] == "random_excursions":
        assert result.details == {"cycles": 1490}


def test_excursions_of_ten_bits() -> None:
    """Excursions of ten bits equal sections 2.14.4 and 2.15.4, the former with rounded values."""
    near = nist.random_excursions(parse_bits("0110110101"), enforce_length=False)
    assert near.details == {"cycles": 3}
    assert near.statistics[near.labels.index("+1")] == pytest.approx(13 / 3)
    assert get_p_value(near, "+1") == pytest.approx(0.502529, abs=5e-5)
    far = nist.random_excursions_variant(parse_bits("0110110101"), enforce_length=False)
    assert far.statistics[far.labels.index("+1")] == 4
    assert get_p_value(far, "+1") == pytest.approx(0.683091, abs=5e-7)


def test_overlapping_example() -> None:
    """Overlapping templates give the corrected counts and statistic of section 2.8.4."""
    shares = _compute_poisson_probabilities(2, 10)
    assert compute_chi_square([0, 1, 1, 1, 1, 1], shares)[0] == pytest.approx(3.167729, abs=2e-5)
    sequence = parse_bits("10111011110010110100011100101110111110000101101001")
    lengths: dict[str, Any] = {"template_length": 2, "block_length": 10}
    result = nist.overlapping_template(sequence, **lengths, **OLD, enforce_length=False)
    right = compute_chi_square([0, 2, 0, 1, 1, 1], shares)
    assert (*result.statistics, *result.p_values) == pytest.approx(right)
