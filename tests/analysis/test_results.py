"""Measurements: intervals, p-values and verdicts agree."""

import math
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sudokucrypt import analysis
from sudokucrypt.analysis import Measurement
from sudokucrypt.analysis.results import (
    checked_level,
    count_measurement,
    normal_measurement,
)
from sudokucrypt.errors import InvalidParameterError
from tests.analysis.metrics.chance import noise, rows


@settings(max_examples=25)
@given(
    value=st.floats(-6, 6),
    expected=st.floats(-2, 2),
    deviation=st.floats(0.1, 3),
    level=st.floats(0.001, 0.6),
)
def test_normal_tails_are_those_of_scipy(
    value: float, expected: float, deviation: float, level: float
) -> None:
    """Intervals and p-values of a normal figure agree with SciPy, on one side and on both."""
    law = stats.norm(expected, deviation)
    both = normal_measurement("x", value, expected, deviation, level)
    low = normal_measurement("x", value, expected, deviation, level, sides="low")
    assert (both.lower, both.upper) == pytest.approx(law.interval(1 - level), abs=1e-9)
    assert both.p_value == pytest.approx(2 * min(law.cdf(value), law.sf(value)), abs=1e-12)
    assert low.lower == pytest.approx(law.ppf(level), abs=1e-9)
    assert low.upper is None
    assert low.p_value == pytest.approx(law.cdf(value), abs=1e-12)


@settings(max_examples=25)
@given(
    count=st.integers(0, 40),
    mean=st.floats(0.3, 15),
    level=st.floats(0.001, 0.6),
    high=st.booleans(),
)
def test_counts_pass_when_their_p_value_is_no_less_than_the_level(
    count: int, mean: float, level: float, high: bool
) -> None:
    """A count lies in its interval exactly when its p-value, as SciPy has it, allows it."""
    law = stats.poisson(mean)
    sides: Literal["high", "both"] = "high" if high else "both"
    result = count_measurement("x", count, law.pmf(np.arange(100)), level, sides=sides)
    above = law.sf(count - 1)
    p_value = above if high else min(1, 2 * min(above, law.cdf(count)))
    assert result.p_value == pytest.approx(p_value, abs=1e-12)
    assert result.expected == pytest.approx(mean, abs=1e-9)
    assert (result.lower is None) == high
    assert result.passed == (result.p_value is not None and result.p_value >= level)


def test_a_count_beyond_its_law_has_no_chance() -> None:
    """Counts that the table of chances does not hold have p-value 0 and fail."""
    result = count_measurement("x", 7, np.array([0.5, 0.5]), 0.05)
    assert (result.p_value, result.passed) == (0.0, False)


VERDICTS: tuple[tuple[dict[str, float], bool | None], ...] = (
    ({}, None),
    ({"value": math.nan, "lower": 0.0, "upper": 2.0}, None),
    ({"lower": 1.0}, True),
    ({"upper": 1.0}, True),
    ({"lower": 1.1}, False),
    ({"lower": 0.0, "upper": 0.9}, False),
    ({"p_value": 0.05, "level": 0.05}, True),
    ({"p_value": 0.04, "level": 0.05}, False),
    ({"p_value": 0.04}, None),
)


def test_the_verdict_follows_the_interval_and_then_the_p_value() -> None:
    """Ends belong to the interval; without a test or a value there is no verdict."""
    for fields, passed in VERDICTS:
        assert Measurement(name="x", **{"value": 1.0, **fields}).passed is passed  # type: ignore[arg-type]


def test_levels_lie_between_0_and_1() -> None:
    """A level in percent is refused with a hint."""
    for level in (0.0, 1.0, -0.1, 5.0, math.nan):
        with pytest.raises(InvalidParameterError, match="between 0 and 1"):
            checked_level(level)


def test_every_figure_is_a_plain_number() -> None:
    """Names are unique, and figures are Python's own floats, as JSON needs them."""
    image = noise((60, 60), "uint8", seed=1)
    order = rows(1, 64, seed=1)[0]
    measured = [
        *analysis.correlations(image),
        *analysis.bit_plane_balance(image),
        *analysis.cooccurrence_features(image),
        *analysis.permutation_statistics(order, shape=(8, 8)),
        *analysis.key_sensitivity(lambda x, _: x, image, b"k", decrypt=lambda x, _: x),
        analysis.avalanche(lambda x, _: x, image, b"k"),
        analysis.chi_square_uniformity(image),
        analysis.global_entropy(image),
        analysis.gray_difference_degree(image, image),
        analysis.local_entropy(image, block_size=100),
        analysis.npcr(image, image),
        analysis.npcr(image, image, tail="binomial"),
        analysis.uaci(image, image),
        analysis.position_uniformity(analysis.position_table([order], bins=4), units=64),
    ]
    assert len({row.name for row in measured}) == len(measured) - 1  # npcr twice
    for row in measured:
        figures = (row.value, row.expected, row.lower, row.upper, row.p_value, row.level)
        assert {type(figure) for figure in figures} <= {float, type(None)}, row
        assert isinstance(row.passed, bool | None)
        assert row.note
    pairs = (analysis.mse, analysis.psnr, analysis.ssim)
    numbers = (
        *(measure(image, image) for measure in pairs),
        *analysis.entropy_moments(256, 100),
        *analysis.uaci_critical(100),
        analysis.npcr_critical(100),
        analysis.gray_difference(image),
        analysis.key_space_bits(8),
    )
    assert {type(number) for number in numbers} == {float}
