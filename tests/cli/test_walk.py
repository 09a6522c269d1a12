"""How far it is from a command to the bytes on the disk: modules, calls, frames and objects."""

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

# The first time in a process, and when it has run before.
MOST_MODULES = (45, 44)
MOST_CALLS = (990, 600)
MOST_FRAMES = 10
MOST_OBJECTS = 5
MOST_IMPORTS = 60


@pytest.fixture
def photo(run: Run) -> Path:
    """A JPEG of a million pixels, which gets a preview, in the folder of `run`."""
    del run
    pixels = noise(50, 63, 3).repeat(20, axis=0).repeat(16, axis=1)
    assert Picture.plain(pixels).pixels.dtype == np.uint8
    Path("photo.jpg").write_bytes(jpeg_bytes(pixels, quality=90))
    return Path("photo.jpg")


def test_from_a_command_to_the_disk(photo: Path) -> None:
    """`encrypt photo.jpg` with a preview passes few modules, in few calls, and few frames deep."""
    arguments = ("encrypt", str(photo), "--force", "--threads", "1", *KEY, "-o", "safe.png")
    done = run_python("-m", "tests.cli.walking", *arguments, PYTHONPATH=str(Path(ROOT).parent))
    assert Path("safe.png").exists()
    for walk, modules, calls in zip(json.loads(done.stdout), MOST_MODULES, MOST_CALLS, strict=True):
        assert walk["modules"] <= modules
        assert walk["calls"] <= calls
        assert 0 < len(walk["frames"]) <= MOST_FRAMES
        assert walk["upward"] == []


def test_an_option_passes_few_objects(run: Run, photo: Path) -> None:
    """The number of rounds is in few dicts and dataclasses on its way into the header."""
    seen: set[tuple[str, int]] = set()
    kept: list[Any] = []  # so that no two objects have one address

    def note(frame: FrameType, event: str, _: object) -> None:
        if event != "call" or not frame.f_code.co_filename.startswith(ROOT):
            return
        for value in list(frame.f_locals.values()):
            held = value if isinstance(value, dict) else getattr(value, "__dict__", {})
            if (is_dataclass(value) or isinstance(value, dict)) and held.get("rounds") == 5:
                kept.append(value)
                seen.add((type(value).__name__, 0))

    sys.setprofile(note)
    try:
        run("encrypt", str(photo), *KEY, "-o", "safe.png", "--rounds", "5")
    finally:
        sys.setprofile(None)
    assert 0 < len(seen) <= MOST_OBJECTS


def test_a_small_photo_is_not_decoded(run: Run) -> None:
    """A picture that gets no preview needs no library of pictures, only its number of pixels."""
    del run
    Path("small.jpg").write_bytes(jpeg_bytes(noise(20, 30, 3), quality=90))
    names = _list_imported("encrypt", "small.jpg", *KEY, "-o", "safe.png")
    assert {name for name in names if name.partition(".")[0] == "PIL"} == set()


def test_few_modules_are_imported(photo: Path) -> None:
    """`encrypt --no-preview` of a photo imports few modules of this package, packages included."""
    names = _list_imported("encrypt", str(photo), "--no-preview", *KEY, "-o", "safe.png")
    ours = [name for name in names if name.partition(".")[0] == "sudokucrypt"]
    assert 0 < len(ours) <= MOST_IMPORTS


def test_the_version_is_printed_without_numpy() -> None:
    """It says whether kernels were compiled, which load NumPy, and would take twice as long."""
    assert "numpy" not in _list_imported("--version")


def _list_imported(*arguments: str) -> set[str]:
    """Return the modules that a command imports, packages included."""
    done = run_python("-X", "importtime", "-m", "sudokucrypt", *arguments)
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
