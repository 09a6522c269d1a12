"""All fifteen tests: what they accept, reject and refuse."""

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
from sudokucrypt.analysis.randomness.bit_patterns import overlapping_shares
from sudokucrypt.analysis.randomness.bit_sequences import chi_square
from sudokucrypt.analysis.randomness.rank_and_spectrum import _SHARES
from tests.analysis.randomness.constants import BitArray

MILLION = 1_000_000
SUITE: dict[str, Any] = tomllib.loads(
    Path(__file__).with_name("suite.toml").read_text(encoding="utf-8")
)
RNG_SEED = 22


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


def biased() -> BitArray:
    """Bits with 50.5% ones."""
    return (np.random.default_rng(3).random(MILLION) < 0.505).astype(np.uint8)


def periodic() -> BitArray:
    """A balanced period of 1000 bits."""
    half = random_bits(1000)[:500]
    return np.resize(np.concatenate([half, 1 - half]), MILLION)


MAKERS: dict[str, Callable[[], BitArray]] = {
    "biased": biased,
    "periodic": periodic,
    "short_register": lambda: shift_register((3, 20), MILLION),
    "long_register": lambda: shift_register((37, 100), MILLION),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", MAKERS)
def test_faults_fail_what_looks_for_them(fault: str) -> None:
    """Bias fails what counts ones, a period what sees repetition, registers their complexity."""
    failing, passing = SUITE["faults"][fault]
    actual = {result.name for result in run_nist_tests(MAKERS[fault]()) if result.passed is False}
    assert set(failing.split()) <= actual
    assert not set(passing.split()) & actual


@pytest.mark.slow
def test_short_sequences_are_refused() -> None:
    """A test has no p-value just below the length that it names, and one from there on."""
    named = {}
    for result in run_nist_tests(random_bits(99)):
        assert (result.verdict, result.p_values, result.passed) == ("too short", (), None)
        named[result.name] = int(result.note.split()[-1])
    assert named == dict.fromkeys(nist_tests(), MILLION) | SUITE["needed"]
    for name, test in nist_tests().items():
        assert test(random_bits(named[name] - 1)).verdict == "too short"
        assert test(random_bits(named[name])).verdict != "too short"


def test_notes_say_what_bits_are_no_use_for() -> None:
    """A walk that seldom returns says nothing about excursions, and ones alone have no runs."""
    biased = nist.runs(np.ones(104, dtype=np.uint8))
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
    results = run_nist_tests(bits, reference=reference)  # type: ignore[arg-type]
    p_values = [p_value for result in results for p_value in result.p_values]
    assert bool(p_values) is (length >= 104)
    assert all(0 <= p_value <= 1 for p_value in p_values)


@pytest.mark.parametrize("length", [16 * 4099, 15 * 4403])
def test_long_sequences_are_looked_at_in_parts(
    length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Statistics do not depend on how many bits are held at a time."""
    bits = random_bits(length)

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
        monkeypatch.setattr(f"sudokucrypt.analysis.randomness.{module}.CHUNK", 1000)
    monkeypatch.setattr("sudokucrypt.analysis.randomness.rank_and_spectrum._WHOLE", 1000)
    assert figures() == pytest.approx(whole, rel=1e-9, abs=1e-12)


def test_p_values_are_uniform() -> None:
    """Of 1000 short random sequences each test rejects some 5% at 0.05."""
    tests = {name: nist_tests()[name] for name in ("frequency", "runs", "spectral")}
    tests["block_frequency"] = nist.block_frequency
    rejected = dict.fromkeys(tests, 0)
    for bits in random_bits(2_000_000, 5).reshape(1000, 2000):
        for name, test in tests.items():
            rejected[name] += min(test(bits).p_values) < 0.05
    assert all(28 <= count <= 72 for count in rejected.values()), rejected  # give or take 3.2


def rejected(test: RandomnessTest, length: int, count: int = 2000) -> float:
    """Return the share of random sequences of this length that a test rejects at 0.01."""
    rng = np.random.default_rng(length)
    sequences = (rng.bytes(-(-length // 8)) for _ in range(count))
    verdicts = [
        test(np.unpackbits(np.frombuffer(data, dtype=np.uint8), count=length)).passed
        for data in sequences
    ]
    return verdicts.count(False) / (len(verdicts) - verdicts.count(None))


MANY_BITS = 2**18  # thousands of longer sequences take half a minute
LEAST = [*SUITE["needed"].items()]
LEAST += [(name, length) for name, more in SUITE["longer"].items() for length in more]


@pytest.mark.parametrize(
    ("name", "length"),
    [
        pytest.param(*each, marks=pytest.mark.nightly if each[1] > MANY_BITS else pytest.mark.slow)
        for each in LEAST
    ],
)
def test_random_sequences_of_the_least_length_pass(name: str, length: int) -> None:
    """Of 2000 random sequences at most 1.3% are rejected at the level 0.01, however short.

    That is also so where a longer sequence makes a test look for longer patterns.
    """
    if length < MILLION:
        assert nist_tests()[name](random_bits(length)).verdict == "tested"
    assert rejected(nist_tests()[name], length) <= 0.013


@pytest.mark.parametrize(
    ("shares", "blocks"), [(overlapping_shares(9, 1032), 968), (_SHARES, 2000)]
)
def test_random_blocks_of_a_million_bits_pass(shares: tuple[float, ...], blocks: int) -> None:
    """So do blocks of a million bits that fall into the classes of 2.8 and 2.10 as shares say."""
    counts = np.random.default_rng(1).multinomial(blocks, shares, size=2000)
    assert sum(chi_square(each, shares)[1] < 0.01 for each in counts) <= 26


def test_patterns_are_as_long_as_the_sequence_allows() -> None:
    """Without a length of their own, patterns are longer in longer sequences, as far as usual."""
    for name, row in SUITE["patterns"].items():
        for length, expected in row["lengths"]:
            assert nist_tests()[name](random_bits(length)).details[row["key"]] == expected
    with_longer = nist.approximate_entropy(random_bits(524_287), pattern_length=10)
    assert with_longer.note == "524287 bits, and the test needs 524288"
    assert nist.non_overlapping_templates(random_bits(8000), templates=["0001"]).p_values == ()


def test_many_p_values_share_one_level() -> None:
    """A test fails if one of its k p-values lies below level / k; labels are told one by one."""
    result = replace(
        nist.serial(random_bits(600), pattern_length=3), statistics=(1, 1), p_values=(0.0049, 0.009)
    )
    assert result.rejected == ("first", "second")
    assert result.passed is False
    assert replace(result, p_values=(0.0051, 0.009)).passed is True
