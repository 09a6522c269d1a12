"""Correlation of neighbours, scatter data, autocorrelation and spectrum."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import fft, stats

from sudokucrypt.analysis import (
    Direction,
    adjacent_correlation,
    autocorrelation_map,
    correlations,
    scatter_pairs,
    spectrum_magnitude,
)
from sudokucrypt.errors import InvalidImageError, InvalidParameterError
from sudokucrypt.sudoku import seeded_draws
from tests.analysis.metrics.chance import confirm, moved, noise
from tests.analysis.metrics.pictures import NAMES, channel, picture

if TYPE_CHECKING:
    from collections.abc import Callable

DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
TURNED: tuple[Direction, ...] = ("vertical", "horizontal", "diagonal")
STEPS = {"horizontal": (0, 1), "vertical": (1, 0), "diagonal": (1, 1)}


def pairs(image: Any, direction: Direction) -> list[tuple[int, int]]:
    """All pixels with their neighbours, one by one."""
    down, right = STEPS[direction]
    rows, columns = image.shape
    return [
        (int(image[r, c]), int(image[r + down, c + right]))
        for r in range(rows - down)
        for c in range(columns - right)
    ]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_coefficients_of_pictures_are_those_of_scipy(name: str, direction: Direction) -> None:
    """Over all pairs of a picture, plain and scrambled, r agrees with SciPy's."""
    for image in (channel(name)[:150, :170], moved(channel(name)[:150, :170])):
        one, other = np.transpose(pairs(image, direction))
        result = adjacent_correlation(image, direction)
        expected = stats.pearsonr(one, other).statistic
        assert result.value == pytest.approx(expected, abs=1e-9)
        assert result.p_value == pytest.approx(
            2 * stats.norm.sf(abs(expected) * math.sqrt(len(one) - 1)), abs=1e-9
        )


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("dtype", ["bool", "uint8", "uint16"])
def test_random_images_pass_as_often_as_they_should(direction: Direction, dtype: str) -> None:
    """Random images have r = 0 on average, and fail at the level."""
    images = noise((800, 64, 48), dtype, seed=5)
    confirm(adjacent_correlation(image, direction) for image in images)


@given(
    image=st.lists(st.lists(st.integers(0, 65535), min_size=4, max_size=4), min_size=3, max_size=6),
    slope=st.sampled_from([1, 2, 3]),
)
def test_turning_and_scaling_keep_coefficients(image: list[list[int]], slope: int) -> None:
    """r is that of the turned image the other way round, and ignores shifts of scale."""
    array = np.array(image, dtype=np.uint16)
    turned, scaled = array.T, (array // 4) * np.uint16(slope) + np.uint16(7)
    for direction, other in zip(DIRECTIONS, TURNED, strict=True):
        value = adjacent_correlation(array, direction).value
        assert value == pytest.approx(
            adjacent_correlation(turned, other).value, abs=1e-12, nan_ok=True
        )
        assert adjacent_correlation(array // 4, direction).value == pytest.approx(
            adjacent_correlation(scaled, direction).value, abs=1e-9, nan_ok=True
        )


@pytest.mark.parametrize("dtype", ["bool", "uint8", "uint16"])
def test_a_constant_image_has_no_coefficient(dtype: str) -> None:
    """Without variance r is NaN and there is no verdict."""
    for image in (np.zeros((8, 8), dtype=dtype), ~np.zeros((8, 8), dtype=dtype)):
        for result in correlations(image):
            assert math.isnan(result.value)
            assert result.passed is None


def test_a_gradient_and_a_chessboard_are_extremes() -> None:
    """A gradient has r = 1, a chessboard -1 beside and 1 across."""
    ramp = np.add.outer(np.arange(9), 3 * np.arange(9)).astype(np.uint16) * np.uint16(1000)
    board = np.indices((8, 8)).sum(axis=0) % 2 == 1
    assert [round(row.value, 12) for row in correlations(ramp)] == [1.0, 1.0, 1.0]
    assert [round(row.value, 12) for row in correlations(board)] == [-1.0, -1.0, 1.0]


def test_channels_are_measured_one_by_one() -> None:
    """A coloured image has three figures a channel, each that of the channel alone."""
    image = picture("coffee")[:40, :50]
    results = correlations(image, level=0.01)
    assert [row.name for row in results[:4]] == [
        "correlation_horizontal_0",
        "correlation_vertical_0",
        "correlation_diagonal_0",
        "correlation_horizontal_1",
    ]
    for row, (c, direction) in zip(
        results, [(c, direction) for c in range(3) for direction in DIRECTIONS], strict=True
    ):
        assert row.value == adjacent_correlation(image[..., c], direction).value
        assert row.level == 0.01


@pytest.mark.parametrize(
    ("shape", "direction"),
    [((1, 2), "horizontal"), ((1, 9), "vertical"), ((9, 1), "diagonal"), ((2, 2), "diagonal")],
)
def test_too_few_pairs_are_refused(shape: tuple[int, int], direction: Direction) -> None:
    """One pair or none has no correlation."""
    with pytest.raises(InvalidImageError, match="fewer than two"):
        adjacent_correlation(np.eye(*shape, dtype=np.uint8), direction)


def test_other_arguments_are_refused() -> None:
    """Directions, counts and levels out of range are refused."""
    image = noise((4, 4), "uint8", seed=0)
    with pytest.raises(InvalidParameterError, match="horizontal, vertical, diagonal"):
        adjacent_correlation(image, "up")  # type: ignore[arg-type]
    with pytest.raises(InvalidParameterError, match="count must be an integer of 1 or more"):
        scatter_pairs(image, count=0)
    with pytest.raises(InvalidParameterError):
        correlations(image, level=95)
    with pytest.raises(InvalidImageError, match="one channel"):
        adjacent_correlation(np.zeros((4, 4, 3), dtype=np.uint8))


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_scatter_pairs_are_neighbours(direction: Direction) -> None:
    """Every drawn pair is one of the image, and the same ones are drawn each time."""
    image = noise((7, 9), "uint16", seed=3)
    drawn = scatter_pairs(image, direction, count=400)
    assert drawn.dtype == np.uint16
    assert {tuple(pair) for pair in drawn.tolist()} == set(pairs(image, direction))
    assert (drawn == scatter_pairs(image, direction, count=400)).all()
    other = scatter_pairs(image, direction, count=400, source=seeded_draws(1))
    assert (drawn != other).any()


def test_scatter_pairs_are_drawn_alike() -> None:
    """Each pair of the image has the same chance."""
    image = np.arange(20, dtype=np.uint8).reshape(4, 5)
    counts = np.bincount(scatter_pairs(image, count=16000)[:, 0], minlength=19)
    drawn = counts[counts > 0]
    assert len(drawn) == 16
    assert stats.chisquare(drawn).pvalue > 1e-4


@pytest.mark.parametrize("name", NAMES)
def test_autocorrelation_is_that_of_moved_pictures(name: str) -> None:
    """At any offset the map holds the correlation with the picture moved round by it."""
    image = channel(name)[:90, :101]
    found = autocorrelation_map(image)
    assert found[45, 50] == pytest.approx(1.0, abs=1e-12)
    for down, right in ((0, 1), (1, 0), (-7, 13), (45 - 90, -50), (30, 30)):
        other = np.roll(image, (down, right), axis=(0, 1))
        expected = stats.pearsonr(image.ravel().astype(float), other.ravel().astype(float))
        assert found[45 + down, 50 + right] == pytest.approx(expected.statistic, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_spectrum_is_that_of_scipy(name: str) -> None:
    """The magnitudes agree with SciPy's transform, and their energy with that of the picture."""
    image = picture(name)
    found = spectrum_magnitude(image)
    expected = np.abs(fft.fftshift(fft.fft2(image.astype(float), axes=(0, 1)), axes=(0, 1)))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-5)
    energy = np.sum(image.astype(float) ** 2) * image.shape[0] * image.shape[1]
    assert np.sum(found**2) == pytest.approx(energy, rel=1e-12)


def test_random_images_have_the_stated_maps() -> None:
    """Means and deviations of both maps are as stated, away from the centre."""
    images = noise((300, 24, 20), "uint8", seed=9)
    maps = np.array([autocorrelation_map(image) for image in images])
    others = np.delete(maps.reshape(300, -1), 12 * 20 + 10, axis=1)
    assert others.mean() == pytest.approx(-1 / 479, abs=1e-12)
    assert others.std() == pytest.approx(1 / math.sqrt(480), rel=0.02)
    powers = np.array([spectrum_magnitude(image) ** 2 for image in images]).reshape(300, -1)
    power = np.delete(powers, 12 * 20 + 10, axis=1).mean()
    assert power == pytest.approx(480 * (256**2 - 1) / 12, rel=0.02)


@pytest.mark.parametrize("transform", [autocorrelation_map, spectrum_magnitude])
@pytest.mark.parametrize("shape", [(1, 7), (8, 1), (5, 6, 3), (6, 5)])
def test_maps_have_the_shape_of_the_image(
    transform: Callable[[Any], Any], shape: tuple[int, ...]
) -> None:
    """Any shape is taken, and each channel is that of itself alone."""
    image = noise(shape, "uint16", seed=2)
    found = transform(image)
    assert (found.shape, found.dtype) == (shape, np.float64)
    if len(shape) == 3:
        np.testing.assert_allclose(found[..., 1], transform(image[..., 1]), atol=1e-6)


def test_a_constant_channel_has_no_autocorrelation() -> None:
    """NaN for a constant channel, and not for the one beside it."""
    image = np.zeros((4, 4, 2), dtype=bool)
    image[0, 0, 1] = True
    found = autocorrelation_map(image)
    assert np.isnan(found[..., 0]).all()
    assert not np.isnan(found[..., 1]).any()
