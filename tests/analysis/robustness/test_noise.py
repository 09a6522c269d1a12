"""Test each disturbance, and the expected values after disturbances of samples."""

import io
import math
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from PIL import Image
from scipy import stats
from skimage.transform import resize

from sudokucrypt.analysis import DISTURBANCES, NamedImage, plain_correlation, psnr
from sudokucrypt.analysis.robustness import expected_figures
from sudokucrypt.analysis.robustness.disturbances import _COLOR_STEPS, _LUMINANCE_STEPS
from sudokucrypt.errors import UnsupportedError
from sudokucrypt.sudoku import seeded_draws
from tests.analysis.metrics.chance import make_noise, move_units
from tests.analysis.pictures import NAMES, channel, picture

EXPECTED_STRENGTHS = {
    "salt-and-pepper": (0.05, 0.5),
    "gaussian": (0.02, 0.3),
    "bit-flips": (0.01, 0.4),
    "crop": (0.0625, 0.25),
}
KINDS = [("uint8", 256), ("bool", 2), ("uint16", 1024)]
TWICE = [seeded_draws(1), seeded_draws(2)]


def draw_levels(dtype: str, levels: int) -> NamedImage:
    """Return a part of a photograph, 40 x 48, with the given number of levels."""
    pixels = channel("camera")[60:100, 60:108].astype(int) * levels // 256
    return NamedImage(name="corner", pixels=pixels.astype(dtype), levels=levels)


@pytest.mark.parametrize(
    ("name", "strength"),
    [(name, each) for name, both in EXPECTED_STRENGTHS.items() for each in both],
)
@pytest.mark.parametrize(("dtype", "levels"), KINDS)
def test_restored_pictures_have_the_expected_quality(
    name: str, strength: float, dtype: str, levels: int
) -> None:
    """Errors and correlations of 200 restored pictures have the expected means."""
    plain, kind = draw_levels(dtype, levels), DISTURBANCES[name]
    order = np.arange(plain.pixels.size).reshape(plain.pixels.shape)
    errors, products = [], []
    for seed in range(200):
        positions = move_units(order, seed=seed).ravel()
        scrambled = plain.pixels.ravel()[positions].reshape(plain.pixels.shape)
        disturbed = kind.disturb(scrambled, strength, levels=levels, source=seeded_draws(seed))
        error = disturbed.ravel().astype(float) - scrambled.ravel()
        errors.append(np.mean(error**2))
        products.append(np.mean((scrambled - scrambled.mean()) * disturbed.astype(float)))
    expected = expected_figures(plain, kind, strength)
    assert expected is not None
    assert kind.moments is not None
    error = (levels - 1) ** 2 / 10 ** (expected.psnr / 10)
    means, squares = kind.moments(levels, strength)
    x = plain.pixels.ravel().astype(int)
    spread = np.mean(squares[x]) - np.mean(means[x]) ** 2
    product = expected.correlation * math.sqrt(np.var(x) * spread)
    for result, expected_value in ((errors, error), (products, product)):
        margin = 3 * np.std(result, ddof=1) / math.sqrt(len(result)) + 1e-9
        assert abs(np.mean(result) - expected_value) < margin


def test_expected_quality_is_computed_for_each_channel() -> None:
    """Expected error is the mean over channels; a constant channel has no correlation."""
    one, kind = draw_levels("uint8", 256), DISTURBANCES["salt-and-pepper"]
    black = np.zeros_like(one.pixels)
    both = NamedImage(name="both", pixels=np.dstack([one.pixels, black]))
    channel, dark, result = (
        expected_figures(each, kind, 0.1)
        for each in (one, NamedImage(name="black", pixels=black), both)
    )
    assert channel is not None
    assert dark is not None
    assert result is not None
    assert math.isnan(dark.correlation)
    assert result.correlation == pytest.approx(channel.correlation, rel=1e-12)
    errors = [10 ** (-each.psnr / 10) for each in (channel, dark)]
    assert result.psnr == pytest.approx(-10 * math.log10(sum(errors) / 2), rel=1e-12)


def test_salt_and_pepper_are_equally_frequent() -> None:
    """Salt and pepper makes equal shares of a gray image black and white, and keeps the others."""
    gray = np.full((400, 300), 90, dtype=np.uint8)
    result = DISTURBANCES["salt-and-pepper"].disturb(gray, 0.2)
    counts = np.bincount(result.ravel(), minlength=256)
    assert counts[[0, 90, 255]].sum() == gray.size
    assert stats.chisquare(counts[[0, 90, 255]], np.array([0.1, 0.8, 0.1]) * gray.size)[1] > 0.01


def test_gaussian_noise_is_normal_and_rounded() -> None:
    """Gaussian noise has normal probabilities of levels, clipped at the ends."""
    gray = np.full((400, 300), 20, dtype=np.uint8)
    result = DISTURBANCES["gaussian"].disturb(gray, 0.05)
    law = NormalDist(20, 0.05 * 255)
    edges = [0.5, *np.arange(10.5, 50), 255]
    chances = np.diff([0.0, *(law.cdf(edge) for edge in edges[:-1]), 1.0])
    counts = np.histogram(result, bins=[-1, *edges])[0]
    assert stats.chisquare(counts, chances * gray.size)[1] > 0.01


def test_bits_of_all_planes_are_flipped_equally_often() -> None:
    """Bit flips change an equal share of each bit plane, and no bit above the levels."""
    black = np.zeros((400, 300), dtype=np.uint16)
    result = DISTURBANCES["bit-flips"].disturb(black, 0.03, levels=1024)
    shares = [np.mean(result >> bit & 1) for bit in range(16)]
    assert shares[10:] == [0] * 6
    assert shares[:10] == pytest.approx([0.03] * 10, abs=4.5 * math.sqrt(0.03 / black.size))


@pytest.mark.parametrize("strength", [0, 1 / 16, 1 / 3, 1])
@pytest.mark.parametrize("shape", [(64, 48), (1, 50, 3), (37, 1)])
def test_crop_fills_a_corner_of_the_given_share(strength: float, shape: tuple[int, ...]) -> None:
    """The lost corner is a rectangle with the given share, within one line."""
    white = np.full(shape, 255, dtype=np.uint8)
    lost = DISTURBANCES["crop"].disturb(white, strength) == 0
    rows, columns = lost.reshape(*shape[:2], -1).any(axis=(1, 2)), lost.any(axis=0)
    assert lost.sum() == rows.sum() * columns.sum()
    assert abs(lost.mean() - strength) <= max(1 / shape[0], 1 / shape[1])


@pytest.mark.parametrize("name", list(DISTURBANCES))
def test_disturbances_keep_shape_and_dtype(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Disturbances in many parts keep shape, dtype and input, and depend only on the source."""
    monkeypatch.setattr("sudokucrypt.analysis.robustness.disturbances._SAMPLES_PER_PART", 100)
    kind = DISTURBANCES[name]
    for shape in ((31, 45), (40, 24, 3)):
        image = make_noise(shape, "uint8", seed=1)
        image_copy = image.copy()
        for strength in kind.usual:
            result = kind.disturb(image, strength)
            assert result.shape == shape
            assert result.dtype == np.uint8
            assert np.array_equal(result, kind.disturb(image, strength))
            assert np.array_equal(result, image) is (name == "none")
        assert np.array_equal(image, image_copy)
        one, other = (kind.disturb(image, kind.usual[0], source=source) for source in TWICE)
        chance = name in {"salt-and-pepper", "gaussian", "bit-flips"}
        assert np.array_equal(one, other) is not chance


@pytest.mark.parametrize("name", ["salt-and-pepper", "gaussian", "bit-flips", "crop", "resize"])
def test_psnr_decreases_with_the_strength(name: str) -> None:
    """PSNR decreases with the strength, and the strength without effect keeps the image."""
    image, kind = channel("camera"), DISTURBANCES[name]
    no_effect = 1.0 if name == "resize" else 0.0
    assert psnr(image, kind.disturb(image, no_effect)) == math.inf
    result = [psnr(image, kind.disturb(image, strength)) for strength in kind.usual]
    assert result == sorted(result, reverse=True)
    if name == "crop":
        assert not kind.disturb(image, 1).any()
        assert math.isnan(plain_correlation(image, kind.disturb(image, 1)).value)


def compress_by_pillow(image: Any, quality: int) -> Any:
    """Return an image after compression by libjpeg."""
    target = io.BytesIO()
    Image.fromarray(image).save(target, "JPEG", quality=quality)
    return np.asarray(Image.open(target))


@pytest.mark.parametrize("name", NAMES[:3])
@pytest.mark.parametrize("quality", [1, 30, 50, 90])
def test_jpeg_loses_what_libjpeg_loses(
    name: str, quality: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Our JPEG of plain and scrambled pictures, in several bands, has nearly libjpeg's PSNR."""
    monkeypatch.setattr("sudokucrypt.analysis.robustness.disturbances._BAND_ROWS", 64)
    image = np.ascontiguousarray(picture(name)[:203, :151])
    for each_image in (image, image[1:], move_units(image)):
        libjpeg_result, our_result = (
            compress_by_pillow(each_image, quality),
            DISTURBANCES["jpeg"].disturb(each_image, quality),
        )
        assert psnr(each_image, our_result) == pytest.approx(
            psnr(each_image, libjpeg_result), abs=0.2
        )
        assert psnr(libjpeg_result, our_result) > psnr(each_image, libjpeg_result) + 3


def test_tables_are_those_of_libjpeg() -> None:
    """At quality 50, libjpeg uses the unscaled tables of the standard, as this package does."""
    target = io.BytesIO()
    Image.new("RGB", (8, 8)).save(target, "JPEG", quality=50)
    tables = Image.open(target).quantization  # type: ignore[attr-defined]
    for number, table in enumerate((_LUMINANCE_STEPS, _COLOR_STEPS)):
        assert tables[number] == table.ravel().tolist()


def test_jpeg_takes_what_its_files_hold() -> None:
    """JPEG takes one or three channels of 8 bits; 16 bits, 1 bit and 4 channels are refused."""
    image = picture("camera")[:64, :64]
    kind = DISTURBANCES["jpeg"]
    assert np.array_equal(kind.disturb(image[..., None], 50)[..., 0], kind.disturb(image, 50))
    for other in (image.astype(np.uint16), image > 90, np.dstack([image] * 4)):
        with pytest.raises(UnsupportedError, match="JPEG takes only gray and color"):
            kind.disturb(other, 50)


@pytest.mark.parametrize("factor", [0.75, 0.25])
def test_resizing_is_that_of_scikit_image(factor: float) -> None:
    """Resizing equals scikit-image's: smoothed shrinking, then enlarging without smoothing."""
    image = picture("astronaut")[:50, :61]
    small_shape = (round(50 * factor), round(61 * factor), 3)
    scaled: Any = resize
    shrunk = scaled(image.astype(float), small_shape, order=1, anti_aliasing=True)
    expected = np.round(scaled(shrunk, image.shape, order=1))
    result = DISTURBANCES["resize"].disturb(image, factor)
    assert np.abs(result - expected).max() <= 1
    assert np.mean(result == expected) > 0.99
    board = np.indices((20, 20)).sum(axis=0) % 2 == 1
    assert DISTURBANCES["resize"].disturb(board, factor).dtype == np.bool_
