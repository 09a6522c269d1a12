"""How fast schemes are."""

import time

import numpy as np
import pytest

from sudokucrypt import UnsupportedError
from sudokucrypt.analysis import MeasuredScheme, SchemeResult, measure_speed
from sudokucrypt.analysis.comparison import clock_rate
from sudokucrypt.typing import AnyArray


def slow(image: AnyArray, key: bytes) -> SchemeResult:
    """Take some time, and ten times the memory of the image; refuse small ones."""
    del key
    if len(image) < 50:
        raise UnsupportedError("too small")
    held = np.zeros(10 * image.nbytes, dtype=np.uint8)
    time.sleep(0.02)
    return SchemeResult(image + held[0])


def test_time_and_memory() -> None:
    """Time is at least what the scheme sleeps, memory what it holds, a refusal is told."""
    small, large = measure_speed([MeasuredScheme(name="slow", fixed=slow, limits="")], [10, 300])
    assert (small.refusal, large.refusal) == ("too small", "")
    assert np.isnan(small.seconds)
    assert 0.02 <= large.seconds < 2
    assert 10 <= large.memory < 13
    assert large.bytes_per_second == pytest.approx(90_000 / large.seconds)
    if (clock := clock_rate()) is not None:
        assert 1e8 < clock < 1e11
        assert large.cycles_per_byte == pytest.approx(clock * large.seconds / 90_000)
