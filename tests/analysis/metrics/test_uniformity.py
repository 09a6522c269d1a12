"""Histograms, their chi-square test, and the balance of bit planes."""

import numpy as np
import pytest
from scipy import stats

from sudokucrypt.analysis import bit_plane_balance, chi_square_uniformity, histogram
from tests.analysis.metrics.chance import moved, noise
from tests.analysis.pictures import NAMES, picture


@pytest.mark.parametrize("name", NAMES[:2])
def test_figures_of_pictures_are_those_of_scipy(name: str) -> None:
    """Counts, chi-square statistic and p-value agree with NumPy and SciPy."""
    image = picture(name)[:100]
    counts, _ = np.histogram(image, bins=np.arange(257))
    assert histogram(image).tolist() == counts.tolist()
    for share in (1, 20):  # a picture is far off; a tenth of noise over it is less so
        dim = (image.astype(int) // share + noise(image.shape, "uint8", seed=1)) % 256
        expected = stats.chisquare(np.histogram(dim, bins=np.arange(257))[0])
        result = chi_square_uniformity(dim.astype(np.uint8))
        assert result.value == pytest.approx(expected.statistic, rel=1e-12)
        assert result.p_value == pytest.approx(expected.pvalue, abs=1e-9)
    assert chi_square_uniformity(image) == chi_square_uniformity(moved(image))


def test_bit_planes_of_pictures_are_the_shares_of_ones() -> None:
    """Each plane's share agrees with unpacked bits, lowest first."""
    image = picture("astronaut")[:100]
    bits = np.unpackbits(image.reshape(-1, 1), axis=1, bitorder="little")
    planes = bit_plane_balance(image)
    assert [plane.name for plane in planes] == [f"bit_plane_{bit}" for bit in range(8)]
    for plane, share in zip(planes, bits.mean(axis=0), strict=True):
        assert plane.value == pytest.approx(share, abs=1e-12)
        p_value = 2 * stats.norm.sf(abs(share - 0.5) * 2 * np.sqrt(image.size))
        assert plane.p_value == pytest.approx(p_value, abs=1e-9)


def test_notes_name_rough_p_values_and_too_even_histograms() -> None:
    """An image too small for its levels is tested, and an even one passes, with a note."""
    image = noise((64, 64), "uint16", seed=1)
    assert len(bit_plane_balance(image)) == 16
    result = chi_square_uniformity(image)
    assert result.expected == 65535
    assert "rough" in result.note
    assert "rough" not in chi_square_uniformity(image.astype(np.uint8)).note
    even = np.tile(np.arange(256, dtype=np.uint8), (8, 1))
    result = chi_square_uniformity(even)
    assert (result.value, result.p_value, result.passed) == (0.0, 1.0, True)
    assert "more even than chance" in result.note


def test_levels_shorten_the_histogram() -> None:
    """Four levels have four counts and two planes."""
    image = np.array([[0, 1, 2, 3, 3]], dtype=np.uint8)
    assert histogram(image, levels=4).tolist() == [1, 1, 1, 2]
    assert chi_square_uniformity(image, levels=4).expected == 3
    assert [plane.value for plane in bit_plane_balance(image, levels=4)] == [0.6, 0.6]
