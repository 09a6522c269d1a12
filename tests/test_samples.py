"""Every sample runs and says what its README promises."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parent.parent / "samples"


def run(script: str, *arguments: str, cwd: Path) -> str:
    result = subprocess.run(
        [sys.executable, "-W", "error", str(SAMPLES / script), *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize("picture", ["astronaut.png", "camera.png", "chelsea.jpg"])
def test_first_picture(tmp_path: Path, picture: str) -> None:
    """The tour restores exactly, and both errors are shown."""
    printed = run(
        "first_picture/first_picture.py", str(SAMPLES / "pictures" / picture), cwd=tmp_path
    )
    assert "restored exactly: True" in printed
    assert "wrong key: wrong key, or the picture" in printed
    assert "one bit: wrong key, or the picture" in printed
    assert not list(tmp_path.iterdir())


def test_every_sample_is_explained_and_tested() -> None:
    """Each folder has a README, and each script stands in this file."""
    here = Path(__file__).read_text(encoding="utf-8")
    for folder in SAMPLES.iterdir():
        assert (folder / "README.md").is_file()
        for script in folder.glob("*.py"):
            assert f"{folder.name}/{script.name}" in here
