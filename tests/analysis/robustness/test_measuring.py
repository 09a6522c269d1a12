"""Test how schemes restore disturbed pictures, and the reports of robustness."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sudokucrypt.analysis import (
    BASELINES,
    DISTURBANCES,
    Disturbance,
    MeasuredScheme,
    NamedImage,
    SchemeResult,
    measure_robustness,
    psnr,
    report_key,
    scheme_from_function,
)
from sudokucrypt.errors import DecryptionError, InvalidParameterError
from sudokucrypt.reports import robustness_report, to_csv, to_html, to_json, to_markdown, to_text
from sudokucrypt.reports.robustness_report import make_robustness_section
from sudokucrypt.typing import AnyArray

FEW = {"salt-and-pepper": (0.1,), "jpeg": (50,)}
UNIFORM = BASELINES["uniform"]
UNIFORM_KEY = report_key(0)


@pytest.fixture(scope="module")
def sealed_scheme() -> MeasuredScheme:
    """A scheme that restores only its own unchanged results."""

    def run(image: AnyArray, key: bytes) -> SchemeResult:
        def undo(other: bytes, pixels: AnyArray = image, /) -> AnyArray:
            if other != key or not np.array_equal(pixels, image):
                raise DecryptionError("changed")
            return pixels

        return SchemeResult(image, undo)

    return MeasuredScheme(name="sealed", fixed=run, moves_only=False, limits="for tests")


def test_figures_are_those_of_the_restored_picture(picture: NamedImage) -> None:
    """PSNR of the restored picture equals the metric, and is near the expected value."""
    (none, salt, jpeg) = measure_robustness(UNIFORM, [picture], disturbances=FEW).runs
    assert (none.label, none.psnr, none.ssim, none.correlation) == ("none", math.inf, 1, 1)
    result = UNIFORM.fixed(picture.pixels, UNIFORM_KEY)
    assert result.undo is not None
    disturbed_pixels = DISTURBANCES["salt-and-pepper"].disturb(result.pixels, 0.1)
    restored = result.undo(UNIFORM_KEY, disturbed_pixels)
    assert salt.psnr == psnr(picture.pixels, restored)
    assert salt.preview is not None
    assert np.array_equal(salt.preview, restored)
    assert salt.expected is not None
    assert salt.psnr == pytest.approx(salt.expected.psnr, abs=0.6)  # 3 deviations of 4096 draws
    assert salt.correlation == pytest.approx(salt.expected.correlation, abs=0.06)
    assert jpeg.expected is None
    assert jpeg.outcome == "restored"


@pytest.mark.parametrize("name", list(BASELINES))
def test_every_baseline_can_be_undone_from_changed_pixels(name: str, picture: NamedImage) -> None:
    """Every scheme restores its own result exactly, and changes or refuses a damaged one."""
    # More than one sample, since a single sample of a result may already be black.
    result = measure_robustness(
        BASELINES[name], [picture], disturbances={"none": (), "crop": (1 / 1024,)}
    )
    none, crop = result.runs
    assert (none.outcome, none.psnr) == ("restored", math.inf)
    assert crop.outcome == "refused" or crop.psnr < math.inf


def test_masks_are_measured_without_salt_and_without_theory(picture: NamedImage) -> None:
    """A mask is measured without salt; restored samples beyond the levels are not measured."""

    def mask(image: AnyArray, _: bytes) -> SchemeResult:
        masked = image ^ np.uint8(200)
        return SchemeResult(masked, lambda _, seen=masked: seen ^ np.uint8(200))

    salted: Any = "not to be called"
    scheme = MeasuredScheme(
        name="mask", fixed=mask, fresh=salted, moves_only=False, limits="for tests"
    )
    shallow = replace(picture, pixels=picture.pixels >> 6, levels=4)
    none, bits, gaussian = measure_robustness(
        scheme, [shallow], disturbances={"bit-flips": (1.0,), "gaussian": (0.5,)}
    ).runs
    assert none.psnr == math.inf
    assert (none.expected, none.outcome) == (None, "restored")
    assert (bits.outcome, gaussian.outcome) == ("not measured", "not measured")
    assert "not in 0..3" in bits.note
    deep = measure_robustness(scheme, [picture], disturbances={"bit-flips": (1.0,)}).runs[1]
    assert deep.correlation == pytest.approx(-1)


def test_a_scheme_that_detects_changes_refuses(
    picture: NamedImage, sealed_scheme: MeasuredScheme
) -> None:
    """Refused pictures are null in the data and "refused" in the table."""
    result = measure_robustness(sealed_scheme, [picture], disturbances=FEW)
    assert result.detects
    figures = measure_robustness(UNIFORM, [picture], disturbances=FEW)
    assert not figures.detects
    # One picture that is restored with an error is enough.
    assert not replace(figures, runs=(*figures.runs, *result.runs)).detects
    report = robustness_report([result])
    assert report.lead == "Refused by design, because changes are detected: sealed."
    rows = [[cell.text for cell in row] for row in report.sections[0].tables[0].rows]
    assert rows == [
        ["none", "infinite"],
        ["salt-and-pepper 0.1", "refused"],
        ["jpeg 50", "refused"],
    ]
    section = make_robustness_section(result)
    rows = [[cell.text for cell in row] for row in section.tables[0].rows]
    assert rows[1] == ["2 others", "refused", "-", "-", "-", "-"]
    assert len(section.figures) == 1
    last_run = json.loads(to_json(report))["schemes"][0]["results"][-1]
    assert last_run["outcome"] == "refused"
    assert last_run["note"] == "changed"
    assert [last_run[key] for key in ("psnr", "ssim", "correlation", "restored_exactly")] == [
        None
    ] * 4


def test_unmeasured_figures_state_the_reason(picture: NamedImage) -> None:
    """The note says why a run was not measured: inverse, picture, or disturbance."""

    def same(image: AnyArray, _: bytes) -> AnyArray:
        return image

    def shrinks(image: AnyArray, _: bytes) -> AnyArray:
        return image

    shrinks.undo = lambda image, _: image[1:]  # type: ignore[attr-defined]
    deep = replace(picture, pixels=picture.pixels.astype(np.uint16) * 257, levels=65536)
    wide = replace(picture, pixels=picture.pixels[:32])
    cases = [
        (scheme_from_function(same, name="one way"), picture, "no inverse"),
        (BASELINES["arnold"], wide, "square"),
        (scheme_from_function(shrinks), picture, "returned an array of shape (63, 64)"),
        (UNIFORM, deep, "8 bits"),
    ]
    for scheme, plain, words in cases:
        run = measure_robustness(scheme, [plain], disturbances={"jpeg": (50,)}).runs[-1]
        assert run.outcome == "not measured"
        assert words in run.note
        assert math.isnan(run.psnr)
        assert run.preview is None
    report = robustness_report([measure_robustness(UNIFORM, [deep], disturbances=FEW)])
    assert "clouds, jpeg: JPEG takes" in report.sections[1].notes[0]
    report = robustness_report([measure_robustness(cases[0][0], [picture])])
    assert report.lead == "Not measured: one way (the scheme has no inverse)."
    assert report.sections[0].notes == ("one way: clouds: the scheme has no inverse.",)
    count = sum(len(each.usual) for each in DISTURBANCES.values())
    rows = make_robustness_section(measure_robustness(cases[0][0], [picture])).tables[0].rows
    assert [[cell.text for cell in row][:2] for row in rows] == [[f"all {count}", "not measured"]]


@pytest.mark.parametrize("fault", [lambda *_: 1 / 0, lambda image, _: image[1:]])
def test_an_inverse_that_always_fails_detects_nothing(
    picture: NamedImage, fault: Callable[[AnyArray, bytes], AnyArray]
) -> None:
    """An inverse that fails on its own result is not measured, and detects nothing."""

    class Faulty:
        encrypt = staticmethod(lambda image, _: image)
        decrypt = staticmethod(fault)

    result = measure_robustness(scheme_from_function(Faulty), [picture], disturbances=FEW)
    assert [run.outcome for run in result.runs] == ["not measured"] * 3
    assert not result.detects
    assert robustness_report([result]).lead.startswith("Not measured: Faulty (undoing 'Faulty'")


def test_names_strengths_and_own_disturbances(picture: NamedImage) -> None:
    """Usual strengths are the default, unknown names are refused, and new ones are registered."""
    result = measure_robustness(UNIFORM, [picture], disturbances={"crop": ()})
    assert [run.strength for run in result.runs] == [0, *DISTURBANCES["crop"].usual]
    with pytest.raises(InvalidParameterError, match="no disturbance 'rain'") as error_info:
        measure_robustness(UNIFORM, [picture], disturbances={"rain": ()})
    assert "salt-and-pepper" in (error_info.value.hint or "")
    mirror = Disturbance(
        name="mirror",
        meaning="right becomes left",
        unit="number of times",
        least=1,
        most=3,
        usual=(1, 2),
        apply=lambda image, strength, **_: image[:, ::-1] if strength % 2 else image,
    )
    DISTURBANCES.register(mirror)
    try:
        runs = measure_robustness(UNIFORM, [picture], disturbances={"mirror": ()}).runs
    finally:
        DISTURBANCES.remove("mirror")
    assert [run.label for run in runs] == ["none", "mirror 1", "mirror 2"]
    assert runs[1].psnr < runs[2].psnr == math.inf


def test_a_report_fits_a_terminal_and_says_all_in_each_form(
    picture: NamedImage, sealed_scheme: MeasuredScheme
) -> None:
    """The report has tables of at most 80 columns, and all runs in CSV, JSON and HTML."""
    other = replace(picture, name="other")
    schemes = [
        UNIFORM,
        sealed_scheme,
        *(replace(UNIFORM, name=f"{'long' * 4}{n}") for n in range(4)),
    ]
    steps: list[tuple[int, int]] = []
    result = [
        measure_robustness(
            scheme,
            [picture, other],
            disturbances=FEW,
            progress=lambda *step: steps.append(step),
        )
        for scheme in schemes
    ]
    assert steps[:6] == [(number, 6) for number in range(1, 7)]
    report = robustness_report(result)
    assert max(map(len, to_text(report).splitlines())) <= 80
    mean = sum(run.psnr for run in result[0].runs if run.label == "jpeg 50") / 2
    assert report.sections[0].tables[0].rows[2][1].text == f"{mean:.2f}"
    assert len(to_csv(report).splitlines()) == 1 + len(schemes) * 2 * 3
    data = json.loads(to_json(report))
    assert [each["detects_changes"] for each in data["schemes"]] == [False, True] + [False] * 4
    assert data["schemes"][0]["results"][0]["restored_exactly"] is True
    assert "salt-and-pepper: samples become black or white" in to_markdown(report)
    assert to_html(replace(report, sections=report.sections[:3])).count("<img") == 2 * 3


def test_a_strip_shows_each_disturbance_in_the_middle_of_its_range(picture: NamedImage) -> None:
    """The strip shows each disturbance at the middle one of its strengths."""
    crops = {"crop": (0.1, 0.2, 0.3), "jpeg": (90, 50)}
    result = measure_robustness(UNIFORM, [picture, picture], disturbances=crops)
    titles = [figure.title for figure in make_robustness_section(result).figures]
    assert titles == [f"clouds, {label}" for label in ("none", "crop 0.2", "jpeg 50")]
