"""The summary of many sequences."""

from dataclasses import replace
from math import comb, sqrt

import numpy as np
import pytest

from sudokucrypt import InvalidParameterError, KeyStream
from sudokucrypt.analysis import randomness as nist


def result(p_value: float, *, level: float = 0.01) -> nist.RandomnessResult:
    actual = nist.runs([0, 1] * 60)
    return replace(actual, p_values=(p_value,), level=level)


def test_proportion_and_interval() -> None:
    """Section 4.2.1 has 996 of 1000 passing as .996, in .99 +- .0094392."""
    (row,) = nist.summarise_sequences([[result(0.005 if k < 4 else 0.5)] for k in range(1000)])
    assert (row.sequences, row.proportion, row.inside) == (1000, 0.996, True)
    assert (row.lower, row.upper) == pytest.approx((0.99 - 0.0094392, 0.99 + 0.0094392), abs=1e-6)
    # How likely so low a proportion is, is the lower tail of the binomial law.
    (row,) = nist.summarise_sequences([[result(0.005 if k < 4 else 0.5)] for k in range(100)])
    tail = sum(comb(100, k) * 0.01**k * 0.99 ** (100 - k) for k in range(4, 101))
    assert row.proportion_p_value == pytest.approx(tail)
    assert row.inside is False
    assert row.lower == pytest.approx(0.99 - 3 * sqrt(0.01 * 0.99 / 100))


def test_uniformity() -> None:
    """Evenly spread p-values are uniform, equal ones are not, 54 are too few to say."""
    even = [[result((k + 0.5) / 60)] for k in range(60)]
    (row,) = nist.summarise_sequences(even)
    assert (row.uniformity, row.uniform) == (1.0, True)
    (row,) = nist.summarise_sequences([[result(1.0)]] * 55)
    assert row.uniform is False
    (row,) = nist.summarise_sequences(even[:54])
    assert (row.uniformity, row.uniform) == (None, None)


def test_untried_tests_do_not_count_and_levels_must_agree() -> None:
    """Sequences too short for a test are left out of its row; two levels cannot be mixed."""
    rows = nist.summarise_sequences([[nist.frequency([1, 0])], [nist.frequency([1, 0] * 60)]])
    assert [(row.name, row.sequences) for row in rows] == [("frequency", 1)]
    assert nist.summarise_sequences([]) == ()
    with pytest.raises(InvalidParameterError, match="different levels"):
        nist.summarise_sequences([[result(0.5)], [result(0.5, level=0.05)]])


@pytest.mark.slow
def test_generators_pass_together() -> None:
    """100 sequences of a generator and of key streams: no row is unlikely among all rows."""
    rng = np.random.default_rng(8)
    keys = (KeyStream(key.to_bytes(32, "big")) for key in range(100))
    for sequences in (
        (rng.integers(0, 256, 4864, dtype=np.uint8).tobytes() for _ in range(100)),
        (nist.bits_from_stream(key, 38_912) for key in keys),
    ):
        rows = nist.summarise_sequences(nist.run_nist_tests(bits) for bits in sequences)
        assert len(rows) == 21
        assert len(rows) * min(row.proportion_p_value for row in rows) > 0.01
        assert all(row.uniform for row in rows if row.name != "matrix_rank")
        assert sum(row.inside for row in rows) >= 19  # 0.018 of them lie outside
