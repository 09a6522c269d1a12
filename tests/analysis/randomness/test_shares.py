"""Test the probabilities of the tests by counting and simulation."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudokucrypt.analysis.randomness import aperiodic_templates
from sudokucrypt.analysis.randomness.bit_patterns import compute_count_probabilities
from sudokucrypt.analysis.randomness.counts import (
    compute_run_probabilities,
    compute_visit_probabilities,
)
from sudokucrypt.analysis.randomness.distances import _PUBLISHED_MOMENTS, compute_distance_moments
from sudokucrypt.analysis.randomness.rank_and_spectrum import (
    _COMPLEXITY_SHARES,
    compute_binary_ranks,
    compute_rank_probability,
    find_feedback_length,
)


def test_longest_runs() -> None:
    """Probabilities of longest runs in 8 bits equal counts over all 256 blocks."""
    longest = [max(map(len, format(block, "08b").split("0"))) for block in range(256)]
    counts = np.bincount(np.clip(longest, 1, 4) - 1)
    assert compute_run_probabilities(8) == pytest.approx(counts / 256)
    for length in (8, 128, 10_000):
        assert sum(compute_run_probabilities(length)) == pytest.approx(1)


@pytest.mark.slow
def test_longest_runs_of_ten_thousand_bits() -> None:
    """Longest runs in 20,000 random blocks agree with the exact probabilities."""
    rng = np.random.default_rng(1)
    counts = np.zeros(7)
    for _ in range(20):
        blocks = np.unpackbits(rng.integers(0, 256, (1000, 1250), dtype=np.uint8), axis=1)
        longer = blocks  # positions where a run of the given number of ones begins
        runs_above = [1000]
        for length in range(2, 17):
            longer = longer[:, :-1] & blocks[:, length - 1 :]
            if length > 10:
                runs_above.append(int(longer.any(axis=1).sum()))
        counts += -np.diff([*runs_above, 0])
    expected = 20_000 * np.array(compute_run_probabilities(10_000))
    assert np.sum((counts - expected) ** 2 / expected) < 16.8  # 0.01 at 6 degrees of freedom


@pytest.mark.parametrize(("template", "block"), [(2, 8), (3, 12), (4, 11)])
def test_overlapping_shares_by_counting(template: int, block: int) -> None:
    """Probabilities of overlapping occurrences equal counts over all short blocks."""
    counts = np.zeros(6)
    for positions in product("01", repeat=block):
        text = "".join(positions)
        result = sum(text.startswith("1" * template, at) for at in range(block))
        counts[min(result, 5)] += 1
    assert compute_count_probabilities(template, block) == pytest.approx(counts / 2**block)


def test_rank_shares_by_counting() -> None:
    """Probabilities of ranks equal counts over all 512 matrices of 3 x 3 bits."""
    rows = np.array(list(product(range(8), repeat=3)), dtype=np.uint8)
    counts = np.bincount(compute_binary_ranks(rows, 3), minlength=4)
    assert [compute_rank_probability(3, rank) for rank in range(4)] == pytest.approx(counts / 512)


@settings(max_examples=40)
@given(st.lists(st.integers(0, 2**12 - 1), min_size=1, max_size=12))
def test_rank_counts_the_sums_of_rows(rows: list[int]) -> None:
    """A matrix of rank r has 2^r different sums of its rows."""
    sums = {0}
    for row in rows:
        sums |= {total ^ row for total in sums}
    assert 2 ** int(compute_binary_ranks(np.array([rows], dtype=np.uint16), 12)[0]) == len(sums)


def test_distances_of_section_2_9() -> None:
    """Moments of distances equal the table of section 2.9, which has 7 and 4 digits."""
    for width, (mean, variance) in _PUBLISHED_MOMENTS.items():
        if width <= 12:
            assert compute_distance_moments(width)[0] == pytest.approx(mean, abs=1e-6)
            assert compute_distance_moments(width)[1] == pytest.approx(variance, abs=1e-3)


def test_visits_by_simulation() -> None:
    """Visits of states in cycles of random walks agree with the probabilities."""
    rng = np.random.default_rng(2)
    walk = np.cumsum(rng.integers(0, 2, 2_000_000) * 2 - 1)
    cycle = np.cumsum(walk == 0)
    for state in (-3, 1, 2):
        visits = np.bincount(cycle[walk == state], minlength=cycle[-1])[: cycle[-1]]
        counts = np.bincount(np.minimum(visits, 5), minlength=6)
        shares = np.array(compute_visit_probabilities(state))
        expected = len(visits) * shares
        assert len(visits) > 500
        assert np.sum((counts - expected) ** 2 / expected) < 15.1  # 0.01 at 5 degrees of freedom


def test_complexities_by_counting() -> None:
    """Counts of complexities over all sequences of ten bits equal Rueppel's formula.

    R. A. Rueppel, Analysis and design of stream ciphers, 1986, section 4.1.
    """
    n = 10
    counts = [0] * (n + 1)
    for positions in product((0, 1), repeat=n):
        counts[find_feedback_length(list(positions))] += 1
    assert counts == [1, *(2 ** min(2 * n - 2 * size, 2 * size - 1) for size in range(1, n + 1))]


@pytest.mark.parametrize("length", [500, 501])
def test_complexity_classes(length: int) -> None:
    """The seven probabilities equal sums over the distribution of complexity for long blocks."""
    sign = -1 if length % 2 else 1
    mean = length / 2 + (9 - sign) / 36
    classes = [0.0] * 7
    for size in range(1, length + 1):
        position = np.searchsorted(np.arange(-2.5, 3), sign * (size - mean) + 2 / 9)
        classes[position] += 2.0 ** (min(2 * length - 2 * size, 2 * size - 1) - length)
    assert classes == pytest.approx(_COMPLEXITY_SHARES)


@settings(max_examples=40)
@given(st.integers(1, 8), st.data())
def test_registers_are_found(size: int, data: st.DataObject) -> None:
    """The complexity is at most the length of a register that generated the bits."""
    bit = st.integers(0, 1)
    taps = data.draw(st.lists(bit, min_size=size, max_size=size))
    sequence = data.draw(st.lists(bit, min_size=size, max_size=size))
    for _ in range(3 * size):
        sequence.append(sum(t & s for t, s in zip(taps, sequence[-size:], strict=True)) % 2)
    assert find_feedback_length(sequence) <= size


def test_numbers_of_templates_equal_those_of_the_document() -> None:
    """The numbers of aperiodic templates of 2 to 10 bits equal those of section 2.7."""
    result = [len(aperiodic_templates(width)) for width in range(2, 11)]
    assert result == [2, 4, 6, 12, 20, 40, 74, 148, 284]
