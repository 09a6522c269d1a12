"""What `analyze` measures is what the metrics say, for any kind of image."""

from __future__ import annotations

from math import isnan
from typing import Any

import numpy as np
import pytest
from scipy import stats
from skimage import feature, metrics

from sudokucrypt import analysis
from sudokucrypt.analysis import NamedImage, measure_image
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.reports import image_report, to_html, to_json
from tests.analysis.metrics.pictures import NAMES, channel

PHOTOGRAPHS = [
    NamedImage(name=name, pixels=np.ascontiguousarray(channel(name)[100:228, 100:228]))
    for name in NAMES
]


@pytest.mark.parametrize("image", PHOTOGRAPHS, ids=lambda image: image.name)
def test_figures_agree_with_other_programs(image: NamedImage) -> None:
    """Correlation, entropy and chi-square are those of SciPy, to 1e-6, on ten pictures."""
    found = {each.name: each for each in measure_image(image).own}
    pixels = image.pixels.astype(float)
    pairs = pixels[:, :-1].ravel(), pixels[:, 1:].ravel()
    if pixels.std():
        expected = stats.pearsonr(*pairs).statistic
        assert found["correlation_horizontal"].value == pytest.approx(expected, abs=1e-6)
    else:
        assert isnan(found["correlation_horizontal"].value)
    counts = np.bincount(image.pixels.ravel(), minlength=256)
    assert found["global_entropy"].value == pytest.approx(stats.entropy(counts, base=2), abs=1e-6)
    chi = stats.chisquare(counts)
    assert found["chi_square_uniformity"].value == pytest.approx(chi.statistic, abs=1e-6)
    assert found["chi_square_uniformity"].p_value == pytest.approx(chi.pvalue, abs=1e-6)


@pytest.mark.parametrize("image", PHOTOGRAPHS, ids=lambda image: image.name)
def test_features_and_errors_agree_with_scikit_image(image: NamedImage) -> None:
    """Co-occurrence, PSNR and SSIM are those of scikit-image, to 1e-6."""
    other = NamedImage(name="mirrored", pixels=np.ascontiguousarray(image.pixels[:, ::-1]))
    measured = measure_image(other, against=image)
    found = {each.name: each.value for each in (*measured.own, *measured.compared)}
    gray: Any = feature  # without types, as is the next
    quality: Any = metrics
    matrix = gray.graycomatrix(other.pixels, [1], [0], normed=True)
    for name in ("contrast", "homogeneity", "energy", "correlation"):
        expected = gray.graycoprops(matrix, name)[0, 0]
        assert found[f"cooccurrence_skimage_{name}"] == pytest.approx(expected, abs=1e-6)
    pair = image.pixels, other.pixels
    assert found["mse"] == pytest.approx(quality.mean_squared_error(*pair), abs=1e-6)
    assert found["psnr"] == pytest.approx(quality.peak_signal_noise_ratio(*pair), abs=1e-6)
    similarity = quality.structural_similarity(
        *pair, gaussian_weights=True, sigma=1.5, use_sample_covariance=False
    )
    assert found["ssim"] == pytest.approx(similarity, abs=1e-6)


def test_a_small_image_says_what_it_is_too_small_for() -> None:
    """What cannot be measured is NaN with a reason, and the rest is there."""
    found = {each.name: each for each in measure_image(NamedImage(name="x", pixels=ramp(4))).own}
    assert isnan(found["local_entropy"].value)
    assert "too small" in found["local_entropy"].note
    assert found["global_entropy"].value == 4.0


@pytest.mark.parametrize(
    "pixels",
    [
        np.zeros((1, 1), dtype=np.uint8),
        np.zeros((1, 9), dtype=bool),
        np.arange(60, dtype=np.uint16).reshape(3, 5, 4),
        np.zeros((40, 3, 2), dtype=np.uint8),
    ],
    ids=lambda pixels: f"{pixels.shape}",
)
def test_any_shape_gets_a_report(pixels: np.ndarray) -> None:
    """One pixel, one row, 1 and 16 bits, 2 and 4 channels: a page and strict JSON come out."""
    image = NamedImage(name="odd", pixels=pixels)
    report = image_report(measure_image(image, against=image, twin=image))
    assert to_html(report).count("<img") >= 2
    assert to_json(report)


def test_levels_are_those_of_the_file() -> None:
    """Samples of two bits have four levels, in the metrics and in the report."""
    image = NamedImage(name="x", pixels=ramp(32) % 4, levels=4)
    found = {each.name: each for each in measure_image(image).own}
    assert found["global_entropy"].value == 2.0
    assert {name for name in found if name.startswith("bit_")} == {"bit_plane_0", "bit_plane_1"}
    with pytest.raises(InvalidImageError, match=r"not in 0\.\.3"):
        NamedImage(name="x", pixels=ramp(32), levels=4)


def test_moving_is_told_from_changing(clouds: NamedImage, moved: NamedImage) -> None:
    """Equal histograms are noticed; so are different ones."""
    found = measure_image(moved, against=clouds)
    assert found.values_kept is True
    assert "moved and not changed" in image_report(found).lead
    inverted = NamedImage(name="inverted", pixels=255 - clouds.pixels)
    assert measure_image(inverted, against=clouds).values_kept is False


def test_an_exact_restore_shows(clouds: NamedImage) -> None:
    """All samples equal, no error, infinite PSNR, SSIM 1."""
    measured = measure_image(clouds, against=clouds)
    found = {each.name: each.value for each in measured.compared}
    assert (found["equal_samples"], found["mse"], found["psnr"]) == (1.0, 0.0, float("inf"))
    assert found["ssim"] == pytest.approx(1)
    assert "It is the plain image" in image_report(measured).lead


def test_twins_give_npcr_and_uaci(clouds: NamedImage, moved: NamedImage) -> None:
    """They are those of the metrics, with the level that was asked for."""
    found = measure_image(moved, twin=clouds, level=0.01).differential
    assert found == (
        analysis.npcr(moved.pixels, clouds.pixels, level=0.01),
        analysis.uaci(moved.pixels, clouds.pixels, level=0.01),
    )


def test_others_must_fit(clouds: NamedImage) -> None:
    """Another shape or dtype is refused before anything is measured."""
    small = NamedImage(name="small", pixels=clouds.pixels[:10])
    wide = NamedImage(name="wide", pixels=clouds.pixels.astype(np.uint16))
    for other in (small, wide):
        with pytest.raises(InvalidImageError, match="one shape and dtype"):
            measure_image(clouds, against=other)
        with pytest.raises(InvalidImageError, match="one shape and dtype"):
            measure_image(clouds, twin=other)


def test_progress_counts_to_the_end(moved: NamedImage) -> None:
    """Each step is told once, and the last is the total."""
    steps: list[tuple[int, int]] = []
    small = NamedImage(name="x", pixels=moved.pixels[:16, :16].copy())
    measure_image(small, randomness=True, progress=lambda *step: steps.append(step))
    assert steps == [(n + 1, len(steps)) for n in range(len(steps))]


def ramp(side: int) -> np.ndarray:
    """Return an image of all its numbers."""
    return np.arange(side**2, dtype=np.uint8).reshape(side, side)
