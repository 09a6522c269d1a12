"""Limits on the modules, calls, frames and objects between a command and writing its result."""

import json
import sys
from dataclasses import is_dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

from sudokucrypt.images import Picture
from sudokucrypt.images.thumbnails import jpeg_bytes
from tests.cli.conftest import KEY, Run
from tests.cli.walking import ROOT
from tests.images.builders import noise
from tests.programs import run_python

# Limits for the first run in a process, and for later runs.
MAX_MODULES = (45, 44)
MAX_CALLS = (990, 600)
MAX_FRAMES = 10
MAX_OBJECTS = 5
MAX_IMPORTS = 60


@pytest.fixture
def photo(run: Run) -> Path:
    """Write a JPEG of a million pixels, which gets a preview, to the folder of `run`."""
    del run
    pixels = noise(50, 63, 3).repeat(20, axis=0).repeat(16, axis=1)
    assert Picture.plain(pixels).pixels.dtype == np.uint8
    Path("photo.jpg").write_bytes(jpeg_bytes(pixels, quality=90))
    return Path("photo.jpg")


def test_from_a_command_to_the_disk(photo: Path) -> None:
    """`encrypt photo.jpg` with a preview needs few modules, few calls and few nested frames."""
    arguments = ("encrypt", str(photo), "--force", "--threads", "1", *KEY, "-o", "safe.png")
    result = run_python("-m", "tests.cli.walking", *arguments, PYTHONPATH=str(Path(ROOT).parent))
    assert Path("safe.png").exists()
    for walk, modules, calls in zip(json.loads(result.stdout), MAX_MODULES, MAX_CALLS, strict=True):
        assert walk["modules"] <= modules
        assert walk["calls"] <= calls
        assert 0 < len(walk["frames"]) <= MAX_FRAMES
        assert walk["upward"] == []


def test_an_option_passes_few_objects(run: Run, photo: Path) -> None:
    """The option for rounds is copied to few dicts and dataclasses before the header."""
    passed_objects: set[tuple[str, int]] = set()
    kept_objects: list[Any] = []  # kept alive, so that each object has its own address

    def note(frame: FrameType, event: str, _: object) -> None:
        if event != "call" or not frame.f_code.co_filename.startswith(ROOT):
            return
        for value in list(frame.f_locals.values()):
            value_object = value if isinstance(value, dict) else getattr(value, "__dict__", {})
            if (is_dataclass(value) or isinstance(value, dict)) and value_object.get("rounds") == 5:
                kept_objects.append(value)
                passed_objects.add((type(value).__name__, 0))

    sys.setprofile(note)
    try:
        run("encrypt", str(photo), *KEY, "-o", "safe.png", "--rounds", "5")
    finally:
        sys.setprofile(None)
    assert 0 < len(passed_objects) <= MAX_OBJECTS


def test_a_small_photo_is_not_decoded(run: Run) -> None:
    """A photo too small for a preview is encrypted without importing libraries for pictures."""
    del run
    Path("small.jpg").write_bytes(jpeg_bytes(noise(20, 30, 3), quality=90))
    names = _list_imported("encrypt", "small.jpg", *KEY, "-o", "safe.png")
    assert {name for name in names if name.partition(".")[0] == "PIL"} == set()


def test_few_modules_are_imported(photo: Path) -> None:
    """`encrypt --no-preview` of a photo imports few modules and packages of ours."""
    names = _list_imported("encrypt", str(photo), "--no-preview", *KEY, "-o", "safe.png")
    own_modules = [name for name in names if name.partition(".")[0] == "sudokucrypt"]
    assert 0 < len(own_modules) <= MAX_IMPORTS


def test_the_version_is_printed_without_numpy() -> None:
    """--version does not import NumPy, which would double its time."""
    assert "numpy" not in _list_imported("--version")


def _list_imported(*arguments: str) -> set[str]:
    """Return the modules and packages that a command imports."""
    result = run_python("-X", "importtime", "-m", "sudokucrypt", *arguments)
    return {line.rpartition("|")[2].strip() for line in result.stderr.splitlines()}
