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
CODE = '''
import numpy as np

def turned(image, key):
    """Turn rows by an amount from the key."""
    return np.roll(image, key[0], axis=0)

turned.undo = lambda image, key: np.roll(image, -key[0], axis=0)
'''


@pytest.fixture(autouse=True)
def small(run: Run) -> None:
    """A smooth picture of 48 x 48 pixels, and a file with a scheme."""
    del run  # has made the folder
    pixels = np.add.outer(np.arange(48), 4 * np.arange(48)).astype(np.uint8)
    Path("small.png").write_bytes(encoded(pixels, "PNG"))
    Path("mine.py").write_text(CODE)


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


def test_schemes_of_users_and_names_are_taken_alike(run: Run) -> None:
    """--scheme measures a function or a name alone, --schemes adds others by name."""
    own = ("--scheme", "mine.py:turned", "--scheme", "encrypt", "--schemes", "uniform")
    done = run("robustness", "small.png", *own, "--disturbances", "crop", "--markdown")
    assert "## turned, small.png" in done.out
    assert "changes are detected: encrypt." in done.out
    assert "## uniform, small.png" in done.out
    assert "salt" not in done.out


def test_without_a_picture_a_portrait_is_measured(run: Run) -> None:
    """The page shows it, restored; text has the same tables."""
    arguments = ("--disturbances", "crop=0.25", "--schemes", "scramble-context", "--html", "r.html")
    done = run("robustness", *arguments)
    assert done.code == 0, done.err
    assert Path("r.html").read_text(encoding="utf-8").count("<img") == 2
    assert run("robustness", *arguments).code == 6
    assert "scramble-context, portrait" in run("robustness", *arguments[:4]).out


@pytest.mark.parametrize(
    ("wanted", "words", "hint"),
    [
        ("rain", "no disturbance 'rain'", "salt-and-pepper"),
        ("crop=2", "strength of crop is 0 to 1, not 2", "share of the area"),
        ("crop=half", "strength 'half' of crop is not a number", "--help"),
        ("crop=nan", "strength of crop", "share of the area"),
    ],
)
def test_what_is_no_disturbance_is_a_usage_error(
    run: Run, wanted: str, words: str, hint: str
) -> None:
    """Code 2, what is wrong, and what there is."""
    done = run("robustness", "small.png", "--disturbances", wanted)
    assert done.code == 2
    assert words in done.err
    assert hint in done.err


def test_disturbances_are_listed(run: Run) -> None:
    """Each with what it does and how strong, without a picture."""
    lines = run("robustness", "--list-disturbances").out.splitlines()
    assert [line.split()[0] for line in lines] == list(DISTURBANCES)
    assert "90, 70, 50 (quality)" in lines[-2]
