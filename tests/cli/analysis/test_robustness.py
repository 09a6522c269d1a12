"""``robustness``: which modes refuse disturbed pictures, and what the others restore."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from sudokucrypt.analysis import DISTURBANCES
from tests.cli.conftest import Run
from tests.images.builders import encoded

MODES = ["scramble", "scramble-block", "scramble-context", "scramble-context-block", "encrypt"]


@pytest.fixture(autouse=True)
def small(run: Run) -> None:
    """A smooth picture of 48 x 48 pixels."""
    del run  # has made the folder
    pixels = np.add.outer(np.arange(48), 4 * np.arange(48)).astype(np.uint8)
    Path("small.png").write_bytes(encoded(pixels, "PNG"))


def test_modes_with_a_tag_refuse_and_contexts_restore(run: Run) -> None:
    """Whatever the disturbance; undisturbed, every mode restores exactly."""
    data = json.loads(run("robustness", "small.png", "--json").out)
    assert [each["name"] for each in data["schemes"]] == [*MODES, "scramble-robust"]
    robust = {each["disturbance"]: each for each in data["schemes"].pop()["results"]}
    assert robust["none"]["psnr"] > 30
    assert robust["jpeg"]["outcome"] == "restored"
    for scheme in data["schemes"]:
        first, *others = scheme["results"]
        assert first["restored_exactly"] is True
        context = scheme["name"].startswith("scramble-context")
        assert {each["outcome"] for each in others} == {"restored" if context else "refused"}
        assert scheme["detects_changes"] is not context
    assert len(others) == sum(len(each.usual) for each in DISTURBANCES.values()) - 1


def test_jpeg_spares_blocks_that_are_its_own(run: Run) -> None:
    """Blocks of 16 pixels come back far better than single pixels, and no mode differs by noise."""
    done = run("robustness", "small.png", "--disturbances", "jpeg=50, gaussian=0.05", "--csv")
    psnr = {
        (row["scheme"], row["disturbance"]): float(row["psnr"])
        for row in csv.DictReader(io.StringIO(done.out))
        if row["psnr"] and row["disturbance"] != "none"
    }
    assert psnr[MODES[3], "jpeg"] > psnr[MODES[2], "jpeg"] + 3
    assert psnr[MODES[3], "gaussian"] == pytest.approx(psnr[MODES[2], "gaussian"], abs=0.3)


def test_without_a_picture_a_portrait_is_measured(run: Run) -> None:
    """The page shows it, restored; text has the same tables."""
    arguments = ("--disturbances", "crop=0.25", "--schemes", "scramble-context", "-o", "r.html")
    done = run("robustness", *arguments)
    assert done.code == 0, done.err
    assert Path("r.html").read_text(encoding="utf-8").count("<img") == 2
    assert run("robustness", *arguments).code == 6
    assert "scramble-context, portrait" in run("robustness", *arguments[:4]).out
