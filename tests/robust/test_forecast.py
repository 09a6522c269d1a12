"""The forecast: about what restoring will give, from what became of the pilot cells."""

import numpy as np
import pytest

from sudokucrypt import Key
from sudokucrypt.robust import (
    expected_psnr,
    find_carrier,
    scramble_robustly,
    unscramble_robustly,
)
from tests.benchmarks.pictures import Subject
from tests.benchmarks.robust import coded, psnr

KEY = Key(bytes(range(32)))
PHOTO = Subject(240, 320).draw()
SENT = scramble_robustly(PHOTO, KEY, salt=bytes(range(16)), profile=3)


@pytest.mark.parametrize("quality", [50, 75, 90])
def test_the_forecast_is_about_right(quality: int) -> None:
    """What the pilot cells say is within 5 dB of the truth, and falls with the quality."""
    forecasts = []
    for each in (quality, quality // 2):
        received, _ = coded(SENT.samples, "JPEG", each)
        match = find_carrier(received)
        truth = psnr(PHOTO, unscramble_robustly(received, KEY, match.header))
        forecasts.append(expected_psnr(received, match))
        assert forecasts[-1] == pytest.approx(truth, abs=5)
    assert forecasts[0] > forecasts[1]


@pytest.mark.parametrize("quality", [20, 50, 90])
def test_colors_add_to_the_error_of_the_carrier(
    quality: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a color picture, the square error is 1.5 times that of its blocks, and 6.5 for chroma."""
    received, _ = coded(SENT.samples, "JPEG", quality)
    match = find_carrier(received)
    promised = expected_psnr(received, match)
    monkeypatch.setattr("sudokucrypt.robust.forecast._COLOR_FACTOR", 1.0)
    monkeypatch.setattr("sudokucrypt.robust.forecast._COLOR_LOSS", 0.0)
    error = 255**2 / 10 ** (expected_psnr(received, match) / 10)
    assert promised == pytest.approx(10 * np.log10(255**2 / (1.5 * error + 6.5)))
