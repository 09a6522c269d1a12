"""Test that `measure_image` and `measure_bits` return the values of all metrics."""

import math
import tracemalloc
from typing import Any

import numpy as np
import pytest

from sudokucrypt import analysis
from sudokucrypt.analysis import NamedImage, measure_image
from sudokucrypt.analysis.randomness import nist_tests, run_nist_tests, summarize_sequences
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.reports import image_report, to_html, to_json

RAMP: Any = np.arange(32**2, dtype=np.uint8).reshape(32, 32)


def test_every_figure_is_that_of_its_metric(clouds: NamedImage, moved_clouds: NamedImage) -> None:
    """Measurements of image, pair and twins equal those of the metric functions at this level."""
    result = measure_image(moved_clouds, against=clouds, twin=clouds, level=0.01)
    own_measurements = {each.name: each for each in result.own}
    for several in (analysis.correlations, analysis.bit_plane_balance):
        for each in several(moved_clouds.pixels, level=0.01):
            assert own_measurements[each.name] == each
    for name in ("global_entropy", "local_entropy", "chi_square_uniformity"):
        assert own_measurements[name] == getattr(analysis, name)(moved_clouds.pixels, level=0.01)
    for each in analysis.cooccurrence_features(moved_clouds.pixels, convention="matlab"):
        assert own_measurements[each.name.replace("_", "_matlab_", 1)].value == each.value
    compared = {each.name: each.value for each in result.compared}
    pair = clouds.pixels, moved_clouds.pixels
    for name in ("mse", "psnr", "ssim"):
        assert compared[name] == getattr(analysis, name)(*pair)
    for name in ("maximum_deviation", "irregular_deviation", "mae"):
        assert compared[name] == getattr(analysis, name)(*pair).value
    twins = (getattr(analysis, name)(*pair, level=0.01) for name in ("npcr", "uaci", "nbcr"))
    assert result.differential == tuple(twins)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "dtype"),
    [((1, 1), "uint8"), ((1, 9), "bool"), ((3, 5, 4), "uint16"), ((40, 3, 2), "uint8")],
)
def test_any_shape_gets_a_report(shape: tuple[int, ...], dtype: str) -> None:
    """Images of any shape and depth have a report as a page and as strict JSON."""
    image = NamedImage(name="odd", pixels=np.arange(math.prod(shape)).reshape(shape).astype(dtype))
    report = image_report(measure_image(image, against=image, twin=image))
    assert to_html(report).count("<img") >= 2
    assert to_json(report)


def test_levels_and_sizes_are_those_of_the_file() -> None:
    """Two-bit samples have four levels; values that need a larger image are NaN with a note."""
    small_image = NamedImage(
        name="x", pixels=np.ascontiguousarray(RAMP.reshape(-1)[:16].reshape(4, 4))
    )
    result = {each.name: each for each in measure_image(small_image).own}
    assert math.isnan(result["local_entropy"].value)
    assert "too small" in result["local_entropy"].note
    assert result["global_entropy"].value == 4.0
    image = NamedImage(name="x", pixels=RAMP % 4, levels=4)
    result = {each.name: each for each in measure_image(image).own}
    assert result["global_entropy"].value == 2.0
    assert {name for name in result if name.startswith("bit_")} == {"bit_plane_0", "bit_plane_1"}
    with pytest.raises(InvalidImageError, match=r"not in 0\.\.3"):
        NamedImage(name="x", pixels=RAMP, levels=4)


def test_a_pair_has_the_levels_of_both() -> None:
    """A result with more levels than its plain picture is compared with all of them."""
    plain = NamedImage(name="x", pixels=RAMP % 4, levels=4)
    result = measure_image(NamedImage(name="y", pixels=RAMP), against=plain, twin=plain)
    compared = {each.name: each.value for each in (*result.compared, *result.differential)}
    assert compared["mae"] == analysis.mae(plain.pixels, RAMP).value
    assert compared["uaci"] == analysis.uaci(RAMP, plain.pixels).value


def test_moving_is_told_from_changing_and_from_restoring() -> None:
    """The report distinguishes moved, changed and restored images."""
    image = NamedImage(name="x", pixels=RAMP % 200)
    turned = NamedImage(name="turned", pixels=image.pixels.T.copy())
    result = measure_image(turned, against=image)
    assert result.values_kept is True
    assert "moved, not changed" in image_report(result).lead
    inverted = NamedImage(name="inverted", pixels=255 - image.pixels)
    assert measure_image(inverted, against=image).values_kept is False
    restored = measure_image(image, against=image)
    values = {each.name: each.value for each in restored.compared}
    assert (values["equal_samples"], values["mse"], values["psnr"]) == (1.0, 0.0, float("inf"))
    assert values["ssim"] == pytest.approx(1)
    assert "It is equal to the plain image" in image_report(restored).lead


def test_compared_images_must_have_one_shape_and_dtype(clouds: NamedImage) -> None:
    """A plain image or twin of another shape or dtype is refused."""
    for pixels in (clouds.pixels[:10], clouds.pixels.astype(np.uint16)):
        other = NamedImage(name="other", pixels=pixels)
        for role in ("against", "twin"):
            options: dict[str, Any] = {role: other}
            with pytest.raises(InvalidImageError, match="one shape and dtype"):
                measure_image(clouds, **options)


def test_progress_counts_to_the_end() -> None:
    """Progress is called once for each step, up to the number of all steps."""
    steps: list[tuple[int, int]] = []
    small_image = NamedImage(name="x", pixels=RAMP[:16, :16].copy())
    measure_image(small_image, randomness=True, progress=lambda *step: steps.append(step))
    assert steps == [(n + 1, len(steps)) for n in range(len(steps))]


def test_long_input_is_tested_in_sequences(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two or more complete sequences are tested separately; fewer bits are tested together."""
    monkeypatch.setattr("sudokucrypt.analysis.image_figures.SEQUENCE_BITS", 4096)
    noise = np.random.default_rng(4).integers(0, 256, (64, 40), dtype=np.uint8)  # 20,480 bits
    steps: list[tuple[int, int]] = []
    result = measure_image(
        NamedImage(name="noise", pixels=noise),
        randomness=True,
        progress=lambda *step: steps.append(step),
    )
    assert steps[-1] == (len(steps), len(steps))
    data = noise.tobytes()
    parts = [run_nist_tests(data[start : start + 512]) for start in range(0, len(data), 512)]
    assert result.randomness == parts[0]
    assert result.sequences == summarize_sequences(parts)
    assert {row.sequences for row in result.sequences} == {5}
    short = measure_image(NamedImage(name="short", pixels=noise[:24]), randomness=True)
    assert short.randomness == run_nist_tests(noise[:24].tobytes())
    assert short.sequences == ()


@pytest.mark.slow
def test_long_input_takes_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Testing 16 million bits takes about a byte of memory for each, and some tables."""
    demanding_tests = {
        name: nist_tests()[name] for name in ("runs", "spectral", "serial", "universal")
    }
    monkeypatch.setattr(
        "sudokucrypt.analysis.image_figures.nist_tests", lambda **_: demanding_tests
    )
    noise = np.random.default_rng(4).integers(0, 256, (1000, 2000), dtype=np.uint8)
    measure_image(NamedImage(name="warm", pixels=RAMP), randomness=True)
    tracemalloc.start()
    try:
        result = measure_image(NamedImage(name="noise", pixels=noise), randomness=True)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert result.sequences[0].sequences == 16
    assert peak < 8 * noise.size + 120 * 2**20
