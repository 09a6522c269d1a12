"""Test correlation of neighbors, scatter data, autocorrelation and spectrum."""

import math
from collections.abc import Callable
from typing import Any, get_args

import numpy as np
import pytest
from scipy import fft, stats

from sudokucrypt.analysis import autocorrelation_map, scatter_pairs, spectrum_magnitude
from sudokucrypt.analysis.metrics.correlation import (
    Direction,
    adjacent_correlation,
    compute_texture_views,
    correlations,
)
from sudokucrypt.sudoku import seeded_draws
from tests.analysis.metrics.chance import make_noise, move_units
from tests.analysis.pictures import NAMES, channel, picture

DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
STEPS = {"horizontal": (0, 1), "vertical": (1, 0), "diagonal": (1, 1), "antidiagonal": (1, -1)}


def list_neighbor_pairs(image: Any, direction: Direction) -> list[tuple[int, int]]:
    """Return all pixels with their neighbors, found one by one."""
    down, right = STEPS[direction]
    rows, columns = image.shape
    return [
        (int(image[r, c]), int(image[r + down, c + right]))
        for r in range(rows - down)
        for c in range(columns)
        if 0 <= c + right < columns
    ]


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_coefficients_of_pictures_are_those_of_scipy(direction: Direction) -> None:
    """Correlation and p-value of plain and scrambled pictures equal SciPy's."""
    plain = channel("camera")[:60, :70]
    for image in (plain, move_units(plain), plain > 100, move_units(plain.astype(np.uint16) * 257)):
        one, other = np.transpose(list_neighbor_pairs(image, direction))
        result: Any = adjacent_correlation(image, direction)
        expected = stats.pearsonr(one, other).statistic
        assert result.value == pytest.approx(expected, abs=1e-9)
        assert result.p_value == pytest.approx(
            2 * stats.norm.sf(abs(expected) * math.sqrt(len(one) - 1)), abs=1e-9
        )
        assert (result.expected, result.passed) == (0, result.p_value >= result.level)


def test_extremes() -> None:
    """Correlation is NaN for a constant image, 1 for a gradient, and 1 or -1 for a chessboard."""
    for value in (np.False_, np.True_, np.uint8(255), np.uint16(65535)):
        result = correlations(np.full((8, 8), value))
        assert [(math.isnan(each.value), each.passed) for each in result] == [(True, None)] * 4
    ramp = np.add.outer(np.arange(9), 3 * np.arange(9)).astype(np.uint16) * np.uint16(1000)
    board = np.indices((8, 8)).sum(axis=0) % 2 == 1
    assert [round(row.value, 12) for row in correlations(ramp)] == [1.0, 1.0, 1.0, 1.0]
    assert [round(row.value, 12) for row in correlations(board)] == [-1.0, -1.0, 1.0, 1.0]


def test_channels_are_measured_one_by_one() -> None:
    """A color image has four correlations for each channel, equal to those of the channel."""
    image = picture("astronaut")[:40, :50]
    results = correlations(image, level=0.01)
    each = [(c, direction) for c in range(3) for direction in DIRECTIONS]
    assert [row.name for row in results] == [f"correlation_{name}_{c}" for c, name in each]
    for row, (c, direction) in zip(results, each, strict=True):
        assert row.value == adjacent_correlation(image[..., c], direction).value
        assert row.level == 0.01


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_scatter_pairs_are_neighbors(direction: Direction) -> None:
    """Scatter pairs are neighbors in the image, and depend only on the source."""
    image = make_noise((7, 9), "uint16", seed=3)
    drawn = scatter_pairs(image, direction, count=400)
    assert drawn.dtype == np.uint16
    assert {tuple(pair) for pair in drawn.tolist()} == set(list_neighbor_pairs(image, direction))
    assert (drawn == scatter_pairs(image, direction, count=400)).all()
    other = scatter_pairs(image, direction, count=400, source=seeded_draws(1))
    assert (drawn != other).any()


def test_autocorrelation_is_that_of_moved_pictures() -> None:
    """Each entry of the map is the correlation with the picture shifted by this offset."""
    image = channel("camera")[:90, :101]
    result = autocorrelation_map(image)
    assert result[45, 50] == pytest.approx(1.0, abs=1e-12)
    for down, right in ((0, 1), (1, 0), (-7, 13), (45 - 90, -50), (30, 30)):
        other = np.roll(image, (down, right), axis=(0, 1))
        expected = stats.pearsonr(image.ravel().astype(float), other.ravel().astype(float))
        assert result[45 + down, 50 + right] == pytest.approx(expected.statistic, abs=1e-9)


@pytest.mark.parametrize("name", NAMES[:2])
def test_spectrum_is_that_of_scipy(name: str) -> None:
    """Magnitudes equal SciPy's transform, and their energy that of the picture."""
    image = picture(name)[:100, :90]
    result = spectrum_magnitude(image)
    expected = np.abs(fft.fftshift(fft.fft2(image.astype(float), axes=(0, 1)), axes=(0, 1)))
    np.testing.assert_allclose(result, expected, rtol=1e-9, atol=1e-5)
    energy = np.sum(image.astype(float) ** 2) * image.shape[0] * image.shape[1]
    assert np.sum(result**2) == pytest.approx(energy, rel=1e-12)


@pytest.mark.parametrize("shape", [(1, 7), (30, 41, 3), (48, 64)])
@pytest.mark.parametrize(("step", "reach"), [(1, 50), (3, 5)])
def test_views_are_parts_of_the_maps(
    shape: tuple[int, ...], step: int, reach: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Texture views equal the center parts of both full maps, as means over channels."""
    image = make_noise(shape, "uint16", seed=4)
    if len(shape) == 3:
        image[..., 0] = 7
    monkeypatch.setattr("sudokucrypt.analysis.metrics.correlation._TRANSFORMED_PIXELS", 200)
    result = compute_texture_views(image, step=step, max_offset=reach)
    spectrum, moved_by = (
        np.nan_to_num(np.atleast_3d(transform(image))).mean(axis=2)
        for transform in (spectrum_magnitude, autocorrelation_map)
    )
    row, column = shape[0] // 2, shape[1] // 2
    near = moved_by[max(0, row - reach) :, max(0, column - reach) :]
    near = near[: min(row, reach) + reach + 1, : min(column, reach) + reach + 1]
    parts = (spectrum[row % step :: step, column % step :: step], near)
    for view, whole in zip(result, parts, strict=True):
        np.testing.assert_allclose(view, whole, rtol=1e-5, atol=1e-6 * whole.max())


@pytest.mark.parametrize("transform", [autocorrelation_map, spectrum_magnitude])
@pytest.mark.parametrize("shape", [(1, 7), (8, 1), (5, 6, 3)])
def test_maps_have_the_shape_of_the_image(
    transform: Callable[[Any], Any], shape: tuple[int, ...]
) -> None:
    """Maps have the shape of the image, and channels do not influence each other."""
    image = make_noise(shape, "uint16", seed=2)
    result = transform(image)
    assert (result.shape, result.dtype) == (shape, np.float64)
    if len(shape) == 3:
        np.testing.assert_allclose(result[..., 1], transform(image[..., 1]), atol=1e-6)
        image[..., 0] = 7  # constant: no autocorrelation, without an effect on other channels
        assert np.isnan(transform(image)).any(axis=(0, 1)).tolist() == [
            transform is autocorrelation_map,
            False,
            False,
        ]
