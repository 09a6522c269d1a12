"""Test attacks as reports run them, on their controls and on other schemes."""

import numpy as np
import pytest

from sudokucrypt.analysis import (
    BASELINES,
    JpegScheme,
    MeasuredScheme,
    NamedImage,
    NamedJpeg,
    run_attack,
    run_jpeg_attack,
)
from sudokucrypt.analysis.attacks import ATTACKS
from sudokucrypt.errors import InvalidImageError, InvalidParameterError, UnsupportedError
from sudokucrypt.reports import attack_report, to_html, to_json
from sudokucrypt.reports.attack_report import make_attack_lead
from tests.images.jpeg.corpus import make_smooth, save_image

OPTIONS = {"known-plaintext": {"images": 3}, "jigsaw": {"block_size": 16}}


@pytest.mark.parametrize(
    "attack", [name for name, each in ATTACKS.items() if each.takes == "pixels"]
)
def test_each_control_falls(
    attack: str, picture: NamedImage, stream_scheme: MeasuredScheme
) -> None:
    """Every attack breaks its control, and not a scheme with a new stream for each picture."""
    result = run_attack(attack, picture, [stream_scheme], options=OPTIONS.get(attack))
    assert result.control_was_broken
    assert [run.broken for run in result.runs] == [False, False, True]
    assert [run.salt for run in result.runs] == ["none", "fresh", "none"]
    report = attack_report(result)
    assert report.data["control_broken"] is True
    # The scheme has no inverse that takes only results, so two attacks are not tried.
    tried = ATTACKS[attack].threat != "chosen ciphertext"
    assert ("It breaks none of these schemes" in report.lead) is tried
    assert to_json(report)


@pytest.mark.parametrize("attack", ["chosen-plaintext", "known-plaintext", "differential"])
def test_a_fixed_map_falls_and_the_picture_comes_back(attack: str, picture: NamedImage) -> None:
    """The attacker restores the picture itself from a uniform shuffle."""
    result = run_attack(attack, picture, [BASELINES["uniform"]], options=OPTIONS.get(attack))
    run = result.runs[0]
    assert run.broken
    assert run.finding is not None
    assert not np.array_equal(run.finding.seen, picture.pixels)
    assert np.mean(run.finding.picture == picture.pixels) > 0.99
    assert "It breaks uniform (without salt)" in make_attack_lead(result)


@pytest.mark.slow
def test_the_curve_of_known_images_is_drawn(picture: NamedImage) -> None:
    """Details and page have a value for each known image, with the expected one."""
    result = run_attack("known-plaintext", picture, [BASELINES["uniform"]], options={"images": 3})
    assert result.runs[0].finding is not None
    details = result.runs[0].finding.details
    assert len(details["recovered_after"]) == len(details["expected_after"]) == 3
    page = to_html(attack_report(result))
    assert page.count("<img") == 1 + 2 * (2 + 3)


def test_refused_pictures_are_listed_as_not_tried(picture: NamedImage) -> None:
    """A scheme that refuses the picture is listed as not tried, without an outcome."""
    wide = NamedImage(name="wide", pixels=picture.pixels[:32])
    result = run_attack("chosen-plaintext", wide, [BASELINES["arnold"]])
    assert "square images only" in result.runs[0].refusal
    assert result.runs[0].outcome is None
    report = attack_report(result)
    record = report.records[0]
    assert [record[name] for name in ("outcome", "recovered", "images")] == [None, None, None]
    assert f"arnold (without salt): not tried: {result.runs[0].refusal}." in report.lead


def test_a_report_says_if_an_attack_fails_on_its_control() -> None:
    """If an attack does not break its control, the report says that its failures mean nothing."""
    black = NamedImage(name="black", pixels=np.zeros((8, 8), dtype=np.uint8))
    result = run_attack("jigsaw", black, [], options={"block_size": 64})
    assert not result.control_was_broken
    assert "its failures mean nothing" in attack_report(result).lead


JPEG = NamedJpeg(name="soft.jpg", data=save_image(make_smooth(96, 120), quality=90))


@pytest.mark.parametrize("attack", ["sketch", "recognition"])
def test_attacks_on_jpeg_files_break_their_control(attack: str) -> None:
    """Attacks on JPEG files break their control, and a scheme that returns the file."""
    scheme = JpegScheme(name="same", fixed=lambda data, _: data, fresh=lambda data, _: data)
    steps: list[tuple[int, int]] = []
    result = run_jpeg_attack(
        attack, JPEG, [scheme], progress=lambda done, count: steps.append((done, count))
    )
    assert result.control_was_broken
    assert [run.salt for run in result.runs] == ["none", "fresh", "none"]
    assert all(run.broken for run in result.runs)
    assert steps[-1] == (3, 3)
    report = attack_report(result)
    assert "It breaks same (without salt), same (fresh salt)." in report.lead
    assert to_json(report)
    assert report.data["picture"]["shape"] == [96, 120, 3]


def test_a_scheme_that_refuses_a_jpeg_is_not_tried() -> None:
    """A scheme that refuses a JPEG file is not tried, and the control is still broken."""

    def refuse_jpeg(*_: bytes) -> bytes:
        raise UnsupportedError("it takes no JPEG of this kind")

    result = run_jpeg_attack("sketch", JPEG, [JpegScheme(name="none", fixed=refuse_jpeg)])
    assert [run.outcome for run in result.runs] == [None, "broken"]
    assert "not tried: it takes no JPEG of this kind" in attack_report(result).lead


def test_images_and_jpeg_files_have_their_own_attacks() -> None:
    """An attack with the wrong kind of input is refused, and so are cut JPEG files."""
    with pytest.raises(InvalidParameterError, match="'jigsaw' takes images") as error_info:
        run_jpeg_attack("jigsaw", JPEG, [])
    assert error_info.value.hint == "choose from recognition, sketch"
    with pytest.raises(InvalidParameterError, match="'sketch' takes one JPEG file"):
        run_jpeg_attack("sketch", JPEG, [], others=[JPEG])
    cut = NamedJpeg(name="cut.jpg", data=JPEG.data[:900])
    with pytest.raises(InvalidImageError, match=r"'cut\.jpg' is damaged"):
        run_jpeg_attack("recognition", JPEG, [], others=[cut])
