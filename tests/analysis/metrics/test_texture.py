"""Test gray differences and co-occurrence features, in both conventions."""

import math
from itertools import combinations
from typing import Any, get_args

import numpy as np
import pytest
from scipy.ndimage import correlate
from skimage.feature import graycomatrix, graycoprops

from sudokucrypt.analysis import histogram, mse, ssim, uaci
from sudokucrypt.analysis.metrics import texture
from sudokucrypt.analysis.metrics.correlation import Direction, adjacent_correlation, correlations
from sudokucrypt.analysis.metrics.texture import cooccurrence_features, gray_difference
from tests.analysis.metrics.chance import make_noise, move_units
from tests.analysis.pictures import channel

DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
# skimage's angle pi/4 points down and right, since row numbers increase downward.
QUARTERS = {"horizontal": 0, "vertical": 2, "diagonal": 1, "antidiagonal": 3}
FEATURES = ("contrast", "homogeneity", "energy", "correlation")


def count_cooccurrences(image: Any, direction: Direction, levels: int) -> Any:
    """Return the shares of pairs of levels, computed by scikit-image."""
    matrix: Any = graycomatrix
    distance = [math.sqrt(2) if direction.endswith("diagonal") else 1]
    return matrix(image, distance, [QUARTERS[direction] * math.pi / 4], levels=levels, normed=True)


def list_features(image: Any, direction: Direction, **options: Any) -> list[float]:
    """Return contrast, homogeneity, energy and correlation of `cooccurrence_features`."""
    return [row.value for row in cooccurrence_features(image, direction, **options)]


def test_differences_of_pictures_are_those_of_scipy() -> None:
    """Gray difference and its degree equal those computed by SciPy's `correlate`."""
    plain = channel("chelsea.jpg")
    scrambled = move_units(plain)
    figures = []
    for image in (plain, scrambled):
        total = 0.0
        for row, column in ((0, 1), (2, 1), (1, 0), (1, 2)):
            kernel = np.zeros((3, 3))
            kernel[1, 1], kernel[row, column] = 1, -1
            total += np.mean(correlate(image.astype(float), kernel)[1:-1, 1:-1] ** 2) / 4
        figures.append(total)
        assert gray_difference(image) == pytest.approx(total, rel=1e-12)
    degree = (figures[1] - figures[0]) / (figures[1] + figures[0])
    assert texture.gray_difference_degree(plain, scrambled).value == pytest.approx(degree, abs=1e-9)


def test_the_expected_degree_is_that_of_all_pairs_of_pixels() -> None:
    """The expected degree equals the mean over all pairs of pixels of a channel."""
    image = make_noise((4, 3, 2), "uint8", seed=1)
    gaps = [
        (int(one) - int(other)) ** 2
        for c in range(2)
        for one, other in combinations(image[..., c].ravel(), 2)
    ]
    before, mixed = gray_difference(image), np.mean(gaps)
    expected = (mixed - before) / (mixed + before)
    assert texture.gray_difference_degree(image, image).expected == pytest.approx(
        expected, abs=1e-12
    )


def test_a_chessboard_and_equal_images_give_extreme_values() -> None:
    """A chessboard has the maximum gray difference; equal images have the degree 0."""
    for dtype in ("bool", "uint8", "uint16"):
        black = np.zeros((5, 6), dtype=dtype)
        board = np.where(np.indices((5, 6)).sum(axis=0) % 2 == 1, ~black, black)
        assert gray_difference(board) == int((~black).max()) ** 2
        assert gray_difference(np.dstack([board, black])) == int((~black).max()) ** 2 / 2
    image = channel("camera")[:50, :60]
    scrambled = move_units(image)
    assert texture.gray_difference_degree(image, image).value == 0.0
    forward, backward = (
        texture.gray_difference_degree(image, scrambled),
        texture.gray_difference_degree(scrambled, image),
    )
    assert forward.value == -backward.value > 0
    assert math.isnan(texture.gray_difference_degree(image * 0, image * 0).value)
    assert texture.gray_difference_degree(image * 0, image).value == 1.0


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_features_of_pictures_are_those_of_scikit_image(direction: Direction) -> None:
    """All four features in the convention "skimage" equal scikit-image's."""
    image = channel("chelsea.jpg")
    matrix = count_cooccurrences(image, direction, 256)
    properties: Any = graycoprops
    expected = [float(properties(matrix, feature)[0, 0]) for feature in FEATURES]
    result = list_features(image, direction)
    assert result == pytest.approx(expected, abs=1e-9)
    assert result[3] == adjacent_correlation(image, direction).value


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_features_in_the_other_convention_follow_its_definitions(direction: Direction) -> None:
    """Features in the convention "matlab" equal the definitions of graycomatrix and graycoprops."""
    image = channel("chelsea.jpg")
    scaled = np.minimum(np.floor(8 * (image / 255)), 7).astype(np.uint8)
    matrix = count_cooccurrences(scaled, direction, 8)[..., 0, 0]
    i, j = np.indices((8, 8))
    mean_i, mean_j = np.sum(i * matrix), np.sum(j * matrix)
    spread_i = math.sqrt(np.sum((i - mean_i) ** 2 * matrix))
    spread_j = math.sqrt(np.sum((j - mean_j) ** 2 * matrix))
    expected = [
        np.sum((i - j) ** 2 * matrix),
        np.sum(matrix / (1 + np.abs(i - j))),
        np.sum(matrix**2),
        np.sum((i - mean_i) * (j - mean_j) * matrix) / (spread_i * spread_j),
    ]
    assert list_features(image, direction, convention="matlab") == pytest.approx(expected, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dtype", "convention", "levels"),
    [
        ("uint8", "skimage", None),
        ("bool", "skimage", None),
        ("uint16", "matlab", None),
        ("uint8", "matlab", 100),
    ],
)
def test_random_images_have_the_expected_features(
    dtype: str, convention: Any, levels: int | None
) -> None:
    """Features of random images have the expected means, for each depth and convention."""
    images = make_noise((200, 48, 40), dtype, seed=7)
    if levels is not None:
        images = np.random.default_rng(7).integers(0, levels, images.shape).astype(dtype)
    tables = [
        cooccurrence_features(image, convention=convention, levels=levels) for image in images
    ]
    for column in zip(*tables, strict=True):
        values = np.array([row.value for row in column])
        assert column[0].expected is not None
        # skimage's energy is a root, whose mean is slightly below the root of the mean
        margin = 4.5 * values.std() / math.sqrt(len(values)) + 1e-4
        assert abs(values.mean() - column[0].expected) < margin


def test_figures_for_random_and_for_constant_images_are_the_known_ones() -> None:
    """Expected features in the convention "matlab", and features of constant images, are right."""
    rows = cooccurrence_features(np.zeros((300, 300), dtype=np.uint8), convention="matlab")
    energy = 1 / 64 + (1 - 1 / 64) / (300 * 299)
    assert [row.expected for row in rows] == pytest.approx([10.5, 0.3894, energy, 0], abs=5e-5)
    assert all(row.passed is None for row in rows)
    for convention in ("skimage", "matlab"):  # one pair of levels: no contrast, no correlation
        result = list_features(np.full((4, 4), 200, np.uint8), "horizontal", convention=convention)
        assert result == pytest.approx([0.0, 1.0, 1.0, math.nan], abs=0, nan_ok=True)


def test_features_follow_the_levels_that_are_named() -> None:
    """`levels` sets the range of levels: a wider dtype gives equal features."""
    image = channel("camera")[:90, :80]
    assert list_features(image.astype(np.uint16), "vertical", levels=256) == list_features(
        image, "vertical"
    )
    assert len(list_features(make_noise((64, 64), "uint16", seed=1), "diagonal")) == 4
    image = (make_noise((30, 30), "uint8", seed=2).astype(int) * 100 // 256).astype(np.uint8)
    scaled = np.minimum(8 * image.astype(int) // 99, 7).astype(np.uint8)
    result = list_features(image, "diagonal", convention="matlab", levels=100)
    assert result == list_features(scaled, "diagonal", convention="matlab", levels=8)
    assert result[0] == list_features(scaled, "diagonal", levels=8)[0]


@pytest.mark.parametrize("dtype", ["bool", "uint8", "uint16"])
def test_figures_do_not_depend_on_how_images_are_cut(
    dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Metrics are equal with small tiles, small bands, and sorted pairs of levels."""
    image, other = make_noise((2, 40, 33), dtype, seed=1)

    def measure_figures() -> list[float]:
        pair = (image, other)
        numbers = [mse(*pair), ssim(*pair), gray_difference(image)]
        degree = texture.gray_difference_degree(*pair)
        rows = [degree, *correlations(image), *cooccurrence_features(image), uaci(*pair)]
        return [*numbers, degree.expected or 0, *histogram(image), *(row.value for row in rows)]

    whole = measure_figures()
    monkeypatch.setattr("sudokucrypt.analysis.inputs._TILE_PIXELS", 8)
    monkeypatch.setattr(texture, "_MAX_MATRIX_CELLS", 3)
    monkeypatch.setattr("sudokucrypt.analysis.metrics.quality._SSIM_BAND_ROWS", 7)
    assert measure_figures() == pytest.approx(whole, rel=1e-12)
