"""Test which sequences the fifteen tests accept, reject and refuse."""

import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudokucrypt.analysis import randomness as nist
from sudokucrypt.analysis.randomness import (
    RandomnessTest,
    nist_tests,
    run_nist_tests,
)
from sudokucrypt.analysis.randomness.bit_patterns import compute_count_probabilities
from sudokucrypt.analysis.randomness.bit_sequences import compute_chi_square
from sudokucrypt.analysis.randomness.rank_and_spectrum import _COMPLEXITY_SHARES
from tests.analysis.randomness.constants import BitArray

MILLION = 1_000_000
SUITE: dict[str, Any] = tomllib.loads(
    Path(__file__).with_name("suite.toml").read_text(encoding="utf-8")
)
RNG_SEED = 22


def draw_bits(length: int, seed: int = RNG_SEED) -> BitArray:
    return np.random.default_rng(seed).integers(0, 2, length, dtype=np.uint8)


def run_shift_register(taps: tuple[int, ...], length: int) -> BitArray:
    """Return bits of which each is the exclusive-or of the bits at the distances `taps` before."""
    bits = draw_bits(length)
    nearest, size = min(taps), max(taps)
    for start in range(size, length, nearest):
        stop = min(length, start + nearest)
        bits[start:stop] = 0
        for tap in taps:
            bits[start:stop] ^= bits[start - tap : stop - tap]
    return bits


@pytest.mark.slow
def test_random_bits_pass() -> None:
    """Bits of a good generator pass all tests, with 188 p-values in 0..1."""
    results = run_nist_tests(draw_bits(MILLION))
    assert [result.name for result in results] == list(nist_tests())
    assert [result.section for result in results] == [f"2.{n}" for n in range(1, 16)]
    for result in results:
        assert result.verdict == "tested"
        assert result.passed
        assert len(result.labels) == len(result.statistics) == len(result.p_values)
        assert all(0 <= p_value <= 1 for p_value in result.p_values)
    assert sum(len(result.p_values) for result in results) == 188


def make_biased_bits() -> BitArray:
    """Return bits with 50.5% ones."""
    return (np.random.default_rng(3).random(MILLION) < 0.505).astype(np.uint8)


def make_periodic_bits() -> BitArray:
    """Return bits with a balanced period of 1000 bits."""
    half = draw_bits(1000)[:500]
    return np.resize(np.concatenate([half, 1 - half]), MILLION)


MAKERS: dict[str, Callable[[], BitArray]] = {
    "biased": make_biased_bits,
    "periodic": make_periodic_bits,
    "short_register": lambda: run_shift_register((3, 20), MILLION),
    "long_register": lambda: run_shift_register((37, 100), MILLION),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", MAKERS)
def test_each_fault_fails_the_tests_for_it(fault: str) -> None:
    """Each fault of a sequence fails the tests for this fault, and passes the listed others."""
    failing, passing = SUITE["faults"][fault]
    actual = {result.name for result in run_nist_tests(MAKERS[fault]()) if result.passed is False}
    assert set(failing.split()) <= actual
    assert not set(passing.split()) & actual


@pytest.mark.slow
def test_short_sequences_are_refused() -> None:
    """Each test is "too short" one bit below the length in its note, and runs from there on."""
    named = {}
    for result in run_nist_tests(draw_bits(99)):
        assert (result.verdict, result.p_values, result.passed) == ("too short", (), None)
        named[result.name] = int(result.note.split()[-1])
    assert named == dict.fromkeys(nist_tests(), MILLION) | SUITE["needed"]
    for name, test in nist_tests().items():
        assert test(draw_bits(named[name] - 1)).verdict == "too short"
        assert test(draw_bits(named[name])).verdict != "too short"


def test_notes_say_what_bits_are_no_use_for() -> None:
    """Notes explain a walk with few cycles, and runs of ones only."""
    only_ones = nist.runs(np.ones(104, dtype=np.uint8))
    assert (only_ones.p_values, only_ones.statistics) == ((0.0,), (1.0,))
    assert "too rare or too frequent" in only_ones.note
    bits = draw_bits(MILLION)
    bits[:2000] = 1
    for name in ("random_excursions", "random_excursions_variant"):
        result = nist_tests()[name](bits)
        assert (result.verdict, result.passed) == ("not applicable", None)
        assert result.note == f"{result.details['cycles']} cycles, but the test needs 500"


@pytest.mark.slow
def test_constant_bits_fail() -> None:
    """Only zeros, or only ones, fail all applicable tests except two."""
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
    """P-values are in 0..1 for sequences of any length and bias."""
    rng = np.random.default_rng(seed)
    bits = (rng.random(length) < rng.random()).astype(np.uint8)
    results = run_nist_tests(bits, reference=reference)  # type: ignore[arg-type]
    p_values = [p_value for result in results for p_value in result.p_values]
    assert bool(p_values) is (length >= 104)
    assert all(0 <= p_value <= 1 for p_value in p_values)


@pytest.mark.parametrize("length", [16 * 4099, 15 * 4403])
def test_long_sequences_are_looked_at_in_parts(
    length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Statistics do not depend on the number of bits that are processed at a time."""
    bits = draw_bits(length)

    def figures() -> list[float]:
        results = [
            *run_nist_tests(bits),
            *(test(bits, enforce_length=False) for test in (nist.serial, nist.random_excursions)),
            nist.random_excursions_variant(bits, enforce_length=False),
            nist.linear_complexity(bits, block_length=50, enforce_length=False),
            nist.overlapping_template(bits, enforce_length=False),
            nist.universal(bits, block_length=5),
        ]
        return [value for result in results for value in (*result.statistics, *result.p_values)]

    whole = figures()
    for module in ("bit_sequences", "counts"):
        monkeypatch.setattr(f"sudokucrypt.analysis.randomness.{module}.CHUNK_BITS", 1000)
    monkeypatch.setattr(
        "sudokucrypt.analysis.randomness.rank_and_spectrum._MAX_UNDIVIDED_BITS", 1000
    )
    assert figures() == pytest.approx(whole, rel=1e-9, abs=1e-12)


def test_p_values_are_uniform() -> None:
    """Each test rejects about 5% of 1000 short random sequences at the level 0.05."""
    tests = {name: nist_tests()[name] for name in ("frequency", "runs", "spectral")}
    tests["block_frequency"] = nist.block_frequency
    rejected_counts = dict.fromkeys(tests, 0)
    for bits in draw_bits(2_000_000, 5).reshape(1000, 2000):
        for name, test in tests.items():
            rejected_counts[name] += min(test(bits).p_values) < 0.05
    # 3.2 deviations
    assert all(28 <= count <= 72 for count in rejected_counts.values()), rejected_counts


def measure_rejected_share(test: RandomnessTest, length: int, count: int = 2000) -> float:
    """Return the share of random sequences of this length that a test rejects at 0.01."""
    rng = np.random.default_rng(length)
    sequences = (rng.bytes(-(-length // 8)) for _ in range(count))
    verdicts = [
        test(np.unpackbits(np.frombuffer(data, dtype=np.uint8), count=length)).passed
        for data in sequences
    ]
    return verdicts.count(False) / (len(verdicts) - verdicts.count(None))


MANY_BITS = 2**18  # thousands of longer sequences take half a minute
MINIMUM_LENGTHS = [*SUITE["needed"].items()]
MINIMUM_LENGTHS += [(name, length) for name, more in SUITE["longer"].items() for length in more]


@pytest.mark.parametrize(
    ("name", "length"),
    [
        pytest.param(*each, marks=pytest.mark.nightly if each[1] > MANY_BITS else pytest.mark.slow)
        for each in MINIMUM_LENGTHS
    ],
)
def test_random_sequences_of_the_least_length_pass(name: str, length: int) -> None:
    """Of 2000 random sequences of each minimum length, at most 1.3% are rejected at 0.01.

    Lengths at which a test changes to longer patterns are tested too.
    """
    if length < MILLION:
        assert nist_tests()[name](draw_bits(length)).verdict == "tested"
    assert measure_rejected_share(nist_tests()[name], length) <= 0.013


@pytest.mark.parametrize(
    ("shares", "blocks"), [(compute_count_probabilities(9, 1032), 968), (_COMPLEXITY_SHARES, 2000)]
)
def test_random_blocks_of_a_million_bits_pass(shares: tuple[float, ...], blocks: int) -> None:
    """Random counts of classes in a million bits are rejected at most 1.3% of the time."""
    counts = np.random.default_rng(1).multinomial(blocks, shares, size=2000)
    assert sum(compute_chi_square(each, shares)[1] < 0.01 for each in counts) <= 26


def test_patterns_are_as_long_as_the_sequence_allows() -> None:
    """By default patterns get longer with the sequence, up to the usual length."""
    for name, row in SUITE["patterns"].items():
        for length, expected in row["lengths"]:
            assert nist_tests()[name](draw_bits(length)).details[row["key"]] == expected
    with_longer = nist.approximate_entropy(draw_bits(524_287), pattern_length=10)
    assert with_longer.note == "524287 bits, but the test needs 524288"
    assert nist.non_overlapping_templates(draw_bits(8000), templates=["0001"]).p_values == ()


def test_many_p_values_share_one_level() -> None:
    """A test fails if one of k p-values is below level / k; `rejected` compares each with level."""
    result = replace(
        nist.serial(draw_bits(600), pattern_length=3), statistics=(1, 1), p_values=(0.0049, 0.009)
    )
    assert result.rejected == ("first", "second")
    assert result.passed is False
    assert replace(result, p_values=(0.0051, 0.009)).passed is True
