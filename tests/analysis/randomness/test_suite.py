"""All fifteen tests: what they accept, reject and refuse."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudokucrypt import InvalidParameterError
from sudokucrypt.analysis.randomness import (
    RandomnessResult,
    block_frequency,
    frequency,
    linear_complexity,
    nist_tests,
    non_overlapping_templates,
    overlapping_template,
    random_excursions,
    run_nist_tests,
    runs,
    serial,
    universal,
)
from tests.analysis.randomness.constants import BitArray

MILLION = 1_000_000
RNG_SEED = 22


def failures(bits: BitArray) -> set[str]:
    return {result.name for result in run_nist_tests(bits) if result.passed is False}


def random_bits(length: int, seed: int = RNG_SEED) -> BitArray:
    return np.random.default_rng(seed).integers(0, 2, length, dtype=np.uint8)


def shift_register(taps: tuple[int, ...], length: int) -> BitArray:
    """Bits of which each is the exclusive-or of those so many places before."""
    bits = random_bits(length)
    nearest, size = min(taps), max(taps)
    for start in range(size, length, nearest):
        stop = min(length, start + nearest)
        bits[start:stop] = 0
        for tap in taps:
            bits[start:stop] ^= bits[start - tap : stop - tap]
    return bits


@pytest.mark.slow
def test_random_bits_pass() -> None:
    """A good generator passes all, and every p-value is one."""
    results = run_nist_tests(random_bits(MILLION))
    assert [result.name for result in results] == list(nist_tests())
    assert [result.section for result in results] == [f"2.{n}" for n in range(1, 16)]
    for result in results:
        assert result.verdict == "tested"
        assert result.passed
        assert len(result.labels) == len(result.statistics) == len(result.p_values)
        assert all(0 <= p_value <= 1 for p_value in result.p_values)
    assert sum(len(result.p_values) for result in results) == 188


@pytest.mark.slow
def test_biased_bits_fail() -> None:
    """Bits with 50.5% ones fail what counts ones, and keep what looks at dependence."""
    biased = (np.random.default_rng(3).random(MILLION) < 0.505).astype(np.uint8)
    found = failures(biased)
    assert {"frequency", "cumulative_sums", "runs"} <= found
    assert not {"matrix_rank", "linear_complexity", "spectral"} & found


@pytest.mark.slow
def test_periodic_bits_fail() -> None:
    """A balanced period of 1000 bits fails what looks for repetition."""
    period = random_bits(1000)
    period[:500], period[500:] = period[:500], 1 - period[:500]
    found = failures(np.resize(period, MILLION))
    assert {"matrix_rank", "spectral", "universal", "serial", "approximate_entropy"} <= found
    assert {"non_overlapping_templates", "linear_complexity"} <= found
    assert "frequency" not in found


@pytest.mark.slow
def test_shift_registers_fail() -> None:
    """Registers of 20 and 100 places fail complexity; only the short one fails rank as well."""
    short = failures(shift_register((3, 20), MILLION))
    assert {"matrix_rank", "linear_complexity"} <= short
    assert not {"frequency", "runs"} & short
    long = failures(shift_register((37, 100), MILLION))
    assert "linear_complexity" in long
    assert not {"frequency", "matrix_rank", "serial", "universal"} & long


@pytest.mark.slow
def test_short_sequences_are_refused() -> None:
    """A test has no p-value just below the length that it names, and one from there on."""
    named = {}
    for result in run_nist_tests(random_bits(99)):
        assert (result.verdict, result.p_values, result.passed) == ("too short", (), None)
        named[result.name] = int(result.note.split()[-1])
    assert named == {
        "frequency": 100,
        "block_frequency": 128,
        "runs": 100,
        "longest_run": 128,
        "matrix_rank": 38_912,
        "spectral": 1000,
        "non_overlapping_templates": 20_544,
        "overlapping_template": MILLION,
        "universal": 387_840,
        "linear_complexity": MILLION,
        "serial": 524_288,
        "approximate_entropy": 65_536,
        "cumulative_sums": 100,
        "random_excursions": MILLION,
        "random_excursions_variant": MILLION,
    }
    for name, test in nist_tests().items():
        assert test(random_bits(named[name] - 1)).verdict == "too short"
        assert test(random_bits(named[name])).verdict != "too short"


def test_a_picture_is_too_short_for_some() -> None:
    """The 524,288 bits of 256 x 256 pixels are too few for four tests, which is no pass."""
    results = run_nist_tests(random_bits(2**19))
    short = {result.name for result in results if result.verdict == "too short"}
    assert short == {
        "overlapping_template",
        "linear_complexity",
        "random_excursions",
        "random_excursions_variant",
    }
    assert {result.passed for result in results if result.name in short} == {None}


def test_notes_say_what_bits_are_no_use_for() -> None:
    """A walk that seldom returns says nothing about excursions, and ones alone have no runs."""
    biased = runs(np.ones(100, dtype=np.uint8))
    assert (biased.p_values, biased.statistics) == ((0.0,), (1.0,))
    assert "too rare or frequent" in biased.note
    bits = random_bits(MILLION)
    bits[:2000] = 1
    for name in ("random_excursions", "random_excursions_variant"):
        result = nist_tests()[name](bits)
        assert (result.verdict, result.passed) == ("not applicable", None)
        assert result.note == f"{result.details['cycles']} cycles, and the test needs 500"


@pytest.mark.slow
def test_constant_bits_fail() -> None:
    """Zeros alone and ones alone fail whatever is applicable, without a warning."""
    for bit in (0, 1):
        results = run_nist_tests(np.full(MILLION, bit, dtype=np.uint8))
        passed = {result.name for result in results if result.passed}
        assert not passed - {"overlapping_template"} - {"spectral"}
        assert {result.name for result in results if result.verdict != "tested"} == {
            "random_excursions",
            "random_excursions_variant",
        }


@settings(max_examples=30, deadline=None)
@given(st.integers(100, 3000), st.integers(0, 2**32), st.sampled_from(["corrected", "sts-2.1.2"]))
def test_any_sequence_has_p_values(length: int, seed: int, reference: str) -> None:
    """Whatever is tested has p-values in 0..1 for sequences of any length and bias."""
    rng = np.random.default_rng(seed)
    bits = (rng.random(length) < rng.random()).astype(np.uint8)
    for result in run_nist_tests(bits, reference=reference):  # type: ignore[arg-type]
        assert all(0 <= p_value <= 1 for p_value in result.p_values)


def test_p_values_are_uniform() -> None:
    """Of 1000 short random sequences each test rejects some 5% at 0.05."""
    tests = {name: nist_tests()[name] for name in ("frequency", "runs", "spectral")}
    tests["block_frequency"] = block_frequency
    rejected = dict.fromkeys(tests, 0)
    for bits in random_bits(2_000_000, 5).reshape(1000, 2000):
        for name, test in tests.items():
            rejected[name] += min(test(bits).p_values) < 0.05
    assert all(28 <= count <= 72 for count in rejected.values()), rejected  # give or take 3.2


def test_many_p_values_share_one_level() -> None:
    """A test fails if one of its k p-values lies below level / k; labels are told one by one."""
    result = RandomnessResult(name="serial", section="2.11", length=10, labels=("first", "second"),
                              statistics=(1.0, 1.0), p_values=(0.0049, 0.009))  # fmt: skip
    assert result.rejected == ("first", "second")
    assert result.passed is False
    assert replace(result, p_values=(0.0051, 0.009)).passed is True


def test_wrong_parameters_are_refused() -> None:
    """Every parameter out of range is named."""
    bits = random_bits(1000)
    for call in (
        lambda: frequency(bits, level=0.0),
        lambda: block_frequency(bits, block_length=0),
        lambda: non_overlapping_templates(bits, templates=["0101"]),
        lambda: non_overlapping_templates(bits, templates=["01", "001"]),
        lambda: non_overlapping_templates(bits, templates=[]),
        lambda: non_overlapping_templates(bits, templates=["0 1"]),
        lambda: non_overlapping_templates(bits, blocks=101),
        lambda: overlapping_template(bits, template_length=17),
        lambda: overlapping_template(bits, block_length=12),
        lambda: linear_complexity(bits, block_length=499),
        lambda: universal(bits, block_length=1),
        lambda: universal(bits, block_length=17),
        lambda: universal(bits, block_length=5, reference="sts-2.1.2"),
        lambda: serial(bits, pattern_length=25),
        lambda: run_nist_tests(bits, reference="2.1.2"),  # type: ignore[arg-type]
    ):
        with pytest.raises(InvalidParameterError):
            call()


def test_excursions_by_hand() -> None:
    """The walk 1 0 -1 -2 -1 0 1 has three cycles, with 1, 0 and 1 visits of +1."""
    bits = [1, 0, 0, 0, 1, 1, 1]
    result = random_excursions(bits, enforce_length=False)
    assert result.details == {"cycles": 3}
    expected = 3 * np.array([0.5, 0.25, 0.125, 0.0625, 0.03125, 0.03125])
    assert result.statistics[result.labels.index("+1")] == pytest.approx(
        float(np.sum((np.array([1, 2, 0, 0, 0, 0]) - expected) ** 2 / expected))
    )
