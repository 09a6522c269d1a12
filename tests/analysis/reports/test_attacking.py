"""Attacks in reports: controls fall, and what must not fall does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import numpy as np
import pytest

from sudokucrypt.analysis.reports import (
    AttackName,
    AttackSettings,
    NamedImage,
    attack_report,
    baseline_subjects,
    run_attack,
    to_html,
    to_json,
)
from sudokucrypt.analysis.reports.attack_report import attack_lead

if TYPE_CHECKING:
    from sudokucrypt.analysis.reports import Subject

SETTINGS = AttackSettings(images=3, block_size=16)


@pytest.fixture(scope="module")
def picture(clouds: NamedImage) -> NamedImage:
    """A corner of the clouds."""
    return NamedImage(name="clouds", pixels=np.ascontiguousarray(clouds.pixels[:64, :64]))


@pytest.mark.parametrize("attack", get_args(AttackName))
def test_each_control_falls(
    attack: AttackName, picture: NamedImage, stream_scheme: Subject
) -> None:
    """Every attack breaks its control, and no attack a new random stream for each picture."""
    found = run_attack(attack, picture, [stream_scheme], settings=SETTINGS)
    assert found.sound
    assert [run.broken for run in found.runs] == [False, False, True]
    assert [run.salt for run in found.runs] == ["none", "fresh", "none"]
    report = attack_report(found)
    assert report.data["control_broken"] is True
    assert "It breaks none of these schemes" in report.lead
    assert to_json(report)


@pytest.mark.parametrize("attack", ["cpa", "kpa", "differential"])
def test_a_fixed_map_falls_and_the_picture_comes_back(
    attack: AttackName, picture: NamedImage
) -> None:
    """What the attacker makes of a uniform shuffle is the picture itself."""
    found = run_attack(attack, picture, [baseline_subjects()["uniform"]], settings=SETTINGS)
    run = found.runs[0]
    assert run.broken
    assert run.seen is not None
    assert not np.array_equal(run.seen, picture.pixels)
    assert run.picture is not None
    assert np.mean(run.picture == picture.pixels) > 0.99
    assert "It breaks uniform (without salt)" in attack_lead(found)


def test_the_curve_of_known_images_is_drawn(picture: NamedImage) -> None:
    """As many points as images, theory beside them."""
    found = run_attack("kpa", picture, [baseline_subjects()["uniform"]], settings=SETTINGS)
    details = found.runs[0].details
    assert len(details["recovered_after"]) == len(details["expected_after"]) == 3
    page = to_html(attack_report(found))
    assert page.count("<img") == 1 + 2 * (2 + 3)


def test_what_an_attack_cannot_try_is_said(picture: NamedImage) -> None:
    """A scheme that refuses the picture is listed as not tried, and is no success."""
    wide = NamedImage(name="wide", pixels=picture.pixels[:32])
    found = run_attack("cpa", wide, [baseline_subjects()["arnold"]])
    assert found.runs[0].verdict.startswith("not tried: ")
    assert not found.runs[0].broken
    report = attack_report(found)
    assert report.records[0]["tried"] is False
    assert f"arnold (without salt): {found.runs[0].verdict}." in report.lead


def test_a_control_that_stands_is_confessed() -> None:
    """On a picture of one color the jigsaw shows nothing, and the report says what that means."""
    black = NamedImage(name="black", pixels=np.zeros((8, 8), dtype=np.uint8))
    found = run_attack("jigsaw", black, [], settings=AttackSettings(block_size=64))
    assert not found.sound
    assert "its failures mean nothing" in attack_report(found).lead
