"""Test that intervals, p-values and verdicts of measurements agree."""

from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sudokucrypt import analysis
from sudokucrypt.analysis.results import make_count_measurement, make_normal_measurement
from tests.analysis.metrics.chance import make_noise, make_permutations


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
    """Intervals and p-values of a normal value agree with SciPy, one-sided and two-sided."""
    law = stats.norm(expected, deviation)
    both = make_normal_measurement("x", value, expected, deviation, level)
    low = make_normal_measurement("x", value, expected, deviation, level, sides="low")
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
    sides=st.sampled_from(["high", "both"]),
)
def test_counts_pass_when_their_p_value_is_no_less_than_the_level(
    count: int, mean: float, level: float, sides: Literal["high", "both"]
) -> None:
    """A count passes exactly when SciPy's p-value is not below the level."""
    law = stats.poisson(mean)
    high = sides == "high"
    result = make_count_measurement("x", count, law.pmf(np.arange(100)), level, sides=sides)
    above = law.sf(count - 1)
    p_value = above if high else min(1, 2 * min(above, law.cdf(count)))
    assert result.p_value == pytest.approx(p_value, abs=1e-12)
    assert result.expected == pytest.approx(mean, abs=1e-9)
    assert (result.lower is None) == high
    assert result.passed == (result.p_value is not None and result.p_value >= level)
    beyond = make_count_measurement("x", 7, np.array([0.5, 0.5]), level)  # of no chance at all
    assert (beyond.p_value, beyond.passed) == (0.0, False)


def test_every_figure_is_a_plain_number() -> None:
    """Names of measurements are unique, and all values are Python floats or None."""
    image = make_noise((250, 250), "uint8", seed=1)
    order = make_permutations(1, 64, seed=1)[0]
    needs: dict[str, tuple[Any, ...]] = {
        **dict.fromkeys(("image", "channel"), (image,)),
        **dict.fromkeys(("pair", "twins"), (image, image)),
        "map": (order,),
        "maps": ([order],),
        "scheme": (lambda x, _: x, image, b"k"),
    }
    measured = [
        row
        for metric in analysis.METRICS.values()
        for row in metric.measure_named(
            *needs[metric.needs], decrypt=lambda x, _: x, levels=256, level=0.05
        )
    ]
    assert len({row.name for row in measured}) == len(measured)
    for row in [*measured, analysis.npcr(image, image, tail="binomial")]:
        values = (row.value, row.expected, row.lower, row.upper, row.p_value, row.level)
        assert {type(figure) for figure in values} <= {float, type(None)}, row
        assert isinstance(row.passed, bool | None)
        assert row.note or row.expected is None, row
    numbers = (
        *(getattr(analysis, name)(image, image) for name in ("mse", "psnr", "ssim")),
        *analysis.entropy_moments(256, 100),
        *analysis.uaci_critical(100),
        analysis.npcr_critical(100),
        analysis.gray_difference(image),
        analysis.key_space_bits(8),
    )
    assert {type(number) for number in numbers} == {float}
