"""Test comparisons of schemes: measurements, speed, and tables."""

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sudokucrypt import UnsupportedError
from sudokucrypt.analysis import (
    BASELINES,
    MeasuredScheme,
    NamedImage,
    SchemeResult,
    compare_schemes,
    global_entropy,
    measure_speed,
    scheme_from_function,
    specimens,
)
from sudokucrypt.analysis.comparison import _measure_distance, read_clock_rate
from sudokucrypt.analysis.images import thin_out
from sudokucrypt.analysis.results import Measurement
from sudokucrypt.cli.analysis.schemes import choose_schemes
from sudokucrypt.reports import comparison_report, to_csv, to_json
from sudokucrypt.typing import AnyArray


def test_every_baseline_restores_and_most_change_one_sample(picture: NamedImage) -> None:
    """A scheme with one map has npcr 1/K, keeps the entropy, and is restored exactly."""
    entropy = global_entropy(picture.pixels).value
    for run in compare_schemes([picture], list(BASELINES.values()), repeats=1).runs:
        figures = {each.name: each.value for each in run.measurements}
        assert run.exact
        if run.scheme.unit == "pixel":
            assert figures["npcr_same_salt"] == 1 / picture.pixels.size
        if run.scheme.moves_only:
            assert figures["global_entropy"] == pytest.approx(entropy)
        fresh = any(name.endswith("fresh_salt") for name in figures)
        assert fresh is (run.scheme.fresh is not None)


def test_comparisons_have_npcr_with_and_without_salt(
    picture: NamedImage, stream_scheme: MeasuredScheme
) -> None:
    """A scheme with salt is measured with the same salt and with fresh salt."""
    (run,) = compare_schemes([picture], [stream_scheme], repeats=1, level=0.001).runs
    figures = {each.name: each for each in run.measurements}
    assert figures["npcr_same_salt"].passed
    assert figures["npcr_fresh_salt"].passed
    assert run.exact


def test_refused_pictures_have_no_figures(picture: NamedImage) -> None:
    """A scheme that refuses a picture has a refusal and no values, and others are measured."""
    wide = NamedImage(name="wide", pixels=picture.pixels[:32])
    report = comparison_report(
        compare_schemes([wide], [BASELINES["arnold"], BASELINES["uniform"]], repeats=1)
    )
    refused, taken = report.data["results"]
    assert "square" in refused["refusal"]
    assert refused["measurements"] == {}
    assert refused["restored_exactly"] is None
    assert taken["refusal"] is None
    assert taken["restored_exactly"] is True
    assert to_json(report)
    assert len(to_csv(report).splitlines()) == 3


def test_results_may_need_more_levels_than_the_picture(picture: NamedImage) -> None:
    """The result of a mask on 2-bit samples is measured with 8 bits, others with 2."""
    shallow = NamedImage(name="shallow", pixels=picture.pixels // 64, levels=4)
    masked = scheme_from_function(
        lambda image, _: image ^ np.random.default_rng(2).integers(0, 256, image.shape, np.uint8),
        name="masked",
    )
    result = compare_schemes([shallow], [masked, BASELINES["uniform"]], repeats=1)
    deep, kept = ({each.name: each for each in run.measurements} for run in result.runs)
    assert (deep["global_entropy"].passed, deep["chi_square_uniformity"].passed) == (True, True)
    assert deep["npcr_same_salt"].expected == 255 / 256
    shares = np.bincount(shallow.pixels.ravel()) / shallow.pixels.size
    assert kept["npcr_same_salt"].expected == pytest.approx(1 - np.sum(shares**2), abs=1e-3)
    table = comparison_report(result).sections[0].tables[0]
    expected = f"{100 * (kept['npcr_same_salt'].expected or 0):.4f}"
    assert table.rows[0][table.columns.index("NPCR, %")].text == expected
    assert all(head[0].isalpha() for head in table.columns)  # none is a unit alone


def test_several_pictures_have_a_table_of_means(picture: NamedImage) -> None:
    """With two equal pictures, the table of means has the values of each picture."""
    report = comparison_report(compare_schemes([picture, picture], [BASELINES["hilbert"]]))
    table = report.sections[0].tables[0]
    single = report.sections[1].tables[0].rows[1]
    assert table.title == "Means"
    assert table.rows[0][1].text == single[1].text
    assert table.rows[0][-1].text == "2 of 2"


def test_the_strongest_channel_counts() -> None:
    """The correlation of one striped channel is reported; p-values allow for the choice."""
    noise = np.random.default_rng(3).integers(0, 256, (64, 64, 3), dtype=np.uint8)
    noise[..., 0] = 9  # a channel without correlation, as opaque alpha is
    striped = noise.copy()
    striped[..., 1] = np.arange(64, dtype=np.uint8)[:, None]
    pictures = [NamedImage(name="noise", pixels=noise), NamedImage(name="stripes", pixels=striped)]
    result = compare_schemes(pictures, [BASELINES["row-column"]], repeats=1)
    first, second = (
        {each.name: each for each in run.measurements}["correlation_horizontal"]
        for run in result.runs
    )
    assert abs(first.value) < 0.1
    assert first.p_value is not None
    assert first.passed is (first.p_value >= 0.05)
    assert second.value == 1.0
    assert second.p_value == 0.0


def test_moves_are_held_to_the_samples_of_the_picture(picture: NamedImage) -> None:
    """For a scheme with new maps, npcr and uaci pass, with expected values for moved samples."""
    maps = np.random.default_rng(8)

    def move_image(image: AnyArray, _: bytes) -> AnyArray:
        return maps.permutation(image.ravel()).reshape(image.shape)

    (run,) = compare_schemes(
        [picture], [scheme_from_function(move_image)], level=0.001, keys=30
    ).runs
    for series in run.series:
        name, _, ending = series.name.partition("_")
        if ending != "fresh_salt":
            continue
        assert series.passed, name
        expected, lower = series.measurements[0].expected, series.measurements[0].lower
        assert expected is not None
        assert lower is not None
        assert np.mean(series.values) == pytest.approx(expected, abs=(expected - lower) / 2)
        assert np.std(series.values) < 2 * (expected - lower) / 3


def test_a_seed_makes_figures_come_again_and_keys_give_deviations(picture: NamedImage) -> None:
    """Tables with one seed are equal except for times; another seed gives other values."""

    def table(seed: int) -> list[list[str]]:
        schemes = choose_schemes(["scramble", "encrypt"], seed=seed)
        result = compare_schemes([picture], schemes, keys=3, seed=seed, repeats=1)
        rows = comparison_report(result).sections[0].tables[0].rows
        return [[cell.text for cell in row[:-4]] for row in rows]

    first = table(1)
    assert first == table(1) != table(2)
    assert " ± " in first[1][1]


def test_published_values_stand_below(picture: NamedImage) -> None:
    """Published values for a picture, or for all pictures, are rows below the measured ones."""
    published = [
        {"scheme": "paper", "npcr_same_salt": "0.9961", "uaci_same_salt": "n/a"},
        {"scheme": "other", "picture": "another picture", "npcr_same_salt": "0.5"},
    ]
    result = compare_schemes([picture], [BASELINES["uniform"]], repeats=1)
    report = comparison_report(result, published=published)
    table = report.sections[0].tables[0]
    last = dict(zip(table.columns, (cell.text for cell in table.rows[-1]), strict=True))
    assert (last["scheme"], last["NPCR, %"], last["UACI, %"]) == (
        "paper (published)",
        "99.6100",
        "-",
    )
    assert len(to_csv(report).splitlines()) == 4


def encrypt_slowly(image: AnyArray, key: bytes) -> SchemeResult:
    """Return the image after some time, with ten times its memory; refuse small images."""
    del key
    if len(image) < 50:
        raise UnsupportedError("too small")
    buffer = np.zeros(10 * image.nbytes, dtype=np.uint8)
    time.sleep(0.02)
    return SchemeResult(image + buffer[0])


def test_speed_states_time_and_memory() -> None:
    """Measured time and memory are those of the scheme, and a refusal is reported."""
    small_speed, large = measure_speed(
        [MeasuredScheme(name="slow", fixed=encrypt_slowly, limits="")], [10, 300]
    )
    assert (small_speed.refusal, large.refusal) == ("too small", "")
    assert np.isnan(small_speed.seconds)
    assert 0.02 <= large.seconds < 2
    assert 10 <= large.memory < 13
    assert large.bytes_per_second == pytest.approx(90_000 / large.seconds)
    if (clock := read_clock_rate()) is not None:
        assert 1e8 < clock < 1e11
        assert large.cycles_per_byte == pytest.approx(clock * large.seconds / 90_000)


def test_extreme_values_are_far_from_what_is_expected() -> None:
    """A distance is that from the expected value, or from 0, and undefined values are nearest."""
    values = [(7.5, 8.0), (-0.2, None), (0.3, 0.0), (np.nan, 1.0)]
    distances = [_measure_distance(Measurement(name="x", value=v, expected=e)) for v, e in values]
    assert distances == pytest.approx([0.5, 0.2, 0.3, -1])


def test_previews_keep_every_nth_row_and_column() -> None:
    """The longer side decides how many rows and columns are left out."""
    image = np.arange(30 * 201).reshape(30, 201)
    for pixels, sides in ((image, (6, 41)), (image.T, (41, 6)), (image[:, :50], (30, 50))):
        thin = thin_out(pixels, side=50)
        assert thin.shape == sides
        assert thin[1, 1] == pixels[-(-max(pixels.shape) // 50), -(-max(pixels.shape) // 50)]


def test_the_limit_of_time_is_for_each_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """All keys of a picture together have the limit as many times as there are keys."""
    limits = list[float | None]()

    def note_limit(work: Callable[[], Any], *, foreign: bool, limit: float | None) -> Any:
        del foreign
        limits.append(limit)
        return work()

    monkeypatch.setattr("sudokucrypt.analysis.comparison.run_guarded", note_limit)
    pictures = specimens(16)[1:2]
    for timeout in (3, None):
        compare_schemes(pictures, [BASELINES["uniform"]], keys=4, timeout=timeout)
    assert limits == [12, None]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems name no clock")
@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("cpu MHz\t\t: 2400.5\nflags : x\ncpu MHz\t\t: 3000\n", 3e9),
        ("cpu MHz\t\t: 0.000\n", None),
        ("processor : 0\n", None),
        ("cpu MHz\t\t: fast\n", None),
    ],
)
def test_the_clock_is_the_fastest_that_the_system_names(
    text: str, rate: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Systems that name no clock, or 0, have none."""
    monkeypatch.setattr("sudokucrypt.analysis.comparison.Path.read_text", lambda *_, **__: text)
    assert read_clock_rate.__wrapped__() == rate
