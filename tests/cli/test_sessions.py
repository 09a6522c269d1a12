"""Every session in sessions/ goes as it is written; sessions/README.md says how to read one."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.session import Scene, Stage, read_scenes

SESSIONS = Path(__file__).parent / "sessions"
MARKS = {"slow": pytest.mark.slow, "kernels": pytest.mark.kernels}


def _parameters() -> list[object]:
    """The scenes of all files, by file and law."""
    return [
        pytest.param(
            scene,
            id=f"{path.relative_to(SESSIONS).with_suffix('')}: {scene.law}",
            marks=[MARKS[mark] for mark in scene.marks],
        )
        for path in sorted(SESSIONS.rglob("*.txt"))
        for scene in read_scenes(path)
    ]


@pytest.mark.parametrize("scene", _parameters())
def test_session(run: Run, monkeypatch: pytest.MonkeyPatch, scene: Scene) -> None:
    """Each command of a scene ends with the code, messages, output and files that are written."""
    monkeypatch.delenv("SUDOKUCRYPT_PASSPHRASE", raising=False)
    Stage(run, monkeypatch).play(scene)
